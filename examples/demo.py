"""What `make demo` runs: the SuperPOD example from plan to tree, its traffic simulated.

    python examples/demo.py .venv/bin/ibgen

Takes the ibgen program (the one on PATH unless named). Prints each command as `$ ibgen ...` and what it says; leaves the tree
in `out/superpod-h100` of the checkout. Exits with the code of the first command that fails.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SPEC = "examples/superpod-h100.yaml"
TREE = "out/superpod-h100"
COMMANDS = (("plan", SPEC), ("check", SPEC), ("simulate", SPEC), ("build", SPEC, "-o", TREE))


def main(ibgen: str) -> int:
    environment = dict(os.environ)
    if sys.stdout.isatty() and "NO_COLOR" not in environment:
        environment["FORCE_COLOR"] = "1"  # the output passes through here, where it would otherwise look like a pipe
    for command in COMMANDS:
        print(f"$ ibgen {' '.join(command)}", flush=True)
        done = subprocess.run([ibgen, *command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        print(done.stdout, end="")
        print("".join(line for line in done.stderr.splitlines(keepends=True) if not line.startswith("... ")), flush=True)
        if done.returncode:
            return done.returncode
    program = Path(ibgen)
    if program.is_relative_to(ROOT):
        folder = program.relative_to(ROOT).parent
        print(f"ibgen is {folder}/ibgen here; `. {folder}/activate` puts it on the PATH of this shell.")
    print(f"{TREE}/README.md says how each folder is applied; README.md here, what else ibgen can do.")
    return 0


if __name__ == "__main__":
    sys.exit(main(str(Path(sys.argv[1]).absolute()) if len(sys.argv) > 1 else "ibgen"))
