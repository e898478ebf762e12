"""A host type written into the spec, as the catalog would have it.

Takes an `InlinePlatform` and the catalog. Gives a `Platform`, and everything that is wrong with it at the line that is. None
where the parts contradict each other; a model, rate, GPU or NUMA node that does not exist leaves the rest to be judged.
"""

from __future__ import annotations

from collections.abc import Iterator

from ibgen.catalog import Catalog, HcaModel, Platform, generic
from ibgen.diagnostics import Finding, Label, Path
from ibgen.spec import InlineHca, InlinePlatform
from ibgen.units import OPENSM_RATES

from .findings import BAD_PLATFORM, NO_SUCH_RATE, UNKNOWN_GPU, UNKNOWN_HCA_MODEL

UNSAID = "unknown"
"""An adapter model that is left out."""

ETHERNET_GBPS = (1, 2.5, 5, 10, 25, 40, 50, 100, 200, 400, 800, 1600)
"""IEEE 802.3-2022 and 802.3df, dj."""


def platform(pool: str, given: InlinePlatform, catalog: Catalog, at: Path) -> tuple[Platform | None, tuple[Finding, ...]]:
    """The platform of a pool. `at` is the path of its `platform`."""
    contradictions = tuple(_contradictions(given, at))
    others = (*_places(given, at), *_names(given, catalog, at))
    if contradictions:
        return None, contradictions + others
    nodes = _nodes(given)
    hcas = [
        {
            "name": h.name, "model": h.model, "ports": h.ports, "rate_gbps": h.rate, "role": h.role,
            "pcie_gen": h.pcie, "pcie_width": h.width,
            "gpu": h.gpu if h.gpu is not None and h.gpu < given.gpus else None,
            "numa": h.numa if h.numa is not None and h.numa < nodes else None,
        }
        for h in given.hcas
    ]  # fmt: skip
    cpu = {
        "sockets": given.sockets,
        "cores_per_socket": given.cores // given.sockets,
        "threads_per_core": given.threads,
        "numa_nodes": given.numa_nodes,
        "logical": given.cores * given.threads,
        "memory_mb": given.memory_mb,
    }
    return generic(pool, hcas, gpu=given.gpu, gpus=given.gpus, cpu=cpu), others


def _contradictions(given: InlinePlatform, at: Path) -> Iterator[Finding]:
    """Parts that do not fit each other."""
    if given.cores % given.sockets:
        message = f"{given.cores} cores cannot be shared evenly by {given.sockets} sockets"
        hint = f"`cores` counts the whole host's: a multiple of {given.sockets}"
        yield BAD_PLATFORM.finding(message, (*at, "cores"), hint=hint)
    if given.numa_nodes and given.cores % given.numa_nodes:
        message = f"{given.cores} cores cannot be shared evenly by {given.numa_nodes} NUMA nodes"
        yield BAD_PLATFORM.finding(message, (*at, "numa_nodes"), hint="`numactl -H` prints them")
    if given.gpus and given.gpu is None:
        yield BAD_PLATFORM.finding(f"{given.gpus} GPUs without a GPU model", (*at, "gpus"), hint="for example `gpu: H100-SXM`")
    if given.gpu is not None and not given.gpus:
        yield BAD_PLATFORM.finding(f"a `{given.gpu}`, but no GPUs", (*at, "gpu"), hint="say how many a host has: `gpus: 8`")
    first: dict[str, int] = {}
    for n, hca in enumerate(given.hcas):
        if (other := first.setdefault(hca.name, n)) != n:
            yield BAD_PLATFORM.finding(
                f"two adapters are called `{hca.name}`",
                (*at, "hcas", n, "name"),
                labels=[Label((*at, "hcas", other, "name"), "first here")],
                hint="each device has a name of its own: `ibstat -l` prints them",
            )


def _nodes(given: InlinePlatform) -> int:
    """NUMA nodes of the host."""
    return given.numa_nodes or given.sockets


def _places(given: InlinePlatform, at: Path) -> Iterator[Finding]:
    for n, hca in enumerate(given.hcas):
        yield from _place(given, hca, (*at, "hcas", n))


def _place(given: InlinePlatform, hca: InlineHca, at: Path) -> Iterator[Finding]:
    """A GPU or a NUMA node that the host does not have."""
    if hca.gpu is not None and hca.gpu >= given.gpus:
        message = f"`{hca.name}` is paired with GPU {hca.gpu}, but the host has {given.gpus} GPUs"
        hint = f"GPUs are counted from 0 to {given.gpus - 1}" if given.gpus else "take `gpu` out, or give the host GPUs"
        yield BAD_PLATFORM.finding(message, (*at, "gpu"), hint=hint)
    nodes = _nodes(given)
    if hca.numa is not None and hca.numa >= nodes:
        message = f"`{hca.name}` is on NUMA node {hca.numa}, but the host has {nodes}"
        more = "" if given.numa_nodes else "; where a socket is several of them, say how many there are: `numa_nodes: 8`"
        yield BAD_PLATFORM.finding(message, (*at, "numa"), hint=f"NUMA nodes are counted from 0 to {nodes - 1}{more}")


def _names(given: InlinePlatform, catalog: Catalog, at: Path) -> Iterator[Finding]:
    """Models that the catalog does not have, and rates that no port has."""
    if given.gpu is not None and catalog.gpu(given.gpu) is None:
        message = f"the catalog has no GPU `{given.gpu}`"
        yield UNKNOWN_GPU.finding(message, (*at, "gpu"), hint=_near(catalog, "gpus", given.gpu))
    for n, hca in enumerate(given.hcas):
        model = catalog.hca(hca.model)
        if model is None and hca.model != UNSAID:
            message = f"the catalog has no adapter model `{hca.model}`"
            yield UNKNOWN_HCA_MODEL.finding(message, (*at, "hcas", n, "model"), hint=_near(catalog, "hcas", hca.model))
        yield from _rate(hca, model, (*at, "hcas", n, "rate"))


def _rate(hca: InlineHca, model: HcaModel | None, at: Path) -> Iterator[Finding]:
    if hca.rate not in OPENSM_RATES and hca.rate not in ETHERNET_GBPS:
        near = min((*OPENSM_RATES, *ETHERNET_GBPS), key=lambda known: abs(known - hca.rate))
        yield NO_SUCH_RATE.finding(f"no port runs at {hca.rate:g} Gb/s", at, hint=f"the nearest rate is `{near:g}G`")
    elif model is not None and hca.rate > model.rate_gbps:
        message = f"a port of `{model.id}` carries {model.rate_gbps:g} Gb/s at most, not {hca.rate:g}"
        yield NO_SUCH_RATE.finding(message, at, hint="`rate` is that of one port; or correct the model")


def _near(catalog: Catalog, kind: str, name: str) -> str:
    near = catalog.near(kind, name) or list(catalog.ids(kind))
    words = "did you mean" if catalog.near(kind, name) else "the catalog has"
    return f"{words} {', '.join(f'`{n}`' for n in near)}{'?' if words == 'did you mean' else ''}"
