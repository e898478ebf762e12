"""The verbs, in the order in which they are used.

Only the verb that was asked for is imported: the others are names with a line of help, so that `ibgen --help` costs what
the framework costs.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.main import get_command

VERBS = {
    "init": "Write a spec to begin with, and its schema for your editor.",
    "check": "Judge a spec: each finding with line, numbers and remedy.",
    "plan": "Count what a spec needs: switches, cables, spare ports.",
    "simulate": "Put traffic on the fabric: bandwidth, fullest cables, failures.",
    "build": "Compile a spec into the files that configure the cluster.",
    "prove": "Let the real programs judge a built tree.",
    "bind": "Bind GUIDs to the names of a spec, from ibnetdiscover's output.",
    "show": "Spell out what a spec means: itself, switches, cables.",
    "explain": "Explain a code: why it matters, what to do, examples.",
    "schema": "Print a JSON Schema: of the spec, or of what ibgen writes.",
    "doctor": "Show what is installed here, and how to get what is not.",
}
"""Verb -> what it does, as the first line of its own help says it; each is a module of this package."""

_HELP = """One reviewed YAML spec of an InfiniBand GPU cluster, compiled into everything it is configured with.

Begin with `ibgen init`. Exit codes: 0 clean, 1 findings or a stale tree, 2 usage or environment, 3 a bug in ibgen,
130 interrupted.
"""


def command(verb: str) -> Any:
    """The command line as one command of the framework, with `verb` (and no other) ready to be carried out."""
    app = typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        help=_HELP,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_version)
    for name, line in VERBS.items():
        function = _function(name) if name == verb else _nothing
        if isinstance(function, typer.Typer):
            app.add_typer(function, name=name)
        else:
            app.command(name, help=None if name == verb else line)(function)
    group: Any = get_command(app)
    group.list_commands = lambda context: list(VERBS)  # the framework would sort them, or put `show` last
    return group


def _function(verb: str) -> Any:
    module = import_module(f"ibgen.cli.{verb}")
    return vars(module).get("app") or vars(module)[verb]


def _nothing() -> None:
    raise AssertionError("only the verb that was asked for is carried out")


def _version(
    version: bool = typer.Option(False, "--version", "-V", help="Print the version and exit.", is_eager=True),
) -> None:
    if version:
        from ibgen import __version__
        from ibgen.cli.terminal import out

        out(f"ibgen {__version__}\n")
        raise typer.Exit(0)
