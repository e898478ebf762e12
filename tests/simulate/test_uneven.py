"""All-to-all on fabrics whose uplinks are faster than their hosts."""

from __future__ import annotations

import numpy as np

from ibgen import assets
from ibgen.compiler import Input, compile
from ibgen.route import graph
from ibgen.simulate.results import PatternResult
from ibgen.simulate.study import Options, study
from ibgen.simulate.uneven import by_rate, every_pair_by_rate


def test_two_flows_of_a_fast_uplink_are_one_of_a_host() -> None:
    """25 GB/s hosts under 50 GB/s uplinks: 2 flows there fill it as 1 fills a host's link, 3 as 1.5, rounded up."""
    filled = by_rate(np.array([2, 3, 0, 4]), np.array([50.0, 50.0, 0.0, 25.0]), 25.0)
    assert filled.tolist() == [1, 2, 0, 4]


def test_the_share_is_that_of_the_slowest_link_by_its_rate() -> None:
    """Each of 5 hosts sends 4 flows; 6 flows on 50 GB/s leave 8.33 each, 4 on a host's own 25 GB/s 6.25: all of its line."""
    every = PatternResult("all-to-all", "m", 20, 1, None, 4 / 6, None, 6, 0)
    hosts, own = np.full(5, 4), np.full(5, 25.0)
    assert every_pair_by_rate(every, np.array([6]), hosts, np.array([50.0]), own, 25.0).share == 1.0
    assert every_pair_by_rate(every, np.array([16]), hosts, np.array([50.0]), own, 25.0).share == 0.5


def test_split_leaves_under_whole_uplinks_carry_an_all_to_all() -> None:
    """The example's leaves have 63 host ports of 200 Gb/s and 32 uplinks of 400: 0.99:1, so D-mod-k holds nothing back."""
    c, _ = compile(Input(assets.examples() / "multi-plane.yaml"))
    assert c.spec is not None
    assert c.fabric is not None
    assert c.targets is not None
    assert c.catalog is not None
    found = study(c.spec, c.fabric, c.targets, c.catalog, 0, None, Options(patterns=2, collectives=False))
    every = next(p for p in found.patterns if p.name == "all-to-all")
    assert every.share == 1.0
    assert every.max_load > graph(c.fabric.subnets[0]).endpoints  # by counts alone it would be held back
    assert any("Links differ in rate" in note for note in found.notes)
