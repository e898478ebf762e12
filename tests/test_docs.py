"""The pages tell the truth: generated ones are current, links lead somewhere, specs load, commands print what is pasted."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from ibgen import compiler
from ibgen.diagnostics import Severity

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS))  # the generators lie beside the pages and are no part of the package

import console  # type: ignore[import-not-found]  # noqa: E402
import generate  # type: ignore[import-not-found]  # noqa: E402
import opensm_rows  # type: ignore[import-not-found]  # noqa: E402

PAGES = sorted(p.relative_to(ROOT).as_posix() for p in (*ROOT.glob("*.md"), *DOCS.rglob("*.md")))
SESSIONS = [page for page in PAGES if console.session((ROOT / page).read_text(encoding="utf-8"))]


def test_generated_pages_are_what_the_package_says_now() -> None:
    made = generate.pages()
    stale = [n for n, text in made.items() if not (DOCS / n).is_file() or (DOCS / n).read_text(encoding="utf-8") != text]
    gone = sorted(p.name for p in (DOCS / "rules").glob("IBG*.md") if f"rules/{p.name}" not in made)
    assert stale + gone == [], "run `make docs`"


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    text = _prose(ROOT / page)
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (ROOT / page).parent / name if name else ROOT / page
        if not path.exists() or (anchor and anchor not in set(_anchors(path))):
            broken.append(target)
    assert not broken


def test_the_architecture_page_names_every_room() -> None:
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"][0]
    rooms = {room.strip() for layer in contract["layers"] for room in layer.split("|")} - {"__main__"}
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    assert sorted(room for room in rooms if f"`{room}`" not in text) == []


def test_every_row_about_opensm_names_codes_and_a_test_that_exist() -> None:
    """A row without a code has a construction, and one that nothing of ours could prevent says so."""
    known = {code.id for code in compiler.codes()}
    wrong = []
    for row in opensm_rows.rows():
        file, _, function = row.test.partition("::")
        tested = not row.test or re.search(rf"^def {function}\(", (ROOT / file).read_text(encoding="utf-8"), flags=re.M)
        if not set(row.codes) <= known or not (row.codes or row.how) or not tested:
            wrong.append(row)
    assert wrong == []


def test_decisions_are_all_in_the_index() -> None:
    index = (DOCS / "decisions" / "index.md").read_text(encoding="utf-8")
    assert [
        p.name for p in sorted((DOCS / "decisions").glob("*.md")) if p.name != "index.md" and f"({p.name})" not in index
    ] == []


@pytest.mark.parametrize("page", [p for p in PAGES if "/rules/" not in p])
def test_whole_specs_on_a_page_have_no_errors(page: str, tmp_path: Path) -> None:
    for block in re.findall(r"^```yaml\n(.*?)^```$", (ROOT / page).read_text(encoding="utf-8"), flags=re.M | re.S):
        if not re.search(r"^ibgen: 1", block, flags=re.M):
            continue
        (tmp_path / "cluster.yaml").write_text(block, encoding="utf-8")
        _, report = compiler.compile(compiler.Input(tmp_path / "cluster.yaml"))
        assert [d.message for d in report.diagnostics if d.severity is Severity.ERROR] == []


@pytest.mark.slow
@pytest.mark.parametrize("page", SESSIONS)
def test_commands_print_what_is_pasted(page: str, tmp_path: Path) -> None:
    """Every command but those that ask the machine's own programs, in order, in one folder."""
    steps = console.session((ROOT / page).read_text(encoding="utf-8"))
    env = console.folder(tmp_path)
    differ = []
    for step in steps:
        if step.portable and not console.matches(
            step.output, printed := console.run(step.command, tmp_path, env), loosely=True
        ):
            differ.append(f"$ {step.command}\n{printed}")
    assert not differ, "run `make docs`, then shorten:\n" + "\n".join(differ)


def test_the_first_page_shows_what_the_demo_runs_and_where_it_left_the_program() -> None:
    """After `make demo` nothing is on PATH: a reader who types the next `$ ibgen` must have been told."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    sys.path.insert(0, str(ROOT / "examples"))
    import demo  # type: ignore[import-not-found]

    shown = [step.command for step in console.session(text)]
    ran = [f"ibgen {' '.join(command)}" for command in demo.COMMANDS]
    at = shown.index("make demo")
    assert shown[at + 1 : at + 1 + len(ran)] == ran
    told = text.index("`.venv/bin/ibgen`")
    assert text.index("$ make demo") < told < text.index("$ ibgen init")
    assert text.count("\n") < 300, "a first page; more belongs into docs/tour.md"


def test_a_shortened_output_matches_and_a_wrong_one_does_not() -> None:
    assert console.matches("a\n...\nd\n", "a\nb\nc\nd\n")
    assert console.matches("a\nb\n\n", "a\nb\n")
    assert not console.matches("a\n...\nd\n", "a\nb\nc\n")
    assert not console.matches("a\n", "a\nb\n")
    assert console.matches("+ a.conf  4.2 kB\n", "+ a.conf   735 B\n", loosely=True)


def _prose(path: Path) -> str:
    """A page without its fenced blocks and inline code."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    return re.sub(r"(?<!\[)`[^`\n]*`(?!\])", "", text)


def _anchors(path: Path) -> Iterator[str]:
    """The anchors GitHub gives to a page's headings; a heading that comes again gets a number."""
    seen: dict[str, int] = {}
    fenceless = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    for heading in re.findall(r"^#{1,6} (.+)$", fenceless, flags=re.M):
        anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = seen.setdefault(anchor, 0)
        seen[anchor] += 1
        yield f"{anchor}-{count}" if count else anchor
