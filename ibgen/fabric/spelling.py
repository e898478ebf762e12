"""What somebody may have meant: a hint from the names that exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

KINDS = {"infiniband": "an InfiniBand", "roce": "a RoCE", "efa": "an EFA"}
"""Kinds of fabrics in a sentence."""

_MOST = 5_000
"""Names above this number are not compared: it would take longer than the hint is worth (about 1 us a name)."""


def meant(name: str, known: Iterable[str], otherwise: str) -> str:
    """``did you mean `x`?``, or `otherwise: a, b, c` where nothing is near."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=2, cutoff=0.7) if len(names) <= _MOST else []
    if near:
        return f"did you mean {' or '.join(f'`{n}`' for n in near)}?"
    shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    return f"{otherwise}: {shown}" if names else f"{otherwise}: none"
