"""Console blocks of the pages that people write, run again: `python docs/console.py README.md` renews the outputs in the page.

A page's blocks are one session: they run in order in a scratch folder that holds the repository's `examples/`. Only commands of
`RUNS` are run; what others print (`make`, `pip`; in the tests also `ibgen prove`) is left as it was pasted. A line `...` in a
page stands for any number of lines, and a block that matches is left alone.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNS = ("ibgen", "sed", "cat", "head", "tail", "grep", "diff", "ls", "mkdir", "cp", "echo", "printf", "sh")
ELSEWHERE = ("ibgen prove", "ibgen doctor")
"""Commands whose output depends on the programs and the rights of the machine."""

_SIZE = re.compile(r" +\d[\d.]* [kM]?B$", flags=re.M)
_BLOCK = re.compile(r"^```console\n(.*?)^```$", flags=re.M | re.S)


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a page and the output that stands below it."""

    command: str
    output: str

    @property
    def portable(self) -> bool:
        """Whether every machine prints the same."""
        return self.command.split()[0] in RUNS and not self.command.startswith(ELSEWHERE)


def steps(block: str) -> Iterator[Step]:
    """The commands of a block. A line that ends in a backslash goes on in the next."""
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command, output = re.fullmatch(r"((?:[^\n]*\\\n)*[^\n]*)\n(.*)", part, flags=re.S).groups()  # type: ignore[union-attr]
        yield Step(command, output)


def session(page: str) -> list[Step]:
    return [step for block in _BLOCK.findall(page) for step in steps(block)]


def folder(at: Path) -> dict[str, str]:
    """Prepares a scratch folder; gives the environment in which `ibgen` is the one of this checkout."""
    shutil.copytree(ROOT / "examples", at / "examples")
    program = at / ".bin" / "ibgen"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m ibgen "$@"\n')
    program.chmod(0o755)
    kept = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "COLUMNS")}
    return kept | {"PATH": f"{program.parent}:{kept.get('PATH', os.defpath)}", "NO_COLOR": "1"}


def run(command: str, at: Path, env: dict[str, str]) -> str:
    """What a command prints, both streams as they come, without the lines of progress."""
    done = subprocess.run(
        ["sh", "-c", command], cwd=at, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    lines = done.stdout.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("... "))


def matches(pasted: str, printed: str, *, loosely: bool = False) -> bool:
    """Whether a pasted output is what was printed, `...` lines standing for what was left out.

    Loosely: whatever the sizes of files are, so that a comment added to a template is no change of a page.
    """
    if loosely:
        pasted, printed = _SIZE.sub("", pasted), _SIZE.sub("", printed)
    lines = pasted.strip("\n").split("\n")
    pattern = "".join(r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n" for line in lines)
    return re.fullmatch(pattern, printed.strip("\n") + "\n") is not None


def shortened(pasted: str, printed: str) -> str:
    """What is printed now, with as many lines left out in the middle as were left out before."""
    old, new = pasted.strip("\n").split("\n"), printed.strip("\n").split("\n")
    if "..." in old:
        head, tail = old.index("..."), old[::-1].index("...")
        if head + tail < len(new):
            new = [*new[:head], "...", *new[len(new) - tail :]]
    gap = "\n" * pasted.endswith("\n\n")
    return "\n".join(new) + "\n" + gap if printed.strip() else gap


def renewed(page: str, at: Path, wanted: Callable[[Step], bool]) -> str:
    """The page with the outputs of the wanted commands as they are now."""
    env = folder(at)

    def block(match: re.Match[str]) -> str:
        text = "```console\n"
        for step in steps(match[1]):
            output = step.output
            if wanted(step):
                printed = run(step.command, at, env)
                if not matches(output, printed):
                    print(f"$ {step.command}", file=sys.stderr)
                    output = shortened(output, printed)
            text += f"$ {step.command}\n{output}"
        return text + "```"

    return _BLOCK.sub(block, page)


def main(names: list[str]) -> int:
    for name in names:
        path = Path(name)
        with tempfile.TemporaryDirectory() as scratch:
            text = renewed(path.read_text(encoding="utf-8"), Path(scratch), lambda s: s.command.split()[0] in RUNS)
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
