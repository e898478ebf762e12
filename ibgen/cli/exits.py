"""Exit codes, and the exception that ends a verb because of how it was called or where it runs."""

from __future__ import annotations

CLEAN = 0
FINDINGS = 1
"""Findings at or above the threshold, a stale tree, a failed proof."""
USAGE = 2
"""Wrong arguments, or an environment in which the verb cannot do its work."""
BUG = 3
INTERRUPTED = 130


class Refused(Exception):
    """The verb cannot be carried out as asked; `hint` says what would help."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
