"""Dumps of real tables, and of damaged and foreign ones."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from ibgen.route import Graph, compute, graph, read_dump, verify

from .fabrics import pgft, tree
from .real import opensm


def lab() -> Graph:
    return graph(tree(8, 2, 2, leaf={"uplinks": 2}, missing="n0003"))


def written(g: Graph, layout: str) -> str:
    """The minhop tables of a graph in one of the three layouts. LIDs as on a fresh fabric."""
    routes = compute(g, "minhop", switches=True)
    assert routes.switch_lft is not None
    lids = np.concatenate(g.lids(int(g.plugged[0])))
    guids = [int(x) for x in [*g.port_guid, *g.guid]]
    ports = np.concatenate([routes.lft, routes.switch_lft])
    lines = []
    for s in range(g.switches):
        name, guid = g.names[s], int(g.guid[s])
        if layout == "fdbs":
            lines += [f"dump_ucast_routes: Switch 0x{guid:016x}", "LID    : Port : Hops : Optimal"]
        elif layout == "lfts":
            lines += [f"Unicast lids [0-{lids.max()}] of switch Lid {lids[g.endpoints + s]} guid 0x{guid:016x} ('{name}'):"]
        else:
            lines += [f"Unicast lids [0x0-0x{lids.max():x}] of switch DR path slid 0; dlid 0; 0,1 guid 0x{guid:016x} ({name}):"]
            lines += ["  Lid  Out   Destination", "       Port     Info "]
        for row in np.argsort(lids)[(lids == 0).sum() :].tolist():
            lid, port = int(lids[row]), int(ports[row, s])
            kind = "Switch" if row >= g.endpoints else "Channel Adapter"
            if layout == "fdbs":
                text = f"{port:03d}  : 01   : yes" if port != 255 else "UNREACHABLE"
                lines.append(f"0x{lid:04X} : {text}")
            elif port != 255:
                sign, end = ("#", "") if layout == "lfts" else (": (", ")")
                lines.append(f"0x{lid:04x} {port:03d} {sign} {kind} portguid 0x{guids[row]:016x}: 'x'{end}".replace("( ", "("))
        lines += ["" if layout == "fdbs" else f"{len(lids)} valid lids dumped"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("layout", ["lfts", "fdbs", "dump_lfts"])
def test_the_three_layouts(layout: str) -> None:
    g = lab()
    found, findings = read_dump(written(g, layout).encode(), g, "dump")
    wanted = compute(g, "minhop", switches=True)
    assert findings == ()
    assert (found.routes.lft == wanted.lft).all()
    assert wanted.switch_lft is not None
    assert found.routes.switch_lft is not None
    assert (found.routes.switch_lft == wanted.switch_lft).all()
    lids = g.lids(int(g.plugged[0]))
    assert (found.lids == lids[0]).all()
    assert (found.switch_lids == lids[1]).all()
    assert verify(found.routes).sound


@pytest.mark.opensm
@pytest.mark.parametrize("file", ["opensm-lfts.dump", "opensm.fdbs"])
def test_dumps_of_the_real_opensm(file: str, tmp_path: Path) -> None:
    g = graph(tree(32, 4, 4, leaf={"uplinks": 4}, missing="n0003"))
    real = opensm(g, tmp_path, "ftree")
    found, findings = read_dump((tmp_path / file).read_bytes(), g, file)
    assert findings == ()
    ours = compute(g, "ftree", switches=True)
    assert (found.routes.lft == ours.lft).all()
    assert np.concatenate([found.lids, found.switch_lids]).tolist() == real.lids.tolist()


def test_a_switch_that_was_not_bound_is_matched_by_its_name() -> None:
    g = lab()
    text = written(g, "lfts").replace(f"{int(g.guid[0]):016x} ('{g.names[0]}')", f"{77:016x} ('{g.names[0]}')")
    found, findings = read_dump(text.encode(), g, "dump")
    assert findings == ()
    assert (found.routes.lft == compute(g, "minhop").lft).all()


def test_what_does_not_match_is_named_with_its_line() -> None:
    g = lab()
    lines = written(g, "lfts").splitlines()
    lines[0] = lines[0].replace(f"{int(g.guid[0]):016x} ('{g.names[0]}')", f"{77:016x} ('stranger')")
    lines[3] = "0x00zz 001 # cut"
    lines.insert(5, "0x0123 002 # Channel Adapter portguid 0x00000000000000aa: 'gone'")
    _, findings = read_dump("\n".join(lines).encode(), g, "lfts.dump")
    said = {(f.code.id, f.at.file, f.at.line) for f in findings if not isinstance(f.at, tuple)}
    assert {
        ("IBG871", "lfts.dump", 4),
        ("IBG872", "lfts.dump", 1),
        ("IBG873", "lfts.dump", 6),
        ("IBG874", "lfts.dump", 0),
    } <= said


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"0x", b"0x0001 001 # x", b"\xff\xfe\x00", b"Unicast lids [0-1] of switch Lid 2 guid 0x1 ('x'):"]
)
def test_hopeless_files_are_findings_not_tracebacks(data: bytes) -> None:
    found, findings = read_dump(data, lab(), "dump")
    assert findings
    assert (found.routes.lft == found.routes.none).all()


def test_a_file_of_many_faults_says_how_many() -> None:
    _, findings = read_dump(b"nonsense\n" * 500, lab(), "dump")
    unread = [f for f in findings if f.code.id == "IBG871"]
    assert len(unread) == 10
    assert "490 more" in unread[-1].message


@pytest.mark.slow
def test_two_hundred_megabytes_in_seconds() -> None:
    g = pgft(18, 18, 18)
    part = written(g, "lfts").encode()
    data = part * (200_000_000 // len(part))
    start = time.process_time()
    found, _ = read_dump(data, g, "dump")
    assert time.process_time() - start < 20
    assert (found.routes.lft == compute(g, "minhop").lft).all()
