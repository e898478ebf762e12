"""ibnetdiscover's plain output, as infiniband-diags writes it and as it arrives after tickets, terminals and editors.

Takes the text of one dump (see `as_text` for bytes). Gives `Observed` and findings at the dump's own lines. Nothing in a file
is an exception; 200,000 lines take about a second.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ibgen.diagnostics import Code, Finding, Label, Span

from .assembling import assemble
from .findings import LINE_UNREADABLE, NO_CABLES, NOISE, NOT_A_DUMP, PARTIAL
from .observed import Observed
from .record_lines import Raw, read_lines

_MOST = 20
"""Findings of one kind before the rest is counted: a file that is all wrong says it once."""

_OTHER_FORMS = (
    (
        r"(?:CA|SW|RT)\s+\d+\s+\d+\s+0x[0-9a-f]+\s+\S+\s",
        "the port report of `ibnetdiscover -p`",
        "run ibnetdiscover without -p",
    ),
    (
        r"(?:Ca|Switch|Router)\s*: 0x[0-9a-f]+ ports",
        "the list of `ibnetdiscover -l`",
        "run ibnetdiscover without -l, -H, -S and -R",
    ),
    (r".*==\(.*\)==>", "the output of iblinkinfo", "run ibnetdiscover instead"),
    (r"\{ (?:CA|SW)\S* Ports:", "a dump of OpenSM (opensm-subnet.lst)", "run ibnetdiscover instead"),
    (
        r'(?:Switch|Ca|Hca)\s+\d+\s+"',
        "a net file for ibsim",
        "run ibnetdiscover on the simulated fabric, and read what it prints",
    ),
)


def as_text(data: bytes) -> str:
    """A dump's bytes as text with plain line breaks. What is no UTF-8 is shown as such: it can only stand in a name."""
    for mark, encoding in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            text = data.decode(encoding, "replace")
            break
    else:
        text = data.decode("utf-8-sig", "replace")
    return re.sub("\r+\n", "\n", text).translate({0x0D: " ", 0x85: " ", 0x2028: " ", 0x2029: " ", 0: "\ufffd"})


def read_ibnetdiscover(text: str, file: str) -> tuple[Observed, tuple[Finding, ...]]:
    """The fabric a dump shows, and what is wrong with the dump. `file` is what findings call it."""
    lines = text.split("\n")
    raw = read_lines(lines)
    observed, found = assemble(raw, file)
    if not raw.guid:
        return observed, (_not_a_dump(lines, file),)
    return observed, (*_unused(raw, lines, file), *found, *_one_sided(observed))


def _not_a_dump(lines: Sequence[str], file: str) -> Finding:
    for n, line in enumerate(lines, 1):
        for pattern, what, hint in _OTHER_FORMS:
            if re.match(pattern, line[:400].lstrip(), re.IGNORECASE):
                return NOT_A_DUMP.finding(f"this is {what}, which does not say enough", Span(file, n), hint=hint)
    said = "the file is empty" if not any(line.strip() for line in lines) else "there is no record of ibnetdiscover in it"
    return NOT_A_DUMP.finding(
        said, Span(file, 0), hint="write it with `ibnetdiscover > fabric.txt`, as root on a host of the subnet"
    )


def _unused(raw: Raw, lines: Sequence[str], file: str) -> list[Finding]:
    found: list[Finding] = []
    for n in raw.garbage[:_MOST]:
        message = f"`{lines[n - 1].strip()[:60]}` is no line of a record"
        found.append(
            LINE_UNREADABLE.finding(
                message, _whole(file, n, lines), hint="take the dump again, messages apart: `2> errors.txt`"
            )
        )
    if len(raw.garbage) > _MOST:
        found.append(_at(LINE_UNREADABLE, raw.garbage[_MOST:], "more lines inside records cannot be read", file))
    if raw.hidden:
        found.append(
            _at(PARTIAL, raw.hidden, _many(raw.hidden, "line is blanked or left out", "lines are blanked or left out"), file)
        )
    if raw.orphans:
        text = _many(raw.orphans, "cable stands under no node", "cables stand under no node")
        found.append(_at(PARTIAL, raw.orphans, f"{text}: the head of the record is missing", file))
    if raw.cut:
        found.append(
            PARTIAL.finding("the file ends in the middle of a record", Span(file, raw.cut), hint="take the dump again")
        )
    if raw.noise:
        found.append(
            _at(NOISE, raw.noise, _many(raw.noise, "line is no part of a record", "lines are no part of a record"), file)
        )
    if not raw.links:
        word = "node" if len(raw.guid) == 1 else "nodes"
        hint = "is the port up? `ibstat`; another adapter: `ibnetdiscover -C mlx5_0 -P 1`"
        found.append(NO_CABLES.finding(f"{len(raw.guid)} {word}, and no cable", Span(file, raw.line[0]), hint=hint))
    return found


def _one_sided(observed: Observed) -> list[Finding]:
    lines = observed.links.line[observed.links.one_sided].tolist()
    if not lines:
        return []
    text = _many(lines, "cable is told by one of its ends only", "cables are told by one of their ends only")
    return [_at(PARTIAL, lines, text, observed.file)]


def _many(lines: Sequence[int], one: str, many: str) -> str:
    return f"1 {one}" if len(lines) == 1 else f"{len(lines):,} {many}"


def _at(code: Code, lines: Sequence[int], message: str, file: str) -> Finding:
    """One finding for many lines: the first is pointed at, the next few are labelled, all are counted."""
    labels = [Label(Span(file, n), "and here") for n in lines[1:4]]
    hint = "take the dump again in one piece" if code is not NOISE else "they were passed over"
    shown = message if message[0].isdigit() else f"{len(lines):,} {message}"
    return code.finding(shown, Span(file, lines[0]), labels=labels, hint=hint, facts={"lines": _ranges(lines)})


def _ranges(lines: Sequence[int]) -> str:
    """`3-5, 9`: where, up to a line's length."""
    runs: list[list[int]] = []
    for n in sorted(lines):
        if runs and n == runs[-1][1] + 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    text = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs[:12])
    return text + (f" and {len(runs) - 12} more" if len(runs) > 12 else "")


def _whole(file: str, number: int, lines: Sequence[str]) -> Span:
    return Span(file, number, 1, number, 1 + min(len(lines[number - 1]), 80))
