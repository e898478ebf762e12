"""Managers: where there is nothing to manage, and a pair that stands in for each other."""

from __future__ import annotations

from pathlib import Path

from ibgen import compiler
from ibgen.diagnostics import Diagnostic

SPEC = """\
ibgen: 1
cluster: lab
pools:
  - {name: gpu, hosts: "dgx-[01-15]", platform: dgx-h200}
  - {name: sm, hosts: "sm-[01-02]", schedulable: false, platform: {kind: generic, hcas: [{name: mlx5_0, rate: NDR}]}}
fabrics:
  - name: compute
    control: {kind: opensm, flavour: nvidia, version: "5.24", hosts: [HOSTS], routing: [ar_updn]}
    topology: {kind: fat-tree, rails: aligned, unit: 16, leaf: {switch: qm9700}, spine: {switch: qm9700}, reserve: {sm: 2}}
    attach: [{pool: gpu, hcas: compute}, {pool: sm, hcas: all, at: reserved}]
requirements: {survive: {leaf: 1}}
"""
ROCE = """\
ibgen: 1
cluster: lab
pools: [{name: gpu, hosts: "n[01-08]", platform: {kind: generic, hcas: [{name: mlx5_0, rate: 400G}]}}]
fabrics:
  - name: net
    kind: roce
    CONTROL
    topology: {kind: fat-tree, leaf: {switch: sn5600}}
    attach: [{pool: gpu, hcas: all}]
"""


def said(text: str, code: str) -> list[Diagnostic]:
    _, report = compiler.compile(compiler.Input(Path("lab.yaml"), text=text))
    return [d for d in report.diagnostics if d.code.id == code]


def test_a_pair_of_managers_on_two_leaves_survives_either() -> None:
    """One port each, on the leaves of rails 0 and 1: whichever fails, a manager is left."""
    assert said(SPEC.replace("HOSTS", "sm-01, sm-02"), "IBG521") == []


def test_a_lone_manager_is_told_of_a_second_adapter_and_not_of_rails() -> None:
    (found,) = said(SPEC.replace("HOSTS", "sm-01"), "IBG521")
    assert "2 hosts hang on one leaf" in found.message
    assert "second adapter of sm-01" in found.hint
    assert "rails" not in found.hint, "they are aligned already"


def test_hosts_with_all_adapters_on_one_leaf_are_told_of_rails() -> None:
    text = SPEC.replace("HOSTS", "sm-01, sm-02").replace("rails: aligned, unit: 16", "rails: host, unit: 3")
    (found,) = said(text, "IBG521")
    assert "`rails: aligned`" in found.hint


def test_ethernet_without_control_is_offered_the_provider() -> None:
    (found,) = said(ROCE.replace("    CONTROL\n", ""), "IBG031")
    assert "`control: {kind: provider}`" in found.hint
    assert said(ROCE.replace("CONTROL", "control: {kind: provider}"), "IBG031") == []


def test_no_subnet_manager_runs_ethernet() -> None:
    (found,) = said(ROCE.replace("CONTROL", "control: {kind: ufm}"), "IBG338")
    assert found.span.line == 7
    assert "provider" in found.hint
    assert said(ROCE.replace("CONTROL", "control: {kind: provider}"), "IBG338") == []
