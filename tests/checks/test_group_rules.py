"""Oversubscription of dragonflies: who is judged by what, and each fault once."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibgen import compiler

SPEC = """\
ibgen: 1
cluster: lab
pools: [{name: gpu, hosts: "node-[001-HOSTS]", platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G}]}}]
fabrics:
  - name: flies
    control: {kind: opensm}
    topology: TOPOLOGY
    attach: [{pool: gpu, hcas: all}]
requirements: {oversubscription: ASKED}
"""
PLUS = "{kind: dragonfly-plus, groups: 4, links: LINKS, leaf: {switch: qm8700, downlinks: 20}, spine: {switch: qm8700}}"


def found(hosts: int, topology: str, asked: str = "1.0") -> dict[str, str]:
    """Code -> message of what is said of bandwidth."""
    text = SPEC.replace("HOSTS", f"{hosts:03}").replace("TOPOLOGY", topology).replace("ASKED", asked)
    _, report = compiler.compile(compiler.Input(Path("lab.yaml"), text=text))
    assert not [d for d in report.diagnostics if d.code.id.startswith("IBG0")]
    return {d.code.id: d.message for d in report.diagnostics if d.code.id in ("IBG201", "IBG202", "IBG209", "IBG503")}


def test_a_balanced_dragonfly_is_clean() -> None:
    assert found(72, "{kind: dragonfly, switch: qm8700, a: 4, p: 2, h: 2}") == {}


def test_a_router_is_judged_by_hosts_over_local_and_global_cables() -> None:
    """Eight hosts over one local and two global cables: 8/3."""
    said = found(80, "{kind: dragonfly, switch: qm8700, a: 2, p: 8, h: 2}")
    assert said["IBG201"] == "10 routers carry 2.67:1, the spec asks for 1:1"
    assert said["IBG209"] == "5 groups carry 4.00:1 outward, the spec asks for 1:1"
    assert set(found(80, "{kind: dragonfly, switch: qm8700, a: 2, p: 8, h: 2}", "{flies: {group: 4}}")) == set()


@pytest.mark.parametrize(("links", "codes"), [(133, set()), (60, {"IBG209"})])
def test_what_leaves_the_groups_of_a_dragonfly_plus_is_one_fault_not_two(links: int, codes: set[str]) -> None:
    """400 hosts a group over 3 x 133 or 3 x 60 cables: spines lie beside each other, so the group is judged, not they."""
    said = found(960, PLUS.replace("LINKS", str(links)), "{flies: {leaf: 1, spine: 1, group: 1.01}}")
    assert set(said) == codes
