"""`nccl/<class>.conf`: bare `NAME=value` lines, LF, as NCCL's minimal parser wants them.

Takes the `NcclProfile`s. No blanks around `=`, no quotes, no inline comments, and no comment line at all where a library
older than 2.26.2 may read the file: there a comment that holds `=` becomes an environment variable (measured).
"""

from __future__ import annotations

from collections.abc import Iterator

from ibgen.compilation import Complete
from ibgen.targets.nccl import NcclProfile

from . import Artifact, emitter
from .text import header, jinja_environment


@emitter("nccl")
def nccl(c: Complete) -> Iterator[Artifact]:
    """One file per class of hosts: install it as /etc/nccl.conf there."""
    for profile in c.targets.nccl:
        yield Artifact(f"nccl/{profile.name}.conf", conf(profile, c.spec.cluster).encode())


def conf(profile: NcclProfile, cluster: str) -> str:
    """The text of one file."""
    template = jinja_environment("nccl").get_template("nccl.conf.j2")
    return template.render(header=header(cluster) if profile.comments else "", settings=profile.settings)
