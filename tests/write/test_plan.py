"""What a build would do, and what speaks against it: drift, files of others, links, obstacles."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from ibgen.diagnostics import Severity
from ibgen.write import MANIFEST, ManifestInfo, apply, check, plan, write


@dataclass(frozen=True)
class File:
    path: str
    content: bytes = b""
    mode: int = 0o644


INFO = ManifestInfo("1.2.3", "c" * 64, "d" * 64, "pod-a")
OLD = [
    File("README.md", b"old\n"),
    File("slurm/topology.conf", b"one\n"),
    File("slurm/gres.conf", b"gpu\n"),
    File("run.sh", b"#\n", 0o755),
]
NEW = [
    File("README.md", b"new\n"),
    File("slurm/topology.conf", b"one\n"),
    File("nccl/nccl.conf", b"x\n"),
    File("run.sh", b"#\n", 0o755),
]


def _kinds(changes: object) -> dict[str, str]:
    return {c.path: str(c.kind) for c in changes}  # type: ignore[attr-defined]


def _codes(findings: object) -> list[tuple[str, str]]:
    return [(f.code.id, str(f.severity)) for f in findings]  # type: ignore[attr-defined]


def _tree(root: Path) -> dict[str, bytes]:
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


@pytest.fixture
def built(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    _, findings = write(OLD, root, INFO)
    assert findings == ()
    return root


def test_a_plan_tells_create_update_delete_same(built: Path) -> None:
    before = _tree(built)
    made = plan(NEW, built, INFO)
    assert _kinds(made.changes) == {
        "README.md": "update",
        "nccl/nccl.conf": "create",
        "run.sh": "same",
        "slurm/gres.conf": "delete",
        "slurm/topology.conf": "same",
        MANIFEST: "update",
    }
    assert made.findings == ()
    assert made.stale
    assert _tree(built) == before


def test_building_twice_changes_nothing(built: Path) -> None:
    stamps = {p: p.stat().st_mtime_ns for p in built.rglob("*")}
    made, findings = write(OLD, built, INFO)
    assert not made.stale
    assert findings == ()
    assert {p: p.stat().st_mtime_ns for p in built.rglob("*")} == stamps


def test_nothing_is_written_over_a_hand_edit_and_each_is_named(built: Path) -> None:
    (built / "README.md").write_bytes(b"mine\n")
    (built / "slurm/gres.conf").write_bytes(b"gpu\n# mine\n")  # would be deleted: lost just as well
    before = _tree(built)
    made, findings = write(NEW, built, INFO)
    assert _codes(findings) == [("IBG901", "error"), ("IBG901", "error")]
    assert [f.at.file for f in findings] == [str(built / "README.md"), str(built / "slurm/gres.conf")]  # type: ignore[union-attr]
    assert all("--force" in f.hint for f in findings)
    assert [c.path for c in made.changes if c.edited] == ["README.md", "slurm/gres.conf"]
    assert _tree(built) == before
    with pytest.raises(ValueError, match="errors"):
        apply(made)


def test_force_throws_hand_edits_away_and_says_so(built: Path) -> None:
    (built / "README.md").write_bytes(b"mine\n")
    _, findings = write(NEW, built, INFO, force=True)
    assert _codes(findings) == [("IBG901", "warning")]
    assert (built / "README.md").read_bytes() == b"new\n"


def test_a_hand_edit_that_the_spec_caught_up_with_is_no_edit(built: Path) -> None:
    (built / "README.md").write_bytes(b"new\n")
    _, findings = write(NEW, built, INFO)
    assert findings == ()


@pytest.mark.parametrize("force", [False, True])
def test_a_file_of_somebody_else_is_never_overwritten(built: Path, force: bool) -> None:
    (built / "nccl").mkdir()
    (built / "nccl/nccl.conf").write_bytes(b"theirs\n")
    before = _tree(built)
    _, findings = write(NEW, built, INFO, force=force)
    assert _codes(findings) == [("IBG902", "error")]
    assert "nccl/nccl.conf" in findings[0].message
    assert _tree(built) == before


def test_a_file_that_is_already_right_is_adopted(built: Path) -> None:
    (built / MANIFEST).unlink()
    made, findings = write(OLD, built, INFO)
    assert findings == ()
    assert _kinds(made.changes)["README.md"] == "same"
    assert _kinds(plan(NEW, built, INFO).changes)["slurm/gres.conf"] == "delete"


def test_a_missing_file_is_written_again_with_a_note(built: Path) -> None:
    (built / "README.md").unlink()
    _, findings = write(OLD, built, INFO)
    assert _codes(findings) == [("IBG905", "note")]
    assert (built / "README.md").read_bytes() == b"old\n"


def test_a_deleted_file_that_no_longer_belongs_is_simply_forgotten(built: Path) -> None:
    (built / "slurm/gres.conf").unlink()
    _, findings = write(NEW, built, INFO)
    assert findings == ()


def test_the_execute_bit_counts_and_the_umask_of_a_clone_does_not(built: Path) -> None:
    (built / "README.md").chmod(0o664)
    assert not plan(OLD, built, INFO).stale
    (built / "run.sh").chmod(0o644)
    assert _kinds(plan(OLD, built, INFO).changes)["run.sh"] == "update"
    _, findings = write(OLD, built, INFO)
    assert findings == ()
    assert (built / "run.sh").stat().st_mode & 0o777 == 0o755


def test_terraform_state_and_empty_folders_of_others_stay(built: Path) -> None:
    state = built / "slurm" / ".terraform" / "x"
    state.parent.mkdir()
    state.write_bytes(b"state")
    (built / "empty").mkdir()
    stamp = state.stat().st_mtime_ns, state.stat().st_ino
    _, findings = write([File("only", b"")], built, INFO)
    assert findings == ()
    assert (state.stat().st_mtime_ns, state.stat().st_ino) == stamp
    assert sorted(_tree(built)) == [MANIFEST, "only", "slurm/.terraform/x"]
    assert (built / "empty").is_dir()


def test_a_folder_that_held_only_our_files_goes_with_them(built: Path) -> None:
    write([File("only", b"")], built, INFO)
    assert not (built / "slurm").exists()


@pytest.mark.parametrize(
    ("before", "after"), [(["a"], ["a/b/c"]), (["a/b/c", "a/d"], ["a"]), (["x/a", "x/b"], ["x/a/y", "x/b"])]
)
def test_a_file_may_become_a_folder_and_back(tmp_path: Path, before: list[str], after: list[str]) -> None:
    for paths in (before, after, before):
        _, findings = write([File(p, p.encode()) for p in paths], tmp_path, INFO)
        assert findings == ()
        assert sorted(_tree(tmp_path)) == sorted([*paths, MANIFEST])


def test_an_obstacle_of_somebody_else_is_named(tmp_path: Path) -> None:
    write([File("a/b", b"")], tmp_path, INFO)
    (tmp_path / "a" / "notes").write_bytes(b"mine")
    (tmp_path / "f").write_bytes(b"")
    (tmp_path / "d").mkdir()
    os.mkfifo(tmp_path / "p")
    before = sorted(p.relative_to(tmp_path) for p in tmp_path.rglob("*"))
    _, findings = write([File("a"), File("f/x"), File("d"), File("p")], tmp_path, INFO)
    assert _codes(findings) == [("IBG907", "error")] * 4
    assert "a/notes" in findings[0].message
    assert sorted(p.relative_to(tmp_path) for p in tmp_path.rglob("*")) == before


@pytest.mark.parametrize("where", ["target", "folder", "inside", "manifest", "dangling", "orphan"])
def test_no_symbolic_link_below_the_root_is_followed(built: Path, tmp_path: Path, where: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "nccl.conf").write_bytes(b"theirs")
    if where == "target":
        (built / "README.md").unlink()
        (built / "README.md").symlink_to(outside / "nccl.conf")
    elif where == "folder":
        (built / "nccl").symlink_to(outside)
    elif where == "inside":
        (built / "nccl").symlink_to(built / "slurm")
    elif where == "manifest":
        (built / MANIFEST).rename(outside / MANIFEST)
        (built / MANIFEST).symlink_to(outside / MANIFEST)
    elif where == "dangling":
        (built / "nccl").symlink_to(tmp_path / "nowhere")
    else:
        (built / "slurm").rename(outside / "slurm")
        (built / "slurm").symlink_to(outside / "slurm")
    before = _tree(tmp_path)
    _, findings = write(NEW, built, INFO, force=True)
    assert {f.code.id for f in findings} == {"IBG906"}
    assert all(f.hint for f in findings)
    assert _tree(tmp_path) == before


def test_the_root_itself_may_be_a_link(built: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(built)
    _, findings = write(NEW, tmp_path / "link", INFO)
    assert findings == ()
    assert (built / "README.md").read_bytes() == b"new\n"


@pytest.mark.parametrize("root", ["file", "file/below", "file/below/more", "dangling"])
def test_a_root_that_is_no_folder_is_named(tmp_path: Path, root: str) -> None:
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    for _, findings in (write(OLD, tmp_path / root, INFO), check(OLD, tmp_path / root, INFO)):
        assert _codes(findings) == [("IBG907", "error")]
    assert (tmp_path / "file").read_bytes() == b"x"


# ---- build --check


def test_check_of_a_fresh_tree_says_nothing(built: Path) -> None:
    made, findings = check(OLD, built, INFO)
    assert not made.stale
    assert findings == ()


def test_check_names_what_is_stale_missing_edited_and_left_over(built: Path) -> None:
    (built / "run.sh").unlink()
    (built / "slurm/topology.conf").write_bytes(b"mine\n")
    before = _tree(built)
    _, findings = check(NEW, built, INFO)
    found = {Path(f.at.file).relative_to(built).as_posix(): (f.code.id, f.message) for f in findings}  # type: ignore[union-attr]
    assert {path: code for path, (code, _) in found.items()} == {
        "README.md": "IBG903",
        "nccl/nccl.conf": "IBG903",
        "run.sh": "IBG903",
        "slurm/gres.conf": "IBG904",
        "slurm/topology.conf": "IBG901",
    }
    assert "missing" in found["run.sh"][1]
    assert all(f.severity is Severity.ERROR and f.hint for f in findings)
    assert _tree(built) == before


def test_check_of_no_tree_at_all_writes_nothing(tmp_path: Path) -> None:
    _, findings = check(OLD, tmp_path / "tree", INFO)
    assert {f.code.id for f in findings} == {"IBG903"}
    assert not (tmp_path / "tree").exists()


def test_check_names_the_manifest_where_only_it_is_stale(built: Path) -> None:
    _, findings = check(OLD, built, ManifestInfo("1.2.4", "c" * 64, "d" * 64, "pod-a"))
    assert [f.at.file for f in findings] == [str(built / MANIFEST)]  # type: ignore[union-attr]
