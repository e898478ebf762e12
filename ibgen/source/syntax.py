"""The parser's complaint in plain words.

Takes libyaml's error, which names a rule of the grammar and often a place far below the mistake. Gives one finding with the
likely cause, at the place where a person would look for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ibgen.diagnostics import Finding, Label, Span
from ibgen.source.findings import SYNTAX, TAB, TAG
from ibgen.source.places import Source

_TABBED = re.compile(r"^ *\t", re.M)
_GLUED = re.compile(r"[ ]*(?:- +)*([\w.-]+):([^\s:/].*)")  # `key:value`; `http://` and `::` are no such thing


_PLAIN = re.compile(r"[^,\[\]{}\n]+?(?=\s*(?:[,\[\]{}\n]|\s#|$))")  # a plain value inside brackets, to its end
_FAR = 100_000  # characters that are searched for an opening bracket


@dataclass(frozen=True, slots=True)
class _Case:
    """A complaint: where it was made, where the construct began, and the value read last, as offsets in the file."""

    source: Source
    problem: str
    at: int
    context: int
    last: tuple[int, int]

    @property
    def text(self) -> str:
        return self.source.text

    @property
    def line(self) -> int:
        return self.source.point(self.source.base + self.at)[0]

    def span(self, start: int, end: int) -> Span:
        """From one offset to another, at least one character wide."""
        line, column = self.source.point(self.source.base + start)
        end_line, end_column = self.source.point(self.source.base + end)
        return Span(self.source.file, line, column, end_line, max(end_column, column + 1) if end_line == line else end_column)

    def here(self) -> Span:
        return self.span(self.at, self.at + 1)


def explain(error: Any, source: Source, last: tuple[int, int]) -> Finding:
    """One finding for a parser error. `last`: offsets, over all files, of the value that was read before it."""
    problem = getattr(error, "problem", None) or str(error)
    size = len(source.text)
    at = min(getattr(getattr(error, "problem_mark", None), "index", 0), size)
    context = min(getattr(getattr(error, "context_mark", None), "index", at), size)
    case = _Case(source, problem, at, context, (last[0] - source.base, last[1] - source.base))
    if tab := _tab(case):
        return tab
    for part, describe in _CASES:
        if part in problem:
            return describe(case)
    hint = "compare the line and the one above it with the examples in the documentation"
    return SYNTAX.finding(f"this is not YAML: {problem}", case.here(), hint=hint)


def _tab(case: _Case) -> Finding | None:
    """A tab in the indentation of the line is the cause, whatever the complaint."""
    here = case.source.line(case.line)
    indent = here[: len(here) - len(here.lstrip())]
    character = case.text[case.at : case.at + 1]
    if "\t" not in indent and not (character == "\t" and "cannot start" in case.problem):
        return None
    column = indent.index("\t") + 1 if "\t" in indent else case.source.point(case.source.base + case.at)[1]
    at = Span(case.source.file, case.line, column, case.line, column + 1)
    count = len(_TABBED.findall(case.text))
    hint = "indent with spaces: `expand -t 2`, and let the editor insert spaces"
    message = "a tab in the indentation" if "\t" in indent else "a tab where only spaces may stand"
    return TAB.finding(message, at, hint=hint, facts={"lines that start with a tab": count} if count > 1 else None)


def _cannot_start(case: _Case) -> Finding:
    character = case.text[case.at : case.at + 1]
    rest = case.source.line(case.line)[case.source.point(case.source.base + case.at)[1] - 1 :].strip()
    value = rest if len(rest) <= 40 and '"' not in rest and " #" not in rest else character + "..."
    message = (
        f"a plain value cannot start with `{character}`" if character != "`" else "a plain value cannot start with a backtick"
    )
    return SYNTAX.finding(message, case.here(), hint=f'put it in quotes: `"{value}"`')


def _colon(case: _Case) -> Finding:
    """`mapping values are not allowed`: a second colon, a missing space above, or a line indented under a finished value."""
    start = case.last[0] if case.last[1] <= case.at else case.at
    first_line = case.source.point(case.source.base + start)[0]
    for number in range(max(first_line, case.line - 1), case.line):
        if glued := _GLUED.fullmatch(case.source.line(number).rstrip()):
            return _no_space(case, number, glued)
    start_column = case.source.point(case.source.base + start)[1]
    if first_line < case.line and not case.source.line(first_line)[: start_column - 1].strip():
        return _bare(case, first_line)
    if first_line < case.line:
        message = "this line is indented as a part of the value above it, which is already complete"
        labels = (Label(case.source.line_span(first_line), "the value above"),)
        hint = "give both lines the same indentation, or end the line above with the colon of its key"
        return SYNTAX.finding(message, case.source.line_span(case.line), labels=labels, hint=hint)
    hint = 'put the value in quotes if the colon belongs to it: `key: "a: b"`; else start a new line after the first value'
    return SYNTAX.finding("a second colon on the line, inside a plain value", case.here(), hint=hint)


def _no_space(case: _Case, number: int, glued: re.Match[str]) -> Finding:
    column = glued.end(1) + 1
    at = Span(case.source.file, number, column, number, column + 1)
    return SYNTAX.finding("no space after the colon", at, hint=f"write `{glued[1]}: {glued[2]}`")


def _no_key(case: _Case) -> Finding:
    """`did not find expected key` and its like: a quote closed too early or never, or indentation that fits nowhere."""
    if quote := _runaway_quote(case):
        return quote
    line_start = case.text.rfind("\n", 0, case.at) + 1
    before = case.text[line_start : case.at]
    if before.strip(" -"):
        rest = case.text[case.at : case.at + 20].split("\n")[0]
        return SYNTAX.finding(
            f"`{rest}` follows a value that is already complete",
            case.here(),
            hint="put the whole value in one pair of quotes, or start a new line",
        )
    text = case.source.line(case.line).strip()
    if text.startswith(("]", "}", ",")):
        return SYNTAX.finding(
            f"`{text[0]}` closes or divides nothing", case.here(), hint="delete it, or add the opening bracket"
        )
    if text.startswith(":"):
        return SYNTAX.finding("a colon without a key before it", case.here(), hint="write the key before the colon")
    if text.startswith("- ") or text == "-":
        message = "a list item where a key is expected"
        return SYNTAX.finding(message, case.source.line_span(case.line), hint="indent it like the list it belongs to")
    if "'-'" in case.problem and len(before) == case.source.point(case.source.base + case.context)[1] - 1:
        message = "a key where the list above expects its next item"
        hint = "start the line with `- `, or indent it like the key that the list belongs to"
    else:
        message = f"this line is indented by {len(before)}, which fits no block above"
        hint = "give it exactly the indentation of the lines it belongs to"
    labels = (Label(case.source.line_span(case.source.point(case.source.base + case.context)[0]), "the block begins here"),)
    return SYNTAX.finding(message, case.source.line_span(case.line), labels=labels, hint=hint)


def _runaway_quote(case: _Case) -> Finding | None:
    """The value before the place is quoted and runs over several lines: its quote was to be closed on the first."""
    start, end = case.last
    if end > case.at or "\n" not in case.text[start:end] or case.text[start : start + 1] not in ("'", '"'):
        return None
    quote = case.text[start]
    line = case.source.point(case.source.base + end)[0]
    labels = (Label(case.source.line_span(line), "it ends only at the quote on this line"),)
    hint = f"close the quote with {quote} on its own line"
    return SYNTAX.finding("a quote that is not closed on its line", case.span(start, start + 1), labels=labels, hint=hint)


def _no_colon(case: _Case) -> Finding:
    """`could not find expected ':'`: a line that is neither `key: value` nor an item."""
    line = case.source.point(case.source.base + case.context)[0]
    if glued := _GLUED.fullmatch(case.source.line(line).rstrip()):
        return _no_space(case, line, glued)
    return _bare(case, line)


def _flow_colon(case: _Case) -> Finding:
    """`found unexpected ':'`: YAML has `2-00:00:00` in braces, libyaml's scanner has not. A key is told from a value by what
    stands before it."""
    start = case.context
    value = _PLAIN.match(case.text, start)
    end = value.end() if value else start + 1
    shown = case.text[start:end].rstrip()
    before = case.text[:start].rstrip()
    key, _, rest = shown.partition(":")
    if rest and before[-1:] in "{," and _opened(before) == "{":
        hint = f"write `{key}: {rest.strip()}`"
        return SYNTAX.finding("no space after the colon", case.span(start + len(key), start + len(key) + 1), hint=hint)
    bracket = "[]" if _opened(before) == "[" else "{}"
    quoted = f'"{shown}"' if '"' not in shown and "\\" not in shown else f"'{shown}'"
    hint = f"`:` inside `{bracket}`: quote the value: `{quoted}`"
    return SYNTAX.finding(f"a colon in a plain value inside `{bracket}`", case.span(start, start + len(shown)), hint=hint)


def _opened(text: str) -> str:
    """The bracket that is open at the end of the text; brackets in quotes are rare enough to be taken for real ones."""
    depth = 0
    for character in reversed(text[-_FAR:]):
        depth += (character in "]}") - (character in "[{")
        if depth < 0:
            return character
    return "{"


def _bare(case: _Case, line: int) -> Finding:
    hint = "add the colon after the key; a long value goes into quotes or is indented under its key"
    return SYNTAX.finding("this line is neither `key: value` nor `- item`", case.source.line_span(line), hint=hint)


def _outside(case: _Case) -> Finding:
    """`did not find expected <document start>`: the text goes on after its top-level value is complete."""
    if glued := _GLUED.fullmatch(case.source.line(case.line).rstrip()):
        return _no_space(case, case.line, glued)
    hint = "start every top-level key at the left margin; `...` and a closing bracket end the document"
    message = "this line does not belong to what stands above it, which is already complete"
    return SYNTAX.finding(message, case.source.line_span(case.line), hint=hint)


def _unclosed_quote(case: _Case) -> Finding:
    quote = case.text[case.context : case.context + 1]
    hint = "close it on the same line" + ("; inside single quotes, an apostrophe is written twice: ''" if quote == "'" else "")
    return SYNTAX.finding("a quote that is never closed", case.span(case.context, case.context + 1), hint=hint)


def _bracket(case: _Case) -> Finding:
    """`did not find expected ',' or ']'`."""
    if quote := _runaway_quote(case):
        return quote
    opened = case.span(case.context, case.context + 1)
    bracket = case.text[case.context : case.context + 1]
    other = {"[": "]", "{": "}"}.get(bracket, "]")
    found = case.text[case.at : case.at + 1]
    near = case.source.point(case.source.base + case.context)[0] == case.line
    if not near or not found.strip():
        return SYNTAX.finding(f"`{bracket}` is never closed", opened, hint=f"add `{other}` where it ends")
    labels = (Label(opened, "opened here"),)
    message = f"`{found}` where `,` or `{other}` is expected"
    return SYNTAX.finding(message, case.here(), labels=labels, hint=f"add the missing `,` or `{other}`, or quote the value")


def _dash(case: _Case) -> Finding:
    message = "a list item behind a key on the same line"
    return SYNTAX.finding(
        message, case.here(), hint="start the list on a new line, or write it as `[a, b]`; a dash as text needs quotes"
    )


def _escape(case: _Case) -> Finding:
    start = max(case.text.rfind("\\", case.context, case.at + 1), case.context)
    shown = case.text[start : start + 2].strip()
    hint = "write the backslash twice, or use single quotes, where it stands for itself"
    return SYNTAX.finding(f"an unknown escape `{shown}` inside double quotes", case.span(start, start + len(shown)), hint=hint)


def _star(case: _Case) -> Finding:
    sign = case.text[case.context : case.context + 1]
    meaning = "an alias" if sign == "*" else "an anchor"
    message = f"`{sign}` starts {meaning}, and no name follows"
    return SYNTAX.finding(message, case.span(case.context, case.context + 1), hint=f'put the text in quotes: `"{sign}"`')


def _nothing(case: _Case) -> Finding:
    found = case.text[case.at : case.at + 1].strip()
    message = f"`{found}` where a value is expected" if found else "a value is missing"
    return SYNTAX.finding(message, case.here(), hint="write the value, delete what is left over, or put the text in quotes")


def _block(case: _Case) -> Finding:
    message = "text on the line of `|` or `>`, which start a text on the lines below"
    return SYNTAX.finding(message, case.here(), hint="move the text to the next line and indent it, or put the value in quotes")


def _tag(case: _Case) -> Finding:
    hint = 'leave the tag out; a text that starts with `!` needs quotes: `"!..."`'
    return TAG.finding("`!` starts a tag, which is not allowed", case.span(case.context, case.context + 1), hint=hint)


def _directive(case: _Case) -> Finding:
    message = "a line that starts with `%` is a YAML directive, and this one is not known"
    return SYNTAX.finding(message, case.source.line_span(case.line), hint="delete the line; no directive is needed")


_CASES: tuple[tuple[str, Callable[[_Case], Finding]], ...] = (
    ("cannot start any token", _cannot_start),
    ("mapping values are not allowed", _colon),
    ("expected key", _no_key),
    ("expected '-' indicator", _no_key),
    ("expected <document start>", _outside),
    ("unexpected ':'", _flow_colon),  # before the next, whose words it ends in
    ("expected ':'", _no_colon),
    ("unexpected end of stream", _unclosed_quote),
    ("unexpected document indicator", _unclosed_quote),
    ("expected ',' or", _bracket),
    ("sequence entries are not allowed", _dash),
    ("mapping keys are not allowed", _nothing),
    ("escape", _escape),
    ("hexdecimal", _escape),
    ("alphabetic or numeric", _star),
    ("node content", _nothing),
    ("comment or line break", _block),
    ("indentation indicator", _block),
    ("tag", _tag),
    ("directive", _directive),
    ("YAML document", _directive),
)
