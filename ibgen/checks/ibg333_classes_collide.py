from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Label, Path, Severity
from ibgen.spec import ClusterSpec, Qos, TrafficClass
from ibgen.targets.opensm_qos import lane_of


@rule("IBG333", "classes-collide", Severity.ERROR)
def classes_collide(spec: ClusterSpec) -> Iterator[Finding]:
    """Two traffic classes cannot both be had as they are written.

    A service level has one lane, whatever class its packets belong to; a lane has one arbitration table at a time that makes
    sense; and a program is told one service level. Classes may share a level where they agree on the lane.

    Bad:
        fabrics:
          - name: compute
            qos: {classes: [{name: nccl, use: nccl, sl: 1, vl: 1}, {name: mpi, use: ucx, sl: 1, vl: 2}]}
    Good:
        fabrics:
          - name: compute
            qos: {classes: [{name: nccl, use: nccl, sl: 1}, {name: mpi, use: ucx, sl: 2}]}
    """
    for i, fabric in enumerate(spec.fabrics):
        if fabric.qos is not None:
            yield from _judge(fabric.qos, ("fabrics", i, "qos", "classes"))


def _judge(qos: Qos, at: Path) -> Iterator[Finding]:
    for n, c in enumerate(qos.classes):
        if c.sl == 15 and c.vl is None:
            message = "service level 15 has no lane of its own: data lanes are 0 to 14"
            yield classes_collide.finding(message, (*at, n, "sl"), hint="say which: `vl: 1`")
        for m, other in enumerate(qos.classes[:n]):
            if problem := _problem(c, other):
                message, field = problem
                where = [Label((*at, m), f"`{other.name}`")]
                yield classes_collide.finding(message, (*at, n, field), labels=where, hint="give them values that agree")
                break


def _problem(c: TrafficClass, other: TrafficClass) -> tuple[str, str] | None:
    if c.sl == other.sl and lane_of(c) != lane_of(other):
        return f"service level {c.sl} cannot be on lanes {lane_of(other)} and {lane_of(c)}", "vl" if c.vl is not None else "sl"
    if lane_of(c) == lane_of(other) and c.priority != other.priority:
        return f"lane {lane_of(c)} cannot be of high and of low priority", "priority"
    narrow = any((c.pools, c.partitions, c.service_ids, other.pools, other.partitions, other.service_ids))
    if c.use == other.use and c.sl != other.sl and not narrow:
        return f"{c.use} traffic is told one service level: {other.sl} or {c.sl}", "sl"
    return None
