"""The tree's own README: what each folder is, and the commands that apply it."""

from __future__ import annotations

from collections.abc import Iterator

from ibgen.compilation import Complete
from ibgen.emit import Artifact, emitter
from ibgen.emit.inventory import group_name
from ibgen.emit.opensm import service_file
from ibgen.emit.text import header, jinja_environment


@emitter("readme", after=("azure", "cabling", "ibsim", "inventory", "nccl", "opensm", "slurm", "sriov", "ucx", "ufm"))
def readme(c: Complete, *groups: tuple[Artifact, ...]) -> Iterator[Artifact]:
    """`README.md`: only what this tree has."""
    paths = sorted(a.path for group in groups for a in group)
    values = {
        "header": header(c.spec.cluster),
        "cluster": c.spec.cluster,
        "managers": [
            {
                "folder": f"opensm/{m.name}",
                "name": m.name,
                "hosts": [h.host for h in m.hosts],
                "synthetic": m.synthetic,
                "unit": service_file(m),
                "own": m.flavour == "nvidia" and bool(m.hosts),
                "takeover": m.handover.said() if m.handover else "",
            }
            for m in c.targets.opensm
        ],
        "nccl": [_of_class(f"nccl/{p.name}.conf", p.name) for p in c.targets.nccl],
        "pkeys": [_of_class(f"nccl/{p.name}-pkey.sh", p.name) for p in c.targets.nccl if p.probe is not None],
        "ucx": [_of_class(f"ucx/{p.name}.conf", p.name) for p in c.targets.ucx if p.conf],
        "exports": [_of_class(f"ucx/{p.name}.sh", p.name) for p in c.targets.ucx if p.exports],
        "sriov": [_of_class(f"sriov/{s.name}.sh", s.name) for s in c.targets.functions],
        "ufm": [
            {"folder": u.folder, "options": bool(u.options), "partitions": bool(u.partitions), "synthetic": u.unbound}
            for u in c.targets.ufm
        ],
        "slurm": [p.removeprefix("slurm/") for p in paths if p.startswith("slurm/")],
        "terraform": [{"folder": p.folder, "name": p.name} for p in c.targets.azure],
        "cabling": [p for p in paths if p.startswith("cabling/")],
        "nets": [p for p in paths if p.startswith("sim/")],
    }
    text = jinja_environment("docs").get_template("tree.md.j2").render(values)
    yield Artifact("README.md", text.encode())


def _of_class(file: str, name: str) -> dict[str, str]:
    """A file and the inventory group of the hosts that take it."""
    return {"file": file, "group": f"class_{group_name(name)}"}
