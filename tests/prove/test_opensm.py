"""The real OpenSM judges trees: good ones pass with the tables the spec means, and every damage that it would swallow fails."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from ibgen import compiler
from ibgen.compilation import complete
from ibgen.emit import Artifact
from ibgen.emit.expect import expect as expect_json
from ibgen.emit.ibsim import ibsim as ibsim_nets
from ibgen.emit.opensm import opensm as opensm_files
from ibgen.prove.opensm import prove
from ibgen.prove.verdict import Verdict

pytestmark = pytest.mark.opensm

TWO_LEAVES = """\
ibgen: 1
cluster: lab
pools:
  - name: gpu
    hosts: node-[01-08]
    platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G}, {name: mlx5_1, rate: 200G}]}
    exceptions: EXCEPTIONS
  - name: service
    hosts: sm-[01-02]
    platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G, role: management}]}
fabrics:
  - name: ib
    control: CONTROL
    topology: {kind: fat-tree, rails: host, unit: 5, units: 2, leaf: {switch: qm8700},
               spine: {switch: qm8700, count: 2}, reserve: {sm: 2}}
    attach:
      - {pool: gpu, hcas: all}
      - {pool: service, hcas: all, at: reserved}
    partitions: PARTITIONS
"""
CONTROL = '{kind: opensm, hosts: [sm-01], subnet_prefix: "0xfec0000000000001", routing: [ftree]}'
TENANTS = """
      - {name: default, pkey: 0x7fff, members: [{pool: gpu, membership: limited}, {pool: service, membership: full}]}
      - {name: tenant-a, pkey: 0x0101, ipoib: {mtu: 4096}, members: [{pool: gpu, hosts: "node-[01-04]", membership: full}]}
      - name: tenant-b
        pkey: 0x8102
        ipoib: {sl: 3}
        members:
          - {pool: gpu, hosts: "node-[05-08]", hcas: [mlx5_1], membership: full}
          - {pool: gpu, hosts: node-01, membership: limited}"""
ONE_UNIT = """\
ibgen: 1
cluster: superpod
pools:
  - {name: gpu, hosts: "dgx-[001-031]", platform: dgx-h100}
  - {name: ufm, hosts: ufm-01, platform: {kind: generic, hcas: [{name: mlx5_0, rate: 400G, role: management}]}}
fabrics:
  - name: compute
    control: {kind: opensm, flavour: nvidia, version: "5.24", hosts: [ufm-01], routing: [ENGINE]}
    topology: {kind: fat-tree, rails: aligned, unit: 32, leaf: {switch: qm9700, downlinks: 32},
               spine: {switch: qm9700}, reserve: {ufm: 1}}
    attach:
      - {pool: gpu, hcas: compute}
      - {pool: ufm, hcas: all, at: reserved}
"""
PLANES = """\
ibgen: 1
cluster: planes
pools:
  - name: gpu
    hosts: node-[1-6]
    platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G, ports: 2}, {name: mlx5_1, rate: 200G, ports: 2}]}
fabrics:
  - name: ib
    control: {kind: opensm, routing: [updn]}
    topology: {kind: fat-tree, rails: aligned, unit: 3, units: 2, leaf: {switch: qm8700}, spine: {switch: qm8700}, planes: 2}
    attach: [{pool: gpu, hcas: all}]
    partitions: [{name: a, pkey: 0x11, members: [{pool: gpu, hosts: "node-[1-3]", membership: full}]}]
"""


def two_leaves(control: str = CONTROL, partitions: str = TENANTS, exceptions: str = "[]") -> str:
    return TWO_LEAVES.replace("EXCEPTIONS", exceptions).replace("CONTROL", control).replace("PARTITIONS", partitions)


def built(spec: str, tree: Path) -> dict[str, Any]:
    """Writes what the proof needs: the managers' folders, the nets, expect.json."""
    c, report = compiler.compile(compiler.Input(Path("lab.yaml"), text=spec))
    whole = complete(c)
    assert whole is not None, [(d.code.id, d.message) for d in report.diagnostics]
    made: list[Artifact] = [*opensm_files.run(whole), *ibsim_nets.run(whole), *expect_json.run(whole)]
    for artifact in made:
        path = tree / artifact.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(artifact.content)
    read: dict[str, Any] = json.loads((tree / "expect.json").read_text())
    return read


def proved(tree: Path, expect: Mapping[str, Any], **options: int) -> Verdict:
    return prove(tree, expect, os.environ, lambda text: None, **options)


def failures(verdict: Verdict) -> set[str]:
    return {c.name.partition(": ")[2] for c in verdict.checks if not c.passed}


def said(verdict: Verdict) -> str:
    return "\n".join(f"{c.name}: {c.detail} [{c.file}:{c.line}]" for c in verdict.checks)


@pytest.mark.parametrize(
    ("spec", "engine"),
    [
        pytest.param(two_leaves(), "ftree", id="tenants"),
        pytest.param(two_leaves(partitions="[]"), "ftree", id="everybody"),
        pytest.param(two_leaves(CONTROL.replace("[ftree]", "[minhop]")), "minhop", id="minhop"),
        pytest.param(two_leaves(CONTROL.replace("hosts: [sm-01], ", "")), "ftree", id="manager-on-a-switch"),
        pytest.param(two_leaves(CONTROL.replace("[sm-01]", "[sm-02, sm-01]")), "ftree", id="two-managers"),
        pytest.param(two_leaves(CONTROL.replace("[ftree]", "[dfsssp], options: {qos: true}")), "dfsssp", id="dfsssp"),
        pytest.param(
            two_leaves(exceptions="[{hosts: node-08, state: planned}, {hosts: node-03, hcas: {mlx5_1: down}}]"),
            "ftree",
            id="hosts-missing",
        ),
    ],
)
def test_lab_comes_up_as_the_spec_means(spec: str, engine: str, tmp_path: Path) -> None:
    verdict = proved(tmp_path, built(spec, tmp_path))
    if engine == "dfsssp":  # ibdmchk sees one virtual lane only and finds the loops that dfsssp spreads over several
        assert failures(verdict) <= {"routes"}, said(verdict)
    else:
        assert verdict.status == "passed", said(verdict)
    assert verdict.version.startswith("3.")
    assert f"{engine} routed, {engine} was asked for" in said(verdict)
    assert "all endpoints as the spec means" in said(verdict)


@pytest.mark.parametrize(("engine", "projected"), [("ar_updn", "updn"), ("ar_ftree", "ftree")])
def test_one_superpod_unit_is_proved_by_projection(engine: str, projected: str, tmp_path: Path) -> None:
    """31 hosts, 8 rails; NVIDIA's adaptive engine becomes the static one of upstream, and the verdict says so."""
    verdict = proved(tmp_path, built(ONE_UNIT.replace("ENGINE", engine), tmp_path))
    assert verdict.status == "passed", said(verdict)
    assert f"not judged: {engine} as {projected}" in said(verdict)
    assert [c.name for c in verdict.checks if c.note] == ["compute: projection"], "a note, no check that passed"
    assert "249 of 249 endpoints" in said(verdict)


def test_each_plane_is_a_subnet_of_its_own(tmp_path: Path) -> None:
    expect = built(PLANES, tmp_path)
    assert sorted(expect["opensm"]) == ["ib-p1", "ib-p2"]
    verdict = proved(tmp_path, expect)
    assert verdict.status == "passed", said(verdict)


Damage = Callable[[str], str]


def edit(pattern: str, by: str, count: int = 1) -> Damage:
    def damage(text: str) -> str:
        changed = re.sub(pattern, by, text, count=count, flags=re.S)
        assert changed != text, f"nothing matches {pattern}"
        return changed

    return damage


@pytest.mark.parametrize(
    ("file", "damage", "fails"),
    [
        pytest.param("partitions.conf", edit(r"ALL=limited", "ALL=full"), {"P_Key tables"}, id="isolation-gone"),
        pytest.param("partitions.conf", edit(r"0x(\w{15})1=full", r"0x\g<1>0=full", 0), {"P_Key table"}, id="node-guid"),
        pytest.param("partitions.conf", edit(r"0x\w{16}=full", "0x02g=full"), {"complaint", "P_Key tables"}, id="bad-guid"),
        pytest.param("partitions.conf", edit(r" ;\n\n# tenant-b", "\n\n# tenant-b"), {"P_Key tables"}, id="no-semicolon"),
        pytest.param("partitions.conf", edit(r" ;", "\n;"), {"complaint", "P_Key tables"}, id="semicolon-alone"),
        pytest.param("partitions.conf", edit(r"mtu=5", "mtu=4096"), {"complaint"}, id="mtu-in-bytes"),
        pytest.param("partitions.conf", edit(r"rate=\d+", "rate=23"), {"complaint"}, id="rate-of-a-newer-manager"),
        pytest.param("partitions.conf", edit(r".*", "# none\n"), {"complaint", "P_Key tables"}, id="empty"),
        pytest.param("sm-01/opensm.conf", edit(r"^", "bogus_option 3\n"), {"complaint"}, id="unknown-option"),
        pytest.param("sm-01/opensm.conf", edit(r"^", "lmc 9\n"), {"complaint"}, id="out-of-range"),
        pytest.param("sm-01/opensm.conf", edit(r"^", "sweep_interval often\n"), {"complaint"}, id="word-for-number"),
        pytest.param(
            "sm-01/opensm.conf", edit(r"engine ftree", "engine ar_ftree"), {"complaint", "engine"}, id="unknown-engine"
        ),
        pytest.param("sm-01/opensm.conf", edit(r"engine ftree", "engine updn"), {"engine"}, id="other-engine"),
        pytest.param("sm-01/opensm.conf", edit(r"root_guid_file[^\n]*", ""), {"roots"}, id="roots-not-named"),
        pytest.param("root-guids.conf", edit(r"0x\w+ # spine-01\n", ""), {"roots"}, id="half-the-roots"),
        pytest.param("root-guids.conf", edit(r" # spine-01\n", ","), {"roots", "complaint"}, id="roots-with-comma"),
        pytest.param("cn-guids.conf", edit(r"(0x\w{15})1", r"\g<1>0", 0), {"engine"}, id="node-guids-as-compute"),
        pytest.param("cn-guids.conf", edit(r"0x[^\n]+\n$", ""), {"compute ports"}, id="compute-port-missing"),
    ],
)
def test_what_opensm_swallows_fails_the_proof(file: str, damage: Damage, fails: set[str], tmp_path: Path) -> None:
    """OpenSM exits 0 for every one of these (measured on 3.3.23)."""
    expect = built(two_leaves(), tmp_path)
    path = tmp_path / "opensm" / "ib" / file
    path.write_text(damage(path.read_text()))
    verdict = proved(tmp_path, expect)
    assert verdict.status == "failed", said(verdict)
    assert fails <= failures(verdict), said(verdict)


def test_partitions_without_default_rule_make_everybody_limited(tmp_path: Path) -> None:
    """Limited members cannot talk to one another: NCCL and UCX on P_Key index 0 stop working."""
    expect = built(two_leaves(partitions=TENANTS.replace("gpu, membership: limited", "gpu, membership: full")), tmp_path)
    path = tmp_path / "opensm" / "ib" / "partitions.conf"
    path.write_text(edit(r"Default=.*?;\n", "")(path.read_text()))
    verdict = proved(tmp_path, expect)
    assert "P_Key tables" in failures(verdict)
    assert re.search(r"has [^,]*0x7fff, the spec means [^,]*0xffff", said(verdict))


def test_complaint_points_at_the_line(tmp_path: Path) -> None:
    expect = built(two_leaves(), tmp_path)
    path = tmp_path / "opensm" / "ib" / "partitions.conf"
    lines = path.read_text().splitlines()
    row = next(i for i, line in enumerate(lines) if line.startswith("  0x"))
    lines[row] = lines[row].replace("0x", "0xz", 1)
    path.write_text("\n".join(lines) + "\n")
    first = next(c for c in proved(tmp_path, expect).checks if not c.passed)
    assert (first.file, first.line) == ("opensm/ib/partitions.conf", row + 1)


def test_credit_loop_is_found(tmp_path: Path) -> None:
    """Six switches in a ring, routed by minhop: the textbook deadlock, found by ibdmchk in OpenSM's own tables."""
    cables = [f"s-{i}:20 s-{i % 6 + 1}:30" for i in range(1, 7)]
    cables += [f"s-{i}:{1 + n} node-{i}{n}/mlx5_0:1" for i in range(1, 7) for n in range(2)]
    ring = f"""\
ibgen: 1
cluster: ring
pools: [{{name: gpu, hosts: "node-[1-6][0-1]", platform: {{kind: generic, hcas: [{{name: mlx5_0, rate: 200G}}]}}}}]
fabrics:
  - name: ib
    control: {{kind: opensm, routing: [minhop]}}
    topology: {{kind: explicit, switches: [{{names: "s-[1-6]", switch: qm8700, role: leaf}}], cables: {json.dumps(cables)}}}
    attach: [{{pool: gpu, hcas: all}}]
"""
    verdict = proved(tmp_path, built(ring, tmp_path))
    assert failures(verdict) == {"routes"}, said(verdict)
    assert "credit loop" in said(verdict)


TWO_MANAGERS = CONTROL.replace("[sm-01]", "[sm-01, sm-02]")


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        pytest.param(edit(r"sm_priority 1", "sm_priority 2"), "`sm_priority` is 2, the spec means 1", id="equal-priorities"),
        pytest.param(edit(r"guid 0x\w+", "guid 0x0002c90300000001"), "is no port of sm-02 mlx5_0", id="another-port"),
        pytest.param(edit(r"ftree", "updn"), "`routing_engine` is not that of sm-01", id="another-engine"),
        pytest.param(edit(r"root_guid_file[^\n]*\n", ""), "`root_guid_file` is not that of sm-01", id="no-roots"),
    ],
)
def test_two_managers_that_do_not_fit_each_other_fail(damage: Damage, words: str, tmp_path: Path) -> None:
    """dell/omnia#423, needs K27: which of them rules, and with what, must not depend on the day."""
    expect = built(two_leaves(TWO_MANAGERS), tmp_path)
    assert proved(tmp_path, expect).status == "passed"
    path = tmp_path / "opensm" / "ib" / "sm-02" / "opensm.conf"
    path.write_text(damage(path.read_text()))
    verdict = proved(tmp_path, expect)
    assert failures(verdict) == {"managers"}, said(verdict)
    assert words in said(verdict)


def test_file_missing_from_the_tree_fails(tmp_path: Path) -> None:
    expect = built(two_leaves(), tmp_path)
    (tmp_path / "sim" / "ib.net").unlink()
    assert failures(proved(tmp_path, expect)) == {"files"}


def test_net_with_a_one_sided_cable_fails(tmp_path: Path) -> None:
    expect = built(two_leaves(), tmp_path)
    path = tmp_path / "sim" / "ib.net"
    path.write_text(edit(r'"leaf-u01"\[1\]', '"leaf-u01"[39]')(path.read_text()))
    verdict = proved(tmp_path, expect)
    assert failures(verdict) == {"simulation"}
    assert "is not connected" in said(verdict)


def test_host_that_is_not_in_the_net_is_missed(tmp_path: Path) -> None:
    expect = built(two_leaves(), tmp_path)
    path = tmp_path / "sim" / "ib.net"
    text = edit(r'\n\[\d+\]\t"node-05/mlx5_0"[^\n]*', "")(path.read_text())
    path.write_text(edit(r'(Ca\t1 "node-05/mlx5_0"[^\n]*)\n[^\n]*', r"\1")(text))
    verdict = proved(tmp_path, expect)
    assert failures(verdict) == {"nodes"}
    assert "node-05 mlx5_0 1" in said(verdict)


def test_large_subnet_is_skipped_unless_asked(tmp_path: Path) -> None:
    expect = built(two_leaves(), tmp_path)
    verdict = proved(tmp_path, expect, largest=10)
    assert verdict.status == "skipped"
    assert "too large" in verdict.reason
    assert "IBGEN_PROVE_ENDPOINTS" in verdict.remedy
    env = os.environ | {"IBGEN_PROVE_ENDPOINTS": "10"}
    assert prove(tmp_path, expect, env, lambda text: None).status == "skipped"


def test_absent_program_is_skipped_with_the_package_that_brings_it(tmp_path: Path) -> None:
    expect = built(two_leaves(), tmp_path)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("ibsim", "ibsim-run", "smpquery"):
        found = shutil.which(name)
        assert found is not None
        (programs / name).symlink_to(found)
    verdict = prove(tmp_path, expect, {"PATH": str(programs)}, lambda text: None)
    assert verdict.status == "skipped"
    assert verdict.remedy == "apt-get install opensm"


def test_without_ibdmchk_routes_are_not_judged(tmp_path: Path) -> None:
    expect = built(two_leaves(), tmp_path)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("ibsim", "ibsim-run", "smpquery", "opensm"):
        (programs / name).symlink_to(str(shutil.which(name)))
    verdict = prove(tmp_path, expect, {"PATH": str(programs)}, lambda text: None)
    assert verdict.status == "skipped"
    assert verdict.remedy == "apt-get install ibutils"
    assert {c.name for c in verdict.checks if c.skipped} == {"ib: routes"}


def test_nothing_to_prove_is_skipped(tmp_path: Path) -> None:
    assert proved(tmp_path, {"cluster": "cloud"}).status == "skipped"
