"""`ibgen show`: what a spec means, spelled out."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ibgen.cli import terminal
from ibgen.cli.exits import CLEAN, FINDINGS, Refused
from ibgen.cli.given import given, show_report
from ibgen.cli.options import SPEC, Overlays, Plain, PlainFormat, Spec

if TYPE_CHECKING:
    from ibgen.compilation import Compilation
    from ibgen.fabric import Fabric


class Sheet(enum.StrEnum):
    """How `show cables` prints."""

    table = "table"
    csv = "csv"
    json = "json"


app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Spell out what a spec means: itself, switches, cables.")


def _shown(path: Path, overlays: list[Path] | None, text: Callable[[Compilation], str | None]) -> int:
    """Prints what `text` makes of the compilation; findings are shown only where it can make nothing."""
    what = given(path, overlays)
    from ibgen.compiler import compile

    with terminal.Progress() as step:
        c, report = compile(what, step, glance=False)
    made = text(c)
    if made is None:
        show_report(report, on_stderr=True)
        return FINDINGS
    terminal.out(made)
    return CLEAN


@app.command("spec")
def spec(path: Spec = SPEC, overlays: Overlays = None) -> int:
    """The expanded spec: overlays and defaults included.

    It loads again unchanged.
    """

    def text(c: Compilation) -> str | None:
        from ibgen.spec import to_yaml

        return None if c.spec is None else to_yaml(c.spec)

    return _shown(path, overlays, text)


@app.command("fabric")
def fabric(path: Spec = SPEC, overlays: Overlays = None, format: PlainFormat = Plain.text) -> int:
    """Every switch: tier, model, unit, rail, ports in use, GUID."""

    def text(c: Compilation) -> str | None:
        from ibgen.render import switches

        if c.fabric is None:
            return None
        return switches.switches_json(c.fabric) if format is Plain.json else switches.switches_table(c.fabric)

    return _shown(path, overlays, text)


@app.command("cables")
def cables(
    path: Spec = SPEC,
    overlays: Overlays = None,
    host: Annotated[
        str | None, typer.Option("--host", metavar="HOSTS", help="Only cables of these hosts: `dgx-[001-004]`.")
    ] = None,
    switch: Annotated[
        str | None, typer.Option("--switch", metavar="SWITCHES", help="Only cables of these switches: `leaf-u01-r[0-7]`.")
    ] = None,
    format: Annotated[Sheet, typer.Option("--format", help="A table for people, csv or json for programs.")] = Sheet.table,
) -> int:
    """Every cable with both its ends, by host or switch where asked."""

    def text(c: Compilation) -> str | None:
        from ibgen.render import cables as sheet

        if c.fabric is None:
            return None
        hosts = _names(host, "host", c.fabric.hosts.names)
        switches = _names(switch, "switch", _switch_names(c.fabric))
        rows = sheet.cable_rows(c.fabric, hosts, switches)
        made = {Sheet.table: sheet.cables_table, Sheet.csv: sheet.cables_csv, Sheet.json: sheet.cables_json}
        return made[format](rows)

    return _shown(path, overlays, text)


def _switch_names(fabric: Fabric) -> list[str]:
    return [name for subnet in fabric.subnets for name in subnet.switches.names]


def _names(text: str | None, what: str, known: Sequence[str]) -> list[str] | None:
    """A hostlist as names, each of which exists."""
    if text is None:
        return None
    import difflib

    from ibgen import hostlist

    try:
        names = list(hostlist.expand(text))
    except ValueError as error:
        raise Refused(f"--{what} `{text}`: {error}") from None
    if missing := next((name for name in names if name not in set(known)), None):
        near = difflib.get_close_matches(missing, known, n=1) or list(known[:1])
        raise Refused(f"the spec has no {what} `{missing}`", f"did you mean {near[0]}?" if near else "")
    return names
