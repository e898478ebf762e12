"""Files as they come: missing, a directory, of another encoding, too large."""

from __future__ import annotations

import os
import pathlib

import pytest

from ibgen.diagnostics import Finding, Span
from ibgen.source import MAX_BYTES, read


def refused(path: pathlib.Path, name: str | None = "spec.yaml") -> Finding:
    text, findings = read(path, name)
    assert text is None
    [finding] = findings
    assert finding.hint
    return finding


def test_utf8_is_read_with_or_without_a_byte_order_mark(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.yaml"
    for mark in (b"", b"\xef\xbb\xbf"):
        path.write_bytes(mark + "a: ä\n".encode())
        assert read(path) == ("a: ä\n", ())


def test_a_missing_file_names_its_neighbour(tmp_path: pathlib.Path) -> None:
    (tmp_path / "cluster.yaml").write_text("a: 1\n")
    finding = refused(tmp_path / "clusters.yaml", "clusters.yaml")
    assert (finding.code.id, finding.at) == ("IBG001", Span("clusters.yaml", 0))
    assert "cluster.yaml`?" in finding.hint
    assert "no directory" in refused(tmp_path / "no" / "a.yaml").hint


def test_without_a_name_findings_name_the_path(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.yaml"
    assert refused(path, None).at == Span(str(path), 0)


def test_a_directory_is_no_file(tmp_path: pathlib.Path) -> None:
    finding = refused(tmp_path)
    assert finding.code.id == "IBG001"
    assert "directory" in finding.message


def test_a_path_through_a_file_and_one_with_a_nul(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a").write_text("")
    assert "not a directory" in refused(tmp_path / "a" / "b.yaml").message
    assert refused(pathlib.Path("a\0b")).code.id == "IBG001"
    assert refused(tmp_path / ("x" * 5000)).code.id == "IBG001"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a: 1\n")
    path.chmod(0)
    assert "may not be read" in refused(path).message


def test_a_byte_that_is_not_utf8_is_named_with_offset_line_and_column(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes("a: ü\nb: ö".encode() + b"\xe9\n")
    finding = refused(path)
    assert (finding.code.id, finding.at) == ("IBG002", Span("spec.yaml", 2, 5, 2, 6))
    assert "0xe9 at offset 11 (line 2)" in finding.message


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-16-le"])
def test_utf16_is_not_utf8(tmp_path: pathlib.Path, encoding: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes("a: 1\n".encode(encoding))
    assert refused(path).code.id == "IBG002"


def test_a_nul_byte_is_named_with_its_place(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"a: 1\nb: \0\0\n")
    finding = refused(path)
    assert (finding.code.id, finding.at) == ("IBG002", Span("spec.yaml", 2, 4, 2, 5))


def test_a_file_over_the_limit_is_refused_before_it_is_parsed(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.yaml"
    with path.open("wb") as stream:
        stream.truncate(MAX_BYTES + 1)
    assert "64 MiB" in refused(path).message
    assert "64 MiB" in refused(pathlib.Path("/dev/zero")).message
