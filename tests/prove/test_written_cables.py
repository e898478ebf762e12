"""Cables written out by hand: what `ibgen check` says of their routes is what the real OpenSM and ibdmchk make of them."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest

from ibgen import compiler
from ibgen.compilation import complete
from ibgen.emit.expect import expect as expect_json
from ibgen.emit.ibsim import ibsim as ibsim_nets
from ibgen.emit.opensm import opensm as opensm_files
from ibgen.prove.opensm import prove
from ibgen.prove.verdict import Verdict

pytestmark = pytest.mark.opensm

SPEC = """\
ibgen: 1
cluster: hand
pools: [{name: cpu, hosts: "n[01-12]", platform: {kind: generic, hcas: [{name: mlx5_0, rate: 200G}]}}]
fabrics:
  - name: ib
    control: {kind: opensm, routing: [ENGINE]}
    topology: {kind: explicit, switches: [SWITCHES], cables: CABLES}
    attach: [{pool: cpu, hcas: all}]
"""
RING = [f"s-{i}:20 s-{i % 6 + 1}:30" for i in range(1, 7)] + [f"s-{(n + 1) // 2}:{n} n{n:02}/mlx5_0:1" for n in range(1, 13)]
HOSTS = [f"l-{1 + (n - 1) // 4}:{n} n{n:02}/mlx5_0:1" for n in range(1, 13)]
TREE = [f"l-{leaf}:{20 + spine} p-{spine}:{leaf}" for leaf in (1, 2, 3) for spine in (1, 2)] + HOSTS
ONE = '{names: "s-[1-6]", switch: qm8700, role: leaf}'
TWO = '{names: "l-[1-3]", switch: qm8700, role: leaf}, {names: "p-[1-2]", switch: qm8700, role: spine}'
SWAPPED = '{names: "l-[1-3]", switch: qm8700, role: spine}, {names: "p-[1-2]", switch: qm8700, role: leaf}'
ON_SPINE = [*TREE[:-1], "p-1:30 n12/mlx5_0:1"]
CORE = TWO + ', {names: "c-1", switch: qm8700, role: core}'


@pytest.mark.parametrize(
    ("switches", "cables", "engine", "right"),
    [
        pytest.param(ONE, RING, "auto", True, id="ring-auto"),
        pytest.param(ONE, RING, "minhop", False, id="ring-minhop"),
        pytest.param(ONE, RING, "ftree", False, id="ring-ftree"),
        pytest.param(TWO, TREE, "ftree", True, id="tree"),
        pytest.param(TWO, ON_SPINE, "auto", True, id="host-on-a-spine"),
        pytest.param(TWO, ON_SPINE, "ftree", False, id="host-on-a-spine-ftree"),
        pytest.param(TWO, [*TREE, "l-1:35 l-2:35"], "auto", True, id="leaf-to-leaf"),
        pytest.param(SWAPPED, TREE, "updn", False, id="roles-swapped"),
        pytest.param(CORE, [*TREE, "c-1:1 p-1:33", "c-1:2 p-2:33", "c-1:3 l-1:33"], "auto", True, id="past-a-tier"),
    ],
)
def test_check_and_opensm_agree(switches: str, cables: list[str], engine: str, right: bool, tmp_path: Path) -> None:
    text = SPEC.replace("ENGINE", engine).replace("SWITCHES", switches).replace("CABLES", json.dumps(cables))
    said, verdict = judged(text, tmp_path)
    assert (not said, verdict.status == "passed") == (right, right), (said, verdict)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(16))
def test_check_and_opensm_agree_on_any_cables(seed: int, tmp_path: Path) -> None:
    """Connected at random, tiers at random: half of them cannot be served by the engine that is asked for."""
    draw = random.Random(seed)
    switches = draw.randint(2, 6)
    free = {s: list(range(20, 41)) for s in range(switches)}
    pairs = [(s, draw.randrange(s)) for s in range(1, switches)]
    pairs += [tuple(draw.sample(range(switches), 2)) for _ in range(draw.randint(0, 4))]
    cables = [f"s{a}:{free[a].pop()} s{b}:{free[b].pop()}" for a, b in pairs]
    cables += [f"s{draw.randrange(switches)}:{n} n{n:02}/mlx5_0:1" for n in range(1, 13)]
    roles = [draw.choice(("leaf", "leaf", "spine", "core")) for _ in range(switches)]
    rows = ", ".join(f"{{names: s{s}, switch: qm8700, role: {role}}}" for s, role in enumerate(roles))
    engine = draw.choice(("auto", "minhop", "updn", "ftree", "ftree, updn"))
    text = SPEC.replace("ENGINE", engine).replace("SWITCHES", rows).replace("CABLES", json.dumps(cables))
    said, verdict = judged(text, tmp_path)
    assert bool(said) == (verdict.status != "passed"), (said, verdict)


def judged(text: str, tree: Path) -> tuple[list[str], Verdict]:
    """What the rule says, and what OpenSM does."""
    c, report = compiler.compile(compiler.Input(Path("hand.yaml"), text=text))
    whole = complete(c)
    assert whole is not None
    for artifact in (*opensm_files.run(whole), *ibsim_nets.run(whole), *expect_json.run(whole)):
        path = tree / artifact.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(artifact.content)
    said = [d.message for d in report.diagnostics if d.code.id == "IBG610"]
    return said, prove(tree, json.loads((tree / "expect.json").read_text()), os.environ, str)
