"""What a spec's own pools can expect of NCCL."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibgen import assets, compiler
from ibgen.simulate.pool_collectives import PoolCollectives, pool_collectives


def pools(path: Path, **how: float) -> tuple[PoolCollectives, ...]:
    c, report = compiler.compile(compiler.Input(path))
    assert c.spec is not None, report
    assert c.fabric is not None, [d.message for d in report.diagnostics]
    assert c.targets is not None
    return pool_collectives(c.spec, c.fabric, c.targets, c.catalog, **how)


def test_superpod_expects_its_ring_rate() -> None:
    """127 DGX H100 on NCCL 2.27: a ring of 1,016 ranks starts too slowly for its 384 GB/s, so NVLSTree is taken: half of 384 a
    tree, 5/6 of it, twice (NCCL's own figures, as for 8 nodes in test_collectives). UFM hosts have no GPUs and no curve."""
    (gpu,) = pools(assets.examples() / "superpod-h100.yaml")
    assert gpu.hosts == 127
    all_reduce = gpu.curves[0]
    assert all_reduce.ranks == 1016
    assert all_reduce.line_gbs == 400
    assert all_reduce.points[-2].algorithm == "nvls-tree"
    assert all_reduce.points[-2].busbw_gbs == pytest.approx(384 / 2 * 5 / 6 * 2, rel=0.02)


def test_half_the_fabric_is_half_the_bandwidth() -> None:
    (whole,) = pools(assets.examples() / "superpod-h100.yaml")
    (half,) = pools(assets.examples() / "superpod-h100.yaml", fabric_gbs={0: 200.0})
    assert half.curves[0].points[-2].busbw_gbs == pytest.approx(200, rel=0.02)
    assert half.curves[0].points[0].time_us == whole.curves[0].points[0].time_us, "small messages do not notice"


SPEC = """ibgen: 1
cluster: x
pools: [{name: gpu, hosts: "n[01-04]", platform: dgx-h100}]
fabrics: []
nccl:
  version: "2.21.5"
  pools: {gpu: {settings: {NCCL_CROSS_NIC: {value: "0", reason: "isolated rails"}}}}
"""


def test_cross_nic_0_in_the_spec_is_heeded(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text(SPEC)
    (gpu,) = pools(tmp_path / "x.yaml")
    assert dict(gpu.settings) == {"NCCL_CROSS_NIC": "0"}
    (tmp_path / "y.yaml").write_text(SPEC.replace('value: "0"', 'value: "2"'))
    (free,) = pools(tmp_path / "y.yaml")
    ratio = gpu.curves[0].points[-1].busbw_gbs / free.curves[0].points[-1].busbw_gbs
    assert ratio == pytest.approx(360 / 384, rel=0.01)


def test_a_single_gpu_or_none_has_no_curve(tmp_path: Path) -> None:
    one = "{kind: generic, gpu: H100-SXM, gpus: 1, hcas: [{name: mlx5_0, rate: 400G, gpu: 0}]}"
    (tmp_path / "x.yaml").write_text(
        f'ibgen: 1\ncluster: x\npools: [{{name: gpu, hosts: "n1", platform: {one}}}]\nfabrics: []\n'
    )
    assert pools(tmp_path / "x.yaml") == ()
