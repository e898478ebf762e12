"""RoCE: connections fall by a hash into equal ways, and a ring waits for its slowest hop."""

from __future__ import annotations

import pytest

from ibgen.simulate.results import Study
from ibgen.simulate.study import Options, study

from .fabrics import loaded

SPEC = """ibgen: 1
cluster: x
pools:
  - name: gpu
    hosts: "n[01-HOSTS]"
    platform: {kind: generic, gpu: H100-SXM, gpus: 1, hcas: [{name: mlx5_0, rate: RATE, gpu: 0}]}
fabrics:
  - name: roce
    kind: roce
    control: {kind: provider}
    topology: {kind: fat-tree, rails: host, unit: 8, leaf: {switch: sn5600, downlinks: 8, uplinks: 8}, spine: {switch: sn5600}}
    attach: [{pool: gpu, hcas: all}]
nccl: {version: "2.27"SETTINGS}
"""
MANY = ', pools: {gpu: {settings: {NCCL_IB_QPS_PER_CONNECTION: {value: "16", reason: "ECMP"}}}}'


def run(settings: str = "", hosts: int = 64, rate: str = "800G") -> Study:
    text = SPEC.replace("SETTINGS", settings).replace("HOSTS", f"{hosts:02}").replace("RATE", rate)
    return study(*loaded(text), 0, None, Options(patterns=20))


def share(s: Study, pattern: str) -> float:
    return next(p.share for p in s.patterns if p.name == pattern)


def test_more_queue_pairs_per_connection_spread_better() -> None:
    one, many = run(), run(MANY)
    assert share(many, "permutation") > share(one, "permutation") + 0.05
    assert any("one queue pair" in n for n in one.notes)
    assert any("16 queue pairs" in n for n in many.notes)


def test_random_traffic_on_one_queue_pair_is_balls_in_bins() -> None:
    """Seven of eight flows leave their leaf: seven balls in eight bins leave each (1 - (7/8)^7) / (7/8) = 0.694 on the way up
    (mean of 1/load), and about as much on the way down. The truth lies between
    one such meeting and two that are unconnected."""
    once = (1 - (7 / 8) ** 7) / (7 / 8)
    assert 1 / 8 + 7 / 8 * once**2 - 0.03 < share(run(), "permutation") < 1 / 8 + 7 / 8 * once


def test_uplinks_of_twice_the_rate_carry_two_flows_as_one() -> None:
    """400 Gb/s hosts under uplinks of 800 Gb/s, the switch's own rate: meeting one other costs nothing."""
    assert share(run(rate="400G"), "permutation") > share(run(), "permutation") + 0.1


def test_all_reduce_is_held_to_the_fullest_link_of_the_rings() -> None:
    """One flow of the ring leaves each leaf: with one queue pair it has a way to itself, so nothing is held back."""
    s = run()
    (ring,) = s.ratings
    assert ring.operation == "ring"
    assert ring.share == pytest.approx(1.0)
    assert s.collectives[0].curves
    assert s.halves is not None
    assert s.halves.ratio == pytest.approx(1.0)


def test_one_host_has_nobody_to_send_to_and_no_traceback() -> None:
    s = run(hosts=1)
    assert [p.flows for p in s.patterns] == [0]
    assert s.ratings == ()
