"""Findings silenced in comments: `# ibgen: ignore[IBG201] reason`.

Takes a source's text and where its quoted and block scalars stand (libyaml drops comments, so they are read from the text,
and `#` inside such a scalar is text). Gives the suppressions and a finding for each comment that tries and fails.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from ibgen.diagnostics import Finding, Span, Suppression
from ibgen.source.findings import BAD_SUPPRESSION
from ibgen.source.places import Source

_TRIES = re.compile(r"#[# \t]*(?i:ibgen[ \t]*:?[ \t]*ignore)(?![a-zA-Z])[^\n]*")  # a plain `#` first: searched for by memchr
_WELL_FORMED = re.compile(r"#[# \t]*ibgen:[ \t]*ignore\[([^\]]*)\][\s:,-]*(.*)")
_CODE = re.compile(r"IBG[0-9]{3}")
_NOT_CODE = re.compile(r"[ \t]*(#.*)?|(---|\.\.\.)([ \t].*)?")
_FORM = "write `# ibgen: ignore[IBG201] reason`"


def collect(source: Source, hiding: Sequence[tuple[int, int]]) -> tuple[list[Suppression], list[Finding]]:
    """All suppressions of one file. `hiding`: where `#` is text, in order, as offsets in the file."""
    hits = list(_TRIES.finditer(source.text))
    if not hits:
        return [], []
    suppressions: list[Suppression] = []
    findings: list[Finding] = []
    for hit in hits:
        i = bisect_right(hiding, (hit.start(), len(source.text) + 1)) - 1
        if (i >= 0 and hit.start() < hiding[i][1]) or source.text[hit.start() - 1 : hit.start()].strip():
            continue  # inside a scalar, or glued to a word: no comment
        outcome = _read(source, hit)
        if isinstance(outcome, Suppression):
            suppressions.append(outcome)
        else:
            findings.append(outcome)
    return suppressions, findings


def _read(source: Source, hit: re.Match[str]) -> Suppression | Finding:
    line, column = source.point(source.base + hit.start())
    comment = hit.group().rstrip()
    at = Span(source.file, line, column, line, column + len(comment))
    form = _WELL_FORMED.fullmatch(comment)
    if not form:
        return BAD_SUPPRESSION.finding("a comment that silences nothing: its form is not known", at, hint=_FORM)
    codes = [code.strip() for code in form[1].split(",")]
    for code in codes:
        if not _CODE.fullmatch(code):
            upper = code.upper()
            hint = f"did you mean `{upper}`?" if _CODE.fullmatch(upper) else "a code is `IBG` and three digits: `IBG201`"
            return BAD_SUPPRESSION.finding(f"`{code}` is not a code, so nothing is silenced", at, hint=hint)
    if not form[2].strip():
        hint = f"say why behind the bracket: `# ibgen: ignore[{', '.join(codes)}] reason`"
        return BAD_SUPPRESSION.finding("no reason is given, so nothing is silenced", at, hint=hint)
    silenced = _silenced_line(source, line, column)
    if not silenced:
        hint = "move it behind the value or above the line that it is about"
        return BAD_SUPPRESSION.finding("no line follows that this comment could silence", at, hint=hint)
    return Suppression(source.file, silenced, frozenset(codes), form[2].strip())


def _silenced_line(source: Source, line: int, column: int) -> int:
    """The comment's own line where something stands before it, else the next that holds something; 0: there is none."""
    if source.line(line)[: column - 1].strip():
        return line
    for number in range(line + 1, len(source.starts) + 1):
        if not _NOT_CODE.fullmatch(source.line(number)):
            return number
    return 0
