from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Path, Severity
from ibgen.simulate import Simulation
from ibgen.spec import ClusterSpec


@rule("IBG520", "effective-bandwidth", Severity.ERROR)
def effective_bandwidth(spec: ClusterSpec, simulation: Simulation) -> Iterator[Finding]:
    """Routes that keep less bandwidth than `requirements.effective_bandwidth` asks for.

    Half of the endpoints send to the other half, one way, in random pairs; each flow gets 1 / (largest load on its way) of the
    line rate, and the mean over flows and patterns is held against the requirement. A full tree has cables for 1.0, but static
    routes let flows meet: about 0.82 remains on two tiers and 0.67 on three. A tapered tree keeps less. Where the manager
    routes adaptively, the declared share of adaptive routing counts instead, if that is more. The facts name the model, the
    seed and the standard error; `ibgen simulate` names the fullest cables.

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
        if limit is None or found.share >= limit:
            continue
        at: Path = ("requirements", "effective_bandwidth")
        if isinstance(asked, dict):
            at = (*at, name)
        p = found.bisection
        facts = {
            "static routes": f"{p.share:.4g} of line rate +- {p.standard_error or 0:.2g}",
            "patterns": f"{p.patterns} bisections, seed {p.seed}",
            "fullest link": f"{p.max_load} flows of {p.flows}",
            "model": p.model,
        }
        if found.declared is not None:
            facts["adaptive routing"] = f"{found.declared:.4g} declared, {found.source}"
        yield effective_bandwidth.finding(
            f"{found.subnet} keeps {found.share:.3g} of the line rate across the bisection, the spec asks for {limit:.3g}",
            at,
            label=f"{found.share:.3g}",
            labels=[Label(("fabrics", found.fabric, "topology"), "of this shape")],
            hint=f"add uplinks, choose another engine, or ask for {found.share:.2f} at most",
            facts=facts,
        )
