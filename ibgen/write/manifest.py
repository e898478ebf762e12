"""`ibgen.manifest.json`: which files of a tree are ibgen's, and what they were made from.

Takes `ManifestInfo` and artifacts, or the bytes of an older manifest. Gives `Manifest` and bytes. The only file of a tree
that holds versions and digests. Its JSON Schema is `schemas/manifest.schema.json`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ibgen.write.paths import Artifact, check_path

SCHEMA = 1
_DIGEST = re.compile(r"[0-9a-f]{64}")
_MODES = {"0644": 0o644, "0755": 0o755}


@dataclass(frozen=True, slots=True)
class ManifestInfo:
    """What a tree was made from. Digests are sha256 in hex; `spec_name` is the cluster's name."""

    tool_version: str
    catalog_digest: str
    spec_digest: str
    spec_name: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One file: sha256 in hex, bytes, 0o644 or 0o755."""

    sha256: str
    size: int
    mode: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """Paths are relative to the manifest's folder."""

    info: ManifestInfo
    files: Mapping[str, Entry]


def describe(info: ManifestInfo, artifacts: Iterable[Artifact]) -> Manifest:
    """The manifest of a tree; hashes every artifact once."""
    files = {a.path: Entry(hashlib.sha256(a.content).hexdigest(), len(a.content), a.mode) for a in artifacts}
    return Manifest(info, files)


def to_bytes(manifest: Manifest) -> bytes:
    """JSON with sorted keys and LF; the same manifest gives the same bytes."""
    files = {path: {"sha256": e.sha256, "size": e.size, "mode": f"{e.mode:04o}"} for path, e in manifest.files.items()}
    text = json.dumps({"schema": SCHEMA, **asdict(manifest.info), "files": files}, indent=2, sort_keys=True)
    return text.encode() + b"\n"


def parse(data: bytes) -> Manifest:
    """Raises ValueError, with a message for people, where the bytes are no manifest that this version may act on."""
    try:
        value = json.loads(data)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except ValueError:
        conflict = b"<<<<<<<" in data and b">>>>>>>" in data
        raise ValueError("it holds merge conflict markers" if conflict else "it is no JSON") from None
    if not isinstance(value, dict):
        raise ValueError("it is no JSON object")
    schema = value.get("schema")
    if isinstance(schema, int) and schema > SCHEMA:
        raise ValueError(f"it has schema {schema}, made by a newer ibgen (this one knows {SCHEMA})")
    if schema != SCHEMA or isinstance(schema, bool):
        raise ValueError(f"its schema is not {SCHEMA}")
    words = [value.get(key) for key in ("tool_version", "catalog_digest", "spec_digest", "spec_name")]
    if not all(isinstance(word, str) for word in words):
        raise ValueError("it does not say what the tree was made from")
    files = value.get("files")
    if not isinstance(files, dict):
        raise ValueError("it has no list of files")
    return Manifest(ManifestInfo(*words), {path: _entry(path, entry) for path, entry in files.items()})  # type: ignore[arg-type]


def _entry(path: str, value: Any) -> Entry:
    check_path(path)  # a manifest that names `../x` must not make ibgen delete it
    fields = (value.get("sha256"), value.get("size"), value.get("mode")) if isinstance(value, dict) else (None, None, None)
    sha256, size, mode = fields
    if not (isinstance(sha256, str) and _DIGEST.fullmatch(sha256) and isinstance(mode, str) and mode in _MODES):
        raise ValueError(f"its entry for {path!r} is damaged")
    if not isinstance(size, int) or isinstance(size, bool) or size < 0:
        raise ValueError(f"its entry for {path!r} is damaged")
    return Entry(sha256, size, _MODES[mode])
