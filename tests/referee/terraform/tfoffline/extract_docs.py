"""Recover provider schemas from documentation written by terraform-plugin-docs.

Providers built on the plugin framework publish `docs/resources/X.md` whose "## Schema" part is generated from the schema
itself: name, type, and the groups Required / Optional / Read-Only, nested parts included. That is enough for providers with
no CDKTF package (nebius, crusoe, coreweave).

Optional attributes are taken as optional *and* computed, since the two cannot be told apart there: unset ones then plan as
"known after apply".

    python -m tfoffline.extract_docs DOCS_DIR --source nebius/nebius --types FILE --version 1.2.3 -o OUT.json.gz

DOCS_DIR is the `docs` folder of a provider release.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tfoffline.extract import schema_document, wanted_types, write

_ITEM = re.compile(r"^- `(\w+)` \(([^)]*)\)", re.M)
_HEAD = re.compile(r"^### Nested Schema for `([\w.]+)`\s*$", re.M)
_GROUP = re.compile(r"^(?:### )?(Required|Optional|Read-Only):?\s*$", re.M)
_SCALAR = {"String": "string", "Number": "number", "Boolean": "bool", "Dynamic": "dynamic"}
_NESTING = {"Attributes": "single", "Attributes List": "list", "Attributes Set": "set", "Attributes Map": "map"}
_BLOCKS = {"Block": "single", "Block List": "list", "Block Set": "set"}
_FLAGS = {
    "Required": {"required": True},
    "Optional": {"optional": True, "computed": True},
    "Read-Only": {"computed": True},
}


def sections(page: str) -> dict[str, str]:
    """Section text by dotted path; the top level under ""."""
    body = page[page.rindex("## Schema\n") if "\n## Schema\n" in page else 0 :]
    body = re.split(r"^## Import", body, flags=re.M)[0]
    heads = list(_HEAD.finditer(body))
    ends = [h.start() for h in heads[1:]] + [len(body)]
    out = {"": body[: heads[0].start()] if heads else body}
    return out | {h.group(1): body[h.end() : end] for h, end in zip(heads, ends, strict=False)}


def block(parts: Mapping[str, str], path: str = "") -> dict[str, Any]:
    """The schema block described by the section at `path` and those below it."""
    attributes: dict[str, Any] = {}
    blocks: dict[str, Any] = {}
    for name, words, extra, group in _items(parts.get(path, "")):
        here = f"{path}.{name}" if path else name
        if words in _BLOCKS:
            limits = [m for e in extra if (m := re.fullmatch(r"(Min|Max): (\d+)", e))]
            sizes = {f"{m.group(1).lower()}_items": int(m.group(2)) for m in limits}
            blocks[name] = {"nesting_mode": _BLOCKS[words], "block": block(parts, here), **sizes}
            continue
        attributes[name] = _flags(group, extra)
        if words in _NESTING:
            inner = block(parts, here).get("attributes", {})
            attributes[name]["nested_type"] = {"attributes": inner, "nesting_mode": _NESTING[words]}
        else:
            attributes[name]["type"] = _type(words)
    return {"attributes": attributes, **({"block_types": blocks} if blocks else {})}


def _items(text: str) -> Iterator[tuple[str, str, list[str], str]]:
    """(name, type words, flags, group) for each item of one section."""
    marks = list(_GROUP.finditer(text))
    ends = [m.start() for m in marks[1:]] + [len(text)]
    for m, end in zip(marks, ends, strict=False):
        for item in _ITEM.finditer(text, m.end(), end):
            words = [w.strip() for w in item.group(2).split(",")]
            yield item.group(1), words[0], words[1:], m.group(1)


def _flags(group: str, extra: Sequence[str]) -> dict[str, Any]:
    flags: dict[str, Any] = dict(_FLAGS[group])
    flags |= {word.lower(): True for word in ("Sensitive", "Deprecated") if word in extra}
    if "Write-only" in extra:
        flags["write_only"] = True
        flags.pop("computed", None)
    return flags


def _type(words: str) -> Any:
    m = re.fullmatch(r"(List|Set|Map) of (.+)", words)
    if m:
        return [m.group(1).lower(), _type(m.group(2))]
    return ["object", {}] if words == "Object" else _SCALAR[words]


def extract(docs: Path, types: Sequence[str], source: str, version: str) -> tuple[dict[str, Any], list[str]]:
    """The `terraform providers schema -json` document for the wanted types, and those without a page."""
    prefix = source.split("/")[1] + "_"
    tables: dict[bool, dict[str, Any]] = {False: {}, True: {}}
    missing = []
    for t in types:
        data, name = t.startswith("data."), t.removeprefix("data.")
        page = docs / ("data-sources" if data else "resources") / (name.removeprefix(prefix) + ".md")
        if page.exists():
            tables[data][name] = {"version": 0, "block": block(sections(page.read_text()))}
        else:
            missing.append(t)
    provider = block(sections((docs / "index.md").read_text()))
    for attribute in provider["attributes"].values():
        attribute.pop("computed", None)  # a provider's configuration has no computed values
    return schema_document(source, version, "provider documentation", provider, tables), missing


def main(argv: list[str] | None = None) -> int:
    """Reads the pages and writes the schema file."""
    p = argparse.ArgumentParser(prog="tfoffline.extract_docs", description="Provider schemas out of documentation.")
    p.add_argument("docs", type=Path)
    p.add_argument("--source", required=True)
    p.add_argument("--types", type=Path, required=True)
    p.add_argument("--version", required=True)
    p.add_argument("-o", "--out", type=Path, required=True)
    a = p.parse_args(argv)
    document, missing = extract(a.docs, wanted_types(a.types), a.source, a.version)
    write(document, a.out)
    print(f"{a.source} {a.version} -> {a.out} ({a.out.stat().st_size} bytes)")
    for t in missing:
        print("note: no page for", t, file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
