"""IBG236-IBG241: cables written out one by one."""

from __future__ import annotations

from ibgen.diagnostics import Severity, declare

CABLE_UNREADABLE = declare(
    "IBG236",
    "cable-unreadable",
    Severity.ERROR,
    """A cable is not written as two ends with a blank between them.

    An end is `switch:port` or `host/hca:port`; the port is a number, or the label on the switch (`1/2` for cage 1, port 2).

    Bad:
        pools:
          - name: login
            hosts: login-01
            platform: {kind: generic, hcas: [{name: mlx5_0, rate: 400G}, {name: mlx5_1, rate: 400G}]}
        fabrics:
          - name: bench
            control: {kind: opensm, subnet_prefix: "0xfec0000000000002"}
            topology:
              kind: explicit
              switches: [{names: "b-leaf-[01-02]", switch: qm9700, role: leaf}]
              cables:
                - b-leaf-01 login-01/mlx5_0:1
                - b-leaf-02:1 login-01/mlx5_1:1
                - b-leaf-01:64 b-leaf-02:64
            attach: []

    Good:
        pools:
          - name: login
            hosts: login-01
            platform: {kind: generic, hcas: [{name: mlx5_0, rate: 400G}, {name: mlx5_1, rate: 400G}]}
        fabrics:
          - name: bench
            control: {kind: opensm, subnet_prefix: "0xfec0000000000002"}
            topology:
              kind: explicit
              switches: [{names: "b-leaf-[01-02]", switch: qm9700, role: leaf}]
              cables:
                - b-leaf-01:1 login-01/mlx5_0:1
                - b-leaf-02:1 login-01/mlx5_1:1
                - b-leaf-01:64 b-leaf-02:64
            attach: []
    """,
)

CABLE_UNKNOWN_END = declare(
    "IBG237",
    "cable-unknown-end",
    Severity.ERROR,
    """A cable ends at a switch, host or adapter that the spec does not have.

    A cable with a wrong peer would put a wrong GUID into the subnet manager's files, so the fabric is left out.

    Bad:
        pools:
          - name: login
            hosts: login-01
            platform: {kind: generic, hcas: [{name: mlx5_0, rate: 400G}, {name: mlx5_1, rate: 400G}]}
        fabrics:
          - name: bench
            control: {kind: opensm, subnet_prefix: "0xfec0000000000002"}
            topology:
              kind: explicit
              switches: [{names: "b-leaf-[01-02]", switch: qm9700, role: leaf}]
              cables:
                - b-leaf-01:1 login-1/mlx5_0:1
                - b-leaf-02:1 login-01/mlx5_1:1
                - b-leaf-01:64 b-leaf-02:64
            attach: []

    Good:
        pools:
          - name: login
            hosts: login-01
            platform: {kind: generic, hcas: [{name: mlx5_0, rate: 400G}, {name: mlx5_1, rate: 400G}]}
        fabrics:
          - name: bench
            control: {kind: opensm, subnet_prefix: "0xfec0000000000002"}
            topology:
              kind: explicit
              switches: [{names: "b-leaf-[01-02]", switch: qm9700, role: leaf}]
              cables:
                - b-leaf-01:1 login-01/mlx5_0:1
                - b-leaf-02:1 login-01/mlx5_1:1
                - b-leaf-01:64 b-leaf-02:64
            attach: []
    """,
)

CABLE_PORT = declare(
    "IBG238",
    "cable-port-missing",
    Severity.ERROR,
    """A cable ends at a port that its switch or adapter does not have.

    Bad:
        pools:
          - name: login
            hosts: login-01
            platform: {kind: generic, hcas: [{name: mlx5_0, rate: 400G}, {name: mlx5_1, rate: 400G}]}
        fabrics:
          - name: bench
            control: {kind: opensm, subnet_prefix: "0xfec0000000000002"}
            topology:
              kind: explicit
              switches: [{names: "b-leaf-[01-02]", switch: qm9700, role: leaf}]
              cables:
                - b-leaf-01:65 login-01/mlx5_0:1
                - b-leaf-02:1 login-01/mlx5_1:1
                - b-leaf-01:64 b-leaf-02:64
            attach: []

    Good:
        pools:
          - name: login
            hosts: login-01
            platform: {kind: generic, hcas: [{name: mlx5_0, rate: 400G}, {name: mlx5_1, rate: 400G}]}
        fabrics:
          - name: bench
            control: {kind: opensm, subnet_prefix: "0xfec0000000000002"}
            topology:
              kind: explicit
              switches: [{names: "b-leaf-[01-02]", switch: qm9700, role: leaf}]
              cables:
                - b-leaf-01:1 login-01/mlx5_0:1
                - b-leaf-02:1 login-01/mlx5_1:1
                - b-leaf-01:64 b-leaf-02:64
            attach: []
    """,
)

CABLED_TWICE = declare(
    "IBG239",
    "port-cabled-twice",
    Severity.ERROR,
    """One port stands in two cables.

    Both lines are named: one of them was copied, or a chassis was entered twice.

    Bad:
        pools:
          - name: login
            hosts: login-01
            platform: {kind: generic, hcas: [{name: mlx5_0, rate: 400G}, {name: mlx5_1, rate: 400G}]}
        fabrics:
          - name: bench
            control: {kind: opensm, subnet_prefix: "0xfec0000000000002"}
            topology:
              kind: explicit
              switches: [{names: "b-leaf-[01-02]", switch: qm9700, role: leaf}]
              cables:
                - b-leaf-01:1 login-01/mlx5_0:1
                - b-leaf-02:1 login-01/mlx5_1:1
                - b-leaf-01:1 b-leaf-02:64
            attach: []

    Good:
        pools:
          - name: login
            hosts: login-01
            platform: {kind: generic, hcas: [{name: mlx5_0, rate: 400G}, {name: mlx5_1, rate: 400G}]}
        fabrics:
          - name: bench
            control: {kind: opensm, subnet_prefix: "0xfec0000000000002"}
            topology:
              kind: explicit
              switches: [{names: "b-leaf-[01-02]", switch: qm9700, role: leaf}]
              cables:
                - b-leaf-01:1 login-01/mlx5_0:1
                - b-leaf-02:1 login-01/mlx5_1:1
                - b-leaf-01:64 b-leaf-02:64
            attach: []
    """,
)

CABLE_IMPOSSIBLE = declare(
    "IBG240",
    "cable-not-possible",
    Severity.ERROR,
    """A cable joins two hosts, or a switch to itself.

    Hosts meet on switches; a loop on one switch carries nothing and confuses every routing engine.

    Bad:
        pools:
          - name: login
            hosts: login-01
            platform: {kind: generic, hcas: [{name: mlx5_0, rate: 400G}, {name: mlx5_1, rate: 400G}]}
        fabrics:
          - name: bench
            control: {kind: opensm, subnet_prefix: "0xfec0000000000002"}
            topology:
              kind: explicit
              switches: [{names: "b-leaf-[01-02]", switch: qm9700, role: leaf}]
              cables:
                - b-leaf-01:1 login-01/mlx5_0:1
                - b-leaf-02:1 login-01/mlx5_1:1
                - b-leaf-01:63 b-leaf-01:64
            attach: []

    Good:
        pools:
          - name: login
            hosts: login-01
            platform: {kind: generic, hcas: [{name: mlx5_0, rate: 400G}, {name: mlx5_1, rate: 400G}]}
        fabrics:
          - name: bench
            control: {kind: opensm, subnet_prefix: "0xfec0000000000002"}
            topology:
              kind: explicit
              switches: [{names: "b-leaf-[01-02]", switch: qm9700, role: leaf}]
              cables:
                - b-leaf-01:1 login-01/mlx5_0:1
                - b-leaf-02:1 login-01/mlx5_1:1
                - b-leaf-01:64 b-leaf-02:64
            attach: []
    """,
)

HCA_UNCABLED = declare(
    "IBG241",
    "hca-without-cable",
    Severity.WARNING,
    """An adapter is attached to a fabric whose cables are written out, and
    has none.

    Either a line is missing, or the adapter does not belong to this fabric. It will be part of no partition and no route.

    Bad:
        pools:
          - name: login
            hosts: login-01
            platform: {kind: generic, hcas: [{name: mlx5_0, rate: 400G}, {name: mlx5_1, rate: 400G}]}
        fabrics:
          - name: bench
            control: {kind: opensm, subnet_prefix: "0xfec0000000000002"}
            topology:
              kind: explicit
              switches: [{names: "b-leaf-[01-02]", switch: qm9700, role: leaf}]
              cables:
                - b-leaf-01:1 login-01/mlx5_0:1
                - b-leaf-01:64 b-leaf-02:64
            attach: [{pool: login, hcas: all}]

    Good:
        pools:
          - name: login
            hosts: login-01
            platform: {kind: generic, hcas: [{name: mlx5_0, rate: 400G}, {name: mlx5_1, rate: 400G}]}
        fabrics:
          - name: bench
            control: {kind: opensm, subnet_prefix: "0xfec0000000000002"}
            topology:
              kind: explicit
              switches: [{names: "b-leaf-[01-02]", switch: qm9700, role: leaf}]
              cables:
                - b-leaf-01:1 login-01/mlx5_0:1
                - b-leaf-02:1 login-01/mlx5_1:1
                - b-leaf-01:64 b-leaf-02:64
            attach: [{pool: login, hcas: all}]
    """,
)
