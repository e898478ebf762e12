"""The variables NCCL and its neighbours read: since when, whose they are, and what their default has been.

Takes the catalog, gives `NcclParameter`. Versions are NCCL releases, `2.27` or `2.27.5`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from .fact import Fact, Maybe, Row

if TYPE_CHECKING:
    from .catalog import Catalog

KIND = "nccl"


class Default(Row):
    """From `since` on the default is `value`; `auto` and `unset` are NCCL's own words for no fixed number."""

    since: str
    value: str


class NcclParameter(Fact):
    """One variable; its id is the full name.

    `owner` is the library that reads it. `standing` is false for those NCCL's guide keeps in its debugging chapter: they do
    not belong in a file that stays. `low` and `high` bound an integer; `words` are the legal words.
    """

    owner: Literal["core", "fastrak", "tcpx", "gib", "ofi", "ibext"] = "core"
    kind: Literal["int", "bool", "bytes", "enum", "text", "list"]
    low: Annotated[int | None, Maybe] = None
    high: Annotated[int | None, Maybe] = None
    words: tuple[str, ...] = ()
    since: str = "2.8"
    until: Annotated[str | None, Maybe] = None
    documented: bool = True
    standing: bool = True
    defaults: tuple[Default, ...] = Field(default=())

    def exists_in(self, version: str) -> bool:
        """Whether that release reads the variable. For another library's variable the release of NCCL says nothing: True."""
        if self.owner != "core":
            return True
        v = release(version)
        return release(self.since) <= v and not (self.until and v >= release(self.until))

    def default_at(self, version: str) -> str | None:
        """The default in that release; None where no document states one."""
        v = release(version)
        known = [d for d in self.defaults if release(d.since) <= v]
        return max(known, key=lambda d: release(d.since)).value if known else None


def parameter(catalog: Catalog, name: str) -> NcclParameter | None:
    """A variable by its full name."""
    row = catalog.row(KIND, name)
    return row if isinstance(row, NcclParameter) else None


def parameters(catalog: Catalog) -> tuple[NcclParameter, ...]:
    """All of them, sorted by name."""
    return tuple(row for row in catalog.rows(KIND) if isinstance(row, NcclParameter))


def release(version: str) -> tuple[int, ...]:
    """`2.27.5` -> (2, 27, 5); `2.27` means its first release. Raises ValueError for anything else."""
    parts = version.split(".")
    if not 2 <= len(parts) <= 3 or not all(p.isdigit() for p in parts):
        raise ValueError(f"expected an NCCL version such as 2.27.5, got {version}")
    return tuple(int(p) for p in parts)
