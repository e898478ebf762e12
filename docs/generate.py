"""Writes the pages that the package itself knows: `make docs`.

Takes the models of the spec, the codes, the verbs and the measurements. Gives `spec.md`, `rules/`, `cli.md`, `accuracy.md`
beside this file; pages of codes that are gone are removed. `pages()` is what the tests compare with the files.
"""

from __future__ import annotations

import inspect
import sys
import typing
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any

import typer
from accuracy import accuracy_page
from opensm_rows import opensm_page
from reference import spec_page

from ibgen.cli.app import VERBS
from ibgen.compiler import codes
from ibgen.diagnostics import Code

DOCS = Path(__file__).resolve().parent

HUNDREDS = {
    "0": "Reading and shape",
    "1": "Hosts, GPUs, adapters, rails",
    "2": "Switches, cables, topology",
    "3": "GUIDs, partitions, subnet managers",
    "4": "Routing",
    "5": "Bandwidth",
    "6": "Targets: OpenSM, NCCL, Slurm",
    "7": "Cloud",
    "8": "Observed fabrics and existing files",
    "9": "The written tree",
}

RULES = """# Codes

Everything `ibgen check` and `ibgen build` can say. `ibgen explain IBG201` (or `ibgen explain leaf-oversubscribed`) prints the
same page in the terminal. A code is never used again for something else.

A finding is silenced on its line, and only with a reason: `# ibgen: ignore[IBG201] the reason`. A comment that stands alone
silences the line below it.

The examples on the pages are run by the tests: the bad one raises the code, the good one does not. An example with the line
`ibgen: 1` is a whole spec; any other is an overlay on [a small lab](../../templates/explain/lab.yaml). `# file: NAME` starts a
file that lies beside it.
"""

CLI = """# Command line

Each verb is right without options: it reads `cluster.yaml` and writes to `out`. Data goes to standard output; findings of
`build`, summaries and progress go to standard error. `NO_COLOR` turns colours off, `FORCE_COLOR` turns them on.

| exit code | meaning |
|---|---|
| 0 | clean |
| 1 | findings at or above `--fail-on`, a stale or hand-edited tree, a failed proof |
| 2 | wrong arguments, or an environment in which the verb cannot work; a proof that `--require` asked for was skipped |
| 3 | a bug in ibgen; a log to attach was written |
| 130 | interrupted |

`ibgen --version` prints the version, `-h` or `--help` after any verb prints its help.
"""


def pages() -> dict[str, str]:
    """Path below `docs/` -> text of every generated page."""
    known = codes()
    made = {"spec.md": spec_page(), "cli.md": cli_page(), "rules/index.md": rules_index(known), "accuracy.md": accuracy_page()}
    made["opensm.md"] = opensm_page(known)
    return made | {f"rules/{code.id}.md": rule_page(code) for code in known}


def rule_page(code: Code) -> str:
    page = code.page
    parts = [f"# {code.id} {code.name}", f"*{code.severity.value}.* {page.summary}", page.body]
    for title, example in (("Bad", page.bad), ("Good", page.good)):
        if example:
            parts.append(f"{title}:\n\n```yaml\n{example.rstrip()}\n```")
    parts.append(f"Silence it on one line: `# ibgen: ignore[{code.id}] the reason`. [All codes](index.md)")
    return "\n\n".join(part for part in parts if part) + "\n"


def rules_index(known: tuple[Code, ...]) -> str:
    parts = [RULES]
    for digit, title in HUNDREDS.items():
        found = [c for c in known if c.id[3] == digit]
        rows = [f"| [{c.id}]({c.id}.md) | {c.name} | {c.severity.value} | {_cell(c.page.summary)} |" for c in found]
        if rows:
            head = [f"## {digit}xx {title}\n", "| code | name | severity | says |", "|---|---|---|---|"]
            parts.append("\n".join([*head, *rows, ""]))
    return "\n".join(parts)


def cli_page() -> str:
    return "\n".join([CLI, *(part for verb in VERBS for part in _verb(verb))]).rstrip() + "\n"


def _verb(verb: str) -> Iterator[str]:
    module = import_module(f"ibgen.cli.{verb}")
    app = vars(module).get("app")
    if not isinstance(app, typer.Typer):
        yield from _command(verb, vars(module)[verb])
        return
    yield f"## ibgen {verb}\n\n{app.info.help}\n"
    for command in app.registered_commands:
        assert command.callback is not None
        yield from _command(f"{verb} {command.name}", command.callback, "###")


def _command(name: str, function: Any, level: str = "##") -> Iterator[str]:
    """A verb from its own signature, which does not change with the framework's version."""
    hints = typing.get_type_hints(function, include_extras=True)
    rows, usage = [], [f"ibgen {name}"]
    for parameter in inspect.signature(function).parameters.values():
        hint = hints[parameter.name]
        info = next(m for m in hint.__metadata__ if hasattr(m, "param_decls"))
        argument = isinstance(info, typer.models.ArgumentInfo)
        # with `Annotated`, the framework takes the first spelling of an option for its default
        called = info.metavar if argument else ", ".join(d for d in (info.default, *info.param_decls) if isinstance(d, str))
        if argument:
            usage.append(f"[{called.strip('[]')}]")
        elif info.metavar:
            called += f" {info.metavar}"
        rows.append(f"| `{_cell(called)}` | {_cell(_meaning(info.help, hint.__origin__, parameter.default))} |")
    text = inspect.cleandoc(function.__doc__ or "")
    yield f"{level} ibgen {name}\n\n{text}\n\n```\n{' '.join(usage)} [OPTIONS]\n```\n".replace(
        " [OPTIONS]", " [OPTIONS]" if any("`-" in row for row in rows) else ""
    )
    if rows:
        yield "\n".join(["| argument | meaning |", "|---|---|", *rows, ""])


def _meaning(help: str, kind: Any, default: Any) -> str:
    words = [help]
    if isinstance(kind, type) and issubclass(kind, Enum):
        words.append(f"One of {', '.join(f'`{e.value}`' for e in kind)}.")
    if default not in (None, False, inspect.Parameter.empty):
        words.append(f"Default: `{default.value if isinstance(default, Enum) else default}`.")
    return " ".join(words)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def main() -> int:
    made = pages()
    for name, text in made.items():
        path = DOCS / name
        path.parent.mkdir(exist_ok=True)
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"wrote docs/{name}")
    for path in sorted((DOCS / "rules").glob("IBG*.md")):
        if f"rules/{path.name}" not in made:
            path.unlink()
            print(f"removed docs/rules/{path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
