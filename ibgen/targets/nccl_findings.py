"""What deciding the communication library's values can find (IBG661 to IBG679)."""

from __future__ import annotations

from ibgen.diagnostics import Severity, declare

UNKNOWN_PARAMETER = declare(
    "IBG661",
    "nccl-unknown-parameter",
    Severity.ERROR,
    """A parameter that neither NCCL nor any of its plugins reads.

    NCCL takes any name from nccl.conf and says nothing: a misspelt one simply has no effect. Names are checked against
    the library itself (2.8 to 2.32) and its known plugins.

    Bad:
        nccl: {version: "2.27", pools: {gpu: {settings: {NCCL_MIN_CHANNELS: {value: 4, reason: tried}}}}}
    Good:
        nccl: {version: "2.27", pools: {gpu: {settings: {NCCL_CROSS_NIC: {value: 1, reason: measured}}}}}
    """,
)

PARAMETER_VERSION = declare(
    "IBG662",
    "nccl-parameter-version",
    Severity.ERROR,
    """A parameter that the declared NCCL version does not read: it came later, or is gone.

    An older library ignores it in silence, so the file would promise what does not happen. Raise `nccl.version` when every
    image has the newer library, or take the setting out.

    Bad:
        nccl: {version: "2.27", pools: {gpu: {settings: {NCCL_IB_OOO_RQ: {value: 1, reason: new fabric}}}}}
    Good:
        nccl: {version: "2.30", pools: {gpu: {settings: {NCCL_IB_OOO_RQ: {value: 1, reason: new fabric}}}}}
    """,
)

DEBUGGING_PARAMETER = declare(
    "IBG663",
    "nccl-debugging-parameter",
    Severity.WARNING,
    """A parameter of the debugging chapter stands in a file that stays.

    NCCL's guide keeps ALGO, PROTO, the *_DISABLE switches, QPS_PER_CONNECTION, BUFFSIZE and their like for experiments: they
    fix what the library would tune, and some are unsafe (forced LL128 can corrupt data). Set them for one job, or silence
    this with a reason: `# ibgen: ignore[IBG663] reason`.

    Bad:
        nccl: {version: "2.27", pools: {gpu: {settings: {NCCL_ALGO: {value: Ring, reason: tried}}}}}
    Good:
        nccl: {version: "2.27", pools: {gpu: {settings: {NCCL_IB_TIMEOUT: {value: 22, reason: large cluster}}}}}
    """,
)

PARAMETER_VALUE = declare(
    "IBG664",
    "nccl-parameter-value",
    Severity.ERROR,
    """A value the parameter cannot have.

    NCCL reads values verbatim: a number out of range, a wrong word, a number where a word belongs (GDR_LEVEL), a blank
    at either end or a list with blanks is taken as something else, mostly in silence.

    Bad:
        nccl: {version: "2.27", pools: {gpu: {settings: {NCCL_IB_TIMEOUT: {value: 40, reason: large cluster}}}}}
    Good:
        nccl: {version: "2.27", pools: {gpu: {settings: {NCCL_IB_TIMEOUT: {value: 22, reason: large cluster}}}}}
    """,
)

PARAMETER_IS_DEFAULT = declare(
    "IBG665",
    "nccl-parameter-is-default",
    Severity.NOTE,
    """A setting says what the declared version does anyway.

    Settings copied from old recipes outlive their reason and then pin a later library to yesterday's default (oci-hpc
    pull request 48: 370 against 390 GB/s). Take it out.

    Bad:
        nccl: {version: "2.27", pools: {gpu: {settings: {NCCL_IB_TIMEOUT: {value: 20, reason: an old recipe}}}}}
    Good:
        nccl: {version: "2.27", pools: {gpu: {settings: {NCCL_IB_TIMEOUT: {value: 22, reason: large cluster}}}}}
    """,
)

HCA_LIST = declare(
    "IBG666",
    "nccl-hca-list",
    Severity.ERROR,
    """A hand-written NCCL_IB_HCA selects other adapters than the compute ports of the host.

    Without `=` names are prefixes (`mlx5_1` takes mlx5_10 too), a second `^=` and everything behind a blank is lost, and a
    storage adapter in the list carries training traffic. ibgen writes the list from the fabric: take the setting out, or
    make it select the compute ports and nothing else.

    Bad:
        nccl: {version: "2.27", pools: {gpu: {settings: {NCCL_IB_HCA: {value: mlx5_1, reason: copied}}}}}
    Good:
        nccl: {version: "2.27", pools: {gpu: {}}}
    """,
)

TOO_MANY_HCAS = declare(
    "IBG667",
    "nccl-too-many-hcas",
    Severity.ERROR,
    """More compute ports than NCCL_IB_HCA can name: 32.

    NCCL drops the rest in silence. Attach fewer adapters, or give the others another role.

    Bad:
        pools:
          - name: wide
            hosts: "wide-[1-2]"
            platform:
              kind: generic
              gpu: H100-SXM
              gpus: 8
              hcas:
                - {name: mlx5_0, rate: 100G, ports: 8}
                - {name: mlx5_1, rate: 100G, ports: 8}
                - {name: mlx5_2, rate: 100G, ports: 8}
                - {name: mlx5_3, rate: 100G, ports: 8}
                - {name: mlx5_4, rate: 100G, ports: 8}
        fabrics:
          - name: second
            control: {kind: opensm, routing: [updn], subnet_prefix: "0xfec0000000000002"}
            topology:
              kind: fat-tree
              prefix: w
              rails: host
              unit: 2
              planes: 8
              leaf: {switch: qm9700}
            attach: [{pool: wide, hcas: compute}]
    Good:
        nccl: {version: "2.27"}
    """,
)

INTERFACE_TWICE = declare(
    "IBG668",
    "nccl-interface-twice",
    Severity.ERROR,
    """`socket_interface` and a NCCL_SOCKET_IFNAME setting both say which interface the bootstrap uses.

    Keep one of them. `socket_interface: bond0` is written `=bond0`, an exact match.

    Bad:
        nccl:
          version: "2.27"
          pools: {gpu: {socket_interface: bond0, settings: {NCCL_SOCKET_IFNAME: {value: eth0, reason: old image}}}}
    Good:
        nccl: {version: "2.27", pools: {gpu: {socket_interface: bond0}}}
    """,
)

WITHOUT_EFFECT = declare(
    "IBG669",
    "nccl-setting-without-effect",
    Severity.WARNING,
    """An NCCL_IB_ setting for hosts whose network is run by another plugin.

    On EFA the aws-ofi-nccl plugin carries the traffic and reads none of NCCL_IB_*. Take the setting out.

    Bad:
        pools: [{name: aws, hosts: "p5-[1-2]", platform: aws/p5.48xlarge}]
        fabrics: [{name: efa, kind: efa, control: {kind: provider}, topology: {kind: opaque}, attach: [{pool: aws}]}]
        nccl: {version: "2.27", pools: {aws: {settings: {NCCL_IB_TIMEOUT: {value: 22, reason: large cluster}}}}}
    Good:
        pools: [{name: aws, hosts: "p5-[1-2]", platform: aws/p5.48xlarge}]
        fabrics: [{name: efa, kind: efa, control: {kind: provider}, topology: {kind: opaque}, attach: [{pool: aws}]}]
        nccl: {version: "2.27"}
    """,
)

MIXED_PLANES = declare(
    "IBG670",
    "nccl-mixed-planes",
    Severity.WARNING,
    """An NCCL that connects a port of one plane to a port of another, where no cable is.

    From 2.30.5 on the library is told the plane of each port and never connects two planes. From 2.20 on it makes one device
    of the two ports of a card, port by port, so that each half stays on its plane, as long as NCCL_IB_MERGE_NICS is not 0 and
    every host has all its ports. Older ones see devices of their own, and NCCL_CROSS_NIC=0 does not part them: it compares
    card and port number, which are the same for both ports of a newer adapter (NVIDIA/nccl#2097). Such a connection times
    out with error 12 or errno 110.

    Bad:
        pools:
          - name: wide
            hosts: "wide-[1-2]"
            platform:
              kind: generic
              gpu: H100-SXM
              gpus: 1
              hcas: [{name: mlx5_0, rate: 200G, gpu: 0}, {name: mlx5_1, rate: 200G, gpu: 0}]
        fabrics:
          - name: second
            control: {kind: opensm, routing: [updn], subnet_prefix: "0xfec0000000000002"}
            topology: {kind: fat-tree, prefix: w, unit: 2, planes: 2, leaf: {switch: qm8700}}
            attach:
              - {pool: wide, hcas: [mlx5_0], ports: {1: plane-a}}
              - {pool: wide, hcas: [mlx5_1], ports: {1: plane-b}}
        nccl: {version: "2.18"}
    Good:
        pools:
          - name: wide
            hosts: "wide-[1-2]"
            platform:
              kind: generic
              gpu: H100-SXM
              gpus: 1
              hcas: [{name: mlx5_0, rate: 200G, gpu: 0}, {name: mlx5_1, rate: 200G, gpu: 0}]
        fabrics:
          - name: second
            control: {kind: opensm, routing: [updn], subnet_prefix: "0xfec0000000000002"}
            topology: {kind: fat-tree, prefix: w, unit: 2, planes: 2, leaf: {switch: qm8700}}
            attach:
              - {pool: wide, hcas: [mlx5_0], ports: {1: plane-a}}
              - {pool: wide, hcas: [mlx5_1], ports: {1: plane-b}}
        nccl: {version: "2.30.7"}
    """,
)

HALF_RAIL = declare(
    "IBG671",
    "nccl-half-rail",
    Severity.WARNING,
    """A host that has lost its port on one plane of a rail, where NCCL merges the ports of a rail into one device.

    NCCL pairs merged ports by their order. A host with one port left answers on it for both: the first port of its peer is on
    the other plane, from which no cable leads there, and the connection times out with error 12. Take the second port of
    the rail out of service as well until the first is back; the rail's GPUs then use the other rails.

    Bad:
        pools:
          - name: wide
            hosts: "wide-[1-3]"
            platform:
              kind: generic
              gpu: H100-SXM
              gpus: 1
              hcas: [{name: mlx5_0, rate: 200G, gpu: 0}, {name: mlx5_1, rate: 200G, gpu: 0}]
            exceptions: [{hosts: wide-3, hcas: {mlx5_1: down}}]
        fabrics:
          - name: second
            control: {kind: opensm, routing: [updn], subnet_prefix: "0xfec0000000000002"}
            topology: {kind: fat-tree, prefix: w, unit: 3, planes: 2, leaf: {switch: qm8700}}
            attach:
              - {pool: wide, hcas: [mlx5_0], ports: {1: plane-a}}
              - {pool: wide, hcas: [mlx5_1], ports: {1: plane-b}}
        nccl: {version: "2.30.7"}
    Good:
        pools:
          - name: wide
            hosts: "wide-[1-3]"
            platform:
              kind: generic
              gpu: H100-SXM
              gpus: 1
              hcas: [{name: mlx5_0, rate: 200G, gpu: 0}, {name: mlx5_1, rate: 200G, gpu: 0}]
            exceptions: [{hosts: wide-3, hcas: {mlx5_0: down, mlx5_1: down}}]
        fabrics:
          - name: second
            control: {kind: opensm, routing: [updn], subnet_prefix: "0xfec0000000000002"}
            topology: {kind: fat-tree, prefix: w, unit: 3, planes: 2, leaf: {switch: qm8700}}
            attach:
              - {pool: wide, hcas: [mlx5_0], ports: {1: plane-a}}
              - {pool: wide, hcas: [mlx5_1], ports: {1: plane-b}}
        nccl: {version: "2.30.7"}
    """,
)
