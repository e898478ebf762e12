"""Names that point at something: pools, fabrics, hosts. Checked once, here, so that later passes may look them up."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator

from ibgen.diagnostics import Finding, Label, Path
from ibgen.hostlist import expand, fold

from .cluster import ClusterSpec
from .findings import DUPLICATE_HOST, DUPLICATE_NAME, UNKNOWN_REFERENCE
from .repeats import repeated


def dangling(spec: ClusterSpec) -> Iterator[Finding]:
    """Duplicate names and hosts, and names that nothing bears."""
    yield from _duplicates(spec)
    yield from repeated(spec)
    hosts: dict[str, int] = {}
    for p, pool in enumerate(spec.pools):
        yield from _twice(p, expand(pool.hosts), hosts)
    pools = {pool.name for pool in spec.pools}
    for at, name in _pool_references(spec):
        yield from _missing(at, (name,), pools, "pool")
    for i, fabric in enumerate(spec.fabrics):
        partitions = {p.name for p in fabric.partitions}
        for c, traffic in enumerate(fabric.qos.classes if fabric.qos else ()):
            for n, name in enumerate(traffic.partitions):
                yield from _missing(("fabrics", i, "qos", "classes", c, "partitions", n), (name,), partitions, "partition")
    fabrics = {fabric.name for fabric in spec.fabrics}
    for at, name in _fabric_references(spec):
        yield from _missing(at, (name,), fabrics, "fabric")
    for at, names in _host_references(spec):
        yield from _missing(at, names, set(hosts), "host")


def _duplicates(spec: ClusterSpec) -> Iterator[Finding]:
    lists: list[tuple[Path, list[str]]] = [
        (("pools",), [p.name for p in spec.pools]),
        (("fabrics",), [f.name for f in spec.fabrics]),
        (("workloads",), [w.name for w in spec.workloads]),
        (("cloud",), [c.name or c.pool for c in spec.cloud]),
        (("slurm", "partitions"), [p.name for p in spec.slurm.partitions] if spec.slurm else []),
        *((("fabrics", i, "partitions"), [p.name for p in f.partitions]) for i, f in enumerate(spec.fabrics)),
        *((("fabrics", i, "qos", "classes"), [c.name for c in f.qos.classes]) for i, f in enumerate(spec.fabrics) if f.qos),
    ]
    for at, names in lists:
        first: dict[str, int] = {}
        for n, name in enumerate(names):
            if name in first:
                yield DUPLICATE_NAME.finding(
                    f"two entries are called `{name}`",
                    (*at, n, "name"),
                    labels=[Label((*at, first[name], "name"), "first here")],
                    hint="give each its own name",
                )
            first.setdefault(name, n)


def _pool_references(spec: ClusterSpec) -> Iterator[tuple[Path, str]]:
    for i, fabric in enumerate(spec.fabrics):
        for a, attach in enumerate(fabric.attach):
            yield ("fabrics", i, "attach", a, "pool"), attach.pool
        for p, partition in enumerate(fabric.partitions):
            for m, member in enumerate(partition.members):
                if member.pool is not None:
                    yield ("fabrics", i, "partitions", p, "members", m, "pool"), member.pool
        for c, traffic in enumerate(fabric.qos.classes if fabric.qos else ()):
            for n, name in enumerate(traffic.pools):
                yield ("fabrics", i, "qos", "classes", c, "pools", n), name
    if spec.slurm is not None:
        for p, scheduler_partition in enumerate(spec.slurm.partitions):
            for n, name in enumerate(scheduler_partition.pools):
                yield ("slurm", "partitions", p, "pools", n), name
    for name in spec.nccl.pools if spec.nccl else ():
        yield ("nccl", "pools", name), name
    for name in spec.ucx.pools if spec.ucx else ():
        yield ("ucx", "pools", name), name
    for c, cloud in enumerate(spec.cloud):
        yield ("cloud", c, "pool"), cloud.pool
    for w, workload in enumerate(spec.workloads):
        if workload.pool is not None:
            yield ("workloads", w, "pool"), workload.pool


def _fabric_references(spec: ClusterSpec) -> Iterator[tuple[Path, str]]:
    for c, cloud in enumerate(spec.cloud):
        yield ("cloud", c, "fabric"), cloud.fabric
    if spec.slurm is not None and spec.slurm.fabric is not None:
        yield ("slurm", "fabric"), spec.slurm.fabric
    ratios = spec.requirements.oversubscription
    for name in ratios if isinstance(ratios, dict) else ():
        yield ("requirements", "oversubscription", name), name
    shares = spec.requirements.effective_bandwidth
    for name in shares if isinstance(shares, dict) else ():
        yield ("requirements", "effective_bandwidth", name), name


def _host_references(spec: ClusterSpec) -> Iterator[tuple[Path, Iterable[str]]]:
    for p, pool in enumerate(spec.pools):
        for e, exception in enumerate(pool.exceptions):
            yield ("pools", p, "exceptions", e, "hosts"), expand(exception.hosts)
        for name in pool.slots:
            yield ("pools", p, "slots", name), (name,)
    for i, fabric in enumerate(spec.fabrics):
        for n, name in enumerate(fabric.control.hosts):
            yield ("fabrics", i, "control", "hosts", n), (name,)
        for p, partition in enumerate(fabric.partitions):
            for m, member in enumerate(partition.members):
                if member.hosts is not None:
                    yield ("fabrics", i, "partitions", p, "members", m, "hosts"), expand(member.hosts)
    if spec.slurm is not None:
        for p, scheduler_partition in enumerate(spec.slurm.partitions):
            if scheduler_partition.hosts is not None:
                yield ("slurm", "partitions", p, "hosts"), expand(scheduler_partition.hosts)


def _twice(p: int, names: Iterable[str], first: dict[str, int]) -> Iterator[Finding]:
    """Hosts of pool `p` that stand earlier in the spec; `first` remembers where each was met and is added to."""
    again: dict[int, list[str]] = {}
    for name in names:
        if name in first:
            again.setdefault(first[name], []).append(name)
        first.setdefault(name, p)
    for other, twice in again.items():
        yield DUPLICATE_HOST.finding(
            f"{listed(twice, 'host')} defined twice",
            ("pools", p, "hosts"),
            label="again here",
            labels=[Label(("pools", other, "hosts"), "first here")] if other != p else [],
            hint="a host belongs to one pool, once: take it out of one list",
        )


def listed(names: list[str], what: str) -> str:
    """`host `a` is`, `hosts `a`, `b` and 7 more are`."""
    shown = ", ".join(f"`{n}`" for n in names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    several = f"{what}es" if what.endswith("ch") else f"{what}s"
    return f"{what} {shown} is" if len(names) == 1 else f"{several} {shown} are"


def near(name: str, known: set[str]) -> str:
    """``did you mean `x`?``, or nothing; near matches among tens of thousands of hosts would cost more than they help."""
    close = difflib.get_close_matches(name, sorted(known), n=1) if len(known) <= 2000 else []
    return f"did you mean `{close[0]}`?" if close else ""


def _missing(at: Path, names: Iterable[str], known: set[str], what: str) -> Iterator[Finding]:
    absent = [name for name in names if name not in known]
    if not absent:
        return
    hint = (_other_width(absent, known) if what == "host" else "") or near(absent[0], known)
    if not hint and what == "host":
        hint = "a host must stand in a pool's `hosts`"
    elif not hint:
        hint = f"the spec has: {', '.join(sorted(known))}" if known else f"the spec has no {what}"
    yield UNKNOWN_REFERENCE.finding(f"{listed(absent, what)} not in the spec", at, label=f"no such {what}", hint=hint)


def _other_width(absent: list[str], known: set[str]) -> str:
    """`dgx-[1-9]` where the pool has `dgx-[01-64]`: the digits are as many as are written."""
    plain = {_ZEROS.sub("", name): name for name in sorted(known)}
    meant = [plain.get(_ZEROS.sub("", name)) for name in absent]
    found = [name for name in meant if name is not None]
    return f"the spec writes them with other leading zeros: `{fold(found)}`" if len(found) == len(absent) else ""


_ZEROS = re.compile(r"(?<![0-9])0+(?=[0-9])")
