"""The command line: one file per verb. Takes arguments, gives text and an exit code.

The only room that knows typer, the terminal, the environment and exit codes. Nothing heavy is imported before a verb runs:
`ibgen --help` stays as fast as the framework it stands on, and `--version` needs not even that.
"""

from __future__ import annotations

import sys


def run() -> None:
    """The console script `ibgen`."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from ibgen import __version__

        print(f"ibgen {__version__}")
        return
    from ibgen.cli.start import main

    sys.exit(main(sys.argv[1:]))
