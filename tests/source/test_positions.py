"""A span is right when the text it marks, read alone by another YAML reader, is the value it stands for."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from ibgen.diagnostics import Span
from ibgen.source import Document, parse

STYLES = """\
# a comment
plain: 24.11
single: 'it''s'
double: "a\\tb"
empty:
tilde: ~
flow: {a: 1, b: [x, 'y z'], c}
block:
  - one
  - two words
  -
  - {k: v}
  - - nested
long: this plain text
  runs on
folded: >
  several
  lines

literal: |
  # no comment
  more

last: end
"""


def marked(document: Document, span: Span) -> str:
    """The text between a span's ends, both counted from 1 and the end exclusive."""
    lines = document.texts[span.file].split("\n")[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return "\n".join(lines)


def as_text(node: Any) -> Any:
    """What ruamel.yaml's own base loader, which keeps every scalar as text, says; empty plain scalars are None."""
    if isinstance(node, dict):
        return {str(k): as_text(v) for k, v in node.items()}
    if isinstance(node, list):
        return [as_text(v) for v in node]
    return node


def safe_load(text: str) -> Any:
    return YAML(typ="safe", pure=True).load(text)


def every_path(data: Any, path: tuple[Any, ...] = ()) -> Any:
    yield path, data
    if isinstance(data, dict):
        for key, value in data.items():
            yield from every_path(value, (*path, key))
    elif isinstance(data, list):
        for i, value in enumerate(data):
            yield from every_path(value, (*path, i))


def read(text: str) -> Document:
    document, findings = parse(text, "a.yaml")
    assert findings == ()
    return document


@pytest.mark.parametrize(
    ("path", "value", "key"),
    [
        (("plain",), "24.11", "plain"),
        (("single",), "'it''s'", "single"),
        (("double",), '"a\\tb"', "double"),
        (("empty",), "empty", "empty"),
        (("tilde",), "~", "tilde"),
        (("flow",), "{a: 1, b: [x, 'y z'], c}", "flow"),
        (("flow", "b"), "[x, 'y z']", "b"),
        (("flow", "b", 1), "'y z'", "'y z'"),
        (("flow", "c"), "c", "c"),
        (("block", 1), "two words", "two words"),
        (("block", 2), "-", "-"),
        (("block", 3, "k"), "v", "k"),
        (("block", 4, 0), "nested", "nested"),
        (("long",), "this plain text\n  runs on", "long"),
        (("folded",), ">\n  several\n  lines", "folded"),
        (("literal",), "|\n  # no comment\n  more", "literal"),
        (("last",), "end", "last"),
    ],
)
def test_the_marked_text_is_the_value_and_the_key(path: tuple[Any, ...], value: str, key: str) -> None:
    document = read(STYLES)
    assert marked(document, document.span(path)) == value
    assert marked(document, document.span(path, "key")) == key


def test_lines_and_columns_count_from_one_and_the_end_is_exclusive() -> None:
    document = read(STYLES)
    assert document.span(("plain",)) == Span("a.yaml", 2, 8, 2, 13)
    assert document.span(("plain",), "key") == Span("a.yaml", 2, 1, 2, 6)
    assert document.span(("long",)) == Span("a.yaml", 14, 7, 15, 10)


def test_a_block_ends_with_its_last_value_not_with_the_comments_below() -> None:
    document = read("a:\n  b: 1\n  c:\n    - x   # why\n\n# about d\nd: 2\n")
    assert marked(document, document.span(("a",))) == "b: 1\n  c:\n    - x"


def test_data_is_text_lists_and_mappings_only() -> None:
    data = read(
        "a: no\nb: 24.11\nc: 0x8001\nd: 175e9\ne: 1:30\nf: 2024-01-01\ng: null\nh: ~\ni:\nj: 'null'\nk: \"\"\n1: x\n"
    ).data
    assert data == {
        "a": "no", "b": "24.11", "c": "0x8001", "d": "175e9", "e": "1:30", "f": "2024-01-01",
        "g": None, "h": None, "i": None, "j": "null", "k": "", "1": "x",
    }  # fmt: skip


def test_quoted_scalars_are_told_apart() -> None:
    document = read("a: 'x'\nb: x\nc: |\n  x\nd: {e: \"x\"}\nf: [x, 'x']\n")
    assert [document.is_quoted(p) for p in (("a",), ("b",), ("c",), ("d", "e"), ("f", 0), ("f", 1), ("nowhere",))] == [
        True, False, True, True, False, True, False,
    ]  # fmt: skip


def test_a_path_that_is_not_there_points_at_the_nearest_parent() -> None:
    document = read(
        "ibgen: 1\nfabrics:\n  - name: compute\n    topology:\n      kind: fat-tree\n      leaf: {switch: qm9700}\n"
    )
    leaf = document.span(("fabrics", 0, "topology", "leaf", "downlinks"))
    assert marked(document, leaf) == "{switch: qm9700}"
    assert marked(document, document.span(("fabrics", 0, "topology", "spine"))) == "topology"
    assert marked(document, document.span(("fabrics", 0, "attach", 3, "pool"))) == "name: compute"
    assert marked(document, document.span(("fabrics", 7))) == "fabrics"
    assert document.span(("pools",)).line == 1
    assert document.span(()).line == 1


def test_windows_line_ends_byte_order_marks_and_wide_characters_move_nothing() -> None:
    document = read("\ufeffa: 1\r\nβ: '😀' # x\r\nc: {d: ü}\r\n")
    assert document.data == {"a": "1", "β": "😀", "c": {"d": "ü"}}
    assert document.span(("a",)) == Span("a.yaml", 1, 4, 1, 5)
    assert document.span(("β",)) == Span("a.yaml", 2, 4, 2, 7)
    assert document.span(("c", "d")) == Span("a.yaml", 3, 8, 3, 9)


WORDS = st.text(alphabet="abcxyz-_[]{}:,#&*!|>'\"%@` 0123456789\\äß😀", max_size=12)
VALUES = st.recursive(
    WORDS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(WORDS, inner, max_size=4)),
    max_leaves=20,
)


def quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def dump(value: Any, style: str) -> str:
    """A value in flow style, scalars in quotes, spread over lines as `style` says."""
    gap = "\n    " if style == "lines" else " "
    if isinstance(value, dict):
        return "{" + ("," + gap).join(f"{quote(k)}: {dump(v, style)}" for k, v in value.items()) + gap + "}"
    if isinstance(value, list):
        return "[" + ("," + gap).join(dump(v, style) for v in value) + "]"
    return quote(value)


@settings(deadline=None, max_examples=60)
@given(st.dictionaries(WORDS, VALUES, min_size=1, max_size=4), st.sampled_from(["line", "lines"]))
def test_every_span_of_a_flow_document_reads_back_as_its_value(data: dict[str, Any], style: str) -> None:
    text = "".join(f"{quote(k)}: {dump(v, style)}\n" for k, v in data.items())
    document = read(text)
    assert document.data == data == as_text(safe_load(text))
    for path, value in every_path(data):
        if path:
            assert as_text(safe_load(marked(document, document.span(path)))) == value
            if isinstance(path[-1], str):
                assert safe_load(marked(document, document.span(path, "key"))) == path[-1]


def dump_block(value: Any, indent: int) -> str:
    pad = " " * indent
    if isinstance(value, dict) and value:
        return "\n" + "\n".join(f"{pad}{quote(k)}: {dump_block(v, indent + 2)}" for k, v in value.items())
    if isinstance(value, list) and value:
        return "\n" + "\n".join(f"{pad}- {dump_block(v, indent + 2)}" for v in value)
    return dump(value, "line")


@settings(deadline=None, max_examples=60)
@given(st.dictionaries(WORDS, VALUES, min_size=1, max_size=4))
def test_every_span_of_a_block_document_reads_back_as_its_value(data: dict[str, Any]) -> None:
    document = read(dump_block(data, 0) + "\n# the end\n")
    assert document.data == data
    for path, value in list(every_path(data))[1:]:
        span = document.span(path)
        indented = " " * (span.column - 1) + marked(document, span)  # a block's own indentation belongs to it
        assert safe_load(indented) == value


def test_a_document_that_was_never_read_points_at_the_file_as_a_whole() -> None:
    assert Document(file="gone.yaml", data=None, texts={}).span(("pools", 0)) == Span("gone.yaml", 0)
