"""Files that `simulate` and `bind` write with -o: whole or not at all, and never over what they were made from."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from ibgen import assets
from ibgen.cli import start

SPEC, DUMP = "lab.yaml", "lab.ibnetdiscover.txt"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in (SPEC, DUMP):
        shutil.copy(assets.examples() / name, tmp_path)
    Path("empty.yaml").write_text("{}\n")
    return tmp_path


INPUTS = [
    (["simulate", SPEC, "-o", SPEC], SPEC),
    (["simulate", SPEC, "-o", "./" + SPEC, "--format", "json"], SPEC),
    (["simulate", SPEC, "-f", "empty.yaml", "-o", "empty.yaml"], "empty.yaml"),
    (["bind", SPEC, DUMP, "-o", DUMP], DUMP),
    (["bind", SPEC, DUMP, "-o", SPEC], SPEC),
]


@pytest.mark.parametrize(("args", "file"), INPUTS)
def test_output_over_an_input_is_refused_and_the_input_stays(
    args: list[str], file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = Path(file).read_bytes()
    assert start.main(args) == 2
    assert "would be lost" in capsys.readouterr().err
    assert Path(file).read_bytes() == before


def test_what_the_spec_names_is_read_too(capsys: pytest.CaptureFixture[str]) -> None:
    """Bindings are written by `bind`, and by nothing else; an own catalog by nothing."""
    assert start.main(["bind", SPEC, DUMP, "-o", "lab.guids.csv"]) == 0
    Path("own.yaml").write_text("switches: []\n")
    Path("named.yaml").write_text("bindings: lab.guids.csv\ncatalog: [own.yaml]\n")
    before = Path("lab.guids.csv").read_bytes()
    for args in (
        ["simulate", SPEC, "-f", "named.yaml", "-o", "lab.guids.csv"],
        ["simulate", SPEC, "-f", "named.yaml", "--format", "json", "-o", "own.yaml"],
        ["bind", SPEC, DUMP, "-f", "named.yaml", "-o", "own.yaml"],
    ):
        assert start.main(args) == 2, args
        assert "would be lost" in capsys.readouterr().err
    assert Path("lab.guids.csv").read_bytes() == before
    assert start.main(["bind", SPEC, DUMP, "-f", "named.yaml", "-o", "lab.guids.csv"]) == 0


def test_a_link_to_the_spec_is_the_spec(capsys: pytest.CaptureFixture[str]) -> None:
    os.symlink(SPEC, "out.json")
    before = Path(SPEC).read_bytes()
    assert start.main(["simulate", SPEC, "-o", "out.json"]) == 2
    assert "would be lost" in capsys.readouterr().err
    assert Path(SPEC).read_bytes() == before


@pytest.mark.parametrize(("out", "said"), [("there/is/none.json", "mkdir -p there/is"), (".", "is a folder")])
def test_a_place_where_nothing_can_be_written_is_told_before_the_work(
    out: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert start.main(["simulate", SPEC, "-o", out]) == 2
    assert said in capsys.readouterr().err


def test_a_full_disk_leaves_the_old_file_and_nothing_beside(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    assert start.main(["simulate", SPEC, "-o", "/dev/full"]) == 2
    assert "No space left" in capsys.readouterr().err
    assert not [p for p in folder.iterdir() if p.name.startswith(".")]


def test_the_files_mode_is_kept() -> None:
    Path("old.json").write_text("x")
    Path("old.json").chmod(0o640)
    assert start.main(["simulate", SPEC, "-o", "old.json"]) == 0
    assert Path("old.json").stat().st_mode & 0o777 == 0o640
    assert Path("old.json").read_text().startswith("{")
