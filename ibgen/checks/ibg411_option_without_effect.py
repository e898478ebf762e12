from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec
from ibgen.targets import Targets

HOPS = frozenset({"minhop", "updn", "dnup", "dor", "ar_updn", "ar_dor"})
TREES = frozenset({"ftree", "ar_ftree"})
READ_BY = {
    "avoid_throttled_links": frozenset({"nue", "dfsssp", "sssp"}),
    "connect_roots": frozenset({"updn", "dnup", "ar_updn"}) | TREES,
    "cn_guid_file": TREES,
    "do_mesh_analysis": frozenset({"lash"}),
    "guid_routing_order_file": HOPS,
    "guid_routing_order_no_scatter": HOPS,
    "hop_weights_file": HOPS,
    "ids_guid_file": frozenset({"updn", "ar_updn"}),
    "io_guid_file": TREES,
    "lash_start_vl": frozenset({"lash"}),
    "lfts_file": frozenset({"file"}),
    "max_reverse_hops": TREES,
    "nue_include_switches": frozenset({"nue"}),
    "nue_max_num_vls": frozenset({"nue"}),
    "port_shifting": HOPS,
    "quasi_ftree_indexing": TREES,
    "torus_config": frozenset({"torus-2QoS"}),
}
"""Which engines read an option (opensm.8 and the comments of `opensm -c`, 3.3.23). scatter_ports is left out: it serves
minhop behind every engine."""


@rule("IBG411", "option-without-effect", Severity.WARNING)
def option_without_effect(spec: ClusterSpec, targets: Targets) -> Iterator[Finding]:
    """An option of a routing engine that the fabric does not use.

    OpenSM takes it without a word. What looks like a setting is none; and who reads the spec believes it.

    Bad:
        fabrics: [{name: compute, control: {options: {nue_max_num_vls: "2"}}}]
    Good:
        fabrics: [{name: compute, control: {options: {connect_roots: yes}}}]
    """
    for manager in targets.opensm:
        given = spec.fabrics[manager.fabric].control.options
        for name in sorted(given.keys() & READ_BY.keys()):
            if not READ_BY[name].intersection(manager.engines):
                yield option_without_effect.finding(
                    f"`{manager.engines[0]}` does not read `{name}`",
                    ("fabrics", manager.fabric, "control", "options", name),
                    on="key",
                    hint=f"take it out, or route with one of {', '.join(sorted(READ_BY[name]))}",
                )
