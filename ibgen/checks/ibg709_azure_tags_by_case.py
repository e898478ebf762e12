from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Severity
from ibgen.spec import ClusterSpec


@rule("IBG709", "azure-tags-by-case", Severity.ERROR)
def azure_tags_by_case(spec: ClusterSpec) -> Iterator[Finding]:
    """Two tags whose names differ only in upper and lower case.

    Azure's tag names do not tell case apart: one of the two is lost, and every later plan wants to put it back.

    Bad:
        pools: [{name: burst, hosts: "vm-[1-4]", platform: azure/Standard_ND96isr_H100_v5}]
        fabrics: [{name: azure-ib, control: {kind: provider}, topology: {kind: opaque}, attach: [{pool: burst}]}]
        cloud:
          - provider: azure
            pool: burst
            fabric: azure-ib
            region: southcentralus
            image: {version: 22.04.2024102301}
            tags: {owner: ml-infra, Owner: research}
    Good:
        pools: [{name: burst, hosts: "vm-[1-4]", platform: azure/Standard_ND96isr_H100_v5}]
        fabrics: [{name: azure-ib, control: {kind: provider}, topology: {kind: opaque}, attach: [{pool: burst}]}]
        cloud:
          - provider: azure
            pool: burst
            fabric: azure-ib
            region: southcentralus
            image: {version: 22.04.2024102301}
            tags: {owner: ml-infra, team: research}
    """
    for c, cloud in enumerate(spec.cloud):
        first: dict[str, str] = {}
        for name in cloud.tags:
            other = first.setdefault(name.casefold(), name)
            if other != name:
                yield azure_tags_by_case.finding(
                    f"`{other}` and `{name}` are one tag to Azure",
                    ("cloud", c, "tags", name),
                    on="key",
                    labels=[Label(("cloud", c, "tags", other), "the other one", on="key")],
                    hint="keep one of them",
                )
