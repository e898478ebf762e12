"""Plans against the published tables of NVIDIA's reference architectures and the arithmetic of fat trees."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from ibgen import assets
from ibgen.compiler import Input, compile
from ibgen.diagnostics import Severity
from ibgen.render.cables import cable_rows, cables_csv, cables_json, cables_table
from ibgen.render.plan import ClusterPlan, Growth, cluster_plan
from ibgen.render.plan_json import plan_json
from ibgen.render.plan_text import plan_text, rate, ratio
from ibgen.render.switches import switches_json, switches_table

SPEC = """\
ibgen: 1
cluster: pod
pools:
  - {{name: gpu, hosts: "dgx-[0001-{hosts:04}]", platform: dgx-h100}}
fabrics:
  - name: compute
    control: {{kind: opensm, flavour: nvidia, hosts: [dgx-0001], routing: [ar_updn]}}
    topology: {{kind: fat-tree, rails: aligned, unit: {unit}, leaf: {leaf}, spine: {spine}{more}}}
    attach: [{{pool: gpu, hcas: compute}}]
    partitions: [{{name: default, pkey: 0x7fff, members: [{{pool: gpu, membership: full}}]}}]
"""


def compiled(hosts: int, unit: int = 32, leaf: str = "{switch: qm9700}", spine: str = "{switch: qm9700}", more: str = ""):
    text = SPEC.format(hosts=hosts, unit=unit, leaf=leaf, spine=spine, more=more)
    c, report = compile(Input(Path("pod.yaml"), text=text))
    assert c.spec is not None
    assert c.fabric is not None, [d.message for d in report.diagnostics]
    return c


def planned(*args: object, **more: object) -> ClusterPlan:
    c = compiled(*args, **more)  # type: ignore[arg-type]
    return cluster_plan(c.spec, c.fabric)


@pytest.mark.parametrize(
    ("hosts", "leaves", "spines", "cores", "leaf_spine", "spine_core"),
    [
        (64, 16, 8, 0, 512, 0),
        (128, 32, 16, 0, 1024, 0),
        (256, 64, 32, 0, 2048, 0),
        (512, 128, 128, 64, 4096, 4096),
    ],
)
def test_published_superpod_tables(hosts: int, leaves: int, spines: int, cores: int, leaf_spine: int, spine_core: int) -> None:
    """DGX B200 reference architecture, page DGX SuperPOD Architecture: the same switches and rails as H100."""
    (s,) = planned(hosts).subnets
    assert {t.tier: t.switches for t in s.tiers} == {"leaf": leaves, "spine": spines} | ({"core": cores} if cores else {})
    expected = {"host-leaf": 8 * hosts, "leaf-spine": leaf_spine} | ({"spine-core": spine_core} if spine_core else {})
    assert {c.between: c.count for c in s.cables} == expected
    assert {c.rate_gbps for c in s.cables} == {400}
    assert [t.oversubscription for t in s.tiers[:-1]] == [1.0] * (len(s.tiers) - 1)
    assert s.tiers[-1].oversubscription is None
    assert [t.spare for t in s.tiers] == [0] * len(s.tiers)


def test_every_port_is_counted_once() -> None:
    (s,) = planned(50, unit=20, more=", reserve: {ufm: 4}").subnets
    for t in s.tiers:
        assert t.down + t.up + t.reserved + t.spare == 64 * t.switches
    assert s.tiers[0].reserved == 4
    assert s.tiers[0].down == 400
    assert sum(c.count for c in s.cables if c.between == "leaf-spine") == s.tiers[0].up == s.tiers[1].down


def test_split_ports_count_after_the_split() -> None:
    """A QM9700 split two ways has 128 host ports of 200 Gb/s; with 32 ports kept for uplinks, 64 are left."""
    (s,) = planned(60, unit=64, leaf="{switch: qm9700, split: 2, downlinks: 64, uplinks: 32}").subnets
    leaf = s.tiers[0]
    assert leaf.down == 480
    assert leaf.spare == leaf.switches * 64 - 480
    assert {c.between: c.rate_gbps for c in s.cables} == {"host-leaf": 200, "leaf-spine": 400}


def test_oversubscription_is_that_of_the_worst_switch() -> None:
    (s,) = planned(60, unit=40, leaf="{switch: qm9700, downlinks: 40}").subnets
    assert s.tiers[0].oversubscription == pytest.approx(40 / 24)


@pytest.mark.parametrize(
    ("hosts", "spine", "growth"),
    [
        (128, "{switch: qm9700}", Growth(4, 0, 4)),  # spines are full; 64 ports reach 64 leaves, 8 units of 8
        (32, "{switch: qm9700, count: 16}", Growth(1, 3, 7)),  # 16 of 64 ports of each spine per unit
        (256, "{switch: qm9700}", Growth(8, 0, 0)),  # the largest two-tier tree of 64-port switches: 2,048 endpoints
        (512, "{switch: qm9700}", Growth(16, 0, 240)),  # three tiers hold 64^3 / 4 = 65,536 endpoints: 256 units
    ],
)
def test_units_that_still_fit(hosts: int, spine: str, growth: Growth) -> None:
    (s,) = planned(hosts, spine=spine).subnets
    assert s.growth == growth


def test_an_opaque_fabric_has_hosts_and_no_links() -> None:
    text = (
        "ibgen: 1\ncluster: c\npools: [{name: nd, hosts: 'nd-[1-4]', platform: azure/Standard_ND96isr_H100_v5}]\n"
        "fabrics: [{name: ib, control: {kind: provider}, topology: {kind: opaque}, attach: [{pool: nd}]}]\n"
    )
    c, _ = compile(Input(Path("c.yaml"), text=text))
    plan = cluster_plan(c.spec, c.fabric)  # type: ignore[arg-type]
    assert (plan.subnets[0].hosts, plan.subnets[0].tiers) == (4, ())
    assert "the provider's own" in plan_text(plan)


@pytest.mark.parametrize(
    "topology",
    [
        "{kind: fat-tree, unit: 40, leaf: {switch: qm9700, downlinks: 65}, spine: {switch: qm9700}}",
        "{kind: dragonfly, switch: qm8700, groups: 4, a: 8, p: 30, h: 30}",
    ],
)
def test_a_fabric_with_errors_was_not_planned_and_its_links_are_nobodys(topology: str) -> None:
    text = (
        "ibgen: 1\ncluster: c\npools: [{name: gpu, hosts: 'n-[01-16]', platform: dgx-h100}]\n"
        f"fabrics: [{{name: ib, control: {{kind: opensm}}, topology: {topology}, attach: [{{pool: gpu, hcas: compute}}]}}]\n"
    )
    c, report = compile(Input(Path("c.yaml"), text=text))
    assert report.reaches(Severity.ERROR)
    assert c.spec is not None
    assert c.fabric is not None
    plan = cluster_plan(c.spec, c.fabric)
    said = plan_text(plan)
    assert f"ib: infiniband {c.spec.fabrics[0].topology.kind}, 16 hosts; not planned, because of the errors" in said
    assert "provider" not in said
    assert [f["planned"] for f in json.loads(plan_json(plan))["fabrics"]] == [False]


def test_json_is_complete_and_plain() -> None:
    document = json.loads(plan_json(planned(128)))
    (fabric,) = document["fabrics"]
    assert fabric["tiers"][0] == {
        "tier": "leaf", "switches": 32, "model": "qm9700",
        "ports": {"down": 1024, "up": 1024, "reserved": 0, "spare": 0}, "oversubscription": 1,
    }  # fmt: skip
    assert fabric["cables"][1] == {"between": "leaf-spine", "count": 1024, "rate_gbps": 400}
    assert fabric["growth"] == {"units": 4, "before_spines": 0, "before_tier": 4}
    assert (document["format"], document["version"]) == ("ibgen-plan", 1)


SCHEMAS = {name: json.loads((assets.schemas() / f"{name}.schema.json").read_text()) for name in ("plan", "simulation")}


@pytest.mark.parametrize("name", ["azure-burst", "dragonfly-1056", "multi-plane", "rail-only", "superpod-h100", "tenants"])
def test_json_is_of_its_schema_and_has_the_facts_of_the_text(name: str) -> None:
    c, _ = compile(Input(assets.examples() / f"{name}.yaml"))
    assert c.spec is not None
    assert c.fabric is not None
    plan, workloads = cluster_plan(c.spec, c.fabric), [w.name for w in c.spec.workloads]
    document = json.loads(plan_json(plan, c.simulation, workloads))
    jsonschema.validate(document, SCHEMAS["plan"])
    text = plan_text(plan, c.simulation, workloads=workloads)
    for fabric in document["fabrics"]:
        for pattern in (fabric["traffic"] or {"patterns": []})["patterns"]:
            assert f"{pattern['share']:.4f}" in text
            assert pattern["name"] in text
        assert all(step["step"] in text for step in fabric["chain"])
    assert [t["workload"] for t in document["training"]] == workloads


def test_islands_have_the_chain_of_all_and_the_traffic_of_one() -> None:
    """Eight rails of eight DGX hosts and a manager: 9 x 8 adapters of 400 Gb/s."""
    c, _ = compile(Input(assets.examples() / "rail-only.yaml"))
    assert c.spec is not None
    assert c.fabric is not None
    (fabric,) = json.loads(plan_json(cluster_plan(c.spec, c.fabric), c.simulation))["fabrics"]
    assert {s["step"]: s["offered_gbps"] for s in fabric["chain"]}["hca-leaf"] == 9 * 8 * 400
    assert fabric["traffic"]["studied"] == "compute-u01-r0"
    assert [p["share"] for p in fabric["traffic"]["patterns"]] == [1.0, 1.0]  # one switch: nothing meets


def test_what_plan_and_simulate_both_print_has_one_form() -> None:
    plan, simulation = SCHEMAS["plan"]["$defs"], SCHEMAS["simulation"]["$defs"]
    shared = [name for name in ("chain", "pattern", "outcome", "step", "axis", "sensitivity") if name in plan]
    assert "pattern" in shared
    assert all(plan[name] == simulation[name] for name in shared)


def test_rates_and_ratios() -> None:
    assert [rate(r) for r in (200, 9999, 409_600)] == ["200 Gb/s", "9999 Gb/s", "409.6 Tb/s"]
    assert [ratio(r) for r in (None, 1.6667, float("inf"))] == ["-", "1.67:1", "no uplink"]


def test_cables_of_one_host_and_of_one_switch() -> None:
    fabric = compiled(8, unit=4).fabric
    assert fabric is not None
    mine = list(cable_rows(fabric, hosts=["dgx-0003"]))
    assert len(mine) == 8
    assert {row.lower.split("/")[0] for row in mine} == {"dgx-0003"}
    leaf = fabric.subnets[0].switches.names[0]
    touching = list(cable_rows(fabric, switches=[leaf]))
    ends = [end.rsplit(":", 1) for row in touching for end in (row.lower, row.upper)]
    ports = [int(port) for name, port in ends if name == leaf]
    assert len(set(ports)) == len(ports) == len(touching) > 4


def test_cables_as_csv_and_json_are_the_same_rows() -> None:
    fabric = compiled(8, unit=4).fabric
    assert fabric is not None
    lines = cables_csv(cable_rows(fabric)).splitlines()
    rows = json.loads(cables_json(cable_rows(fabric)))["cables"]
    assert lines[0] == "fabric,between,lower,upper,rate_gbps,state"
    assert [line.split(",")[2:4] for line in lines[1:]] == [[row["lower"], row["upper"]] for row in rows]
    assert len(rows) == len(fabric.subnets[0].cables.kind)
    assert len(cables_table(cable_rows(fabric)).splitlines()) == len(lines)


def test_switches_star_made_up_guids() -> None:
    fabric = compiled(8, unit=4).fabric
    assert fabric is not None
    table = switches_table(fabric)
    assert "* made up" in table
    rows = json.loads(switches_json(fabric))["switches"]
    assert len(rows) == len(fabric.subnets[0].switches.names)
    assert not any(row["bound"] for row in rows)
    assert sum(row["up"] for row in rows if row["tier"] == "leaf") == sum(row["down"] for row in rows if row["tier"] == "spine")
