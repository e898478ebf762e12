"""The lists a manager reads on request, read back as OpenSM reads them: `<guid> [rest]`, one a line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ibgen import compiler
from ibgen.compilation import Complete, complete
from ibgen.emit.opensm import opensm

SPEC = """\
ibgen: 1
cluster: lab
pools:
  - name: gpu
    hosts: "{hosts}"
    platform: {{kind: generic, hcas: [{{name: mlx5_0, rate: 200G}}, {{name: mlx5_1, rate: 200G}}]}}
  - name: stor
    hosts: stor-[1-2]
    platform: {{kind: generic, hcas: [{{name: mlx5_0, rate: 200G, role: storage}}]}}
fabrics:
  - name: ib
    control: {{kind: opensm, flavour: {flavour}, routing: {routing}, files: {files}, options: {options}}}
    topology: {{kind: fat-tree, rails: host, unit: 6, units: {units}, leaf: {{switch: qm8700}},
               spine: {{switch: qm8700, count: 2}}, reserve: {{stor: 2}}}}
    attach:
      - {{pool: gpu, hcas: all}}
      - {{pool: stor, hcas: all, at: reserved}}
    {more}
"""


def compiled(**fields: str) -> tuple[Complete | None, list[tuple[str, str]]]:
    values = {"hosts": "node-[1-8]", "units": "2", "flavour": "upstream", "routing": "[updn]"}
    values |= {"files": "{}", "options": "{}", "more": ""}
    c, report = compiler.compile(compiler.Input(Path("lab.yaml"), text=SPEC.format(**(values | fields))))
    return complete(c), [(d.code.id, d.message) for d in report.diagnostics]


def made(**fields: str) -> tuple[Complete, dict[str, str]]:
    c, said = compiled(**fields)
    assert c is not None, said
    return c, {a.path.removeprefix("opensm/ib/"): a.content.decode() for a in opensm.run(c)}


def rows(text: str) -> Iterator[list[str]]:
    """OpenSM's parser: a comment starts at `#`, blanks part the words."""
    for line in text.splitlines():
        words = line.split("#")[0].split()
        if words:
            assert re.fullmatch(r"0x[0-9a-f]{16}", words[0])
            yield words


def switches(c: Complete) -> dict[str, str]:
    s = c.fabric.subnets[0].switches
    return {name: f"0x{int(g):016x}" for name, g in zip(s.names, s.guid, strict=True)}


def test_nothing_is_written_that_is_not_asked_for() -> None:
    _, files = made()
    assert set(files) == {"opensm.conf", "partitions.conf", "node-name-map", "root-guids.conf", "install.sh"}


def test_weights_stand_at_both_ends_of_every_cable() -> None:
    """reference 2.3: one direction alone makes a path that comes back another way."""
    c, files = made(files="{hop_weights: [{switches: leaf-u01, to: spine-02, weight: 3}]}")
    names = switches(c)
    found = [(guid, int(port), int(weight)) for guid, port, weight in rows(files["hop-weights.conf"])]
    cables = c.fabric.subnets[0].cables
    s = c.fabric.subnets[0].switches.row
    own = (cables.kind == 1) & (cables.lower == s["leaf-u01"]) & (cables.upper == s["spine-02"])
    wanted = {(names["leaf-u01"], p, 3) for p in cables.lower_port[own].tolist()}
    wanted |= {(names["spine-02"], p, 3) for p in cables.upper_port[own].tolist()}
    assert len(found) == len(set(found))
    assert set(found) == wanted


def test_storage_ports_are_listed_for_ftree() -> None:
    c, files = made(routing="[ftree]", files="{storage_reverse_hops: 2}")
    ports, hosts = c.fabric.subnets[0].ports, c.fabric.hosts
    wanted = {f"0x{int(g):016x}" for g, h in zip(ports.port_guid, ports.host, strict=True) if hosts.names[h].startswith("stor")}
    assert {r[0] for r in rows(files["io-guids.conf"])} == wanted
    assert not wanted & {r[0] for r in rows(files["cn-guids.conf"])}
    assert "\nmax_reverse_hops 2\n" in files["opensm.conf"]


def test_ids_order_and_search_order() -> None:
    files_asked = '{switch_ids: yes, routing_order: yes, port_order: [{switches: "leaf-u[01-02]", ports: [40, 39]}]}'
    c, files = made(files=files_asked)
    names = switches(c)
    assert [r[0] for r in rows(files["switch-ids.conf"])] == list(names.values())
    assert [int(r[1]) for r in rows(files["switch-ids.conf"])] == list(range(1, len(names) + 1))
    order = [r[0] for r in rows(files["routing-order.conf"])]
    assert order == [f"0x{int(g):016x}" for g in c.fabric.subnets[0].ports.port_guid]
    assert list(rows(files["port-order.conf"])) == [[names[n], "40", "39"] for n in ("leaf-u01", "leaf-u02")]


def test_routers_and_log_flags() -> None:
    routes = "prefix_routes: [{prefix: 0xfec0000000000002, router: 0x0002c90300a1b2c3}, {}]"
    _, files = made(files=f"{{{routes}, logging: {{osm_ucast_mgr.c: 0x07}}}}")
    lines = [line for line in files["prefix-routes.conf"].splitlines() if not line.startswith("#")]
    assert lines == ["0xfec0000000000002 0x0002c90300a1b2c3", "* *"]
    assert "osm_ucast_mgr.c 0x07" in files["per-module-logging.conf"].splitlines()


def lids(text: str) -> dict[str, int]:
    assert "#" not in text, "OpenSM knows no comments in this file (ERR 610B)"
    found = {}
    for block in text.split("\n\n"):
        guid, first, last = block.split()
        assert first == last
        found[guid] = int(first, 16)
    return found


def test_no_lid_moves_when_hosts_and_units_are_added() -> None:
    before, after = (
        lids(made(files="{stable_lids: yes}", hosts=hosts, units=units)[1]["guid2lid"])
        for hosts, units in (("node-[1,3-8]", "2"), ("node-[1-16]", "4"))
    )
    assert len(set(after.values())) == len(after)
    assert min(after.values()) >= 1
    assert max(after.values()) <= 0xBFFF
    kept = before.keys() & after.keys()
    moved = {g for g in kept if before[g] != after[g]}
    storage = 2  # they hang on the last unit, which is another one now
    assert len(moved) <= storage
    assert len(kept) >= len(before) - storage


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ("{hop_weights: [{switches: leaf-u09, to: spine-01, weight: 2}]}", "`leaf-u09` is no switch"),
        ("{port_order: [{switches: leaf-u01, ports: [1, 41]}]}", "has 40 ports"),
    ],
)
def test_what_the_fabric_does_not_have_is_a_finding(files: str, words: str) -> None:
    """OpenSM drops such a line and says so at VERBOSE only."""
    _, said = compiled(files=files)
    assert any(id == "IBG353" and words in message for id, message in said), said


def test_lids_and_lmc_exclude_each_other() -> None:
    assert "IBG354" in {id for id, _ in compiled(files="{stable_lids: yes}", options='{lmc: "1"}')[1]}


def test_congestion_policy_as_nvidia_documents_it() -> None:
    more = "congestion: {algorithm: rtt_algo, algorithms: /opt/algo, parameters: {BW_G: 400, ALPHA: 3932}}"
    _, files = made(flavour="nvidia", routing="[ar_updn]", more=more)
    words = files["congestion-policy.conf"].split("\n", 1)[1].split()
    assert words[:2] == ["ca_algo_import_start", "algo_start"]
    assert "algo_file_name:" in words
    assert "(ALPHA,3932),(BW_G,400)" in words
    assert words[-2:] == ["algo_end", "ca_algo_import_end"]


@pytest.mark.parametrize(
    ("fields", "engine", "words"),
    [
        ({}, "updn", ""),
        ({"routing": "[auto]"}, "ftree,updn", "two regular tiers"),
        ({"routing": "[auto, dfsssp]"}, "ftree,updn,dfsssp", "two regular tiers"),
        ({"routing": "[]", "flavour": "nvidia"}, "ar_updn", "adaptive"),
    ],
)
def test_a_choice_of_engine_says_why(fields: dict[str, str], engine: str, words: str) -> None:
    lines = made(**fields)[1]["opensm.conf"].splitlines()
    place = lines.index(f"routing_engine {engine}")
    assert lines[place - 1].startswith("# chosen: ") is bool(words)
    assert words in lines[place - 1]
