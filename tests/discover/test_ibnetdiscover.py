"""The reader of ibnetdiscover: the real program's output, and what dumps look like after their way through the world."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibgen.discover import ADAPTER, SWITCH, Observed, as_text, read_ibnetdiscover

from .dumps import FACTORY, LAB_DUMP, codes, read, real_guids

LAB, NEW = real_guids(LAB_DUMP)

ONE_CABLE = """\
sysimgguid=0x9c63c00300a1b200
switchguid=0x9c63c00300a1b200(9c63c00300a1b200)
Switch\t41 "S-9c63c00300a1b200"\t\t# "leaf-01" enhanced port 0 lid 1 lmc 0
[3]\t"H-08c0eb0300123456"[1](8c0eb0300123456) \t\t# "node-01 mlx5_0" lid 7 4xHDR

sysimgguid=0x8c0eb0300123456
caguid=0x8c0eb0300123456
Ca\t1 "H-08c0eb0300123456"\t\t# "node-01 mlx5_0"
[1](8c0eb0300123456) \t"S-9c63c00300a1b200"[3]\t\t# lid 7 lmc 0 "leaf-01" lid 1 4xHDR
"""
LEAF, HOST = 0x9C63C00300A1B200, 0x08C0EB0300123456


def same(one: Observed, other: Observed) -> None:
    """The same fabric, wherever its lines stand."""
    assert one.nodes.guid.tolist() == other.nodes.guid.tolist()
    assert one.nodes.description == other.nodes.description
    assert one.port_guids == other.port_guids
    assert one.cables_of == other.cables_of
    assert one.links.rate_gbps.tolist() == other.links.rate_gbps.tolist()


def row(observed: Observed, guid: int) -> int:
    return observed.nodes.guid.tolist().index(guid)


def test_the_real_program() -> None:
    """The lab: nine hosts of two adapters, a head node, two leaves, two spines; ten cables up from each leaf."""
    o, findings = read_ibnetdiscover(LAB_DUMP, "lab.txt")
    assert findings == ()
    assert not o.partial
    assert (o.nodes.kind == SWITCH).sum() == 4
    assert (o.nodes.kind == ADAPTER).sum() == 19
    assert len(o.ports.node) == 19
    assert len(o.links.a) == 19 + 20
    assert set(o.links.rate_gbps.tolist()) == {200.0}
    assert o.nodes.size[o.nodes.kind == SWITCH].tolist() == [40] * 4
    head = o.nodes.description.index("head-01 mlx5_0")
    assert o.port_guids[head, 1] == int(o.nodes.guid[head]) + 1  # as ibsim counts
    assert [(o.nodes.description[far], port) for _, far, port in o.cables_of[head]] == [("leaf-u02", 9)]


def test_one_cable_in_numbers() -> None:
    o = read(ONE_CABLE)
    leaf, host = row(o, LEAF), row(o, HOST)
    assert o.cables_of[leaf] == [(3, host, 1)]
    assert o.port_guids == {(host, 1): HOST}
    assert int(o.nodes.image_guid[host]) == HOST
    assert o.nodes.data_ports[leaf] == 40
    assert o.ports.lid.tolist() == [7]


@pytest.mark.parametrize(
    "noise",
    [
        "Last login: Mon on pts/0\n\n",
        "[root@mgmt ~]# ibnetdiscover\n",
        "ibwarn: [4711] mad_rpc: _do_madrpc failed; dport (DR path slid 0; dlid 0; 0,1)\n",
        "umad: timed out\n",
    ],
)
def test_terminal_noise_before_and_behind(noise: str) -> None:
    o, findings = read_ibnetdiscover(noise + LAB + noise, "f")
    same(o, read(LAB))
    assert [f.code.name for f in findings] == ["dump-noise"]
    assert not o.partial


def test_prompt_as_last_line() -> None:
    o, findings = read_ibnetdiscover(LAB + "[root@mgmt ~]# exit", "f")
    same(o, read(LAB))
    assert [f.code.name for f in findings] == ["dump-noise"]


def test_noise_inside_a_record_is_an_error_with_its_line() -> None:
    lines = LAB.split("\n")
    at = next(n for n, line in enumerate(lines) if line.startswith("[3]"))
    o, findings = read_ibnetdiscover("\n".join([*lines[:at], "perfquery: iberror", *lines[at:]]), "f")
    assert [(f.code.name, f.at.line) for f in findings] == [("dump-line-unreadable", at + 1)]  # type: ignore[union-attr]
    assert o.partial
    same(o, read(LAB))


def test_windows_line_ends() -> None:
    same(read(as_text(LAB.replace("\n", "\r\n").encode())), read(LAB))
    same(read(as_text(LAB.replace("\n", "\r\n").encode("utf-16"))), read(LAB))
    assert codes(as_text(LAB.replace("\n", "\r\n").encode())) == []


@pytest.mark.parametrize("blank", ["", " "])
def test_lost_tabs(blank: str) -> None:
    text = re.sub(r"[ \t]*\t[ \t]*", blank, LAB)
    same(read(text), read(LAB))
    assert codes(text) == []


def test_lost_blanks_in_heads() -> None:
    text = LAB.replace("Switch\t40 ", "Switch40 ").replace("\t\t# ", "# ")
    same(read(text), read(LAB))


def test_blank_line_after_every_line() -> None:
    same(read(LAB.replace("\n", "\n\n")), read(LAB))


def test_chassis_headers_and_external_ports() -> None:
    """As `ibnetdiscover -g` prints them."""
    text = LAB.replace("vendid=", "Non-Chassis Nodes\n\nvendid=", 1)
    text = text.replace("[1]\t", "[1][ext 17]\t").replace("Switch\t", "Chassis 1\n\nSwitch\t", 1)
    same(read(text), read(LAB))
    assert codes(text) == []


def test_full_form_with_speeds_behind() -> None:
    text = LAB.replace("4xHDR", "4xHDR s=4 w=2 v=4")
    same(read(text), read(LAB))


def test_cut_in_the_middle_of_a_line() -> None:
    text = LAB[: LAB.index('"H-', len(LAB) // 2) + 9]
    o, findings = read_ibnetdiscover(text, "f")
    assert o.partial
    assert "dump-partial" in {f.code.name for f in findings}
    assert any("ends in the middle" in f.message for f in findings)
    assert set(o.nodes.guid.tolist()) <= set(read(LAB).nodes.guid.tolist()), "no half GUID is an identity"


def test_every_cut_is_said_or_harmless() -> None:
    whole = read(LAB)
    known = set(whole.nodes.guid.tolist())
    for end in range(len(LAB) - 1, len(LAB) - 2500, -7):
        o = read(LAB[:end])
        assert set(o.nodes.guid.tolist()) <= known
        assert set(o.port_guids.values()) <= set(whole.port_guids.values()) | {0}


def test_lines_left_out_and_guids_blanked() -> None:
    lines = LAB.split("\n")
    at = next(n for n, line in enumerate(lines) if line.startswith("[3]"))
    text = "\n".join([*lines[:at], "... 20 lines omitted ...", *lines[at + 1 :]])
    o, findings = read_ibnetdiscover(text, "f")
    assert o.partial
    assert "dump-partial" in {f.code.name for f in findings}
    hidden = re.sub(r'"H-[0-9a-f]{8}', '"H-xxxxxxxx', LAB)
    o, findings = read_ibnetdiscover(hidden, "f")
    assert (o.nodes.kind == SWITCH).all()
    assert len(o.nodes.guid) == 4
    assert [f.facts[0][1].count("-") > 0 for f in findings if "blanked" in f.message] == [True]
    assert o.partial
    assert (read(LAB.replace(f'"S-{NEW_LEAF:016x}"', '"S-<guid>"')).nodes.guid != NEW_LEAF).all()


NEW_LEAF = int(read(LAB).nodes.guid[read(LAB).nodes.description.index("leaf-u02")])


def test_a_record_whose_head_is_blanked_gives_its_cables_to_nobody() -> None:
    text = LAB.replace(f'Switch\t40 "S-{NEW_LEAF:016x}"', 'Switch\t40 "S-<guid>"')
    o = read(text)
    leaf = row(o, NEW_LEAF)  # its neighbours still tell of it
    whole = read(LAB)
    assert o.cables_of[leaf] == whole.cables_of[row(whole, NEW_LEAF)]
    assert o.links.one_sided.any()
    assert o.partial


def test_adapter_without_any_cable_and_no_switch() -> None:
    text = 'caguid=0x9c63c00300a1b200\nCa\t1 "H-9c63c00300a1b200"\t\t# "node-01 mlx5_0"\n'
    o, findings = read_ibnetdiscover(text, "f")
    assert len(o.nodes.guid) == 1
    assert len(o.links.a) == 0
    assert [f.code.name for f in findings] == ["dump-without-cables"]


@pytest.mark.parametrize("text", ["", "\n\n", "hello\n", "\0\0", "[1]", '"', "Switch", "ibgen: 1\ncluster: x\n"])
def test_nonsense_is_refused_by_name(text: str) -> None:
    o, findings = read_ibnetdiscover(text, "f")
    assert len(o.nodes.guid) == 0
    assert "dump-unreadable" in {f.code.name for f in findings}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "SW     1  3 0x9c63c00300a1b200 4x HDR - CA     7  1 0x08c0eb0300123456 ( 'leaf-01' - 'node-01 mlx5_0' )",
            "ibnetdiscover -p",
        ),
        ("SW     1 40 0x9c63c00300a1b200 4x SDR                                    'leaf-01'", "ibnetdiscover -p"),
        ("SW 1 40 0x9c63c00300a1b200 4x ??? 'leaf-01'", "ibnetdiscover -p"),
        ('Ca\t : 0x08c0eb0300123456 ports 1 devid 0x101b vendid 0x2c9 "node-01 mlx5_0"', "ibnetdiscover -l"),
        ('  0x08c0eb0300123456 7 1[  ] ==( 4X 53.125 Gbps Active/  LinkUp)==>  1  3[  ] "leaf-01" ( )', "iblinkinfo"),
        ('Switch\t40 "leaf-01"\t# "leaf-01" enhanced port 0 lid 0 lmc 0', "ibsim"),
    ],
)
def test_other_forms_are_told_apart(line: str, said: str) -> None:
    findings = read_ibnetdiscover(f"# comment\n{line}\n", "f")[1]
    assert [f.code.name for f in findings] == ["dump-unreadable"]
    assert said in findings[0].message
    assert findings[0].hint


def test_missing_fields() -> None:
    """No sysimgguid, no vendor, no text about port 0, no LIDs."""
    text = re.sub(r"(?m)^(?:sysimgguid|switchguid|caguid|vendid|devid)=.*\n", "", ONE_CABLE)
    text = text.replace(" enhanced port 0 lid 1 lmc 0", "").replace("lid 7 lmc 0", "").replace("lid 7", "").replace("lid 1", "")
    o, findings = read_ibnetdiscover(text, "f")
    assert findings == ()
    assert o.cables_of == read(ONE_CABLE).cables_of
    assert o.port_guids == read(ONE_CABLE).port_guids
    assert o.nodes.image_guid.tolist() == [0, 0]


@pytest.mark.parametrize("lid", ["0", "65535"])
def test_lid_not_assigned(lid: str) -> None:
    assert read(ONE_CABLE.replace("lid 7", f"lid {lid}")).ports.lid.tolist() == [0]


def test_guid_text_without_leading_zeros_and_with_0x() -> None:
    text = ONE_CABLE.replace('"H-08c0', '"H-8c0').replace("(8c0eb", "(0x8c0eb").replace("=0x", "=")
    same(read(text), read(ONE_CABLE))
    assert codes(text) == []


def test_guids_in_capitals() -> None:
    text = re.sub(r"[0-9a-f]{15,16}", lambda m: m[0].upper(), ONE_CABLE)
    same(read(text), read(ONE_CABLE))


def test_factory_and_repeated_descriptions_stay_apart() -> None:
    text = re.sub(r'"node-\d+ mlx5_\d"', f'"{FACTORY}"', LAB)
    o = read(text)
    assert len(o.nodes.guid) == 23
    assert o.nodes.description.count(FACTORY) == 18


def test_blanks_around_names_are_kept_raw() -> None:
    assert read(ONE_CABLE.replace('"leaf-01"', '" leaf-01 "')).nodes.description[1] == " leaf-01 "


def test_description_with_quotes_and_hashes() -> None:
    odd = 'a "b" # lid 3 c'
    assert odd in read(ONE_CABLE.replace("leaf-01", odd)).nodes.description


def test_aggregation_node_is_no_endpoint() -> None:
    text = ONE_CABLE.replace(
        '[3]\t"H',
        '[41]\t"H-9c63c00300a1b208"[1](9c63c00300a1b208) \t\t# "Mellanox Technologies Aggregation Node" lid 9 4xHDR\n[3]\t"H',
    )
    o = read(text)
    assert [o.nodes.description[n] for n in np.flatnonzero(o.nodes.aggregation)] == ["Mellanox Technologies Aggregation Node"]


@pytest.mark.parametrize(("size", "data"), [(40, 40), (41, 40), (65, 64), (81, 80), (129, 128), (36, 36)])
def test_port_counts_with_one_for_the_aggregation_node(size: int, data: int) -> None:
    o = read(ONE_CABLE.replace("Switch\t41", f"Switch\t{size}"))
    assert o.nodes.data_ports.max() == data


@pytest.mark.parametrize(
    ("word", "gbps"),
    [("2xNDR", 200), ("2xHDR", 100), ("4xNDR", 400), ("4xEDR", 100), ("4xFDR10", 40), ("1xSDR", 2.5), ("4xQQR", 0)],
)
def test_width_and_speed(word: str, gbps: float) -> None:
    o = read(ONE_CABLE.replace("4xHDR", word))
    assert o.links.rate_gbps.tolist() == [gbps]


def test_two_ends_disagree() -> None:
    o = read(ONE_CABLE.replace("lid 1 4xHDR", "lid 1 2xHDR"))
    assert sorted([o.links.a_gbps[0], o.links.b_gbps[0]]) == [100, 200]
    assert o.links.rate_gbps.tolist() == [100]


def test_loopback_cable() -> None:
    loop = '[5]\t"S-9c63c00300a1b200"[6]\t\t# "leaf-01" lid 1 4xEDR\n[6]\t"S-9c63c00300a1b200"[5]\t\t# "leaf-01" lid 1 4xEDR\n'
    o, findings = read_ibnetdiscover(ONE_CABLE.replace("\n[3]\t", f"\n{loop}[3]\t"), "f")
    assert findings == ()
    assert len(o.links.a) == 2
    assert ((o.links.a == o.links.b) & (o.links.a_port == 5) & (o.links.b_port == 6)).sum() == 1


def test_cable_on_one_side_only() -> None:
    o, findings = read_ibnetdiscover(ONE_CABLE[: ONE_CABLE.index("\n[1](") + 1], "f")
    assert o.links.one_sided.tolist() == [True]
    assert o.port_guids == {(row(o, HOST), 1): HOST}
    assert [f.code.name for f in findings] == ["dump-partial"]
    assert o.partial


def test_adapter_cabled_on_port_2_only() -> None:
    o = read(ONE_CABLE.replace("Ca\t1", "Ca\t2").replace('123456"[1](', '123456"[2](').replace("[1](8c0", "[2](8c0"))
    assert list(o.port_guids) == [(row(o, HOST), 2)]


def test_one_guid_on_two_hosts() -> None:
    """K13: two adapters flashed alike; the dump shows one node on two ports."""
    second = '[4]\t"H-08c0eb0300123456"[1](8c0eb0300123456) \t\t# "node-02 mlx5_0" lid 8 4xHDR\n'
    o, findings = read_ibnetdiscover(ONE_CABLE.replace("\n[3]\t", f"\n{second}[3]\t"), "f")
    assert "guid-seen-twice" in {f.code.name for f in findings}
    assert not o.nodes.sound[row(o, HOST)]
    assert len(o.links.a) == 0


def test_two_records_of_one_guid() -> None:
    record = ONE_CABLE[ONE_CABLE.index("caguid") :].replace("node-01", "node-02")
    o, findings = read_ibnetdiscover(f"{ONE_CABLE}\n{record}", "f")
    finding = next(f for f in findings if f.code.name == "guid-seen-twice")
    assert "node-01 mlx5_0" in finding.message
    assert "node-02 mlx5_0" in finding.message
    assert not o.nodes.sound[row(o, HOST)]


def test_the_same_dump_twice_in_one_file() -> None:
    same(read(LAB + "\n" + LAB), read(LAB))
    assert codes(LAB + "\n" + LAB) == []


def test_zero_guids() -> None:
    """K12."""
    assert "guid-zero-seen" in codes(ONE_CABLE.replace("08c0eb0300123456", "0" * 16).replace("8c0eb0300123456", "0"))
    assert "guid-zero-seen" in codes(ONE_CABLE.replace("(8c0eb0300123456)", "(0)"))


def test_record_that_contradicts_its_head() -> None:
    text = ONE_CABLE.replace("caguid=0x8c0eb0300123456", "caguid=0x8c0eb0300123457")
    o, findings = read_ibnetdiscover(text, "f")
    assert [f.code.name for f in findings] == ["record-contradicts-itself"]
    assert not o.nodes.sound[row(o, HOST)]


def test_two_ends_give_one_port_two_guids() -> None:
    text = ONE_CABLE.replace("\n[1](8c0e", "\n[1](9c0e")
    assert "record-contradicts-itself" in codes(text)


def test_a_very_long_line_is_garbage_not_a_wait() -> None:
    assert "dump-line-unreadable" in codes(ONE_CABLE.replace("\n[3]\t", f"\n[9]\t{chr(34) * 500_000}\n[3]\t"))


LINES = LAB.split("\n")


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_damaged_dumps_never_raise(data: st.DataObject) -> None:
    """Lines lost, doubled, swapped, cut, characters changed: some fabric and findings, whose lines exist."""
    draw = random.Random(data.draw(st.integers(0, 2**32)))
    lines = list(LINES)
    for _ in range(data.draw(st.integers(1, 12))):
        at = draw.randrange(len(lines))
        kind = draw.randrange(6)
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(at, draw.choice(lines))
        elif kind == 2:
            lines[at] = lines[at][: draw.randrange(len(lines[at]) + 1)]
        elif kind == 3 and lines[at]:
            where = draw.randrange(len(lines[at]))
            lines[at] = lines[at][:where] + draw.choice('"[]()#\t \0\u00e9x0f') + lines[at][where + 1 :]
        elif kind == 4:
            other = draw.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        else:
            lines[at] = data.draw(st.text(max_size=40)).replace("\n", "")
    o, findings = read_ibnetdiscover("\n".join(lines), "f")
    assert all(0 <= f.at.line <= len(lines) for f in findings)  # type: ignore[union-attr]
    ends = np.concatenate([o.links.a * 1024 + o.links.a_port, o.links.b * 1024 + o.links.b_port])
    assert len(np.unique(ends)) == len(ends), "a port has one cable"


@given(st.binary(max_size=400))
def test_any_bytes(data: bytes) -> None:
    read_ibnetdiscover(as_text(data), "f")
