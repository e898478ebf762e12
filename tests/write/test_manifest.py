"""The manifest: what it says, its schema, and what becomes of a damaged or hostile one."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import jsonschema
import pytest

from ibgen import assets
from ibgen.write import MANIFEST, ManifestInfo, plan, write
from ibgen.write.manifest import describe, parse, to_bytes


@dataclass(frozen=True)
class File:
    path: str
    content: bytes = b""
    mode: int = 0o644


INFO = ManifestInfo("1.2.3", "c" * 64, "d" * 64, "pod-a")
FILES = [File("slurm/topology.conf", b"SwitchName=su1\n"), File("opensm/install.sh", b"#!/bin/sh\n", 0o755)]


def _schema() -> dict[str, object]:
    return json.loads((assets.schemas() / "manifest.schema.json").read_text())


def test_a_written_manifest_obeys_its_schema(tmp_path: Path) -> None:
    write(FILES, tmp_path, INFO)
    jsonschema.Draft202012Validator.check_schema(_schema())
    value = json.loads((tmp_path / MANIFEST).read_text())
    jsonschema.validate(value, _schema(), cls=jsonschema.Draft202012Validator)
    assert value["files"]["opensm/install.sh"] == {
        "sha256": hashlib.sha256(b"#!/bin/sh\n").hexdigest(),
        "size": 10,
        "mode": "0755",
    }
    assert value["tool_version"] == "1.2.3"
    assert value["spec_name"] == "pod-a"


def test_a_manifest_is_the_same_bytes_whatever_the_order() -> None:
    first, second = to_bytes(describe(INFO, FILES)), to_bytes(describe(INFO, FILES[::-1]))
    assert first == second
    assert first.endswith(b"}\n")
    assert b"\r" not in first
    assert list(json.loads(first)) == sorted(json.loads(first))
    assert parse(first) == describe(INFO, FILES)


def _damage(**change: object) -> bytes:
    return json.dumps(json.loads(to_bytes(describe(INFO, FILES))) | change).encode()


def _entry(path: str, **change: object) -> bytes:
    entry = {"sha256": "0" * 64, "size": 1, "mode": "0644"} | change
    return _damage(files={path: entry})


DAMAGED = {
    "empty": (b"", "no JSON"),
    "half": (to_bytes(describe(INFO, FILES))[:60], "no JSON"),
    "merge": (b"{\n<<<<<<< HEAD\n=======\n>>>>>>> main\n}", "merge conflict"),
    "binary": (b"\xff\xfe\0", "no JSON"),
    "deep": (b"[" * 200_000, "nested"),
    "list": (b"[]", "no JSON object"),
    "newer": (_damage(schema=2), "newer ibgen"),
    "schema": (_damage(schema="1"), "schema"),
    "true": (_damage(schema=True), "schema"),
    "no files": (_damage(files=[]), "list of files"),
    "no version": (_damage(tool_version=None), "made from"),
    "entry": (_damage(files={"a": 1}), "damaged"),
    "digest": (_entry("a", sha256="0" * 63), "damaged"),
    "mode": (_entry("a", mode="4755"), "damaged"),
    "mode type": (_entry("a", mode=[]), "damaged"),
    "size": (_entry("a", size=-1), "damaged"),
    "escape": (_entry("../../victim"), "plain relative path"),
    "absolute": (_entry("/etc/passwd"), "plain relative path"),
    "git": (_entry(".git/config"), "not for artifacts"),
    "surrogate": (_entry("\ud800"), "character"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_manifest_that_cannot_be_trusted_stops_the_build(tmp_path: Path, name: str) -> None:
    data, words = DAMAGED[name]
    root = tmp_path / "a" / "b"
    root.mkdir(parents=True)
    victim = tmp_path / "victim"
    victim.write_bytes(b"x")
    (root / MANIFEST).write_bytes(data)
    _, findings = write(FILES, root, INFO, force=True)
    assert [f.code.id for f in findings] == ["IBG912"]
    assert words in findings[0].message
    assert findings[0].hint
    assert victim.read_bytes() == b"x"
    assert sorted(p.name for p in root.iterdir()) == [MANIFEST]
    if name in ("digest", "mode", "size", "escape", "absolute", "entry", "no files", "no version", "schema"):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(json.loads(data), _schema(), cls=jsonschema.Draft202012Validator)


def test_another_version_of_ibgen_changes_the_manifest_and_nothing_else(tmp_path: Path) -> None:
    write(FILES, tmp_path, INFO)
    newer = plan(FILES, tmp_path, ManifestInfo("1.2.4", "c" * 64, "d" * 64, "pod-a"))
    assert [(c.path, c.kind) for c in newer.changes if c.kind != "same"] == [(MANIFEST, "update")]
