"""What a port is called on the box, beside the number the subnet manager uses: `1/2` for cage 1 port 2, `1/2/1` when split."""

from __future__ import annotations

from functools import lru_cache

from ibgen.catalog import SwitchModel

from .columns import Subnet


def port_label(subnet: Subnet, switch: int, port: int) -> str:
    """The label of InfiniBand port `port` on a switch row of `subnet`."""
    return port_labels(subnet, switch)[port]


def port_labels(subnet: Subnet, switch: int) -> dict[int, str]:
    """InfiniBand port number -> label, for every data port of a switch. Under a split only host ports have lanes."""
    s = subnet.switches
    ways = int(s.split[switch])
    plan = subnet.plan or subnet.layout
    down = plan.down if plan is not None and ways > 1 else 0
    return _labels(subnet.models[s.model[switch]], ways, down)


@lru_cache(maxsize=64)
def _labels(model: SwitchModel, ways: int, down: int) -> dict[int, str]:
    labels: dict[int, str] = {}
    split_ports = -(-down // ways)
    for port in range(1, model.radix + 1):
        if ways > 1 and port <= split_ports:
            labels |= {model.ib_port(port, lane, ways): model.port_label(port, lane) for lane in range(1, ways + 1)}
        else:
            labels[model.ib_port(port, 1 if ways > 1 else None, ways)] = model.port_label(port)
    return labels
