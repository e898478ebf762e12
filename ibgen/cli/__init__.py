"""The command line: one file per verb. Takes arguments, gives text and an exit code.

The only room that knows typer, the terminal, the environment and exit codes. Nothing heavy is imported before a verb runs:
`ibgen --help` stays as fast as the framework it stands on, and `--version` needs not even that.
"""

from __future__ import annotations

import gc
import sys


def run() -> None:
    """The console script `ibgen`."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from ibgen import __version__

        print(f"ibgen {__version__}")
        return
    # a process that reads, writes and ends makes little garbage: at its defaults the collector walks the modules over and over
    # while they are imported, and once more after the last line is out. Together they were a quarter of a small check.
    gc.set_threshold(2_000_000, 20, 20)
    from ibgen.cli.start import main

    code = main(sys.argv[1:])
    gc.freeze()  # what is left goes with the process
    sys.exit(code)
