"""What choosing the partition of jobs, and planning virtual functions, can find (IBG360 to IBG369)."""

from __future__ import annotations

from ibgen.diagnostics import Severity, declare

JOBS_WITHOUT_PARTITION = declare(
    "IBG360",
    "jobs-without-partition",
    Severity.WARNING,
    """Hosts that run jobs are limited members of the default partition and full members of no other.

    Two limited members may not talk to each other, so no job can cross these hosts. Make them full members of their tenant's
    partition; NCCL and UCX are then told to use it.

    Bad:
        fabrics:
          - name: compute
            partitions:
              - {name: default, pkey: 0x7fff, members: [{pool: gpu, membership: limited}, {pool: service, membership: full}]}
    Good:
        fabrics:
          - name: compute
            partitions:
              - {name: default, pkey: 0x7fff, members: [{pool: gpu, membership: limited}, {pool: service, membership: full}]}
              - {name: tenant-a, pkey: 0x0101, members: [{pool: gpu, membership: full}]}
    """,
)

JOB_PARTITION_UNCLEAR = declare(
    "IBG361",
    "job-partition-unclear",
    Severity.WARNING,
    """Hosts are limited in the default partition and full members of several others: nothing says which one jobs use.

    NCCL and UCX are told one key. None is written until the spec names it, and then jobs use index 0, the default partition,
    where limited members cannot talk to each other.

    Bad:
        fabrics:
          - name: compute
            partitions:
              - {name: default, pkey: 0x7fff, members: [{pool: gpu, membership: limited}, {pool: service, membership: full}]}
              - {name: tenant-a, pkey: 0x0101, members: [{pool: gpu, membership: full}]}
              - {name: storage, pkey: 0x0102, members: [{pool: gpu, membership: full}]}
    Good:
        fabrics:
          - name: compute
            partitions:
              - {name: default, pkey: 0x7fff, members: [{pool: gpu, membership: limited}, {pool: service, membership: full}]}
              - {name: tenant-a, pkey: 0x0101, jobs: true, members: [{pool: gpu, membership: full}]}
              - {name: storage, pkey: 0x0102, members: [{pool: gpu, membership: full}]}
    """,
)

JOB_PARTITIONS_DIFFER = declare(
    "IBG362",
    "job-partitions-differ",
    Severity.ERROR,
    """A host computes on several fabrics, and its jobs would need another P_Key on each.

    NCCL_IB_PKEY, NCCL_IB_PKEY_VALUE and UCX_IB_PKEY hold for all adapters of a process. Nothing is written for such hosts.

    Bad:
        pools: [{name: gpu, platform: dgx-h100}]
        fabrics:
          - name: compute
            attach: [{pool: gpu, hcas: [mlx5_0, mlx5_3]}, {pool: service, hcas: all, at: reserved}]
            partitions:
              - {name: default, pkey: 0x7fff, members: [{pool: gpu, membership: limited}, {pool: service, membership: full}]}
              - {name: tenant-a, pkey: 0x0101, members: [{pool: gpu, membership: full}]}
          - name: second
            control: {kind: opensm, flavour: nvidia, hosts: [node-01], subnet_prefix: "0xfec0000000000002"}
            topology: {kind: fat-tree, rails: host, prefix: se, leaf: {switch: qm9700}}
            attach: [{pool: gpu, hcas: [mlx5_4, mlx5_5]}]
    Good:
        pools: [{name: gpu, platform: dgx-h100}]
        fabrics:
          - name: compute
            attach: [{pool: gpu, hcas: [mlx5_0, mlx5_3]}, {pool: service, hcas: all, at: reserved}]
            partitions:
              - {name: default, pkey: 0x7fff, members: [{pool: gpu, membership: limited}, {pool: service, membership: full}]}
              - {name: tenant-a, pkey: 0x0101, members: [{pool: gpu, membership: full}]}
          - name: second
            control: {kind: opensm, flavour: nvidia, hosts: [node-01], subnet_prefix: "0xfec0000000000002"}
            topology: {kind: fat-tree, rails: host, prefix: se, leaf: {switch: qm9700}}
            attach: [{pool: gpu, hcas: [mlx5_4, mlx5_5]}]
            partitions: [{name: tenant-a, pkey: 0x0101, jobs: true, members: [{pool: gpu, membership: full}]}]
    """,
)

JOB_PARTITION_OF_SOME = declare(
    "IBG363",
    "job-partition-of-some-ports",
    Severity.ERROR,
    """A partition for jobs has some compute ports of a host as full members and others not.

    A job uses all of its host's compute ports with one key: those that do not hold it fail.

    Bad:
        fabrics:
          - name: compute
            partitions:
              - {name: tenant-a, pkey: 0x0101, jobs: true, members: [{pool: gpu, hcas: [mlx5_0], membership: full}]}
    Good:
        fabrics:
          - name: compute
            partitions:
              - {name: tenant-a, pkey: 0x0101, jobs: true, members: [{pool: gpu, hcas: compute, membership: full}]}
    """,
)

VF_RANGE = declare(
    "IBG365",
    "vf-range",
    Severity.ERROR,
    """A partition member names virtual functions that there are not.

    `vfs` is a list of numbers and ranges, counted from 0, below the `sriov: {vfs: ...}` of the member's pool. A member with
    `vfs` is those functions alone; the adapters themselves are another member.

    Bad:
        pools: [{name: gpu, sriov: {vfs: 4}}]
        fabrics:
          - name: compute
            partitions:
              - {name: tenant-a, pkey: 0x0101, members: [{pool: gpu, vfs: "0-4", membership: full}]}
    Good:
        pools: [{name: gpu, sriov: {vfs: 4}}]
        fabrics:
          - name: compute
            partitions:
              - {name: tenant-a, pkey: 0x0101, members: [{pool: gpu, vfs: "0-3", membership: full}]}
    """,
)
