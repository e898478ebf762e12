"""`ibgen bind`: GUIDs for the names of a spec, from dumps of the fabric."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ibgen.cli import terminal
from ibgen.cli.exits import CLEAN, FINDINGS, Refused
from ibgen.cli.given import STDIN, arguments, given, next_step, show_report
from ibgen.cli.one_file import refuse_inputs, replace
from ibgen.cli.options import FailOn, Overlays, Plain, PlainFormat, Spec

if TYPE_CHECKING:
    from ibgen.compilation import Compilation
    from ibgen.diagnostics import Finding, Report
    from ibgen.discover import Observed, Outcome
    from ibgen.fabric import Bindings

_HARMLESS = frozenset({"guid-on-two-hosts"})
"""What may be wrong with the bindings so far: a dump can put it right. Any other fault would cost rows."""


def bind(
    spec: Spec,
    dumps: Annotated[
        list[Path], typer.Argument(metavar="DUMP", help="Output of ibnetdiscover, one file or several; `-` reads one.")
    ],
    overlays: Overlays = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="The bindings; without it, those the spec names.")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 when the bindings would change.")] = False,
    format: PlainFormat = Plain.text,
    fail_on: Annotated[FailOn, typer.Option("--fail-on", help="The least severity that makes the exit code 1.")] = FailOn.error,
) -> int:
    """Bind GUIDs to the names of a spec, from ibnetdiscover's output.

    By what nodes call themselves, and by their place among neighbours; nothing is guessed. Rows that no dump speaks of stay.
    """
    what = given(spec, overlays)
    texts = _read_dumps(dumps, spec)
    from ibgen import discover
    from ibgen.compiler import compile
    from ibgen.diagnostics import Severity, locate

    with terminal.Progress() as step:
        c, report = compile(what, step, glance=False)
        if c.fabric is None:
            show_report(report, on_stderr=True)
            return FINDINGS
        file = _file(c, spec, output, (spec, *(overlays or ()), *dumps))
        bindings = c.spec.bindings if c.spec is not None else None
        refuse_inputs(file, (Path(name) for name in report.texts if bindings is None or Path(name) != spec.parent / bindings))
        old, before, faults = _bindings(c, spec, file)
        if faults:
            show_report(locate(faults, c.document.span, texts=old), on_stderr=True)
            terminal.say("nothing was written: the bindings that are there have errors, and rows would be lost")
            return FINDINGS
        step("reading dumps")
        with _uncollected():
            observed, findings = _observe(texts)
            step("binding")
            outcome = discover.bind(c.fabric, before, observed)
    text = discover.bindings_text(outcome.rows, before, next(iter(old.values()), ""))
    findings += outcome.findings
    report = locate(findings, c.document.span, c.document.suppressions, {**c.document.texts, **texts})
    stale = bool(outcome.bound) and _current(file) != text
    if stale and not check:
        replace(file, text)
    if format is Plain.json:
        from ibgen.render.binding import binding_json

        terminal.out(binding_json(outcome, report, str(file), stale=stale, written=stale and not check))
    else:
        _show(outcome, report)
        _close(c, outcome, file, stale, check, spec, overlays)
    return FINDINGS if report.reaches(Severity(fail_on.value)) or (check and stale) else CLEAN


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Millions of small values, none of them in a cycle: the collector would be a third of the time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _read_dumps(dumps: list[Path], spec: Path) -> dict[str, str]:
    """Each dump's text by the name that findings call it; one that is named twice counts once."""
    from ibgen.discover import as_text

    texts: dict[str, str] = {}
    for path in dict.fromkeys(dumps):
        if path == STDIN:
            if spec == STDIN:
                raise Refused("only one of spec and dump can come from standard input", "write the other one to a file")
            texts["<stdin>"] = as_text(sys.stdin.buffer.read())
            continue
        if path.is_dir():
            raise Refused(f"{path} is a folder, not a dump", "name the file that `ibnetdiscover > fabric.txt` wrote")
        if not path.exists():
            raise Refused(
                f"there is no dump {path}", "`ibnetdiscover > fabric.txt`, as root on a host of the subnet, writes one"
            )
        texts[str(path)] = as_text(path.read_bytes())
    return texts


def _observe(texts: dict[str, str]) -> tuple[list[Observed], tuple[Finding, ...]]:
    from ibgen.discover import read_ibnetdiscover

    observed: list[Observed] = []
    findings: list[Finding] = []
    for name, text in texts.items():
        seen, found = read_ibnetdiscover(text, name)
        observed.append(seen)
        findings += found
    return observed, tuple(findings)


def _file(c: Compilation, spec: Path, output: Path | None, read: Sequence[Path]) -> Path:
    """Where the bindings are written: as asked, as the spec names them, or beside the spec under its name."""
    if output is None and c.spec is not None and c.spec.bindings is not None:
        output = spec.parent / c.spec.bindings
    if output is None:
        if spec == STDIN:
            raise Refused("a spec from standard input has no name for its bindings", "name the file: `-o cluster.guids.csv`")
        output = spec.with_name(f"{spec.stem}.guids.csv")
    refuse_inputs(output, read)
    return output


def _bindings(c: Compilation, spec: Path, file: Path) -> tuple[dict[str, str], Bindings | None, tuple[Finding, ...]]:
    """The bindings so far: the text by its file's name, its rows, and the faults for which they cannot be written anew. A
    new file begins with what the spec names."""
    from ibgen import source
    from ibgen.fabric import read_bindings

    named = spec.parent / c.spec.bindings if c.spec is not None and c.spec.bindings is not None else file
    path = next((p for p in (file, named) if p.exists()), None)
    if path is None:
        return {}, None, ()
    text, found = source.read(path)
    if text is None:
        return {}, None, found
    rows, found = read_bindings(text, str(path))
    return {str(path): text}, rows, tuple(f for f in found if f.code.name not in _HARMLESS)


def _current(file: Path) -> str | None:
    try:
        return file.read_bytes().decode("utf-8", "replace")
    except FileNotFoundError:
        return None


def _show(outcome: Outcome, report: Report) -> None:
    from ibgen.render.binding import binding_text

    terminal.out(binding_text(outcome, color=terminal.color(sys.stdout)))
    show_report(report, on_stderr=True)


def _close(
    c: Compilation, outcome: Outcome, file: Path, stale: bool, check: bool, spec: Path, overlays: list[Path] | None
) -> None:
    """The last words: what was written, what the spec has to say about it, what is usually done now."""
    from ibgen.render.binding import counted

    if c.fabric is not None and c.fabric.failed:
        terminal.say("some fabrics of the spec have errors and were left out: `ibgen check` tells them")
    if not outcome.bound:
        terminal.say("nothing was bound, nothing was written")
        return
    done = f"{'would change' if check else 'wrote'} {file}" if stale else f"{file} is what the dumps say"
    terminal.say(f"{done}, {counted(outcome)}")
    if c.spec is not None and c.spec.bindings is None:
        beside = os.path.relpath(file, spec.parent)
        first = "lay it beside the spec, and " if beside.startswith("..") else ""
        terminal.say(f"{first}add `bindings: {file.name if first else beside}` to the spec, so that builds use it")
    elif check and stale:
        terminal.say("without --check it is written")
    else:
        next_step("ibgen", "build", *arguments(spec, overlays))
