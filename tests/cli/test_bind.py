"""`ibgen bind`: files, streams, exit codes; and the whole way round on the real programs."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import sys
from collections.abc import Callable
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from ibgen import assets
from ibgen.cli import start
from ibgen.prove import ibsim

DUMP = Path(__file__).parent.parent / "discover" / "lab.ibnetdiscover.txt"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`ibgen` in a folder with the lab and a dump of it, whose GUIDs are not ibgen's."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    shutil.copy(assets.examples() / "lab.yaml", tmp_path)
    (tmp_path / "fabric.txt").write_text(foreign(DUMP.read_text()))

    def ibgen(*args: str) -> tuple[int, str, str]:
        code = start.main(args)
        got = capsys.readouterr()
        assert "Traceback" not in got.err
        return code, got.out, got.err

    return ibgen


def foreign(text: str) -> str:
    """Other GUIDs in the place of the synthetic ones, which begin with 02; port GUIDs as ibsim counts them."""
    return re.sub(r"(?<![0-9a-f])0?2([0-9a-f]{14})\b", r"9c\1", text)


def test_bind_without_a_name_for_the_file(run: Run) -> None:
    code, out, err = run("bind", "lab.yaml", "fabric.txt")
    assert code == 0
    assert re.search(r"^ib +4/4 +19/19 +0 +0 +0 +fabric.txt$", out, re.M)
    assert "wrote lab.guids.csv, 23 rows: 23 new" in err
    assert err.endswith("add `bindings: lab.guids.csv` to the spec, so that builds use it\n")
    lines = Path("lab.guids.csv").read_text().splitlines()
    assert lines[0] == "host,hca,port,node_guid,port_guid,system_image_guid"
    assert len(lines) == 24


def test_bind_then_build_is_not_synthetic(run: Run) -> None:
    """The file that the spec names need not be there at first."""
    Path("lab.yaml").write_text(Path("lab.yaml").read_text() + "\nbindings: lab.guids.csv\n")
    code, _, err = run("bind", "lab.yaml", "fabric.txt")
    assert code == 0
    assert err.endswith("next: ibgen build lab.yaml\n")
    assert run("build", "lab.yaml", "--require-bindings")[0] == 0
    assert not [p for p in Path("out").rglob("*") if p.is_file() and b"# SYNTHETIC" in p.read_bytes()[:40]]


def test_check_writes_nothing_and_tells_by_its_exit_code(run: Run) -> None:
    code, _, err = run("bind", "lab.yaml", "fabric.txt", "--check")
    assert code == 1
    assert "would change lab.guids.csv" in err
    assert not Path("lab.guids.csv").exists()
    assert run("bind", "lab.yaml", "fabric.txt")[0] == 0
    before = Path("lab.guids.csv").stat()
    code, _, err = run("bind", "lab.yaml", "fabric.txt", "--check")
    assert code == 0
    assert "lab.guids.csv is what the dumps say, 23 rows: 23 as before" in err
    run("bind", "lab.yaml", "fabric.txt")
    assert Path("lab.guids.csv").stat().st_mtime_ns == before.st_mtime_ns, "what is right is not written again"


def test_exchanged_adapter_is_one_line_on_the_screen_and_in_the_file(run: Run) -> None:
    run("bind", "lab.yaml", "fabric.txt")
    old = Path("lab.guids.csv").read_text().splitlines()
    text = Path("fabric.txt").read_text()
    guid = re.search(r'"H-([0-9a-f]{16})"\t\t# "node-03 mlx5_0"', text)
    assert guid is not None
    Path("fabric.txt").write_text(text.replace(guid[1][:15], "9c00000000abcd0"))
    code, out, err = run("bind", "lab.yaml", "fabric.txt")
    assert code == 0
    assert re.search(r"^~ node-03/mlx5_0:1  0x9c\w+ -> 0x9c00000000ab\w+  leaf-u01 port 5$", out, re.M)
    assert "note[IBG815]: guid-changed" in err
    new = Path("lab.guids.csv").read_text().splitlines()
    assert len([1 for a, b in zip(old, new, strict=True) if a != b]) == 1


def test_json_has_everything_and_stands_alone(run: Run) -> None:
    text = re.sub(r"(?m)^.*node-0[12] mlx5_0.*\n", "", Path("fabric.txt").read_text()).replace(
        "node-03 mlx5_1", "stranger mlx5_1"
    )
    Path("fabric.txt").write_text(text)
    code, out, err = run("bind", "lab.yaml", "fabric.txt", "--format", "json")
    document = json.loads(out)
    assert (code, err) == (0, "")
    assert document["format"] == "ibgen-bind"
    assert document["written"] is True
    assert {u["name"] for u in document["unbound"]} == {"node-01/mlx5_0:1", "node-02/mlx5_0:1", "node-03/mlx5_1:1"}
    assert [e["description"] for e in document["extra"]] == ["stranger mlx5_1"]
    assert len(document["rows"]) == 20
    assert {r["state"] for r in document["rows"]} == {"new"}
    assert all(re.fullmatch("0x[0-9a-f]{16}", r["node_guid"]) for r in document["rows"])
    assert {d["name"] for d in document["diagnostics"]} >= {"names-unbound", "node-not-in-spec"}


def test_unbound_names_fail_where_that_is_asked_for(run: Run) -> None:
    Path("fabric.txt").write_text(re.sub(r"(?m)^.*node-01.*\n", "", Path("fabric.txt").read_text()))
    assert run("bind", "lab.yaml", "fabric.txt", "--fail-on", "warning")[0] == 1
    code, _, err = run("bind", "lab.yaml", "fabric.txt")
    assert code == 0
    assert "warning[IBG814]: names-unbound: 2 names of `ib` have no GUID" in err
    assert "node-01/mlx5_0:1" in err


@pytest.mark.parametrize("text", ["", "nonsense\n", "Switch", "\0\0"])
def test_hopeless_dump_writes_nothing(text: str, run: Run) -> None:
    Path("bad.txt").write_text(text)
    code, _, err = run("bind", "lab.yaml", "bad.txt")
    assert code == 1
    assert "dump-unreadable" in err
    assert "nothing was written" in err
    assert not Path("lab.guids.csv").exists()


def test_garbage_in_a_record_is_exit_1_and_the_rest_is_bound(run: Run) -> None:
    text = Path("fabric.txt").read_text()
    at = text.index("[7]")
    Path("fabric.txt").write_text(f"{text[:at]}ibpanic: out of memory\n{text[at:]}")
    code, _, err = run("bind", "lab.yaml", "fabric.txt")
    assert code == 1
    assert "`ibpanic: out of memory` is no line of a record" in err
    assert "--> fabric.txt:" in err
    assert "wrote lab.guids.csv, 23 rows" in err


def test_bindings_with_errors_are_not_written_over(run: Run) -> None:
    """A row that cannot be read would be lost."""
    bad = "host,hca,port,node_guid,port_guid,system_image_guid\nnode-01,mlx5_0,1,oops,0x1,0x1\n"
    Path("lab.guids.csv").write_text(bad)
    code, _, err = run("bind", "lab.yaml", "fabric.txt")
    assert code == 1
    assert "guid-unreadable" in err
    assert "--> lab.guids.csv:2" in err
    assert Path("lab.guids.csv").read_text() == bad


def test_a_guid_on_two_rows_is_put_right(run: Run) -> None:
    run("bind", "lab.yaml", "fabric.txt")
    good = Path("lab.guids.csv").read_text()
    lines = good.splitlines()
    lines[2] = ",".join([*lines[2].split(",")[:3], *lines[3].split(",")[3:]])
    Path("lab.guids.csv").write_text("\n".join(lines) + "\n")
    assert run("bind", "lab.yaml", "fabric.txt")[0] == 0
    assert Path("lab.guids.csv").read_text() == good


def test_output_elsewhere_begins_with_what_the_spec_names(run: Run) -> None:
    Path("lab.yaml").write_text(Path("lab.yaml").read_text() + "\nbindings: lab.guids.csv\n")
    run("bind", "lab.yaml", "fabric.txt")
    whole = Path("lab.guids.csv").read_text()
    Path("part.txt").write_text(re.sub(r"(?m)^.*node-0[4-9].*\n", "", Path("fabric.txt").read_text()))
    assert run("bind", "lab.yaml", "part.txt", "-o", "other.csv")[0] == 0
    assert Path("other.csv").read_text() == whole


def test_file_keeps_its_mode_and_a_link_stays_a_link(run: Run) -> None:
    Path("real").mkdir()
    Path("real/guids.csv").touch(mode=0o640)
    Path("real/guids.csv").write_text("host,hca,port,node_guid,port_guid,system_image_guid\n")
    Path("lab.guids.csv").symlink_to("real/guids.csv")
    assert run("bind", "lab.yaml", "fabric.txt")[0] == 0
    assert Path("lab.guids.csv").is_symlink()
    assert stat.S_IMODE(Path("real/guids.csv").stat().st_mode) == 0o640
    assert len(Path("real/guids.csv").read_text().splitlines()) == 24
    assert sorted(p.name for p in Path("real").iterdir()) == ["guids.csv"], "nothing is left beside it"


def test_dump_on_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(Path("fabric.txt").read_bytes())))
    code, out, _ = run("bind", "lab.yaml", "-")
    assert code == 0
    assert "<stdin>" in out


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["lab.yaml"], "missing argument"),
        (["lab.yaml", "absent.txt"], "there is no dump absent.txt"),
        (["lab.yaml", "."], ". is a folder, not a dump"),
        (["absent.yaml", "fabric.txt"], "there is no spec absent.yaml"),
        (["lab.yaml", "fabric.txt", "-o", "no/where.csv"], "there is no folder no"),
        (["lab.yaml", "fabric.txt", "-o", "."], ". is a folder"),
        (["-", "-"], "only one of spec and dump"),
    ],
)
def test_wrong_use_is_exit_2(args: list[str], said: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(b"")))
    code, out, err = run("bind", *args)
    assert (code, out) == (2, "")
    assert said in err.lower()


def test_spec_with_errors_is_shown(run: Run) -> None:
    Path("lab.yaml").write_text("ibgen: 1\ncluster: lab\n")
    code, _, err = run("bind", "lab.yaml", "fabric.txt")
    assert code == 1
    assert "error[IBG" in err


def discovered(net: Path, folder: Path) -> str:
    """What the real ibnetdiscover prints on a simulated subnet."""
    env = dict(os.environ)
    folder.mkdir()
    with ibsim.simulator(net.resolve(), folder, env) as simulator:
        at = next(n.id for n in ibsim.nodes(net.read_text()) if n.kind == "Ca")
        done = simulator.run(["ibnetdiscover"], at, 120)
    assert done.code == 0, done.err
    return done.out


@pytest.mark.opensm
@pytest.mark.slow
@pytest.mark.parametrize("example", ["lab", "tenants"])
def test_the_loop_closes(example: str, run: Run, tmp_path: Path) -> None:
    """Synthetic GUIDs, a simulated fabric with others, the real ibnetdiscover, bind, build: OpenSM brings up what the spec
    means, under GUIDs that nobody made up, and nothing is marked synthetic any more. Half the adapters have no name."""
    text = re.sub(r"(?m)^bindings:.*\n", "", (assets.examples() / f"{example}.yaml").read_text())
    Path("bare.yaml").write_text(text)
    Path("pod.yaml").write_text(f"{text}\nbindings: pod.guids.csv\n")
    assert run("build", "bare.yaml", "-o", "first")[0] == 0
    net = tmp_path / "real.net"
    dumps = []
    for n, file in enumerate(sorted(Path("first/sim").glob("*.net"))):
        text = re.sub(r"(guid=0x)02", r"\g<1>9c", file.read_text())
        net.write_text(
            re.sub(r'(Ca\t\d+ "[^"]*[02468]/mlx5_\d"\t# ")[^"]*', r"\1MT4123 ConnectX6   Mellanox Technologies", text)
        )
        Path(f"dump-{n}.txt").write_text(discovered(net, tmp_path / f"sim-{n}"))
        dumps.append(f"dump-{n}.txt")
    code, out, err = run("bind", "pod.yaml", *dumps, "--format", "json")
    document = json.loads(out)
    assert (code, err) == (0, "")
    assert [u for u in document["unbound"] if not u["why"].startswith("it is out of service")] == []
    assert document["extra"] == document["conflicts"] == []
    assert sum(t["by_place"] for t in document["subnets"]) > 0
    assert run("build", "pod.yaml", "-o", "out", "--require-bindings")[0] == 0
    for path in (p for p in Path("out").rglob("*") if p.is_file()):
        assert not path.read_text().startswith("# SYNTHETIC"), path
        assert "0x02" not in path.read_text() or path.name == "ibgen.manifest.json", path
    code, out, _ = run("prove", "out", "--only", "opensm", "--require", "opensm")
    assert code == 0, out
    assert re.search(r"passed", out)
