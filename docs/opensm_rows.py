"""`opensm.md` from `opensm.toml`: how OpenSM fails open, and what ibgen makes of it.

Takes the codes. Gives the page; `rows()` is what the tests hold against the codes and the tests that are named.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ibgen.diagnostics import Code

DATA = Path(__file__).resolve().parent / "opensm.toml"

OPENING = """# How OpenSM fails open

OpenSM 3.3 exits 0 whatever it is given. A partition file that it cannot read to the end makes every port a full member of
everything; half a root list halves the bandwidth; an unknown option is one line on stdout. The tables below list each such
behaviour, the codes that report it (3xx, 4xx and 6xx from the spec, 84x to 85x from files that exist:
`ibgen check --opensm DIR`), and how the files that ibgen writes make it impossible. `ibgen prove --only opensm` runs the real
program on the result: it fails on any complaint, another engine than was asked for, a P_Key table that differs from the spec, a
dead end or a credit loop.
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One behaviour. `test` is `file::function`, empty where nothing of ours could prevent it."""

    section: str
    row: str
    codes: tuple[str, ...]
    how: str
    test: str


def sections() -> list[dict[str, object]]:
    read: list[dict[str, object]] = tomllib.loads(DATA.read_text(encoding="utf-8"))["section"]
    return read


def rows() -> Iterator[Row]:
    for section in sections():
        for row in section["rows"]:  # type: ignore[attr-defined]
            yield Row(str(section["title"]), row["row"], tuple(row["codes"]), row["how"], row["test"])


def opensm_page(known: tuple[Code, ...]) -> str:
    names = {code.id: code.name for code in known}
    parts = [OPENING]
    by_section: dict[str, list[Row]] = {}
    for row in rows():
        by_section.setdefault(row.section, []).append(row)
    for section in sections():
        title = str(section["title"])
        lines = [f"## {title}\n", f"{section['intro']}\n", "| behaviour | reported as | in what ibgen writes | test |"]
        lines.append("|---|---|---|---|")
        lines += [_line(row, names) for row in by_section[title]]
        parts.append("\n".join([*lines, ""]))
    return "\n".join(parts)


def _line(row: Row, names: dict[str, str]) -> str:
    codes = ", ".join(f"[{c}](rules/{c}.md) {names[c]}" for c in row.codes)
    test = f"[{row.test.partition('::')[2]}](../{row.test.partition('::')[0]})" if row.test else ""
    return f"| {row.row} | {codes} | {row.how} | {test} |".replace("|  |", "| |").replace("|  |", "| |")
