"""`sriov/<class>.sh`: gives a class of hosts its virtual functions and their GUIDs; a service runs it at every boot.

Takes the `FunctionScript`s. A host's GUIDs differ in ten digits only, so the script holds one line per host.
"""

from __future__ import annotations

from collections.abc import Iterator

from ibgen.compilation import Complete
from ibgen.targets.sriov import NODE
from ibgen.targets.sriov_scripts import FunctionScript

from . import Artifact, emitter
from .text import header, jinja_environment

SERVICE = "ibgen-sriov.service"
"""What systemd calls it; a host has one class, so one name does."""


@emitter("sriov")
def sriov(c: Complete) -> Iterator[Artifact]:
    """One script per class of hosts with virtual functions, and the unit that runs it at every boot."""
    if c.targets.functions:
        unit = jinja_environment("sriov").get_template("service.j2").render(header=header(c.spec.cluster))
        yield Artifact(f"sriov/{SERVICE}", unit.encode())
    for script in c.targets.functions:
        yield Artifact(f"sriov/{script.name}.sh", text(script, c.spec.cluster).encode(), 0o755)


def text(script: FunctionScript, cluster: str) -> str:
    """The text of one script."""
    adapters = [f"{a.device}:{a.port}:{a.index}" for a in script.adapters]
    return (
        jinja_environment("sriov")
        .get_template("sriov.sh.j2")
        .render(header=header(cluster), functions=script.functions, adapters=adapters, hosts=script.hosts, node=NODE)
    )
