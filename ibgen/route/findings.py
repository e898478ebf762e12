"""What can be said about forwarding tables that were read from a file.

These codes speak of a dump, not of a spec, so their pages have no Bad/Good pair; `tests/route` raises each of them.
"""

from __future__ import annotations

from ibgen.diagnostics import Severity, declare

UNREADABLE = declare(
    "IBG871",
    "unreadable-dump-line",
    Severity.WARNING,
    """A line of a forwarding table dump is none that OpenSM or dump_lfts writes.

    Read are `opensm-lfts.dump`, `opensm.fdbs` and what `dump_lfts` prints. Anything else is passed over and named, since a cut
    or edited dump would otherwise pass for a fabric with missing routes. Take the dump again; a file that was cut off ends in
    such a line.
    """,
)

UNKNOWN_SWITCH = declare(
    "IBG872",
    "dump-of-unknown-switch",
    Severity.WARNING,
    """A dump holds the table of a switch that the subnet does not have.

    Switches are matched by GUID, else by the name in the dump. Its table is left out. Either the dump is of another fabric, or
    the switch was renamed or replaced: bind its GUID.
    """,
)

UNKNOWN_LID = declare(
    "IBG873",
    "dump-of-unknown-lid",
    Severity.WARNING,
    """A dump routes to a LID that belongs to nothing in the subnet.

    A LID is matched by the port GUID that the dump gives with it, else by the switch port that leads to it. LIDs of hosts that
    the spec does not have, of a further LMC path or of aggregation nodes are such; their routes are left out.
    """,
)

NO_TABLE = declare(
    "IBG874",
    "switch-without-table",
    Severity.WARNING,
    """A switch of the subnet has no table in the dump.

    Nothing can be said of routes through it: they count as dead ends. The dump may be incomplete (dump_lfts passes over
    switches that do not answer), or the switch is not cabled yet.
    """,
)

NO_ARRIVAL = declare(
    "IBG875",
    "tables-that-do-not-arrive",
    Severity.WARNING,
    """Forwarding tables lead some hosts round in a loop, to a dead end, or to another host.

    Every pair of a leaf and a host is walked, up to 20 million of them. Packets in a loop stay until they time out, and fill
    the links on it. Either the dump was taken while the subnet manager was routing, or it was edited, or the cables have
    changed since. The flows concerned count with a share of 0.
    """,
)

CREDIT_LOOP = declare(
    "IBG876",
    "credit-loop-on-one-lane",
    Severity.NOTE,
    """Forwarding tables close a ring of links that wait for one another, if all traffic is on one virtual lane.

    Under load such a ring can stand still for ever. Engines that use several lanes (dfsssp, lash, nue, torus-2QoS) break it by
    service levels, of which a dump of forwarding tables says nothing: with one of these the finding can be passed over.
    """,
)

OTHER_TABLES = declare(
    "IBG877",
    "tables-of-another-routing",
    Severity.NOTE,
    """Imported tables are not those that the spec's engine comes to on these cables.

    Entries are compared with minhop, updn or ftree as OpenSM 3.3.23 computes them for a fresh fabric with these GUIDs. They
    differ where the manager runs another engine or has other root lists, where GUIDs are not bound yet, and where the fabric
    has changed since: OpenSM keeps LIDs and, after a failure, deals anew. The figures are those of the imported tables.
    """,
)
