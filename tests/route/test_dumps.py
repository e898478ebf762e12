"""Dumps of real tables, and of damaged and foreign ones."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from ibgen.route import Graph, Routes, arriving, compute, graph, read_dump, verify

from .fabrics import pgft, tree, wired
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


def entries(data: bytes, g: Graph, switch: int) -> list[int]:
    """Line numbers of the entries of a switch's table."""
    lines = data.decode().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("Unicast") and f"{int(g.guid[switch]):016x}" in line)
    found = []
    for i in range(start + 1, len(lines)):
        if not lines[i].startswith("0x"):
            break
        found.append(i)
    return found


def changed(g: Graph, switch: int, port: int) -> bytes:
    """A dump in which one switch sends everything to one port."""
    data = written(g, "lfts").encode()
    lines = data.decode().splitlines()
    for i in entries(data, g, switch):
        if lines[i].split()[1] != "000":
            lines[i] = f"{lines[i][:7]}{port:03d}{lines[i][10:]}"
    return ("\n".join(lines) + "\n").encode()


def judged(g: Graph, data: bytes) -> tuple[Routes, dict[str, str]]:
    found, _ = read_dump(data, g, "lfts.dump")
    routes, findings = arriving(found.routes, "lfts.dump")
    return routes, {f.code.id: f.message for f in findings}


def test_tables_of_a_sound_fabric_are_taken_as_they_are() -> None:
    g = lab()
    routes, said = judged(g, written(g, "lfts").encode())
    assert said == {}
    assert verify(routes).sound


def test_a_spine_that_sends_everything_down_one_cable_makes_a_loop_and_it_is_said() -> None:
    g = pgft(2, 2, 1)
    spine = 2
    down = int(np.flatnonzero(g.peer[spine] == 0)[0])
    _, said = judged(g, changed(g, spine, down))
    assert "go round in a loop" in said["IBG875"]
    assert g.names[1] in said["IBG875"] or g.names[0] in said["IBG875"]


def test_a_door_to_another_host_is_no_arrival() -> None:
    """The spine's table is right, the leaf hands everything to its first host: the other's flows end at the wrong door."""
    g = pgft(2, 2, 1)
    routes, said = judged(g, changed(g, 0, 1))
    assert "another host" in said["IBG875"]
    wrong = int(g.endpoint[0, 2])
    assert routes.next_port(np.array([wrong]), np.array([0])).tolist() == [-1]


def test_a_ring_of_switches_with_loops_of_credits_is_a_note() -> None:
    g = wired([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)], [1] * 5)
    found = compute(g, "minhop")
    _, findings = arriving(found, "x")
    assert [f.code.id for f in findings] == ["IBG876"]


def test_a_file_that_was_cut_off_in_its_last_line_is_told() -> None:
    g = lab()
    data = written(g, "lfts").encode()
    cut = data[: data.rindex(b"0x") + 9]
    _, findings = read_dump(cut, g, "lfts.dump")
    last = cut.count(b"\n") + 1
    assert ("IBG871", last) in {(f.code.id, f.at.line) for f in findings if not isinstance(f.at, tuple)}
