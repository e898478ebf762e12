from __future__ import annotations

from collections.abc import Iterator
from math import floor

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Path, Severity
from ibgen.simulate import Simulation
from ibgen.simulate.effective import EffectiveBandwidth
from ibgen.spec import ClusterSpec


@rule("IBG520", "effective-bandwidth", Severity.ERROR)
def effective_bandwidth(spec: ClusterSpec, simulation: Simulation) -> Iterator[Finding]:
    """Routes that keep less bandwidth than `requirements.effective_bandwidth` asks for.

    Half of the endpoints send to the other half, one way, in random pairs; each flow gets 1 / (largest load on its way) of the
    line rate, and the mean over flows and patterns is held against the requirement. A full tree has cables for 1.0, but static
    routes let flows meet: about 0.82 remains on two tiers and 0.67 on three. A tapered tree keeps less, though not in
    proportion: only half of a leaf's endpoints send. The facts name the model, the seed and the standard error;
    `ibgen simulate` names the fullest cables.

    Where the manager routes adaptively there is a second figure, which nothing here computes: a share that is declared in the
    catalog. It is an error where even that is less than is asked. Where the static routes fall short and only a declared share
    that no document backs would do, it is a warning with both figures.

    Add uplinks, use an engine that spreads evenly (`ftree`, or an adaptive one), or ask for less.

    Bad:
        requirements: {effective_bandwidth: {compute: 0.8}}
        fabrics: [{name: compute, control: {routing: [updn]}, topology: {leaf: {uplinks: 2}}}]
    Good:
        requirements: {effective_bandwidth: {compute: 0.6}}
    """
    asked = spec.requirements.effective_bandwidth
    for found in simulation.required:
        name = spec.fabrics[found.fabric].name
        limit = asked.get(name) if isinstance(asked, dict) else asked
        if limit is None or found.bisection.share >= limit or (found.verified and found.reach >= limit):
            continue
        at: Path = ("requirements", "effective_bandwidth")
        if isinstance(asked, dict):
            at = (*at, name)
        declared_only = found.reach >= limit
        static = _below(found.bisection.share, limit)
        hint = f"add uplinks, choose another engine, or ask for {_floor(found.bisection.share)} at most"
        if declared_only:
            hint += "; or measure it, and say so in an own catalog file (`adaptive: [{id: infiniband, override: true, ...}]`)"
        yield effective_bandwidth.finding(
            _message(found, limit, declared_only),
            at,
            label=static + (" by static routes" if found.declared is not None else ""),
            labels=[Label(("fabrics", found.fabric, "topology"), "of this shape")],
            hint=hint,
            facts=_facts(found),
            severity=Severity.WARNING if declared_only else Severity.ERROR,
        )


def _message(found: EffectiveBandwidth, limit: float, declared_only: bool) -> str:
    kept = f"{found.subnet}: static routes keep {_below(found.bisection.share, limit)} of the line rate where half of the"
    kept += f" endpoints send to the other half, the spec asks for {limit:.4g}"
    if found.declared is None:
        return kept
    if declared_only:
        return f"{kept}; only a declared, unverified share of adaptive routing ({found.declared:.3g}) would reach it"
    return f"{kept}; even the declared share of adaptive routing is {_below(found.declared, limit)}"


def _facts(found: EffectiveBandwidth) -> dict[str, str]:
    p = found.bisection
    facts = {
        "static routes": f"{p.share:.4g} of line rate +- {p.standard_error or 0:.2g}",
        "patterns": f"{p.patterns} bisections, seed {p.seed}",
        "fullest link": f"{p.max_load} flows of {p.flows}",
        "model": p.model,
    }
    if found.declared is not None:
        facts["adaptive routing"] = f"{found.declared:.4g} declared, {found.source}"
    return facts


def _below(share: float, limit: float) -> str:
    """With as many digits as it takes to see that it is less."""
    return f"{share:.3g}" if f"{share:.3g}" != f"{limit:.3g}" else f"{share:.5g}"


def _floor(share: float) -> str:
    return f"{floor(share * 100 + 1e-9) / 100:.2f}"
