"""IBG801-IBG819: dumps of a real fabric, and how they fit the spec.

These speak of files that no spec holds, so their pages have no example that could be compiled.
"""

from __future__ import annotations

from ibgen.diagnostics import Severity, declare

NOT_A_DUMP = declare(
    "IBG801",
    "dump-unreadable",
    Severity.ERROR,
    """The file holds no record as ibnetdiscover prints them.

    `ibnetdiscover > fabric.txt`, run as root on a host of the subnet, writes what is read here. Its `-p` and `-l` forms and
    iblinkinfo's output do not name the node GUID at both ends of a cable, and a net file for ibsim has no GUIDs of a real
    fabric: take the plain form.
    """,
)

LINE_UNREADABLE = declare(
    "IBG802",
    "dump-line-unreadable",
    Severity.ERROR,
    """A line inside a record is nothing that ibnetdiscover prints.

    The cable or node it spoke of is missing from what was read. Something else may have been written into the file at the
    same time, or a copy has wrapped its lines. Take the dump again: `ibnetdiscover > fabric.txt 2> errors.txt`.
    """,
)

PARTIAL = declare(
    "IBG803",
    "dump-partial",
    Severity.WARNING,
    """Part of the dump was cut off, left out or blanked out.

    What is whole was read. What is missing proves nothing: an adapter that is not there may stand on a line that is not
    there. A GUID that was blanked out is never taken for an identity. A cable that only one of its ends mentions is a sign of
    the same, or of a cable that went up or down while the dump was taken.
    """,
)

NOISE = declare(
    "IBG804",
    "dump-noise",
    Severity.NOTE,
    """Lines around the records are no part of them: a banner, a prompt, a message of another program.

    They were passed over.
    """,
)

GUID_TWICE_SEEN = declare(
    "IBG805",
    "guid-seen-twice",
    Severity.ERROR,
    """One GUID is the GUID of two things, or one port leads to two places.

    GUIDs are physical and never repeat, so nothing that carries this one can be told apart. Adapters that were flashed from
    one image are a known cause; two dumps in one file, taken at different times, are the harmless one. Neither is bound.
    """,
)

GUID_ZERO_SEEN = declare(
    "IBG806",
    "guid-zero-seen",
    Severity.ERROR,
    """The dump shows a GUID of zero, which means "not set".

    The firmware has none, or the tool could not read it. It is nobody's identity: what carries it is not bound.
    """,
)

RECORD_CONTRADICTS = declare(
    "IBG807",
    "record-contradicts-itself",
    Severity.ERROR,
    """Two lines of the dump give one thing two GUIDs.

    A record's `caguid=` or `switchguid=` differs from the GUID in its head, or the two ends of a cable give one port different
    GUIDs. The file was edited, or two dumps were mixed. The node is not bound.
    """,
)

NO_CABLES = declare(
    "IBG808",
    "dump-without-cables",
    Severity.WARNING,
    """The dump has nodes but not one cable.

    ibnetdiscover saw only the adapter it ran on: the port is down, its cable is out, or it was given the wrong adapter.
    `ibstat` shows which port is up; `ibnetdiscover -C mlx5_0 -P 1` names it.
    """,
)

UNRECOGNISED = declare(
    "IBG811",
    "subnet-unrecognised",
    Severity.WARNING,
    """A fabric in the dump is none of the spec's, or could be several of them.

    A subnet is recognised by what its switches and adapters call themselves, or by GUIDs that are bound already. Nothing is
    bound where nothing matches: a dump of the storage fabric says nothing about the compute fabric. Give hosts and switches
    their names first (rdma-ndd on hosts, the switch's own host name), or bind a few rows by hand.
    """,
)

NAME_TWICE = declare(
    "IBG812",
    "name-seen-twice",
    Severity.WARNING,
    """Two nodes call themselves by one name of the spec.

    A host installed from another's image, or an exchanged adapter seen in an old and a new dump. The name alone no longer
    tells which is which; the one that stands where the plan has it is bound, the other is not.
    """,
)

NAME_AGAINST_PLACE = declare(
    "IBG813",
    "name-against-place",
    Severity.WARNING,
    """A node's name says one thing, its place in the fabric another.

    An adapter that calls itself by one name hangs where the plan has another: swapped cables, or a host with a wrong name.
    The GUID is bound to the name, because the host itself has written it there; the cable remains to be put right. A node
    without a name that was bound before, and now stands elsewhere, keeps its row until somebody says what has moved.
    """,
)

UNBOUND = declare(
    "IBG814",
    "names-unbound",
    Severity.WARNING,
    """Some names of a recognised subnet have no GUID yet.

    Nothing is guessed: a name is bound by what a node calls itself, or by its place among neighbours that are bound. Files
    that name GUIDs stay marked as synthetic until every host that is not `planned` and every switch is bound.
    """,
)

GUID_CHANGED = declare(
    "IBG815",
    "guid-changed",
    Severity.NOTE,
    """A name has other GUIDs than the bindings said: an adapter or a switch was exchanged or moved.

    The bindings are updated. Build again: partitions, GUID lists and name maps still name the old one, and a partition that
    names a GUID that is gone leaves the new adapter out.
    """,
)

EXTRA = declare(
    "IBG816",
    "node-not-in-spec",
    Severity.WARNING,
    """The dump shows nodes that the spec does not have.

    Add them to the spec if they belong here; else find out who plugged them in. A node whose name is unknown is not bound to
    the place it stands at: the name may be the wrong one, or the place.
    """,
)

UNNAMED_NODES = declare(
    "IBG817",
    "nodes-unnamed",
    Severity.NOTE,
    """Nodes carry no name of their own: the factory's text, `localhost`, or nothing.

    They were bound by their place alone, where neighbours confirm it, or not at all. rdma-ndd gives an adapter the name of its
    host (`dgx-001 mlx5_0`); run it, take another dump and bind again to be sure.
    """,
)

SIMULATED = declare(
    "IBG818",
    "guids-simulated",
    Severity.WARNING,
    """The dump shows GUIDs that ibgen itself has made up.

    It is of a simulation, not of a fabric. Bindings made from it look real to every later step, and their files match nothing
    that has been built. Good for a rehearsal; never for an installation.
    """,
)

OTHER_CASE = declare(
    "IBG819",
    "names-differ-in-case",
    Severity.NOTE,
    """Nodes call themselves as the spec does, but for capital letters.

    They are taken to be the same. Programs that compare names (Slurm among them) may not: write them alike.
    """,
)
