"""What `ibgen bind` found: a table for people, JSON for programs.

Takes an `Outcome`, and the report that was made of its findings. Gives text.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ibgen.diagnostics import Report
from ibgen.discover import CHANGED, COMPLETED, NEW, SAME, Bound, Outcome, name_of
from ibgen.fabric import Binding

from .cells import printable, table
from .json import diagnostic, dumps
from .style import paint

VERSION = 1
_LINES = 20
"""Lines of one kind before the rest is counted: the table is a summary, JSON has everything."""


def binding_text(outcome: Outcome, *, color: bool = False) -> str:
    """Subnets in numbers, then what changed, line by line."""
    draw = paint(color)
    rows = [["subnet", "switches", "adapters", "by place", "changed", "unbound", "dump"]]
    for t in outcome.tallies:
        lacking = t.switches - t.switches_bound + t.adapters - t.adapters_bound
        counts = [f"{t.switches_bound:,}/{t.switches:,}", f"{t.adapters_bound:,}/{t.adapters:,}"]
        counts += [f"{t.by_place:,}", f"{t.changed:,}", f"{lacking:,}"] if t.dumps else ["-", "-", "-"]
        rows.append([t.subnet, *counts, ", ".join(map(printable, t.dumps)) or "in none"])
    head, *rest = table(rows, frozenset({1, 2, 3, 4, 5}))
    lines = [draw("dim", head), *rest]
    lines += _listed([draw("changed", f"~ {_change(b)}") for b in outcome.bound if b.state == CHANGED], "changed")
    lines += _listed(
        [draw("removed", f"- {name_of(row)}  {_hex(row.port_guid or row.node_guid)}") for row, _ in outcome.gone], "dropped"
    )
    return "\n".join(lines) + "\n"


def counted(outcome: Outcome) -> str:
    """`23 rows: 19 new, 1 changed, 3 as before`."""
    states = [b.state for b in outcome.bound]
    counts = [(states.count(NEW), "new"), (states.count(CHANGED), "changed"), (states.count(COMPLETED), "completed")]
    counts += [(len(outcome.gone), "dropped"), (len(outcome.rows) - len(states) + states.count(SAME), "as before")]
    found = ", ".join(f"{n:,} {word}" for n, word in counts if n)
    return f"{len(outcome.rows):,} row{'' if len(outcome.rows) == 1 else 's'}" + (f": {found}" if found else "")


def binding_json(outcome: Outcome, report: Report, file: str, *, stale: bool, written: bool) -> str:
    """Everything. `stale`: the file was not what the rows say; `written`: it is now. GUIDs are text of 16 digits."""
    states = {(b.row.host, b.row.hca, b.row.port): b for b in outcome.bound}
    document = {
        "format": "ibgen-bind",
        "version": VERSION,
        "file": file,
        "stale": stale,
        "written": written,
        "subnets": [
            {
                "subnet": t.subnet,
                "dumps": list(t.dumps),
                "switches": t.switches,
                "switches_bound": t.switches_bound,
                "adapters": t.adapters,
                "adapters_bound": t.adapters_bound,
                "by_place": t.by_place,
                "changed": t.changed,
            }
            for t in outcome.tallies
        ],
        "rows": [_row(r) | _seen(states.get((r.host, r.hca, r.port))) for r in outcome.rows],
        "dropped": [_row(row) | {"now": name_of(now.row)} for row, now in outcome.gone],
        "unbound": [{"name": u.name, "subnet": u.subnet, "why": u.why} for u in outcome.unbound],
        "conflicts": [
            {"name": c.name, "subnet": c.subnet, "where": c.where, "planned": c.planned, "grave": c.grave, "how": c.how}
            for c in outcome.conflicts
        ],
        "extra": [
            {"description": e.description, "node_guid": _hex(e.guid), "subnet": e.subnet, "where": e.where, "why": e.why}
            for e in outcome.extra
        ],
        "diagnostics": [diagnostic(d) for d in report.diagnostics],
    }
    return dumps(document)


def _listed(lines: list[str], what: str) -> Iterable[str]:
    yield from lines[:_LINES]
    if len(lines) > _LINES:
        yield f"  {len(lines) - _LINES:,} more {what}"


def _change(b: Bound) -> str:
    old = b.before.port_guid or b.before.node_guid if b.before is not None else 0
    where = f"  {b.where}" if b.where else ""
    return f"{name_of(b.row)}  {_hex(old)} -> {_hex(b.row.port_guid or b.row.node_guid)}{where}"


def _row(r: Binding) -> dict[str, Any]:
    guids = {"node_guid": _hex(r.node_guid), "port_guid": _hex(r.port_guid), "system_image_guid": _hex(r.system_image_guid)}
    return {"host": r.host, "hca": r.hca, "port": r.port} | guids


def _seen(b: Bound | None) -> dict[str, Any]:
    """How a row came about; a kept one is in no dump."""
    if b is None:
        return {"state": "kept", "how": "", "where": ""}
    before = {"before": _row(b.before)} if b.state == CHANGED and b.before is not None else {}
    return {"state": b.state, "how": b.how, "where": b.where} | before


def _hex(guid: int) -> str:
    return f"0x{guid:016x}" if guid else ""
