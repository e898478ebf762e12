"""opensm.conf as OpenSM reads it: `key value` lines, `#` anywhere, last line wins, and silence about almost every mistake.

Takes the text, the flavour and the catalog's option table. Gives `Conf`, the options with their places, and what is wrong.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ibgen.catalog import Catalog
from ibgen.catalog.opensm import FAMILIES, KIND, Flavour, ManagerOption, engines, option, unknown_engines
from ibgen.diagnostics import Finding, Label, Span

from .findings import BOOLEAN, LONG_LINE, OPTION_TWICE, OPTION_VALUE, QOS_TABLE, UNKNOWN_OPTION

WHOSE = {"upstream": "linux-rdma's", "nvidia": "NVIDIA's"}

LONGEST = 1022
"""Characters of a line that OpenSM reads at once (osm_subnet.c, fgets into 1,024 bytes)."""


@dataclass(frozen=True)
class Conf:
    """The options that stand in the file: the value that counts (of the last line) and its place."""

    file: str
    values: Mapping[str, tuple[str, Span]] = field(default_factory=dict)

    def is_true(self, name: str) -> bool:
        """Whether a boolean is true for OpenSM: only the exact word."""
        return self.values.get(name, ("", None))[0] == "TRUE"

    def path(self, name: str) -> tuple[str, Span] | None:
        """A file the conf names, None where the option is absent or null."""
        value = self.values.get(name)
        return None if value is None or value[0] in ("", "(null)") else value


def read_conf(text: str, file: str, catalog: Catalog, flavour: Flavour) -> tuple[Conf, tuple[Finding, ...]]:
    """The options and everything OpenSM would swallow."""
    values: dict[str, tuple[str, Span]] = {}
    findings: list[Finding] = []
    for number, raw in enumerate(text.split("\n"), 1):
        if len(raw) > LONGEST:
            findings.append(
                LONG_LINE.finding(
                    f"{len(raw):,} characters; OpenSM reads {LONGEST:,} at once",
                    Span(file, number, LONGEST + 1),
                    hint="break it up",
                )
            )
        match = re.match(r"\s*(\S+)(?:\s+(.*?))?\s*$", raw.split("#", 1)[0])
        if match is None:
            continue
        name, value = match[1], match[2] or ""
        place = Span(file, number, match.start(1) + 1, number, match.end(1) + 1)
        there = Span(file, number, match.start(2) + 1, number, match.end(2) + 1) if match[2] else place
        row = option(catalog, name)
        findings.extend(_judge(name, value, row, place, there, catalog, flavour))
        if name in values and not (row is not None and row.repeats):
            findings.append(
                OPTION_TWICE.finding(
                    f"`{name}` stands twice; this line counts",
                    place,
                    labels=[Label(values[name][1], "this one does not")],
                    hint="take one of the lines out",
                )
            )
        values[name] = (value, there)
    return Conf(file, values), tuple(findings)


def _judge(
    name: str, value: str, row: ManagerOption | None, place: Span, there: Span, catalog: Catalog, flavour: Flavour
) -> Iterator[Finding]:
    if row is None or not row.known_to(flavour):
        if row is None and flavour == "nvidia" and name.startswith(FAMILIES):
            return  # members of these families are in no public list
        near = difflib.get_close_matches(name, catalog.ids(KIND), n=1)
        hint = f"did you mean `{near[0]}`?" if row is None and near else "take the line out"
        if row is not None and row.flavour is not None:
            hint = f"if {WHOSE[row.flavour]} OpenSM reads the folder: `--flavour {row.flavour}`; else take the line out"
        whose = f"{flavour} OpenSM has no option `{name}`"
        yield UNKNOWN_OPTION.finding(whose + (f"; {row.flavour}'s has" if row is not None else ""), place, hint=hint)
        return
    if name.endswith("sl2vl") or "vlarb_" in name:
        yield from _table(name, value, there)
        return
    if name == "routing_engine" and value not in ("(null)", ""):
        yield from _engines(value, there, flavour)
        return
    if row.type == "boolean" and value not in ("TRUE", "FALSE"):
        meant = "TRUE" if value.lower() in ("true", "yes", "on", "1") else "FALSE"
        yield BOOLEAN.finding(f"OpenSM reads `{name} {value}` as FALSE", there, hint=f"write `{name} {meant}`")
        return
    if value in ("(null)", "") or (row.type in (None, "text") and not row.words):
        return
    try:
        row.written(value)
    except ValueError as e:
        yield OPTION_VALUE.finding(f"`{name}` cannot be `{value[:40]}`: {e}", there, hint=f"the default is {row.default}")


def _engines(value: str, there: Span, flavour: Flavour) -> Iterator[Finding]:
    """OpenSM passes over an engine it does not have; where none is left, minhop routes."""
    for engine in unknown_engines(value, flavour):
        near = difflib.get_close_matches(engine, sorted(engines(flavour)), n=1)
        message = f"{flavour} OpenSM has no routing engine `{engine[:40]}`: the next one routes, or minhop"
        hint = f"did you mean `{near[0]}`?" if near else "name one it has"
        other: Flavour = "upstream" if flavour == "nvidia" else "nvidia"
        if engine in engines(other):
            hint = f"if {WHOSE[other]} OpenSM reads the folder: `--flavour {other}`; else name one it has"
        yield OPTION_VALUE.finding(message, there, hint=hint)


def _table(name: str, value: str, there: Span) -> Iterator[Finding]:
    """sl2vl: 16 numbers; vlarb: pairs."""
    if value in ("(null)", ""):
        return
    cells = [c.strip() for c in value.split(",")]
    if name.endswith("sl2vl"):
        if len(cells) != 16 or not all(c.isdecimal() and int(c) <= 15 for c in cells):
            yield QOS_TABLE.finding(f"`{name}` has {len(cells)} entries", there, hint="write 16 numbers from 0 to 15")
        return
    pairs = [re.fullmatch(r"(\d+):(\d+)", c) for c in cells]
    if len(cells) > 64 or not all(p is not None and int(p[1]) <= 14 and int(p[2]) <= 255 for p in pairs):
        yield QOS_TABLE.finding(
            f"`{name}` is no list of `vl:weight`", there, hint="write up to 64 pairs, vl 0 to 14, weight 0 to 255"
        )
