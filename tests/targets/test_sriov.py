"""Virtual functions: which there are, their GUIDs, and their places in partitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibgen import source, spec
from ibgen.catalog import standard
from ibgen.fabric import Fabric, resolve
from ibgen.spec import ClusterSpec
from ibgen.targets.partitions import FULL, LIMITED, partition_plans
from ibgen.targets.sriov import needs_virtualisation, numbers, virtual_functions

LAB = """
ibgen: 1
cluster: lab
pools:
  - {{name: hv, hosts: "{hosts}", platform: dgx-h100, sriov: {{vfs: {vfs}}}}}
fabrics:
  - name: compute
    control: {{kind: opensm, flavour: nvidia, version: "5.24"}}
    topology: {{kind: fat-tree, rails: host, unit: 2, leaf: {{switch: qm9700, downlinks: 32}}, spine: {{switch: qm9700}}}}
    attach: [{{pool: hv, hcas: compute}}]
    partitions:
      - {{name: default, pkey: 0x7fff, members: [{{pool: hv, membership: limited}}]}}
      - {{name: tenant-a, pkey: 0x0101, members: [{members}]}}
"""


def built(hosts: str = "hv-[1-4]", vfs: int = 4, members: str = "{pool: hv, membership: full}") -> tuple[ClusterSpec, Fabric]:
    document, _ = source.parse(LAB.format(hosts=hosts, vfs=vfs, members=members), "lab.yaml")
    cluster, found = spec.load(document)
    assert cluster is not None, found
    fabric, found = resolve(cluster, standard(), None)
    assert fabric is not None, found
    return cluster, fabric


def guids(cluster: ClusterSpec, fabric: Fabric) -> dict[tuple[str, int, int], tuple[int, int]]:
    """(host, adapter, number) -> node GUID, port GUID."""
    found = {}
    for subnet in fabric.subnets:
        v = virtual_functions(cluster, fabric, subnet)
        for port, number, node, own in zip(
            v.port.tolist(), v.number.tolist(), v.node_guid.tolist(), v.port_guid.tolist(), strict=True
        ):
            name = fabric.hosts.names[int(subnet.ports.host[port])]
            found[name, int(subnet.ports.hca[port]), number] = (node, own)
    return found


@settings(max_examples=15, deadline=None)
@given(count=st.integers(1, 40), vfs=st.integers(1, 127))
def test_guids_are_there_for_every_function_and_never_zero_or_twice_opensm_5(count: int, vfs: int) -> None:
    """sriov-network-operator 307: a VF with GUID zero, or one that another has, stays down."""
    cluster, fabric = built(f"hv-[1-{count}]", vfs)
    found = guids(cluster, fabric)
    assert len(found) == count * 8 * vfs
    every = [guid for pair in found.values() for guid in pair]
    subnet = fabric.subnets[0]
    every += [*np.unique(subnet.ports.node_guid).tolist(), *subnet.ports.port_guid.tolist(), *subnet.switches.guid.tolist()]
    assert len(set(every)) == len(every)
    assert 0 not in every
    assert all(guid >> 56 == 0x02 for guid in every), "locally administered: no vendor's"


def test_guids_follow_from_names_not_from_the_rest_of_the_spec() -> None:
    few = guids(*built("hv-[2-3]", 4))
    many = guids(*built("hv-[1-9]", 8))
    assert few.items() <= many.items()


@pytest.mark.parametrize(
    ("text", "found"), [("0-3", (0, 1, 2, 3)), ("5", (5,)), ("0-1,4, 6-7", (0, 1, 4, 6, 7)), ("3,3,1", (1, 3))]
)
def test_ranges_are_read(text: str, found: tuple[int, ...]) -> None:
    assert numbers(text) == found


@pytest.mark.parametrize("text", ["", "a", "3-1", "-1", "1-", "0x1", "1,,2", "²", "0-9999"])
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="`"):
        numbers(text)


@pytest.mark.parametrize("vfs", ["0-4", "3-1", "all", "7"])
def test_functions_that_are_not_there_are_found(vfs: str) -> None:
    cluster, fabric = built(vfs=4, members=f'{{pool: hv, vfs: "{vfs}", membership: full}}')
    assert [f.code.id for f in partition_plans(cluster, fabric)[1]] == ["IBG365"]


def test_a_member_with_vfs_is_those_functions_and_not_the_adapters() -> None:
    members = '{pool: hv, hosts: "hv-[1-2]", vfs: "1-2", membership: full}'
    cluster, fabric = built(members=members)
    plans, found = partition_plans(cluster, fabric)
    assert not found
    tenant = plans[0].partitions[1]
    assert not len(tenant.rows)
    wanted = {
        own for (host, _, number), (_, own) in guids(cluster, fabric).items() if host in ("hv-1", "hv-2") and number in (1, 2)
    }
    assert dict(tenant.others) == dict.fromkeys(wanted, FULL)
    assert tenant.functions == len(wanted) == 2 * 8 * 2


def test_full_wins_where_members_overlap() -> None:
    members = '{pool: hv, vfs: "0-3", membership: full}, {pool: hv, vfs: "0-1", membership: limited}'
    cluster, fabric = built(members=members)
    assert set(dict(partition_plans(cluster, fabric)[0][0].partitions[1].others).values()) == {FULL}
    assert LIMITED != FULL


def test_a_manager_serves_functions_only_where_there_are_some() -> None:
    cluster, fabric = built()
    assert needs_virtualisation(cluster, fabric, fabric.subnets[0])
    document, _ = source.parse(
        LAB.format(hosts="hv-[1-4]", vfs=1, members="{pool: hv, membership: full}").replace(", sriov: {vfs: 1}", ""), "lab.yaml"
    )
    without, _ = spec.load(document)
    assert without is not None
    assert not needs_virtualisation(without, fabric, fabric.subnets[0])
