"""`nccl/<class>.conf`: bare `NAME=value` lines, LF, as NCCL's minimal parser wants them. Where the library takes a P_Key by its
index only, `nccl/<class>-pkey.sh` finds the index on the host when a job starts.

Takes the `NcclProfile`s. No blanks around `=`, no quotes, no inline comments, and no comment line at all where a library
older than 2.26.2 may read the file: there a comment that holds `=` becomes an environment variable (measured).
"""

from __future__ import annotations

from collections.abc import Iterator

from ibgen.compilation import Complete
from ibgen.targets.nccl import NcclProfile, PkeyProbe

from . import Artifact, emitter
from .text import header, jinja_environment


@emitter("nccl")
def nccl(c: Complete) -> Iterator[Artifact]:
    """One file per class of hosts: install it as /etc/nccl.conf there."""
    for profile in c.targets.nccl:
        yield Artifact(f"nccl/{profile.name}.conf", conf(profile, c.spec.cluster).encode())
        if profile.probe is not None:
            yield Artifact(f"nccl/{profile.name}-pkey.sh", pkey_script(profile.probe, c.spec.cluster).encode(), 0o755)


def conf(profile: NcclProfile, cluster: str) -> str:
    """The text of one file."""
    template = jinja_environment("nccl").get_template("nccl.conf.j2")
    return template.render(header=header(cluster) if profile.comments else "", settings=profile.settings)


def pkey_script(probe: PkeyProbe, cluster: str) -> str:
    """The text of the script that Slurm's task prolog runs."""
    template = jinja_environment("nccl").get_template("pkey.sh.j2")
    ports = [f"{device}:{port}" for device, port in probe.ports]
    return template.render(header=header(cluster), partition=probe.partition, pkey=f"0x{probe.pkey:04x}", ports=ports)
