"""Codes raised while it is decided what the subnet manager will be told."""

from __future__ import annotations

from ibgen.diagnostics import Severity, declare

MANAGER_HOST_WITHOUT_PORT = declare(
    "IBG351",
    "manager-host-without-port",
    Severity.ERROR,
    """A host named in `control.hosts` has no port on the subnet it should manage.

    OpenSM has to be told the GUID of the port it works through: left alone it takes the first port that it finds, which on a
    host with several adapters may be another fabric's, or an Ethernet one. Attach the host's pool to the fabric
    (`at: reserved` keeps it out of the compute slots), or name a host that is attached.

    Bad:
        pools: [{name: login, hosts: "login-[1-2]", platform: dgx-h100}]
        fabrics:
          - name: compute
            control: {hosts: [login-1]}
    Good:
        fabrics:
          - name: compute
            control: {hosts: []}
    """,
)

MANAGER_OPTION = declare(
    "IBG352",
    "manager-option",
    Severity.ERROR,
    """An option under `control.options` is none of the manager's, or its value is one the manager would not read.

    OpenSM answers an unknown option and a value out of range with one line on stdout, keeps the default and exits 0; a boolean
    that is anything but `TRUE` is false, and it does not say so. ibgen knows every option of upstream's manager by name, type
    and range, and NVIDIA's by name. `true` and `yes` are written as OpenSM's `TRUE`.

    Bad:
        fabrics:
          - name: compute
            control: {options: {sweep_intervall: "30"}}
    Good:
        fabrics:
          - name: compute
            control: {options: {sweep_interval: "30"}}
    """,
)

MANAGER_SECRET = declare(
    "IBG353",
    "manager-secret",
    Severity.ERROR,
    """A management key stands in the spec.

    Whoever has the M_Key, SM_Key or SA_Key can take over the subnet; the spec and the tree live in Git. Keys are set on the
    manager's host.

    Bad:
        fabrics:
          - name: compute
            control: {options: {m_key: "0x1122334455667788"}}
    Good:
        fabrics:
          - name: compute
            control: {options: {m_key_protection_level: "2"}}
    """,
)

BROADCAST_RATE = declare(
    "IBG354",
    "broadcast-rate-above-member",
    Severity.WARNING,
    """A partition's IPoIB rate is above the rate of its slowest member.

    A port cannot join a multicast group that is faster than its own link: IPoIB on that host stays without carrier. Leave
    `rate` out and the slowest member's is written; until then ibgen writes that one.

    Bad:
        fabrics:
          - name: compute
            partitions:
              - {name: default, pkey: 0x7fff, ipoib: {rate: 800G}, members: [{pool: gpu, membership: full}]}
    Good:
        fabrics:
          - name: compute
            partitions:
              - {name: default, pkey: 0x7fff, ipoib: {mtu: 4096}, members: [{pool: gpu, membership: full}]}
    """,
)

BROADCAST_MTU = declare(
    "IBG355",
    "broadcast-mtu",
    Severity.ERROR,
    """A partition's IPoIB MTU is no InfiniBand MTU.

    OpenSM answers a size it does not know with `parameters are not realizable` and makes the partition without its broadcast
    group: IPoIB stays without carrier. InfiniBand has 256, 512, 1024, 2048 and 4096 bytes; 9000 is Ethernet's, and the MTU
    that `ip link` shows for IPoIB in datagram mode is 4 less (4092).

    Bad:
        fabrics:
          - name: compute
            partitions:
              - {name: default, pkey: 0x7fff, ipoib: {mtu: 9000}, members: [{pool: gpu, membership: full}]}
    Good:
        fabrics:
          - name: compute
            partitions:
              - {name: default, pkey: 0x7fff, ipoib: {mtu: 4096}, members: [{pool: gpu, membership: full}]}
    """,
)
