"""IBG130-IBG139: host types written into the spec, part by part."""

from __future__ import annotations

from ibgen.diagnostics import Severity, declare

UNKNOWN_GPU = declare(
    "IBG130",
    "gpu-unknown",
    Severity.ERROR,
    """An inline platform names a GPU that the catalog does not have.

    Everything about a GPU follows from its model: its PCIe slot, its place in NCCL's model, and the device files of Slurm
    (`/dev/nvidia0`, or AMD's `/dev/dri/renderD128`). A misspelt name would get NVIDIA's. The hint names those that are known;
    a new one is a row under `gpus` of a catalog file.

    Bad:
        pools:
          - name: lab
            hosts: lab-01
            platform: {kind: generic, gpu: MI300, gpus: 8, hcas: [{name: mlx5_0, rate: 400G}]}

    Good:
        pools:
          - name: lab
            hosts: lab-01
            platform: {kind: generic, gpu: MI300X, gpus: 8, hcas: [{name: mlx5_0, rate: 400G}]}
    """,
)

UNKNOWN_HCA_MODEL = declare(
    "IBG131",
    "adapter-model-unknown",
    Severity.ERROR,
    """An adapter of an inline platform has a model that the catalog does not have.

    Write one that the hint names, add yours under `hcas` of a catalog file, or leave `model` out: then it counts as unknown and
    only its rate is judged.

    Bad:
        pools:
          - name: login
            hosts: login-01
            platform: {kind: generic, hcas: [{name: mlx5_0, model: conectx-7, rate: 400G}]}

    Good:
        pools:
          - name: login
            hosts: login-01
            platform: {kind: generic, hcas: [{name: mlx5_0, model: ConnectX-7, rate: 400G}]}
    """,
)

NO_SUCH_RATE = declare(
    "IBG132",
    "adapter-rate-impossible",
    Severity.ERROR,
    """An adapter of an inline platform has a rate that no link has, or one above its model's.

    An InfiniBand port runs at its generation's lane rate over 1, 2, 4, 8 or 12 lanes: 100 (EDR, HDR100), 200, 400, 800. On a
    RoCE or EFA fabric 10, 25, 40, 50, 100, 200, 400 and 800 Gb/s are Ethernet's. All bandwidths here rest on this
    number. Write the rate of one port, not of the card.

    Bad:
        pools:
          - name: login
            hosts: login-01
            platform: {kind: generic, hcas: [{name: mlx5_0, model: cx6, rate: 400G}]}

    Good:
        pools:
          - name: login
            hosts: login-01
            platform: {kind: generic, hcas: [{name: mlx5_0, model: cx7, rate: 400G}]}
    """,
)
