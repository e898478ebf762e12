"""What people see, as golden texts: read them in review, rewrite them with `pytest --update-golden`."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ibgen import assets
from ibgen.cli import start

SCREENS = {
    "plan-lab": ["plan", "lab.yaml"],
    "plan-superpod-h100": ["plan", "superpod-h100.yaml"],
    "plan-azure-burst": ["plan", "azure-burst.yaml"],
    "plan-dragonfly-1056": ["plan", "dragonfly-1056.yaml"],
    "show-fabric-lab": ["show", "fabric", "lab.yaml"],
    "show-cables-lab": ["show", "cables", "lab.yaml", "--host", "node-[01-02]"],
    "check-broken": ["check", "broken.yaml"],
    "check-broken-github": ["check", "broken.yaml", "--format", "github"],
    "check-typos": ["check", "typos.yaml"],
    "explain-leaf-oversubscribed": ["explain", "leaf-oversubscribed"],
    "wrong-verb": ["biuld"],
}

BROKEN = """\
ibgen: 1
cluster: pod-a
pools:
  - {name: gpu, hosts: "dgx-[001-064]", platform: dgx-h100}
fabrics:
  - name: compute
    control: {kind: opensm, flavour: nvidia, hosts: [dgx-001], routing: [ar_updn]}
    topology:
      kind: fat-tree
      unit: 40
      leaf: {switch: qm9700, downlinks: 40}
      spine: {switch: qm9700}
    attach:
      - {pool: gpu, hcas: compute}
    partitions:
      - {name: default, pkey: 0x7fff, members: [{pool: gpu, membership: full}]}
requirements:
  oversubscription: {compute: 1.0}
"""

TYPOS = (
    BROKEN.replace("platform: dgx-h100", "platfrom: dgx-h100").replace("unit: 40", "unit: many").replace("qm9700", "qm9799", 1)
)


@pytest.mark.parametrize("name", SCREENS)
def test_screen(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    golden: Callable[[str, str], None],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    for example in assets.examples().glob("*"):
        shutil.copy(example, tmp_path)
    shutil.copy(Path(__file__).with_name("lab.yaml"), tmp_path)
    (tmp_path / "broken.yaml").write_text(BROKEN)
    (tmp_path / "typos.yaml").write_text(TYPOS)
    code = start.main(SCREENS[name])
    got = capsys.readouterr()
    screen = f"$ ibgen {' '.join(SCREENS[name])}\n{got.out}"
    if got.err:
        screen += f"--- standard error\n{got.err}"
    golden(f"screens/{name}.txt", f"{screen}--- exit {code}\n")
