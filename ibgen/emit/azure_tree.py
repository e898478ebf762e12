"""The Terraform folders of all Azure pools, with the environment that other emitters made as the VMs' user data."""

from __future__ import annotations

from collections.abc import Iterator

from ibgen.compilation import Complete
from ibgen.emit import Artifact, emitter
from ibgen.emit.azure import render
from ibgen.emit.text import header, jinja_environment
from ibgen.targets.azure import AzurePool


@emitter("azure", after=("nccl",))
def azure(c: Complete, nccl: tuple[Artifact, ...]) -> Iterator[Artifact]:
    """`terraform/azure-<name>/`: one folder per scale set."""
    pools = {cloud.name or cloud.pool: cloud.pool for cloud in c.spec.cloud}
    for pool in c.targets.azure:
        conf = next((a for a in nccl if a.path == f"nccl/{pools[pool.name]}.conf"), None)
        for name, content in render(pool, _cloud_init(pool, conf)):
            yield Artifact(f"{pool.folder}/{name}", content)


def _cloud_init(pool: AzurePool, conf: Artifact | None) -> bytes | None:
    """User data that puts the pool's NCCL settings where NCCL looks for the administrator's: /etc/nccl.conf."""
    if not pool.cloud_init or conf is None:
        return None
    template = jinja_environment("terraform/azure").get_template("cloud-init.yaml.j2")
    lines = conf.content.decode().splitlines()
    return template.render(header=header(pool.cluster), lines=lines).encode()
