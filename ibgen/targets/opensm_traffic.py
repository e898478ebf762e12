"""Options of QoS, adaptive routing and congestion control, for the manager that has them.

Takes the fabric's sections and the plans made of them. Gives `Option`s. What a manager does not have is not written for it:
that it was asked for is a rule's to say.
"""

from __future__ import annotations

from collections.abc import Iterator

from ibgen.spec import Adaptive, Congestion, FabricSpec

from .opensm_lines import Option
from .opensm_qos import QosPlan
from .opensm_routing import LANED, LEVELLED
from .service_levels import LEVELS, levels, mask

QOS, ADAPTIVE, CONGESTION = "Quality of service", "Adaptive routing", "Congestion control"
DEFAULT_VLS = 5
EVERYTHING = frozenset(range(LEVELS))

_MARK, _RATE = 4, 16
"""Bits of the switches' control map: threshold and packet size, marking rate (the comment `opensm -c` writes)."""


def qos_options(plan: QosPlan | None, engines: tuple[str, ...], levels_used: frozenset[int], folder: str) -> Iterator[Option]:
    """`qos TRUE` exactly where something needs it: classes, an engine that routes by lanes, or a partition with a level.
    `levels_used`: the partitions' service levels other than 0."""
    laned = [e for e in engines if e in LANED]
    if plan is not None:
        yield Option(QOS, "qos", "TRUE", "the spec has traffic classes; without it none of their tables is programmed")
    elif laned:
        yield Option(
            QOS, "qos", "TRUE", f"{laned[0]} keeps free of deadlocks by {'service levels and ' * (laned[0] in LEVELLED)}lanes"
        )
    elif levels_used:
        yield Option(QOS, "qos", "TRUE", "a partition's service level is 0 on the wire unless QoS is on")
    if plan is None:
        return
    lanes = plan.lanes
    if folder != "/etc/opensm":
        why = "several managers are described: each has its own folder"
        yield Option(QOS, "qos_policy_file", f"{folder}/qos-policy.conf", why)
    if lanes.max_op_vls != DEFAULT_VLS and not laned:
        why = f"{lanes.lanes} lanes are used; a lane that nobody uses takes buffers from the others"
        yield Option(QOS, "max_op_vls", str(lanes.max_op_vls), why)
    yield Option(QOS, "qos_max_vls", str(lanes.lanes), "the lanes of the classes")
    if lanes.high_limit is not None:
        words = "no limit" if lanes.high_limit == 255 else f"{lanes.high_limit} x 4,096 bytes before the low table has a turn"
        yield Option(QOS, "qos_high_limit", str(lanes.high_limit), words)
    yield Option(QOS, "qos_vlarb_high", _weights(lanes.high), "lane:weight of the classes with high priority")
    yield Option(QOS, "qos_vlarb_low", _weights(lanes.low), "lane:weight of the others")
    yield Option(QOS, "qos_sl2vl", ",".join(map(str, lanes.sl2vl)), "the lane of each of the 16 service levels")
    if plan.manager_level:
        yield Option(QOS, "sm_sl", str(plan.manager_level), "the class for management traffic")


def _weights(pairs: tuple[tuple[int, int], ...]) -> str:
    return ",".join(f"{lane}:{weight}" for lane, weight in pairs) or "0:0"


def adaptive_options(adaptive: Adaptive | None, declared: FabricSpec) -> Iterator[Option]:
    """NVIDIA's manager only. Everything that is its default stays unsaid: adaptive routing is on with an ar_ engine."""
    if adaptive is None or declared.control.flavour != "nvidia":
        return
    covered = levels(declared, adaptive.uses)
    if covered != EVERYTHING:
        why = f"the service levels of {', '.join(adaptive.uses)}"
        yield Option(ADAPTIVE, "ar_sl_mask", mask(covered), why)
    if not adaptive.shield:
        yield Option(ADAPTIVE, "shield_mode", "0", "fast link fault recovery is not wanted")
    if adaptive.asymmetric_flow is not None:
        yield Option(ADAPTIVE, "ar_tree_asymmetric_flow", str(adaptive.asymmetric_flow), "how unequal uplinks are balanced")


def congestion_options(congestion: Congestion | None, declared: FabricSpec, folder: str) -> Iterator[Option]:
    """The manager's own dialect."""
    if congestion is None:
        return
    if declared.control.flavour == "nvidia":
        yield Option(CONGESTION, "mlnx_congestion_control", "2", "on (0: leave as it is, 1: off)")
        if congestion.algorithm:
            path = f"{folder}/congestion-policy.conf"
            yield Option(CONGESTION, "congestion_control_policy_file", path, "which algorithm the adapters run")
        if congestion.algorithms:
            yield Option(CONGESTION, "ppcc_algo_dir", congestion.algorithms, "where the algorithm's profile lies")
        return
    yield from _upstream(congestion, declared)


def _upstream(congestion: Congestion, declared: FabricSpec) -> Iterator[Option]:
    why = "EXPERIMENTAL in this OpenSM: try it on a few nodes first"
    yield Option(CONGESTION, "congestion_control", "TRUE", why)
    marks = _MARK * (congestion.threshold is not None or congestion.packet_size is not None)
    marks |= _RATE * (congestion.marking_rate is not None)
    if marks:
        yield Option(CONGESTION, "cc_sw_cong_setting_control_map", f"0x{marks:x}", "which of the switches' values count")
    sw, ca = "cc_sw_cong_setting", "cc_ca_cong_setting"
    if congestion.threshold is not None:
        yield Option(CONGESTION, f"{sw}_threshold", f"0x{congestion.threshold:02x}", "0 marks nothing, 15 soonest")
    if congestion.packet_size is not None:
        yield Option(
            CONGESTION, f"{sw}_packet_size", str(congestion.packet_size), "smaller packets are not marked (x 64 bytes)"
        )
    if congestion.marking_rate is not None:
        yield Option(CONGESTION, f"{sw}_marking_rate", str(congestion.marking_rate), "packets between two marks")
    slowed = levels(declared, congestion.uses)
    why = f"the service levels of {', '.join(congestion.uses)}" if congestion.uses else "all service levels"
    yield Option(CONGESTION, f"{ca}_control_map", mask(slowed), why)
    per_level = {
        "ccti_increase": (congestion.increase, "steps for each mark that comes back"),
        "ccti_timer": (congestion.timer, "x 1.024 us until a step is taken back"),
        "trigger_threshold": (congestion.trigger, "the step from which an event is logged"),
    }
    for name, (value, meaning) in per_level.items():
        for level in sorted(slowed) if value is not None else ():
            yield Option(CONGESTION, f"{ca}_{name}", f"{level} {value}", meaning)
    if congestion.table:
        yield Option(CONGESTION, "cc_cct", ",".join(congestion.table), "injection delays, shift:multiplier, by step")
