"""OpenSM's files and the ibsim net, read back as OpenSM and ibsim read them (grammars: the two programs' sources)."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from ibgen import compiler
from ibgen.catalog import standard
from ibgen.catalog.opensm import option
from ibgen.compilation import Complete, complete
from ibgen.emit.ibsim import ibsim
from ibgen.emit.opensm import opensm

SPEC = """\
ibgen: 1
cluster: lab
pools:
  - name: gpu
    hosts: {hosts}
    platform: {{kind: generic, hcas: [{{name: mlx5_0, rate: {rate}}}, {{name: mlx5_1, rate: {rate}}}]}}
    exceptions: {exceptions}
  - name: service
    hosts: sm-[01-02]
    platform: {{kind: generic, hcas: [{{name: mlx5_0, rate: {rate}, role: management}}]}}
fabrics:
  - name: ib
    control: {{kind: opensm, hosts: {managers}, subnet_prefix: "0xfec0000000000001", options: {options}}}
    topology: {{kind: fat-tree, rails: host, unit: {unit}, units: {units}, leaf: {{switch: qm8700}}, spine: {{switch: qm8700}},
               reserve: {{sm: 2}}}}
    attach:
      - {{pool: gpu, hcas: all}}
      - {{pool: service, hcas: all, at: reserved}}
    partitions:
      - {{name: tenant-a, pkey: 0x8101, ipoib: {{mtu: 4096, sl: 2}}, members: [{{pool: gpu, membership: full}}]}}
      - name: tenant-b
        pkey: 0x0102
        members:
          - {{pool: gpu, hosts: "node-[01-02]", hcas: [mlx5_1], membership: limited}}
          - {{pool: service, membership: full}}
          - {{guid: 0x0002c903000000aa, membership: limited}}
      - {{name: default, pkey: 0x7fff, members: {default}}}
{bindings}"""
ISOLATED = "[{pool: gpu, membership: limited}, {pool: service, membership: full}]"
EVERYBODY = "[{pool: gpu, membership: full}, {pool: service, membership: full}]"
SYNTHETIC = "# SYNTHETIC GUIDS: do not install"


def compiled(folder: Path | None = None, text: str = SPEC, **fields: str) -> Complete:
    values = {
        "hosts": "node-[01-08]",
        "rate": "200G",
        "exceptions": "[]",
        "managers": "[sm-01, sm-02]",
        "options": "{}",
        "unit": "6",
        "units": "2",
        "default": ISOLATED,
        "bindings": "",
    }
    path = (folder or Path()) / "lab.yaml"
    if text is SPEC:
        text = text.format(**(values | fields))
    c, report = compiler.compile(compiler.Input(path, text=text))
    whole = complete(c)
    assert whole is not None, [(d.code.id, d.message) for d in report.diagnostics]
    return whole


def files(c: Complete) -> dict[str, str]:
    return {a.path.removeprefix("opensm/ib/"): a.content.decode() for a in (*opensm.run(c), *ibsim.run(c))}


def bound(folder: Path, c: Complete, shuffle: bool = False) -> str:
    """A bindings file with vendor GUIDs for everything; with `shuffle` the two ports of an adapter do not follow."""
    ports, switches, hosts = c.fabric.subnets[0].ports, c.fabric.subnets[0].switches, c.fabric.hosts
    rows = [f"{n},,,0x{0xE41D2D0300000000 + i * 16:016x}," for i, n in enumerate(switches.names)]
    for host, hca, port in zip(ports.host.tolist(), ports.hca.tolist(), ports.port.tolist(), strict=True):
        node = 0x0002C90300000000 + host * 256 + hca * 16
        guid = node + (port * 7 if shuffle else port)
        name = hosts.platforms[int(hosts.pool[host])].hcas[hca].name
        rows.append(f"{hosts.names[host]},{name},{port},0x{node:016x},0x{guid:016x}")
    (folder / "guids.csv").write_text("host,hca,port,node_guid,port_guid\n" + "\n".join(rows) + "\n")
    return "bindings: guids.csv\n"


def partitions(text: str) -> dict[int, tuple[list[str], dict[str, str]]]:
    """pkey -> (flags, member -> membership), by OpenSM's own rules: comments go, `;` ends a partition, later members win."""
    body = "\n".join(line.split("#")[0] for line in text.splitlines())
    found = {}
    for definition in body.split(";")[:-1]:
        head, _, tail = definition.partition(":")
        name, *flags = [word.strip() for word in head.split(",")]
        members = dict(word.strip().split("=") for word in tail.split(","))
        found[int(name.partition("=")[2], 16)] = (flags, members)
    assert not body.split(";")[-1].strip(), "nothing stands behind the last `;`"
    return found


def guids(c: Complete, host: str, hca: str | None = None) -> set[str]:
    ports, hosts = c.fabric.subnets[0].ports, c.fabric.hosts
    row = hosts.row[host]
    names = [h.name for h in hosts.platforms[int(hosts.pool[row])].hcas]
    rows = [r for r in np.flatnonzero(ports.host == row).tolist() if hca in (None, names[int(ports.hca[r])])]
    return {f"0x{int(ports.port_guid[r]):016x}" for r in rows}


def test_partitions_name_port_guids_with_explicit_keys_and_memberships() -> None:
    """A node GUID would be ignored in silence, a member without `=` would be limited, a name without a key auto-numbered."""
    c = compiled()
    read = partitions(files(c)["partitions.conf"])
    everyone = set().union(*(guids(c, h) for h in c.fabric.hosts.names if h.startswith("node")))
    assert read[0x0101][1] == dict.fromkeys(everyone, "full")
    limited = guids(c, "node-01", "mlx5_1") | guids(c, "node-02", "mlx5_1") | {"0x0002c903000000aa"}
    full = guids(c, "sm-01") | guids(c, "sm-02")
    assert read[0x0102][1] == dict.fromkeys(limited, "limited") | dict.fromkeys(full, "full")


def test_default_rule_is_always_there_and_the_manager_is_full() -> None:
    c = compiled()
    first, *_ = [line for line in files(c)["partitions.conf"].splitlines() if line and not line.startswith("#")]
    assert first.startswith("Default=0x7fff, ")
    isolated = partitions(files(c)["partitions.conf"])[0x7FFF][1]
    assert isolated == {"ALL": "limited", "SELF": "full"} | dict.fromkeys(guids(c, "sm-01") | guids(c, "sm-02"), "full")
    everybody = partitions(files(compiled(default=EVERYBODY))["partitions.conf"])[0x7FFF][1]
    assert everybody == {"ALL": "full", "SELF": "full"}


def test_isolated_the_many_come_before_the_few() -> None:
    """The later member line wins: `X=full, ALL=limited` would make X limited."""
    text = files(compiled())["partitions.conf"]
    assert text.index("ALL=limited") < text.index("SELF=full") < text.index("=full ;")


def test_rates_and_mtus_are_opensm_s_numbers() -> None:
    flags = partitions(files(compiled())["partitions.conf"])[0x0101][0]
    assert {"ipoib", "mtu=5", "rate=17", "sl=2"} <= set(flags)
    assert "rate=16" in partitions(files(compiled(rate="100G"))["partitions.conf"])[0x0101][0]


def test_hundreds_of_members_pass_opensm_s_line_buffer() -> None:
    """A line of more than about 4,090 characters is cut through a GUID, and then everybody is a full member of everything."""
    c = compiled(hosts="node-[001-240]", units="40")
    text = files(c)["partitions.conf"]
    assert max(map(len, text.splitlines())) < 4000
    assert len(partitions(text)[0x0101][1]) == 480
    assert not re.search(r"^\s*;", text, re.M), "a `;` on its own line opens the fabric"


def test_conf_says_why_and_no_line_is_cut() -> None:
    c = compiled(options="{use_ucast_cache: true, sweep_interval: 20}")
    rows = [line for line in files(c)["sm-01/opensm.conf"].splitlines() if line]
    assert max(map(len, rows)) < 1022
    for before, line in pairwise(rows):
        if not line.startswith("#"):
            name, _, value = line.partition(" ")
            known = option(standard(), name)
            assert known is not None
            assert before.startswith("# ")
            assert "#" not in value
            assert known.default != value
            if known.type == "boolean":
                assert value in ("TRUE", "FALSE")


def test_every_path_in_the_conf_is_a_file_that_install_sh_brings() -> None:
    made = files(compiled())
    paths = re.findall(r"^\w+ (/etc/opensm/\S+)$", made["sm-01/opensm.conf"], re.M)
    assert {Path(p).name for p in paths} == {"root-guids.conf", "cn-guids.conf", "node-name-map"}
    for path in paths:
        assert Path(path).name in made
        assert Path(path).name in made["install.sh"]


def test_guid_lists_are_one_guid_a_line() -> None:
    c = compiled()
    made = files(c)
    switches, ports = c.fabric.subnets[0].switches, c.fabric.subnets[0].ports
    roots = {f"0x{int(g):016x}" for g, t in zip(switches.guid, switches.tier, strict=True) if t == switches.tier.max()}
    compute = {f"0x{int(g):016x}" for g, own in zip(ports.port_guid, ports.compute, strict=True) if own}
    for name, wanted in (("root-guids.conf", roots), ("cn-guids.conf", compute)):
        rows = [line for line in made[name].splitlines() if not line.startswith("#")]
        assert all(re.match(r"0x[0-9a-f]{16}( |$)", row) for row in rows)
        assert len(rows) == len(wanted)
        assert {row[:18] for row in rows} == wanted


def test_synthetic_guids_stand_out_in_the_first_line(tmp_path: Path) -> None:
    for name, text in files(compiled()).items():
        assert (text.splitlines()[0] == SYNTHETIC) is not name.endswith(("install.sh", ".dropin.conf")), name
    real = compiled(tmp_path, bindings=bound(tmp_path, compiled()))
    assert real.targets.opensm[0].synthetic is False
    assert not [name for name, text in files(real).items() if text.startswith(SYNTHETIC)]


def net(c: Complete) -> tuple[dict[str, tuple[int, str]], dict[tuple[str, int], tuple[str, int]]]:
    """ibsim's reading: node id -> (guid, description), and (id, port) -> (remote id, remote port)."""
    nodes, links, guid, here = {}, {}, 0, ""
    for line in files(c)["sim/ib.net"].splitlines():
        assert len(line) <= 255
        if m := re.fullmatch(r"(?:switch|ca)guid=(0x[0-9a-f]{16})", line):
            guid = int(m[1], 16)
        elif m := re.match(r'(?:Switch|Ca)\t\d+ "([^"#@]{1,64})"\t# "([^"]*)"', line):
            here = m[1]
            nodes[here] = (guid, m[2])
        elif m := re.fullmatch(r'\[(\d+)\]\t"([^"]+)"\[(\d+)\] (?:s=\d ?)(?:e=\d)?', line):
            assert (here, int(m[1])) not in links
            links[here, int(m[1])] = (m[2], int(m[3]))
        else:
            assert not line or line.startswith("#"), line
    return nodes, links


TWO_PORTS = """\
ibgen: 1
cluster: lab
pools:
  - name: gpu
    hosts: node-[1-2]
    platform: {kind: generic, hcas: [{name: mlx5_0, rate: 100G, ports: 2}, {name: mlx5_1, rate: 100G}]}
fabrics:
  - name: ib
    control: {kind: opensm}
    topology:
      kind: explicit
      switches: [{names: "leaf-[1-2]", switch: qm8700, role: leaf}, {names: spine-1, switch: qm8700, role: spine}]
      cables:
        - leaf-1:40 spine-1:1
        - leaf-2:40 spine-1:2
        - leaf-1:1 node-1/mlx5_0:1
        - leaf-2:1 node-1/mlx5_0:2
        - leaf-1:2 node-1/mlx5_1:1
        - leaf-1:3 node-2/mlx5_0:1
        - leaf-2:3 node-2/mlx5_0:2
    attach: [{pool: gpu, hcas: all}]
"""


@pytest.mark.parametrize("shuffle", [False, True])
def test_net_has_every_link_on_both_sides_and_the_guids_of_the_partitions(shuffle: bool, tmp_path: Path) -> None:
    """ibsim gives port p of a node the GUID base + p; real adapters with other GUIDs become a node per port."""
    c = compiled(tmp_path, text=TWO_PORTS + bound(tmp_path, compiled(text=TWO_PORTS), shuffle))
    nodes, links = net(c)
    assert {links[far]: far for far in links.values()} == links
    subnet = c.fabric.subnets[0]
    assert len(links) == 2 * len(subnet.cables.kind) == 14
    adapters = set(nodes) - set(subnet.switches.names)
    assert {nodes[id][0] + port for id, port in links if id in adapters} == set(subnet.ports.port_guid.tolist())
    assert {nodes[id][1] for id in adapters} == {"node-1 mlx5_0", "node-1 mlx5_1", "node-2 mlx5_0"}
    assert len(adapters) == (5 if shuffle else 3), "ports whose GUIDs follow one another are one adapter"


def test_what_is_not_cabled_is_not_simulated() -> None:
    exceptions = "[{hosts: node-08, state: planned}, {hosts: node-03, hcas: {mlx5_1: down}}]"
    nodes, links = net(compiled(exceptions=exceptions))
    found = {d for _, d in nodes.values()}
    assert "node-03 mlx5_0" in found
    assert not found & {"node-03 mlx5_1", "node-08 mlx5_0", "node-08 mlx5_1"}
    assert {links[far] for far in links.values()} == set(links)


def test_one_more_host_moves_only_its_own_lines() -> None:
    before, after = (files(compiled(hosts=h)) for h in ("node-[01-08]", "node-[01-09]"))
    assert before.keys() == after.keys()
    for name in ("sm-01/opensm.conf", "sm-02/opensm.conf", "root-guids.conf"):
        assert before[name] == after[name], name
    for name in ("cn-guids.conf", "node-name-map"):
        assert not set(before[name].splitlines()) - set(after[name].splitlines())


def test_same_spec_same_bytes() -> None:
    assert files(compiled()) == files(compiled())
