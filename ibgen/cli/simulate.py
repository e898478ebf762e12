"""`ibgen simulate`: traffic on the tables that a subnet manager would write, and what failures cost."""

from __future__ import annotations

import dataclasses
import enum
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ibgen.cli import terminal
from ibgen.cli.exits import CLEAN, FINDINGS, Refused
from ibgen.cli.given import arguments, given, next_step, show_report
from ibgen.cli.one_file import refuse_inputs, replace
from ibgen.cli.options import SPEC, Overlays, Spec

if TYPE_CHECKING:
    from ibgen.cli.simulated import Answer
    from ibgen.compilation import Complete


SIMULATION = "IBG5"
"""Codes of what the simulation is judged by: they are shown though nothing else of the spec is."""


class Form(enum.StrEnum):
    """What is printed."""

    text = "text"
    json = "json"
    csv = "csv"
    svg = "svg"


class Engine(enum.StrEnum):
    """Routing engines that are simulated; `auto` is the spec's own."""

    auto = "auto"
    minhop = "minhop"
    updn = "updn"
    ftree = "ftree"
    dmodk = "dmodk"
    dfsssp = "dfsssp"


class Parts(enum.StrEnum):
    """What a sweep takes away, one after another."""

    cables = "cables"
    switches = "switches"


def simulate(
    spec: Spec = SPEC,
    overlays: Overlays = None,
    fabric: Annotated[
        str | None, typer.Option("--fabric", metavar="NAME", help="Only this fabric, or this subnet of one; all unless given.")
    ] = None,
    engine: Annotated[
        Engine, typer.Option("--engine", help="The routing engine whose tables are used; auto: the spec's.")
    ] = Engine.auto,
    tables: Annotated[
        Path | None,
        typer.Option("--tables", metavar="DUMP", help="Real tables: opensm-lfts.dump, opensm.fdbs or dump_lfts output."),
    ] = None,
    pattern: Annotated[
        list[str] | None,
        typer.Option("--pattern", metavar="P", help="Only this traffic, by name or beginning: `permutation`, `ring`."),
    ] = None,
    fail: Annotated[
        list[str] | None,
        typer.Option(
            "--fail", metavar="PARTS", help="Without these, between commas: `leaf-03`, `cable:leaf-01:33`, `dgx-001`."
        ),
    ] = None,
    slow: Annotated[
        list[str] | None,
        typer.Option("--slow", metavar="PART=RATE", help="With a cable below its rate: `cable:leaf-01:33=100G`; repeatable."),
    ] = None,
    sweep: Annotated[
        Parts | None, typer.Option("--sweep", help="Every single failure of the cables or switches between switches.")
    ] = None,
    order: Annotated[
        str | None,
        typer.Option(
            "--order", metavar="HOSTS", help="Hosts in rank order, as a job lists them: `n[05-08],n[01-04]`, or @FILE."
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, max=2**63 - 1, help="Of the random patterns.")] = 1,
    patterns: Annotated[
        int, typer.Option("--patterns", metavar="N", min=0, max=100_000, help="Random patterns per figure; 0: by size.")
    ] = 0,
    format: Annotated[
        Form | None,
        typer.Option(
            "--format", help="csv: load of every link, or all cases; svg: plots. Unless given, what the name after -o ends in."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write there.")] = None,
) -> int:
    """Put traffic on the fabric: bandwidth, fullest cables, failures.

    The tables are those a subnet manager would write; every figure names its pattern and model. With --fail what a failure
    costs, with --sweep the worst of all single ones.
    """
    _must_fit(engine, tables, fail, sweep)
    what = given(spec, overlays)
    if out is not None:
        refuse_inputs(out, (spec, *(overlays or ()), *([tables] if tables else [])))
    form = _form(format, out)
    if pattern and (sweep or (fail and form in (Form.text, Form.json))):
        raise Refused(
            "failures are judged by patterns of their own", "leave --pattern out, or use --fail with --format csv or svg"
        )
    from ibgen.cli import simulated
    from ibgen.compilation import complete
    from ibgen.compiler import compile
    from ibgen.diagnostics import Severity

    with terminal.Progress() as step:
        c, report = compile(what, step, glance=False)
        if out is not None:
            refuse_inputs(out, map(Path, report.texts))  # what the spec names: bindings, own catalog
        whole = complete(c)
        failed = report.reaches(Severity.ERROR)
        if whole is None or (failed and not whole.fabric.subnets):
            answer = None
        else:
            asked = simulated.Asked(
                fabric, None if engine is Engine.auto else engine.value, tables, tuple(pattern or ()), _parts(fail),
                _kind(sweep), seed, patterns, form.value, _slow(slow or []), _order(order, whole),
            )  # fmt: skip
            answer = simulated.answer(whole, asked, step)
    if answer is None or whole is None:
        show_report(report, on_stderr=True)
        return FINDINGS
    if answer.report.diagnostics:
        show_report(answer.report, on_stderr=True)
    _write(answer, form, out)
    if failed:
        show_report(report, on_stderr=True)
        return FINDINGS
    judged = tuple(d for d in report.diagnostics if d.code.id.startswith(SIMULATION))
    if judged:
        show_report(dataclasses.replace(report, diagnostics=judged), on_stderr=True)
    if form is Form.text and out is None:
        _suggest(answer, whole, spec, overlays)
    return CLEAN


def _kind(sweep: Parts | None) -> Literal["cables", "switches"] | None:
    if sweep is None:
        return None
    return "cables" if sweep is Parts.cables else "switches"


def _form(format: Form | None, out: Path | None) -> Form:
    if format is not None:
        return format
    ending = _ending(out.name) if out is not None else ""
    if not ending or ending in _TEXT:
        return Form.text
    if ending not in Form.__members__:
        hint = "the forms are " + ", ".join(f".{form.value}" for form in Form if form is not Form.text)
        raise Refused(f"no form is called .{ending}", f"{hint}; any name at all with --format, none at the end for text")
    return Form(ending)


_TEXT = frozenset({"txt", "log", "text"})
"""Endings that mean text and nothing else."""


def _ending(name: str) -> str:
    """What stands behind the last dot; `.png` is an ending without a name before it, `/dev/stdout` and `-` have none."""
    return name.rpartition(".")[2].lower() if "." in name else ""


def _must_fit(engine: Engine, tables: Path | None, fail: list[str] | None, sweep: Parts | None) -> None:
    """Refuses options that contradict each other, before anything is read."""
    if tables is not None and engine is not Engine.auto:
        raise Refused("--tables are real tables, --engine computes others", "give one of them")
    if fail and sweep:
        raise Refused("--fail takes away what it names, --sweep one part after another", "give one of them")
    if tables is not None and not tables.is_file():
        raise Refused(f"there is no dump {tables}", "`opensm -D 0x43 --dump_files_dir DIR` or `dump_lfts.sh > FILE` writes one")


def _parts(fail: list[str] | None) -> tuple[str, ...]:
    """The names between the commas, those inside brackets apart; host lists are written out."""
    texts = [part.strip() for text in fail or () for part in re.split(r",(?![^\[]*\])", text)]
    parts = tuple(dict.fromkeys(name for text in texts if text for name in _expanded(text)))
    if fail and not parts:
        raise Refused("--fail names nothing", "name a switch, a cable or a host: `--fail leaf-03`")
    return parts


def _order(given: str | None, whole: Complete) -> tuple[str, ...]:
    """The hosts of a host list, or of a file of them; every one must be the spec's."""
    from ibgen import hostlist

    if given is None:
        return ()
    text = given
    if given.startswith("@"):
        path = Path(given[1:])
        if not path.is_file():
            raise Refused(
                f"there is no file {path}", "a host per line, or host lists, as `scontrol show hostnames` prints them"
            )
        text = ",".join(path.read_text(encoding="utf-8", errors="replace").split())
    try:
        names = tuple(dict.fromkeys(hostlist.expand(text)))
    except ValueError as error:
        raise Refused(f"--order: {error}", "host lists are written as Slurm does: `n[01-16]`") from None
    strange = [name for name in names if name not in whole.fabric.hosts.row]
    if strange:
        raise Refused(f"--order names {strange[0]}, which is no host of the spec", "`ibgen show` writes the pools out")
    return names


def _slow(texts: list[str]) -> tuple[tuple[str, float], ...]:
    """(part, Gb/s); host lists are written out."""
    from ibgen import units

    found = []
    for text in texts:
        part, sign, rate = text.rpartition("=")
        try:
            gbps = float(units.rate_gbps(rate))
        except ValueError:
            gbps = 0.0
        if not sign or not part or gbps <= 0:
            raise Refused(f"--slow `{text}` is no part and rate", "for example `--slow cable:leaf-01:33=100G`")
        found += [(name, gbps) for name in _expanded(part)]
    return tuple(found)


def _expanded(part: str) -> list[str]:
    """`cable:leaf-[01-02]:33` as two."""
    from ibgen import hostlist

    ranged = re.search(r"[^:/]*\[[^\]]*\][^:/]*", part)
    if ranged is None:
        return [part]
    try:
        return [part[: ranged.start()] + name + part[ranged.end() :] for name in hostlist.expand(ranged.group())]
    except ValueError as error:
        raise Refused(f"--fail `{part}`: {error}", "ranges hold digits only: `leaf-u[01-02]`") from None


def _write(answer: Answer, form: Form, out: Path | None) -> None:
    text = answer.text(form.value, color=out is None and terminal.color(sys.stdout))
    if out is None:
        terminal.out(text)
        return
    replace(out, text)
    terminal.say(f"wrote {out}")


def _suggest(answer: Answer, whole: Complete, spec: Path, overlays: list[Path] | None) -> None:
    """A failure to try: the switch below the fullest cable; after a failure, the sweep of all."""
    result = answer.result
    if result.sweeps:
        rows = [r.part for s in result.sweeps for r in s.rows]
        more = ("--fail", rows[0]) if rows else ()
    elif result.failures:
        more = ("--sweep", "switches")
    else:
        names = {name for s in whole.fabric.subnets for name in s.switches.names}
        ends = [end.name for s in result.studies for w in s.worst for end in (w.start, w.end) if end.name in names]
        more = ("--fail", ends[0]) if ends else ()
    if more:
        next_step("ibgen", "simulate", *arguments(spec, overlays), *more)
