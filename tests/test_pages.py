"""Every code has a page, and the page's examples are true: the bad one raises the code, the good one does not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ibgen import assets, compiler
from ibgen.diagnostics import Code, Diagnostic

CODES = compiler.codes()
NOT_BY_COMPILING = ("IBG9",)
"""Codes about the written tree: their rooms' own tests raise them."""


def diagnostics_of(example: str, folder: Path) -> tuple[Diagnostic, ...]:
    """Compiles an example: a whole spec, or an overlay on the lab; `# file: NAME` starts a companion file."""
    main, *companions = re.split(r"^# file: (\S+)\n", example, flags=re.M)
    for name, text in zip(companions[::2], companions[1::2], strict=True):
        (folder / name).write_text(text)
    (folder / "example.yaml").write_text(main)
    if re.search(r"^ibgen:", main, flags=re.M) or "# whole" in main:
        given = compiler.Input(folder / "example.yaml")
    else:
        base = folder / "lab.yaml"
        base.write_text((assets.templates() / "explain" / "lab.yaml").read_text())
        given = compiler.Input(base, (folder / "example.yaml",))
    return compiler.compile(given)[1].diagnostics


def examples(which: str) -> list[object]:
    found = [(c, getattr(c.page, which)) for c in CODES if not c.id.startswith(NOT_BY_COMPILING)]
    return [pytest.param(c, text, id=f"{c.id}-{c.name}") for c, text in found if text]


def test_ids_and_names_are_unique() -> None:
    assert len({c.id for c in CODES}) == len({c.name for c in CODES}) == len(CODES)


@pytest.mark.parametrize("code", CODES, ids=lambda c: c.id)
def test_every_code_has_a_page(code: Code) -> None:
    assert re.fullmatch(r"IBG\d{3}", code.id)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code.name)
    assert code.page.summary.endswith((".", "?"))


@pytest.mark.parametrize(("code", "example"), examples("bad"))
def test_the_bad_example_raises_it(code: Code, example: str, tmp_path: Path) -> None:
    found = diagnostics_of(example, tmp_path)
    assert code.id in {d.code.id for d in found}, [(d.code.id, d.message) for d in found]
    mine = next(d for d in found if d.code.id == code.id)
    assert mine.span.line >= 1, "a finding points at a line"


@pytest.mark.parametrize(("code", "example"), examples("good"))
def test_the_good_example_is_silent(code: Code, example: str, tmp_path: Path) -> None:
    found = diagnostics_of(example, tmp_path)
    assert code.id not in {d.code.id for d in found}, [(d.code.id, d.message) for d in found]
    if code.id >= "IBG050":  # a rule's good example is a spec that could be judged
        broken = [(d.code.id, d.message) for d in found if d.code.id.startswith("IBG0")]
        assert not broken, broken
