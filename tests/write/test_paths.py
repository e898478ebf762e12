"""No artifact leaves its folder, whatever name it was made from."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibgen.write.paths import by_path, check_path


@dataclass(frozen=True)
class File:
    path: str
    content: bytes = b""
    mode: int = 0o644


@pytest.mark.parametrize(
    "path",
    [
        *["", "/", "/etc/passwd", "..", "../x", "a/../b", "a/..", "a//b", "a/", "./a", "a/.", "a/./b"],
        *["a\nb", "a\0b", "a\rb", "\x1b[31m", "a\x7f", "a\u2028b", "a\u202eb", "a\ud800"],
        *["a\\b", "C:x", "a*", "a?", 'a"', "a<b", "a>b", "a|b", " a", "a ", "a./b", "a/ b"],
        *[
            ".git/hooks/pre-commit",
            ".GIT/config",
            "sub/.git/x",
            ".terraform/x",
            "azure/.terraform/plugins",
            ".ibgen/journal.json",
        ],
        *["ibgen.manifest.json", "IBGEN.manifest.json", "x" * 256],
    ],
)
def test_an_unsafe_path_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        by_path([File(path)])


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "opensm/compute/opensm.conf",
        ".terraform.lock.hcl",
        ".gitignore",
        "a/ibgen.manifest.json",
        "größe.txt",
        "a b",
    ],
)
def test_a_plain_path_is_fine(path: str) -> None:
    assert list(by_path([File(path)])) == [path]


@pytest.mark.parametrize(
    "paths",
    [
        ["a", "a"],
        ["a", "A"],
        ["slurm/x", "Slurm/y"],
        ["a/B/c", "a/b/d"],
        ["straße", "strasse"],
        ["e\u0301", "\u00e9"],
        ["a", "a/b"],
        ["a/b/c/d", "a/b"],
        ["A/b", "a"],
    ],
)
def test_paths_that_collide_are_refused(paths: list[str]) -> None:
    for order in (paths, paths[::-1]):
        with pytest.raises(ValueError, match=r"."):
            by_path([File(path) for path in order])


def test_only_two_modes_exist() -> None:
    with pytest.raises(ValueError, match="4755"):
        by_path([File("a", mode=0o4755)])


@given(st.text(max_size=12))
def test_an_accepted_path_stays_below_its_root(path: str) -> None:
    try:
        check_path(path)
    except ValueError:
        return
    assert path
    assert all(" " <= char != "\x7f" for char in path)
    assert not {"", ".", ".."} & set(path.split("/"))
