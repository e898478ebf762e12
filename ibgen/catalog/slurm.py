"""What each Slurm version knows: plugin names, TopologyParam words, features, limits.

Takes the catalog, gives `SlurmTable`. Versions are the two numbers of a release, `24.11`; a third is ignored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from .fact import Fact, Maybe

if TYPE_CHECKING:
    from .catalog import Catalog

KIND = "slurm"


class SlurmWord(Fact):
    """One word. `since` is the first version that lists it, `until` the first that no longer does.

    `accepted_until`: the first version that refuses it, where old names live on; absent: no known version does.
    `flat` marks the plugin name for "no topology" in its span of versions. `value` is a limit's number.
    """

    kind: Literal["topology-plugin", "switch-plugin", "topology-param", "feature", "limit"]
    word: str
    since: Annotated[str | None, Maybe] = None
    until: Annotated[str | None, Maybe] = None
    flat: bool = False
    value: Annotated[int | None, Maybe] = None

    def listed_in(self, version: str) -> bool:
        """Whether that release documents the word."""
        v = release(version)
        return not (self.since and v < release(self.since)) and not (self.until and v >= release(self.until))


@dataclass(frozen=True, slots=True)
class SlurmTable:
    """All words, in the catalog's order."""

    words: tuple[SlurmWord, ...]

    def plugins(self, version: str) -> tuple[str, ...]:
        """Topology plugins that release documents, without the `topology/` prefix."""
        return self._listed("topology-plugin", version)

    def topology_params(self, version: str) -> tuple[str, ...]:
        return self._listed("topology-param", version)

    def features(self, version: str) -> tuple[str, ...]:
        return self._listed("feature", version)

    def flat_plugin(self, version: str) -> str:
        """The plugin name for "no topology": none, default or flat. Releases before the first one known count as that one."""
        flat = sorted((w for w in self.words if w.flat), key=lambda w: release(w.since or "0"))
        known = [w for w in flat if w.listed_in(version)] or flat[:1]
        return known[0].word

    def introduced(self, word: str) -> str | None:
        """The first version with a word, for messages: `needs Slurm >= 25.05`."""
        return next((w.since for w in self.words if w.word == word), None)

    def limit(self, name: str) -> int:
        """A limit by name. Raises KeyError for a name that is not in the table: callers write names, users do not."""
        for w in self.words:
            if w.kind == "limit" and w.word == name and w.value is not None:
                return w.value
        raise KeyError(name)

    def _listed(self, kind: str, version: str) -> tuple[str, ...]:
        return tuple(w.word for w in self.words if w.kind == kind and w.listed_in(version))


def table(catalog: Catalog) -> SlurmTable:
    """The Slurm words of a catalog."""
    return SlurmTable(tuple(row for row in catalog.rows(KIND) if isinstance(row, SlurmWord)))


def release(version: str) -> tuple[int, int]:
    """`24.11.3` -> (24, 11). Raises ValueError for anything else."""
    parts = version.split(".")
    if len(parts) < 2 or not (parts[0].isdigit() and parts[1].isdigit()):
        raise ValueError(f"expected a Slurm version such as 24.11, got {version}")
    return int(parts[0]), int(parts[1])
