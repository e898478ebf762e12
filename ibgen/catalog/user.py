"""A user's catalog files laid over the shipped facts.

Takes (file name, text) pairs, gives a `Catalog` and everything that is wrong with them, each finding on its line. A file maps
kinds to lists of rows:

    switches:
      - {id: site-leaf, radix: 64, ..., source: vendor data sheet}
      - {id: qm9700, override: true, power_max_w: 1800, source: measured on site}
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from ibgen.diagnostics import Finding, Path, Span

from . import findings as say
from .catalog import Catalog
from .fact import Fact, Row
from .kinds import SINGULAR, model
from .shipped import parse, shipped

if TYPE_CHECKING:
    from ibgen.source import Document

OWN_KINDS = ("platforms", "switches", "cables", "clouds", "gpus", "hcas", "adaptive")
_TRUTH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_ORIGIN = {"id", "aliases", "source", "as_of", "unverified", "unverified_fields", "note"}


def load(extra: Sequence[tuple[str, str]] = ()) -> tuple[Catalog, tuple[Finding, ...]]:
    """The shipped facts with the user's files over them. A row with an error is left out; all errors come at once."""
    reading = _Reading(Catalog(shipped()))
    for file, text in extra:
        reading.file(file, text)
    texts = tuple(text for _, text in extra)
    return Catalog(shipped(), reading.own, texts), tuple(reading.found)


@dataclass(slots=True)
class _Reading:
    """What has been read so far; `places` remembers where a name was first given."""

    base: Catalog
    own: dict[str, dict[str, Fact]] = field(default_factory=dict)
    places: dict[tuple[str, str], tuple[str, Span]] = field(default_factory=dict)
    found: list[Finding] = field(default_factory=list)

    def file(self, name: str, text: str) -> None:
        from ibgen.source import parse as parse_source

        document, problems = parse_source(text, name)
        self.found += problems
        for kind, rows in (document.data or {}).items():
            self.kind(document, kind, rows)

    def kind(self, document: Document, kind: str, rows: Any) -> None:
        if kind not in OWN_KINDS:
            hint = _did_you_mean(kind, OWN_KINDS) or f"kinds: {_kinds()}"
            at = document.span((kind,), "key")
            self.found.append(say.UNKNOWN_KEY.finding(f"a catalog file has no `{kind}`", at, hint=hint))
        elif not isinstance(rows, list):
            at = document.span((kind,))
            self.found.append(say.BAD_VALUE.finding(f"`{kind}` is a list of rows", at, hint="start each row with `- id: NAME`"))
        else:
            for index, row in enumerate(rows):
                self.row(document, kind, (kind, index), row)

    def row(self, document: Document, kind: str, path: Path, row: Any) -> None:
        id = row.get("id") if isinstance(row, Mapping) else None
        if not isinstance(id, str) or not id:
            message = f"a {SINGULAR[kind]} needs an `id`"
            self.found.append(say.BAD_VALUE.finding(message, document.span(path), hint="id: a name that the spec can use"))
            return
        given = {str(k): v for k, v in row.items() if k != "override"}
        shipped_id = self.base.facts.names.get(kind, {}).get(id)
        override = _TRUTH.get(str(row.get("override", "false")).lower())
        if override is None:
            at = document.span((*path, "override"))
            self.found.append(say.BAD_VALUE.finding("`override` is true or false", at, hint="override: true"))
            return
        if shipped_id is not None and not override:
            at = document.span((*path, "id"))
            message = f"{SINGULAR[kind]} {id} is already in the shipped catalog"
            self.found.append(say.OVERRIDE.finding(message, at, hint="add `override: true`, or choose another id"))
            return
        if shipped_id is None and override:
            near = self.base.near(kind, id)
            at = document.span((*path, "override"))
            hint = f"did you mean {', '.join(near)}?" if near else "leave `override` out for a new row"
            message = f"no shipped {SINGULAR[kind]} is called {id}, so nothing is overridden"
            self.found.append(say.NOTHING_TO_OVERRIDE.finding(message, at, hint=hint))
        sourced = self._sourced(document, kind, path, given)
        fact = self._validated(document, kind, path, self._merged(kind, shipped_id, sourced), given)
        if fact is not None and self._unique(document, kind, path, fact):
            self.own.setdefault(kind, {})[fact.id] = fact

    def _sourced(self, document: Document, kind: str, path: Path, given: dict[str, Any]) -> dict[str, Any]:
        if given.get("source") or _TRUTH.get(str(given.get("unverified", "")).lower()):
            return given
        message = f"{SINGULAR[kind]} {given['id']} has no `source`, so it counts as unverified"
        hint = "source: the data sheet, page or measurement it comes from"
        self.found.append(say.NO_SOURCE.finding(message, document.span((*path, "id")), hint=hint))
        return given | {"unverified": True}

    def _merged(self, kind: str, shipped_id: str | None, given: dict[str, Any]) -> dict[str, Any]:
        """The shipped row with the given fields in place of its own, and a source that says so."""
        if shipped_id is None:
            return given
        row = parse(self.base.facts.texts[kind][shipped_id])
        changed = sorted(set(given) - _ORIGIN)
        doubtful = {f for f in row.get("unverified_fields", ()) if f.split(".")[0] not in changed}
        doubtful |= {str(f) for f in given.get("unverified_fields", ())}
        if _TRUTH.get(str(given.get("unverified", "")).lower()):
            doubtful |= set(changed)
        source = f"{given.get('source') or 'unverified'} ({', '.join(changed)}); {row.get('source', '')}"
        kept = {k: v for k, v in given.items() if k not in ("unverified", "source", "unverified_fields")}
        return row | kept | {"id": shipped_id, "source": source, "unverified_fields": sorted(doubtful)}

    def _validated(self, document: Document, kind: str, path: Path, row: dict[str, Any], given: dict[str, Any]) -> Fact | None:
        try:
            return model(kind).model_validate(row)
        except ValidationError as error:
            for detail in error.errors(include_url=False):
                self.found.append(_finding(document, kind, path, detail, given))
            return None

    def _unique(self, document: Document, kind: str, path: Path, fact: Fact) -> bool:
        at = document.span((*path, "id"))
        clash = ""
        for name in (fact.id, *fact.aliases):
            first = self.places.setdefault((kind, name), (fact.id, at))
            if first[1] != at:
                clash = f"{name} already names a {SINGULAR[kind]} at {first[1].file}:{first[1].line}"
            shipped_id = self.base.facts.names.get(kind, {}).get(name)
            if shipped_id is not None and shipped_id != fact.id:
                clash = f"{name} already names the shipped {SINGULAR[kind]} {shipped_id}"
        if clash:
            self.found.append(say.TWICE.finding(clash, at, hint="choose another id or alias"))
        return not clash


def _finding(document: Document, kind: str, path: Path, detail: ErrorDetails, given: dict[str, Any]) -> Finding:
    """One pydantic error as a finding on the value, or on the key where the key is what is wrong."""
    loc = tuple(part for part in detail["loc"] if isinstance(part, str | int))
    # Entries with `names` stand for several HCAs: their places in the written list and in the model differ.
    entries = given.get("hcas")
    if loc[:1] == ("hcas",) and isinstance(entries, list) and any(isinstance(e, Mapping) and "names" in e for e in entries):
        loc_written: Path = ("hcas",)
    else:
        loc_written = loc
    field_name = ".".join(map(str, loc)) or SINGULAR[kind]
    if detail["type"] == "extra_forbidden":
        known = _keys(kind, loc)
        hint = _did_you_mean(str(loc[-1]), known) or f"known keys: {', '.join(known)}"
        at = document.span((*path, *loc_written), "key")
        return say.UNKNOWN_KEY.finding(f"a {SINGULAR[kind]} has no `{field_name}`", at, hint=hint)
    if detail["type"] == "missing":
        message, hint = f"{SINGULAR[kind]} {given['id']} lacks `{field_name}`", "every plan needs this value"
    else:
        message = f"{field_name}: {detail['msg'].removeprefix('Value error, ')}"
        hint = f"see the fields of a {SINGULAR[kind]} in the catalog's documentation"
    return say.BAD_VALUE.finding(message, document.span((*path, *loc_written)), hint=hint)


def _keys(kind: str, loc: Path) -> list[str]:
    """The keys that are legal where an unknown one stands."""
    from .platform import Cpu, Hca, Numa
    from .switch import Split

    inner: dict[str, type[Row]] = {"hcas": Hca, "splits": Split, "cpu": Numa if "numa" in loc else Cpu}
    row = inner.get(str(loc[0])) if len(loc) > 1 else None
    return sorted((row or model(kind)).model_fields)


def _did_you_mean(word: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return f"did you mean `{near[0]}`?" if near else ""


def _kinds() -> str:
    return ", ".join(OWN_KINDS)
