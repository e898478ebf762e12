"""Rail-only fabrics: every rail of a unit is a subnet of its own."""

from __future__ import annotations

import numpy as np

from ibgen.fabric import IslandPlan

from .clusters import adapters, built, cabling, fabric, found, pool

SHAPE = {"kind": "rail-only", "unit": 32, "leaf": {"switch": "qm9700"}}


def test_each_rail_of_each_unit_is_a_subnet_with_one_leaf() -> None:
    whole = built([pool("gpu", "dgx-[01-40]")], fabric(**SHAPE))
    assert [s.name for s in whole.subnets] == [f"compute-u{u:02d}-r{r}" for u in (1, 2) for r in range(8)]
    assert [s.plane for s in whole.subnets] == list(range(1, 17))
    assert [len(s.ports.host) for s in whole.subnets] == [32] * 8 + [8] * 8
    for subnet in whole.subnets:
        assert isinstance(subnet.layout, IslandPlan)
        assert subnet.switches.names == (f"leaf-u{subnet.layout.unit:02d}-r{subnet.layout.rail}",)
        assert set(subnet.ports.rail.tolist()) == {subnet.layout.rail}
        assert (subnet.cables.kind == 0).all()


def test_a_host_has_one_adapter_on_every_rail_at_the_port_of_its_slot() -> None:
    whole = built([pool("gpu", "dgx-[01-03,05]")], fabric(**SHAPE))
    plugged = {k: v for s in whole.subnets for k, v in cabling(whole, s).items()}
    assert len(plugged) == 4 * 8
    names = [h.name for h in whole.hosts.platforms[0].by_role("compute")]
    assert [plugged[f"dgx-05/{n}:1"] for n in names] == [f"leaf-u01-r{r}:5" for r in range(8)], "slot 4 stays empty"


def test_a_manager_reaches_every_rail_through_reserved_ports() -> None:
    ufm = pool("ufm", "ufm-1", platform=adapters(8, role="management"))
    attach = [{"pool": "gpu"}, {"pool": "ufm", "hcas": "all", "at": "reserved"}]
    whole = built([pool("gpu", "dgx-[01-31]"), ufm], fabric(attach=attach, reserve={"ufm": 8}, units=1, **SHAPE))
    for subnet in whole.subnets:
        row = np.flatnonzero(subnet.ports.host == whole.hosts.row["ufm-1"])
        assert subnet.ports.leaf_port[row].tolist() == [64], "the last port, which no slot of the unit takes"
        assert subnet.reserved.used.tolist() == [True]


def test_a_unit_larger_than_a_leaf_and_a_wrong_number_of_rails_are_found() -> None:
    hosts = [pool("gpu", "dgx-[01-31]")]
    assert [f.code.id for f in found(hosts, fabric(**SHAPE | {"unit": 65}))] == ["IBG248"]
    assert [f.code.id for f in found(hosts, fabric(rails=4, **SHAPE))] == ["IBG104"]
