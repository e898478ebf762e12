"""What the subnet managers know: the options of opensm.conf by name, with type, range, default and the cost of a change.

Takes the catalog, gives `ManagerOption` rows. OpenSM itself says nothing, or one line on stdout, to an option it does not know
and to a value it cannot read, and exits 0: this table is what ibgen judges them by.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Literal

from .fact import Fact, Maybe

if TYPE_CHECKING:
    from .catalog import Catalog

KIND = "opensm"

Flavour = Literal["upstream", "nvidia"]
Kind = Literal["boolean", "uint8", "uint16", "uint32", "uint64", "int32", "text"]
_YES, _NO = ("true", "yes", "on"), ("false", "no", "off")


class ManagerOption(Fact):
    """One option of opensm.conf. `flavour`: the one manager that knows it; absent: both do.

    `low`, `high` narrow the type's own limits, `words` list every value there is, `restart` marks an option that SIGHUP does
    not reread, `repeats` one that may stand on several lines. No `type`: it is not known, and no value is refused.
    """

    flavour: Annotated[Flavour | None, Maybe] = None
    type: Annotated[Kind | None, Maybe] = None
    default: Annotated[str | None, Maybe] = None
    low: Annotated[int | None, Maybe] = None
    high: Annotated[int | None, Maybe] = None
    words: tuple[str, ...] = ()
    restart: bool = False
    repeats: bool = False

    def known_to(self, flavour: Flavour) -> bool:
        """Whether that manager knows the option."""
        return self.flavour in (None, flavour)

    def written(self, value: str) -> str:
        """A value as this option's file wants it: only the exact `TRUE` is true for OpenSM. Raises ValueError for a value
        that OpenSM would refuse, or would read as something else."""
        text = value.strip()
        if not text:
            raise ValueError("expected a value; `(null)` stands for none")
        if "#" in text:
            raise ValueError("expected a value without `#`, which begins a comment in opensm.conf")
        if self.type == "boolean":
            return _boolean(text)
        if self.words and text not in self.words:
            raise ValueError(f"expected one of {', '.join(self.words)}")
        if self.type in (None, "text"):
            return text
        number = _number(text)
        low, high = self._limits()
        if not low <= number <= high:
            raise ValueError(f"expected a number from {low} to {high}")
        return text

    def _limits(self) -> tuple[int, int]:
        sign, bits = re.fullmatch(r"(u?)int(\d+)", self.type or "uint64").groups()  # type: ignore[union-attr]
        low, high = (0, 2 ** int(bits) - 1) if sign else (-(2 ** (int(bits) - 1)), 2 ** (int(bits) - 1) - 1)
        return (low if self.low is None else self.low), (high if self.high is None else self.high)


FAMILIES = ("hm_", "nvl_", "router_policy_", "rtr_", "sa_etm_", "vs_key_", "n2n_key_", "cc_key_")
"""Beginnings of whole families of NVIDIA's options whose members are in no public list (release notes 5.10 to 5.24)."""


_ENGINES = frozenset(
    {"minhop", "updn", "dnup", "file", "ftree", "lash", "dor", "torus-2QoS", "nue", "dfsssp", "sssp", "no_fallback"}
)
"""Routing engines of 3.3.23 (opensm.8), and the word that forbids minhop behind them."""

_NVIDIAS = frozenset({"ar_updn", "ar_ftree", "ar_dor", "dfp", "dfp2", "auto", "pqft", "chain"})
"""Those that NVIDIA's manager has besides (MLNXSM release notes 5.10 to 5.24)."""


def engines(flavour: Flavour) -> frozenset[str]:
    """What may stand in `routing_engine`."""
    return _ENGINES | _NVIDIAS if flavour == "nvidia" else _ENGINES


def unknown_engines(value: str, flavour: Flavour) -> list[str]:
    """Words of a `routing_engine` line that the manager passes over."""
    return [engine for engine in (e.strip() for e in value.split(",")) if engine not in engines(flavour)]


def option(catalog: Catalog, name: str) -> ManagerOption | None:
    """An option by its name, or None where no manager has it."""
    row = catalog.row(KIND, name)
    return row if isinstance(row, ManagerOption) else None


def restart_options(catalog: Catalog, flavour: Flavour) -> tuple[str, ...]:
    """Names of the options that a running manager does not read again (osm_subnet.c's table, can_update 0), sorted."""
    texts = catalog.facts.texts.get(KIND, {})  # parsing every row costs half a second; most do not say `restart`
    rows = (option(catalog, name) for name in sorted(catalog.ids(KIND)) if "restart" in texts.get(name, "restart"))
    return tuple(row.id for row in rows if row is not None and row.restart and row.known_to(flavour))


def _boolean(text: str) -> str:
    if text.lower() in _YES:
        return "TRUE"
    if text.lower() in _NO:
        return "FALSE"
    raise ValueError("expected true or false")


def _number(text: str) -> int:
    # OpenSM reads with strtoul's base 0, where a leading zero means octal: nobody who writes 010 means eight.
    if not re.fullmatch(r"-?(?:0[xX][0-9a-fA-F]+|0|[1-9][0-9]*)", text):
        raise ValueError("expected a whole number, decimal or 0x")
    return int(text, 0)
