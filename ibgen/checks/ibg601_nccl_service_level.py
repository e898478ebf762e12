from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Severity
from ibgen.spec import ClusterSpec
from ibgen.targets.service_levels import fabrics_of, level


@rule("IBG601", "nccl-service-level", Severity.ERROR)
def nccl_service_level(spec: ClusterSpec) -> Iterator[Finding]:
    """NCCL is told another service level than the fabric's classes have for it.

    NCCL takes its level from NCCL_IB_SL and asks nobody: on another level its packets are carried, weighed and routed as
    somebody else's. It has one level for all its adapters, so the fabrics of a pool must agree on it.

    Bad:
        fabrics: [{name: compute, qos: {classes: [{name: nccl, use: nccl, sl: 1}]}}]
        nccl: {pools: {gpu: {settings: {NCCL_IB_SL: {value: 3, reason: "as on the old cluster"}}}}}
    Good:
        fabrics: [{name: compute, qos: {classes: [{name: nccl, use: nccl, sl: 1}]}}]
    """
    for p, pool in enumerate(spec.pools):
        ours = [i for i in fabrics_of(spec, pool.name) if spec.fabrics[i].qos]
        told = {i: level(spec.fabrics[i], "nccl") for i in ours}
        if len(set(told.values())) > 1:
            words = ", ".join(f"{sl} on `{spec.fabrics[i].name}`" for i, sl in told.items())
            where = [Label(("fabrics", i, "qos"), f"service level {sl}", on="key") for i, sl in told.items()]
            yield nccl_service_level.finding(
                f"NCCL has one service level for all adapters of `{pool.name}`: {words}",
                ("pools", p, "name"),
                labels=where,
                hint="give NCCL's class the same level on each",
            )
        by_hand = spec.nccl.pools.get(pool.name) if spec.nccl else None
        setting = by_hand.settings.get("NCCL_IB_SL") if by_hand else None
        if setting is not None and told and setting.value.strip() not in {str(sl) for sl in told.values()}:
            yield nccl_service_level.finding(
                f"NCCL_IB_SL={setting.value}, and the fabric has its traffic on {next(iter(told.values()))}",
                ("nccl", "pools", pool.name, "settings", "NCCL_IB_SL", "value"),
                hint="take it out: ibgen writes the level of the class",
            )
