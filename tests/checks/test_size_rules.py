"""Fabrics that are far larger than their hosts need: said with both sizes, and the smaller one is what the planner makes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ibgen import compiler
from ibgen.compilation import Compilation
from ibgen.diagnostics import Diagnostic

SPEC = """\
ibgen: 1
cluster: lab
pools: [{name: gpu, hosts: "n[01-HOSTS]", platform: dgx-h200}]
fabrics:
  - name: net
    control: {kind: opensm, flavour: nvidia, version: "5.24", routing: [ar_updn]}
    topology: TOPOLOGY
    attach: [{pool: gpu, hcas: compute}]
requirements: {oversubscription: 1.1}
"""
FLIES = """\
ibgen: 1
cluster: flies
pools:
  - {name: cpu, hosts: "n[001-HOSTS]", platform: {kind: generic, hcas: [{name: mlx5_0, rate: HDR}]}}
  - {name: sm, hosts: "sm-[1-2]", schedulable: false, platform: {kind: generic, hcas: [{name: mlx5_0, rate: HDR}]}}
fabrics:
  - name: ib
    control: {kind: opensm, version: "3.3.23", hosts: [sm-1, sm-2]}
    topology: {kind: dragonfly, switch: qm8700, groups: 5, a: 8, p: 8, h: 8, reserve: {sm: 2}}
    attach: [{pool: cpu, hcas: all}, {pool: sm, hcas: all, at: reserved}]
"""


def tree(**keys: str) -> str:
    unit = f"unit: {keys['unit']}, " if "unit" in keys else ""
    more = keys.get("more", "")
    leaf = ", ".join(["switch: qm9700", *([f"downlinks: {keys['down']}"] if "down" in keys else [])])
    return f"{{kind: fat-tree, rails: aligned, {unit}{more}leaf: {{{leaf}}}, spine: {{switch: qm9700}}}}"


def compiled(text: str, code: str) -> tuple[Compilation, list[Diagnostic]]:
    found, report = compiler.compile(compiler.Input(Path("lab.yaml"), text=text))
    assert not [d for d in report.diagnostics if d.severity.value == "error"], report.diagnostics
    return found, [d for d in report.diagnostics if d.code.id == code]


def lab(hosts: int, topology: str) -> tuple[Compilation, list[Diagnostic]]:
    return compiled(SPEC.replace("HOSTS", f"{hosts:02}").replace("TOPOLOGY", topology), "IBG211")


def switches(c: Compilation) -> int:
    assert c.fabric is not None
    return len(c.fabric.subnets[0].switches.names)


@pytest.mark.parametrize(
    ("hosts", "wasteful", "modest"),
    [
        (16, tree(unit="8", down="32"), tree(down="32")),  # two half-empty leaves per rail
        (4, tree(unit="33", down="33"), tree()),  # 31 uplinks of eight leaves, and 32 ports in all
    ],
)
def test_many_switches_for_few_hosts_are_said_with_the_smaller_number(hosts: int, wasteful: str, modest: str) -> None:
    large, (said,) = lab(hosts, wasteful)
    small, none = lab(hosts, modest)
    have, cables, ports, fewer = (int(n) for n in re.findall(r"\d+", said.message)[:4])
    assert (have, fewer) == (switches(large), switches(small))
    assert ports == 8 * hosts
    assert cables > 2 * ports - 8 * hosts
    assert "`unit`" in said.hint
    assert none == []


def test_a_prime_number_of_uplinks_is_named_as_what_takes_so_many_spines() -> None:
    """66 hosts in units of 33: 16 leaves x 31 uplinks are 496 ports, 8 spines of 64 have them; 31 only divides by 31."""
    _, (said,) = lab(66, tree(unit="33", down="33"))
    assert "47 switches" in said.message
    assert "24 and 496 do" in said.message
    assert "spine: {count: 8}" in said.hint


@pytest.mark.parametrize(
    "topology", [tree(unit="32"), tree(unit="8", down="32", more="units: 2, "), tree(unit="16", down="16")]
)
def test_full_units_and_room_that_is_asked_for_are_not_oversized(topology: str) -> None:
    hosts = 64 if "unit: 32" in topology else 16
    assert lab(hosts, topology.replace("downlinks: 16", "downlinks: 16, uplinks: 16"))[1] == []


def test_a_group_for_managers_alone_is_said() -> None:
    """256 hosts fill four groups of 8 x 8; two reserved ports are a fifth one of eight routers."""
    _, (said,) = compiled(FLIES.replace("HOSTS", "256"), "IBG207")
    assert said.message == "group 5 holds nothing but reserved ports"
    assert dict(said.facts)["switches_added"] == 8
    assert compiled(FLIES.replace("HOSTS", "260"), "IBG207")[1] == []
