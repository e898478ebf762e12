"""What deciding the scheduler's values can find (IBG641 to IBG659)."""

from __future__ import annotations

from ibgen.diagnostics import Severity, declare

PLUGIN_VERSION = declare(
    "IBG641",
    "slurm-plugin-version",
    Severity.ERROR,
    """The topology plugin asked for is not in the declared Slurm version.

    slurmctld dies at start with `Failed to initialize topology plugin`. `topology/block` came with 23.11. Raise
    `slurm.version`, or ask for `tree` (or `auto`, which follows the version).

    Bad:
        slurm: {version: "23.02", topology: block}
        pools: [{name: gpu, domain: 2}]
    Good:
        slurm: {version: "23.11", topology: block}
        pools: [{name: gpu, domain: 2}]
    """,
)

BLOCK_WITHOUT_DOMAIN = declare(
    "IBG642",
    "slurm-block-without-domain",
    Severity.ERROR,
    """`topology: block` where a schedulable pool says nothing of its NVLink domains.

    A node in no block never runs a job under `topology/block` (`Blocks lack access to 4 nodes`). Give each schedulable
    pool its `domain`, or use `tree`.

    Bad:
        slurm: {version: "24.11", topology: block}
    Good:
        slurm: {version: "24.11", topology: block}
        pools: [{name: gpu, domain: 2}]
    """,
)

FABRIC_WITHOUT_COMPUTE = declare(
    "IBG643",
    "slurm-fabric-without-compute",
    Severity.ERROR,
    """`slurm.fabric` names a fabric that no compute adapter of a schedulable host is attached to.

    The topology Slurm is told must be the one the jobs' traffic crosses: a storage fabric would put every node under
    one leaf. Leave the key out, or name the compute fabric.

    Bad:
        slurm: {version: "24.11", fabric: provider}
        fabrics: [{name: provider, control: {kind: provider}, topology: {kind: opaque}}]
    Good:
        slurm: {version: "24.11", fabric: compute}
    """,
)

FABRIC_AMBIGUOUS = declare(
    "IBG644",
    "slurm-fabric-ambiguous",
    Severity.ERROR,
    """A host has compute adapters on two fabrics, and the spec does not say which of them Slurm shall follow.

    A node stands in exactly one leaf of Slurm's tree; in two it is multi-homed, and `--switches=1` is refused although
    the hosts share a switch. Say `slurm: {fabric: ...}`.

    Bad:
        slurm: {version: "24.11"}
        fabrics:
          - {name: second, control: {kind: provider}, topology: {kind: opaque}, attach: [{pool: gpu}]}
    Good:
        slurm: {version: "24.11", fabric: compute}
        fabrics:
          - {name: second, control: {kind: provider}, topology: {kind: opaque}, attach: [{pool: gpu}]}
    """,
)

CPUS_UNKNOWN = declare(
    "IBG645",
    "slurm-cpus-unknown",
    Severity.WARNING,
    """The catalog does not know the processors or the memory of a schedulable platform.

    A `NodeName` without them is a node of one CPU and 1 MB: jobs that ask for more are refused there. Run `slurmd -C` on
    such a host and put what it prints into your own catalog file, or use an inline platform.

    Bad:
        slurm: {version: "24.11"}
        pools: [{name: vm, hosts: "vm-[1-2]", platform: crusoe/MI355X.8x}]
    Good:
        slurm: {version: "24.11"}
        pools:
          - name: vm
            hosts: "vm-[1-2]"
            platform: {kind: generic, sockets: 2, cores: 64, memory_mb: 512000, hcas: [{name: mlx5_0, rate: 200G}]}
    """,
)

SWITCH_NAME = declare(
    "IBG646",
    "slurm-switch-name",
    Severity.ERROR,
    """A name in Slurm's topology is one that Slurm rewrites, refuses or confuses.

    From 25.11 a switch name must be shorter than 64 characters. In every version the digits that end a name are read as
    one 64-bit number: longer tails are rewritten in silence and end in `has invalid child`. Names that differ only in
    case, or stand for two switches, are one name to a human. The name comes from the fabric, its `prefix` or the cloud
    entry: shorten it, or end it in a letter.

    Bad:
        slurm: {version: "24.11"}
        pools: [{name: burst, hosts: "vm-[1-2]", platform: dgx-h100}]
        fabrics:
          - {name: rack-20240131123456789012, control: {kind: provider}, topology: {kind: opaque}, attach: [{pool: burst}]}
    Good:
        slurm: {version: "24.11"}
        pools: [{name: burst, hosts: "vm-[1-2]", platform: dgx-h100}]
        fabrics:
          - {name: rack-a, control: {kind: provider}, topology: {kind: opaque}, attach: [{pool: burst}]}
    """,
)

PARTITION_EMPTY = declare(
    "IBG647",
    "slurm-partition-empty",
    Severity.ERROR,
    """A Slurm partition holds no node, or names hosts that Slurm does not know.

    Hosts of a pool with `schedulable: false` are not in slurm.conf; slurmctld is fatal on a partition that names one
    (`invalid node`). `pools` and `hosts` of a partition narrow each other.

    Bad:
        slurm: {version: "24.11", partitions: [{name: train, pools: [spare]}]}
        pools: [{name: spare, hosts: "spare-[1-2]", platform: dgx-h100, schedulable: false}]
    Good:
        slurm: {version: "24.11", partitions: [{name: train, pools: [spare]}]}
        pools: [{name: spare, hosts: "spare-[1-2]", platform: dgx-h100}]
    """,
)

SEVERAL_DEFAULTS = declare(
    "IBG648",
    "slurm-several-defaults",
    Severity.ERROR,
    """Two Slurm partitions are the default one.

    Slurm takes the last and says so only in its log. Mark one.

    Bad:
        slurm: {version: "24.11", partitions: [{name: train, default: true}, {name: debug, default: true}]}
    Good:
        slurm: {version: "24.11", partitions: [{name: train, default: true}, {name: debug}]}
    """,
)

FEATURE_WORD = declare(
    "IBG649",
    "slurm-feature-word",
    Severity.ERROR,
    """A feature that is not one word.

    A blank ends the value in slurm.conf and the rest becomes another key of the node; `&`, `|`, `*`, `[` and `(` are
    operators of `--constraint`. Use letters, digits, `_`, `-`, `.` and `:`.

    Bad:
        slurm: {version: "24.11", features: ["ib State=DOWN"]}
    Good:
        slurm: {version: "24.11", features: [ib]}
    """,
)

TOO_MANY_SWITCHES = declare(
    "IBG650",
    "slurm-too-many-switches",
    Severity.WARNING,
    """Slurm's tree has so many switches that slurmctld freezes at every start and reconfigure.

    It computes a distance for each triple of switches: 1,057 switches took 6 to 20 s, 2,081 took 76 to 149 s (measured,
    22.05 and 25.11). Above 2,000 it is an error. Make units larger (`unit`), or use `topology: none`.

    Bad:
        ibgen: 1
        cluster: many
        pools: [{name: gpu, hosts: "n[0001-1100]", platform: dgx-h100}]
        fabrics:
          - name: compute
            control: {kind: opensm, routing: [updn]}
            topology: {kind: fat-tree, unit: 1, leaf: {switch: qm9700, downlinks: 1, uplinks: 1}, spine: {switch: qm9700}}
            attach: [{pool: gpu, hcas: [mlx5_0]}]
        slurm: {version: "24.11"}
    Good:
        slurm: {version: "24.11"}
    """,
)

TOO_MANY_NODES = declare(
    "IBG651",
    "slurm-too-many-nodes",
    Severity.ERROR,
    """More nodes than one Slurm cluster can hold: 65,536.

    slurmctld is fatal at one more (measured). Split the cluster, or mark pools `schedulable: false`.

    Bad:
        slurm: {version: "24.11"}
        pools:
          - {name: a, hosts: "a[00001-60000]", platform: dgx-h100}
          - {name: b, hosts: "b[00001-10000]", platform: dgx-h100}
    Good:
        slurm: {version: "24.11"}
        pools:
          - {name: a, hosts: "a[00001-60000]", platform: dgx-h100}
          - {name: b, hosts: "b[00001-10000]", platform: dgx-h100, schedulable: false}
    """,
)

MIXED_TOPOLOGY = declare(
    "IBG652",
    "slurm-mixed-topology",
    Severity.NOTE,
    """Some schedulable pools have NVLink domains and some have none: `auto` wrote a tree for all of them.

    One topology.conf holds either blocks or switches. In a tree, jobs are packed by scalable unit, and nothing keeps a
    job inside one NVLink domain: use `--constraint` with the unit's feature. `topology: tree` silences this note.

    Bad:
        slurm: {version: "24.11"}
        pools:
          - {name: gpu, domain: 2}
          - {name: cpu, hosts: "cpu-[1-2]", platform: dgx-h100}
    Good:
        slurm: {version: "24.11", topology: tree}
        pools:
          - {name: gpu, domain: 2}
          - {name: cpu, hosts: "cpu-[1-2]", platform: dgx-h100}
    """,
)
