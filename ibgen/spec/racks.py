"""What the site file says twice: racks of one name or place, hosts and switches in two racks.

Takes a `Site`. Gives findings whose paths are those of the site's own document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ibgen.diagnostics import Finding, Label
from ibgen.hostlist import expand

from .findings import NOT_IN_CLUSTER, RACK_TWICE, RACKED_TWICE
from .references import listed, near
from .site import Rack, Site


def said_twice(site: Site) -> Iterator[Finding]:
    """Findings about the site alone."""
    names: dict[str, int] = {}
    places: dict[tuple[int, int], int] = {}
    racked: dict[str, int] = {}
    for n, rack in enumerate(site.racks):
        if (other := names.setdefault(rack.name.lower(), n)) != n:
            yield RACK_TWICE.finding(
                f"two racks are called `{rack.name}`",
                ("racks", n, "name"),
                labels=[Label(("racks", other, "name"), "first here")],
                hint="give each rack its own name, or put everything of it into one entry",
            )
        if (other := _place(rack, places, n)) != n:
            yield RACK_TWICE.finding(
                f"`{site.racks[other].name}` and `{rack.name}` both stand in row {rack.row} at position {rack.position}",
                ("racks", n, "position"),
                labels=[Label(("racks", other), "first here")],
                hint="correct the position of one of them",
            )
        yield from _twice(site, n, racked)


def _place(rack: Rack, places: dict[tuple[int, int], int], n: int) -> int:
    """The rack that has this one's place already, or itself; only a written place counts."""
    written = {"row", "position"} <= rack.model_fields_set
    return places.setdefault((rack.row, rack.position), n) if written else n


def _twice(site: Site, n: int, racked: dict[str, int]) -> Iterator[Finding]:
    for key in ("hosts", "switches"):
        again: dict[int, list[str]] = {}
        for name in _expanded(site.racks[n], key):
            if (other := racked.setdefault(name, n)) != n:
                again.setdefault(other, []).append(name)
        for other, twice in again.items():
            what = "host" if key == "hosts" else "switch"
            yield RACKED_TWICE.finding(
                f"{listed(twice, what)} in rack `{site.racks[other].name}` and in `{site.racks[n].name}`",
                ("racks", n, key),
                labels=[Label(("racks", other), "first here")],
                hint="take it out of one of them",
            )


def strangers(site: Site, hosts: Iterable[str], switches: Iterable[str] | None) -> Iterator[Finding]:
    """Names that the cluster does not have; `switches` None: not all of them are known, so none is judged."""
    known = {"hosts": set(hosts), "switches": None if switches is None else set(switches)}
    for n, rack in enumerate(site.racks):
        for key, what, other in (("hosts", "host", "switches"), ("switches", "switch", "hosts")):
            mine, theirs = known[key], known[other] or set()
            absent = [name for name in _expanded(rack, key) if mine is not None and name not in mine]
            if not absent:
                continue
            if absent[0] in theirs:
                hint = f"`{absent[0]}` belongs under `{other}`"
            else:
                hint = near(absent[0], mine or set()) or f"correct the name, or take the {what} out of the rack"
            yield NOT_IN_CLUSTER.finding(f"{listed(absent, what)} not in the spec", ("racks", n, key), hint=hint)


def _expanded(rack: Rack, key: str) -> list[str]:
    names = rack.hosts if key == "hosts" else rack.switches
    return expand(names) if names is not None else []
