"""Whatever `ibgen check` finds no error in, the real OpenSM brings up as the spec means: every shape, all partitions."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import opensmspecs
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from ibgen.emit.expect import expect as expect_json
from ibgen.emit.ibsim import ibsim as ibsim_nets
from ibgen.emit.opensm import opensm as opensm_files
from ibgen.prove.opensm import prove

pytestmark = [pytest.mark.opensm, pytest.mark.slow]

EXAMPLES = 3
"""Of each shape; about a second each. IBGEN_TEST_EXAMPLES asks for more."""


@settings(
    max_examples=int(os.environ.get("IBGEN_TEST_EXAMPLES", EXAMPLES)),
    derandomize="IBGEN_TEST_EXAMPLES" not in os.environ,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
@given(st.data())
@pytest.mark.parametrize("shape", opensmspecs.SHAPES)
def test_a_spec_without_errors_passes_the_gate(shape: str, data: st.DataObject) -> None:
    text = data.draw(opensmspecs.specs((shape,)))
    whole = opensmspecs.good(text)
    assume(whole is not None)
    assert whole is not None
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        for artifact in (*opensm_files.run(whole), *ibsim_nets.run(whole), *expect_json.run(whole)):
            path = tree / artifact.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(artifact.content)
        verdict = prove(tree, json.loads((tree / "expect.json").read_text()), os.environ, str)
    assert verdict.status == "passed", [(c.name, c.detail, c.file) for c in verdict.checks if not c.passed]
