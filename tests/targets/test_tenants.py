"""Which partition the jobs of a host use, and what NCCL and UCX are told of it."""

from __future__ import annotations

import pytest

from ibgen import source, spec, targets
from ibgen.catalog import standard
from ibgen.fabric import resolve
from ibgen.targets import Targets

LAB = """
ibgen: 1
cluster: lab
pools:
  - {name: gpu, hosts: "n[1-4]", platform: dgx-h100}
  - name: sm
    hosts: sm1
    schedulable: false
    platform: {kind: generic, hcas: [{name: mlx5_0, rate: 400G, role: management}]}
fabrics:
  - name: compute
    control: {kind: opensm, flavour: nvidia, version: "5.24", hosts: [sm1], routing: [ar_updn]}
    topology: {kind: fat-tree, rails: host, unit: 2, leaf: {switch: qm9700}, spine: {switch: qm9700}, reserve: {sm: 1}}
    attach: [{pool: gpu, hcas: compute}, {pool: sm, hcas: all, at: reserved}]
    partitions:
      - {name: default, pkey: 0x7fff, members: [{pool: gpu, membership: limited}, {pool: sm, membership: full}]}
      - {name: a, pkey: 0x0101, members: [{pool: gpu, hosts: "n[1-2]", membership: full}]}
      - {name: b, pkey: 0x8102, members: [{pool: gpu, hosts: "n[3-4]", membership: full}]}
nccl: {version: "2.27"}
ucx: {version: "1.16"}
"""


def decided(*texts: str, base: str = LAB) -> tuple[Targets, list[str]]:
    document, findings = source.parse(base, "lab.yaml", [(f"{n}.yaml", text) for n, text in enumerate(texts)])
    cluster, found = spec.load(document)
    assert cluster is not None, (findings, found)
    fabric, found = resolve(cluster, standard(), None)
    assert fabric is not None, found
    made, found = targets.decide(cluster, fabric, standard())
    return made, [f.code.id for f in found]


def nccl(made: Targets, name: str) -> dict[str, str]:
    return {s.name: s.value for p in made.nccl if p.name == name for s in p.settings}


def ucx(made: Targets, name: str) -> dict[str, str]:
    return {s.name: s.value for p in made.ucx if p.name == name for s in (*p.conf, *p.exports)}


def test_hosts_of_one_pool_in_two_tenants_are_two_classes_k24() -> None:
    made, found = decided()
    assert found == []
    assert {c.name: c.hosts for c in made.classes if c.pool == 0} == {"gpu-a": ("n1", "n2"), "gpu-b": ("n3", "n4")}


def test_ucx_gets_the_value_without_its_membership_bit_k29() -> None:
    made, _ = decided()
    assert ucx(made, "gpu-a")["UCX_IB_PKEY"] == "0x0101"
    assert ucx(made, "gpu-b")["UCX_IB_PKEY"] == "0x0102"


def test_an_nccl_that_takes_an_index_is_never_told_a_constant_azure_docs_69185() -> None:
    made, _ = decided()
    assert not {"NCCL_IB_PKEY", "NCCL_IB_PKEY_VALUE"} & nccl(made, "gpu-a").keys()
    (probe,) = (p.probe for p in made.nccl if p.name == "gpu-b")
    assert probe is not None
    assert probe.pkey == 0x8102, "what the P_Key table of a full member shows"
    assert [device for device, _ in probe.ports] == [f"mlx5_{n}" for n in (0, 3, 4, 5, 6, 9, 10, 11)]


def test_an_nccl_that_takes_a_value_is_told_it() -> None:
    made, _ = decided('nccl: {version: "2.32.3"}')
    assert nccl(made, "gpu-a")["NCCL_IB_PKEY_VALUE"] == "0x8101"
    assert all(p.probe is None for p in made.nccl)


def test_index_zero_is_written_only_where_indx0_makes_it_so() -> None:
    first = "fabrics: [{name: compute, partitions: [{name: a, indx0: true}]}]"
    made, _ = decided(first)
    assert nccl(made, "gpu-a")["NCCL_IB_PKEY"] == "0"
    assert "NCCL_IB_PKEY" not in nccl(made, "gpu-b")
    both = """
fabrics:
  - name: compute
    partitions:
      - {name: a, indx0: true}
      - {name: c, pkey: 0x0103, indx0: true, members: [{pool: gpu, membership: limited}]}
"""
    made, _ = decided(both)
    assert "NCCL_IB_PKEY" not in nccl(made, "gpu-a"), "two partitions cannot both be first"
    assert {p.name for p in made.nccl if p.probe} == {"gpu-a", "gpu-b"}


def test_full_members_of_the_default_partition_are_told_nothing() -> None:
    made, found = decided("fabrics: [{name: compute, partitions: [{name: default, members: [{pool: gpu, membership: full}]}]}]")
    assert found == []
    assert [c.name for c in made.classes] == ["gpu", "sm"]
    assert "UCX_IB_PKEY" not in ucx(made, "gpu")


def test_jobs_says_which_of_several_and_over_a_full_default() -> None:
    full = """
fabrics:
  - name: compute
    partitions: [{name: default, members: [{pool: gpu, membership: full}]}, {name: a, jobs: true}]
"""
    made, _ = decided(full)
    assert {c.name for c in made.classes} == {"gpu", "gpu-a", "sm"}


@pytest.mark.parametrize(
    ("overlay", "code"),
    [
        ("fabrics: [{name: compute, partitions: [{name: a, members: [{pool: gpu, hosts: n1, membership: full}]}]}]", "IBG360"),
        ("fabrics: [{name: compute, partitions: [{name: b, members: [{pool: gpu, membership: full}]}]}]", "IBG361"),
        (
            "fabrics: [{name: compute, partitions: [{name: a, jobs: true, members: [{pool: gpu, hcas: [mlx5_0], "
            "membership: full}]}]}]",
            "IBG363",
        ),
    ],
)
def test_a_host_whose_jobs_could_not_talk_is_found(overlay: str, code: str) -> None:
    made, found = decided(overlay)
    assert code in found
    assert "UCX_IB_PKEY" not in ucx(made, "gpu"), "nothing is written on a guess"


def test_two_fabrics_with_two_keys_cannot_both_be_had() -> None:
    apart = LAB.replace("{pool: gpu, hcas: compute}", "{pool: gpu, hcas: [mlx5_0, mlx5_3]}").replace(
        "nccl: ",
        """\
  - name: second
    control: {kind: opensm, flavour: nvidia, version: "5.24", subnet_prefix: 0xfec0000000000002}
    topology: {kind: fat-tree, rails: host, prefix: se, leaf: {switch: qm9700}}
    attach: [{pool: gpu, hcas: [mlx5_4, mlx5_5]}]
nccl: """,
    )
    made, found = decided(base=apart)
    assert "IBG362" in found
    assert [c.name for c in made.classes if c.pool == 0] == ["gpu"]
    same = """
fabrics:
  - name: second
    partitions:
      - {name: x, pkey: 0x0101, jobs: true, members: [{pool: gpu, hosts: "n[1-2]", membership: full}]}
      - {name: y, pkey: 0x0102, jobs: true, members: [{pool: gpu, hosts: "n[3-4]", membership: full}]}
"""
    made, found = decided(same, base=apart)
    assert "IBG362" not in found
    assert [c.name for c in made.classes if c.pool == 0] == ["gpu-a", "gpu-b"]


def test_by_hand_wins_and_no_script_contradicts_it() -> None:
    made, _ = decided("nccl: {pools: {gpu: {settings: {NCCL_IB_PKEY: {value: 3, reason: probed}}}}}")
    assert nccl(made, "gpu-a")["NCCL_IB_PKEY"] == "3"
    assert all(p.probe is None for p in made.nccl)
