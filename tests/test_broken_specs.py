"""Broken specs that taught something: each gives exit code 1, its code on its line, and a hint; never a traceback.

A row is (name, spec, code, line). Most are an example with one edit, so that only the mistake is to be read; the line is
the one a colleague would point at.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ibgen import compiler
from ibgen.cli import start
from ibgen.diagnostics import Severity

LAB = (Path(__file__).parent.parent / "examples" / "lab.yaml").read_text(encoding="utf-8")
TENANTS = (Path(__file__).parent.parent / "examples" / "tenants.yaml").read_text(encoding="utf-8")
AZURE = (Path(__file__).parent.parent / "examples" / "azure-burst.yaml").read_text(encoding="utf-8")
SRIOV = (Path(__file__).parent.parent / "examples" / "sriov.yaml").read_text(encoding="utf-8")
FIRST = TENANTS.replace("pkey: 0x0101", "indx0: true, pkey: 0x0101").replace("dgx-[009-016]", "dgx-[008-016]")
SMALL = "ibgen: 1\ncluster: x\npools:\n  - {name: g, hosts: h, platform: dgx-h100}\n"


def edit(text: str, old: str, new: str) -> str:
    assert old in text, f"the example has no {old!r} any more"
    return text.replace(old, new, 1)


def row(name: str, base: str, old: str, new: str, code: str, shift: int = 0) -> tuple[str, str, str, int]:
    """The line of the finding is that of the edit, plus `shift`."""
    text = edit(base, old, new)
    return name, text, code, base[: base.index(old)].count("\n") + 1 + shift


def lab(name: str, old: str, new: str, code: str, shift: int = 0) -> tuple[str, str, str, int]:
    return row(f"lab-{name}", LAB, old, new, code, shift)


def tenants(name: str, old: str, new: str, code: str, shift: int = 0) -> tuple[str, str, str, int]:
    return row(f"tenants-{name}", TENANTS, old, new, code, shift)


def azure(name: str, old: str, new: str, code: str, shift: int = 0) -> tuple[str, str, str, int]:
    return row(f"azure-{name}", AZURE, old, new, code, shift)


def sriov(name: str, old: str, new: str, code: str, shift: int = 0) -> tuple[str, str, str, int]:
    return row(f"sriov-{name}", SRIOV, old, new, code, shift)


def workload(fields: str) -> str:
    return f"{LAB}workloads:\n  - {{name: a, parameters: 20e9, {fields}}}\n"


LAUGHS = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
VERSION = 'version: "22.05"'
MEMBER = "          - {pool: gpu, membership: full}\n"
GUID = "          - {guid: 0x0002c90300a1b2c3, membership: %s}\n"
IFNAME = '{gpu: {settings: {NCCL_SOCKET_IFNAME: {value: "=docker0", reason: x}}}}'
SETTINGS = 'version: "2.21"\n  pools: '

ROWS = [
    ("empty", "", "IBG008", 1),
    ("scalar", "hello\n", "IBG007", 1),
    ("tab", "ibgen: 1\ncluster: x\npools:\n\t- name: a\n", "IBG004", 4),
    ("nul", SMALL + "\0", "IBG002", 5),
    ("byte-order-mark-inside", SMALL + '\ufeffslurm: {version: "24.11"}\n', "IBG003", 5),
    ("nested-without-end", "a: " + "[" * 50_000, "IBG010", 1),
    ("billion-laughs", LAUGHS, "IBG011", 6),
    ("alias-of-itself", "a: &a [*a]\n", "IBG011", 1),
    ("two-documents", SMALL + "---\n" + SMALL, "IBG009", 5),
    ("after-the-end", SMALL + "...\nfoo: bar\n", "IBG005", 6),
    ("key-that-is-a-list", SMALL + "? [a,b]\n: c\n", "IBG013", 5),
    ("merge-of-text", SMALL + "<<: hello\n", "IBG011", 5),
    ("version-of-thousands-of-digits", "ibgen: " + "9" * 5_000 + "\ncluster: x\npools: []\n", "IBG033", 1),
    ("newer-language", "ibgen: 2\ncluster: x\n", "IBG039", 1),
    lab("key-twice-far-below", "      unit: 5", "      unit: 5\n      unit: 6", "IBG006", 1),
    lab("tag", "unit: 5 ", "unit: !!int 5 ", "IBG012"),
    lab("quote-left-open", VERSION, 'version: "22.05', "IBG005"),
    lab("bracket-left-open", "hosts: [head-01]", "hosts: [head-01", "IBG005"),
    lab("no-space-after-colon", "cluster: lab", "cluster:lab", "IBG005"),
    lab("template-left-in", "cluster: lab", "cluster: {{ lab }}", "IBG032"),
    lab("name-with-line-break", "cluster: lab", 'cluster: "a\\nb"', "IBG033"),
    lab("escape-sequence", "cluster: lab", 'cluster: "\\e[31mx"', "IBG033"),
    lab("right-to-left", "cluster: lab", "cluster: la\u202eb", "IBG003"),
    lab("no-break-space", "cluster: lab", "cluster:\u00a0lab", "IBG003"),
    lab("hosts-with-a-step", "node-[01-09]", "node-[1-9/2]", "IBG033"),
    lab("hosts-backwards", "node-[01-09]", "node-[09-01]", "IBG033"),
    lab("hosts-too-many", "node-[01-09]", "n[1-70000]", "IBG033"),
    lab("hosts-many-brackets", "node-[01-09]", "a[1-10]b[1-10]c[1-10]d[1-10]e[1-10]", "IBG033"),
    lab("hosts-lookalike", "node-[01-09]", "n\u043ede-[01-09]", "IBG033"),
    lab("hosts-overlap", "node-[01-09]", '"node-[01-09],node-[05-12]"', "IBG037"),
    lab("hosts-by-case", "node-[01-09]", '"node-1,NODE-1"', "IBG121"),
    lab("hosts-localhost", "node-[01-09]", "localhost", "IBG122"),
    lab("platform-is-a-list", "gpu: A100-80G", "gpu: [a]", "IBG032"),
    lab("cores-of-no-socket", "cores: 64", "cores: 63", "IBG103"),
    lab("rate-in-bytes", "rate: 200G, pcie: 4, gpu: 0", "rate: 200GB/s, pcie: 4, gpu: 0", "IBG033"),
    lab("rate-of-lanes", "rate: 200G, pcie: 4, gpu: 0", "rate: 4xEDR, pcie: 4, gpu: 0", "IBG033"),
    lab("unit-zero", "unit: 5 ", "unit: 0 ", "IBG033"),
    lab("uplinks-zero", "uplinks: 10", "uplinks: 0", "IBG224"),
    lab("downlinks-beyond-radix", "downlinks: 10", "downlinks: 41", "IBG224"),
    lab("planes-of-single-port-cards", "units: 2", "units: 2\n      planes: 16", "IBG111", 6),
    lab("tiers-four", "units: 2", "units: 2\n      tiers: 4", "IBG033", 1),
    lab("reserve-zero", "head: 1", "head: 0", "IBG033"),
    lab("reserve-beyond-leaf", "head: 1", "head: 100", "IBG232"),
    lab("role-misspelt", "hcas: compute}", "hcas: computee}", "IBG034"),
    lab("adapters-as-mapping", "hcas: compute}", "hcas: {a: b}}", "IBG032"),
    lab("attached-twice", "hcas: compute}", "hcas: compute}\n      - {pool: gpu, hcas: [mlx5_0]}", "IBG109", 1),
    lab("attached-twice-in-one-list", "hcas: compute}", "hcas: [mlx5_0, mlx5_0]}", "IBG109"),
    lab("slurm-of-no-release", VERSION, 'version: "24.13"', "IBG033"),
    lab("slurm-in-other-digits", VERSION, 'version: "\u0662\u0664.\u0661\u0661"', "IBG033"),
    lab("slurm-partition-default", VERSION, VERSION + "\n  partitions: [{name: DEFAULT}]", "IBG621", 1),
    lab("slurm-99-minutes", VERSION, VERSION + '\n  partitions: [{name: a, max_time: "1:99:99"}]', "IBG033", 1),
    lab("slurm-feature-with-key", VERSION, VERSION + '\n  features: ["ib State=DOWN"]', "IBG649", 1),
    lab("nccl-before-2", 'version: "2.21"', "version: 0.0", "IBG033"),
    lab("nccl-preload", 'version: "2.21"', SETTINGS + '{gpu: {settings: {LD_PRELOAD: {value: "x", reason: x}}}}', "IBG033", 1),
    lab("nccl-without-reason", 'version: "2.21"', SETTINGS + "{gpu: {settings: {NCCL_IB_TIMEOUT: 22}}}", "IBG032", 1),
    lab("nccl-second-line", 'version: "2.21"', SETTINGS + '{gpu: {socket_interface: "a\\nb"}}', "IBG033", 1),
    tenants("member-of-unknown-pool", "{pool: gpu, membership: limited}", "{pool: gpux, membership: limited}", "IBG035"),
    tenants("pkey-zero", "pkey: 0x0102", "pkey: 0x0000", "IBG033"),
    tenants("pkey-equal-in-15-bits", "pkey: 0x0102", "pkey: 0x8101", "IBG316"),
    tenants("pkey-octal-or-not", "pkey: 0x0102", "pkey: 012", "IBG014"),
    tenants("fabrics-by-case", "  - name: storage\n    control", "  - name: COMPUTE\n    control", "IBG121"),
    tenants("pools-by-case", "  - name: service", "  - name: GPU", "IBG121"),
    tenants("switches-of-two-fabrics", "      prefix: st\n", "", "IBG235", -2),
    tenants("engine-misspelt", "routing: [ar_updn]", "routing: [ftre]", "IBG034"),
    azure("image-in-other-digits", "22.04.2024102301", '"\u0662.\u0662.\u0662"', "IBG033"),
    azure("image-latest", "22.04.2024102301", "latest", "IBG033"),
    azure("name-ends-in-dash", "    region:", '    name: "x-"\n    region:', "IBG033"),
    azure("tag-interpolates", "{owner: ml-infra}", '{a: "${x}"}', "IBG033"),
    azure("tag-directive", "{owner: ml-infra}", '{a: "%{if}"}', "IBG033"),
    azure("subnet-outside", "    region:", "    network: {subnet: 192.168.0.0/24}\n    region:", "IBG704"),
    ("workload-of-1e400", LAB + "workloads:\n  - {name: a, parameters: 1e400}\n", "IBG033", LAB.count("\n") + 2),
    ("workload-of-1e308", LAB + "workloads:\n  - {name: a, parameters: 1e308}\n", "IBG033", LAB.count("\n") + 2),
    ("workload-of-endless-sequences", workload("sequence: 99999999999999999999"), "IBG033", LAB.count("\n") + 2),
    ("workload-in-other-digits", LAB + "workloads:\n  - {name: a, parameters: \u0661}\n", "IBG033", LAB.count("\n") + 2),
    ("ratio-of-unknown-tier", LAB + "requirements: {oversubscription: {ib: {core: 1}}}\n", "IBG033", LAB.count("\n") + 1),
    ("ratio-is-a-list", LAB + "requirements: {oversubscription: []}\n", "IBG032", LAB.count("\n") + 1),
    lab("gpu-of-no-catalog", "gpu: A100-80G", "gpu: MI300-X", "IBG130"),
    lab("gpu-without-number", "gpus: 2", "gpus: 0", "IBG103", -1),
    lab("gpu-index-beyond", "gpu: 1, numa: 1", "gpu: 2, numa: 1", "IBG103"),
    lab("adapter-of-no-catalog", "model: cx6, rate: 200G, pcie: 4, gpu: 0", "model: cx-66, rate: 200G, gpu: 0", "IBG131"),
    lab("adapter-rate-of-no-link", "rate: 200G, pcie: 4, gpu: 0", "rate: 123.4G, pcie: 4, gpu: 0", "IBG132"),
    lab("adapter-faster-than-its-model", "rate: 200G, pcie: 4, gpu: 0", "rate: 400G, pcie: 4, gpu: 0", "IBG132"),
    lab("slot-of-three-lanes", "pcie: 4, gpu: 0", "pcie: 4, width: 3, gpu: 0", "IBG033"),
    lab("numa-beyond-sockets", "numa: 1", "numa: 2", "IBG103"),
    lab("numa-nodes-do-not-divide", "cores: 64", "cores: 64\n      numa_nodes: 7", "IBG103", 1),
    lab("rate-of-ethernet", "rate: 200G, role: management", "rate: 1G, role: management", "IBG135"),
    lab("host-called-default", "node-[01-09]", "DEFAULT", "IBG133"),
    lab("host-called-all", "node-[01-09]", '"node-01,all"', "IBG133"),
    lab("pool-formerly-itself", "    hosts: node-[01-09]", "    formerly: head\n    hosts: node-[01-09]", "IBG134"),
    lab("slurm-partitions-by-case", VERSION, VERSION + "\n  partitions: [{name: a, default: true}, {name: A}]", "IBG627", 1),
    lab("slurm-features-twice", VERSION, VERSION + "\n  features: [ib, ib]", "IBG040", 1),
    lab("manager-version-of-words", 'version: "3.3.23"', "version: latest", "IBG033"),
    lab("manager-version-empty", 'version: "3.3.23"', 'version: ""', "IBG033"),
    lab("manager-version-of-the-other", 'version: "3.3.23"', 'version: "5.24"', "IBG326"),
    lab("manager-host-twice", "hosts: [head-01]", "hosts: [head-01, head-01]", "IBG040"),
    lab("engine-twice", "routing: [ftree]", "routing: [ftree, ftree]", "IBG040"),
    lab("member-is-everyone", "{pool: gpu, membership: full}", "{membership: full}", "IBG033"),
    lab("member-is-everyone-with-adapters", "{pool: gpu, membership: full}", "{hcas: compute, membership: full}", "IBG033"),
    lab("member-guid-beside-pool", "{pool: gpu, membership", "{pool: gpu, guid: 0x2c9, membership", "IBG033"),
    lab("member-guid-of-a-group", "{pool: gpu, membership", "{guid: 0xffffffffffffffff, membership", "IBG033"),
    lab("member-guid-full-and-limited", MEMBER, MEMBER + GUID % "full" + GUID % "limited", "IBG325", 2),
    lab("vfs-backwards", MEMBER, '          - {pool: gpu, vfs: "9-3", membership: full}\n', "IBG365"),
    lab("vfs-of-no-pool", MEMBER, '          - {pool: gpu, vfs: "0-3", membership: full}\n', "IBG365"),
    lab("ipoib-rate-of-no-link", "{mtu: 2048}", "{mtu: 2048, rate: 123.4G}", "IBG033"),
    lab("nccl-for-a-pool-without-gpus", 'version: "2.21"', SETTINGS + "{head: {socket_interface: eth0}}", "IBG632", 1),
    lab("nccl-over-loopback", 'version: "2.21"', SETTINGS + "{gpu: {socket_interface: lo}}", "IBG633", 1),
    lab("nccl-over-docker", 'version: "2.21"', SETTINGS + IFNAME, "IBG633", 1),
    sriov("vfs-beyond-the-pool", 'vfs: "0-3"', 'vfs: "0-200"', "IBG365"),
    row("tenants-index-zero-twice", FIRST, "pkey: 0x0102", "indx0: true, pkey: 0x0102", "IBG372"),
    azure("user-root", "    region:", "    admin_user: root\n    region:", "IBG707"),
    azure("user-admin", "    region:", "    admin_user: admin\n    region:", "IBG707"),
    azure("everything-as-address-space", "    region:", "    network: {address_space: 0.0.0.0/0}\n    region:", "IBG708"),
    azure("loopback-as-subnet", "    region:", "    network: {subnet: 127.0.0.0/20}\n    region:", "IBG708"),
    azure("tags-by-case", "{owner: ml-infra}", "{owner: a, Owner: b}", "IBG709"),
    ("workload-batch-of-thirds", workload("global_batch: 7, micro_batch: 3"), "IBG514", LAB.count("\n") + 2),
    ("workload-more-experts-than-there-are", workload("experts: 8, top_k: 9"), "IBG514", LAB.count("\n") + 2),
    ("workload-experts-of-none", workload("top_k: 2"), "IBG514", LAB.count("\n") + 2),
    ("workload-more-active-than-there-are", workload("active_parameters: 30e9"), "IBG514", LAB.count("\n") + 2),
    ("workload-heads-not-shared", workload("heads: 7, tensor: 2"), "IBG514", LAB.count("\n") + 2),
    ("workload-of-more-gpus-than-exist", workload("gpus: 20"), "IBG513", LAB.count("\n") + 2),
    ("workload-in-a-pool-without-gpus", workload("pool: head"), "IBG513", LAB.count("\n") + 2),
    ("bindings-outside", LAB + "bindings: ../b.csv\n", "IBG033", LAB.count("\n") + 1),
    ("bindings-absent", LAB + "bindings: nope.csv\n", "IBG038", LAB.count("\n") + 1),
]


@pytest.mark.parametrize(("text", "code", "line"), [r[1:] for r in ROWS], ids=[r[0] for r in ROWS])
def test_broken_spec(text: str, code: str, line: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = tmp_path / "broken.yaml"
    spec.write_text(text, encoding="utf-8", newline="")
    assert start.main(["check", str(spec)]) == 1
    shown = capsys.readouterr()
    assert "Traceback" not in shown.out + shown.err
    _, report = compiler.compile(compiler.Input(spec))
    errors = [d for d in report.diagnostics if d.severity is Severity.ERROR]
    assert (code, line) in {(d.code.id, d.span.line) for d in errors}
    assert all(d.hint for d in errors), [(d.code.id, d.message) for d in errors if not d.hint]


HEADER = "host,hca,port,node_guid,port_guid\n"
BINDINGS = [
    ("columns-missing", "host,hca,port\n", "IBG305", 1),
    ("zero", HEADER + "node-01,mlx5_0,1,0x0,0x5\n", "IBG302", 2),
    ("two-hosts", HEADER + "node-01,mlx5_0,1,0x5,0x5\nnode-02,mlx5_0,1,0x5,0x5\n", "IBG303", 3),
    ("switch-has-a-hosts", HEADER + "node-01,mlx5_0,1,0x5,0x5\nleaf-u01,,,0x5,\n", "IBG303", 3),
    ("port-of-thousands-of-digits", HEADER + "node-01,mlx5_0,0001" + "9" * 5_000 + ",0x5,0x5\n", "IBG305", 2),
    ("all-ones", HEADER + "node-01,mlx5_0,1,0xffffffffffffffff,0x5\n", "IBG307", 2),
    ("group-address", HEADER + "node-01,mlx5_0,1,0x5,0x01005e0000000001\n", "IBG307", 2),
    ("port-in-other-digits", HEADER + "node-01,mlx5_0,\u0661,0x5,0x5\n", "IBG305", 2),
    ("endless-quoted-field", HEADER + '"' + "n" * 200_000 + '",mlx5_0,1,0x5,0x5\n', "IBG304", 2),
    ("line-separator-is-no-line", HEADER + "# a\u2028b\nnode-99,mlx5_0,1,0x5,0x5\n", "IBG304", 3),
]


@pytest.mark.parametrize(("csv", "code", "line"), [r[1:] for r in BINDINGS], ids=[r[0] for r in BINDINGS])
def test_broken_bindings(csv: str, code: str, line: int, tmp_path: Path) -> None:
    spec = tmp_path / "broken.yaml"
    spec.write_text(LAB + "bindings: guids.csv\n", encoding="utf-8")
    (tmp_path / "guids.csv").write_text(csv, encoding="utf-8", newline="")
    _, report = compiler.compile(compiler.Input(spec))
    found = {(Path(d.span.file).name, d.code.id, d.span.line) for d in report.diagnostics if d.hint}
    assert ("guids.csv", code, line) in found


SITES = [
    ("host-of-no-pool", '  - {name: A, hosts: "node-77"}\n', "IBG216", 2),
    ("switch-of-no-fabric", '  - {name: A, switches: "leaf-77"}\n', "IBG216", 2),
    ("host-among-the-switches", "  - {name: A, switches: node-01}\n", "IBG216", 2),
    ("host-in-two-racks", "  - {name: A, hosts: node-01}\n  - {name: B, hosts: node-01}\n", "IBG215", 3),
    ("rack-twice", "  - {name: A, hosts: node-01}\n  - {name: A, hosts: node-02}\n", "IBG214", 3),
    ("place-twice", "  - {name: A, row: 1, position: 1}\n  - {name: B, row: 1, position: 1}\n", "IBG214", 3),
]


@pytest.mark.parametrize(("racks", "code", "line"), [r[1:] for r in SITES], ids=[r[0] for r in SITES])
def test_broken_site(racks: str, code: str, line: int, tmp_path: Path) -> None:
    spec = tmp_path / "broken.yaml"
    spec.write_text(LAB + "site: lab.site.yaml\n", encoding="utf-8")
    (tmp_path / "lab.site.yaml").write_text("racks:\n" + racks, encoding="utf-8")
    _, report = compiler.compile(compiler.Input(spec))
    errors = {(Path(d.span.file).name, d.code.id, d.span.line) for d in report.diagnostics if d.hint}
    assert errors & {("lab.site.yaml", code, line)} == errors - {e for e in errors if e[1] == "IBG322"}


def test_an_overlay_that_names_an_item_twice_is_refused_not_merged(tmp_path: Path) -> None:
    spec, overlay = tmp_path / "lab.yaml", tmp_path / "more.yaml"
    spec.write_text(LAB, encoding="utf-8")
    overlay.write_text("pools:\n  - {name: gpu, schedulable: true}\n  - {name: gpu, schedulable: false}\n", encoding="utf-8")
    _, report = compiler.compile(compiler.Input(spec, (overlay,)))
    assert ("more.yaml", "IBG018", 3) in {(Path(d.span.file).name, d.code.id, d.span.line) for d in report.diagnostics}


@pytest.mark.parametrize("again", ["lab.yaml", "more.yaml", "sub/../more.yaml"])
def test_a_file_given_twice_is_refused(again: str, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "lab.yaml").write_text(LAB, encoding="utf-8")
    (tmp_path / "more.yaml").write_text("cluster: more\n", encoding="utf-8")
    _, report = compiler.compile(compiler.Input(tmp_path / "lab.yaml", (tmp_path / "more.yaml", tmp_path / again)))
    assert "IBG019" in {d.code.id for d in report.diagnostics if d.severity is Severity.ERROR}


def test_adapters_and_gpus_of_own_catalog_files_are_known(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(
        "gpus: [{id: site-gpu, memory_gb: 80, source: data sheet}]\n"
        "hcas: [{id: site-card, vendor: us, rate_gbps: 200, source: data sheet}]\n"
    )
    text = edit(edit(LAB, "gpu: A100-80G", "gpu: site-gpu"), "model: cx6", "model: site-card")
    (tmp_path / "lab.yaml").write_text(text + "catalog: [own.yaml]\n", encoding="utf-8")
    _, report = compiler.compile(compiler.Input(tmp_path / "lab.yaml"))
    assert not report.reaches(Severity.ERROR), [d.message for d in report.diagnostics]


@pytest.mark.parametrize("given", ["numa_nodes: 8", "sockets: 8"])
def test_numa_nodes_smaller_than_a_socket_can_be_said(given: str, tmp_path: Path) -> None:
    text = edit(edit(LAB, "      sockets: 2\n", f"      {given}\n"), "numa: 1", "numa: 7")
    (tmp_path / "lab.yaml").write_text(text, encoding="utf-8")
    _, report = compiler.compile(compiler.Input(tmp_path / "lab.yaml"))
    assert not report.reaches(Severity.ERROR), [d.message for d in report.diagnostics]


def test_no_message_shows_a_pattern(tmp_path: Path) -> None:
    for name, text, code, _ in ROWS:
        if code == "IBG033":
            (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8", newline="")
            _, report = compiler.compile(compiler.Input(tmp_path / f"{name}.yaml"))
            assert not [
                d.message for d in report.diagnostics if any(sign in d.message for sign in ("[A-Z", "[a-z", "[0-9]", "^"))
            ]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_a_wide_file_is_called_what_it_is(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "wide.yaml").write_bytes(("\ufeff" + LAB).encode(encoding))
    _, report = compiler.compile(compiler.Input(tmp_path / "wide.yaml"))
    assert [encoding[:6].upper() in d.message for d in report.diagnostics] == [True]


def test_a_layout_that_does_not_divide_is_said_where_the_field_stands(tmp_path: Path) -> None:
    spec = tmp_path / "lab.yaml"
    spec.write_text(LAB + "workloads:\n  - name: a\n    parameters: 20e9\n    tensor: 7\n", encoding="utf-8")
    _, report = compiler.compile(compiler.Input(spec))
    assert [(d.code.id, d.span.line) for d in report.diagnostics if d.code.id[3] == "5"] == [("IBG511", LAB.count("\n") + 4)]


def test_one_misspelt_role_is_one_finding(tmp_path: Path) -> None:
    spec = tmp_path / "broken.yaml"
    spec.write_text(edit(LAB, "hcas: compute}", "hcas: computee}"), encoding="utf-8")
    _, report = compiler.compile(compiler.Input(spec))
    assert len(report.diagnostics) == 1


def test_gpus_of_a_fabric_that_cannot_be_built_are_no_second_finding(tmp_path: Path) -> None:
    spec = tmp_path / "broken.yaml"
    spec.write_text(edit(LAB, "downlinks: 10", "downlinks: 41"), encoding="utf-8")
    _, report = compiler.compile(compiler.Input(spec))
    assert [d.code.id for d in report.diagnostics] == ["IBG224"]


def test_host_names_that_look_like_numbers_stay_names_in_the_inventory(tmp_path: Path) -> None:
    from ruamel.yaml import YAML

    spec = tmp_path / "odd.yaml"
    spec.write_text(edit(LAB, "node-[01-09]", '"1e3,0x1,12,no,1.5"'), encoding="utf-8")
    assert start.main(["build", str(spec), "-o", str(tmp_path / "out")]) == 0
    reader = YAML(typ="safe", pure=True)
    reader.version = (1, 1)  # the YAML that Ansible reads
    inventory = reader.load(tmp_path / "out" / "ansible" / "inventory.yml")
    assert set(inventory["all"]["children"]["pool_gpu"]["hosts"]) == {"1e3", "0x1", "12", "no", "1.5"}
