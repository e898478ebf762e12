"""How switches are called. Names are identities: they depend on a switch's place, never on counts that change with growth,
but for the width of the numbers (two digits, three from 100 on)."""

from __future__ import annotations

from .columns import Plan


def width(count: int) -> int:
    """Digits of a number that runs to `count`."""
    return max(2, len(str(count)))


def letters(index: int, count: int) -> str:
    """a, b, ... for the parts of a rail; aa, ab, ... where there are more than 26."""
    if count <= 26:
        return chr(97 + index)
    return chr(97 + index // 26) + chr(97 + index % 26)


def leaf_names(plan: Plan, aligned: bool, prefix: str = "") -> list[str]:
    """`leaf-u01-r0` where rails are aligned, `leaf-u01` where not, `leaf-01` for a single switch; parts as `-a`, `-b`."""
    if plan.tiers == 1:
        return [f"{prefix}leaf-01"]
    unit, rail = width(plan.units), len(str(plan.rails - 1))
    parts = [f"-{letters(k, plan.leaves_per_rail)}" for k in range(plan.leaves_per_rail)] if plan.leaves_per_rail > 1 else [""]
    rails = [f"-r{r:0{rail}d}" for r in range(plan.rails)] if aligned else [""]
    tails = [r + k for r in rails for k in parts]
    return [f"{prefix}leaf-u{u:0{unit}d}{tail}" for u in range(1, plan.units + 1) for tail in tails]


def spine_names(plan: Plan, prefix: str = "") -> list[str]:
    """`spine-01`; with pods `spine-p01-01`."""
    number = width(plan.spines_per_pod)
    if plan.tiers < 3:
        return [f"{prefix}spine-{s:0{number}d}" for s in range(1, plan.spines + 1)]
    tails = [f"-{s:0{number}d}" for s in range(1, plan.spines_per_pod + 1)]
    pod = width(plan.pods)
    return [f"{prefix}spine-p{p:0{pod}d}{tail}" for p in range(1, plan.pods + 1) for tail in tails]


def core_names(groups: int, per_group: int, prefix: str = "") -> list[str]:
    """`core-01-01`: the group, which is the number of the spine it joins in every pod, then the number in the group."""
    g, n = width(groups), width(per_group)
    return [f"{prefix}core-{i:0{g}d}-{j:0{n}d}" for i in range(1, groups + 1) for j in range(1, per_group + 1)]
