"""Every code of this room: its Bad example raises it, its Good one does not, and both are specs that load."""

from __future__ import annotations

import re

import pytest

from ibgen import assets, source, spec
from ibgen.catalog import load
from ibgen.diagnostics import Code, Finding
from ibgen.fabric import findings, read_bindings, resolve

CODES = sorted((c for c in vars(findings).values() if isinstance(c, Code)), key=lambda c: c.id)
LAB = (assets.templates() / "explain" / "lab.yaml").read_text()


def findings_of(example: str) -> list[Finding]:
    """What reading and resolving an example finds; companions stand behind `# file: NAME`."""
    text, *rest = re.split(r"^# file: (.+)\n", example, flags=re.M)
    companions = dict(zip(rest[::2], rest[1::2], strict=True))
    whole = re.search(r"^ibgen: 1", text, flags=re.M)
    document, found = source.parse(text if whole else LAB, "lab.yaml", [] if whole else [("over.yaml", text)])
    cluster, more = spec.load(document)
    assert cluster is not None, (found, more)
    catalog, _ = load()
    result = [*found, *more]
    bindings = None
    if cluster.bindings is not None:
        bindings, more = read_bindings(companions[cluster.bindings], cluster.bindings)
        result += more
    return [*result, *resolve(cluster, catalog, bindings)[1]]


@pytest.mark.parametrize("code", CODES, ids=lambda c: c.id)
def test_bad_example_raises_the_code_and_good_one_is_clean(code: Code) -> None:
    assert code.page.bad
    assert code.page.good
    assert code.id in [f.code.id for f in findings_of(code.page.bad)]
    assert [f.message for f in findings_of(code.page.good)] == []


def test_ids_are_of_hosts_topology_and_guids() -> None:
    numbers = [int(c.id[3:]) for c in CODES]
    assert len(set(numbers)) == len(numbers)
    assert all(n // 100 in (1, 2, 3) for n in numbers)
