"""The proof of a tree's nccl.conf files on the real library, and its manners where that is absent.

The library is big (a 166 to 322 MB wheel), so it is no requirement of the tests: `pip install nvidia-nccl-cu12` runs them all.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from ibgen.emit.nccl import conf
from ibgen.prove.nccl import find, prove
from ibgen.prove.verdict import Verdict
from ibgen.targets.nccl import NcclProfile, NcclSetting, expect

SETTINGS = (
    NcclSetting("NCCL_SOCKET_IFNAME", "=bond0", "the bootstrap's interface"),
    NcclSetting("NCCL_IB_HCA", "=mlx5_0:1,mlx5_3:1", "the compute ports, a=b"),
    NcclSetting("NCCL_NET", "AWS Libfabric", "a blank inside stays"),
)
needs_nccl = pytest.mark.skipif(find(os.environ) is None, reason="needs libnccl.so.2: pip install nvidia-nccl-cu12")


def tree_of(folder: Path, comments: bool) -> tuple[Path, dict[str, Any]]:
    profile = NcclProfile("gpu", 0, ("n1",), "2.27", SETTINGS, comments)
    file = folder / "nccl" / "gpu.conf"
    file.parent.mkdir(parents=True)
    file.write_text(conf(profile, "lab"))
    return file, {"nccl": [expect(profile)]}


def proved(folder: Path, wanted: dict[str, Any]) -> Verdict:
    return prove(folder, wanted, os.environ, lambda _: None)


@needs_nccl
@pytest.mark.parametrize("comments", [True, False])
def test_the_library_reads_what_was_meant(comments: bool, tmp_path: Path) -> None:
    verdict = proved(tmp_path, tree_of(tmp_path, comments)[1])
    assert verdict.status == "passed", verdict.checks


@needs_nccl
@pytest.mark.parametrize(
    ("find", "put", "said"),
    [
        ("NCCL_IB_HCA==", "NCCL_IB_HCA = =", "NCCL_IB_HCA is not set"),
        ("NCCL_NET=AWS Libfabric", 'NCCL_NET="AWS Libfabric"', 'NCCL_NET="AWS Libfabric"'),
        ("NCCL_SOCKET", "NCCL_SOCKET_IFNAME=eth0\nNCCL_SOCKET", "NCCL_SOCKET_IFNAME=eth0"),
        ("NCCL_NET", "export NCCL_IB_TIMEOUT=22\nNCCL_NET", "'export NCCL_IB_TIMEOUT' is set and not wanted"),
    ],
)
def test_what_the_parser_mangles_is_caught(find: str, put: str, said: str, tmp_path: Path) -> None:
    file, wanted = tree_of(tmp_path, False)
    file.write_text(file.read_text().replace(find, put))
    verdict = proved(tmp_path, wanted)
    assert verdict.status == "failed"
    assert said in verdict.reason


@needs_nccl
def test_a_missing_file_fails(tmp_path: Path) -> None:
    file, wanted = tree_of(tmp_path, False)
    file.unlink()
    assert proved(tmp_path, wanted).status == "failed"


def test_something_that_is_no_library_is_a_skip(tmp_path: Path) -> None:
    (tmp_path / "libnccl.so.2").write_bytes(b"not ELF")
    _, wanted = tree_of(tmp_path, False)
    verdict = prove(tmp_path, wanted, {**os.environ, "LD_LIBRARY_PATH": str(tmp_path)}, lambda _: None)
    assert verdict.status == "skipped"
    assert "pip install nvidia-nccl-cu12" in verdict.remedy


def test_a_tree_without_nccl_files_passes(tmp_path: Path) -> None:
    assert proved(tmp_path, {}).status == "passed"
