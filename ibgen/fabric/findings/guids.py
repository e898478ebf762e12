"""IBG301-IBG309: GUIDs and the file that binds them to names."""

from __future__ import annotations

from ibgen.diagnostics import Severity, declare

GUID_UNREADABLE = declare(
    "IBG301",
    "guid-unreadable",
    Severity.ERROR,
    """A GUID in the bindings is not a GUID.

    Write 0x and up to 16 hexadecimal digits, or four groups of four as sysfs prints it (`9c63:c003:00a1:b200`).

    Bad:
        bindings: lab.guids.csv
        # file: lab.guids.csv
        host,hca,port,node_guid,port_guid,system_image_guid
        node-01,mlx5_0,1,9c63c00300a1b2,0x9c63c00300a1b200,0x9c63c00300a1b200
        node-02,mlx5_0,1,0x9c63c00300a1b300,0x9c63c00300a1b300,0x9c63c00300a1b300

    Good:
        bindings: lab.guids.csv
        # file: lab.guids.csv
        host,hca,port,node_guid,port_guid,system_image_guid
        node-01,mlx5_0,1,0x9c63c00300a1b200,0x9c63c00300a1b200,0x9c63c00300a1b200
        node-02,mlx5_0,1,0x9c63c00300a1b300,0x9c63c00300a1b300,0x9c63c00300a1b300
    """,
)

GUID_ZERO = declare(
    "IBG302",
    "guid-zero",
    Severity.ERROR,
    """A GUID of zero means "not set": the firmware has none, or the tool that
    collected it could not read it.

    Leave the row out until the GUID is known. A zero would match nothing in a partition and everything in a search.

    Bad:
        bindings: lab.guids.csv
        # file: lab.guids.csv
        host,hca,port,node_guid,port_guid,system_image_guid
        node-01,mlx5_0,1,0x0000000000000000,0x9c63c00300a1b200,0x9c63c00300a1b200
        node-02,mlx5_0,1,0x9c63c00300a1b300,0x9c63c00300a1b300,0x9c63c00300a1b300

    Good:
        bindings: lab.guids.csv
        # file: lab.guids.csv
        host,hca,port,node_guid,port_guid,system_image_guid
        node-01,mlx5_0,1,0x9c63c00300a1b200,0x9c63c00300a1b200,0x9c63c00300a1b200
        node-02,mlx5_0,1,0x9c63c00300a1b300,0x9c63c00300a1b300,0x9c63c00300a1b300
    """,
)

GUID_TWICE = declare(
    "IBG303",
    "guid-on-two-hosts",
    Severity.ERROR,
    """One GUID stands on two hosts, or on two adapters of one host.

    GUIDs are physical and never repeat. A copied line is the usual cause; a cloned or badly flashed adapter the rare one.

    Bad:
        bindings: lab.guids.csv
        # file: lab.guids.csv
        host,hca,port,node_guid,port_guid,system_image_guid
        node-01,mlx5_0,1,0x9c63c00300a1b200,0x9c63c00300a1b200,0x9c63c00300a1b200
        node-02,mlx5_0,1,0x9c63c00300a1b200,0x9c63c00300a1b200,0x9c63c00300a1b200

    Good:
        bindings: lab.guids.csv
        # file: lab.guids.csv
        host,hca,port,node_guid,port_guid,system_image_guid
        node-01,mlx5_0,1,0x9c63c00300a1b200,0x9c63c00300a1b200,0x9c63c00300a1b200
        node-02,mlx5_0,1,0x9c63c00300a1b300,0x9c63c00300a1b300,0x9c63c00300a1b300
    """,
)

BINDING_UNKNOWN = declare(
    "IBG304",
    "binding-unknown-name",
    Severity.ERROR,
    """The bindings name a host, switch or adapter that the spec does not
    have.

    Its GUIDs would be used nowhere. Correct the name, or remove the row when the host is gone.

    Bad:
        bindings: lab.guids.csv
        # file: lab.guids.csv
        host,hca,port,node_guid,port_guid,system_image_guid
        node-01,mlx5_0,1,0x9c63c00300a1b200,0x9c63c00300a1b200,0x9c63c00300a1b200
        node-92,mlx5_0,1,0x9c63c00300a1b300,0x9c63c00300a1b300,0x9c63c00300a1b300

    Good:
        bindings: lab.guids.csv
        # file: lab.guids.csv
        host,hca,port,node_guid,port_guid,system_image_guid
        node-01,mlx5_0,1,0x9c63c00300a1b200,0x9c63c00300a1b200,0x9c63c00300a1b200
        node-02,mlx5_0,1,0x9c63c00300a1b300,0x9c63c00300a1b300,0x9c63c00300a1b300
    """,
)

BINDINGS_UNREADABLE = declare(
    "IBG305",
    "bindings-unreadable",
    Severity.ERROR,
    """The bindings lack a column, or a row has too few or too many fields.

    The first line names the columns: `host,hca,port,node_guid,port_guid,system_image_guid`; the last one may be absent.
    Switches are rows with the switch's name in `host` and with `hca` and `port` left empty.

    Bad:
        bindings: lab.guids.csv
        # file: lab.guids.csv
        host,hca,port,node_guid
        node-01,mlx5_0,1,0x9c63c00300a1b200

    Good:
        bindings: lab.guids.csv
        # file: lab.guids.csv
        host,hca,port,node_guid,port_guid,system_image_guid
        node-01,mlx5_0,1,0x9c63c00300a1b200,0x9c63c00300a1b200,0x9c63c00300a1b200
        node-02,mlx5_0,1,0x9c63c00300a1b300,0x9c63c00300a1b300,0x9c63c00300a1b300
    """,
)

BINDING_TWICE = declare(
    "IBG306",
    "binding-twice",
    Severity.ERROR,
    """Two rows bind the same port, or the same switch.

    After an adapter was swapped the old row goes: keep the one that is true.

    Bad:
        bindings: lab.guids.csv
        # file: lab.guids.csv
        host,hca,port,node_guid,port_guid,system_image_guid
        node-01,mlx5_0,1,0x9c63c00300a1b200,0x9c63c00300a1b200,0x9c63c00300a1b200
        node-01,mlx5_0,1,0x9c63c00300a1b300,0x9c63c00300a1b300,0x9c63c00300a1b300

    Good:
        bindings: lab.guids.csv
        # file: lab.guids.csv
        host,hca,port,node_guid,port_guid,system_image_guid
        node-01,mlx5_0,1,0x9c63c00300a1b200,0x9c63c00300a1b200,0x9c63c00300a1b200
        node-02,mlx5_0,1,0x9c63c00300a1b300,0x9c63c00300a1b300,0x9c63c00300a1b300
    """,
)

GUID_OF_GROUP = declare(
    "IBG307",
    "guid-of-a-group",
    Severity.ERROR,
    """A GUID in the bindings whose first octet is odd: the address of a group, not of a port.

    GUIDs are EUI-64: the lowest bit of the first octet is set for groups only (IEEE, guidelines for EUI-64). 0xffff... is what
    a failed read gives; other odd octets come from bytes in the wrong order.

    Bad:
        bindings: lab.guids.csv
        # file: lab.guids.csv
        host,hca,port,node_guid,port_guid,system_image_guid
        node-01,mlx5_0,1,0xffffffffffffffff,0xffffffffffffffff,0x9c63c00300a1b200

    Good:
        bindings: lab.guids.csv
        # file: lab.guids.csv
        host,hca,port,node_guid,port_guid,system_image_guid
        node-01,mlx5_0,1,0x9c63c00300a1b200,0x9c63c00300a1b200,0x9c63c00300a1b200
    """,
)
