"""Specs that look right and are not: each of these checked clean once, and the real OpenSM made something else of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibgen import compiler

SPEC = """\
ibgen: 1
cluster: lab
pools:
  - name: gpu
    hosts: node-[01-08]
    platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G}, {name: mlx5_1, rate: 200G}]}
    exceptions: EXCEPTIONS
  - name: stor
    hosts: stor-[1-2]
    schedulable: no
    platform: {kind: generic, hcas: [{name: mlx5_0, rate: 100G, role: storage}]}
  - name: service
    hosts: sm-[01-02]
    schedulable: no
    exceptions: MISSING
    platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G, role: management}]}
fabrics:
  - name: ib
    control: {kind: opensm, hosts: [sm-01, sm-02], routing: [ftree], subnet_prefix: 0xfec0000000000001, options: {OPTIONS}}
    topology: {kind: fat-tree, rails: host, unit: 5, units: 2, leaf: {switch: qm8700},
               spine: {switch: qm8700, count: 2}, reserve: {sm: 4}}
    attach:
      - {pool: gpu, hcas: all}
      - {pool: stor, hcas: all, at: reserved}
      - {pool: service, hcas: all, at: reserved}
    partitions: [PARTITIONS]
"""
SERVICES = "{pool: stor, membership: full}, {pool: service, membership: full}"
DEFAULT = f"{{name: default, pkey: 0x7fff, members: [{{pool: gpu, membership: limited}}, {SERVICES}]}}"
A = '{name: tenant-a, pkey: 0x0101, members: [{pool: gpu, hosts: "node-[01-04]", membership: full}]}'
B = '{name: tenant-b, pkey: 0x0102, members: [{pool: gpu, hosts: "node-[05-08]", membership: full}]}'
TENANTS = f"{DEFAULT}, {A}, {B}"


def found(partitions: str = TENANTS, options: str = "", exceptions: str = "[]", missing: str = "[]") -> dict[str, str]:
    """Code -> severity and message of the findings about partitions and managers."""
    text = SPEC.replace("PARTITIONS", partitions).replace("OPTIONS", options)
    text = text.replace("EXCEPTIONS", exceptions).replace("MISSING", missing)
    _, report = compiler.compile(compiler.Input(Path("lab.yaml"), text=text))
    about = ("IBG3", "IBG4", "IBG61", "IBG0")
    return {
        d.code.id: f"{d.severity.value}: {d.message}"
        for d in report.diagnostics
        if d.code.id.startswith(about) and d.code.name != "synthetic-guids"
    }


def test_tenants_kept_apart_have_nothing_said_of_them() -> None:
    assert found() == {}


def test_compute_full_and_the_rest_limited_is_no_isolation() -> None:
    """Everybody full was found; all tenants full beside limited services was not."""
    default = DEFAULT.replace("limited", "FULL").replace("full", "limited").replace("FULL", "full")
    assert "IBG317" in found(f"{default}, {A}, {B}")


def test_forgotten_storage_is_limited_in_the_default_partition() -> None:
    assert "stor-[1-2]" in found(f"{DEFAULT.replace('{pool: stor, membership: full}, ', '')}, {A}, {B}")["IBG371"]


def test_a_host_of_another_pool_drops_out_of_a_member() -> None:
    assert "stor-1 of `gpu`" in found(f"{DEFAULT}, {A.replace('node-[01-04]', 'node-[01-04],stor-1')}, {B}")["IBG341"]


def test_the_default_partition_takes_a_place_in_every_table() -> None:
    """128 tenants and the default one, which the spec leaves out or gives other members, are 129 entries."""
    many = [f"{{name: t{n}, pkey: {n}, members: [{{pool: gpu, membership: full}}]}}" for n in range(1, 129)]
    assert "129 P_Keys" in found(", ".join(many))["IBG318"]
    services = f"{{name: default, pkey: 0x7fff, members: [{SERVICES}]}}"
    assert "129 P_Keys" in found(", ".join([services, *many]))["IBG318"]
    assert "IBG318" not in found(", ".join(many[1:]))


def test_every_port_is_in_the_default_group_named_or_not() -> None:
    default = "{name: default, pkey: 0x7fff, ipoib: {mtu: 4096, rate: 200G}, members: [{pool: gpu, membership: full}]}"
    assert "its slowest member has 100" in found(default)["IBG320"]


def test_default_and_a_tenant_cannot_both_be_at_index_0() -> None:
    first = A.replace("members:", "indx0: yes, members:")
    assert "IBG372" not in found(f"{DEFAULT}, {first}, {B.replace('members:', 'indx0: yes, members:')}")
    assert "IBG372" in found(f"{DEFAULT.replace('members:', 'indx0: yes, members:', 1)}, {first}, {B}")


@pytest.mark.parametrize(
    ("options", "allowed"), [("", False), ("allow_both_pkeys: yes", True), ("allow_both_pkeys: no", False)]
)
def test_both_keys_however_the_option_is_spelled(options: str, allowed: bool) -> None:
    both = A.replace("membership: full", "membership: both")
    assert ("IBG321" not in found(f"{DEFAULT}, {both}, {B}", options)) is allowed


def test_full_members_that_are_still_to_come() -> None:
    waiting = "{name: a, pkey: 0x101, members: [{hosts: node-08, membership: full}, {pool: stor, membership: limited}]}"
    planned = "[{hosts: node-08, state: planned}]"
    assert found(f"{DEFAULT}, {A}, {B}, {waiting}", exceptions=planned)["IBG315"].startswith("warning")


def test_no_manager_in_service_is_an_error_and_one_of_two_a_warning() -> None:
    assert found(missing='[{hosts: "sm-[01-02]", state: planned}]')["IBG373"].startswith("error")
    assert found(missing="[{hosts: sm-01, hcas: {mlx5_0: down}}]")["IBG373"].startswith("warning")


@pytest.mark.parametrize(
    "options",
    [
        "partition_config_file: /etc/other.conf",
        "no_partition_enforcement: yes",
        'part_enforce: "off"',
        "sm_inactive: yes",
        "ignore_other_sm: yes",
    ],
)
def test_an_option_that_takes_away_what_the_spec_says(options: str) -> None:
    assert found(options=options)["IBG375"].startswith("error")


@pytest.mark.parametrize("options", ["sm_sl: 16", "subnet_timeout: 40", "packet_life_time: 64", "vl_stall_count: 8"])
def test_a_number_that_does_not_fit_into_its_field(options: str) -> None:
    """OpenSM takes a byte and sends its low bits."""
    assert "IBG351" in found(options=options)


@pytest.mark.parametrize(
    "options",
    [
        "routing_engine: fattree",
        "routing_engine: ar_updn",
        'routing_engine: "updn, ar_updn"',
        'log_prefix: "a # b"',
        'log_file: ""',
    ],
)
def test_a_text_that_opensm_reads_as_something_else(options: str) -> None:
    """An engine it has not: the next one, or minhop; a `#`: the rest is lost; nothing: an empty name, not the default."""
    assert "IBG351" in found(options=options)


def test_a_prefix_of_multicast_groups_is_refused() -> None:
    text = SPEC.replace("0xfec0000000000001", "0xff12000000000001").replace("PARTITIONS", TENANTS).replace("OPTIONS", "")
    text = text.replace("EXCEPTIONS", "[]").replace("MISSING", "[]")
    _, report = compiler.compile(compiler.Input(Path("lab.yaml"), text=text))
    assert any("multicast" in d.message for d in report.diagnostics)


def test_the_prefix_has_one_place() -> None:
    assert "IBG330" in found(options='subnet_prefix: "0xfec0000000000007"')
