"""IBG104 and IBG243-IBG248: shapes without a common top that cannot be built as written."""

from __future__ import annotations

from ibgen.diagnostics import Severity, declare

RAILS_DISAGREE = declare(
    "IBG104",
    "rails-disagree",
    Severity.ERROR,
    """The rails given are not the ports that a host has on the fabric.

    A rail-only fabric has one leaf per attached port of a host, so the widest host says how many rails there are. Leave
    `rails` out, or attach the adapters that are missing.

    Bad:
        fabrics:
          - name: rails
            control: {kind: opensm, subnet_prefix: "0xfec0000000000010"}
            topology: {kind: rail-only, rails: 4, unit: 4, leaf: {switch: qm9700}, prefix: b}
            attach: [{pool: gpu, hcas: storage}]

    Good:
        fabrics:
          - name: rails
            control: {kind: opensm, subnet_prefix: "0xfec0000000000010"}
            topology: {kind: rail-only, rails: 2, unit: 4, leaf: {switch: qm9700}, prefix: b}
            attach: [{pool: gpu, hcas: storage}]
    """,
)

ROUTER_PORTS = declare(
    "IBG243",
    "router-ports-exceeded",
    Severity.ERROR,
    """A dragonfly router needs more ports than it has.

    A router has p ports for hosts, a - 1 for the other routers of its group and h for other groups: p + a - 1 + h ports.
    Kim et al. balance them as a = 2p = 2h.

    Bad:
        fabrics:
          - name: flies
            control: {kind: opensm, subnet_prefix: "0xfec0000000000010"}
            topology: {kind: dragonfly, switch: qm8700, a: 24, p: 12, h: 12, groups: 3}
            attach: [{pool: gpu, hcas: storage}]

    Good:
        fabrics:
          - name: flies
            control: {kind: opensm, subnet_prefix: "0xfec0000000000010"}
            topology: {kind: dragonfly, switch: qm8700, a: 20, p: 10, h: 10, groups: 3}
            attach: [{pool: gpu, hcas: storage}]
    """,
)

TOO_MANY_GROUPS = declare(
    "IBG244",
    "too-many-groups",
    Severity.ERROR,
    """A group has too few ports to reach every other group.

    Every two groups are joined, by `links` cables where that is given and by one at least. A dragonfly group has a x h
    ports for it, a dragonfly+ group those of its spines.

    Bad:
        fabrics:
          - name: flies
            control: {kind: opensm, subnet_prefix: "0xfec0000000000010"}
            topology: {kind: dragonfly, switch: qm8700, a: 4, p: 2, h: 2, groups: 10}
            attach: [{pool: gpu, hcas: storage}]

    Good:
        fabrics:
          - name: flies
            control: {kind: opensm, subnet_prefix: "0xfec0000000000010"}
            topology: {kind: dragonfly, switch: qm8700, a: 4, p: 2, h: 2, groups: 9}
            attach: [{pool: gpu, hcas: storage}]
    """,
)

GROUP_RAILS = declare(
    "IBG245",
    "rails-do-not-fit-group",
    Severity.ERROR,
    """The rails of a host cannot be shared evenly by the leaves of a group.

    With `rails: aligned` every rail has the same number of leaves (of routers, in a dragonfly) in a group, so their number
    is a multiple of the ports that a host has on the fabric.

    Bad:
        fabrics:
          - name: flies
            control: {kind: opensm, subnet_prefix: "0xfec0000000000010"}
            topology: {kind: dragonfly, switch: qm8700, a: 5, p: 2, h: 2, groups: 3, rails: aligned}
            attach: [{pool: gpu, hcas: storage}]

    Good:
        fabrics:
          - name: flies
            control: {kind: opensm, subnet_prefix: "0xfec0000000000010"}
            topology: {kind: dragonfly, switch: qm8700, a: 6, p: 2, h: 2, groups: 3, rails: aligned}
            attach: [{pool: gpu, hcas: storage}]
    """,
)

GROUP_HOSTS = declare(
    "IBG246",
    "host-does-not-fit-group",
    Severity.ERROR,
    """A host, or an NVLink domain, has more ports than the leaf or router it is to plug into.

    With `rails: host` all ports of a host hang on one leaf; with `rails: aligned` one port of each host of an NVLink domain
    does. Give the leaf more host ports (`p` in a dragonfly), or take `rails: aligned`.

    Bad:
        fabrics:
          - name: flies
            control: {kind: opensm, subnet_prefix: "0xfec0000000000010"}
            topology: {kind: dragonfly, switch: qm8700, a: 4, p: 1, h: 2, groups: 3}
            attach: [{pool: gpu, hcas: storage}]

    Good:
        fabrics:
          - name: flies
            control: {kind: opensm, subnet_prefix: "0xfec0000000000010"}
            topology: {kind: dragonfly, switch: qm8700, a: 4, p: 2, h: 2, groups: 3}
            attach: [{pool: gpu, hcas: storage}]
    """,
)

GROUP_SPINES = declare(
    "IBG247",
    "group-spines-impossible",
    Severity.ERROR,
    """The spines of a dragonfly+ group cannot take its leaves' uplinks.

    A spine of a group has a cable to every leaf of it; what is left of its ports goes to other groups. Too few spines have
    too few ports; more spines than a leaf has uplinks leave some leaf without a way to some spine.

    Bad:
        fabrics:
          - name: flies
            control: {kind: opensm, subnet_prefix: "0xfec0000000000010"}
            topology:
              kind: dragonfly-plus
              groups: 2
              leaf: {switch: qm9700, downlinks: 32, count: 8}
              spine: {switch: qm9700, count: 4}
            attach: [{pool: gpu, hcas: storage}]

    Good:
        fabrics:
          - name: flies
            control: {kind: opensm, subnet_prefix: "0xfec0000000000010"}
            topology:
              kind: dragonfly-plus
              groups: 2
              leaf: {switch: qm9700, downlinks: 32, count: 8}
              spine: {switch: qm9700, count: 8}
            attach: [{pool: gpu, hcas: storage}]
    """,
)

UNIT_TOO_LARGE = declare(
    "IBG248",
    "unit-larger-than-rail-leaf",
    Severity.ERROR,
    """A unit of a rail-only fabric has more hosts than a leaf has ports.

    There is nothing above a leaf, so a second leaf of the same rail would be cut off from the first. Make the unit smaller,
    take a switch with more ports, or join the rails by spines (`kind: fat-tree`).

    Bad:
        fabrics:
          - name: rails
            control: {kind: opensm, subnet_prefix: "0xfec0000000000010"}
            topology: {kind: rail-only, unit: 65, leaf: {switch: qm9700}, prefix: b}
            attach: [{pool: gpu, hcas: storage}]

    Good:
        fabrics:
          - name: rails
            control: {kind: opensm, subnet_prefix: "0xfec0000000000010"}
            topology: {kind: rail-only, unit: 64, leaf: {switch: qm9700}, prefix: b}
            attach: [{pool: gpu, hcas: storage}]
    """,
)
