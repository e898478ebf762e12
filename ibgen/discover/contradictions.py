"""What cannot be true of a fabric, said of a dump's lines: one GUID on two things, a GUID of zero, two GUIDs for one thing."""

from __future__ import annotations

from collections.abc import Sequence

from ibgen.diagnostics import Finding, Label, Span

from .findings import GUID_TWICE_SEEN, GUID_ZERO_SEEN, RECORD_CONTRADICTS


def twice(what: str, ends: Sequence[tuple[int, str]], file: str, verb: str = "is on") -> Finding:
    """`ends` are two lines and what stands there; the second is pointed at."""
    (line, one), (other, two) = ends
    joined = f"{one} and {two}" if verb == "leads" else f"{one} and on {two}"
    hint = "take the dump again; if it stays, read both GUIDs on the hosts (`ibstat`)"
    labels = [Label(Span(file, line), "and here")]
    return GUID_TWICE_SEEN.finding(f"{what} {verb} {joined}", Span(file, other), labels=labels, hint=hint)


def zero(what: str, line: int, file: str) -> Finding:
    """A GUID that is given as zero."""
    hint = "read it on the host (`ibstat`); a firmware without GUIDs has to be given some"
    return GUID_ZERO_SEEN.finding(f"{what} is zero", Span(file, line), hint=hint)


def two_guids(message: str, line: int, other: int, file: str) -> Finding:
    """One thing with two GUIDs, at two lines."""
    labels = [Label(Span(file, other), "the other one stands here")]
    return RECORD_CONTRADICTS.finding(message, Span(file, line), labels=labels, hint="take the dump again")
