"""From arguments to an exit code: whatever happens in a verb ends here, and never as a traceback on the screen."""

from __future__ import annotations

import errno
import sys
from collections.abc import Sequence
from typing import Any

from ibgen.cli import terminal
from ibgen.cli.exits import BUG, CLEAN, INTERRUPTED, USAGE, Refused


def main(args: Sequence[str]) -> int:
    """Runs one command line. Gives its exit code; all output has been flushed."""
    terminal.prepare()
    try:
        code = _run(list(args))
    except KeyboardInterrupt:
        code = INTERRUPTED
    if code == INTERRUPTED:
        terminal.say("interrupted")
    return code if terminal.finish() else USAGE


def _run(args: list[str]) -> int:
    from ibgen.cli.app import command

    try:
        if not args:
            return _bare(command(""))
        _known(args)
        code = command(next((a for a in args if not a.startswith("-")), "")).main(
            args, prog_name="ibgen", standalone_mode=False
        )
        return code if isinstance(code, int) else CLEAN
    except Refused as refused:
        return _refuse(refused.message, refused.hint)
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else CLEAN
    except ModuleNotFoundError as missing:
        if (missing.name or "ibgen").split(".")[0] == "ibgen":
            return _bug(missing, args)
        return _refuse(f"the Python package {missing.name} is not installed", "`ibgen doctor` says how to get it")
    except MemoryError:
        return _refuse("there is not enough memory for this", "close other programs, or use a machine with more memory")
    except OSError as error:
        if error.errno in _SYSTEM:
            where = f"{error.filename}: " if error.filename else ""
            return _refuse(f"{where}{error.strerror}")
        return _bug(error, args)
    except Exception as error:
        if type(error).__name__ == "Abort":
            return INTERRUPTED
        # a usage error of the framework: its classes have moved between versions, what they can do has not
        if hasattr(error, "format_message") and hasattr(error, "exit_code"):
            return _usage(error)
        return _bug(error, args)


_SYSTEM = {
    errno.EACCES, errno.EPERM, errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.EIO, errno.ENOENT,
    errno.EISDIR, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP,
}  # fmt: skip
"""What the machine refuses, rather than what ibgen got wrong."""


def _bare(group: Any) -> int:
    """`ibgen` alone: the help, on standard error, because nothing was asked for."""
    with group.make_context("ibgen", [], resilient_parsing=True) as context:
        terminal.say(group.get_help(context))
    return USAGE


def _known(args: Sequence[str]) -> None:
    """Refuses a verb that does not exist, with those that look like it."""
    from ibgen.cli.app import VERBS

    verb = args[0] if args else ""
    if verb and not verb.startswith("-") and verb not in VERBS:
        import difflib

        near = difflib.get_close_matches(verb, VERBS, n=2)
        hint = f"did you mean {' or '.join(f'`ibgen {v}`' for v in near)}?" if near else f"the verbs are {', '.join(VERBS)}"
        raise Refused(f"there is no verb `{verb}`", hint)


def _refuse(message: str, hint: str = "") -> int:
    from ibgen.render.cells import printable
    from ibgen.render.style import paint

    draw = paint(terminal.color(sys.stderr))
    terminal.say(draw("error", "error") + draw("strong", f": {printable(message)}"))
    if hint:
        terminal.say(f"  {draw('help', 'help:')} {printable(hint)}")
    return USAGE


def _usage(error: Exception) -> int:
    message = str(error.format_message()).strip()  # type: ignore[attr-defined]
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        terminal.say(message)
        return USAGE
    path = getattr(context, "command_path", "ibgen")
    message = message.replace("Value error, ", "")
    first = message[:1].lower() + message[1:].rstrip(".") if message else "wrong arguments"
    return _refuse(first, f"`{path} --help` lists what it takes")


def _bug(error: Exception, args: Sequence[str]) -> int:
    from ibgen.cli.crash import write_log

    log = write_log(error, args)
    terminal.say(f"error: this is a bug in ibgen, not in your spec: {type(error).__name__}")
    if log is None:
        terminal.say("  no log could be written: set TMPDIR to a folder with space and run the command again")
    else:
        terminal.say(f"  log: {log}")
        terminal.say(
            "  help: attach the log to a report, with the spec if you may share it; the log names files and may quote the spec"
        )
    return BUG
