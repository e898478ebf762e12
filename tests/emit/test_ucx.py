"""The text of ucx.conf, read back by a port of UCX's own parser and, where it is installed, by UCX."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibgen.emit.ucx import conf, exports
from ibgen.targets.ucx import UcxProfile, UcxSetting, fits

LINE = 199
"""What fgets reads at once (INI_MAX_LINE 200, ucs/config/ini.h)."""


def parse(text: str) -> dict[str, str]:
    """inih as UCX builds it: long lines in pieces, `;` behind a blank begins a comment, a blank first goes on with the name."""
    found: dict[str, str] = {}
    before = ""
    for line in text.splitlines(keepends=True):
        for start in range(0, len(line), LINE):
            piece = line[start : start + LINE].rstrip()
            body = piece.lstrip()
            if not body or body[0] in ";#":
                continue
            if before and body != piece:
                found[before] = body
                continue
            name, sign, value = body.partition("=")
            if sign:
                cut = next((i for i in range(1, len(value)) if value[i] == ";" and value[i - 1].isspace()), len(value))
                before = name.rstrip()
                found[before] = value[:cut].strip()
    return found


# measured with ucx_info -c of 1.13.1
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("UCX_TLS=rc\n", {"UCX_TLS": "rc"}),
        ("UCX_TLS=rc\n  UCX_LOG_LEVEL = info\n", {"UCX_TLS": "UCX_LOG_LEVEL = info"}),
        ("export UCX_MAX_RNDV_RAILS=3\n", {"export UCX_MAX_RNDV_RAILS": "3"}),
        ("# UCX_TLS=rc\n", {}),
    ],
)
def test_the_port_reads_as_ucx_does(text: str, found: dict[str, str]) -> None:
    assert parse(text) == found


def profile(settings: dict[str, str], reason: str = "measured; a=b") -> UcxProfile:
    rows = [UcxSetting(name, value, reason) for name, value in settings.items()]
    known = (1, 16)
    return UcxProfile(
        "gpu", 0, ("n1",), "1.16", tuple(r for r in rows if fits(r, known)), tuple(r for r in rows if not fits(r, known))
    )


NAMES = st.from_regex(r"UCX_[A-Z0-9_]{1,30}", fullmatch=True)
VALUES = st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="\"'`;$\\{}"), min_size=1, max_size=300)
REASONS = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=300)


@given(settings=st.dictionaries(NAMES, VALUES, min_size=1, max_size=8), reason=REASONS)
def test_what_is_written_is_what_ucx_reads(settings: dict[str, str], reason: str) -> None:
    made = profile(settings, reason)
    assert parse(conf(made, "lab" * 100)) == {s.name: s.value for s in made.conf}
    assert {s.name: s.value for s in (*made.conf, *made.exports)} == settings


def test_exports_mean_in_a_shell_what_they_say(tmp_path: Path) -> None:
    made = UcxProfile(
        "gpu",
        0,
        ("n1",),
        "1.10",
        (),
        (UcxSetting("UCX_NET_DEVICES", "mlx5_0:1,*", "a b"), UcxSetting("OMPI_MCA_x", "a b&c", "r")),
    )
    (tmp_path / "x.sh").write_text(exports(made, "lab"))
    said = subprocess.run(
        ["sh", "-c", f". {tmp_path}/x.sh; env"], capture_output=True, text=True, check=True, cwd=tmp_path
    ).stdout
    assert "UCX_NET_DEVICES=mlx5_0:1,*\n" in said
    assert "OMPI_MCA_x=a b&c\n" in said


def test_ucx_itself_reads_the_file(tmp_path: Path) -> None:
    if shutil.which("ucx_info") is None:
        pytest.skip("apt-get install ucx-utils")
    made = profile({"UCX_NET_DEVICES": "mlx5_0:1,mlx5_3:1", "UCX_MAX_RNDV_RAILS": "3"})
    (tmp_path / "ucx.conf").write_text(conf(made, "lab"))
    env = {**os.environ, "UCX_CONFIG_DIR": str(tmp_path)}
    said = subprocess.run(["ucx_info", "-c"], env=env, capture_output=True, text=True, check=True).stdout.splitlines()
    assert {"UCX_NET_DEVICES=mlx5_0:1,mlx5_3:1", "UCX_MAX_RNDV_RAILS=3"} <= set(said)
