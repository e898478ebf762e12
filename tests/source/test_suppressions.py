"""Comments that silence findings, and comments that only look like it."""

from __future__ import annotations

import pytest

from ibgen.diagnostics import Finding, Severity, Span, Suppression
from ibgen.source import parse


def read(text: str) -> tuple[tuple[Suppression, ...], tuple[Finding, ...]]:
    document, findings = parse(text, "a.yaml")
    return document.suppressions, findings


def test_behind_a_value_it_silences_its_own_line() -> None:
    suppressions, findings = read("a: 1\nb: 2  # ibgen: ignore[IBG201] short by one cable, see #12\n")
    assert findings == ()
    assert suppressions == (Suppression("a.yaml", 2, frozenset({"IBG201"}), "short by one cable, see #12"),)


def test_alone_it_silences_the_next_line_that_holds_something() -> None:
    text = "# ibgen: ignore[IBG201,IBG305] the lab\n# ibgen: ignore[IBG101] also\n\n  # another comment\na: 1\n"
    suppressions, findings = read(text)
    assert findings == ()
    assert [(s.line, set(s.codes)) for s in suppressions] == [(5, {"IBG201", "IBG305"}), (5, {"IBG101"})]


@pytest.mark.parametrize(
    "text",
    [
        "a: 'x # ibgen: ignore[IBG201] reason'\n",
        'a: "x\n  # ibgen: ignore[IBG201] reason"\n',
        "a: |\n  # ibgen: ignore[IBG201] reason\nb: 1\n",
        "a: &x >-\n\n  t\n  # ibgen: ignore[IBG201]\nb: 1\n",
        "a: &x 'x # ibgen: ignore[IBG201] reason'\n",
        "a: x#ibgen:ignore[IBG201]\n",
        "a: 1  # what ibgen ignores\n",
    ],
)
def test_inside_a_scalar_it_is_text(text: str) -> None:
    assert read(text) == ((), ())


def test_a_comment_beside_or_below_a_block_scalar_counts() -> None:
    suppressions, findings = read("a: |  # ibgen: ignore[IBG201] one\n  # text\n# ibgen: ignore[IBG202] two\nb: 'x'\n")
    assert findings == ()
    assert [(s.line, s.reason) for s in suppressions] == [(1, "one"), (4, "two")]


@pytest.mark.parametrize(
    ("comment", "hint"),
    [
        ("# ibgen: ignore[IBG201]", "say why"),
        ("# ibgen: ignore[IBG201]   ", "say why"),
        ("# ibgen: ignore[ibg201] reason", "`IBG201`"),
        ("# ibgen: ignore[IBG201;IBG202] reason", "three digits"),
        ("# ibgen: ignore[] reason", "three digits"),
        ("# ibgen: ignore IBG201 reason", "ignore[IBG201] reason"),
        ("# ibgen ignore[IBG201] reason", "ignore[IBG201] reason"),
        ("# IBGEN: IGNORE[IBG201] reason", "ignore[IBG201] reason"),
        ("# ibgen: ignore[IBG201 reason", "ignore[IBG201] reason"),
    ],
)
def test_what_silences_nothing_is_said(comment: str, hint: str) -> None:
    suppressions, [finding] = read(f"a: 1\nb: 2 {comment}\n")
    assert suppressions == ()
    assert (finding.code.id, finding.severity) == ("IBG017", Severity.WARNING)
    assert finding.at == Span("a.yaml", 2, 6, 2, 6 + len(comment.rstrip()))
    assert hint in finding.hint


def test_at_the_end_of_the_file_there_is_nothing_to_silence() -> None:
    suppressions, [finding] = read("a: 1\n# ibgen: ignore[IBG201] reason\n\n")
    assert (suppressions, finding.code.id) == ((), "IBG017")


def test_overlays_carry_their_own() -> None:
    document, findings = parse("a: 1\n", "a.yaml", [("b.yaml", "\na: {b: 2}  # ibgen: ignore[IBG015] meant\n")])
    assert [f.code.id for f in findings] == ["IBG015"]
    assert [(s.file, s.line) for s in document.suppressions] == [("b.yaml", 2)] == [(f.at.file, f.at.line) for f in findings]  # type: ignore[union-attr]
