"""What a real fabric looks like: dumps read into arrays, and matched with the names of a spec.

`read_ibnetdiscover` turns a dump into an `Observed`; `bind` gives the spec's names the GUIDs that a dump shows.
"""

from __future__ import annotations

from .binding import bind
from .ibnetdiscover import as_text, read_ibnetdiscover
from .observed import ADAPTER, ROUTER, SWITCH, AdapterPorts, Links, Nodes, Observed
from .outcome import CHANGED, COMPLETED, NEW, SAME, Bound, Conflict, Extra, Outcome, Tally, Unbound, name_of
from .rows import bindings_text

__all__ = [
    "ADAPTER",
    "CHANGED",
    "COMPLETED",
    "NEW",
    "ROUTER",
    "SAME",
    "SWITCH",
    "AdapterPorts",
    "Bound",
    "Conflict",
    "Extra",
    "Links",
    "Nodes",
    "Observed",
    "Outcome",
    "Tally",
    "Unbound",
    "as_text",
    "bind",
    "bindings_text",
    "name_of",
    "read_ibnetdiscover",
]
