"""What nodes call themselves, read against the names of a spec.

Takes node descriptions as printed. Gives for each what it says: a switch of the spec, an adapter, a host whose adapter is
written in another scheme, nothing (the factory's text), or a name that the spec does not have.

Names are compared without outer blanks and, where no name fits letter by letter, without regard to capitals.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ibgen.fabric import Fabric

UNNAMED, UNKNOWN, HOST, LIKELY, CERTAIN = 0, 1, 2, 3, 4
"""How much a description says: nothing; a foreign name; a host; an adapter by its number; a node of the spec, exactly."""

_FACTORY = re.compile(
    r"Mellanox Technologies|^MT\d+\b|ConnectX|Connect-IB|^(?:Quantum|Infiniscale|SwitchX|Switch-?IB)\b|^BlueField\b", re.I
)
_NO_HOST = frozenset(("localhost", "ubuntu", "debian", "(none)", "none", "unknown", "node", "host", "linux"))
"""What hosts are called before anybody has named them (seen in dumps: needs.md 4)."""
_SYSTEM = re.compile(r"MF0;([^:;]+):[^/]*/U1$")  # how a managed switch of NVIDIA's names its one ASIC
_NUMBERED = re.compile(r"HCA-(\d{1,3})", re.I)  # the older scheme: the n-th adapter of the host, from 1


@dataclass(frozen=True, slots=True)
class Said:
    """`host` and `hca` are rows of the spec, `hca` the index in its platform; -1 where not said. For switches `subnet`
    and `switch` are rows. `other_case`: the name fits but for capitals."""

    grade: int
    host: int = -1
    hca: int = -1
    subnet: int = -1
    switch: int = -1
    other_case: bool = False


class Names:
    """The names of a spec, ready to be looked up."""

    def __init__(self, fabric: Fabric) -> None:
        hosts, subnets = fabric.hosts, fabric.subnets
        self._pool = hosts.pool.tolist()
        self._hca = [{h.name: i for i, h in enumerate(p.hcas)} for p in hosts.platforms]
        self._hca_any = [_by_lower(names) for names in self._hca]
        self._host = hosts.row
        self._host_any = _by_lower(hosts.row)
        self._switch = {n: (s, i) for s, subnet in enumerate(subnets) for i, n in enumerate(subnet.switches.names)}
        self._switch_any = {lower: self._switch[name] for lower, name in _alike(self._switch).items()}

    def of_switch(self, description: str) -> Said:
        """A switch by its whole description, by the system's name in it, or by the name before the first dot."""
        text = " ".join(description.split())
        if match := _SYSTEM.match(text):
            text = match[1]
        if not text or _FACTORY.search(text):
            return Said(UNNAMED)
        for name in dict.fromkeys((text, text.partition(".")[0])):
            for table, key in ((self._switch, name), (self._switch_any, name.lower())):
                if key in table:
                    subnet, row = table[key]
                    return Said(CERTAIN, subnet=subnet, switch=row, other_case=table is self._switch_any)
        return Said(UNKNOWN)

    def of_adapter(self, description: str) -> Said:
        """`host hca`, as rdma-ndd writes it; `host HCA-2`; `host` with an adapter in some other scheme, or without one."""
        if _FACTORY.search(description) and not self._known(description):
            return Said(UNNAMED)
        word, _, rest = " ".join(description.split()).partition(" ")
        host, other_case = self._find_host(word)
        if host < 0:
            return Said(UNNAMED if not word or word.partition(".")[0].lower() in _NO_HOST else UNKNOWN)
        pool = self._pool[host]
        if rest in self._hca[pool]:
            return Said(CERTAIN, host, self._hca[pool][rest], other_case=other_case)
        if rest.lower() in self._hca_any[pool]:
            return Said(CERTAIN, host, self._hca_any[pool][rest.lower()], other_case=True)
        number = _NUMBERED.fullmatch(rest)
        if number and 1 <= int(number[1]) <= len(self._hca[pool]):
            return Said(LIKELY, host, int(number[1]) - 1, other_case=other_case)
        return Said(HOST, host, other_case=other_case)

    def _known(self, description: str) -> bool:
        words = description.split()
        return bool(words) and self._find_host(words[0])[0] >= 0

    def _find_host(self, word: str) -> tuple[int, bool]:
        for name in dict.fromkeys((word, word.partition(".")[0])):
            if name in self._host:
                return self._host[name], False
            if name.lower() in self._host_any:
                return self._host_any[name.lower()], True
        return -1, False


def _by_lower(rows: Mapping[str, int]) -> dict[str, int]:
    return {lower: rows[name] for lower, name in _alike(rows).items()}


def _alike(names: Iterable[str]) -> dict[str, str]:
    """Small letters -> the name, where only one name is spelled so."""
    found: dict[str, str] = {}
    twice: set[str] = set()
    for name in names:
        if found.setdefault(name.lower(), name) != name:
            twice.add(name.lower())
    return {lower: name for lower, name in found.items() if lower not in twice}
