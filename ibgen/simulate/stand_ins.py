"""Which tables stand in for an engine that is not computed here, and what that means for the figures.

Takes names of engines. Gives names, and sentences. Sources: opensm(8) and current-routing.txt of OpenSM 3.3.23 for its engines;
NVIDIA's release notes of MLNXSM for the adaptive ones, whose algorithms are not public.
"""

from __future__ import annotations

STAND_INS = {
    "ar_updn": ("dmodk", "updn"), "ar_ftree": ("dmodk", "ftree"), "ar_dor": ("minhop",), "dfp": ("minhop",),
    "dfp2": ("minhop",),
    "ftree": ("dmodk", "ftree"), "dmodk": ("dmodk",), "minhop": ("minhop",), "updn": ("updn",), "dfsssp": ("dfsssp",),
    "sssp": ("dfsssp",), "nue": ("dfsssp",), "lash": ("minhop",), "dnup": ("minhop",), "dor": ("minhop",),
    "torus-2QoS": ("minhop",), "file": ("minhop",),
}  # fmt: skip
"""What is computed for an engine, in the order it is tried; minhop, which routes anything, comes last for all."""

_DETOURS = (
    "goes straight to the other group or, where that is full, by way of a third one; {engine} tables are straight ways "
    "alone, dealt as {engine} deals them: what it does at least. The bounds say what at most"
)
_OWN = "balanced shortest ways of our own dfsssp: as long as those of {asked}, entry by entry others"

SENTENCES = {
    "dfp": f"dfp {_DETOURS}",
    "dfp2": f"dfp2 {_DETOURS}",
    "ar_dor": "ar_dor is made for meshes and adaptive: {engine} tables have ways as short, and other links are full",
    "dor": (
        "{engine} tables stand in for dor, whose ways are as long; but dor evens out only cables between the same two "
        "switches, so its fullest links carry more than is said here"
    ),
    "lash": (
        "{engine} tables stand in for lash, whose ways are as long; but lash takes one way for all between two switches and "
        "evens out lanes, not links, so its fullest links carry more than is said here"
    ),
    "torus-2QoS": (
        "torus-2QoS routes tori only and refuses all else, where OpenSM falls back to minhop; on a torus its own ways are "
        "others than those of {engine}"
    ),
    "dnup": "{engine} tables stand in for dnup, which forbids turns by ranks from the hosts: some of its ways are longer",
    "file": "the tables of `file` stand in a file that was not given: --tables reads them; until then {engine}",
    "dfsssp": "balanced shortest ways of our own: as long as OpenSM's, entry by entry others",
    "sssp": _OWN,
    "nue": f"{_OWN}; nue takes longer ways where its lanes want it",
}
"""By what the manager is told, where nothing refused the graph."""

LARGE = (
    "{engine} stands in for {asked}, which is not computed here for a fabric of this size: its links would be more evenly full"
)


def sentence(asked: str, engine: str, refused: str, adaptive: bool, even: bool = True) -> str:
    """How the tables of `engine` differ from what the manager does that was told `asked`; empty where they do not. `refused`:
    what another engine said to the graph; `even`: whether D-mod-k has ftree's loads on it."""
    if refused:
        return f"{refused}; {engine} stands in for {asked}"
    if asked in ("dfsssp", "sssp", "nue") and engine != "dfsssp":
        return LARGE.format(engine=engine, asked=asked)
    if engine == asked and asked != "dfsssp":
        return ""
    if engine == "dmodk" and asked == "ftree" and not even:
        return "leaves are not evenly full, where ftree deals other links; on a fabric of this size D-mod-k stands in for it"
    if engine == "dmodk" and asked == "ftree":
        return "on a regular tree ftree comes to D-mod-k (same loads, measured with OpenSM 3.3.23)"
    if asked in SENTENCES:
        return SENTENCES[asked].format(engine=engine, asked=asked)
    if adaptive:
        return f"{asked} is adaptive: {engine} tables are what it can do at least, the bounds say what at most"
    return f"{engine} stands in for {asked}, which is not computed here"
