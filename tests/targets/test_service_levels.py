"""One place decides service levels: the manager, its partitions and NCCL are told the same, and contradictions are findings."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibgen import compiler
from ibgen.spec import Qos
from ibgen.targets.opensm import Manager
from ibgen.targets.opensm_qos import lanes
from ibgen.targets.service_levels import adaptive_levels, level, mask, pool_level

SPEC = """\
ibgen: 1
cluster: lab
pools:
  - {{name: gpu, hosts: "dgx-[1-4]", platform: dgx-h100}}
  - name: stor
    hosts: stor-[1-2]
    platform: {{kind: generic, hcas: [{{name: mlx5_0, rate: 400G, role: storage}}]}}
  - name: service
    hosts: sm-[1-2]
    schedulable: no
    platform: {{kind: generic, hcas: [{{name: mlx5_0, rate: 400G, role: management}}]}}
fabrics:
  - name: ib
    control: {{kind: opensm, flavour: {flavour}, hosts: [sm-1], routing: {routing}, options: {options}}}
    topology: {{kind: fat-tree, rails: host, unit: 3, units: 2, leaf: {{switch: qm9700, downlinks: 32}},
               spine: {{switch: qm9700}}, reserve: {{more: 4}}}}
    attach:
      - {{pool: gpu, hcas: compute}}
      - {{pool: stor, hcas: all, at: reserved}}
      - {{pool: service, hcas: all, at: reserved}}
    partitions:
      - {{name: default, pkey: 0x7fff, ipoib: {{mtu: 4096}}, members: [{{pool: gpu, membership: full}}]}}
      - {{name: data, pkey: 0x0101, ipoib: {{mtu: 4096}}, members: [{{pool: gpu, membership: full}}]}}
      - {{name: own, pkey: 0x0102, ipoib: {{mtu: 4096, sl: 4}}, members: [{{pool: gpu, membership: full}}]}}
    {qos}
    {more}
nccl: {{version: "2.27"}}
"""
CLASSES = """{classes: [
      {name: rest, sl: 0, weight: 32}, {name: training, use: nccl, sl: 1, weight: 128},
      {name: files, use: storage, sl: 2, partitions: [data], rate_limit: 200G},
      {name: disks, use: storage, sl: 2, pools: [stor]},
      {name: sockets, use: ipoib, sl: 4, vl: 0}, {name: sm, use: management, sl: 5, vl: 3, priority: high}], high_limit: 4}"""


def compiled(**fields: str) -> tuple[compiler.Compilation, list[str]]:
    values = {"flavour": "nvidia", "routing": "[ar_updn]", "options": "{}", "qos": f"qos: {CLASSES}", "more": ""}
    c, report = compiler.compile(compiler.Input(Path("lab.yaml"), text=SPEC.format(**(values | fields))))
    return c, [d.code.id for d in report.diagnostics]


def manager(**fields: str) -> Manager:
    c, said = compiled(**fields)
    assert c.targets is not None, said
    (only,) = c.targets.opensm
    return only


def lines(m: Manager) -> dict[str, str]:
    return {o.name: o.value for o in m.options}


def test_nccl_and_the_manager_are_told_the_same_level() -> None:
    """nccl-tests#199, ucx PR#5869: adaptive routing and lanes go by the service level, so which one do NCCL and UCX use?"""
    c, _ = compiled()
    assert c.spec is not None
    assert c.targets is not None
    (profile,) = c.targets.nccl
    assert {s.name: s.value for s in profile.settings}["NCCL_IB_SL"] == "1"
    assert pool_level(c.spec, "gpu", "nccl") == 1
    assert lines(c.targets.opensm[0])["qos_sl2vl"].split(",")[1] == "1"


def test_kinds_without_a_class_follow_the_default_class() -> None:
    c, _ = compiled(qos="qos: {classes: [{name: rest, sl: 3}]}")
    assert c.spec is not None
    assert {level(c.spec.fabrics[0], use) for use in ("nccl", "ucx", "storage", "ipoib", "management")} == {3}
    assert pool_level(c.spec, "gpu", "ucx") == 3


def test_a_narrow_class_is_nobody_s_default() -> None:
    c, _ = compiled(qos="qos: {classes: [{name: data, sl: 3, partitions: [data]}]}")
    assert c.spec is not None
    assert level(c.spec.fabrics[0], "nccl") == 0


def test_partition_level_is_its_own_then_its_class_s_then_ipoib_s() -> None:
    groups = {p.name: p.group.sl for p in manager().partitions if p.group}
    assert groups == {"Default": 4, "data": 2, "own": 4}
    plan = manager().qos
    assert plan is not None
    assert plan.ipoib == ((0x0101, 2), (None, 4)), "the policy says what partitions.conf says"


def test_lanes_are_as_many_as_the_classes_use() -> None:
    told = lines(manager())
    assert told["qos"] == "TRUE"
    assert (told["max_op_vls"], told["qos_max_vls"], told["qos_high_limit"]) == ("3", "4", "4")
    assert told["qos_vlarb_high"] == "3:64"
    assert told["qos_vlarb_low"] == "0:96,1:128,2:128"
    assert told["qos_sl2vl"] == "0,1,2,0,0,3" + ",0" * 10
    assert told["sm_sl"] == "5"


def test_no_level_is_ever_dropped() -> None:
    """Lane 15 in an SL-to-VL table throws the packet away; sixteen numbers, or OpenSM maps the rest to lane 0."""
    for level_of in range(15):
        made = lanes(Qos.model_validate({"classes": [{"name": "a", "sl": str(level_of), "use": "nccl"}]}))
        assert len(made.sl2vl) == 16
        assert max(made.sl2vl) <= 14
        served = {lane for lane, weight in (*made.high, *made.low) if weight}
        assert set(made.sl2vl) <= served, "a lane in no arbitration table would starve"


def test_without_classes_qos_stays_off() -> None:
    told = lines(manager(qos="", options="{}"))
    assert not {n for n in told if n.startswith("qos") and n != "qos"}
    assert told["qos"] == "TRUE", "partition `own` has a service level"


@pytest.mark.parametrize("engine", ["dfsssp", "lash"])
def test_engines_that_route_by_lanes_get_qos(engine: str) -> None:
    m = manager(qos="", flavour="upstream", routing=f"[{engine}]")
    assert lines(m)["qos"] == "TRUE"
    assert "max_op_vls" not in lines(m), "the engine takes what the ports have"


def test_adaptive_mask_has_the_levels_nccl_is_given() -> None:
    c, said = compiled(more="adaptive: {uses: [nccl, storage], shield: no}")
    assert c.targets is not None, said
    told = lines(c.targets.opensm[0])
    assert told["ar_sl_mask"] == "0x0006"
    assert told["shield_mode"] == "0"
    assert c.spec is not None
    assert adaptive_levels(c.spec.fabrics[0]) == {1, 2}


def test_adaptive_for_everything_needs_no_line() -> None:
    assert not {"ar_sl_mask", "shield_mode", "ar_mode"} & lines(manager(more="adaptive: {}")).keys()


@pytest.mark.parametrize(
    ("options", "covered"),
    [('{ar_sl_mask: "0x0002"}', {1}), ('{ar_mode: "0"}', None), ("{}", set(range(16)))],
)
def test_mask_given_by_hand_decides(options: str, covered: set[int] | None) -> None:
    c, _ = compiled(options=options)
    assert c.spec is not None
    assert adaptive_levels(c.spec.fabrics[0]) == covered


def test_upstream_has_no_adaptive_level() -> None:
    c, said = compiled(flavour="upstream", routing="[ftree]", more="adaptive: {}")
    assert c.spec is not None
    assert adaptive_levels(c.spec.fabrics[0]) is None
    assert "IBG405" in said
    assert mask(frozenset({0, 15})) == "0x8001"


def test_congestion_control_in_upstream_s_words() -> None:
    """Bits of the switches' map as the comment of `opensm -c` gives them: 2 threshold and packet size, 4 marking rate."""
    m = manager(
        flavour="upstream",
        routing="[ftree]",
        more='congestion: {uses: [nccl], threshold: 15, marking_rate: 10, increase: 1, timer: 150, table: ["0:0", "0:1"]}',
    )
    own = [(o.name, o.value) for o in m.options if o.group == "Congestion control"]
    assert ("congestion_control", "TRUE") in own
    assert ("cc_sw_cong_setting_control_map", "0x14") in own
    assert ("cc_ca_cong_setting_control_map", "0x0002") in own
    assert ("cc_ca_cong_setting_ccti_timer", "1 150") in own
    assert ("cc_cct", "0:0,0:1") in own
    assert "EXPERIMENTAL" in next(o.reason for o in m.options if o.name == "congestion_control")


def test_congestion_control_in_nvidia_s_words() -> None:
    m = manager(more="congestion: {algorithm: rtt_algo, algorithms: /opt/ufm/ppcc, parameters: {BW_G: 400}}")
    told = lines(m)
    assert told["mlnx_congestion_control"] == "2"
    assert told["congestion_control_policy_file"] == "/etc/opensm/congestion-policy.conf"
    assert told["ppcc_algo_dir"] == "/opt/ufm/ppcc"
    assert "congestion-policy.conf" in m.lists
    assert not any(n.startswith("cc_") for n in told)


def test_repeated_options_keep_every_line() -> None:
    m = manager(flavour="upstream", routing="[ftree]", more="congestion: {threshold: 15, increase: 1}")
    assert sum(o.name == "cc_ca_cong_setting_ccti_increase" for o in m.options) == 16
