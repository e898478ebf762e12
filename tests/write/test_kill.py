"""A kill at any moment: after the next command the tree is wholly old or wholly new.

The moments are those at which Python tells an audit hook of a call into the system (open, rename, mkdir, link, chmod, flock,
...): a forked process dies there without running another instruction, exactly as under SIGKILL.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ibgen.write import MANIFEST, ManifestInfo, check, recover, write
from ibgen.write import journal as log


@dataclass(frozen=True)
class File:
    path: str
    content: bytes = b""
    mode: int = 0o644


INFO = ManifestInfo("1.2.3", "c" * 64, "d" * 64, "pod-a")
LATER = ManifestInfo("1.2.3", "c" * 64, "e" * 64, "pod-a")
OLD = [
    File("README", b"old"),
    File("a/gone", b"1"),
    File("a/b/gone", b"1"),
    File("x", b"3"),
    File("t/u", b"5"),
    File("run", b"r"),
]
NEW = [File("README", b"new"), File("x/y/z", b"4"), File("t", b"6"), File("n/m", b"7"), File("run", b"r", 0o755)]
FOREIGN = {"n2/terraform.tfstate": b"state", "a/.terraform/x": b"\0\1", "notes": b"mine"}

Tree = dict[str, tuple[bytes, bool] | None]


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    """In memory where that is possible: thousands of fsyncs on a disk are not what is tested here."""
    memory = "/dev/shm"
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as folder:
        yield Path(folder)


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    with _folder() as folder:
        yield folder


def _tree(root: Path) -> Tree:
    return {
        p.relative_to(root).as_posix(): (p.read_bytes(), bool(p.stat().st_mode & 0o100)) if p.is_file() else None
        for p in sorted(root.rglob("*"))
    }


def _lay(root: Path, files: dict[str, bytes]) -> None:
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)


def _start(root: Path) -> Tree:
    assert write(OLD, root, INFO)[1] == ()
    _lay(root, FOREIGN)
    return _tree(root)


def _arm(moment: int) -> None:
    """From here on this process dies at its n-th call into the system."""
    calls = 0

    def hook(event: str, _: object) -> None:
        nonlocal calls
        if event == "open" or event.startswith(("os.", "fcntl.", "shutil.")):
            calls += 1
            if calls == moment:
                os._exit(9)

    sys.addaudithook(hook)


def _killed(work: Callable[[], object]) -> bool:
    """Runs `work` in a forked process. Gives whether it died on the way."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        finally:
            os._exit(99)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, 9)
    return code == 9


def _killed_at(moment: int, work: Callable[[], object]) -> bool:
    return _killed(lambda: (_arm(moment), work()))


def _every_moment(tmp_path: Path, case: Callable[[Path, int], bool]) -> int:
    """Calls `case` with a fresh root for each moment until the work is done before it comes. Gives the number of moments."""
    moment = 1
    while case(tmp_path / f"m{moment}", moment):
        moment += 1
    return moment - 1


@pytest.mark.slow
def test_a_build_killed_at_any_moment_is_whole_after_the_next_command(tmp_path: Path) -> None:
    outcomes = []
    new = None

    def case(root: Path, moment: int) -> bool:
        nonlocal new
        old = _start(root)
        killed = _killed_at(moment, lambda: write(NEW, root, LATER))
        after_kill = (root / ".ibgen/journal.json").exists()
        found = recover(root)
        tree = _tree(root)
        if new is None:
            twin = root.with_name("twin")
            _start(twin)
            assert write(NEW, twin, LATER)[1] == ()
            new = _tree(twin)
        assert tree in (old, new)
        assert [f.code.id for f in found] == (["IBG910"] if after_kill else [])
        assert recover(root) == ()
        for path, content in FOREIGN.items():
            assert tree[path] == (content, False)
        outcomes.append(tree == new)
        assert write(NEW, root, LATER)[1] == ()
        assert _tree(root) == new
        return killed

    assert _every_moment(tmp_path, case) > 60
    assert outcomes == sorted(outcomes)  # old up to some moment, new from then on
    assert not outcomes[0]
    assert outcomes[-1]


def test_a_first_build_killed_at_any_moment_leaves_nothing_or_all(tmp_path: Path) -> None:
    def case(root: Path, moment: int) -> bool:
        killed = _killed_at(moment, lambda: write(NEW, root / "deep/tree", INFO))
        recover(root / "deep/tree")
        files = {path for path, content in _tree(root / "deep/tree").items() if content}
        assert files in (set(), {file.path for file in NEW} | {MANIFEST})
        assert not (root / "deep/tree/.ibgen").exists()
        return killed

    assert _every_moment(tmp_path, case) > 30


@pytest.mark.slow
def test_a_recovery_killed_at_any_moment_is_recovered(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    _start(whole)
    write(NEW, whole, LATER)
    new = _tree(whole)

    def build_until_moves(root: Path) -> Tree:
        old = _start(root)

        def die(step: str) -> None:
            if step == "move n/m":
                os._exit(9)

        assert _killed(lambda: write(NEW, root, LATER, progress=die))
        return old

    def case(root: Path, moment: int) -> bool:
        build_until_moves(root)
        killed = _killed_at(moment, lambda: recover(root))
        recover(root)
        assert _tree(root) == new
        return killed

    assert _every_moment(tmp_path, case) > 20


def test_a_build_that_is_taken_back_and_killed_meanwhile_is_old(tmp_path: Path) -> None:
    def case(root: Path, moment: int) -> bool:
        old = _start(root)

        def obstruct(step: str) -> None:
            if step == "move n/m":
                (root / "n/m/theirs").mkdir(parents=True)
                _arm(moment)

        killed = _killed(lambda: write(NEW, root, LATER, progress=obstruct))
        recover(root)
        assert _tree(root) == old | {"n": None, "n/m": None, "n/m/theirs": None}
        return killed

    assert _every_moment(tmp_path, case) > 20


def test_sigkill_at_random_times(tmp_path: Path) -> None:
    old = [File(f"d{i % 7}/f{i}", bytes([i]) * 20_000) for i in range(60)]
    new = [File(f"d{i % 5}/f{i}", bytes([i]) * 20_001) for i in range(20, 90)]
    root = tmp_path / "tree"
    write(old, root, INFO)
    trees = [_tree(root)]
    start = time.monotonic()
    write(new, root, LATER)
    took = time.monotonic() - start
    trees.append(_tree(root))
    draw = random.Random(1)
    for number in range(24):
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException):
                write(*((old, root, INFO) if number % 2 == 0 else (new, root, LATER)))
            os._exit(0)
        time.sleep(draw.random() * took)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        recover(root)
        assert _tree(root) in trees


@pytest.mark.parametrize("step", ["stage", "journal", "delete", "move"])
def test_ctrl_c_leaves_a_whole_tree(tmp_path: Path, step: str) -> None:
    old = _start(tmp_path)

    def interrupt(name: str) -> None:
        if name.startswith(step):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(NEW, tmp_path, LATER, progress=interrupt)
    if step in ("stage", "journal"):
        assert _tree(tmp_path) == old
    recover(tmp_path)
    assert (tmp_path / "README").read_bytes() == (b"old" if step in ("stage", "journal") else b"new")
    assert write(NEW, tmp_path, LATER)[1] == ()


def _interrupted(root: Path, step: str = "move README") -> None:
    def die(name: str) -> None:
        if name == step:
            os._exit(9)

    assert _killed(lambda: write(NEW, root, LATER, progress=die))


def test_check_reports_an_interrupted_build_and_touches_nothing(tmp_path: Path) -> None:
    _start(tmp_path)
    _interrupted(tmp_path)
    before = _tree(tmp_path)
    _, findings = check(NEW, tmp_path, LATER)
    assert [(f.code.id, str(f.severity)) for f in findings] == [("IBG910", "error")]
    assert findings[0].hint
    assert _tree(tmp_path) == before


def test_an_edit_after_the_interruption_is_kept_aside(tmp_path: Path) -> None:
    _start(tmp_path)
    _interrupted(tmp_path, "delete a/b/gone")
    (tmp_path / "README").write_bytes(b"edited after the crash")
    (tmp_path / "a/gone").write_bytes(b"this one too")
    found = recover(tmp_path)
    assert sorted((f.code.id, str(f.severity)) for f in found) == [
        ("IBG910", "note"),
        ("IBG914", "warning"),
        ("IBG914", "warning"),
    ]
    assert (tmp_path / "README.edited").read_bytes() == b"edited after the crash"
    assert (tmp_path / "README").read_bytes() == b"new"
    assert (tmp_path / "a/gone").read_bytes() == b"this one too"
    assert write(NEW, tmp_path, LATER)[1] == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "[" * 100_000,
        '{"schema": 2}',
        '{"schema": 1, "direction": "forward", "moves": [], "made": [], "pruned": []}',
        '{"schema": 1, "direction": "forward", "moves": 3, "made": [], "pruned": []}',
        '{"schema": 1, "direction": "back", "made": [], "pruned": [],'
        ' "moves": [{"path": "../victim", "name": "000000", "old": "OLD", "new": null}, LAST]}',
        '{"schema": 1, "direction": "forward", "moves": [{"path": "a", "name": "../../x", "old": null, "new": "OLD"}, LAST],'
        ' "made": [], "pruned": []}',
        '{"schema": 1, "direction": "forward", "moves": [LAST], "made": ["../made"], "pruned": []}',
        '{"schema": 1, "direction": "forward", "moves": [LAST], "made": [], "pruned": ["../empty"]}',
        '{"schema": 1, "direction": "sideways", "moves": [LAST], "made": [], "pruned": []}',
    ],
)
def test_a_damaged_or_hostile_journal_is_not_acted_on(tmp_path: Path, text: str) -> None:
    root = tmp_path / "tree"
    _start(root)
    (tmp_path / "victim").write_bytes(b"v")
    (tmp_path / "empty").mkdir()
    (root / ".ibgen").mkdir()
    last = f'{{"path": "{MANIFEST}", "name": "000001", "old": null, "new": "{"0" * 64}"}}'
    log.file(root).write_text(text.replace("LAST", last).replace("OLD", "0" * 64))
    before = _tree(tmp_path)
    assert [(f.code.id, bool(f.hint)) for f in recover(root)] == [("IBG911", True)]
    assert [f.code.id for f in write(NEW, root, LATER)[1]] == ["IBG911"]
    assert _tree(tmp_path) == before


def test_a_journal_never_leads_through_a_link_out_of_the_tree(tmp_path: Path) -> None:
    root, outside = tmp_path / "tree", tmp_path / "outside"
    _start(root)
    (outside / "empty").mkdir(parents=True)
    (root / "out").symlink_to(outside)
    (root / ".ibgen").mkdir()
    last = f'{{"path": "{MANIFEST}", "name": "000001", "old": null, "new": "{"0" * 64}"}}'
    for made, pruned in ((["out/made"], []), ([], ["out/empty"])):
        text = f'{{"schema": 1, "direction": "forward", "moves": [{last}], "made": {made}, "pruned": {pruned}}}'
        log.file(root).write_text(text.replace("'", '"'))
        assert [f.code.id for f in recover(root)] == ["IBG908"]
        assert [p.name for p in outside.iterdir()] == ["empty"]


def test_litter_of_a_build_that_never_began_is_removed_in_silence(tmp_path: Path) -> None:
    old = _start(tmp_path)
    (tmp_path / ".ibgen/new").mkdir(parents=True)
    (tmp_path / ".ibgen/new/000000").write_bytes(b"half")
    assert recover(tmp_path) == ()
    assert _tree(tmp_path) == old


@pytest.mark.parametrize("make", ["nothing", "file", "link"])
def test_recovery_of_what_is_no_tree_does_nothing(tmp_path: Path, make: str) -> None:
    root = tmp_path / "tree"
    if make == "file":
        root.write_bytes(b"x")
    elif make == "link":
        root.mkdir()
        (tmp_path / "elsewhere").mkdir()
        (root / ".ibgen").symlink_to(tmp_path / "elsewhere")
    before = _tree(tmp_path)
    assert recover(root) == ()
    if make != "nothing":
        assert {f.code.id for f in write(NEW, root, INFO)[1]} == {"IBG907"}
    assert _tree(tmp_path) == before


# ---- any two trees

PATH = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map("/".join)
CONTENT = st.binary(max_size=3)


def _consistent(files: dict[str, tuple[bytes, int]]) -> list[File]:
    """Drops what would be a file and a folder at once."""
    kept = [p for p in sorted(files) if not any(q.startswith(p + "/") for q in files)]
    return [File(p, *files[p]) for p in kept]


TREE = st.dictionaries(PATH, st.tuples(CONTENT, st.sampled_from([0o644, 0o755])), max_size=6).map(_consistent)


@pytest.mark.slow
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TREE, TREE, st.dictionaries(PATH, CONTENT, max_size=2), st.integers(1, 120), st.integers(1, 40))
def test_any_tree_over_any_other_killed_twice(
    old: list[File], new: list[File], theirs: dict[str, bytes], first: int, second: int
) -> None:
    with _folder() as folder:
        root = folder / "tree"
        assert write(old, root, INFO)[1] == ()
        laid = {}
        for path, content in theirs.items():
            with contextlib.suppress(OSError):
                if not (root / path).exists():
                    _lay(root, {path: content})
                    laid[path] = content
        before = _tree(root)
        killed = _killed_at(first, lambda: write(new, root, LATER))
        if killed:
            _killed_at(second, lambda: recover(root))
            recover(root)
        tree = _tree(root)
        _, findings = write(new, root, LATER)
        blocked = {f.code.id for f in findings if f.severity == "error"}
        after = _tree(root)
        assert blocked <= {"IBG902", "IBG907"}
        if blocked:
            assert laid
            assert tree == after == before
        else:
            assert tree in (before, after)
            owned = {f.path: (f.content, f.mode == 0o755) for f in new}
            files = {path: content for path, content in after.items() if content is not None and path != MANIFEST}
            assert {path: files[path] for path in owned} == owned
            assert {path: content for path, (content, _) in files.items() if path not in owned} == {
                path: content for path, content in laid.items() if path not in owned
            }
            assert write(new, root, LATER)[0].stale is False
        for path, content in laid.items():
            assert (root / path).read_bytes() == content
