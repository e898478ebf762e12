"""What the subnet manager is told: engines, options, GUID lists, partitions, and what is expected of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ibgen import compiler
from ibgen.catalog import standard
from ibgen.catalog.opensm import option
from ibgen.hostlist import expand
from ibgen.targets import Targets
from ibgen.targets.opensm import Manager, expect

SPEC = """\
ibgen: 1
cluster: lab
pools:
  - name: gpu
    hosts: {hosts}
    platform: {{kind: generic, hcas: [{{name: mlx5_0, rate: {rate}}}, {{name: mlx5_1, rate: {rate}}}]}}
    exceptions: {exceptions}
  - name: stor
    hosts: stor-01
    platform: {{kind: generic, hcas: [{{name: mlx5_0, rate: {rate}, role: storage}}]}}
  - name: service
    hosts: sm-[01-02]
    platform: {{kind: generic, hcas: [{{name: mlx5_0, rate: 100G, role: management}}]}}
fabrics:
  - name: ib
    control: {{kind: {kind}, flavour: {flavour}, hosts: {managers}, options: {options}, routing: {routing}}}
    topology: {topology}
    attach:
      - {{pool: gpu, hcas: all}}
      - {{pool: stor, hcas: all, at: reserved}}
      - {{pool: service, hcas: all, at: reserved}}
    partitions: {partitions}
"""
TREE = "{kind: fat-tree, rails: host, unit: 6, units: 2, leaf: {switch: qm8700}, spine: {switch: qm8700}, reserve: {sm: 3}}"
ONE_SWITCH = (
    "{kind: fat-tree, rails: host, unit: 8, units: 1, tiers: 1, leaf: {switch: qm8700, downlinks: 40}, reserve: {sm: 3}}"
)
THREE_TIERS = TREE.replace("kind: fat-tree", "kind: fat-tree, tiers: 3")
WRITTEN = """
      kind: explicit
      switches: [{names: "leaf-[1-2]", switch: qm8700, role: leaf}, {names: spine-1, switch: qm8700, role: spine}]
      cables: ["leaf-1:40 spine-1:1", "leaf-2:40 spine-1:2", "leaf-1:1 node-01/mlx5_0:1", "leaf-2:1 sm-01/mlx5_0:1"]"""


def compiled(**fields: str) -> tuple[compiler.Compilation, list[tuple[str, str]]]:
    values = {
        "hosts": "node-[01-08]",
        "rate": "200G",
        "exceptions": "[]",
        "kind": "opensm",
        "flavour": "upstream",
        "managers": "[sm-01]",
        "options": "{}",
        "routing": "[]",
        "topology": TREE,
        "partitions": "[]",
    }
    c, report = compiler.compile(compiler.Input(Path("lab.yaml"), text=SPEC.format(**(values | fields))))
    return c, [(d.code.id, d.message) for d in report.diagnostics]


def decided(**fields: str) -> Targets:
    c, said = compiled(**fields)
    assert c.targets is not None, said
    return c.targets


def manager(**fields: str) -> Manager:
    (only,) = decided(**fields).opensm
    return only


def lines(m: Manager) -> dict[str, str]:
    return {o.name: o.value for o in m.options}


@pytest.mark.parametrize(
    ("fields", "engines"),
    [
        ({"topology": ONE_SWITCH}, ("minhop",)),
        ({}, ("ftree", "updn")),
        ({"topology": THREE_TIERS}, ("ftree", "updn")),
        ({"flavour": "nvidia"}, ("ar_updn",)),
        ({"topology": WRITTEN}, ("updn",)),
        ({"routing": "[dfsssp]"}, ("dfsssp",)),
        ({"options": '{routing_engine: "nue,updn"}'}, ("nue", "updn")),
    ],
)
def test_engine_suits_shape_and_manager(fields: dict[str, str], engines: tuple[str, ...]) -> None:
    assert manager(**fields).engines == engines


@pytest.mark.parametrize("kind", ["ufm", "provider"])
def test_where_somebody_else_runs_the_fabric_nothing_is_written(kind: str) -> None:
    assert decided(kind=kind).opensm == ()


def test_half_a_root_list_halves_the_bandwidth_so_every_top_switch_is_listed() -> None:
    c, _ = compiled()
    assert c.fabric is not None
    assert c.targets is not None
    switches = c.fabric.subnets[0].switches
    roots = [switches.names[r] for r in c.targets.opensm[0].roots.tolist()]
    assert roots == [n for n in switches.names if n.startswith("spine")]


def test_storage_and_managers_do_not_shape_the_tree() -> None:
    c, _ = compiled()
    assert c.fabric is not None
    assert c.targets is not None
    ports, hosts = c.fabric.subnets[0].ports, c.fabric.hosts
    listed = {hosts.names[ports.host[r]] for r in c.targets.opensm[0].compute.tolist()}
    assert listed == set(expand("node-[01-08]"))


def test_first_of_control_hosts_is_the_master() -> None:
    m = manager(managers="[sm-02, sm-01]")
    assert [(h.host, h.hca, h.priority) for h in m.hosts] == [("sm-02", "mlx5_0", 2), ("sm-01", "mlx5_0", 1)]
    assert lines(m)["guid"] == f"0x{m.hosts[0].guid:016x}"
    assert lines(m)["sm_priority"] == "2"


def test_one_manager_needs_no_priority() -> None:
    assert "sm_priority" not in lines(manager())


def test_only_options_that_differ_from_the_default_are_written() -> None:
    """Defaults as `opensm -c` of 3.3.23 prints them."""
    catalog = standard()
    for o in manager(managers="[sm-01, sm-02]").options:
        known = option(catalog, o.name)
        assert known is not None
        assert known.default != o.value
        assert o.reason


@pytest.mark.parametrize(("written", "value"), [("true", "TRUE"), ("yes", "TRUE"), ("no", "FALSE"), ("False", "FALSE")])
def test_opensm_knows_no_true_but_TRUE(written: str, value: str) -> None:
    assert lines(manager(options=f"{{use_ucast_cache: {written}}}"))["use_ucast_cache"] == value


@pytest.mark.parametrize(
    ("options", "flavour", "code", "words"),
    [
        ('{sweep_intervall: "30"}', "upstream", "IBG351", "no option"),
        ('{lmc: "9"}', "upstream", "IBG351", "0 to 7"),
        ('{sm_priority: "16"}', "upstream", "IBG351", "0 to 15"),
        ('{max_reverse_hops: "65536"}', "upstream", "IBG351", "65535"),
        ('{sweep_interval: "ten"}', "upstream", "IBG351", "whole number"),
        ('{sweep_interval: "010"}', "upstream", "IBG351", "whole number"),
        ("{qos: maybe}", "upstream", "IBG351", "true or false"),
        ("{part_enforce: always}", "upstream", "IBG351", "both, in, out, off"),
        ('{ar_mode: "1"}', "upstream", "IBG351", "only NVIDIA"),
        ('{m_key: "0x1"}', "nvidia", "IBG352", "secret"),
    ],
)
def test_option_that_opensm_would_swallow_is_a_finding(options: str, flavour: str, code: str, words: str) -> None:
    c, said = compiled(options=options, flavour=flavour)
    assert any(id == code and words in message for id, message in said), said
    assert c.targets is not None
    assert not {o.name for o in c.targets.opensm[0].options if o.group == "From control.options"}


def test_the_user_wins_over_what_was_derived() -> None:
    m = manager(options='{guid: "0x0002c90300a1b2c3"}')
    assert [o.value for o in m.options if o.name == "guid"] == ["0x0002c90300a1b2c3"]


def test_option_of_a_newer_nvidia_manager_is_a_doubt_and_is_written() -> None:
    c, _ = compiled(options='{brand_new_option: "7"}', flavour="nvidia")
    assert c.targets is not None
    assert lines(c.targets.opensm[0])["brand_new_option"] == "7"


def test_adapter_slower_than_the_rest_cannot_join_ipoib() -> None:
    """The broadcast rate of the default partition is the slowest port's: the service hosts have 100 Gb/s."""
    (default,) = manager().partitions
    assert default.group is not None
    assert (default.group.rate_gbps, default.group.rate) == (100, 16)


def test_xdr_rate_is_not_written_for_a_manager_that_refuses_its_number() -> None:
    """3.3.23 answers rate=23 (800 Gb/s) with `not realizable` and makes no group; 22 it takes (measured)."""
    spec = "[{name: fast, pkey: 0x0101, ipoib: {mtu: 4096}, members: [{pool: gpu, membership: full}]}]"
    topology = TREE.replace("qm8700", "q3400")
    for flavour, number in (("upstream", 22), ("nvidia", 23)):
        c, said = compiled(rate="800G", partitions=spec, flavour=flavour, topology=topology)
        assert c.targets is not None, said
        group = next(p.group for p in c.targets.opensm[0].partitions if p.name == "fast")
        assert group is not None
        assert group.rate == number


def test_planned_host_without_guids_stands_in_no_file() -> None:
    c, _ = compiled(exceptions="[{hosts: node-08, state: planned}]")
    assert c.fabric is not None
    assert c.targets is not None
    (m,) = c.targets.opensm
    ports, hosts = c.fabric.subnets[0].ports, c.fabric.hosts
    assert {hosts.names[h] for h in ports.host[~m.listed]} == {"node-08"}
    assert "node-08" not in m.unbound_hosts
    assert "node-08" not in {h for t in expectation(c)["tables"] for h in expand(t["hosts"])}


def expectation(c: compiler.Compilation) -> dict[str, Any]:
    assert c.fabric is not None
    assert c.targets is not None
    return expect(c.targets.opensm[0], c.fabric, c.targets.partitions[0])


def tables(section: dict[str, Any]) -> dict[tuple[str, str], set[int]]:
    return {
        (host, hca): {int(k, 16) for k in entry["pkeys"]}
        for entry in section["tables"]
        for host in expand(entry["hosts"])
        for hca in entry["hcas"]
    }


def test_tables_of_a_large_cluster_are_a_few_lines() -> None:
    c, _ = compiled(hosts="node-[001-384]", topology=TREE.replace("unit: 6, units: 2", "unit: 16, units: 24"))
    section = expectation(c)
    assert section["endpoints"] == 2 * 384 + 3
    assert len(section["tables"]) == 3


def test_default_left_to_itself_has_everybody_as_full_member() -> None:
    assert set(map(frozenset, tables(expectation(compiled()[0])).values())) == {frozenset({0xFFFF})}


HOSTS = expand("node-[01-08]")
MEMBER = st.tuples(st.sets(st.sampled_from(HOSTS), min_size=1), st.sampled_from(["mlx5_0", "mlx5_1", "all"]), st.booleans())


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.integers(1, 0x7FFE), st.lists(MEMBER, min_size=1, max_size=3), max_size=4), st.booleans())
def test_expected_tables_are_what_the_partitions_say(
    partitions: dict[int, list[tuple[set[str], str, bool]]], isolated: bool
) -> None:
    """Each endpoint: its own partitions, full where any of its lines says so, and always the default one."""
    wanted = {(h, f"{a}:1"): {0x7FFF if isolated else 0xFFFF} for h in HOSTS for a in ("mlx5_0", "mlx5_1")}
    rows = []
    for pkey, members in partitions.items():
        written = []
        best: dict[tuple[str, str], bool] = {}
        for hosts, hca, full in members:
            word = "full" if full else "limited"
            adapters = hca if hca == "all" else f"[{hca}]"
            names = ",".join(sorted(hosts))
            written.append(f'{{pool: gpu, hosts: "{names}", hcas: {adapters}, membership: {word}}}')
            for host in hosts:
                for adapter in ("mlx5_0", "mlx5_1") if hca == "all" else (hca,):
                    key = (host, f"{adapter}:1")
                    best[key] = best.get(key, False) or full
        for key, full in best.items():
            wanted[key] = wanted[key] | {pkey | 0x8000 if full else pkey}
        rows.append(f"{{name: p{pkey}, pkey: 0x{pkey:04x}, members: [{', '.join(written)}]}}")
    if isolated:
        rows.append(
            "{name: default, pkey: 0x7fff, members: [{pool: gpu, membership: limited}, {pool: stor, membership: full}]}"
        )
    c, said = compiled(partitions=f"[{', '.join(rows)}]")
    assert c.targets is not None, said
    found = tables(expectation(c))
    assert {k: v for k, v in found.items() if k[0].startswith("node")} == wanted
    assert found["stor-01", "mlx5_0:1"] == {0xFFFF}
    assert found["sm-01", "mlx5_0:1"] == {0xFFFF}, "the manager's own port is always a full member"
