"""What is wrong with a text: each mistake gives its code at its place, with a hint, and nothing raises."""

from __future__ import annotations

import random
import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibgen.diagnostics import Finding, Span
from ibgen.source import findings as codes
from ibgen.source import parse


def found(text: str) -> list[Finding]:
    return list(parse(text, "a.yaml")[1])


def only(text: str) -> Finding:
    findings = found(text)
    assert len(findings) == 1, findings
    assert findings[0].hint
    return findings[0]


def place(finding: Finding) -> tuple[str, int, int]:
    assert isinstance(finding.at, Span)
    return finding.code.id, finding.at.line, finding.at.column


SYNTAX_MISTAKES = [
    ("a: %b\n", 1, 4, "cannot start with `%`", '"%b"'),
    ("a: 1\nb: @c # x\n", 2, 4, "cannot start with `@`", "quotes"),
    ("a: `b`\n", 1, 4, "backtick", "quotes"),
    ("a: 1\nb: 'x\nc: 2\n", 2, 4, "never closed", "close it"),
    ('a: 1\nb: "x\nc: 2\n', 2, 4, "never closed", "close it"),
    ("a: 'x\nb: 'y'\nc: 1\n", 1, 4, "not closed on its line", "close the quote"),
    ("a: [1,\nb: 2\n", 1, 4, "`[` is never closed", "add `]`"),
    ("a: {b: 1\nc: 2\n", 1, 4, "`{` is never closed", "add `}`"),
    ("a: [b, c\nd: [e]\n", 1, 4, "`[` is never closed", "add `]`"),
    ("x: {a: t, max_time: 2-00:00:00}\n", 1, 21, "plain value inside `{}`", 'quote the value: `"2-00:00:00"`'),
    ("x: {a: 0002:c903}\n", 1, 8, "plain value inside `{}`", '`"0002:c903"`'),
    ("x: {a: http://b/c, d: 1}\n", 1, 8, "plain value inside `{}`", '`"http://b/c"`'),
    ("x: {a: [b, 1:2 ]}\n", 1, 12, "plain value inside `[]`", '`"1:2"`'),
    ("x: {b: [1, 2], a:1}\n", 1, 17, "no space after the colon", "`a: 1`"),
    ("a: [b}\n", 1, 6, "`}` where `,` or `]`", "missing"),
    ("a: b: c\n", 1, 5, "second colon", "quotes"),
    ("a:1\nb: 2\n", 1, 2, "no space after the colon", "`a: 1`"),
    ("a: 1\nb:2\nc: 3\n", 2, 2, "no space after the colon", "`b: 2`"),
    ("a: 1\n  b: 2\n", 2, 3, "already complete", "indentation"),
    ("a:\n    b: 1\n  c: 2\n", 3, 3, "indented by 2, which fits no block", "indentation"),
    ("a:\n  - b: 1\n   c: 2\n", 3, 4, "indented by 3, which fits no block", "indentation"),
    ("a:\n  - b\n  c: 2\n", 3, 3, "next item", "`- `"),
    ("- a\nb: 1\n", 2, 1, "next item", "`- `"),
    ("a: 1\n- b\n", 2, 1, "list item where a key", "indent"),
    ("a: 1\nfoo\nb: 1\n", 2, 1, "neither `key: value`", "colon"),
    ("a: - b\n", 1, 4, "list item behind a key", "new line"),
    ('a: "\\q"\n', 1, 5, "unknown escape `\\q`", "backslash"),
    ("a: *\n", 1, 4, "`*` starts an alias", "quotes"),
    ("a: 'b' c\n", 1, 8, "follows a value", "quotes"),
    ("a: ]\n", 1, 4, "`]` where a value", "delete"),
    ("a: [,]\n", 1, 5, "`,` where a value", "delete"),
    ("a: |x\n b\n", 1, 5, "text on the line of `|`", "next line"),
    (": 1\n", 1, 1, "colon without a key", "before the colon"),
    ("a: 1\n: 2\n", 2, 1, "colon without a key", "before the colon"),
    ("  a: 1\nb: 2\n", 2, 1, "does not belong", "left margin"),
    ("pools\n  - name: gpu\n", 1, 1, "neither `key: value`", "colon"),
    ('a: "\\xZZ"\n', 1, 5, "unknown escape `\\x`", "backslash"),
    ("%FOO\n---\na: 1\n", 1, 1, "directive", "delete"),
]


@pytest.mark.parametrize(("text", "line", "column", "message", "hint"), SYNTAX_MISTAKES, ids=[m[0] for m in SYNTAX_MISTAKES])
def test_a_syntax_error_says_what_it_most_likely_is(text: str, line: int, column: int, message: str, hint: str) -> None:
    finding = only(text)
    assert place(finding) == ("IBG005", line, column)
    assert message in finding.message
    assert hint in finding.hint
    assert parse(text, "a.yaml")[0].data is None


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("a:\n\tb: 1\n", 2, 1),
        ("\ta: 1\n", 1, 1),
        ("a: 1\n \tb: 2\n", 2, 2),
        ("a:\n  b: 1\n\tc: 1\n", 3, 1),
        ("a: >\n\tb\n", 2, 1),
    ],
)
def test_a_tab_in_the_indentation_is_named_whatever_the_parser_complains_about(text: str, line: int, column: int) -> None:
    assert place(only(text)) == ("IBG004", line, column)


def test_all_tabbed_lines_are_counted() -> None:
    assert dict(only("a:\n\tb: 1\n\tc: 2\n\n\t# x\n\td: 1\n").facts) == {"lines that start with a tab": 4}


@pytest.mark.parametrize("text", ["a:\tb\n", "a: [\n\t1]\n", "a: 1\t# x\n", "a: 'x\ty'\n", "a: |\n  x\n  \ty\n"])
def test_tabs_elsewhere_do_no_harm(text: str) -> None:
    assert found(text) == []


def test_a_duplicate_key_shows_both_places_and_reading_goes_on() -> None:
    text = "a: 1\nb: {c: 1, c: 2}\na: {x: 1, x: 2}\nd: 012\n"
    document, findings = parse(text, "a.yaml")
    assert sorted(place(f) for f in findings) == [("IBG006", 2, 11), ("IBG006", 3, 1), ("IBG006", 3, 11), ("IBG014", 4, 4)]
    [a] = [f for f in findings if "`a`" in f.message]
    assert a.labels[0].at == Span("a.yaml", 1, 1, 1, 2)
    assert document.data == {"a": "1", "b": {"c": "1"}, "d": "012"}


def test_the_top_must_be_a_mapping() -> None:
    assert place(only("# x\n- a\n- b\n")) == ("IBG007", 2, 1)
    assert place(only("hello\n")) == ("IBG007", 1, 1)
    assert place(only('""\n')) == ("IBG007", 1, 1)


@pytest.mark.parametrize("text", ["", "\n\n", "# only\n", "---\n", "---\n...\n", "null\n", "~", "\ufeff"])
def test_an_empty_file_is_said_at_its_first_line(text: str) -> None:
    assert place(only(text)) == ("IBG008", 1, 1)


def test_a_second_document_is_refused_at_its_line() -> None:
    assert place(only("a: 1\n---\nb: 2\n")) == ("IBG009", 2, 1)
    assert place(only("---\n---\nb: 2\n")) == ("IBG009", 2, 1)
    assert found("%YAML 1.2\n---\na: 1\n...\n") == []


@pytest.mark.parametrize("unit", ["[", "{a: ", "- ", "? ", "a: [", "[a, ", "{", "- - ", "&a [", "{? "])
def test_megabytes_of_nesting(unit: str) -> None:
    size = 50_000_000 if unit in ("[", "- ", "{a: ") else 2_000_000
    assert only(unit * (size // len(unit))).code.id in ("IBG010", "IBG005")
    assert only("a:\n  " + unit * 2000).code.id in ("IBG010", "IBG005")


def test_nesting_up_to_the_limit_is_read() -> None:
    assert found("a: " + "[" * 63 + "]" * 63) == []
    assert place(only("a: " + "[" * 64 + "]" * 64)) == ("IBG010", 1, 67)


def test_billion_laughs() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    document, findings = parse("\n".join(lines), "a.yaml")
    assert [f.code.id for f in findings] == ["IBG011"]
    assert "400,000" in findings[0].message
    assert document.data is None


def test_a_chain_of_aliases_cannot_nest_too_deeply_either() -> None:
    text = "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 5000))
    assert only(text).code.id == "IBG010"


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("a: &a [*a]\n", 1, 8, "inside the value it names"),
        ("a: &a {b: {c: *a}}\n", 1, 15, "inside the value it names"),
        ("a: &gpu 1\nb: *gpus\n", 2, 4, "nothing above is marked"),
        ("a: 1\n<<: x\n", 2, 5, "not a mapping"),
        ("a: &a [x]\nb:\n  <<: *a\n", 3, 7, "not a mapping"),
    ],
)
def test_aliases_that_lead_nowhere(text: str, line: int, column: int, message: str) -> None:
    finding = only(text)
    assert place(finding) == ("IBG011", line, column)
    assert message in finding.message


def test_aliases_and_merges_give_what_yaml_says_and_point_at_use_and_anchor() -> None:
    text = "base: &b\n  x: 1\n  y: 2\none:\n  <<: *b\n  y: 3\ntwo: *b\nthree: {<<: [{x: 9}, *b], z: &z 4}\nfour: [*z]\n"
    document, findings = parse(text, "a.yaml")
    assert findings == ()
    assert document.data == {
        "base": {"x": "1", "y": "2"}, "one": {"y": "3", "x": "1"}, "two": {"x": "1", "y": "2"},
        "three": {"z": "4", "x": "9", "y": "2"}, "four": ["4"],
    }  # fmt: skip
    at = {p: document.span(p).line for p in [("one", "x"), ("one", "y"), ("two",), ("two", "x"), ("four", 0)]}
    assert at == {("one", "x"): 2, ("one", "y"): 6, ("two",): 7, ("two", "x"): 2, ("four", 0): 9}


@pytest.mark.parametrize("tag", ["!!str", "!!python/object/apply:os.system", "!secret", "!", "!<x>", "!a!b"])
@pytest.mark.parametrize("value", ["x", "[x]", "{x: y}"])
def test_tags_are_refused(tag: str, value: str) -> None:
    assert place(only(f"a: 1\nb: {tag} {value}\n")) == ("IBG012", 2, 4)


@pytest.mark.parametrize(
    ("text", "line"), [("? [a]\n: 1\nb: 2\n", 1), ("b: 2\n{x: y}: 1\n", 2), ("b: {{ name }}\n", 1), ("? \n: 1\n", 1)]
)
def test_keys_are_text(text: str, line: int) -> None:
    code, at, _ = place(only(text))
    assert (code, at) == ("IBG013", line)


@pytest.mark.parametrize("scalar", ["012", "00", "-07", "+010", "089", "0" * 6000 + "1"])
def test_a_leading_zero_is_ambiguous_until_it_is_quoted(scalar: str) -> None:
    assert place(only(f"a: 1\nb: [x, {scalar}]\n")) == ("IBG014", 2, 8)
    assert found(f"a: '{scalar}'\nb: |\n  {scalar}\n") == []


@pytest.mark.parametrize("scalar", ["0", "0x1f", "0.5", "01:30", "dgx-[001-127]", "007-a", "1e3", "-0", "0b1", "-", "n", "N/A"])
def test_everything_else_means_what_it_looks_like(scalar: str) -> None:
    if scalar == "-":
        assert only("a: -\n").code.id == "IBG005"
    else:
        document, findings = parse(f"a: {scalar}\n", "a.yaml")
        assert (document.data, findings) == ({"a": scalar}, ())


@pytest.mark.parametrize(
    "bad", ["\0", "\x01", "\x1b", "\x7f", "\x85", "\u2028", "\u200b", "\u202e", "\ufeff", "\ud800", "\uffff"]
)
def test_what_a_reviewer_cannot_see_is_named_and_reading_goes_on(bad: str) -> None:
    document, findings = parse(f"a: 1\nb: x{bad}y\nc: 012\n", "a.yaml")
    assert [place(f) for f in findings] == [("IBG003", 2, 5), ("IBG014", 3, 4)]
    assert f"U+{ord(bad):04X}" in findings[0].message
    assert document.data is not None


def test_a_no_break_space_where_yaml_needs_a_space_is_named_and_read_as_one() -> None:
    document, findings = parse("a:\n  b: 1\n\xa0\xa0c: 2\nd:\xa0e\nf: 'g\xa0h' # \xa0\n", "a.yaml")
    assert [place(f) for f in findings] == [("IBG003", 3, 1), ("IBG003", 4, 3)]
    assert document.data == {"a": {"b": "1", "c": "2"}, "d": "e", "f": "g\xa0h"}


def test_a_binary_file_does_not_flood_the_screen() -> None:
    findings = found("\x00\x01\n" * 5000)
    assert 1 < len([f for f in findings if f.code.id == "IBG003"]) <= 21
    assert "4980 more lines" in " ".join(f.message for f in findings)


def test_ordinary_unicode_is_left_alone() -> None:
    assert found("a: ä 漢字 😀 \u200d é # “quotes” – dashes\n") == []


ALL = [c for c in vars(codes).values() if isinstance(c, type(codes.SYNTAX))]


@pytest.mark.parametrize("code", [c for c in ALL if c.page.bad], ids=lambda c: c.id)
def test_the_bad_example_of_each_page_fires_and_the_good_one_does_not(code: codes.SYNTAX.__class__) -> None:  # type: ignore[name-defined]
    # what lies below: an overlay's items meet items of their name
    base = 'ibgen: 1\ncluster: lab\npools: [{name: gpu, hosts: "node-[01-04]", platform: dgx-h100}]\n'

    def ids(example: str) -> set[str]:
        return {f.code.id for f in parse(base, "base.yaml", [("example.yaml", example)])[1]}

    assert code.id in ids(code.page.bad)
    assert ids(code.page.good) == set()


SPEC = textwrap.dedent("""\
    ibgen: 1
    cluster: pod-a
    pools:
      - name: gpu   # the nodes
        hosts: dgx-[001-127]
        exceptions:
          - {hosts: dgx-017, hcas: {mlx5_3: down}}
          - {hosts: "dgx-[100-127]", state: planned}
    fabrics:
      - name: compute
        control: &c {kind: opensm, version: "5.24", hosts: [ufm-01, 'ufm-02']}
        partitions:
          - {name: default, pkey: 0x7fff, ipoib: {mtu: 4096}}
      - {name: storage, control: {<<: *c}}  # ibgen: ignore[IBG201] small
    notes: |
      free # text
    """)


def check_everything_holds(text: str) -> None:
    """Whatever the text: no exception, every finding in the text with a hint, every path with a span."""
    document, findings = parse(text, "a.yaml", [("b.yaml", text)])
    lines = {name: t.split("\n") for name, t in document.texts.items()}
    for f in findings:
        assert isinstance(f.at, Span)
        assert f.hint
        assert 1 <= f.at.line <= len(lines[f.at.file])
        assert 1 <= f.at.column <= len(lines[f.at.file][f.at.line - 1]) + 1
        assert (f.at.line, f.at.column) <= (f.at.end_line, f.at.end_column) or f.at.end_line == 0
    if document.data is None:
        assert findings
    stack: list[tuple[tuple[str | int, ...], object]] = [((), document.data)]
    while stack and len(stack) < 1000:
        path, node = stack.pop()
        span = document.span(path)
        assert 1 <= span.line <= len(lines[span.file])
        assert node is None or isinstance(node, (dict, list, str))
        items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        stack += [((*path, k), v) for k, v in items]


@settings(deadline=None, max_examples=300)
@given(st.text())
def test_any_text(text: str) -> None:
    check_everything_holds(text)


@settings(deadline=None, max_examples=300)
@given(
    st.lists(
        st.sampled_from(
            [*"ab:-[]{},#'\"|>&*!%@`?~01\n\t", "<<", "---", "...", "\n\n", "\n  ", "&a", "*a", ": ", "- ", "# ibgen: ignore"]
        ),
        max_size=40,
    )
)
def test_any_pile_of_yaml_signs(parts: list[str]) -> None:
    check_everything_holds(" ".join(parts))
    check_everything_holds("".join(parts))


@settings(deadline=None, max_examples=300)
@given(st.integers(0, len(SPEC)), st.integers(0, 12), st.text(alphabet=" \n\t:-[]{}'\"#&*!|>%,\0\u2028aä0", max_size=4))
def test_a_spec_with_a_piece_cut_out_and_another_put_in(at: int, cut: int, put: str) -> None:
    check_everything_holds(SPEC[:at] + put + SPEC[at + cut :])


def test_a_spec_with_its_lines_shuffled() -> None:
    lines = SPEC.splitlines(keepends=True)
    draw = random.Random(7)
    for _ in range(50):
        draw.shuffle(lines)
        check_everything_holds("".join(lines))


def test_the_collector_is_as_it_was() -> None:
    import gc

    assert gc.isenabled()
    parse("a: [", "a.yaml")
    assert gc.isenabled()
    gc.disable()
    try:
        parse("a: 1", "a.yaml")
        assert not gc.isenabled()
    finally:
        gc.enable()
