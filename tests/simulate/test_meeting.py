"""Why flows meet on the fullest cable: counted by hand on fabrics small enough to do so."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibgen.compiler import Input, compile
from ibgen.route import Removed, compute, graph
from ibgen.simulate.alike import alike
from ibgen.simulate.meeting import Meeting
from ibgen.simulate.named import WorstCable
from ibgen.simulate.study import Options, Study, study
from ibgen.units import ordinal

from . import fabrics

QUICK = Options(patterns=2, collectives=False)


def studied(text: str, *radixes: int, engine: str | None = None, without: Removed | None = None) -> Study:
    spec, fabric, targets, catalog = fabrics.loaded(text, *radixes)
    routes = compute(graph(fabric.subnets[0], without), engine) if engine else None
    return study(spec, fabric, targets, catalog, 0, routes, QUICK, without=without)


def tree(*shape: int, engine: str | None = None, without: Removed | None = None, adaptive: bool = False) -> Study:
    text, radix = fabrics.tree_spec(*shape)
    text = text.replace("routing: [ftree]", 'flavour: nvidia, version: "5.24", routing: [ar_updn]') if adaptive else text
    return studied(text, radix, engine=engine, without=without)


def first(s: Study) -> tuple[WorstCable, Meeting]:
    w = s.worst[0]
    assert w.meeting is not None
    return w, w.meeting


def test_destinations_that_d_mod_k_sends_by_one_uplink_have_one_place_on_their_leaves() -> None:
    """8 leaves of 8 hosts and 8 uplinks: 64 flows or fewer leave a leaf by 8, so one on each would do."""
    w, m = first(tree(8, 8, 8, 4))
    unit = int(w.start.name.split("-")[1].removeprefix("u")) if "-u" in w.start.name else int(w.start.name.split("-")[1])
    assert m.place == f"up from unit {unit} (n[{8 * unit - 7:05}-{8 * unit:05}])"
    assert m.least == 1 < w.load
    (place,) = {(int(to[1:6]) - 1) % 8 + 1 for _, to in w.flows}
    assert f"these {w.load} go to place {place} of their leaves: D-mod-k sends by number modulo 8 uplinks" in m.why


def test_what_no_routing_could_avoid_is_not_blamed_on_the_tables() -> None:
    """8 hosts behind one uplink."""
    w, m = first(tree(4, 8, 1, 1))
    assert m.least == w.load > 1
    assert "is the least any routing without detours can do" in m.why
    assert m.help == f"as many cables as flows: {w.load} here, where there are 1"


def test_cables_out_of_service_are_counted_and_come_back_first() -> None:
    """Of leaf 1 only one of eight uplinks is left: all that leaves it meets there."""
    subnet = fabrics.tree(8, 8, 8, 4)
    c = subnet.cables
    uplinks = [row for row in range(len(c.kind)) if c.kind[row] == 1 and c.lower[row] == 0]
    w, m = first(tree(8, 8, 8, 4, without=Removed(cables=tuple(uplinks[1:]))))
    assert w.start.name == subnet.switches.names[0] or w.end.name == subnet.switches.names[0]
    assert "7 of 8 are out of service" in m.why
    assert m.help == "bring the missing cables back"


def test_a_cable_is_traced_to_what_made_it() -> None:
    assert first(tree(8, 8, 8, 4))[1].path == ("fabrics", 0, "topology", "leaf")


def test_adaptive_fabrics_are_told_that_static_is_their_worst_case() -> None:
    said = first(tree(8, 8, 8, 4, adaptive=True))[1].help
    assert said.startswith("nothing to do: the manager's adaptive routing spreads flows over the 8 uplinks")
    assert said.endswith("static tables are its worst case")
    assert first(tree(8, 8, 8, 4))[1].help.startswith("adaptive routing, which spreads flows over the 8 uplinks")


def test_minhop_on_three_tiers_sends_all_of_a_spine_by_one_core_cable() -> None:
    """Leaf i keeps choosing spine i and spine i core i: the counters of both tiers see destinations in the same order."""
    found = tree(36, 6, 6, 6, 3, 6, engine="minhop")
    w, m = first(found)
    assert f"{w.load} flows share 6 uplinks" in m.why
    assert f"all that come up to {w.start.name} leave by this one, 5 beside it idle" in m.why
    assert m.help.startswith("`routing: [ftree]`")
    first_ftree = tree(36, 6, 6, 6, 3, 6, engine="ftree").worst[0]
    assert first_ftree.load < w.load


def test_groups_that_one_cable_joins() -> None:
    """9 groups of 4 routers with 2 hosts and 2 global cables each: 8 hosts of a group share one cable to another."""
    text = fabrics.spec_of(
        72, "{kind: dragonfly, switch: r8, a: 4, p: 2, h: 2}", control="{kind: opensm, routing: [minhop]}"
    )  # fmt: skip
    found = studied(text, 8, engine="minhop")
    assert found.worst
    for w in found.worst:
        assert w.meeting is not None
        if w.meeting.place.startswith("from group"):
            assert w.meeting.least == w.load  # one cable per pair: whatever goes between two groups straight is on it
        else:
            assert w.meeting.place.startswith("inside group")


@pytest.mark.parametrize(("radix", "said"), [(12, "each of these two has 5 ports free"), (7, "fewer hosts per router (`p`)")])
def test_a_full_cable_inside_a_group_is_helped_by_ports_that_are_free(radix: int, said: str) -> None:
    """A router of 3 local, 2 global and 2 host ports: 7 are taken."""
    text = fabrics.spec_of(72, "{kind: dragonfly, switch: rN, a: 4, p: 2, h: 2}", control="{kind: opensm, routing: [minhop]}")
    found = studied(text.replace("rN", f"r{radix}"), radix, engine="minhop")
    inside = [w.meeting.help for w in found.worst if w.meeting is not None and w.meeting.place.startswith("inside group")]
    assert inside
    assert all(said in text for text in inside)


def test_links_of_a_dragonfly_are_local_or_global() -> None:
    """9 groups of 4 routers: 4 x 3 local links in each group, 9 x 8 between groups, in both directions."""
    text = fabrics.spec_of(72, "{kind: dragonfly, switch: r8, a: 4, p: 2, h: 2}", control="{kind: opensm, routing: [minhop]}")
    found = studied(text, 8)
    links = {t.tier: t.links for t in found.tiers if t.pattern == "permutation"}
    assert links == {"from hosts": 72, "local": 9 * 4 * 3, "global": 9 * 8, "to hosts": 72}


RAILS = """\
ibgen: 1
cluster: rails
pools:
  - name: gpu
    hosts: "n[1-4]"
    platform: {kind: generic, gpu: H100-SXM, gpus: 2, hcas: [{name: a, rate: 400G, gpu: 0}, {name: b, rate: 400G, gpu: 1}]}
    exceptions: []
fabrics:
  - name: compute
    control: {kind: opensm, flavour: nvidia, version: "5.24"}
    topology: {kind: rail-only, unit: 4, leaf: {switch: qm9700}}
    attach: [{pool: gpu, hcas: compute}]
"""


def test_rails_without_a_spine_are_one_shape_and_one_that_lost_an_adapter_is_another() -> None:
    odd = RAILS.replace("exceptions: []", "exceptions: [{hosts: n2, hcas: {b: down}}]")
    groups = []
    for text in (RAILS, odd):
        c, _ = compile(Input(Path("rails.yaml"), text=text))
        assert c.fabric is not None
        groups.append(alike(c.fabric))
    assert groups == [((0, 1),), ((0,), (1,))]


@pytest.mark.parametrize(
    ("n", "said"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (112, "112th"), (2622, "2,622nd")]
)
def test_ordinals(n: int, said: str) -> None:
    assert ordinal(n) == said
