"""Two real OpenSM on one simulated subnet, each with its own conf of the tree: master, standby, and a master that dies."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ibgen import compiler
from ibgen.compilation import complete
from ibgen.emit.expect import expect as expect_json
from ibgen.emit.ibsim import ibsim as ibsim_nets
from ibgen.emit.opensm import opensm as opensm_files
from ibgen.prove import ibsim
from ibgen.prove.opensm_projection import project

pytestmark = pytest.mark.opensm

SPEC = """\
ibgen: 1
cluster: ha
pools:
  - {name: gpu, hosts: "node-[1-4]", platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G}]}}
  - name: service
    hosts: sm-[1-2]
    platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G, role: management}]}
fabrics:
  - name: ib
    control:
      kind: opensm
      hosts: [sm-2, sm-1]
      subnet_prefix: 0xfec0000000000001
      options: {sminfo_polling_timeout: 500, polling_retry_number: 3}
      files: {stable_lids: yes}
    topology: {kind: fat-tree, rails: host, unit: 3, units: 2, leaf: {switch: qm8700}, spine: {switch: qm8700},
               reserve: {sm: 2}}
    attach:
      - {pool: gpu, hcas: all}
      - {pool: service, hcas: all, at: reserved}
"""


def tree(folder: Path) -> Path:
    c, report = compiler.compile(compiler.Input(Path("ha.yaml"), text=SPEC))
    whole = complete(c)
    assert whole is not None, [(d.code.id, d.message) for d in report.diagnostics]
    for a in (*opensm_files.run(whole), *ibsim_nets.run(whole), *expect_json.run(whole)):
        path = folder / a.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(a.content)
    return folder


@contextmanager
def manager(sim: ibsim.Simulator, built: Path, host: str, work: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The manager of one host, with the conf the tree has for it and an empty cache of its own."""
    work.mkdir()
    projection = project(built / "opensm" / "ib", f"{host}/opensm.conf", work, "upstream")
    with projection.conf.open("a") as conf:
        conf.write("force_log_flush TRUE\n")  # else the log is written when its buffer is full
    env = {**sim.env, "SIM_HOST": f"{host}/mlx5_0", "OSM_TMP_DIR": str(work), "OSM_CACHE_DIR": str(work)}
    command = ["opensm", "-e", "-F", str(projection.conf), "-f", str(work / "log"), "-D", "0x43"]
    with (work / "out").open("wb") as out:
        process = subprocess.Popen(command, cwd=work, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def said(work: Path, words: str, timeout_s: float) -> float:
    """Seconds until the manager has logged `words`."""
    started = time.monotonic()
    while time.monotonic() - started < timeout_s:
        if (work / "log").is_file() and words in (work / "log").read_text(errors="replace"):
            return time.monotonic() - started
        time.sleep(0.05)
    raise AssertionError(f"never {words!r}: {(work / 'out').read_text(errors='replace')[-500:]}")


def test_the_standby_waits_and_takes_over_in_the_time_that_is_printed(tmp_path: Path) -> None:
    """reference 2.4; needs K27: which of two managers rules is a matter of priority, not of who came first."""
    built = tree(tmp_path / "tree")
    section = json.loads((built / "expect.json").read_text())["opensm"]["ib"]
    assert [(m["host"], m["priority"]) for m in section["managers"]] == [("sm-2", 2), ("sm-1", 1)]
    conf = (built / "opensm" / "ib" / "sm-1" / "opensm.conf").read_text()
    assert "takes over 1.5 to 2 s after the master's death" in conf
    master, standby = tmp_path / "sm-2", tmp_path / "sm-1"
    scratch = tmp_path / "sim"
    scratch.mkdir()
    with ibsim.simulator(built / "sim" / "ib.net", scratch, os.environ) as sim, manager(sim, built, "sm-2", master) as first:
        said(master, "SUBNET UP", 20)
        with manager(sim, built, "sm-1", standby):
            said(standby, "Entering STANDBY state", 20)
            time.sleep(2.5)  # longer than a master may stay silent
            assert "Entering MASTER state" not in (standby / "log").read_text()
            lids = (standby / "guid2lid").read_text().split()
            first.kill()
            waited = said(standby, "Entering MASTER state", 60)
            assert 1.0 < waited < 15, "1.5 to 2 s, and the time of a busy machine"
            said(standby, "SUBNET UP", 20)
            assert sorted((standby / "guid2lid").read_text().split()) == sorted(lids), "everybody keeps the LID they had"


def test_the_higher_priority_rules_whoever_came_first(tmp_path: Path) -> None:
    built = tree(tmp_path / "tree")
    early, late = tmp_path / "sm-1", tmp_path / "sm-2"
    scratch = tmp_path / "sim"
    scratch.mkdir()
    with ibsim.simulator(built / "sim" / "ib.net", scratch, os.environ) as sim, manager(sim, built, "sm-1", early):
        said(early, "SUBNET UP", 20)
        with manager(sim, built, "sm-2", late):
            said(late, "Entering MASTER state", 90)  # it asks every few seconds; a busy machine takes long
            said(early, "Entering STANDBY state", 60)


def test_the_confs_of_two_hosts_differ_in_port_and_priority_only(tmp_path: Path) -> None:
    built = tree(tmp_path)

    def lines(host: str) -> dict[str, str]:
        text = (built / "opensm" / "ib" / host / "opensm.conf").read_text()
        return dict(line.split(None, 1) for line in text.splitlines() if line and not line.startswith("#"))

    one, two = lines("sm-1"), lines("sm-2")
    assert one.keys() == two.keys()
    assert {name for name in one if one[name] != two[name]} == {"guid", "sm_priority"}
