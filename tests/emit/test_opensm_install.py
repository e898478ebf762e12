"""install.sh, run: what it writes where, what it refuses, what it says comes next, and that no key ever lies in the tree."""

from __future__ import annotations

import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from ibgen import compiler
from ibgen.compilation import Complete, complete
from ibgen.emit.opensm import opensm

SPEC = """\
ibgen: 1
cluster: lab
pools:
  - {{name: gpu, hosts: "node-[1-4]", platform: {{kind: generic, hcas: [{{name: mlx5_0, rate: 200G}}]}}}}
  - name: service
    hosts: sm-[1-2]
    platform: {{kind: generic, hcas: [{{name: mlx5_0, rate: 200G, role: management}}]}}
fabrics:
  - name: ib
    control: {{kind: opensm, flavour: {flavour}, hosts: {hosts}, subnet_prefix: "0xfec0000000000001", secrets: {secrets},
              options: {options}, files: {files}}}
    topology: {{kind: fat-tree, rails: host, unit: 3, units: 2, leaf: {{switch: qm8700}}, spine: {{switch: qm8700}},
               reserve: {{sm: 2}}}}
    attach:
      - {{pool: gpu, hcas: all}}
      - {{pool: service, hcas: all, at: reserved}}
{bindings}"""
KEY = "0x1122334455667788"


def compiled(folder: Path, bound: bool = True, **fields: str) -> Complete:
    values = {"flavour": "upstream", "hosts": "[sm-1, sm-2]", "secrets": "{}", "options": "{}", "files": "{}", "bindings": ""}
    text = SPEC.format(**(values | fields))
    c, report = compiler.compile(compiler.Input(folder / "lab.yaml", text=text))
    whole = complete(c)
    assert whole is not None, [(d.code.id, d.message) for d in report.diagnostics]
    if not bound:
        return whole
    subnet, hosts = whole.fabric.subnets[0], whole.fabric.hosts
    rows = ["host,hca,port,node_guid,port_guid"]
    rows += [f"{n},,,0x{0xE41D2D0300000000 + i * 16:016x}," for i, n in enumerate(subnet.switches.names)]
    rows += [
        f"{hosts.names[h]},mlx5_0,1,0x{0x2C90300000000 + h * 16:016x},0x{0x2C90300000001 + h * 16:016x}"
        for h in subnet.ports.host.tolist()
    ]
    (folder / "guids.csv").write_text("\n".join(rows) + "\n")
    return compiled(folder, bound=False, **{**fields, "bindings": "bindings: guids.csv\n"})


def written(c: Complete, folder: Path) -> Path:
    for a in opensm.run(c):
        path = folder / a.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(a.content)
        path.chmod(a.mode)
    return folder / "opensm" / "ib"


def install(folder: Path, *args: object, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [str(folder / "install.sh"), *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={"PATH": "/usr/bin:/bin", **(env or {})})


def settings(conf: Path) -> dict[str, str]:
    return dict(line.split(None, 1) for line in conf.read_text().splitlines() if line and not line.startswith("#"))


def test_install_refuses_synthetic_guids(tmp_path: Path) -> None:
    folder, target = written(compiled(tmp_path, bound=False), tmp_path), tmp_path / "etc"
    done = install(folder, target)
    assert done.returncode == 1
    assert "synthetic GUIDs" in done.stderr
    assert not target.exists()


def test_install_copies_once_and_says_what_comes_next(tmp_path: Path) -> None:
    folder, target = written(compiled(tmp_path), tmp_path), tmp_path / "etc"
    first = install(folder, target, "sm-1")
    assert "next: restart" in first.stdout, first.stderr
    names = {p.name for p in folder.iterdir() if p.is_file()} - {"install.sh"}
    assert {p.name for p in target.iterdir()} == names | {"opensm.conf"}
    assert all((target / n).read_bytes() == (folder / n).read_bytes() for n in names)
    assert (target / "opensm.conf").read_bytes() == (folder / "sm-1" / "opensm.conf").read_bytes()
    again = install(folder, target, "sm-1")
    assert "nothing changed" in again.stdout
    assert again.stdout.count("same ") == len(names) + 1


def test_each_host_is_given_its_own_conf(tmp_path: Path) -> None:
    """opensm#40, needs K26 and K27: one conf per host, with its own port and a priority of its own."""
    folder = written(compiled(tmp_path), tmp_path)
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "uname").write_text("#!/bin/sh\necho sm-2.cluster.example\n")
    (programs / "uname").chmod(0o755)
    done = install(folder, tmp_path / "here", env={"PATH": f"{programs}:/usr/bin:/bin"})
    assert done.returncode == 0, done.stderr
    assert install(folder, tmp_path / "asked", "sm-1").returncode == 0
    here, asked = (settings(tmp_path / n / "opensm.conf") for n in ("here", "asked"))
    assert (here["sm_priority"], asked["sm_priority"]) == ("1", "2")
    assert here["guid"] != asked["guid"]
    assert {n for n in here if here[n] != asked[n]} == {"guid", "sm_priority"}


def test_on_a_host_that_is_no_manager_nothing_is_installed(tmp_path: Path) -> None:
    """dell/omnia#423, MemLiner#4: a manager on a host that was not meant to run one takes over the fabric."""
    done = install(written(compiled(tmp_path), tmp_path))
    assert done.returncode == 1
    assert "none of the managers: sm-1, sm-2" in done.stderr
    asked = install(written(compiled(tmp_path), tmp_path), tmp_path / "etc", "node-1")
    assert asked.returncode == 1
    assert "node-1 is none of the managers" in asked.stderr


@pytest.mark.parametrize(
    ("before", "after", "word"),
    [
        ('{sweep_interval: "20"}', '{sweep_interval: "30"}', "SIGHUP"),
        ('{transaction_timeout: "300"}', '{transaction_timeout: "400"}', "restart"),
        ("{}", '{lmc: "1", routing_engine: updn}', "restart"),
    ],
)
def test_only_options_that_are_not_read_again_want_a_restart(before: str, after: str, word: str, tmp_path: Path) -> None:
    """osm_subnet.c's table: can_update."""
    target = tmp_path / "etc"
    install(written(compiled(tmp_path, options=before), tmp_path / "old"), target, "sm-1")
    done = install(written(compiled(tmp_path, options=after), tmp_path / "new"), target, "sm-1")
    assert next(line for line in done.stdout.splitlines() if line.startswith("next:")).count(word)


def test_a_comment_alone_wants_nothing(tmp_path: Path) -> None:
    folder, target = written(compiled(tmp_path), tmp_path), tmp_path / "etc"
    install(folder, target, "sm-1")
    conf = target / "opensm.conf"
    conf.write_text("# somebody's note\n" + conf.read_text())
    assert "nothing changed" in install(folder, target, "sm-1").stdout


def test_keys_are_put_in_where_the_manager_runs_and_nowhere_else(tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    keys.mkdir()
    (keys / "m_key").write_text(KEY + "\n")
    (keys / "m_key").chmod(0o600)
    secrets = f"{{m_key: {{file: {keys}/m_key}}, sm_key: {{env: LAB_SM_KEY}}}}"
    c = compiled(tmp_path, secrets=secrets)
    folder, target = written(c, tmp_path), tmp_path / "etc"
    assert not [a.path for a in opensm.run(c) if KEY[2:].encode() in a.content]
    done = install(folder, target, "sm-1", env={"LAB_SM_KEY": "0xabcd"})
    assert done.returncode == 0, done.stderr
    conf = target / "opensm.conf"
    assert {settings(conf)["m_key"], settings(conf)["sm_key"]} == {KEY, "0xabcd"}
    assert stat.S_IMODE(conf.stat().st_mode) == 0o600
    assert KEY not in done.stdout + done.stderr
    assert "nothing changed" in install(folder, target, "sm-1", env={"LAB_SM_KEY": "0xabcd"}).stdout


@pytest.mark.parametrize("key", ["", "secret", "0x", "0x11223344556677889", "0x12 ; reboot", "12345", "$(id)", "0x12zz"])
def test_what_is_no_key_is_refused(key: str, tmp_path: Path) -> None:
    (tmp_path / "m_key").write_text(key)
    folder = written(compiled(tmp_path, secrets=f"{{m_key: {{file: {tmp_path}/m_key}}}}"), tmp_path)
    done = install(folder, tmp_path / "etc", "sm-1")
    assert done.returncode == 1
    assert "m_key" in done.stderr
    assert not list((tmp_path / "etc").iterdir()), "nothing is installed without the key"


def test_a_missing_key_is_refused(tmp_path: Path) -> None:
    folder = written(compiled(tmp_path, secrets="{m_key: {file: /nowhere/m_key}, sa_key: {env: LAB_SA_KEY}}"), tmp_path)
    done = install(folder, tmp_path / "etc", "sm-1")
    assert done.returncode == 1
    assert "/nowhere/m_key" in done.stderr
    folder = written(compiled(tmp_path, secrets="{sa_key: {env: LAB_SA_KEY}}"), tmp_path)
    assert "the variable LAB_SA_KEY" in install(folder, tmp_path / "etc", "sm-1").stderr


@pytest.mark.parametrize("secrets", ["{m_key: {}}", "{m_key: {file: /a, env: B}}", "{m_key: 0x11}", '{m_key: {file: "/a b"}}'])
def test_a_secret_is_a_place_and_no_key(secrets: str, tmp_path: Path) -> None:
    values = {"flavour": "upstream", "hosts": "[sm-1]", "options": "{}", "files": "{}", "bindings": ""}
    text = SPEC.format(secrets=secrets, **values)
    c, report = compiler.compile(compiler.Input(tmp_path / "lab.yaml", text=text))
    assert c.spec is None
    assert {d.code.id[:4] for d in report.diagnostics} == {"IBG0"}


def test_lids_are_written_beside_the_rest_for_a_look(tmp_path: Path) -> None:
    folder = written(compiled(tmp_path, files="{stable_lids: yes}"), tmp_path)
    install(folder, tmp_path / "etc", "sm-1")
    assert (tmp_path / "etc" / "guid2lid").read_bytes() == (folder / "guid2lid").read_bytes()


def test_what_starts_it_names_the_conf_and_a_cache_of_its_own(tmp_path: Path) -> None:
    for flavour, name in (("upstream", "opensm.dropin.conf"), ("nvidia", "opensm-ib.service")):
        text = (written(compiled(tmp_path, flavour=flavour), tmp_path / flavour) / "sm-1" / name).read_text()
        assert "ExecStart=/usr/sbin/opensm -F /etc/opensm/opensm.conf" in text
        assert "OSM_CACHE_DIR=/var/cache/opensm" in text


def machine(folder: Path, root: Path, enabled: str) -> subprocess.CompletedProcess[str]:
    """install.sh of sm-1 without arguments, its /etc and /var below `root`; systemd says that the units of `enabled` are."""
    script = folder / "install.sh"
    script.write_text(re.sub(r"(?<![\w.])/(etc|var)/", rf"{root}/\1/", script.read_text()))
    (root / "etc" / "systemd" / "system").mkdir(parents=True, exist_ok=True)
    (root / "etc" / "default").mkdir(exist_ok=True)
    programs = root / "bin"
    programs.mkdir(exist_ok=True)
    (programs / "uname").write_text("#!/bin/sh\necho sm-1\n")
    # $3 is the unit: `systemctl -q is-enabled UNIT`
    (programs / "systemctl").write_text(f'#!/bin/sh\ncase " {enabled} " in *" $3 "*) exit 0 ;; esac\nexit 1\n')
    for program in programs.iterdir():
        program.chmod(0o755)
    done = install(folder, env={"PATH": f"{programs}:/usr/bin:/bin"})
    assert done.returncode == 0, done.stderr
    return done


def test_a_manager_of_its_own_unit_comes_back_after_a_reboot_and_alone(tmp_path: Path) -> None:
    """The unit was written and never enabled, and the packaged service started a second manager on the first port."""
    folder = written(compiled(tmp_path, flavour="nvidia"), tmp_path)
    said = machine(folder, tmp_path / "root", "opensmd.service").stdout
    steps = ["daemon-reload", "mask --now opensmd.service", "enable opensm-ib.service", "restart opensm-ib.service"]
    places = [said.find(step) for step in steps]
    assert -1 not in places, said
    assert places == sorted(places), "in the order in which they must be done"
    assert "mask --now opensm.service" not in said, "it is not installed there"
    again = machine(folder, tmp_path / "root", "opensm-ib.service").stdout
    assert "next:" not in again
    unit = (tmp_path / "root/etc/systemd/system/opensm-ib.service").read_text()
    assert "WantedBy=multi-user.target" in unit


def test_debians_service_is_enabled_and_knows_every_port_that_a_tree_manages(tmp_path: Path) -> None:
    """PORTS held the port of the subnet installed last: after a reboot the manager of the other one was gone."""
    c = compiled(tmp_path)
    folder, root = written(c, tmp_path), tmp_path / "root"
    other, mine = "0x0002c90300000abc", f"0x{next(h.guid for h in c.targets.opensm[0].hosts if h.host == 'sm-1'):016x}"
    stale = "0x0002c90300000def"
    for guid, conf in ((other, "/etc/opensm/storage/opensm.conf"), (stale, f"{root}/etc/opensm/opensm.conf")):
        place = root / "etc" / "systemd" / "system" / f"opensm@{guid}.service.d"
        place.mkdir(parents=True)
        (place / "ibgen.conf").write_text(f"ExecStart=/usr/sbin/opensm -F {conf}\n")
    (root / "etc" / "default").mkdir()
    (root / "etc" / "default" / "opensm").write_text("PORTS=ALL\n")
    said = machine(folder, root, "").stdout
    ports = " ".join(sorted((mine, other)))
    assert f'write PORTS="{ports}" into' in said
    assert "enable opensm.service" in said
    (root / "etc" / "default" / "opensm").write_text(f'PORTS="{ports}"\n')
    assert "next:" not in machine(folder, root, "opensm.service").stdout


@pytest.mark.parametrize("flavour", ["upstream", "nvidia"])
def test_a_manager_whose_port_comes_late_is_started_again(flavour: str, tmp_path: Path) -> None:
    """OpenSM ends with exit code 0 where its port is missing (measured, 3.3.23), which Restart=on-failure takes for success;
    and five starts within ten seconds, systemd's default limit, would be the last."""
    (conf,) = [
        a for a in opensm.run(compiled(tmp_path, flavour=flavour)) if "/sm-1/opensm" in a.path and "opensm.conf" not in a.path
    ]
    lines = conf.content.decode().splitlines()
    assert "Restart=always" in lines
    assert "RestartSec=5" in lines


@pytest.mark.skipif(not shutil.which("shellcheck"), reason="needs shellcheck")
@pytest.mark.parametrize("hosts", ["[]", "[sm-1, sm-2]"])
@pytest.mark.parametrize("flavour", ["upstream", "nvidia"])
@pytest.mark.parametrize("secrets", ["{}", "{m_key: {file: /etc/opensm/keys/m_key}, sm_key: {env: LAB_SM_KEY}}"])
@pytest.mark.parametrize("files", ["{}", "{stable_lids: yes}"])
def test_install_is_clean_shell(hosts: str, flavour: str, secrets: str, files: str, tmp_path: Path) -> None:
    folder = written(compiled(tmp_path, False, hosts=hosts, flavour=flavour, secrets=secrets, files=files), tmp_path)
    done = subprocess.run(["shellcheck", folder / "install.sh"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
