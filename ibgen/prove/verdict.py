"""What a proof says: one `Verdict` per program, made of the `Check`s that were judged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Status = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was judged. `file` is relative to the tree, `line` counts from 1 (0: the file as a whole).

    A check with `skipped` could not be judged: `passed` is then false and `detail` says why. One with `note` judges nothing, it
    says what of the tree the program at hand was not asked about: `passed` is then true, and it counts for nothing.
    """

    name: str
    passed: bool
    detail: str
    file: str = ""
    line: int = 0
    skipped: bool = False
    note: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one program thinks of the tree. `remedy` says how to get a skipped proof done; `version` is "" when it is absent."""

    program: str
    version: str
    status: Status
    reason: str
    remedy: str
    checks: tuple[Check, ...] = ()


def skipped(program: str, reason: str, remedy: str) -> Verdict:
    """The program could not be asked at all."""
    return Verdict(program, "", "skipped", reason, remedy)


def judged(program: str, version: str, checks: Iterable[Check], remedy: str = "") -> Verdict:
    """The verdict that follows from the checks: one failure fails it; a check that could not be judged leaves it skipped."""
    every = tuple(checks)
    failed = [c for c in every if not c.passed and not c.skipped]
    left_out = [c for c in every if c.skipped]
    if failed:
        return Verdict(program, version, "failed", _reason(failed), "", every)
    if left_out:
        return Verdict(program, version, "skipped", _reason(left_out), remedy, every)
    return Verdict(program, version, "passed", f"{sum(not c.note for c in every)} checks", "", every)


def _reason(checks: list[Check]) -> str:
    first = f"{checks[0].name}: {checks[0].detail}"
    return first if len(checks) == 1 else f"{first} (and {len(checks) - 1} more)"
