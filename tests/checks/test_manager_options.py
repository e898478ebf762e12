"""Contradictions that OpenSM swallows: what the rules say beyond their own pages' examples."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibgen import assets, compiler
from ibgen.diagnostics import Diagnostic, Severity

LAB = (assets.templates() / "explain" / "lab.yaml").read_text()


def said(overlay: str, tmp_path: Path) -> list[Diagnostic]:
    (tmp_path / "lab.yaml").write_text(LAB)
    (tmp_path / "more.yaml").write_text(overlay)
    return list(compiler.compile(compiler.Input(tmp_path / "lab.yaml", (tmp_path / "more.yaml",)))[1].diagnostics)


def of(code: str, overlay: str, tmp_path: Path) -> list[Diagnostic]:
    return [d for d in said(overlay, tmp_path) if d.code.id == code]


def control(text: str) -> str:
    return f"fabrics: [{{name: compute, control: {{{text}}}}}]"


def test_one_guid_for_two_managers_is_an_error(tmp_path: Path) -> None:
    """Both would work through one host's port, and the other's would find no port at all."""
    (found,) = of("IBG330", control('options: {guid: "0x0002c90300a1b2c3"}'), tmp_path)
    assert found.severity is Severity.ERROR
    one = control('hosts: [ufm-01], options: {guid: "0x0002c90300a1b2c3"}')
    (found,) = of("IBG330", one, tmp_path)
    assert found.severity is Severity.WARNING


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("IBG330", "options: {root_guid_file: /etc/opensm/mine.conf}"),
        ("IBG330", "options: {routing_engine: updn}"),
        ("IBG331", 'flavour: upstream, version: "3.3.23", routing: [dfsssp], options: {max_op_vls: "1"}'),
        ("IBG331", 'flavour: upstream, version: "3.3.23", routing: [lash], options: {qos: no}'),
        ("IBG408", 'flavour: upstream, version: "3.3.23", routing: [lash], options: {lmc: "2"}'),
        ("IBG412", 'flavour: upstream, version: "3.3.23", routing: [updn, file]'),
        ("IBG411", "options: {io_guid_file: /etc/opensm/io.conf}"),
        ("IBG411", "options: {avoid_throttled_links: yes}"),
        ("IBG337", "files: {storage_reverse_hops: 1}"),
        ("IBG352", 'options: {key_mgr_seed: "0x1"}'),
    ],
)
def test_contradictions(code: str, text: str, tmp_path: Path) -> None:
    assert of(code, control(text), tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        'options: {max_op_vls: "2", sweep_interval: "30"}',
        'options: {scatter_ports: "8", use_ucast_cache: yes}',
        'options: {hm_unhealthy_ports_checks: "TRUE", vs_key_lease_period: "60"}',
        'flavour: upstream, version: "3.3.23", routing: [ftree, updn], options: {ids_guid_file: /etc/opensm/ids.conf}',
        'routing: [], options: {routing_engine: "ar_updn"}',
    ],
)
def test_what_goes_together_is_not_blamed(text: str, tmp_path: Path) -> None:
    ours = ("IBG33", "IBG35", "IBG405", "IBG406", "IBG407", "IBG408", "IBG41", "IBG60")
    assert not [(d.code.id, d.message) for d in said(control(text), tmp_path) if d.code.id.startswith(ours)]


def test_fabrics_of_one_pool_must_agree_on_nccl_s_level(tmp_path: Path) -> None:
    """NCCL_IB_SL is one number for all adapters of a process."""
    overlay = """\
pools:
  - name: gpu
    platform: {kind: generic, gpu: H100-SXM, gpus: 2,
               hcas: [{name: mlx5_0, rate: 400G, gpu: 0}, {name: mlx5_1, rate: 400G, gpu: 1}]}
fabrics:
  - name: compute
    attach: [{pool: gpu, hcas: [mlx5_0]}, {pool: service, hcas: all, at: reserved}]
    qos: {classes: [{name: nccl, use: nccl, sl: 1}]}
  - name: other
    control: {kind: opensm, flavour: nvidia, subnet_prefix: 0xfec0000000000002}
    topology: {kind: fat-tree, rails: host, prefix: o, unit: 4, tiers: 1, leaf: {switch: qm9700, downlinks: 64}}
    attach: [{pool: gpu, hcas: [mlx5_1]}]
    qos: {classes: [{name: nccl, use: nccl, sl: 2}]}
"""
    found = of("IBG601", overlay, tmp_path)
    assert found
    assert "1 on `compute`, 2 on `other`" in found[0].message
    assert not of("IBG601", overlay.replace("sl: 2", "sl: 1"), tmp_path)


@pytest.mark.parametrize(
    ("classes", "ok"),
    [
        ("{name: a, use: nccl, sl: 1}, {name: b, use: storage, sl: 1}", True),
        ("{name: a, use: nccl, sl: 1}, {name: b, use: nccl, sl: 2}", False),
        ("{name: a, use: nccl, sl: 1, priority: high}, {name: b, use: ucx, sl: 2, vl: 1}", False),
        ("{name: a, use: nccl, sl: 15}", False),
        ("{name: a, use: nccl, sl: 15, vl: 1}", True),
        ("{name: a, sl: 1, pools: [gpu]}, {name: b, sl: 2, pools: [service]}", True),
    ],
)
def test_classes_that_cannot_both_be_had(classes: str, ok: bool, tmp_path: Path) -> None:
    found = of("IBG333", f"fabrics: [{{name: compute, qos: {{classes: [{classes}]}}}}]", tmp_path)
    assert bool(found) is not ok, [d.message for d in found]


def test_a_limit_that_nobody_asks_for(tmp_path: Path) -> None:
    overlay = "fabrics: [{name: compute, qos: {classes: [{name: nccl, use: nccl, sl: 1, rate_limit: 100G}]}}]"
    (found,) = of("IBG334", overlay, tmp_path)
    assert found.severity is Severity.WARNING
