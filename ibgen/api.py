"""ibgen from Python: the same passes as the command line, with paths in and values out. `import ibgen` is enough.

cluster, report = ibgen.load("pod-a.yaml")
report = ibgen.check("pod-a.yaml", overlays=["prod.yaml"])
report, plan = ibgen.build("pod-a.yaml", "out")
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ibgen import compiler
from ibgen.compilation import Compilation
from ibgen.diagnostics import Report
from ibgen.simulate import Simulation
from ibgen.spec import ClusterSpec
from ibgen.write import WritePlan

Named = str | os.PathLike[str]


def compile(spec: Named, overlays: Sequence[Named] = ()) -> tuple[Compilation, Report]:
    """Every pass up to the rules. Never raises on what a spec says: look at the report."""
    return compiler.compile(compiler.Input(Path(spec), tuple(Path(o) for o in overlays)))


def load(spec: Named, overlays: Sequence[Named] = ()) -> tuple[ClusterSpec | None, Report]:
    """The spec as values, None where it cannot be read."""
    compilation, report = compile(spec, overlays)
    return compilation.spec, report


def check(spec: Named, overlays: Sequence[Named] = ()) -> Report:
    """What can be said about a spec."""
    return compile(spec, overlays)[1]


def simulation(spec: Named, overlays: Sequence[Named] = ()) -> Simulation | None:
    """The counting chain, traffic and training steps of a spec; None where a pass before it failed."""
    return compile(spec, overlays)[0].simulation


def build(
    spec: Named, out: Named, overlays: Sequence[Named] = (), *, force: bool = False, check: bool = False
) -> tuple[Report, WritePlan | None]:
    """Writes the tree, or with `check` only says whether it is stale. With errors nothing is written and the plan is None."""
    given = compiler.Input(Path(spec), tuple(Path(o) for o in overlays))
    return compiler.build(given, Path(out), force=force, check=check)
