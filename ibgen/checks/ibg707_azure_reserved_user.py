from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec

_REFUSED = (
    "1 123 a actuser adm admin admin1 admin2 administrator aspnet backup console david guest john owner root server sql "
    "support support_388945a0 sys test test1 test2 test3 user user1 user2 user3 user4 user5"
)
"""Azure REST, Virtual Machines - Create Or Update, osProfile.adminUsername: disallowed values."""

_PRESENT = "bin daemon games lp mail man messagebus news nobody operator proxy slurm sshd sync systemd uucp"
"""Users that a Linux image has already (Linux Standard Base, user names), and the one slurmd's own files belong to."""

RESERVED, SYSTEM = frozenset(_REFUSED.split()), frozenset(_PRESENT.split())


@rule("IBG707", "azure-reserved-user", Severity.ERROR)
def azure_reserved_user(spec: ClusterSpec) -> Iterator[Finding]:
    """A login user that Azure refuses, or that the image has already.

    `admin`, `root`, `test` and some thirty others are refused when the scale set is created: after the plan, in the middle of
    an apply.

    Bad:
        pools: [{name: burst, hosts: "vm-[1-4]", platform: azure/Standard_ND96isr_H100_v5}]
        fabrics: [{name: azure-ib, control: {kind: provider}, topology: {kind: opaque}, attach: [{pool: burst}]}]
        cloud:
          - provider: azure
            pool: burst
            fabric: azure-ib
            region: southcentralus
            image: {version: 22.04.2024102301}
            admin_user: root
    Good:
        pools: [{name: burst, hosts: "vm-[1-4]", platform: azure/Standard_ND96isr_H100_v5}]
        fabrics: [{name: azure-ib, control: {kind: provider}, topology: {kind: opaque}, attach: [{pool: burst}]}]
        cloud: [{provider: azure, pool: burst, fabric: azure-ib, region: southcentralus, image: {version: 22.04.2024102301}}]
    """
    for c, cloud in enumerate(spec.cloud):
        if cloud.admin_user in RESERVED | SYSTEM:
            who = "Azure refuses" if cloud.admin_user in RESERVED else "the image has already"
            yield azure_reserved_user.finding(
                f"`{cloud.admin_user}` is a user that {who}",
                ("cloud", c, "admin_user"),
                hint="for example `admin_user: hpcadmin`",
            )
