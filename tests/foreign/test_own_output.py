"""What ibgen writes, `ibgen check --opensm` has nothing to say about: random specs of every shape and kind of partition."""

from __future__ import annotations

import opensmspecs
from hypothesis import HealthCheck, assume, given, settings

from ibgen import foreign
from ibgen.catalog import standard
from ibgen.emit.opensm import opensm as opensm_files


@settings(max_examples=60, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(opensmspecs.specs())
def test_what_is_written_for_a_good_spec_is_silent(text: str) -> None:
    whole = opensmspecs.good(text)
    assume(whole is not None)
    assert whole is not None
    written = {a.path: a.content.decode() for a in opensm_files.run(whole)}
    for conf in [path for path in written if path.endswith("/opensm.conf")]:
        subnet = "/".join(conf.split("/")[:2])
        # a manager's host has its conf in a folder of its own, the lists lie above it
        folder = {p: t for p, t in written.items() if p.startswith(subnet) and (p == conf or p.count("/") == 2)}
        folder = {p: t for p, t in folder.items() if p == conf or not p.endswith("opensm.conf")}
        found = foreign.lint_folder(folder, standard(), "upstream")
        assert [(f.code.id, f.message) for f in found] == []
