"""The command line before any spec is read: help, usage errors, streams, bugs, interruptions."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ibgen
from ibgen import assets
from ibgen.cli import start, terminal
from ibgen.cli.app import VERBS, command

ROOT = Path(ibgen.__file__).resolve().parent.parent
RUN = "from ibgen.cli import run; run()"


def ibgen_run(
    *args: str, code: str = RUN, env: dict[str, str] | None = None, cwd: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    whole = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}
    return subprocess.run(
        [sys.executable, "-c", code, *args], capture_output=True, text=True, env=whole, cwd=cwd, check=False, timeout=120
    )


def test_help_imports_nothing_heavy() -> None:
    """The framework itself may bring rich along; numpy, pydantic, jinja2 and the yaml reader never come."""
    code = (
        "import sys\ntry:\n    from ibgen.cli import run; run()\n"
        "except SystemExit: pass\nprint('\\n'.join(sys.modules), file=sys.stderr)"
    )
    done = ibgen_run("--help", code=code)
    assert "Commands:" in done.stdout
    loaded = {name.split(".")[0] for name in done.stderr.split()}
    assert not loaded & {"numpy", "pydantic", "jinja2", "ruamel", "rich", "numba"}
    assert not {"ibgen.compiler", "ibgen.diagnostics", "ibgen.render"} & set(done.stderr.split())


def test_version_needs_not_even_the_framework() -> None:
    code = "import sys\nfrom ibgen.cli import run; run()\nprint('typer' in sys.modules)"
    assert ibgen_run("--version", code=code).stdout == f"ibgen {ibgen.__version__}\nFalse\n"


def test_every_verb_says_of_itself_what_the_list_says(capsys: pytest.CaptureFixture[str]) -> None:
    for verb, line in VERBS.items():
        assert start.main([verb, "--help"]) == 0
        out = capsys.readouterr().out
        assert line in " ".join(out.split()), verb
        assert not [x for x in out.splitlines()[1:] if x.rstrip().endswith("...")], f"{verb}: a line of help is cut off"


def test_the_list_of_verbs_is_whole(capsys: pytest.CaptureFixture[str]) -> None:
    assert start.main(["--help"]) == 0
    out = capsys.readouterr().out
    for verb, line in VERBS.items():
        assert f"{verb} " in out
        assert line in out


@pytest.mark.parametrize(
    ("args", "error", "hint"),
    [
        (["chekc", "x.yaml"], "there is no verb `chekc`", "`ibgen check`"),
        (["frobnicate"], "there is no verb `frobnicate`", "init, check"),
        (["check", "--formt", "json"], "no such option: --formt", ""),
        (["check", "--format", "xml"], "'xml' is not one of", "--help"),
        (["check", "nope.yaml"], "there is no spec nope.yaml", "did you mean other.yaml?"),
        (["check", "clustr.yaml"], "there is no spec clustr.yaml", "did you mean cluster.yaml?"),
        (["check", "missing/x.yaml"], "there is no spec missing/x.yaml", "there is no folder missing"),
        (["check", "folder"], "folder is a folder, not a spec", "folder/inside.yaml"),
        (["check", "cluster.yaml", "-f", "nope.yaml"], "there is no overlay nope.yaml", ""),
        (["check", "dangling.yaml"], "link that leads nowhere", ""),
        (["build", "--check", "--force"], "--check writes nothing", "one of them"),
        (["prove", "nowhere"], "there is no folder nowhere", "ibgen build"),
        (["prove", "folder"], "not a tree that ibgen built", "ibgen build"),
        (["prove", "--format", "sarif"], "'sarif' is not one of", "help"),
        (["check", "g.yaml", "--opensm", "."], "one of the two would not be judged", "one after the other"),
        (["check", "--flavour", "nvidia"], "--flavour belongs to --opensm", "control"),
        (["check", "--opensm", ".", "-f", "o.yaml"], "one of the two would not be judged", "one after the other"),
        (["init", "--from", "superpodh100"], "nothing called `superpodh100`", "superpod-h100"),
        (["init", "-o", "cluster.yaml"], "cluster.yaml is already there", "-o"),
        (["init", "-o", "folder"], "folder is a folder", "folder/cluster.yaml"),
        (["init", "-o", "missing/c.yaml"], "there is no folder missing", "mkdir"),
        (["show", "cabels"], "no such command 'cabels'", ""),
    ],
)
def test_a_wrong_call_exits_2_with_a_hint(
    args: list[str], error: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "inside.yaml").write_text("")
    (tmp_path / "cluster.yaml").write_text("ibgen: 1\n")
    (tmp_path / "other.yaml").write_text("ibgen: 1\n")
    (tmp_path / "dangling.yaml").symlink_to("gone")
    if "nope.yaml" in args and "-f" not in args:
        (tmp_path / "cluster.yaml").unlink()
    assert start.main(args) == 2
    got = capsys.readouterr()
    assert got.out == ""
    assert error in got.err
    assert hint in got.err
    assert "Traceback" not in got.err


def test_no_arguments_print_the_help_and_exit_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert start.main([]) == 2
    assert "Commands:" in capsys.readouterr().err


def test_a_bug_leaves_a_log_and_no_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("ibgen.assets.examples", lambda: 1 / 0)
    assert start.main(["init", "--list"]) == 3
    err = capsys.readouterr().err
    assert "Traceback" not in err
    log = Path(re.search(r"log: (.+)", err)[1]).read_text()  # type: ignore[index]
    assert "ZeroDivisionError" in log
    assert "arguments ['init', '--list']" in log
    assert ibgen.__version__ in log


@pytest.mark.parametrize(
    ("raised", "exit_code"),
    [(PermissionError(13, "Permission denied", "/x"), 2), (MemoryError(), 2), (KeyboardInterrupt(), 130)],
)
def test_what_the_machine_refuses_is_no_bug(
    raised: BaseException, exit_code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse() -> Path:
        raise raised

    monkeypatch.setattr("ibgen.assets.examples", refuse)
    assert start.main(["init", "--list"]) == exit_code
    assert "Traceback" not in capsys.readouterr().err


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def refuse() -> Path:
        raise ModuleNotFoundError("No module named 'numpy'", name="numpy")

    monkeypatch.setattr("ibgen.assets.examples", refuse)
    assert start.main(["init", "--list"]) == 2
    assert "numpy is not installed" in capsys.readouterr().err


def test_a_reader_that_leaves_early_is_silent() -> None:
    """`ibgen schema | head -1`, with more output than a pipe holds."""
    code = (
        "from ibgen.cli import terminal\nterminal.prepare()\n"
        "for _ in range(500): terminal.out('x' * 1000 + '\\n')\nterminal.finish()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    process.stdout.read(10)
    process.stdout.close()
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")


def test_output_is_utf8_in_any_locale() -> None:
    code = "from ibgen.cli import terminal\nterminal.prepare()\nterminal.out('\\u00b5\\u6f22\\ud800\\n')"
    env = {**os.environ, "PYTHONPATH": str(ROOT), "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=env, check=True)
    assert done.stdout == "µ漢\\ud800\n".encode()


@pytest.mark.parametrize(
    ("env", "terminal_", "painted"),
    [
        ({}, False, False),
        ({}, True, True),
        ({"TERM": "dumb"}, True, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "0"}, False, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False, False),
        ({"NO_COLOR": ""}, True, True),
    ],
)
def test_colour_follows_the_environment(
    env: dict[str, str], terminal_: bool, painted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    with open(os.devnull, "w") as stream:
        monkeypatch.setattr(terminal, "is_terminal", lambda _: terminal_)
        assert terminal.color(stream) is painted


def test_progress_off_a_terminal_begins_after_a_second(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    with terminal.Progress() as step:
        step("reading")
        now[0] = 1.5
        step("checking")
    assert capsys.readouterr().err == "... checking\n"


def test_progress_off_a_terminal_says_phases_and_no_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A tree of fifty files put fifty lines `... move slurm/gres.conf` into the log of a CI job."""
    ticks = iter(range(0, 10_000, 2))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(ticks)))
    assert start.main(["build", str(assets.examples() / "rail-only.yaml"), "-o", str(tmp_path / "out")]) == 0
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("... ")]
    assert len(said) <= 10
    assert len(said) == len(set(said))
    assert "... writing" in said
    assert not [line for line in said if "/" in line or ":" in line]


def test_progress_on_a_terminal_shows_a_slow_first_step_and_wipes_itself() -> None:
    import pty

    code = (
        "import time\nfrom ibgen.cli import terminal\nwith terminal.Progress() as step:\n    step('reading'); time.sleep(1.3)"
    )
    ours, theirs = pty.openpty()
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"}
    subprocess.run([sys.executable, "-c", code], stderr=theirs, env=env, check=True, timeout=60)
    os.close(theirs)
    assert os.read(ours, 1000).decode() == "\r\x1b[2Kreading ...\r\x1b[2K"
    os.close(ours)


def test_interrupted_exits_130() -> None:
    code = (
        "import signal, time, sys\nfrom ibgen import assets\n"
        # a job in the background ignores Ctrl-C, and so would what it starts
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def wait(): print('ready', flush=True); time.sleep(60)\n"
        "assets.examples = wait\nfrom ibgen.cli.start import main\nsys.exit(main(['init', '--list']))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "interrupted\n")


def test_only_the_asked_verb_is_loaded() -> None:
    assert set(command("doctor").commands) == set(VERBS)
