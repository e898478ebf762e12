"""Run the real terraform on a folder with schema-only providers, offline.

    tf-offline DIR validate            fmt -check, init, validate, key check
    tf-offline DIR plan [args]         the same, then plan; prints terraform's plan
    tf-offline DIR plan --json         the plan as JSON (terraform show -json)
    tf-offline DIR test                terraform test (tests/*.tftest.hcl)
    tf-offline DIR apply --state FILE  apply with made-up values into FILE
    tf-offline DIR plan  --state FILE  plan against that state
    tf-offline --list                  providers and versions that can be served

Exit status: terraform's own; 3 when a file is unformatted; 4 when a nested object has a key that no schema knows.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tfoffline import mirror, referee, schemas


def parser() -> argparse.ArgumentParser:
    """The command line."""
    p = argparse.ArgumentParser(prog="tf-offline", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("dir", type=Path, nargs="?")
    p.add_argument("command", nargs="?", choices=["fmt", "validate", "plan", "apply", "test"], default="validate")
    p.add_argument("--list", action="store_true", help="list the providers that can be served")
    p.add_argument("--schemas", type=Path, default=schemas.OWN, help="the first schema folder (default: the project's)")
    p.add_argument("--rules", type=Path, default=schemas.RULES)
    p.add_argument("--fixtures", type=Path, help="JSON: {data source type: {attribute: value}}")
    p.add_argument("--state", type=Path, help="local state file to plan against or apply into")
    p.add_argument("--json", action="store_true", help="plan: print the plan as JSON")
    p.add_argument("--no-fmt", action="store_true", help="skip terraform fmt -check")
    return p


def main(argv: list[str] | None = None) -> int:
    """Reads the command line, runs the examination, prints what was said."""
    p = parser()
    a, arguments = p.parse_known_args(argv)
    providers = schemas.served(a.schemas.resolve())
    if a.list:
        for s in providers:
            print(f"{s.source} {s.version} ({s.path.name})")
        return 0
    if not a.dir or not a.dir.is_dir():
        p.error("DIR must be a directory of Terraform files")
    if not referee.available():
        p.error(f"no {referee.terraform_program()} on PATH (set TF_OFFLINE_TERRAFORM)")
    with tempfile.TemporaryDirectory(prefix="tf-offline-") as scratch:
        made = mirror.cached(providers, a.rules.resolve(), a.fixtures.resolve() if a.fixtures else None)
        outcome = referee.examine(
            a.dir,
            a.command,
            mirror.environment(Path(scratch), made),
            providers=providers,
            state=a.state,
            as_json=a.json,
            fmt=not a.no_fmt,
            arguments=arguments,
        )
    sys.stdout.write(outcome.output)
    return outcome.status


if __name__ == "__main__":
    raise SystemExit(main())
