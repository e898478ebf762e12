"""GUID lists and the QoS policy of OpenSM, as OpenSM reads them.

Takes texts, gives findings at the exact line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ibgen.diagnostics import Finding, Label, Span

from .findings import GUID_LINE, QOS_POLICY

SECTIONS = ("port-groups", "qos-setup", "qos-levels", "qos-match-rules", "qos-ulps")
INNER = ("port-group", "vlarb-tables", "vlarb-scope", "sl2vl-tables", "sl2vl-scope", "qos-level", "qos-match-rule")


def lint_guids(text: str, file: str) -> tuple[Finding, ...]:
    """A root, compute-node or I/O-node list: one GUID a line, anything may follow behind a blank."""
    findings = []
    first: dict[int, Span] = {}
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.split("#", 1)[0]
        if not line.strip():
            continue
        word = line.split()[0]
        column = line.index(word) + 1
        place = Span(file, number, column, number, column + len(word))
        if not re.fullmatch(r"0[xX][0-9a-fA-F]{1,16}", word):
            hint = "one GUID a line, nothing glued to it" if "," in word else "write 0x and 16 digits"
            findings.append(GUID_LINE.finding(f"`{word[:40]}` is no GUID", place, hint=hint))
            continue
        value = int(word, 16)
        if value == 0:
            findings.append(GUID_LINE.finding("a GUID of zero means `not set`", place, hint="take the line out"))
        if value in first:
            label = Label(first[value], "first here")
            findings.append(GUID_LINE.finding(f"{word} stands twice", place, labels=[label], hint="take one line out"))
        first.setdefault(value, place)
    if not first and not findings:
        findings.append(GUID_LINE.finding("the list is empty: OpenSM goes on without it", Span(file, 1), hint="list the GUIDs"))
    return tuple(findings)


def lint_qos_policy(text: str, file: str) -> tuple[Finding, ...]:
    """Sections closed, the DEFAULT level there, rules naming levels that exist."""
    findings: list[Finding] = []
    open_sections: list[tuple[str, Span]] = []
    levels: dict[str, Span] = {}
    named: list[tuple[str, Span]] = []
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.split("#", 1)[0].strip()
        place = Span(file, number, len(raw) - len(raw.lstrip()) + 1, number, len(raw.rstrip()) + 1)
        if line in SECTIONS or line in INNER:
            open_sections.append((line, place))
        elif line.startswith("end-"):
            findings.extend(_close(line.removeprefix("end-"), place, open_sections))
        elif match := re.match(r"name\s*:\s*(\S+)", line):
            if open_sections and open_sections[-1][0] == "qos-level":
                levels[match[1]] = place
        elif match := re.match(r"qos-level-name\s*:\s*(\S+)", line):
            named.append((match[1], place))
    for section, place in open_sections:
        message = f"`{section}` is never closed: OpenSM ignores the whole policy"
        findings.append(QOS_POLICY.finding(message, place, hint=f"add `end-{section}`"))
    if "DEFAULT" not in levels:
        hint = "add a qos-level with `name: DEFAULT` and `sl: 0`"
        findings.append(QOS_POLICY.finding("no level is called DEFAULT; it is mandatory", Span(file, 1), hint=hint))
    for name, place in named:
        if name not in levels:
            known = ", ".join(sorted(levels)) or "none"
            findings.append(QOS_POLICY.finding(f"there is no level `{name}`", place, hint=f"levels here: {known}"))
    return tuple(findings)


def _close(section: str, place: Span, open_sections: list[tuple[str, Span]]) -> Iterator[Finding]:
    if open_sections and open_sections[-1][0] == section:
        open_sections.pop()
        return
    inside = open_sections[-1][0] if open_sections else ""
    hint = f"close `{inside}` first: `end-{inside}`" if inside else "take the line out"
    yield QOS_POLICY.finding(f"`end-{section}` closes nothing that is open", place, hint=hint)
