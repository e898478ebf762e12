from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Severity
from ibgen.spec import ClusterSpec


@rule("IBG326", "version-of-other-flavour", Severity.ERROR)
def version_of_other_flavour(spec: ClusterSpec) -> Iterator[Finding]:
    """A version of OpenSM that the stated flavour never had.

    Upstream's releases are 3.x (3.3.23), those of NVIDIA's manager 4.x and 5.x (5.24). The flavour decides which engines and
    options are written; a manager of the other kind ignores half of them.

    Bad:
        fabrics: [{name: compute, control: {flavour: upstream, version: "5.24", routing: [updn]}}]
    Good:
        fabrics: [{name: compute, control: {flavour: nvidia, version: "5.24"}}]
    """
    for i, fabric in enumerate(spec.fabrics):
        control = fabric.control
        if control.kind != "opensm" or control.version is None:
            continue
        upstream = int(control.version.partition(".")[0]) <= 3
        if upstream != (control.flavour == "upstream"):
            other = "upstream" if upstream else "nvidia"
            yield version_of_other_flavour.finding(
                f"OpenSM {control.version} is of flavour `{other}`, not `{control.flavour}`",
                ("fabrics", i, "control", "version"),
                labels=[Label(("fabrics", i, "control", "flavour"), "the flavour")],
                hint=f"write `flavour: {other}`, or correct the version (`opensm --version`)",
            )
