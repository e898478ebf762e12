"""Every known-bad variant of the files of OpenSM (reference 1.1, 2.1, 2.2, 2.3) is caught without running OpenSM."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibgen import assets, compiler, foreign
from ibgen.catalog import standard
from ibgen.diagnostics import Finding, Span

CONF = "guid 0x0002c90300a1b2c3\nrouting_engine ftree\nroot_guid_file /etc/opensm/roots\nqos TRUE\n"
PARTITIONS = """\
# who may talk to whom
Default=0x7fff, ipoib, mtu=5, rate=16, defmember=limited :
  ALL=limited, SELF=full, 0x0002c90300a1b2c3=full ;
tenantA=0x0101, ipoib, mtu=5, rate=16, defmember=limited :
  0x0002c90300000001=full, 0x0002c90300000002=full,
  0x0002c90300000003=full ;
tenantB=0x0102 : 0x0002c90300000004=full, 0x0002c90300000005=full ;
"""
ROOTS = "# top tier\n0x0002c90300f00001 # spine-01\n0x0002c90300f00002\n"
POLICY = """\
qos-levels
    qos-level
        name: DEFAULT
        sl: 0
    end-qos-level
    qos-level
        name: storage
        sl: 2
    end-qos-level
end-qos-levels
qos-match-rules
    qos-match-rule
        pkey: 0x0101
        qos-level-name: storage
    end-qos-match-rule
end-qos-match-rules
"""
GOOD = {"opensm.conf": CONF, "partitions.conf": PARTITIONS, "roots": ROOTS, "qos-policy.conf": POLICY}


def lint(texts: Mapping[str, str], flavour: str = "upstream") -> list[tuple[str, str, int]]:
    """(code name, file, line) of every finding."""
    found: tuple[Finding, ...] = foreign.lint_folder(texts, standard(), flavour)  # type: ignore[arg-type]
    assert all(isinstance(f.at, Span) and f.hint for f in found), [f.message for f in found if not f.hint]
    return [(f.code.name, f.at.file, f.at.line) for f in found if isinstance(f.at, Span)]


def test_good_files_are_silent() -> None:
    assert lint(GOOD) == []


BAD = [
    # file, what stands there, what somebody wrote, code, line
    ("opensm.conf", "qos TRUE", "qos true", "opensm-boolean", 4),
    ("opensm.conf", "qos TRUE", "qos yes", "opensm-boolean", 4),
    ("opensm.conf", "qos TRUE", "qos 1", "opensm-boolean", 4),
    ("opensm.conf", "qos TRUE", "qos TRUE\nbogus_option 3", "opensm-unknown-option", 5),
    ("opensm.conf", "qos TRUE", "qos TRUE\nlmc abc", "opensm-option-value", 5),
    ("opensm.conf", "qos TRUE", "qos TRUE\nlmc 9", "opensm-option-value", 5),
    ("opensm.conf", "qos TRUE", "qos TRUE\nsm_priority 16", "opensm-option-value", 5),
    ("opensm.conf", "qos TRUE", "qos TRUE\nqos FALSE", "opensm-option-twice", 5),
    ("opensm.conf", "qos TRUE", "qos TRUE\nar_mode 1", "opensm-unknown-option", 5),
    ("opensm.conf", "qos TRUE", "qos TRUE\nlog_prefix " + "x" * 1100, "opensm-long-line", 5),
    ("opensm.conf", "qos TRUE", "qos TRUE\nqos_ca_sl2vl 0,1,2", "opensm-qos-table", 5),
    ("opensm.conf", "qos TRUE", "qos TRUE\nqos_ca_vlarb_high 0:300", "opensm-qos-table", 5),
    ("opensm.conf", "/etc/opensm/roots", "/etc/opensm/rots", "opensm-missing-file", 3),
    ("opensm.conf", "engine ftree", "engine ar_ftree", "opensm-option-value", 2),
    ("opensm.conf", "engine ftree", "engine updn,fattree", "opensm-option-value", 2),
    ("partitions.conf", PARTITIONS, "# nothing yet\n", "partitions-empty", 1),
    ("partitions.conf", "Default=0x7fff", "tenantC=0x0103", "partitions-without-default", 2),
    ("partitions.conf", "tenantB=0x0102", "tenantB=0x8101", "partitions-pkey", 7),
    ("partitions.conf", "tenantB=0x0102", "tenantB=0x0", "partitions-pkey", 7),
    ("partitions.conf", "tenantB=0x0102", "tenantB", "partitions-pkey", 7),
    ("partitions.conf", "tenantB=0x0102", "8up", "partitions-dropped", 7),
    ("partitions.conf", "0x0002c90300000004=full", "0x0002c90300000004", "partitions-membership", 7),
    ("partitions.conf", "0x0002c90300000004=full", "0x0002c90300000004=", "partitions-membership", 7),
    ("partitions.conf", "0x0002c90300000004=full", "0x0002c90300000004=ful", "partitions-membership", 7),
    ("partitions.conf", "0x0002c90300000004=full", "0x0002c90300000004=fulll", "partitions-membership", 7),
    ("partitions.conf", "0x0002c90300000004=full", "A=full", "partitions-membership", 7),
    ("partitions.conf", "0x0002c90300000004=full", "0x0=full", "partitions-membership", 7),
    ("partitions.conf", "0x0002c90300000004=full", "0x0002c90300000004=both", "partitions-both", 7),
    ("partitions.conf", "0x0002c90300000004=full", "0x0002c9030000000g=full", "partitions-dropped", 7),
    ("partitions.conf", "0x0002c90300000004=full", "0002c90300000004=full", "partitions-dropped", 7),
    ("partitions.conf", "0x0002c90300000003=full ;", "0x0002c90300000003=full", "partitions-merged", 7),
    ("partitions.conf", "0x0002c90300000003=full ;", "0x0002c90300000003=full\n;", "partitions-dropped", 7),
    ("partitions.conf", "0x0002c90300000001=full,", "0x0002c90300000001=full, " * 180, "partitions-long-line", 5),
    ("partitions.conf", "tenantA=0x0101, ipoib, mtu=5", "tenantA=0x0101, ipoib, mtu=4096", "partitions-group", 4),
    ("partitions.conf", "tenantA=0x0101, ipoib, mtu=5", "tenantA=0x0101, ipoib, mtu=6", "partitions-group", 4),
    ("partitions.conf", "rate=16, defmember=limited :\n  0x", "rate=23, defmember=limited :\n  0x", "partitions-group", 4),
    ("partitions.conf", "tenantA=0x0101, ipoib, mtu=5", "tenantA=0x0101, mtu=5", "partitions-group", 4),
    ("partitions.conf", "mtu=5, rate=16, defmember=limited :\n  0x", "scope=2, scope=5 :\n  0x", "partitions-group", 4),
    ("partitions.conf", "  0x0002c90300000001", "  mgid=ff12::1,rate=3\n  0x0002c90300000001", "partitions-group", 5),
    ("partitions.conf", "0x0002c90300000004=full", "0x0002c90300f00001=full", "guid-of-another-kind", 7),
    ("roots", "0x0002c90300f00002", "0x0002c90300f00002,0x0002c90300f00003", "guid-list-line", 3),
    ("roots", "0x0002c90300f00002", "0002c90300f00002", "guid-list-line", 3),
    ("roots", "0x0002c90300f00002", "0x0", "guid-list-line", 3),
    ("roots", "0x0002c90300f00002", "0x0002c90300f00001", "guid-list-line", 3),
    ("roots", ROOTS, "# none\n", "guid-list-line", 1),
    ("qos-policy.conf", "name: DEFAULT", "name: default", "qos-policy-broken", 1),
    ("qos-policy.conf", "qos-level-name: storage", "qos-level-name: nccl", "qos-policy-broken", 14),
    ("qos-policy.conf", "end-qos-match-rules\n", "", "qos-policy-broken", 11),
]


@pytest.mark.parametrize(("file", "old", "new", "code", "line"), BAD, ids=[f"{c}-{n}" for n, (*_, c, _) in enumerate(BAD)])
def test_what_opensm_swallows_is_a_finding_on_its_line(file: str, old: str, new: str, code: str, line: int) -> None:
    text = GOOD[file].replace(old, new, 1)
    assert text != GOOD[file]
    wanted = "opensm-long-line" if code == "partitions-long-line" else code
    assert (wanted, file, line) in lint({**GOOD, file: text})


LISTS = CONF + "cn_guid_file cn\nids_guid_file ids\nhop_weights_file weights\nport_search_ordering_file order\n"
LISTED = {
    **GOOD,
    "opensm.conf": LISTS + "port_prof_ignore_file ignored\nnode_name_map_name names\n",
    "cn": "".join(f"0x0002c9030000000{n}\n" for n in range(1, 6)),
    "ids": "0x0002c90300f00001 1\n0x0002c90300f00002 2\n",
    "weights": "0x0002c90300f00001 33 2\n",
    "order": "0x0002c90300f00001 33 34\n",
    "ignored": "0x0002c90300f00001 33\n",
    "names": '0x0002c90300f00001 "spine-01"\n0x0002c90300000000 "n1 mlx5_0"\n',
    "prefix-routes.conf": "* 0x0002c90300e00001\n",
}


def test_good_lists_are_silent() -> None:
    assert lint(LISTED) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "code"),
    [
        ("ids", " 1\n", "\n", "guid-list-line"),
        ("weights", " 33 2", " 33 256", "guid-list-line"),
        ("weights", " 33 2", " 33 0", "guid-list-line"),
        ("order", "33 34", "33 33", "guid-list-line"),
        ("ignored", " 33", "", "guid-list-line"),
        ("prefix-routes.conf", "* 0x", "* 0y", "guid-list-line"),
        ("cn", "0x0002c90300000001\n", "0x0002c90300000000\n", "guid-of-another-kind"),
        ("cn", "0x0002c90300000001\n", "0x0002c90300f00001\n", "guid-of-another-kind"),
        ("roots", "0x0002c90300f00001", "0x0002c90300000001", "guid-of-another-kind"),
        ("partitions.conf", "0x0002c90300000001=full", "0x0002c90300000000=full", "guid-of-another-kind"),
    ],
)
def test_a_wrong_line_of_a_list_is_found(file: str, old: str, new: str, code: str) -> None:
    text = LISTED[file].replace(old, new, 1)
    assert text != LISTED[file]
    assert code in {c for c, *_ in lint({**LISTED, file: text})}


def test_a_limited_only_partition() -> None:
    text = PARTITIONS.replace("0x0002c90300000004=full, 0x0002c90300000005=full", "0x0002c90300000004=limited")
    assert lint({**GOOD, "partitions.conf": text}) == [("partitions-limited-only", "partitions.conf", 7)]


def test_nvidias_options_belong_to_nvidia() -> None:
    conf = CONF + "ar_mode 1\n"
    assert lint({**GOOD, "opensm.conf": conf}, "nvidia") == []
    assert [c for c, *_ in lint({**GOOD, "opensm.conf": conf})] == ["opensm-unknown-option"]


def test_service_level_without_qos() -> None:
    text = PARTITIONS.replace("tenantA=0x0101, ipoib, mtu=5", "tenantA=0x0101, ipoib, sl=3, mtu=5")
    texts = {**GOOD, "partitions.conf": text}
    assert lint(texts) == []
    texts["opensm.conf"] = CONF.replace("qos TRUE\n", "")
    assert ("partitions-group", "partitions.conf", 4) in lint(texts)


@pytest.mark.parametrize("name", ["lab", "tenants", "superpod-h100"])
def test_what_ibgen_writes_is_silent(name: str, tmp_path: Path) -> None:
    _, plan = compiler.build(compiler.Input(assets.examples() / f"{name}.yaml"), tmp_path)
    assert plan is not None
    confs = sorted(p.parent for p in (tmp_path / "opensm").rglob("opensm.conf"))
    assert confs
    for folder in confs:
        # one conf per manager host may lie in a folder of its own, its lists above it
        texts = {str(p): p.read_text() for f in {folder, folder.parent} for p in f.iterdir() if p.is_file()}
        flavour = "nvidia" if "ar_updn" in (folder / "opensm.conf").read_text() else "upstream"
        assert [f for f in lint(texts, flavour) if f[0] != "opensm-missing-file"] == []


@settings(deadline=None)
@given(st.text(max_size=200), st.sampled_from(sorted(GOOD)))
def test_no_text_makes_it_raise(text: str, file: str) -> None:
    lint({**GOOD, file: text})
    middle = len(GOOD[file]) // 2
    lint({**GOOD, file: GOOD[file][:middle] + text + GOOD[file][middle:]})


def test_a_tree_of_ibgens_is_judged_as_it_lies(tmp_path: Path) -> None:
    """One conf per manager's host, below the lists that they share."""
    compiler.build(compiler.Input(assets.examples() / "ha.yaml"), tmp_path)
    folder = tmp_path / "opensm" / "ib"
    assert sorted(p.parent.name for p in folder.glob("*/opensm.conf")) == ["sm-01", "sm-02"]
    assert not compiler.lint_opensm(folder).diagnostics
    conf = folder / "sm-02" / "opensm.conf"
    conf.write_text(conf.read_text().replace("TRUE", "yes"))
    assert [(d.code.id, Path(d.span.file).parent.name) for d in compiler.lint_opensm(folder).diagnostics] == [
        ("IBG842", "sm-02")
    ]


def test_the_verb_judges_a_folder(tmp_path: Path) -> None:
    for name, text in GOOD.items():
        (tmp_path / name).write_text(text)
    assert not compiler.lint_opensm(tmp_path).diagnostics
    (tmp_path / "opensm.conf").write_text(CONF.replace("TRUE", "true"))
    (found,) = compiler.lint_opensm(tmp_path).diagnostics
    assert (found.code.id, found.span.line) == ("IBG842", 4)
