"""What can be said about OpenSM files that somebody already has (IBG840 to IBG857). OpenSM itself swallows every one of these.

Their examples are files, not specs: `tests/foreign` runs them.
"""

from __future__ import annotations

from ibgen.diagnostics import Code, Severity, declare


def _error(id: str, name: str, page: str) -> Code:
    return declare(id, name, Severity.ERROR, page)


UNKNOWN_OPTION = _error(
    "IBG840",
    "opensm-unknown-option",
    """An option that the manager does not have.

    OpenSM prints `Unrecognized token` on stdout, goes on with the default and exits 0. The other flavour may know the option.
    """,
)

OPTION_VALUE = _error(
    "IBG841",
    "opensm-option-value",
    """A value the option cannot have.

    Text where a number belongs and numbers outside the range leave the default in place, with one line on stdout.
    """,
)

BOOLEAN = _error(
    "IBG842",
    "opensm-boolean",
    """A boolean that is neither TRUE nor FALSE.

    Only the exact word `TRUE` is true: `true`, `yes`, `on` and `1` all mean FALSE, and OpenSM does not say so.
    """,
)

LONG_LINE = _error(
    "IBG843",
    "opensm-long-line",
    """A line longer than OpenSM's buffer.

    opensm.conf is read in pieces of 1,022 characters, partitions.conf in pieces of about 4,090: the rest of a longer line is
    taken for another line. A GUID that is cut in two drops the whole partition file: everyone is a full member of everything.
    """,
)

OPTION_TWICE = declare(
    "IBG844",
    "opensm-option-twice",
    Severity.WARNING,
    """An option stands twice; the last line wins.

    Take one of the lines out.
    """,
)

NO_DEFAULT = _error(
    "IBG845",
    "partitions-without-default",
    """A partition file without a rule for the default partition.

    Every host becomes a limited member of 0x7fff. Limited members may not talk to each other, so traffic on P_Key index 0,
    which NCCL and UCX use unless told otherwise, cannot work.
    """,
)

FILE_DROPPED = _error(
    "IBG846",
    "partitions-dropped",
    """A line that makes OpenSM drop the whole partition file.

    The log says `Partition configuration in error; retrying with default config`, and *every* port becomes a full member of
    the default partition: the isolation is gone, and OpenSM exits 0.
    """,
)

MERGED = _error(
    "IBG847",
    "partitions-merged",
    """A `;` is missing between two partitions.

    OpenSM reads the second definition as members of the first: the second partition is never created and its first member
    lands, limited, in the first.
    """,
)

MEMBERSHIP = _error(
    "IBG848",
    "partitions-membership",
    """A membership that OpenSM reads as something else than it looks.

    Without `=full` or `=limited` a member is limited (or what `defmember` says); `=` with nothing behind it is full; any
    beginning of `full` is full and any other word is limited; `A` is a beginning of ALL, which is everybody.
    """,
)

PKEY = _error(
    "IBG849",
    "partitions-pkey",
    """A P_Key that is missing, zero, too large, or used twice.

    Without one, OpenSM counts up from 0x0001 in file order, so that the keys change when lines move. Two partitions with the
    same low 15 bits are merged: the first name stays, later member lines override earlier ones.
    """,
)

GROUP = _error(
    "IBG850",
    "partitions-group",
    """IPoIB parameters that give no broadcast group, or have no effect.

    `mtu` is the code 1 to 5 (5 is 4096 bytes), not bytes; `rate` is a code too, and 3.3.23 rejects 23 and above. With a value
    it cannot realise the partition exists and IPoIB has no carrier. Without `ipoib` the other words do nothing, and `sl` does
    nothing unless `qos TRUE`.
    """,
)

GUID_LINE = _error(
    "IBG851",
    "guid-list-line",
    """A line of a GUID list that is not one GUID.

    One GUID a line, 0x in front; a comma or anything else glued to it is a parse error: updn then looks for roots by itself
    and ftree falls back to minhop. A zero GUID means `not set`.
    """,
)

EMPTY_FILE = _error(
    "IBG852",
    "partitions-empty",
    """A partition file without any partition.

    Every port becomes a full member of the default partition, as if there were no file.
    """,
)

QOS_POLICY = _error(
    "IBG853",
    "qos-policy-broken",
    """A QoS policy that OpenSM ignores, or reads in part.

    Every section ends with its `end-` word, a level called DEFAULT is mandatory, and rules name levels that exist.
    """,
)

MISSING_FILE = _error(
    "IBG854",
    "opensm-missing-file",
    """opensm.conf names a file that is not there.

    OpenSM goes on without it: without roots updn guesses them, without partitions everyone is a full member of everything.
    """,
)

QOS_TABLE = _error(
    "IBG855",
    "opensm-qos-table",
    """A VL table that OpenSM cannot read whole.

    `sl2vl` is exactly 16 numbers from 0 to 15 (missing ones become VL 0), `vlarb_*` up to 64 pairs `vl:weight` with vl 0 to 14
    and weight 0 to 255.
    """,
)

BOTH = _error(
    "IBG856",
    "partitions-both",
    """`both` without `allow_both_pkeys TRUE`.

    OpenSM treats it as full.
    """,
)

LIMITED_ONLY = _error(
    "IBG857",
    "partitions-limited-only",
    """A partition of limited members only.

    Limited members may not talk to each other: nobody in it can talk to anybody.
    """,
)

GUID_KIND = declare(
    "IBG611",
    "guid-of-another-kind",
    Severity.ERROR,
    """A GUID of the wrong kind: a switch among ports, an adapter among the roots, a node's GUID in the place of its port's.

    Roots, ids and weights are node GUIDs of switches; compute nodes, routing order and partition members are port GUIDs. OpenSM
    passes over the others: a partition of node GUIDs is empty and is deleted; with compute nodes by node GUID ftree has none.
    `check --opensm` sees it where another list or the node-name-map of the folder shows what a GUID is.
    """,
)
