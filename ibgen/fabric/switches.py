"""Switch models by name, with what is said where the catalog has none or the wrong kind."""

from __future__ import annotations

from ibgen.catalog import Catalog, SwitchModel
from ibgen.diagnostics import Finding, Path
from ibgen.spec import FabricSpec

from .findings import UNKNOWN_SWITCH, WRONG_SWITCH
from .spelling import KINDS


def switch_model(catalog: Catalog, name: str, fabric: FabricSpec, at: Path) -> tuple[SwitchModel | None, tuple[Finding, ...]]:
    """The model, or None and why. InfiniBand fabrics take InfiniBand switches, all others Ethernet ones."""
    model = catalog.switch(name)
    if model is None:
        near = catalog.near("switches", name)
        hint = f"did you mean {' or '.join(f'`{n}`' for n in near)}?" if near else f"it has {', '.join(catalog.switch_ids())}"
        return None, (UNKNOWN_SWITCH.finding(f"the catalog has no switch `{name}`", at, hint=hint),)
    wanted = "infiniband" if fabric.kind == "infiniband" else "ethernet"
    if model.fabric != wanted:
        kind = KINDS["infiniband"] if model.fabric == "infiniband" else "an Ethernet"
        message = f"{model.id} is {kind} switch, and `{fabric.name}` is {KINDS[fabric.kind]} fabric"
        fitting = "an Ethernet switch" if wanted == "ethernet" else "an InfiniBand switch"
        return None, (WRONG_SWITCH.finding(message, at, hint=f"take {fitting}, or change the fabric's `kind`"),)
    return model, ()
