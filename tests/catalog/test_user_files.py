"""A user's own catalog files: what they add, what they override, and what is said about them, on which line."""

from textwrap import dedent

import pytest

from ibgen.catalog import Catalog, load, standard
from ibgen.diagnostics import Finding, Severity, Span


def read(*texts: str) -> tuple[Catalog, tuple[Finding, ...]]:
    return load([(f"own{n}.yaml", dedent(text)) for n, text in enumerate(texts)])


def said(findings: tuple[Finding, ...]) -> list[tuple[str, str, int]]:
    spans = [(f.code.id, f.at) for f in findings]
    return [(id, at.file, at.line) for id, at in spans if isinstance(at, Span)]


LEAF = """\
    switches:
      - id: site-leaf
        aliases: [leaf-2000]
        generation: NDR
        radix: 64
        rate_gbps: NDR
        cages: 32
        ports_per_cage: 2
        splits: [{ways: 2, rate_gbps: 200G, lanes: 2}]
        latency_ns: [150, 330]
        managed: false
        source: vendor data sheet, 2025-03
        as_of: 2025-03-01
"""


def test_a_new_switch_is_found_by_id_and_alias() -> None:
    catalog, findings = read(LEAF)
    assert findings == ()
    switch = catalog.switch("site-leaf")
    assert switch is not None
    assert switch is catalog.switch("leaf-2000")
    assert (switch.radix, switch.rate_gbps, switch.managed, switch.ports_when_split(2)) == (64, 400, False, 128)
    assert "site-leaf" in catalog.switch_ids()
    assert "site-leaf" in catalog.near("switch", "site-leav")
    assert standard().switch("site-leaf") is None


def test_a_new_platform_in_the_short_form() -> None:
    catalog, findings = read("""\
        platforms:
          - id: our-h100
            gpu: H100-SXM
            gpus: 8
            hcas:
              - {names: "mlx5_[0-7]", model: cx7, rate_gbps: 400, pcie_gen: 5, gpus: [0, 1, 2, 3, 4, 5, 6, 7]}
              - {name: mlx5_8, rate_gbps: 200, role: storage}
            nccl: {NCCL_IB_TC: 106, NCCL_DEBUG: no}
            source: lspci and ibstat on site
        """)
    assert findings == ()
    platform = catalog.platform("our-h100")
    assert platform is not None
    assert platform.compute_gbps == 3200
    assert platform.nccl == {"NCCL_IB_TC": "106", "NCCL_DEBUG": "no"}
    assert platform.doubts() == []


def test_override_replaces_the_given_fields_only_and_says_so() -> None:
    catalog, findings = read("""\
        switches:
          - {id: qm9700, override: true, power_max_w: 1800, latency_ns: [200, 210], source: measured on site}
        """)
    assert findings == ()
    switch, before = catalog.switch("QM9700"), standard().switch("qm9700")
    assert switch is not None
    assert before is not None
    assert (switch.power_max_w, switch.latency_ns, switch.radix) == (1800, (200, 210), before.radix)
    assert "measured on site (latency_ns, power_max_w)" in switch.source
    assert before.source in switch.source
    assert "latency_ns" not in switch.doubts()
    assert "power_typical_w" in switch.doubts()


def test_override_by_alias_overrides_the_row_itself() -> None:
    catalog, findings = read("platforms:\n- {id: dgx/h100, override: true, power_kw: 9.9, source: meter}\n")
    assert findings == ()
    assert catalog.platform("dgx-h100") is catalog.platform("dgx/h100")
    assert catalog.platform("dgx-h100").power_kw == 9.9  # type: ignore[union-attr]
    assert catalog.platform_ids() == standard().platform_ids()


def test_replacing_a_shipped_row_without_saying_so_is_an_error_on_its_id() -> None:
    catalog, findings = read("""\
        switches:
          - generation: NDR
            id: qm9700
            source: s
        """)
    assert said(findings) == [("IBG021", "own0.yaml", 3)]
    assert "override: true" in findings[0].hint
    assert catalog.switch("qm9700") == standard().switch("qm9700")


def test_override_of_an_unknown_id_offers_the_near_one() -> None:
    _, findings = read("gpus:\n- id: H100-SXN\n  override: true\n  memory_gb: 96\n  source: s\n")
    assert said(findings) == [("IBG025", "own0.yaml", 3)]
    assert "H100-SXM" in findings[0].hint
    assert findings[0].severity is Severity.WARNING


def test_a_row_without_source_counts_as_unverified() -> None:
    catalog, findings = read("gpus:\n- id: site-gpu\n  memory_gb: 80\n")
    assert said(findings) == [("IBG023", "own0.yaml", 2)]
    assert catalog.gpu("site-gpu").doubts("memory_gb") == ["memory_gb"]  # type: ignore[union-attr]


def test_an_override_without_source_doubts_the_fields_it_gives() -> None:
    catalog, findings = read("gpus:\n- {id: H100-SXM, override: true, memory_gb: 96}\n")
    assert said(findings) == [("IBG023", "own0.yaml", 2)]
    gpu = catalog.gpu("H100-SXM")
    assert gpu is not None
    assert gpu.doubts("memory_gb", "pcie_gen") == ["memory_gb"]


def test_saying_unverified_silences_the_missing_source() -> None:
    catalog, findings = read("gpus:\n- {id: site-gpu, memory_gb: 80, unverified: true}\n")
    assert findings == ()
    assert catalog.gpu("site-gpu").unverified  # type: ignore[union-attr]


def test_unknown_keys_get_the_near_one_at_any_depth() -> None:
    _, findings = read("""\
        switch:
          - {id: x}
        platforms:
          - id: p
            sorce: s
            source: s
            hcas:
              - {name: a, rate_gbps: 1}
              - name: b
                rate: 400
                rate_gbps: 1
        """)
    assert sorted(said(findings)) == [("IBG020", "own0.yaml", n) for n in (1, 5, 10)]
    assert {f.hint for f in findings} == {"did you mean `switches`?", "did you mean `source`?", "did you mean `rate_gbps`?"}


def test_all_bad_values_are_said_at_once_on_their_lines() -> None:
    catalog, findings = read(
        """\
        gpus:
          - id: g
            memory_gb: eighty
            pcie_gen: 12
            source: s
          - memory_gb: 80
          - just text
        """,
        """\
        switches:
          - id: s
            radix: 64
            rate_gbps: 4xEDR
            source: s
        cables: 7
        """,
    )
    assert sorted(said(findings)) == [
        *(("IBG022", "own0.yaml", n) for n in (3, 4, 6, 7)),
        *(("IBG022", "own1.yaml", n) for n in (2, 2, 4, 6)),
    ]
    assert catalog.gpu("g") is None


def test_a_row_that_contradicts_itself_is_refused_with_the_numbers() -> None:
    _, findings = read("""\
        switches:
          - {id: s, generation: NDR, radix: 64, rate_gbps: 400, cages: 32, source: s}
        """)
    assert said(findings) == [("IBG022", "own0.yaml", 2)]
    assert "32 cages x 1 ports" in findings[0].message


def test_two_rows_of_one_name_are_refused_across_files() -> None:
    row = "gpus:\n- {id: g, memory_gb: 80, source: s}\n"
    catalog, findings = read(row, row)
    assert said(findings) == [("IBG024", "own1.yaml", 2)]
    assert "own0.yaml:2" in findings[0].message
    assert catalog.gpu("g") is not None


def test_an_alias_cannot_take_a_shipped_name() -> None:
    catalog, findings = read("gpus:\n- {id: g, aliases: [H100], memory_gb: 80, source: s}\n")
    assert said(findings) == [("IBG024", "own0.yaml", 2)]
    assert catalog.gpu("H100").id == "H100-SXM"  # type: ignore[union-attr]


def test_override_is_a_yes_or_no() -> None:
    _, findings = read("gpus:\n- id: H100\n  override: perhaps\n  source: s\n")
    assert said(findings) == [("IBG022", "own0.yaml", 3)]


def test_a_kind_without_rows_changes_nothing() -> None:
    catalog, findings = load([("own.yaml", "switches: []\n")])
    assert findings == ()
    assert catalog.switch_ids() == standard().switch_ids()


@pytest.mark.parametrize(
    "text", ["", "# nothing\n", "- a\n- b\n", "just text\n", "switches: [\n", "a: 1\na: 2\n", "\t- x\n", "switches: {a: 1}\n"]
)
def test_a_file_of_nonsense_is_said_and_never_a_traceback(text: str) -> None:
    catalog, findings = load([("own.yaml", text)])
    assert findings
    assert all(isinstance(f.at, Span) and f.at.file == "own.yaml" for f in findings)
    assert catalog.switch_ids() == standard().switch_ids()


@pytest.mark.parametrize(
    "row",
    [
        "{id: [a], memory_gb: 1, source: s}",
        "{id: {a: b}, source: s}",
        "{id: g, memory_gb: [1], source: [s]}",
        "{id: g, aliases: x, memory_gb: 1, source: s}",
        "{id: g, memory_gb: .inf, source: s}",
        "{id: g, memory_gb: -1, source: s}",
        "{id: g, memory_gb: 1, source: s, as_of: yesterday}",
        "{id: g, memory_gb: 1, source: s, unverified: perhaps}",
        "{id: H100, override: perhaps, memory_gb: 1, source: s}",
        "null",
        "[]",
    ],
)
def test_a_row_of_the_wrong_shape_is_located(row: str) -> None:
    _, findings = load([("own.yaml", f"gpus:\n- {row}\n")])
    assert {(f.code.severity, f.at.line) for f in findings if isinstance(f.at, Span)} == {(Severity.ERROR, 2)}


@pytest.mark.parametrize(
    "hcas", ["7", "[7]", "[{names: 7, rate_gbps: 1}]", "[{names: [a], rate_gbps: 1, gpus: 0}]", "{name: a}", "[{name: a}]"]
)
def test_adapters_of_the_wrong_shape_are_located(hcas: str) -> None:
    _, findings = load([("own.yaml", f"platforms:\n- id: p\n  source: s\n  hcas: {hcas}\n")])
    assert {(f.code.id, f.at.line) for f in findings if isinstance(f.at, Span)} == {("IBG022", 4)}
