"""Storage traffic: who counts as a server, which cable is the worst, what clients and servers carry. Counted by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ibgen.compiler import Input, compile
from ibgen.render.simulation import Simulated
from ibgen.render.simulation_text import simulation_text
from ibgen.simulate.chain import chain_steps
from ibgen.simulate.study import Options, Study, study

SPEC = """\
ibgen: 1
cluster: files
pools:
  - name: gpu
    hosts: "n[1-6]"
    platform:
      kind: generic
      gpu: H100-SXM
      gpus: 1
      hcas: [{name: c, rate: 400G, gpu: 0}, {name: s, rate: 400G, role: storage}]
  - name: servers
    hosts: "stor-[1-2]"
    slots: {stor-1: 7, stor-2: 8}
    schedulable: false
    platform: {kind: generic, hcas: [{name: s, rate: 200G, role: storage}]}
  - name: managers
    hosts: "sm-[1-2]"
    slots: {sm-1: 9, sm-2: 10}
    schedulable: false
    platform: {kind: generic, hcas: [{name: s, rate: 400G, role: storage}]}
fabrics:
  - name: files
    control: {kind: opensm, flavour: nvidia, version: "5.24", hosts: [sm-1, sm-2]}
    topology:
      kind: fat-tree
      rails: host
      unit: 5
      units: 2
      leaf: {switch: qm9700, downlinks: 10, uplinks: 10}
      spine: {switch: qm9700, count: 2}
    attach:
      - {pool: gpu, hcas: storage}
      - {pool: servers, hcas: all}
      - {pool: managers, hcas: all}
"""


def studied(text: str = SPEC) -> tuple[Study, Simulated]:
    c, report = compile(Input(Path("files.yaml"), text=text))
    assert c.spec is not None, report
    assert c.fabric is not None, report
    assert c.targets is not None, report
    assert c.catalog is not None, report
    s = study(c.spec, c.fabric, c.targets, c.catalog, 0, None, Options(patterns=2, collectives=False))
    steps = chain_steps(c.fabric.subnets[0], c.fabric, ())
    return s, Simulated("files", ("gpu", "servers", "managers"), (), None, steps, (s,))


def test_managers_with_a_storage_port_are_no_servers() -> None:
    """6 clients on 2 servers of 200 Gb/s: 3 flows on each of 25 GB/s. With two managers among them it would be 1 or 2."""
    s, _ = studied()
    (incast,) = (p for p in s.patterns if p.name == "storage incast")
    assert (incast.flows, incast.max_load) == (6, 3)
    (rate,) = (r for r in s.rates if r.pattern == "storage incast")
    assert rate.min_gbs == pytest.approx(25 / 3)
    assert s.storage is not None
    assert (s.storage.clients, s.storage.servers) == (6, 2)
    assert s.storage.ratio == pytest.approx(6 * 400 / (2 * 200))


def test_the_worst_cable_of_a_storage_fabric_is_a_server_s() -> None:
    """Its permutation meets somewhere too, but nobody's job sends one."""
    w = studied()[0].worst[0]
    assert (w.pattern, w.load) == ("storage incast", 3)
    assert w.end.name.startswith("stor-")


def test_a_fabric_of_storage_does_not_match_from_end_to_end_where_servers_are_fewer() -> None:
    s, whole = studied()
    text = " ".join(simulation_text(whole).split())
    assert "matches up to the storage servers, which all clients at once outweigh 6.00:1" in text
    assert "from end to end" not in text
    assert "6 client ports of 2400 Gb/s write to 2 server ports of 400 Gb/s, 6.00:1" in text
    alone = replace(whole, studies=(replace(s, storage=None),))
    assert "matches from end to end" in " ".join(simulation_text(alone).split())
