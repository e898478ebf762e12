"""`ibgen explain`: the page of a code."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from ibgen.cli import terminal
from ibgen.cli.exits import CLEAN, Refused

if TYPE_CHECKING:
    from ibgen.diagnostics import Code


def explain(
    code: Annotated[str | None, typer.Argument(metavar="CODE", help="`IBG201`, or the name: `leaf-oversubscribed`.")] = None,
    list_: Annotated[bool, typer.Option("--list", help="Every code, one a line.")] = False,
) -> int:
    """Explain a code: why it matters, what to do, examples."""
    from ibgen.compiler import codes
    from ibgen.render.page import codes_text, page_text

    known = codes()
    if list_ or code is None:
        terminal.out(codes_text(known))
        return CLEAN
    terminal.out(page_text(_find(code, known), color=terminal.color(sys.stdout)))
    return CLEAN


def _find(asked: str, known: tuple[Code, ...]) -> Code:
    """By id in any case, by number, or by name; else refused with what looks like it."""
    word = asked.strip().strip("[]").lower()
    wanted = f"ibg{word:0>3}" if word.isdigit() else word.replace("_", "-")
    for code in known:
        if wanted in (code.id.lower(), code.name):
            return code
    import difflib

    names = [*(c.id.lower() for c in known), *(c.name for c in known)]
    near = difflib.get_close_matches(wanted, names, n=3, cutoff=0.5) or [c.name for c in known if wanted in c.name][:3]
    called = {c.id.lower(): c for c in known} | {c.name: c for c in known}
    offers = dict.fromkeys(f"{called[n].id} ({called[n].name})" for n in near)
    hint = f"did you mean {', '.join(offers)}?" if offers else "`ibgen explain --list` prints them all"
    raise Refused(f"there is no code `{asked}`", hint)
