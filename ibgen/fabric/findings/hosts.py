"""IBG101-IBG119: hosts, platforms, HCAs, slots, and what is attached to a fabric."""

from __future__ import annotations

from ibgen.diagnostics import Severity, declare

SLOTS_UNCLEAR = declare(
    "IBG101",
    "slots-unclear",
    Severity.ERROR,
    """The numbers in a pool's hosts do not give each host a slot of its own.

    A host's slot, and with it its unit and its port, is its place in the written range. `n[1,01]` gives one number to two
    hosts, and `n[1001-1018,90001]` spans more slots than a cluster can have: write one item per run of numbers.

    Bad:
        pools:
          - {name: spare, hosts: "spare-[1,01]", platform: dgx-h100}

    Good:
        pools:
          - {name: spare, hosts: "spare-[01-02]", platform: dgx-h100}
    """,
)

UNKNOWN_PLATFORM = declare(
    "IBG102",
    "platform-unknown",
    Severity.ERROR,
    """No catalog row has the name given as a pool's platform.

    GPUs, HCAs and PCIe places come from the platform; ibgen never guesses one. Take a name of the catalog, describe the
    host inline (`platform: {kind: generic, hcas: [...]}`), or add a row of your own with `catalog: [our-hardware.yaml]`.

    Bad:
        pools:
          - {name: gpu, platform: dgx-h1000}

    Good:
        pools:
          - {name: gpu, platform: dgx-h100}
    """,
)

BAD_PLATFORM = declare(
    "IBG103",
    "platform-contradicts-itself",
    Severity.ERROR,
    """The parts of an inline platform do not fit together.

    A device listed twice, an adapter paired with a GPU the host does not have, or GPUs without a model: what would be
    generated from it could not be right.

    Bad:
        pools:
          - name: login
            hosts: login-01
            platform: {kind: generic, hcas: [{name: mlx5_0, rate: 400G}, {name: mlx5_0, rate: 400G}]}

    Good:
        pools:
          - name: login
            hosts: login-01
            platform: {kind: generic, hcas: [{name: mlx5_0, rate: 400G}, {name: mlx5_1, rate: 400G}]}
    """,
)

UNKNOWN_HCA = declare(
    "IBG105",
    "hca-unknown",
    Severity.ERROR,
    """A device is named that the pool's platform does not have.

    Device names are those of the platform (`ibgen show platform` or the catalog lists them), not PCI addresses or interface
    names.

    Bad:
        pools:
          - name: gpu
            exceptions: [{hosts: node-02, hcas: {mlx5_77: down}}]

    Good:
        pools:
          - name: gpu
            exceptions: [{hosts: node-02, hcas: {mlx5_0: down}}]
    """,
)

NOT_IN_POOL = declare(
    "IBG106",
    "host-of-another-pool",
    Severity.ERROR,
    """An exception or a pinned slot names a host that belongs to another
    pool.

    Bad:
        pools:
          - name: gpu
            exceptions: [{hosts: ufm-01, state: down}]

    Good:
        pools:
          - name: service
            exceptions: [{hosts: ufm-01, state: down}]
    """,
)

SLOT_TWICE = declare(
    "IBG107",
    "slot-taken-twice",
    Severity.ERROR,
    """Two hosts stand on one slot of a fabric.

    A host's slot is its place in the written range of its pool, and the slot decides its unit and its leaf port. Two pools
    on one fabric that both count from 1 meet. Managers, storage and other service hosts belong beside the slots: keep ports for
    them with `reserve: {sm: 2}` in the topology, and attach the pool with `at: reserved`. Give a second pool of compute hosts
    units of its own (`units: [2]`) or pin its hosts (`slots: {login-01: 5}`).

    Bad:
        pools:
          - {name: login, hosts: login-01, platform: dgx-h100}
        fabrics:
          - name: compute
            attach: [{pool: gpu, hcas: compute}, {pool: login, hcas: compute}]

    Good:
        pools:
          - {name: login, hosts: login-01, platform: dgx-h100, slots: {login-01: 5}}
        fabrics:
          - name: compute
            attach: [{pool: gpu, hcas: compute}, {pool: login, hcas: compute}]
    """,
)

SLOT_OUTSIDE = declare(
    "IBG108",
    "slot-outside-units",
    Severity.ERROR,
    """A host's slot lies beyond the units that the pool or the fabric has.

    `units:` of a pool lists the units its slots fill, `units:` of a topology says how many are built. Add a unit, or move
    the host to a free slot.

    Bad:
        fabrics:
          - name: compute
            topology: {units: 1}

    Good:
        fabrics:
          - name: compute
            topology: {units: 2}
    """,
)

PORT_TWICE = declare(
    "IBG109",
    "hca-attached-twice",
    Severity.ERROR,
    """One port of an HCA is attached twice: to two fabrics, or twice to
    one.

    A port takes one cable. Compute and storage fabrics on the same hosts use different adapters: attach them by role or by
    name.

    Bad:
        fabrics:
          - name: compute
            attach: [{pool: gpu, hcas: compute}, {pool: gpu, hcas: [mlx5_0]}]

    Good:
        fabrics:
          - name: compute
            attach: [{pool: gpu, hcas: compute}]
    """,
)

WRONG_LINK = declare(
    "IBG110",
    "hca-wrong-link-kind",
    Severity.ERROR,
    """An adapter that is no InfiniBand device is attached to an InfiniBand
    fabric.

    EFA, gVNIC and Ethernet ports cannot be plugged into an InfiniBand switch. Attach the adapters by name or by another
    role, or say `kind: roce` or `kind: efa` for the fabric.

    Bad:
        pools:
          - {name: aws, hosts: "aws-[01-02]", platform: aws/p5.48xlarge}
        fabrics:
          - name: second
            kind: infiniband
            control: {kind: opensm, routing: [ftree], subnet_prefix: "0xfec0000000000002"}
            topology: {kind: fat-tree, rails: host, leaf: {switch: qm9700}, spine: {switch: qm9700}, prefix: b}
            attach: [{pool: aws, hcas: compute}]

    Good:
        pools:
          - {name: aws, hosts: "aws-[01-02]", platform: aws/p5.48xlarge}
        fabrics:
          - name: second
            kind: efa
            control: {kind: provider}
            topology: {kind: opaque}
            attach: [{pool: aws, hcas: compute}]
    """,
)

NO_SUCH_PORT = declare(
    "IBG111",
    "hca-port-missing",
    Severity.ERROR,
    """A card has no such port, or the plane named for a port does not exist.

    A fabric with several planes takes port p of every card on plane p unless `ports:` says otherwise; planes are called
    `plane-a`, `plane-b` or `plane-1`, `plane-2`. Cards with one port can be on one plane only.

    Bad:
        fabrics:
          - name: compute
            attach: [{pool: gpu, hcas: compute, ports: {2: plane-a}}]

    Good:
        fabrics:
          - name: compute
            attach: [{pool: gpu, hcas: compute, ports: {1: plane-a}}]
    """,
)

NOTHING_ATTACHED = declare(
    "IBG112",
    "nothing-attached",
    Severity.ERROR,
    """A fabric, or a plane of it, has no endpoint: nothing is attached, or no adapter of the attached pool has the role.

    How many leaves a unit has follows from the adapters of a host; without any there is nothing to plan. A plane that nothing
    is attached to, because all entries of `attach` name the other one, is a set of switches for nothing.

    Bad:
        pools:
          - {name: login, hosts: login-01, platform: {kind: generic, hcas: [{name: mlx5_0, rate: 400G, role: management}]}}
        fabrics:
          - name: compute
            attach: [{pool: gpu, hcas: compute}, {pool: login, hcas: storage}]

    Good:
        pools:
          - {name: login, hosts: login-01, platform: {kind: generic, hcas: [{name: mlx5_0, rate: 400G, role: management}]}}
        fabrics:
          - name: compute
            attach: [{pool: gpu, hcas: compute}]
    """,
)
