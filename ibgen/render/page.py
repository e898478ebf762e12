"""A code's page for a person, and the list of all codes.

Takes `Code`. Gives text.
"""

from __future__ import annotations

from collections.abc import Sequence

from ibgen.diagnostics import Code

from .cells import table
from .style import paint


def page_text(code: Code, *, color: bool = False) -> str:
    """Header, summary, text, and the two examples that the tests run."""
    draw = paint(color)
    page = code.page
    parts = [draw(code.severity.value, f"{code.id} {code.name}") + f" ({code.severity.value})", page.summary, page.body]
    for title, example, style in (("Bad:", page.bad, "error"), ("Good:", page.good, "help")):
        if example:
            parts.append(draw(style, title) + "\n" + "\n".join(f"    {line}".rstrip() for line in example.rstrip().split("\n")))
    silence = f"# ibgen: ignore[{code.id}] the reason"
    parts.append(draw("dim", f"To silence it on one line, with a reason:  {silence}"))
    return "\n\n".join(part for part in parts if part) + "\n"


def codes_text(codes: Sequence[Code]) -> str:
    """One line per code."""
    return "".join(line + "\n" for line in table([[c.id, c.name, c.severity.value, c.page.summary] for c in codes]))
