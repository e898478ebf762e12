"""The report as people read it: the screen of DESIGN section 5, and sources that try to break it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibgen.diagnostics import Diagnostic, Report, Severity, Span, declare
from ibgen.render.cells import width
from ibgen.render.text import aligned, number, report_text, summary

CODE = declare("IBG201", "leaf-oversubscribed", Severity.ERROR, "Leaves carry more than they can pass on.")

SPEC = "\n" * 27 + "  oversubscription: 1.0\n\n\n    leaf: {switch: qm9700, downlinks: 40}\n"


def diagnostic(span: Span, **more: object) -> Diagnostic:
    return replace(Diagnostic(CODE, Severity.ERROR, "too much", None, span), **more)  # type: ignore[arg-type]


def lines_of(source: str, *spans: Span, columns: int = 120) -> list[str]:
    d = diagnostic(spans[0], label="here", labels=tuple((s, "there") for s in spans[1:]))
    return report_text(Report((d,), texts={"a.yaml": source}), columns=columns).splitlines()


def test_the_designed_screen() -> None:
    d = Diagnostic(
        CODE, Severity.ERROR, "5 leaves carry 1.67:1, the spec asks for 1:1", ("fabrics", 0),
        Span("cluster.yaml", 31, 28, 31, 41), "40 downlinks against 24 uplinks",
        ((Span("cluster.yaml", 28, 21, 28, 24), "asked for here"),),
        "use 32 downlinks per leaf (8 leaves), or ask for `oversubscription: 1.67`",
        (("downlinks", "40 x 400 Gb/s = 16.0 Tb/s"), ("uplinks", "24 x 400 Gb/s = 9.6 Tb/s")),
    )  # fmt: skip
    assert report_text(Report((d,), texts={"cluster.yaml": SPEC})) == (
        "error[IBG201]: leaf-oversubscribed: 5 leaves carry 1.67:1, the spec asks for 1:1\n"
        "  --> cluster.yaml:31:28\n"
        "   |\n"
        "28 |   oversubscription: 1.0\n"
        "   |                     --- asked for here\n"
        "31 |     leaf: {switch: qm9700, downlinks: 40}\n"
        "   |                            ^^^^^^^^^^^^^ 40 downlinks against 24 uplinks\n"
        "   |\n"
        "   = downlinks   40 x 400 Gb/s = 16.0 Tb/s\n"
        "   = uplinks     24 x 400 Gb/s =  9.6 Tb/s\n"
        "   help: use 32 downlinks per leaf (8 leaves), or ask for `oversubscription: 1.67`\n"
        "   more: ibgen explain IBG201\n"
    )


def test_two_marks_on_one_line_get_a_row_each() -> None:
    out = lines_of("a: 1, b: 2", Span("a.yaml", 1, 7, 1, 8), Span("a.yaml", 1, 1, 1, 2))
    assert out[3:6] == ["1 | a: 1, b: 2", "  | - there", "  |       ^ here"]


def test_a_label_in_another_file_has_its_own_excerpt() -> None:
    d = diagnostic(Span("a.yaml", 1, 1, 1, 2), label="here", labels=((Span("b.yaml", 2, 3, 2, 4), "there"),))
    out = report_text(Report((d,), texts={"a.yaml": "x\n", "b.yaml": "\n  y\n"})).splitlines()
    assert out[1:10] == [
        " --> a.yaml:1:1", "  |", "1 | x", "  | ^ here", "  |", " ::: b.yaml:2:3", "  |", "2 |   y", "  |   - there",
    ]  # fmt: skip


def test_tabs_and_wide_letters_keep_the_caret_under_the_fault() -> None:
    out = lines_of("\t名前: é́ bad", Span("a.yaml", 1, 9, 1, 12))
    source, marks = out[3], out[4]
    before = source[: source.index("bad")]
    assert width(before) == marks.index("^")
    assert marks.count("^") == 3


def test_a_zero_width_mark_still_shows_one_caret() -> None:
    assert lines_of("key:", Span("a.yaml", 1, 5, 1, 5))[4] == "  |     ^ here"


def test_a_span_over_several_lines_is_shown_by_its_first() -> None:
    assert lines_of("a: {b: 1,\n    c: 2}", Span("a.yaml", 1, 4, 2, 10))[3:5] == ["1 | a: {b: 1,", "  |    ^^^^^^ here"]


def test_a_long_line_is_cut_around_the_mark() -> None:
    source = "cables: [" + ", ".join(f"leaf-{n:04}" for n in range(2000)) + "]"
    at = source.index("leaf-1000") + 1
    out = lines_of(source, Span("a.yaml", 1, at, 1, at + 9), columns=80)
    line, marks = out[3], out[4]
    assert width(line) <= 80
    assert line[4] == "…"
    assert line[-1] == "…"
    assert line[marks.index("^") :].startswith("leaf-1000")


def test_marks_far_apart_on_one_long_line_show_it_twice() -> None:
    source = "a" * 10 + "." * 500 + "b" * 10
    out = lines_of(source, Span("a.yaml", 1, 511, 1, 521), Span("a.yaml", 1, 1, 1, 11), columns=80)
    assert [line[:3] for line in out[3:7]] == ["1 |", "  |", "1 |", "  |"]
    assert "---------- there" in out[4]
    assert out[5][out[6].index("^") :] == "b" * 10


def test_control_characters_never_reach_the_terminal() -> None:
    source = "name: \x1b[31m\x00\u202eevil\x9b"
    d = diagnostic(Span("a\x1b.yaml", 1, 7, 1, 12), message="bad name \x1b]0;x\x07", hint="one\ntwo\x1b")
    out = report_text(Report((d,), texts={"a\x1b.yaml": source}))
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", out)
    assert "␛[31m␀" in out


def test_line_breaks_of_yaml_count_as_the_reader_counts_them() -> None:
    assert lines_of("a\r\nb\x0cb\rc", Span("a.yaml", 3, 1, 3, 2))[3] == "3 | c"


@pytest.mark.parametrize("span", [Span("a.yaml", 0), Span("a.yaml", 99, 1, 99, 2), Span("gone.yaml", 1, 1, 1, 2), Span("", 0)])
def test_a_place_that_is_not_there_leaves_out_the_excerpt(span: Span) -> None:
    out = lines_of("a: 1", span)
    assert out[1].lstrip().startswith("--> ")
    assert not any("|" in line for line in out)


def test_more_stands_once_per_code() -> None:
    report = Report((diagnostic(Span("a.yaml", 1)), diagnostic(Span("a.yaml", 2))))
    assert report_text(report).count("more: ibgen explain IBG201") == 1


def test_colour_changes_nothing_but_colour() -> None:
    d = diagnostic(Span("c.yaml", 31, 28, 31, 41), label="here", hint="do", facts=(("n", 3),))
    report = Report((d,), texts={"c.yaml": SPEC})
    painted = report_text(report, color=True)
    assert "\x1b[1;31m" in painted
    assert re.sub("\x1b\\[[0-9;]*m", "", painted) == report_text(report)


def test_summary_counts_and_names_the_suppressed() -> None:
    warning = replace(diagnostic(Span("a", 1)), severity=Severity.WARNING)
    error = diagnostic(Span("a", 1))
    assert summary(Report((error, error, warning), (warning,))) == "2 errors, 1 warning; 1 suppressed"
    assert summary(Report()) == "no findings"


def test_numbers() -> None:
    assert [number(n) for n in (8, 9999, 196608, 1.6666667, 2.0, float("inf"))] == ["8", "9999", "196,608", "1.667", "2", "inf"]


def test_values_of_different_forms_are_left_alone() -> None:
    assert aligned(["4 of 8 GPUs", "all  of 16 GPUs"]) == ["4 of 8 GPUs", "all  of 16 GPUs"]


anything = st.integers(-3, 400)
spans = st.builds(Span, st.sampled_from(["a.yaml", "b.yaml", ""]), anything, anything, anything, anything)
texts = st.text(st.characters() | st.sampled_from("\t\n\r\x1b\u202e\u0301漢😀"), max_size=300)


@given(spans, st.lists(st.tuples(spans, texts), max_size=4), texts, texts, st.integers(-5, 200), st.booleans())
def test_no_span_and_no_text_raises(
    at: Span, labels: list[tuple[Span, str]], source: str, said: str, columns: int, color: bool
) -> None:
    facts = ((said, said), ("n", 1.5))
    d = diagnostic(at, message=said, label=said, labels=tuple(labels), hint=said, facts=facts)
    out = report_text(Report((d,), texts={"a.yaml": source, "b.yaml": said}), color=color, columns=columns)
    assert out.startswith("\x1b[1;31merror" if color else "error[IBG201]")


@given(
    st.text(st.characters(exclude_categories=["Cs", "Cc", "Mn", "Me", "Cf", "Zl", "Zp"]), min_size=1, max_size=200), st.data()
)
def test_the_caret_is_under_the_character_it_means(source: str, data: st.DataObject) -> None:
    at = (
        data.draw(st.integers(0, len(source) - 1).filter(lambda i: not source[i].isspace()), label="column")
        if source.strip()
        else 0
    )
    columns = data.draw(st.integers(30, 120))
    out = lines_of(source, Span("a.yaml", 1, at + 1, 1, at + 2), columns=columns)
    line, marks = out[3], out[4]
    if source.strip():
        lead, rest = marks.index("^"), line
        while width(line) - width(rest) < lead:
            rest = rest[1:]
        assert rest[0] == source[at]
