"""The real OpenSM and traffic classes: what it programs is what the spec means; what it would swallow fails the proof."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ibgen import assets, compiler
from ibgen.compilation import complete
from ibgen.emit.expect import expect as expect_json
from ibgen.emit.ibsim import ibsim as ibsim_nets
from ibgen.emit.opensm import opensm as opensm_files
from ibgen.prove.opensm import prove
from ibgen.prove.verdict import Verdict

pytestmark = pytest.mark.opensm

EXAMPLE = (assets.examples() / "qos.yaml").read_text()
EVERYTHING = """\
      files:
        stable_lids: yes
        storage_reverse_hops: 1
        switch_ids: yes
        routing_order: yes
        hop_weights: [{switches: leaf-u01, to: spine-01, weight: 2}]
        port_order: [{switches: "leaf-u[01-02]", ports: [20, 19]}]
        prefix_routes: [{prefix: 0xfec0000000000099, router: 0x0002c90300a1b2c3}, {}]
        logging: {osm_ucast_mgr.c: 0x07}
"""


def built(spec: str, tree: Path) -> dict[str, Any]:
    c, report = compiler.compile(compiler.Input(Path("qos.yaml"), text=spec))
    whole = complete(c)
    assert whole is not None, [(d.code.id, d.message) for d in report.diagnostics]
    for a in (*opensm_files.run(whole), *ibsim_nets.run(whole), *expect_json.run(whole)):
        path = tree / a.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(a.content)
    read: dict[str, Any] = json.loads((tree / "expect.json").read_text())
    return read


def proved(tree: Path, expect: dict[str, Any]) -> Verdict:
    return prove(tree, expect, os.environ, lambda text: None)


def said(verdict: Verdict) -> str:
    return "\n".join(f"{c.passed} {c.name} {c.file}:{c.line} {c.detail}" for c in verdict.checks)


def failures(verdict: Verdict) -> set[str]:
    return {c.name.split(": ", 1)[1] for c in verdict.checks if not c.passed}


@pytest.mark.parametrize("engine", ["ftree", "updn", "minhop"])
def test_every_list_that_can_be_asked_for_is_read_without_a_word(engine: str, tmp_path: Path) -> None:
    spec = EXAMPLE.replace("      routing: [auto]\n", f"      routing: [{engine}]\n{EVERYTHING}")
    verdict = proved(tmp_path, built(spec, tmp_path))
    assert verdict.status == "passed", said(verdict)
    assert {c.name for c in verdict.checks if c.passed} >= {"ib: lanes", "ib: LIDs", "ib: no complaints"}


def test_classes_under_nvidia_s_manager_are_proved_by_projection(tmp_path: Path) -> None:
    spec = EXAMPLE.replace("flavour: upstream", "flavour: nvidia").replace('"3.3.23"', '"5.24"')
    spec = spec.replace("    qos:\n", "    adaptive: {uses: [nccl]}\n    qos:\n")
    verdict = proved(tmp_path, built(spec, tmp_path))
    assert verdict.status == "passed", said(verdict)
    assert "ar_sl_mask 0x0002" in said(verdict)
    assert "SL to VL and arbitration" in said(verdict)


def test_lanes_above_the_simulator_s_are_compared_as_far_as_it_has_them(tmp_path: Path) -> None:
    """ibsim's ports have eight lanes, and OpenSM cuts a lane's number to the bits a port has."""
    verdict = proved(tmp_path, built(EXAMPLE.replace("sl: 2, weight: 64", "sl: 2, vl: 12, weight: 64"), tmp_path))
    assert verdict.status == "passed", said(verdict)


def test_congestion_control_of_upstream_is_taken_as_it_stands(tmp_path: Path) -> None:
    more = (
        "    congestion: {uses: [nccl], threshold: 15, packet_size: 8, marking_rate: 10, increase: 1, timer: 150, trigger: 2}\n"
    )
    verdict = proved(tmp_path, built(EXAMPLE.replace("    qos:\n", f"{more}    qos:\n"), tmp_path))
    assert verdict.status == "passed", said(verdict)
    assert "not judged: congestion_control TRUE" in said(verdict), "the simulated ports answer no such MADs"


Damage = Callable[[str], str]


def edit(pattern: str, by: str) -> Damage:
    def damage(text: str) -> str:
        changed = re.sub(pattern, by, text, count=1, flags=re.S)
        assert changed != text, f"nothing matches {pattern}"
        return changed

    return damage


@pytest.mark.parametrize(
    ("file", "damage", "fails"),
    [
        pytest.param("head-01/opensm.conf", edit(r"qos TRUE", "qos true"), {"lanes"}, id="true-is-false"),
        pytest.param("head-01/opensm.conf", edit(r"sl2vl 0,1", "sl2vl 0,2"), {"lanes"}, id="another-lane"),
        pytest.param("head-01/opensm.conf", edit(r"(sl2vl [0-9,]+),0,0\n", r"\1\n"), {"complaint"}, id="fourteen-levels"),
        pytest.param("head-01/opensm.conf", edit(r"vlarb_low 0:\d+,", "vlarb_low "), {"lanes"}, id="lane-starved"),
        pytest.param("head-01/opensm.conf", edit(r"max_op_vls \d", "max_op_vls 1"), {"lanes"}, id="one-lane"),
        pytest.param("qos-policy.conf", edit(r"end-qos-ulps", ""), {"complaint"}, id="section-open"),
        pytest.param("qos-policy.conf", edit(r"name: DEFAULT", "name: other"), {"complaint"}, id="no-default-level"),
        pytest.param(
            "qos-policy.conf", edit(r"qos-level-name: files", "qos-level-name: filez"), {"complaint"}, id="unknown-level"
        ),
    ],
)
def test_what_opensm_swallows_fails_the_proof(file: str, damage: Damage, fails: set[str], tmp_path: Path) -> None:
    """reference 2.2: with `qos true` nothing is programmed; a policy that cannot be read is ignored; both exit 0."""
    expect = built(EXAMPLE, tmp_path)
    path = tmp_path / "opensm" / "ib" / file
    path.write_text(damage(path.read_text()))
    verdict = proved(tmp_path, expect)
    assert verdict.status == "failed", said(verdict)
    assert fails <= failures(verdict), said(verdict)


def test_other_lids_than_planned_fail_the_proof(tmp_path: Path) -> None:
    expect = built(EXAMPLE.replace("      routing: [auto]\n", "      files: {stable_lids: yes}\n"), tmp_path)
    (tmp_path / "opensm" / "ib" / "guid2lid").unlink()
    assert "LIDs" in failures(proved(tmp_path, expect))
