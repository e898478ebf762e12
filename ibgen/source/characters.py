"""Characters that must not stand in a spec, because a reviewer cannot see them.

Takes one source. Gives its text with each of them replaced, character for character so that no position moves, and the
findings: reading goes on, everything else that is wrong is found in the same run.
"""

from __future__ import annotations

import re
import unicodedata

from ibgen.diagnostics import Finding, Span
from ibgen.source.findings import INVISIBLE
from ibgen.source.places import Source

MAX_LINES = 20
"""Lines named one by one; a binary file would otherwise fill the screen."""

# What libyaml's reader refuses (YAML 1.1, section 5.1), and what it takes for a line break where no editor does (5.4).
_REFUSED = "\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff\u2028\u2029"
# Characters without width, and those that show text in another order than it is read (CVE-2021-42574).
_HIDDEN = "\u200b\u2060\u202a-\u202e\u2066-\u2069"
_BAD = re.compile(f"[{_REFUSED}{_HIDDEN}]")
_BAD_ASCII = re.compile("[\0-\x08\x0b-\x1f\x7f]")

# Spaces that are none to YAML, where one is needed: in the indentation, after a list item's dash or a key's colon.
_SPACE = "\xa0\u1680\u2000-\u200a\u202f\u205f\u3000"
_INDENT = re.compile(rf"^[ \t]*(?:-[ ]+)*[{_SPACE}][ \t{_SPACE}]*|^[ ]*(?:- +)*[\w.-]+:[{_SPACE}][ {_SPACE}]*", re.M)
_ANY_SPACE = re.compile(f"[{_SPACE}]")


def clean(source: Source) -> tuple[str, list[Finding]]:
    """The text with what may not stand in it replaced, and one finding a line."""
    text = source.text
    if text.isascii():
        if not _BAD_ASCII.search(text):
            return text, []
        hits = [m.start() for m in _BAD_ASCII.finditer(text)]
        return _BAD_ASCII.sub("\ufffd", text), _report(source, hits)
    hits = [m.start() for m in _BAD.finditer(text)]
    if hits:
        text = _BAD.sub("\ufffd", text)
    if _ANY_SPACE.search(text):
        for m in _INDENT.finditer(text):
            hits += [m.start() + inner.start() for inner in _ANY_SPACE.finditer(m.group())][:1]
        text = _INDENT.sub(lambda m: _ANY_SPACE.sub(" ", m.group()), text)
    return text, _report(source, sorted(hits))


def _report(source: Source, hits: list[int]) -> list[Finding]:
    """One finding for the first hit of each line; the last one counts the lines that are not named."""
    by_line: dict[int, int] = {}
    for hit in hits:
        by_line.setdefault(source.point(source.base + hit)[0], hit)
    findings = [_finding(source, hit) for hit in list(by_line.values())[:MAX_LINES]]
    if len(by_line) > MAX_LINES:
        line, hit = list(by_line.items())[MAX_LINES]
        message = f"{len(by_line) - MAX_LINES} more lines with characters that cannot be seen"
        at = Span(source.file, line, source.point(source.base + hit)[1])
        findings.append(INVISIBLE.finding(message, at, hint="this looks like a binary file: is it the spec?"))
    return findings


def _finding(source: Source, hit: int) -> Finding:
    character = source.text[hit]
    code = f"U+{ord(character):04X}"
    name = unicodedata.name(character, "")
    at = source.span(source.base + hit, source.base + hit + 1)
    line, column = at.line, at.column
    at = Span(source.file, line, column, line, column + 1)
    if _ANY_SPACE.match(character):
        message = f"{code} {name} stands where YAML needs a plain space"
        return INVISIBLE.finding(message, at, hint="replace it by a space; it usually comes with text copied from a web page")
    if character == "\0":
        message, name = "a NUL character (U+0000)", ""
    else:
        message = f"a character that cannot be seen: {code} {name}".rstrip()
    hint = "delete it; inside double quotes it can be written as an escape: " + _escape(character)
    return INVISIBLE.finding(message, at, hint=hint)


def _escape(character: str) -> str:
    number = ord(character)
    if number < 0x100:
        return f"`\\x{number:02x}`"
    return f"`\\u{number:04x}`"
