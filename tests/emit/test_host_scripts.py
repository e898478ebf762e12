"""The scripts that hosts run: the P_Key index, virtual functions, UFM's partitions. Run by sh on made-up folders."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ibgen import assets, compiler
from ibgen.emit.nccl import pkey_script
from ibgen.targets.nccl import PkeyProbe
from ibgen.targets.sriov import virtual_functions

PROBE = PkeyProbe("tenant-a", 0x8101, (("mlx5_0", 1), ("mlx5_10", 1)))
UFM = """
fabrics:
  - name: ib
    control: {kind: ufm, options: {log_max_size: 4096}}
"""


def sh(script: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    path = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    return subprocess.run(["sh", str(script), *words], env=path | env, capture_output=True, text=True, check=False)


def tree(folder: Path, example: str, *overlays: str) -> Path:
    """A built example."""
    files = []
    for n, text in enumerate(overlays):
        (folder / f"{n}.yaml").write_text(text)
        files.append(folder / f"{n}.yaml")
    report, plan = compiler.build(compiler.Input(assets.examples() / f"{example}.yaml", tuple(files)), folder / "tree")
    assert plan is not None, [d.message for d in report.diagnostics]
    return folder / "tree"


def tables(folder: Path, **devices: tuple[int, ...]) -> Path:
    """/sys/class/infiniband with the P_Key tables of port 1 of each device."""
    for device, keys in devices.items():
        table = folder / device / "ports" / "1" / "pkeys"
        table.mkdir(parents=True)
        for index in range(128):
            (table / str(index)).write_text(f"0x{(keys[index] if index < len(keys) else 0):04x}\n")
    return folder


def probe(folder: Path, **devices: tuple[int, ...]) -> subprocess.CompletedProcess[str]:
    script = folder / "pkey.sh"
    script.write_text(pkey_script(PROBE, "lab"))
    return sh(script, SYSFS_INFINIBAND=str(tables(folder / "sys", **devices)))


@pytest.mark.parametrize("index", [0, 1, 127])
def test_the_index_is_found_where_every_adapter_has_the_key_nccl_1323(index: int, tmp_path: Path) -> None:
    table = (*range(0x7000, 0x7000 + index), 0x8101)
    said = probe(tmp_path, mlx5_0=table, mlx5_1=(0x8101,), mlx5_10=table)
    assert (said.returncode, said.stdout, said.stderr) == (0, f"export NCCL_IB_PKEY={index}\n", "")


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ((0x7FFF, 0x8101), (0x8101, 0x7FFF), "index 1, mlx5_10:1 at 0"),
        ((0x7FFF, 0x8101), (0x7FFF,), "mlx5_10:1 does not hold the key"),
        ((0x7FFF, 0x0101), (0x7FFF, 0x0101), "mlx5_0:1 does not hold the key"),  # limited: the other 0x0101 could not answer
    ],
)
def test_adapters_that_differ_fail_loudly_azure_docs_69185(
    first: tuple[int, ...], second: tuple[int, ...], why: str, tmp_path: Path
) -> None:
    said = probe(tmp_path, mlx5_0=first, mlx5_10=second)
    assert said.returncode == 1
    assert why in said.stderr
    assert "NCCL_IB_PKEY=" not in said.stdout
    assert said.stdout.startswith("print error: "), "Slurm copies it into the job's output"


def test_an_adapter_that_is_gone_fails_loudly(tmp_path: Path) -> None:
    said = probe(tmp_path, mlx5_0=(0x8101,))
    assert said.returncode == 1
    assert "mlx5_10:1: there is no" in said.stderr


def host(folder: Path, functions: dict[str, int]) -> Path:
    """/sys of a host with IPoIB interfaces, and an `ip` that writes down what it is told. Returns the folder of `ip`."""
    for n, (device, now) in enumerate(functions.items()):
        pci = folder / "sys" / "class" / "infiniband" / device / "device"
        (pci / "net" / f"ib{n}").mkdir(parents=True)
        (pci / "net" / f"ib{n}" / "dev_port").write_text("0\n")
        (pci / "sriov_totalvfs").write_text("16\n")
        (pci / "sriov_numvfs").write_text(f"{now}\n")
        (pci / "sriov_drivers_autoprobe").write_text("1\n")
        (folder / "pci" / f"0000:0{n}:00.1").mkdir(parents=True)
        (pci / "virtfn0").symlink_to(folder / "pci" / f"0000:0{n}:00.1")
    (folder / "sys" / "bus" / "pci").mkdir(parents=True)
    (folder / "bin").mkdir()
    (folder / "bin" / "ip").write_text('#!/bin/sh\nprintf "%s\\n" "$*" >>"$SYSFS/told"\n')
    (folder / "bin" / "ip").chmod(0o755)
    return folder / "bin"


def sriov(folder: Path, functions: dict[str, int]) -> subprocess.CompletedProcess[str]:
    own = host(folder, functions)
    script = tree(folder, "sriov") / "sriov" / "hv.sh"
    return sh(script, SYSFS=str(folder / "sys"), HOST="hv-02.cluster", PATH=f"{own}:/usr/bin:/bin")


def test_functions_get_the_guids_that_the_partitions_name(tmp_path: Path) -> None:
    said = sriov(tmp_path, {"mlx5_0": 0, "mlx5_1": 0})
    assert said.returncode == 0, said.stderr
    told = re.findall(r"dev (\w+) vf (\d+) (node|port)_guid (\S+)", (tmp_path / "sys" / "told").read_text())
    assert len(told) == 2 * 8 * 2
    c, _ = compiler.compile(compiler.Input(assets.examples() / "sriov.yaml"))
    assert c.spec is not None
    assert c.fabric is not None
    subnet = c.fabric.subnets[0]
    functions = virtual_functions(c.spec, c.fabric, subnet)
    rows = [r for r in range(len(functions.port)) if c.fabric.hosts.names[subnet.ports.host[functions.port[r]]] == "hv-02"]
    wanted = {}
    for r in rows:
        key = f"ib{subnet.ports.hca[functions.port[r]]}", int(functions.number[r])
        wanted[*key, "node"] = int(functions.node_guid[r])
        wanted[*key, "port"] = int(functions.port_guid[r])
    assert {(dev, int(vf), kind): int(guid.replace(":", ""), 16) for dev, vf, kind, guid in told} == wanted
    named = (tmp_path / "tree" / "opensm" / "ib" / "partitions.conf").read_text()
    assert f"0x{wanted['ib0', 3, 'port']:016x}=full" in named
    for device in ("mlx5_0", "mlx5_1"):
        pci = tmp_path / "sys" / "class" / "infiniband" / device / "device"
        assert (pci / "sriov_numvfs").read_text() == "8\n"
        assert (pci / "sriov_drivers_autoprobe").read_text() == "1\n"


def test_functions_are_made_again_at_every_boot(tmp_path: Path) -> None:
    """The README ran the script once: after a reboot there were no functions, and no GUIDs that the partitions name."""
    made = tree(tmp_path, "sriov")
    unit = (made / "sriov" / "ibgen-sriov.service").read_text().splitlines()
    program = next(line.removeprefix("ExecStart=") for line in unit if line.startswith("ExecStart="))
    assert "WantedBy=multi-user.target" in unit
    assert any(line.startswith("Before=") and "slurmd.service" in line for line in unit), "before what uses them"
    said = (made / "README.md").read_text()
    assert f"src=sriov/hv.sh dest={program} mode=0755" in said
    assert "name=ibgen-sriov daemon_reload=yes enabled=yes" in said


def test_functions_that_are_there_are_not_made_again(tmp_path: Path) -> None:
    said = sriov(tmp_path, {"mlx5_0": 8, "mlx5_1": 8})
    assert said.returncode == 0, said.stderr
    assert "were there" in said.stderr
    assert not (tmp_path / "sys" / "bus" / "pci" / "drivers_probe").exists()


def test_other_functions_in_use_are_left_alone(tmp_path: Path) -> None:
    said = sriov(tmp_path, {"mlx5_0": 4, "mlx5_1": 0})
    assert said.returncode == 1
    assert "has 4 functions in use" in said.stderr
    assert not (tmp_path / "sys" / "told").exists()


def test_a_host_of_another_class_is_refused(tmp_path: Path) -> None:
    script = tree(tmp_path, "sriov") / "sriov" / "hv.sh"
    said = sh(script, "show", HOST="hv-99")
    assert said.returncode == 1
    assert said.stdout == ""


BINDINGS = "host,hca,port,node_guid,port_guid,system_image_guid\n"


def ufm(folder: Path, *, bound: bool) -> Path:
    """The sriov example under UFM, with its files beside it."""
    text = (assets.examples() / "sriov.yaml").read_text()
    rows = [
        f"hv-0{h},mlx5_{a},1,0x9c63c003000{h}{a}000,0x9c63c003000{h}{a}001,0x9c63c003000{h}{a}000"
        for h in range(1, 7)
        for a in (0, 1)
    ]
    rows += [f"sm-0{h},mlx5_0,1,0x9c63c0030010{h}000,0x9c63c0030010{h}001,0x9c63c0030010{h}000" for h in (1, 2)]
    (folder / "v.csv").write_text(BINDINGS + "\n".join(rows) + "\n")
    (folder / "v.yaml").write_text(text + ("bindings: v.csv\n" if bound else ""))
    (folder / "o.yaml").write_text(UFM)
    report, plan = compiler.build(compiler.Input(folder / "v.yaml", (folder / "o.yaml",)), folder / "tree")
    assert plan is not None, [d.message for d in report.diagnostics]
    assert "IBG370" in {d.code.id for d in report.diagnostics}, "what was not tried is said"
    return folder / "tree"


def test_ufm_gets_no_opensm_conf_that_it_would_overwrite(tmp_path: Path) -> None:
    made = ufm(tmp_path, bound=True)
    assert not (made / "opensm").exists()
    lines = (made / "ufm" / "ib" / "opensm.conf.user_ext").read_text().splitlines()
    options = dict(line.split(" ", 1) for line in lines if line and not line.startswith("#"))
    assert options == {
        "subnet_prefix": "0xfec0000000000020",
        "routing_engine": "ar_updn",
        "virt_enabled": "2",
        "log_max_size": "4096",
    }
    sheet = (made / "ufm" / "ib" / "point-to-point.csv").read_text().splitlines()
    cables = (made / "cabling" / "ib.csv").read_text().splitlines()
    assert len(sheet) == len(cables)
    assert len(set(sheet)) == len(sheet)


def test_ufm_is_told_whole_partitions_by_reference_to_its_password(tmp_path: Path) -> None:
    script = ufm(tmp_path, bound=True) / "ufm" / "ib" / "partitions.sh"
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    (bin_ / "curl").write_text('#!/bin/sh\n{ printf "%s\\n" "$*"; cat; printf "\\036"; } >>"$LOG"\n')
    (bin_ / "curl").chmod(0o755)
    said = sh(script, UFM_URL="https://ufm", UFM_NETRC="/n", LOG=str(tmp_path / "log"), PATH=f"{bin_}:/usr/bin:/bin")
    assert said.returncode == 0, said.stderr
    calls = [call.split("\n", 1) for call in (tmp_path / "log").read_text().split("\036")[:-1]]
    assert all("--netrc-file /n" in words and "--fail" in words for words, _ in calls)
    bodies = [json.loads(body) for words, body in calls if words.endswith("resources/pkeys/")]
    assert [b["pkey"] for b in bodies] == ["0x101", "0x102"]
    assert [len(b["guids"]) for b in bodies] == [6 * 2 * 4, 3 * 2 * 4]
    assert all(re.fullmatch("024[0-9a-f]{13}", guid) for b in bodies for guid in b["guids"])
    assert all(b["memberships"] == ["full"] * len(b["guids"]) for b in bodies)
    qos = [json.loads(body) for words, body in calls if words.endswith("qos_conf")]
    assert qos[0] == {"pkey": "0x101", "mtu_limit": 4, "service_level": 0, "rate_limit": 200.0}


def test_ufms_script_refuses_synthetic_guids(tmp_path: Path) -> None:
    script = ufm(tmp_path, bound=False) / "ufm" / "ib" / "partitions.sh"
    assert script.read_text().startswith("# SYNTHETIC GUIDS: do not install\n")
    said = sh(script, UFM_URL="https://ufm", UFM_NETRC="/n")
    assert said.returncode == 1
    assert "SYNTHETIC" in said.stderr


def test_shellcheck_has_nothing_to_say(tmp_path: Path) -> None:
    if shutil.which("shellcheck") is None:
        pytest.skip("shellcheck is not installed")
    scripts = []
    for name, make in (("a", True), ("b", False)):
        (tmp_path / name).mkdir()
        scripts += (ufm(tmp_path / name, bound=make)).rglob("*.sh")
    (tmp_path / "c").mkdir()
    scripts += tree(tmp_path / "c", "tenants", 'ucx: {version: "1.11"}').rglob("*.sh")
    assert {s.parent.name for s in scripts} >= {"nccl", "sriov", "ucx"}
    said = subprocess.run(["shellcheck", "--shell=sh", *map(str, scripts)], capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stdout
