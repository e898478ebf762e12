"""Binding GUIDs to names: by description, by place, never by a guess."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibgen import assets
from ibgen.discover import Outcome, bind, bindings_text
from ibgen.fabric import Bindings, Fabric, read_bindings

from .dumps import FACTORY, LAB_DUMP, dump_of, fabric_of, read, real_guids, renamed

LAB = fabric_of((assets.examples() / "lab.yaml").read_text())
SYNTHETIC = read(LAB_DUMP)
NAMES = [name for name in SYNTHETIC.nodes.description if name.startswith("node-")]
SWITCHES = [name for name in SYNTHETIC.nodes.description if name.startswith(("leaf", "spine"))]
DUMP, NEW = real_guids(LAB_DUMP)
GUID = {name: NEW[guid] for name, guid in zip(SYNTHETIC.nodes.description, SYNTHETIC.nodes.guid.tolist(), strict=True)}
"""What each name's node GUID is in DUMP, by the order of the dump alone."""

TWO_FABRICS = """\
ibgen: 1
cluster: two
pools:
  - name: gpu
    hosts: node-[1-6]
    platform:
      kind: generic
      hcas: [{name: mlx5_0, rate: 200G}, {name: mlx5_1, rate: 200G}, {name: mlx5_2, rate: 200G, role: storage}]
fabrics:
  - name: compute
    control: {kind: opensm, routing: [updn], subnet_prefix: "0xfec0000000000001"}
    topology: {kind: fat-tree, rails: host, unit: 3, units: 2, leaf: {switch: qm8700}, spine: {switch: qm8700, count: 2}}
    attach: [{pool: gpu, hcas: compute}]
  - name: storage
    control: {kind: opensm, routing: [updn], subnet_prefix: "0xfec0000000000002"}
    topology: {kind: fat-tree, rails: host, unit: 6, leaf: {switch: qm8700}, spine: {switch: qm8700}}
    attach: [{pool: gpu, hcas: storage}]
"""
PLANES = """\
ibgen: 1
cluster: planes
pools:
  - name: gpu
    hosts: node-[1-6]
    platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G, ports: 2}, {name: mlx5_1, rate: 200G, ports: 2}]}
fabrics:
  - name: ib
    control: {kind: opensm, routing: [updn]}
    topology: {kind: fat-tree, rails: aligned, unit: 3, units: 2, leaf: {switch: qm8700}, spine: {switch: qm8700}, planes: 2}
    attach: [{pool: gpu, hcas: all}]
"""


def bound(outcome: Outcome) -> dict[str, int]:
    """Every row's node GUID, by the name that the node's description would have."""
    return {f"{r.host} {r.hca}".strip(): r.node_guid for r in outcome.rows}


def codes(outcome: Outcome) -> set[str]:
    return {f.code.name for f in outcome.findings}


def lab(text: str, before: Bindings | None = None) -> Outcome:
    return bind(LAB, before, [read(text)])


def saved(outcome: Outcome) -> tuple[Bindings, str]:
    text = bindings_text(outcome.rows)
    bindings, findings = read_bindings(text, "lab.guids.csv")
    assert findings == ()
    return bindings, text


def test_other_guids_under_the_same_names() -> None:
    outcome = lab(DUMP)
    assert bound(outcome) == GUID
    assert outcome.findings == ()
    assert outcome.unbound == outcome.extra == outcome.conflicts == ()
    assert all(r.port_guid == r.node_guid for r in outcome.rows), "as most adapters have it"
    assert {b.how for b in outcome.bound} == {"name"}


def test_port_guid_from_the_dump_not_from_arithmetic() -> None:
    text, new = real_guids(LAB_DUMP, port=lambda node, port: node + 8 + port)
    outcome = lab(text)
    assert {r.port_guid - r.node_guid for r in outcome.rows if r.hca} == {9}
    assert set(bound(outcome).values()) == set(new.values())


@pytest.mark.parametrize("seed", range(5))
def test_half_of_the_adapters_with_the_factory_text(seed: int) -> None:
    """K15: they are bound by the switch port they hang on, which their named neighbours confirm."""
    unnamed = random.Random(seed).sample(NAMES, len(NAMES) // 2)
    outcome = lab(renamed(DUMP, dict.fromkeys(unnamed, FACTORY)))
    assert bound(outcome) == GUID
    assert {f"{b.row.host} {b.row.hca}" for b in outcome.bound if b.how == "place"} == set(unnamed)
    assert codes(outcome) == {"nodes-unnamed"}


@pytest.mark.parametrize("text", ["localhost mlx5_0", "ubuntu HCA-1", "", "MT4129 ConnectX7   Mellanox Technologies", "  "])
def test_unnamed_in_other_ways(text: str) -> None:
    assert bound(lab(renamed(DUMP, dict.fromkeys(NAMES[::3], text)))) == GUID


def test_all_switches_unnamed() -> None:
    """Leaves by their adapters, spines by their leaves."""
    outcome = lab(renamed(DUMP, dict.fromkeys(SWITCHES, "Quantum Mellanox Technologies")))
    assert bound(outcome) == GUID
    assert sum(b.how == "place" for b in outcome.bound) == 4


def test_switches_with_names_of_the_site() -> None:
    """A switch's own name need not be the spec's; as NVIDIA's managed switches write it, it is read where it is."""
    assert bound(lab(renamed(DUMP, {s: f"sw-room2-{n}" for n, s in enumerate(SWITCHES)}))) == GUID
    outcome = lab(renamed(DUMP, {s: f"MF0;{s}:MQM8700/U1" for s in SWITCHES}))
    assert bound(outcome) == GUID
    assert {b.how for b in outcome.bound} == {"name"}


def test_nobody_has_a_name() -> None:
    outcome = lab(renamed(DUMP, dict.fromkeys([*NAMES, *SWITCHES, "head-01 mlx5_0"], FACTORY)))
    assert outcome.rows == ()
    assert codes(outcome) == {"subnet-unrecognised"}


def test_no_neighbour_confirms_the_places() -> None:
    """One switch, named, and only unnamed adapters: nothing shows that the cables run as planned."""
    text = (assets.examples() / "lab.yaml").read_text()
    single = fabric_of(
        re.sub(r"units: 2.*\n.*downlinks: 10.*\n.*spine:.*\n", "leaf: {switch: qm8700}\n", text).replace(
            "unit: 5 ", "unit: 11 "
        )
    )
    subnet = single.subnets[0]
    assert len(subnet.switches.names) == 1
    names = dict.fromkeys(re.findall(r'"((?:node|head)-\d+ mlx5_\d)"', dump_of(single, subnet)), FACTORY)
    outcome = bind(single, None, [read(renamed(dump_of(single, subnet), names))])
    assert [r.host for r in outcome.rows] == list(subnet.switches.names)
    assert all("no neighbour confirms" in u.why for u in outcome.unbound)
    names.pop("node-01 mlx5_0")
    assert len(bind(single, None, [read(renamed(dump_of(single, subnet), names))]).unbound) == 0


def test_exchanged_adapter_changes_one_line() -> None:
    """K16: a new GUID under the old name, on the same switch port."""
    before, old_text = saved(lab(DUMP))
    new = 0x9C63C00F00000000
    text = DUMP.replace(f"{GUID['node-04 mlx5_1']:x}", f"{new:x}")
    outcome = lab(text, before)
    new_text = bindings_text(outcome.rows, before, old_text)
    changed = [(a, b) for a, b in zip(old_text.splitlines(), new_text.splitlines(), strict=True) if a != b]
    assert [b.split(",")[:4] for _, b in changed] == [["node-04", "mlx5_1", "1", f"0x{new:016x}"]]
    finding = next(f for f in outcome.findings if f.code.name == "guid-changed")
    assert f"0x{GUID['node-04 mlx5_1']:016x} is gone" in finding.message
    assert f"0x{new:016x} is new on leaf-u01 port 8, name unchanged" in finding.message


def test_exchanged_adapter_without_a_name_yet() -> None:
    before, _ = saved(lab(DUMP))
    new = 0x9C63C00F00000000
    text = renamed(DUMP.replace(f"{GUID['node-04 mlx5_1']:x}", f"{new:x}"), {"node-04 mlx5_1": FACTORY})
    outcome = lab(text, before)
    assert bound(outcome) == GUID | {"node-04 mlx5_1": new}
    assert [b.state for b in outcome.bound if b.state != "same"] == ["changed"]


def test_adapter_moved_to_another_host() -> None:
    """Its old row goes: a GUID on two names would be an error of the next build."""
    before, _ = saved(lab(DUMP))
    guid = GUID["node-02 mlx5_0"]
    gone = re.sub(rf'(?m)^.*"H-{guid:016x}".*\n', "", DUMP)  # node-02 is switched off, its adapter sits in node-07
    text = gone.replace(f"{GUID['node-07 mlx5_0']:x}", f"{guid:x}")
    outcome = lab(text, before)
    assert bound(outcome)["node-07 mlx5_0"] == guid
    assert "node-02 mlx5_0" not in bound(outcome)
    assert [row.host for row, _ in outcome.gone] == ["node-02"]
    saved(outcome)


def test_rows_that_the_dump_does_not_speak_of_stay() -> None:
    before, old_text = saved(lab(DUMP))
    only = lab(re.sub(r"(?m)^.*node-0[3-9].*\n", "", DUMP), before)
    assert bindings_text(only.rows, before, old_text) == old_text
    assert only.unbound == ()


def test_names_known_before_need_no_name_now() -> None:
    before, old_text = saved(lab(DUMP))
    outcome = lab(renamed(DUMP, dict.fromkeys([*NAMES, *SWITCHES], FACTORY)), before)
    assert bindings_text(outcome.rows, before, old_text) == old_text
    assert {b.state for b in outcome.bound} == {"same"}


def test_system_image_guid_that_one_dump_lacks_is_kept() -> None:
    before, old_text = saved(lab(DUMP))
    outcome = lab(re.sub(r"(?m)^sysimgguid=.*\n", "", DUMP), before)
    assert bindings_text(outcome.rows, before, old_text) == old_text


def test_swapped_cables_are_said_and_names_win() -> None:
    """Two hosts on each other's port: the GUID belongs to the host that wrote its name, wherever its cable runs."""
    a, b = "node-01 mlx5_0", "node-07 mlx5_1"
    text = renamed(DUMP, {a: b, b: a})
    outcome = lab(text)
    assert bound(outcome) == GUID | {a: GUID[b], b: GUID[a]}
    assert {(c.name, c.where, c.planned) for c in outcome.conflicts} == {
        ("node-07/mlx5_1:1", "leaf-u01 port 1", "node-01/mlx5_0:1"),
        ("node-01/mlx5_0:1", "leaf-u02 port 4", "node-07/mlx5_1:1"),
    }
    assert codes(outcome) == {"name-against-place"}
    assert all(c.grave for c in outcome.conflicts)


def test_right_leaf_wrong_port_is_only_a_note() -> None:
    a, b = "node-01 mlx5_0", "node-02 mlx5_1"
    outcome = lab(renamed(DUMP, {a: b, b: a}))
    assert [c.grave for c in outcome.conflicts] == [False, False]
    assert {f.severity.value for f in outcome.findings} == {"note"}


def test_places_are_no_evidence_where_cables_are_not_as_planned() -> None:
    """All named hosts of a leaf at other ports: an unnamed one there is not guessed."""
    names = [n for n in NAMES if n < "node-06"]
    turned = dict(zip(names, [*names[2:], *names[:2]], strict=True))
    text = renamed(DUMP, turned | {names[0]: FACTORY})
    outcome = lab(text)
    missing = {u.name for u in outcome.unbound}
    assert missing == {f"{turned[names[0]].replace(' ', '/')}:1"}
    assert outcome.extra[0].guid == GUID[names[0]]
    assert "place does not tell" in outcome.extra[0].why


def test_two_hosts_of_one_name() -> None:
    """One stands where the plan has it and is bound; the other is nobody, and its own name stays without GUIDs."""
    outcome = lab(renamed(DUMP, {"node-08 mlx5_0": "node-03 mlx5_0"}))
    assert bound(outcome) == {name: guid for name, guid in GUID.items() if name != "node-08 mlx5_0"}
    assert {"name-seen-twice", "names-unbound", "node-not-in-spec"} <= codes(outcome)
    assert [u.name for u in outcome.unbound] == ["node-08/mlx5_0:1"]


def test_name_that_the_spec_lacks_is_not_bound_by_its_place() -> None:
    outcome = lab(renamed(DUMP, {"node-08 mlx5_0": "other-77 mlx5_0"}))
    assert "node-08 mlx5_0" not in bound(outcome)
    assert outcome.extra[0].why == "the spec has no such name; the plan has node-08/mlx5_0 there"
    assert outcome.unbound[0].why == "`other-77 mlx5_0` hangs at its place, leaf-u02 port 5"


def test_one_guid_on_two_adapters_is_bound_by_neither() -> None:
    """K13."""
    text = DUMP.replace(f"{GUID['node-02 mlx5_0']:x}", f"{GUID['node-05 mlx5_0']:x}")
    outcome = lab(text)
    assert not {"node-02 mlx5_0", "node-05 mlx5_0"} & bound(outcome).keys()
    assert len(outcome.rows) == 21


def test_zero_guid_is_bound_by_nobody() -> None:
    """K12."""
    outcome = lab(DUMP.replace(f"{GUID['node-02 mlx5_0']:016x}", "0" * 16).replace(f"{GUID['node-02 mlx5_0']:x}", "0"))
    assert "node-02 mlx5_0" not in bound(outcome)
    assert 0 not in bound(outcome).values()


@pytest.mark.parametrize("first", [1, 2])
def test_numbered_adapters(first: int) -> None:
    """`node-01 HCA-1`: the first adapter, unless the places show that they are counted otherwise (HCA-2 on some)."""
    names = {n: f"{n.split()[0]} HCA-{int(n[-1]) + first}" for n in NAMES}
    some = {n: text for n, text in names.items() if first == 1 or n > "node-03"}
    outcome = lab(renamed(DUMP, some))
    assert bound(outcome) == GUID


def test_pci_names() -> None:
    """Another scheme on some hosts: the host is known, the adapter by its place; where it is the only one, at once."""
    names = {n: f"{n.split()[0]} ibp{2 * int(n[-1]) + 24}s0f0" for n in NAMES if n > "node-05"} | {
        "head-01 mlx5_0": "head-01 ibp3s0"
    }
    assert bound(lab(renamed(DUMP, names))) == GUID


def test_capitals_and_blanks_and_domains() -> None:
    names = {n: f" {n.split()[0].upper()}.example.org  {n.split()[1]} " for n in NAMES}
    outcome = lab(renamed(DUMP, names | {s: s.upper() for s in SWITCHES}))
    assert bound(outcome) == GUID
    assert codes(outcome) == {"names-differ-in-case"}


def test_aggregation_nodes_are_nobody() -> None:
    leaf = GUID["leaf-u01"]
    node = f'[41]\t"H-{leaf + 8:016x}"[1]({leaf + 8:x}) \t\t# "Mellanox Technologies Aggregation Node" lid 0 4xHDR\n'
    text = re.sub(rf'(?m)^(Switch\t)40( "S-{leaf:016x}".*\n)', rf"\g<1>41\2{node}", DUMP)
    head = f'Ca\t1 "H-{leaf + 8:016x}"\t\t# "Mellanox Technologies Aggregation Node"'
    text += f'\n{head}\n[1]({leaf + 8:x}) \t"S-{leaf:016x}"[41]\t\t# lid 0 lmc 0 "leaf-u01" lid 0 4xHDR\n'
    outcome = lab(text)
    assert bound(outcome) == GUID
    assert outcome.findings == ()


def test_dump_of_a_simulation_is_said() -> None:
    assert codes(lab(LAB_DUMP)) == {"guids-simulated"}


def test_adapter_without_cable_says_so() -> None:
    guid = GUID["node-09 mlx5_1"]
    text = re.sub(rf'(?m)^\[\d+\].*"H-{guid:016x}".*\n', "", DUMP)
    text = re.sub(rf"(?m)^\[1\]\({guid:x}\).*\n", "", text)
    outcome = lab(text)
    why = "its adapter is there, but port 1 has no cable"
    assert [(u.name, u.why) for u in outcome.unbound] == [("node-09/mlx5_1:1", why)]


def two(fabric: Fabric, seed: int = 3) -> list[str]:
    """A dump of each subnet, the adapters' GUIDs alike in all."""
    dumps = [dump_of(fabric, s) for s in fabric.subnets]
    whole, _ = real_guids("\f".join(dumps), seed, port=lambda node, port: node + port - 1)
    return whole.split("\f")


def test_dump_of_the_storage_fabric_binds_no_compute() -> None:
    fabric = fabric_of(TWO_FABRICS)
    compute, storage = two(fabric)
    outcome = bind(fabric, None, [read(storage)])
    assert {r.hca for r in outcome.rows} == {"mlx5_2", ""}
    assert [t.dumps for t in outcome.tallies] == [(), ("fabric.txt",)]
    assert outcome.unbound == ()
    unnamed = re.sub(r'"[^"S-][^"]*"(?= lid|\n| enh)', f'"{FACTORY}"', storage)
    assert bind(fabric, None, [read(unnamed)]).rows == ()
    both = bind(fabric, None, [read(storage, "s"), read(compute, "c")])
    assert both.findings == outcome.findings == ()
    assert len(both.rows) == 18 + sum(len(s.switches.names) for s in fabric.subnets)


def test_two_dumps_in_one_file() -> None:
    fabric = fabric_of(TWO_FABRICS)
    outcome = bind(fabric, None, [read("\n".join(two(fabric)))])
    assert outcome.unbound == outcome.findings == ()


def test_planes_share_adapters() -> None:
    """Port 1 of each adapter on plane 1, port 2 on plane 2; one node GUID, two port GUIDs."""
    fabric = fabric_of(PLANES)
    one, other = two(fabric)
    outcome = bind(fabric, None, [read(one, "p1"), read(other, "p2")])
    assert outcome.findings == ()
    ports = {(r.host, r.hca, r.port): r for r in outcome.rows if r.hca}
    assert len(ports) == 24
    assert all(r.port_guid == r.node_guid + r.port - 1 for r in ports.values())
    first = bind(fabric, None, [read(one, "p1")])
    assert {r.port for r in first.rows if r.hca} == {1}


def test_exchanged_adapter_takes_its_other_plane_along() -> None:
    """The row of a port that no dump shows names an adapter that is gone: it is not kept."""
    fabric = fabric_of(PLANES)
    one, other = two(fabric)
    before, _ = saved(bind(fabric, None, [read(one, "p1"), read(other, "p2")]))
    guid = next(r.node_guid for r in before.rows if (r.host, r.hca) == ("node-2", "mlx5_0"))
    outcome = bind(fabric, before, [read(one.replace(f"{guid:x}", f"{0x9C63C00F00000000:x}"), "p1")])
    assert [(row.host, row.hca, row.port) for row, _ in outcome.gone] == [("node-2", "mlx5_0", 2)]


def test_two_dumps_of_different_days_disagree() -> None:
    old, new = DUMP, DUMP.replace(f"{GUID['node-04 mlx5_1']:x}", f"{0x9C63C00F00000000:x}")
    outcome = bind(LAB, None, [read(old, "old"), read(new, "new")])
    assert "node-04 mlx5_1" not in bound(outcome)
    assert "name-seen-twice" in codes(outcome)


def test_planned_and_broken_hosts() -> None:
    text = (assets.examples() / "lab.yaml").read_text()
    state = text.replace(
        "  - name: head\n",
        "    exceptions: [{hosts: node-08, state: planned}, {hosts: node-09, state: down}]\n  - name: head\n",
        1,
    )
    outcome = bind(fabric_of(state), None, [read(re.sub(r"(?m)^.*node-0[89].*\n", "", DUMP))])
    assert {u.name for u in outcome.unbound} == {"node-09/mlx5_0:1", "node-09/mlx5_1:1"}
    assert all(u.why.startswith("it is out of service; nothing hangs at its place") for u in outcome.unbound)


def test_any_order_of_lines_gives_the_same_rows() -> None:
    records = DUMP.strip().split("\n\n")
    text = renamed(DUMP, dict.fromkeys([*NAMES[::2], *SWITCHES], FACTORY))
    expected = bindings_text(lab(text).rows)
    for seed in range(4):
        random.Random(seed).shuffle(records)
        shuffled = renamed("\n\n".join(records), dict.fromkeys([*NAMES[::2], *SWITCHES], FACTORY))
        assert bindings_text(lab(shuffled).rows) == expected


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_whatever_is_missing_nothing_is_bound_wrongly(data: st.DataObject) -> None:
    """Names lost, lines lost, cables of named hosts swapped: a row is the right one, or there is none."""
    draw = random.Random(data.draw(st.integers(0, 2**32)))
    unnamed = draw.sample([*NAMES, *SWITCHES], draw.randrange(len(NAMES) + 5))
    named = [n for n in NAMES if n not in unnamed]
    one, other = draw.sample(named, 2) if len(named) > 1 and draw.random() < 0.5 else ("", "")
    names = dict.fromkeys(unnamed, FACTORY) | ({one: other, other: one} if one else {})
    truth = GUID | ({one: GUID[other], other: GUID[one]} if one else {})
    lines = renamed(DUMP, names).split("\n")
    for _ in range(draw.choice((0, 1, 5, 40))):
        del lines[draw.randrange(len(lines))]
    at = draw.randrange(len(lines))
    del lines[at : at + draw.choice((0, 0, 10, 60))]
    found = bound(lab("\n".join(lines)))
    assert {n: g for n, g in found.items() if truth[n] != g} == {}


def test_comments_in_the_bindings_stay(tmp_path: Path) -> None:
    _, text = saved(lab(DUMP))
    lines = text.splitlines()
    noted = "\n".join(["# of the lab", lines[0], *lines[1:4], "# this one was sent in", *lines[4:], "# end", ""])
    before, findings = read_bindings(noted, "lab.guids.csv")
    assert findings == ()
    assert bindings_text(lab(DUMP, before).rows, before, noted) == noted


def test_rows_are_sorted_as_people_count() -> None:
    fabric = fabric_of(
        TWO_FABRICS.replace("node-[1-6]", "node-[1-12]")
        .replace("unit: 3", "unit: 6")
        .replace("unit: 6, leaf", "unit: 12, leaf")
    )
    outcome = bind(fabric, None, [read(t, str(n)) for n, t in enumerate(two(fabric))])
    hosts = list(dict.fromkeys(r.host for r in outcome.rows if r.hca))
    assert hosts == [f"node-{n}" for n in range(1, 13)]
    assert bindings_text(outcome.rows).startswith("host,hca,port,node_guid,port_guid,system_image_guid\nnode-1,mlx5_0,1,0x")
