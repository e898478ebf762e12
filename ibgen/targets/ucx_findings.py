"""What deciding UCX's values can find (IBG680 to IBG689)."""

from __future__ import annotations

from ibgen.diagnostics import Severity, declare

UCX_PKEY = declare(
    "IBG680",
    "ucx-pkey",
    Severity.ERROR,
    """UCX_IB_PKEY with a value UCX refuses, or with another partition than the hosts' jobs use.

    UCX_IB_PKEY is a value, not an index, and without the membership bit: 0x0101, where the P_Key table shows 0x8101. More
    than 0x7fff ends with `requested pkey is invalid`.

    Bad:
        ucx: {version: "1.16", pools: {gpu: {settings: {UCX_IB_PKEY: {value: "0x8101", reason: our tenant}}}}}
    Good:
        ucx: {version: "1.16", pools: {gpu: {settings: {UCX_IB_PKEY: {value: "0x0101", reason: our tenant}}}}}
    """,
)

UCX_DEVICES = declare(
    "IBG681",
    "ucx-devices",
    Severity.WARNING,
    """UCX_NET_DEVICES names something else than the compute ports.

    It is a plain list of device and port, `mlx5_0:1,mlx5_1:1`; the `=` and `^` of NCCL_IB_HCA mean nothing here. Without a
    setting it is written from the fabric, as NCCL's list is.

    Bad:
        ucx: {version: "1.16", pools: {gpu: {settings: {UCX_NET_DEVICES: {value: "=mlx5_0:1", reason: tried}}}}}
    Good:
        ucx: {version: "1.16", pools: {gpu: {settings: {UCX_NET_DEVICES: {value: "mlx5_0:1", reason: tried}}}}}
    """,
)

UCX_SPEED = declare(
    "IBG682",
    "ucx-speed",
    Severity.WARNING,
    """A UCX that is older than the links.

    NDR is known from 1.12 on (openucx/ucx pulls 7821 and 7824); an older one ends with `Invalid active_speed: 128`, also
    where only a part of the processes loads it (openucx/ucx#10298).

    Bad:
        ucx: {version: "1.10"}
    Good:
        ucx: {version: "1.16"}
    """,
)

UCX_LEVEL = declare(
    "IBG683",
    "ucx-service-level",
    Severity.WARNING,
    """UCX_IB_SL is another service level than the fabric's traffic classes give this traffic.

    Bad:
        fabrics: [{name: compute, qos: {classes: [{name: mpi, use: ucx, sl: 2}]}}]
        ucx: {version: "1.16", pools: {gpu: {settings: {UCX_IB_SL: {value: 3, reason: tried}}}}}
    Good:
        fabrics: [{name: compute, qos: {classes: [{name: mpi, use: ucx, sl: 2}]}}]
        ucx: {version: "1.16"}
    """,
)
