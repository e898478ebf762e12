"""IBG221-IBG249: switches and topologies that cannot be built as written."""

from __future__ import annotations

from ibgen.diagnostics import Severity, declare

UNKNOWN_SWITCH = declare(
    "IBG221",
    "switch-unknown",
    Severity.ERROR,
    """No catalog row has the name given as a switch.

    Radix, rates and cages come from the model; ibgen never guesses one. Take a name of the catalog, or add a row of your
    own with `catalog: [our-hardware.yaml]`.

    Bad:
        fabrics:
          - name: compute
            topology: {leaf: {switch: qm970}}

    Good:
        fabrics:
          - name: compute
            topology: {leaf: {switch: qm9700}}
    """,
)

WRONG_SWITCH = declare(
    "IBG222",
    "switch-wrong-fabric",
    Severity.ERROR,
    """An Ethernet switch stands in an InfiniBand fabric, or the other way
    round.

    Bad:
        fabrics:
          - name: compute
            kind: roce

    Good:
        fabrics:
          - name: compute
            kind: infiniband
    """,
)

NO_SPINE = declare(
    "IBG223",
    "spine-missing",
    Severity.ERROR,
    """The hosts do not fit one switch, and no spine is given.

    Bad:
        fabrics:
          - name: second
            control: {kind: opensm, subnet_prefix: "0xfec0000000000002"}
            topology: {kind: fat-tree, unit: 2, units: 2, leaf: {switch: qm9700}, prefix: st}
            attach: [{pool: gpu, hcas: storage}]

    Good:
        fabrics:
          - name: second
            control: {kind: opensm, subnet_prefix: "0xfec0000000000002"}
            topology: {kind: fat-tree, unit: 2, units: 2, leaf: {switch: qm9700}, prefix: st, spine: {switch: qm9700}}
            attach: [{pool: gpu, hcas: storage}]
    """,
)

LEAF_PORTS = declare(
    "IBG224",
    "leaf-ports-exceeded",
    Severity.ERROR,
    """A leaf's downlinks and uplinks do not fit its ports.

    `downlinks` counts host ports (two per physical port where `split: 2`), `uplinks` counts ports toward spines. Together
    they take at most the radix; a leaf below spines needs at least one of each.

    Bad:
        fabrics:
          - name: compute
            topology: {leaf: {switch: qm9700, downlinks: 40, uplinks: 32}}

    Good:
        fabrics:
          - name: compute
            topology: {leaf: {switch: qm9700, downlinks: 32, uplinks: 32}}
    """,
)

NO_SPLIT = declare(
    "IBG225",
    "switch-cannot-split",
    Severity.ERROR,
    """`split: 2` is asked of a switch that has no such mode, or none that the catalog knows.

    Two-lane InfiniBand links exist from HDR on (HDR100, NDR200, XDR400), and the switch must have a profile for it. Where the
    catalog's row merely lacks the splits, state them in a file of your own, with their source: `switches: [{id: sn5600,
    override: true, splits: [{ways: 2, rate_gbps: 400, lanes: 4}], source: data sheet}]`.

    Bad:
        fabrics:
          - name: compute
            topology: {leaf: {switch: sb7800, split: 2, downlinks: 36, uplinks: 18}}

    Good:
        fabrics:
          - name: compute
            topology: {leaf: {switch: qm9700, split: 2, downlinks: 64, uplinks: 32}}
    """,
)

UNIT_SPLIT = declare(
    "IBG226",
    "unit-does-not-divide",
    Severity.ERROR,
    """The hosts of a unit cannot be spread evenly over leaves.

    A unit larger than a leaf is cut into equal parts, one leaf each (per rail). The parts must divide the unit, fit the
    leaf's downlinks, and hold whole NVLink domains: a domain that is cut in two loses the locality that it is bought for.

    Bad:
        pools:
          - {name: nvl, hosts: "gb[001-144]", platform: gb200-nvl72, domain: 18}
        fabrics:
          - name: nvl
            control: {kind: opensm, subnet_prefix: "0xfec0000000000003"}
            topology: {kind: fat-tree, unit: 32, leaf: {switch: qm9700}, spine: {switch: qm9700}, prefix: nvl}
            attach: [{pool: nvl, hcas: compute}]

    Good:
        pools:
          - {name: nvl, hosts: "gb[001-144]", platform: gb200-nvl72, domain: 18}
        fabrics:
          - name: nvl
            control: {kind: opensm, subnet_prefix: "0xfec0000000000003"}
            topology: {kind: fat-tree, unit: 144, leaf: {switch: qm9700}, spine: {switch: qm9700}, prefix: nvl}
            attach: [{pool: nvl, hcas: compute}]
    """,
)

LEAF_COUNT = declare(
    "IBG227",
    "leaf-count-impossible",
    Severity.ERROR,
    """The leaves given are too few for the hosts, or no whole number of
    units.

    Every unit has one leaf per rail (or one, with `rails: host`). A count that is given is kept, so it must be a multiple
    of that and reach the last host.

    Bad:
        fabrics:
          - name: compute
            topology: {leaf: {count: 1}}

    Good:
        fabrics:
          - name: compute
            topology: {leaf: {count: 2}}
    """,
)

SPINE_COUNT = declare(
    "IBG228",
    "spine-count-impossible",
    Severity.ERROR,
    """The spines given cannot take the leaves' uplinks.

    Too few: their ports do not suffice. Too many: more spines than a leaf has uplinks, so that two leaves may share no
    spine at all. In three tiers the count covers all pods and must be a multiple of them. Where there are more leaves than the
    hosts alone would take, it is said what added them: ports reserved beyond the last unit, or a unit larger than a leaf.

    Bad:
        fabrics:
          - name: compute
            topology: {leaf: {downlinks: 16, uplinks: 48}, spine: {count: 2}}

    Good:
        fabrics:
          - name: compute
            topology: {leaf: {downlinks: 16, uplinks: 48}, spine: {count: 3}}
    """,
)

TIERS = declare(
    "IBG229",
    "tiers-impossible",
    Severity.ERROR,
    """The fabric does not fit the number of tiers that is asked for, or no
    number of tiers at all.

    Two tiers reach as many leaves as a spine has ports; three tiers as many pods as a core has ports.

    Bad:
        fabrics:
          - name: compute
            topology: {tiers: 1}

    Good:
        fabrics:
          - name: compute
            topology: {tiers: 2}
    """,
)

POD = declare(
    "IBG230",
    "pod-impossible",
    Severity.ERROR,
    """A pod does not fit its spines.

    Every spine of a pod has a cable to every leaf of it and its remaining ports go up, so a pod has fewer leaves than a
    spine has ports. A unit is never cut by a pod.

    Bad:
        fabrics:
          - name: compute
            topology: {rails: aligned, unit: 32, units: 9, tiers: 3, pod: 9, spine: {count: 96}}

    Good:
        fabrics:
          - name: compute
            topology: {rails: aligned, unit: 32, units: 9, tiers: 3, pod: 4, spine: {count: 96}}
    """,
)

CORE_COUNT = declare(
    "IBG231",
    "core-count-impossible",
    Severity.ERROR,
    """The cores given cannot take the spines' uplinks.

    Bad:
        fabrics:
          - name: compute
            topology: {rails: aligned, unit: 32, units: 9, tiers: 3, spine: {count: 96}, core: {switch: qm9700, count: 16}}

    Good:
        fabrics:
          - name: compute
            topology: {rails: aligned, unit: 32, units: 9, tiers: 3, spine: {count: 96}, core: {switch: qm9700, count: 64}}
    """,
)

RESERVE = declare(
    "IBG232",
    "reserve-without-room",
    Severity.ERROR,
    """The ports that `reserve` keeps find no free slot, or an attachment
    asks for a reservation that does not exist.

    A reservation holds whole slots at the end of the last unit, or of the unit it names. Where the number of units is given
    and all their slots are taken there is no room: give one unit more, or leave a slot free.

    Bad:
        fabrics:
          - name: compute
            topology: {units: 2, leaf: {downlinks: 16, uplinks: 32}, reserve: {ufm: 4}}

    Good:
        fabrics:
          - name: compute
            topology: {units: 3, leaf: {downlinks: 16, uplinks: 32}, reserve: {ufm: 4}}
    """,
)

RESERVE_FULL = declare(
    "IBG233",
    "reserve-too-small",
    Severity.ERROR,
    """More adapters are attached to a reservation than ports are reserved.

    Bad:
        fabrics:
          - name: compute
            topology: {reserve: {ufm: 1}}

    Good:
        fabrics:
          - name: compute
            topology: {reserve: {ufm: 4}}
    """,
)

HOST_TOO_WIDE = declare(
    "IBG234",
    "host-wider-than-leaf",
    Severity.ERROR,
    """With `rails: host` all adapters of a host hang on one leaf, and a
    host has more of them than a leaf has downlinks.

    Bad:
        fabrics:
          - name: compute
            topology: {leaf: {downlinks: 4}}

    Good:
        fabrics:
          - name: compute
            topology: {leaf: {downlinks: 32}}
    """,
)

SWITCH_TWICE = declare(
    "IBG235",
    "switch-named-twice",
    Severity.ERROR,
    """Two switches have one name, or a switch is called like a host.

    Switch names are identities in node-name maps, GUID bindings and dumps. Two fabrics of one spec both have a `leaf-01`:
    give one of them a `prefix`.

    Bad:
        fabrics:
          - name: second
            control: {kind: opensm, subnet_prefix: "0xfec0000000000002"}
            topology: {kind: fat-tree, rails: host, tiers: 2, leaf: {switch: qm9700}, spine: {switch: qm9700}}
            attach: [{pool: gpu, hcas: storage}]

    Good:
        fabrics:
          - name: second
            control: {kind: opensm, subnet_prefix: "0xfec0000000000002"}
            topology: {kind: fat-tree, rails: host, tiers: 2, leaf: {switch: qm9700}, spine: {switch: qm9700}, prefix: b}
            attach: [{pool: gpu, hcas: storage}]
    """,
)

UNITS_DISAGREE = declare(
    "IBG242",
    "units-and-leaves-disagree",
    Severity.ERROR,
    """The units given and the leaves given disagree.

    `units` (or the hosts) say how many sets of leaves there are, `leaf.count` how many leaves. Give one of the two.

    Bad:
        fabrics:
          - name: compute
            topology: {units: 3, leaf: {count: 2}}

    Good:
        fabrics:
          - name: compute
            topology: {units: 3, leaf: {count: 3}}
    """,
)
