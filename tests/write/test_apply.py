"""All or nothing: what the system refuses, who comes in between, who builds at the same time."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from ibgen.write import MANIFEST, ManifestInfo, apply, plan, recover, write


@dataclass(frozen=True)
class File:
    path: str
    content: bytes = b""
    mode: int = 0o644


INFO = ManifestInfo("1.2.3", "c" * 64, "d" * 64, "pod-a")
OLD = [File("README.md", b"old\n"), File("a/gone", b"1\n"), File("a/kept", b"2\n"), File("x/y", b"3\n")]
NEW = [
    File("README.md", b"new\n"),
    File("a/kept", b"2\n"),
    File("x/y/z", b"4\n"),
    File("big", b"b" * 100_000),
    File("z/s.sh", b"", 0o755),
]


def _tree(root: Path) -> dict[str, bytes | None]:
    return {p.relative_to(root).as_posix(): p.read_bytes() if p.is_file() else None for p in sorted(root.rglob("*"))}


@pytest.fixture
def built(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    assert write(OLD, root, INFO)[1] == ()
    return root


def _in_child(work: Callable[[], int]) -> int:
    """Runs `work` in a forked process, for what may not happen to this one; gives its return value or -signal."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(work())
        finally:
            os._exit(99)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_build_writes_the_tree_and_leaves_nothing_else(built: Path) -> None:
    steps: list[str] = []
    _, findings = write(NEW, built, INFO, progress=steps.append)
    assert findings == ()
    assert set(_tree(built)) == {"README.md", "a", "a/kept", "x", "x/y", "x/y/z", "big", "z", "z/s.sh", MANIFEST}
    assert (built / "z/s.sh").stat().st_mode & 0o777 == 0o755
    assert (built / "README.md").stat().st_mode & 0o777 == 0o644
    assert steps.index("journal") < steps.index("delete a/gone") < steps.index("move big")
    assert steps[-2:] == [f"move {MANIFEST}", "clean up"]


def test_modes_do_not_depend_on_the_umask(tmp_path: Path) -> None:
    def work() -> int:
        os.umask(0o077)
        write(NEW, tmp_path / "tree", INFO)
        return (tmp_path / "tree/z/s.sh").stat().st_mode & 0o777

    assert _in_child(work) == 0o755 & 0xFF


def test_a_file_that_is_too_large_for_the_system_leaves_the_old_tree(built: Path) -> None:
    before = _tree(built)

    def work() -> int:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
        _, findings = write(NEW, built, INFO)
        return 7 if [f.code.id for f in findings] == ["IBG908"] and "ulimit" in findings[0].hint else 1

    assert _in_child(work) == 7
    assert _tree(built) == before


@pytest.fixture
def small_disk(tmp_path: Path) -> Path:
    disk = tmp_path / "disk"
    disk.mkdir()
    if (
        shutil.which("mount") is None
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(disk)], capture_output=True, check=False
        ).returncode
    ):
        pytest.skip("needs the right to mount a tmpfs")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_leaves_the_old_tree(small_disk: Path) -> None:
    root = small_disk / "tree"
    assert write(OLD, root, INFO)[1] == ()
    before = _tree(root)
    _, findings = write([*NEW, File("huge", b"h" * 150_000)], root, INFO)
    assert [f.code.id for f in findings] == ["IBG908"]
    assert "No space left" in findings[0].message
    assert "space" in findings[0].hint
    assert _tree(root) == before


def test_a_disk_that_cannot_hold_a_first_build_is_left_empty(small_disk: Path) -> None:
    _, findings = write([File("huge", b"h" * 500_000)], small_disk / "new" / "tree", INFO)
    assert [f.code.id for f in findings] == ["IBG908"]
    assert list(small_disk.iterdir()) == []


def test_a_read_only_disk_is_named(small_disk: Path) -> None:
    root = small_disk / "tree"
    write(OLD, root, INFO)
    before = _tree(root)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    _, findings = write(NEW, root, INFO)
    assert [f.code.id for f in findings] == ["IBG908"]
    assert "read-only" in findings[0].hint
    assert _tree(root) == before
    assert recover(root) == ()


def test_a_file_system_mounted_inside_the_tree_is_named(built: Path) -> None:
    if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(built / "a")], capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a tmpfs")
    try:
        before = _tree(built)
        _, findings = write([*NEW, File("a/more", b"")], built, INFO)
        assert [f.code.id for f in findings if f.severity == "error"] == ["IBG908"]
        assert "mounted inside" in findings[-1].hint
        assert _tree(built) == before
    finally:
        subprocess.run(["umount", str(built / "a")], check=True)


@pytest.mark.parametrize("closed", [".", "a"])
def test_a_folder_without_permission_leaves_the_old_tree(built: Path, closed: str) -> None:
    before = _tree(built)
    (built / closed).chmod(0o555)

    def work() -> int:
        os.chdir(built)  # the folders above may be closed to another user
        if os.geteuid() == 0:
            os.seteuid(65534)
        _, findings = write(NEW, Path(), INFO)
        return 7 if [f.code.id for f in findings] == ["IBG908"] and findings[0].hint else 1

    assert _in_child(work) == 7
    (built / closed).chmod(0o755)
    assert _tree(built) == before


def test_a_folder_that_cannot_be_looked_into_is_a_finding(built: Path) -> None:
    (built / "a").chmod(0)

    def work() -> int:
        os.chdir(built)
        if os.geteuid() == 0:
            os.seteuid(65534)
        _, findings = write(OLD, Path(), INFO)
        return 7 if {f.code.id for f in findings} == {"IBG908"} else 1

    assert _in_child(work) == 7
    (built / "a").chmod(0o755)


def test_what_was_edited_since_the_plan_is_not_overwritten(built: Path) -> None:
    made = plan(NEW, built, INFO)
    (built / "README.md").write_bytes(b"just now\n")
    before = _tree(built)
    assert [f.code.id for f in apply(made)] == ["IBG913"]
    assert _tree(built) == before


def test_what_appeared_since_the_plan_is_not_overwritten(built: Path) -> None:
    made = plan(NEW, built, INFO)
    (built / "big").write_bytes(b"theirs")
    before = _tree(built)
    assert [f.code.id for f in apply(made)] == ["IBG913"]
    assert _tree(built) == before


def test_a_plan_older_than_another_build_is_not_applied(built: Path) -> None:
    made = plan(NEW, built, INFO)
    write([File("other", b"o")], built, INFO)
    assert [f.code.id for f in apply(made)] == ["IBG913"]
    assert set(_tree(built)) == {"other", MANIFEST}


@pytest.mark.parametrize("obstacle", ["README.md", "z/s.sh", "z", "big", "x/y"])
def test_an_obstacle_in_the_middle_of_a_build_takes_it_back(built: Path, obstacle: str) -> None:
    """The system refuses a step after others were taken: somebody made a folder where a file was to go."""
    before = _tree(built)

    def progress(step: str) -> None:
        place = built / obstacle
        if step == "move README.md":
            if place.is_file():
                place.unlink()
                before.pop(obstacle)
            if place.exists():
                place.rmdir()
            if obstacle in ("z", "x/y"):
                place.write_bytes(b"theirs")
            else:
                (place / "theirs").mkdir(parents=True)

    _, findings = write(NEW, built, INFO, progress=progress)
    assert [f.code.id for f in findings] == ["IBG908"]
    after = _tree(built)
    for path, content in before.items():
        if path != obstacle:
            assert after[path] == content
    assert after[obstacle] == (b"theirs" if obstacle in ("z", "x/y") else None)
    assert "big" not in after or obstacle == "big"
    assert ".ibgen" not in after


def test_a_second_build_does_not_wait_and_does_not_write(built: Path) -> None:
    ours, theirs = os.pipe(), os.pipe()
    child = os.fork()
    os.close(theirs[0] if child else theirs[1])  # so that neither waits for the other when a check fails
    os.close(ours[1] if child else ours[0])
    if child == 0:

        def pause(step: str) -> None:
            if step == "journal":
                os.write(ours[1], b"x")
                os.read(theirs[0], 1)

        try:
            os._exit(len(write(NEW, built, INFO, progress=pause)[1]))
        finally:
            os._exit(99)
    os.read(ours[0], 1)
    start = time.monotonic()
    _, findings = write([File("other", b"o")], built, INFO)
    assert [f.code.id for f in findings] == ["IBG909"]
    assert [f.code.id for f in recover(built)] == ["IBG909"]
    assert [f.code.id for f in apply(plan(OLD[:1], built, INFO))] == ["IBG909"]
    assert time.monotonic() - start < 5
    os.write(theirs[1], b"x")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert (built / "README.md").read_bytes() == b"new\n"
    assert not (built / ".ibgen").exists()
    os.close(ours[0])
    os.close(theirs[1])


def test_many_builds_at_once_leave_one_whole_tree(built: Path) -> None:
    children = []
    for number in range(4):
        child = os.fork()
        if child == 0:
            try:
                for _ in range(25):
                    _, findings = write(NEW if number % 2 else OLD, built, INFO)
                    if not {f.code.id for f in findings if f.severity == "error"} <= {"IBG909", "IBG910", "IBG913"}:
                        os._exit(1)
                os._exit(0)
            finally:
                os._exit(99)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * 4
    assert recover(built) == ()
    assert not plan(OLD, built, INFO).stale or not plan(NEW, built, INFO).stale
    assert not (built / ".ibgen").exists()


def test_thirty_files_and_sixty_megabytes_are_no_burden(tmp_path: Path) -> None:
    files = [File(f"d{i % 5}/f{i}", bytes([i]) * 2_000_000) for i in range(30)]
    write(files, tmp_path, INFO)
    start = time.process_time()
    made, _ = write(files, tmp_path, INFO)
    assert not made.stale
    assert time.process_time() - start < 5  # 0.2 s where it was written; the bound only catches hashing many times over
