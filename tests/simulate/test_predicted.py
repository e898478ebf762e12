"""Imported tables beside those the spec's engine comes to."""

from __future__ import annotations

import numpy as np

from ibgen.route import compute, graph
from ibgen.simulate.predicted import compared

from .fabrics import loaded, tree_spec


def test_tables_of_the_specs_engine_are_no_finding_and_others_are_counted() -> None:
    text, radix = tree_spec(16, 4, 4, 0, 3, 4)
    spec, fabric, _, _ = loaded(text, radix)
    s = fabric.subnets[0]
    g = graph(s)
    roots = np.flatnonzero(g.tier == 2).tolist()
    assert compared(compute(g, "ftree", roots), spec, s, roots, "x") == ()
    other = compute(g, "minhop")
    (finding,) = compared(other, spec, s, roots, "x")
    count = int((other.lft != compute(g, "ftree", roots).lft).sum())
    assert finding.code.id == "IBG877"
    assert finding.message.startswith(f"{count:,} of {g.endpoints * g.switches:,} entries differ from ftree")
