"""`ibgen simulate` on real specs: screens, forms, options that name something, and what cannot be simulated."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from ibgen import assets
from ibgen.cli import start
from ibgen.cli.simulate import Engine
from ibgen.cli.simulate_scaling import sizes
from ibgen.compiler import Input, compile
from ibgen.fabric import PLANNED
from ibgen.route import ENGINES, compute, graph
from ibgen.spec import Workload

LAB = Path(__file__).with_name("lab.yaml")
ROOT = Path(__file__).parents[2]

Run = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("simulate-lab", ["cluster.yaml"]),
        ("simulate-superpod-h100", ["superpod-h100.yaml"]),
        ("simulate-fail-lab", ["cluster.yaml", "--fail", "leaf-u01"]),
        ("simulate-sweep-lab", ["cluster.yaml", "--sweep", "cables"]),
    ],
)
def test_screen(name: str, args: list[str], run: Run, golden: Callable[[str, str], None]) -> None:
    code, out, err = run(*args)
    screen = f"$ ibgen simulate {' '.join(args)}\n{out}--- standard error\n{err}--- exit {code}\n"
    golden(f"screens/{name}.txt", screen)


def test_json_is_only_json_of_the_schema(run: Run) -> None:
    code, out, err = run("--format", "json")
    schema = json.loads((assets.schemas() / "simulation.schema.json").read_text())
    document = json.loads(out)
    jsonschema.validate(document, schema)
    assert (code, err) == (0, "")
    assert [s["subnet"] for s in document["studies"]] == ["ib"]
    for args in (["--fail", "leaf-u01"], ["--sweep", "switches"]):
        code, out, _ = run("--format", "json", *args)
        assert code == 0
        jsonschema.validate(json.loads(out), schema)


def test_the_schema_is_printed_by_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert start.main(["schema", "simulation"]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == "ibgen simulation"


def test_the_seed_decides_what_is_random_and_nothing_else(run: Run) -> None:
    def patterns(seed: str) -> dict[str, object]:
        return {p["name"]: p for p in json.loads(run("--format", "json", "--seed", seed)[1])["studies"][0]["patterns"]}

    first, again, other = patterns("1"), patterns("1"), patterns("2")
    assert first == again
    assert first["all-to-all"] == other["all-to-all"]
    assert other["permutation"]["seed"] == 2  # type: ignore[index]


def test_only_one_pattern(run: Run) -> None:
    document = json.loads(run("--format", "json", "--pattern", "perm", "--pattern", "ring")[1])
    names = [p["name"] for p in document["studies"][0]["patterns"]]
    assert names[0] == "permutation"
    assert all(n == "permutation" or n.startswith("ring") for n in names)


def test_number_of_patterns(run: Run) -> None:
    document = json.loads(run("--format", "json", "--patterns", "7")[1])
    assert {p["patterns"] for p in document["studies"][0]["patterns"] if p["name"] == "permutation"} == {7}


def test_another_engine(run: Run) -> None:
    """The engine's name stands in the result, and why it is not the spec's."""
    for engine in ("minhop", "updn"):
        tables = json.loads(run("--format", "json", "--engine", engine)[1])["studies"][0]["tables"]
        assert tables["engine"] == engine
        assert tables["asked"] == "ftree"


def test_engines_are_those_of_routing() -> None:
    assert [e.value for e in Engine] == ["auto", *ENGINES]


def _dump(path: Path) -> None:
    """The lab's minhop tables as OpenSM dumps them."""
    c, _ = compile(Input(LAB))
    assert c.fabric is not None
    g = graph(c.fabric.subnets[0])
    routes = compute(g, "minhop", switches=True)
    assert routes.switch_lft is not None
    lines = []
    for s, name in enumerate(g.names):
        lines.append(f"Unicast lids [0x0-0x1F] of switch Lid {s + 1} guid 0x{int(g.guid[s]):016x} ({name}):")
        ports = [*routes.switch_lft[:, s], *routes.lft[:, s]]
        owners = [*g.guid, *g.port_guid]
        kinds = ["Switch"] * g.switches + ["Channel Adapter"] * g.endpoints
        lines += [
            f"0x{lid:04x} {int(port):03d} : ({kind} portguid 0x{int(owner):016x}: 'x')"
            for lid, (port, owner, kind) in enumerate(zip(ports, owners, kinds, strict=True), 1)
        ]
    path.write_text("\n".join(lines) + "\n")


def test_tables_of_a_dump_win(run: Run, tmp_path: Path) -> None:
    _dump(tmp_path / "opensm-lfts.dump")
    code, out, _ = run("--format", "json", "--tables", "opensm-lfts.dump")
    study = json.loads(out)["studies"][0]
    assert code == 0
    assert study["tables"]["origin"] == "imported"
    assert {p["unrouted"] for p in study["patterns"]} == {0}


def test_a_line_of_a_dump_that_cannot_be_read_is_named(run: Run, tmp_path: Path) -> None:
    _dump(tmp_path / "lfts")
    with (tmp_path / "lfts").open("a") as file:
        file.write("0x00zz 001 : nonsense\n")
    code, _, err = run("--tables", "lfts")
    assert code == 0
    assert "--> lfts:" in err
    assert "warning[" in err


@pytest.mark.parametrize(
    ("args", "said", "hint"),
    [
        (["--fail", "leaf-u91"], "leaf-u91", "did you mean"),
        (["--fail", "cable:leaf-u01:999"], "no cable at that port", "did you mean"),
        (["--fail", ","], "--fail names nothing", "--fail leaf-03"),
        (["--fail", "node-[01"], "node-[01", ""),
        (["--fabric", "bi"], "no fabric `bi`", "did you mean ib?"),
        (["--pattern", "permutatoin"], "no pattern `permutatoin`", "permutation"),
        (["--tables", "absent"], "no dump absent", "dump_lfts"),
        (["--tables", "cluster.yaml"], "no forwarding table", "another fabric"),
        (["--tables", "cluster.yaml", "--engine", "minhop"], "--engine computes others", "one of them"),
        (["--fail", "leaf-u01", "--sweep", "cables"], "--sweep one part after another", "one of them"),
        (["--format", "csv", "--pattern", "bisections"], "no pattern `bisections`", "all-to-all"),
        (["-o", "no/such/folder/x.svg"], "no folder no/such/folder", "mkdir"),
        (["absent.yaml"], "no spec absent.yaml", ""),
        (["azure-burst.yaml"], "no fabric of this spec has links", "provider's own"),
        (["azure-burst.yaml", "--fabric", "azure-ib"], "links", "provider's own"),
    ],
)
def test_what_cannot_be_answered_is_said_with_a_hint(args: list[str], said: str, hint: str, run: Run) -> None:
    code, out, err = run(*args)
    assert (code, out) == (2, "")
    assert said in err
    assert hint in err


def test_all_unknown_parts_are_named_at_once(run: Run) -> None:
    _, _, err = run("--fail", "leaf-u91,spine-77")
    assert "leaf-u91" in err
    assert "spine-77" in err


def test_host_lists_of_parts(run: Run) -> None:
    document = json.loads(run("--format", "json", "--fail", "node-[01-02],leaf-u02")[1])
    assert document["failures"][0]["parts"] == ["node-01", "node-02", "leaf-u02"]


SMALL = """\
ibgen: 1
cluster: small
pools:
  - name: gpu
    hosts: "{hosts}"
    platform: {{kind: generic, hcas: [{{name: mlx5_0, model: cx6, rate: 200G{more}}}]}}
fabrics:
  - name: ib
    control: {{kind: opensm, hosts: [n1], routing: [minhop]}}
    topology: {topology}
    attach: [{{pool: gpu, hcas: all}}]
    partitions: [{{name: default, pkey: 0x7fff, members: [{{pool: gpu, membership: full}}]}}]
"""
TREE = "{kind: fat-tree, unit: 20, rails: host, leaf: {switch: qm8700, downlinks: 20}, spine: {switch: qm8700}}"
ISLANDS = """
      kind: explicit
      switches: [{names: "s-[1-2]", role: leaf, switch: qm8700}]
      cables: ["s-1:1 n1/mlx5_0:1", "s-1:2 n2/mlx5_0:1", "s-2:1 n3/mlx5_0:1", "s-2:2 n4/mlx5_0:1"]
"""


def _spec(folder: Path, hosts: str, topology: str = TREE, more: str = "") -> None:
    text = SMALL.format(hosts=hosts, topology=topology, more=more)
    (folder / "small.yaml").write_text(text)


def test_zero_gpus_have_traffic_and_no_collectives(run: Run, tmp_path: Path) -> None:
    _spec(tmp_path, "n[1-30]", more=", role: management")
    code, out, err = run("small.yaml")
    assert code == 0, err
    assert "permutation" in out
    assert "busbw" not in out


def test_one_host_has_no_traffic_and_says_so(run: Run, tmp_path: Path) -> None:
    _spec(tmp_path, "n1")
    code, out, err = run("small.yaml")
    assert code in (0, 1), err
    assert "no traffic to simulate" in out
    assert run("small.yaml", "-o", "one.svg")[0] == code
    assert run("small.yaml", "--format", "json")[0] == code


def test_a_fabric_in_islands_is_a_finding_and_its_lost_flows_are_counted(run: Run, tmp_path: Path) -> None:
    _spec(tmp_path, "n[1-4]", ISLANDS)
    code, out, err = run("small.yaml")
    assert code == 1
    assert "IBG206" in err
    assert "--> small.yaml:" in err
    assert "without a way" in out


ETHERNET = """\
ibgen: 1
cluster: eth
pools: [{name: gpu, hosts: "dgx-[001-008]", platform: dgx-h100}]
fabrics:
  - name: eth
    kind: roce
    control: {kind: provider}
    topology: {kind: fat-tree, unit: 4, leaf: {switch: sn5600, downlinks: 32}, spine: {switch: sn5600}}
    attach: [{pool: gpu, hcas: compute}]
"""


def test_ethernet_is_spread_by_hashes_and_has_no_load_per_link(run: Run, tmp_path: Path) -> None:
    (tmp_path / "eth.yaml").write_text(ETHERNET)
    code, out, _ = run("eth.yaml")
    assert code == 0
    assert "equal-cost multipath" in out
    assert not any(word in out.lower() for word in ("opensm", "minhop", "dmodk", "infiniband"))
    code, out, err = run("eth.yaml", "--format", "csv")
    assert (code, out) == (2, "")
    assert "no link has one load" in err


@pytest.mark.parametrize("args", [("--fail", "spine-01"), ("--sweep", "switches")])
def test_a_failure_on_ethernet_speaks_of_equal_ways_not_of_a_subnet_manager(
    run: Run, tmp_path: Path, args: tuple[str, str]
) -> None:
    (tmp_path / "eth.yaml").write_text(ETHERNET)
    code, out, err = run("eth.yaml", *args)
    assert code == 0
    assert "equal-cost multipath" in out
    words = ("opensm", "minhop", "dmodk", "static tables", "infiniband", "subnet manager")
    assert not any(word in (out + err).lower() for word in words)


def test_a_broken_spec_is_shown_and_nothing_simulated(run: Run, tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text("ibgen: 1\ncluster: x\npools: 7\n")
    code, out, err = run("broken.yaml")
    assert (code, out) == (1, "")
    assert "--> broken.yaml:3" in err


def test_next_is_a_failure_that_can_be_tried(run: Run) -> None:
    _, _, err = run("superpod-h100.yaml")
    (command,) = [line for line in err.splitlines() if line.startswith("next: ibgen simulate ")]
    code, out, _ = run(*command.split()[3:])
    assert code == 0
    assert out.startswith("compute without ")


@pytest.mark.parametrize("form", ["svg", "json", "csv", "text"])
def test_the_same_bytes_whatever_the_hash_seed(form: str, tmp_path: Path) -> None:
    made = set()
    for seed in ("0", "4711"):
        env = dict(os.environ) | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
        command = [sys.executable, "-m", "ibgen", "simulate", str(LAB), "--format", form]
        made.add(subprocess.run(command, env=env, capture_output=True, check=True, cwd=tmp_path).stdout)
    assert len(made) == 1


def test_interrupted_is_exit_130(tmp_path: Path) -> None:
    """A sweep of a fabric that takes long is stopped by Ctrl-C without a traceback."""
    env = dict(os.environ) | {"PYTHONPATH": str(ROOT)}
    spec = assets.examples() / "dragonfly-1056.yaml"
    # a job in the background ignores Ctrl-C, and so would what it starts: the command is made to heed it
    heed = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); from ibgen.cli import run; run()"
    command = [sys.executable, "-c", heed, "simulate", str(spec), "--patterns", "100000", "--pattern", "permutation"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=env, cwd=tmp_path, text=True, stdout=pipe, stderr=pipe) as process:
        try:
            assert process.stderr is not None
            said = ""
            while "patterns on" not in said and process.poll() is None:  # it has come to the long part, and says so
                said += process.stderr.readline()
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130
    assert out == ""
    assert "interrupted" in err
    assert "Traceback" not in err


def test_nodes_of_a_scaling_curve_divide_the_batch() -> None:
    """1,200 sequences over replicas of 64 GPUs on hosts of 8: 1 to 6, 8, 10, 12 and 15 replicas."""
    w = Workload.model_validate({"name": "w", "parameters": "175e9", "tensor": "8", "pipeline": "8", "global_batch": "1200"})
    assert sizes(w, 960, 8) == [8 * n for n in (1, 2, 3, 4, 5, 6, 8, 10, 12, 15)]


def test_planned_hosts_do_not_send(run: Run, tmp_path: Path) -> None:
    (tmp_path / "later.yaml").write_text('pools: [{name: gpu, exceptions: [{hosts: "node-[07-08]", state: planned}]}]\n')
    c, _ = compile(Input(tmp_path / "cluster.yaml", (tmp_path / "later.yaml",)))
    assert c.fabric is not None
    assert (c.fabric.hosts.state == PLANNED).sum() == 2
    rows = list(csv.DictReader(io.StringIO(run("-f", "later.yaml", "--format", "csv")[1])))
    assert not any(r["from"].startswith(("node-07", "node-08")) for r in rows)
