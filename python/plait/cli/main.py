"""The `plait` command: one sub-command a file, and the last line of defence.

Whatever happens, the exit status tells the truth: no traceback reaches a user, and no failure of
ours ends with 0. Set PLAIT_DEBUG=1 to see the Python traceback of an internal error.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from types import FrameType, ModuleType

from plait import __version__
from plait.cli.output import OutputError
from plait.cli.status import INTERRUPTED, UNKNOWN, WRONG
from plait.cli.usage import Parser, suggestion
from plait.errors import InputError, LimitReached


class _Help(argparse.HelpFormatter):
    """Help as wide as the terminal.

    `argparse` makes a formatter for every argument that is declared, and each asks `shutil`, which
    imports three libraries of compression, how wide the terminal is.
    """

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


class _RawHelp(_Help, argparse.RawDescriptionHelpFormatter):
    """The same, with the lines of descriptions as they are."""


def _columns() -> int:
    """The width of the terminal, as `shutil.get_terminal_size` finds it."""
    try:
        columns = int(os.environ["COLUMNS"])
    except (KeyError, ValueError):
        columns = 0
    if columns <= 0:
        try:
            columns = os.get_terminal_size(sys.__stdout__.fileno()).columns  # type: ignore[union-attr]
        except (AttributeError, ValueError, OSError):
            columns = 0
    return columns or 80


COMMANDS = (
    "check",
    "states",
    "resume",
    "simulate",
    "convert",
    "models",
    "dependency",
    "order",
    "sets",
    "automaton",
    "mcc",
    "completion",
)
"""Each is a module of this package, imported when it is asked for: starting is part of the time."""


def main() -> None:
    """The entry point of the command."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - until the end
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    signal.signal(signal.SIGTERM, _terminated)
    status = run(sys.argv[1:])
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        status = status or UNKNOWN
        # The interpreter flushes again on its way out; it must not fail a second time.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if status == INTERRUPTED:
        # An interrupt that passes through `exec`, as within the making of a dataclass, leaves a
        # mark by which the interpreter would end itself with SIGINT on its way out.
        os._exit(status)
    sys.exit(status)


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit status."""
    if arguments and arguments[0] == "__complete":
        suggested: int = _module("completion").suggest(parser(), list(arguments[1:]))
        return suggested
    try:
        parsed = _parsed(arguments)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else WRONG
    parsed.command_line = list(arguments)
    try:
        status: int = _module(parsed.command).run(parsed)
        return status
    except InputError as wrong:
        return _say(wrong.render(), WRONG)
    except KeyboardInterrupt:
        return _say("interrupted", INTERRUPTED)
    except LimitReached as limit:
        return _say(f"unknown: {_reason(limit.reason)}", UNKNOWN)
    except MemoryError:
        return _say(f"unknown: {_reason('memory')}", UNKNOWN)
    except OutputError as failure:
        return _say(f"error: {failure}", UNKNOWN)
    except BaseException as failure:
        # Also what the native core raises in a panic, which is no `Exception`.
        if isinstance(failure, SystemExit | GeneratorExit) or os.environ.get("PLAIT_DEBUG"):
            raise
        return _say(
            f"internal error: {type(failure).__name__}: {failure}\n"
            "  please report this together with the model; PLAIT_DEBUG=1 shows more",
            UNKNOWN,
        )


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """The arguments; what a command does not know is its own error, not that of `plait`."""
    first = next(iter(arguments), "-")
    if first not in COMMANDS and not first.startswith("-"):
        Parser(prog="plait").error(f"no command '{first}'{suggestion(first, COMMANDS)}")
    root = parser(first) if first in COMMANDS else parser()
    parsed, unknown = root.parse_known_args(arguments)
    if unknown:
        _command(root, parsed.command).refuse(unknown)
    return parsed


def _command(root: Parser, name: str) -> Parser:
    for action in root._actions:
        if isinstance(action, argparse._SubParsersAction):
            found: Parser = action.choices[name]
            return found
    raise AssertionError("no commands")


def _module(command: str) -> ModuleType:
    return import_module(f"plait.cli.{command}")


def _reason(reason: str) -> str:
    from plait.report.text import reason_text

    return reason_text(reason)


def parser(*wanted: str) -> Parser:
    """The parser of the whole command line, or of these commands alone."""
    root = Parser(
        prog="plait",
        formatter_class=_Help,
        description="A model checker for concurrent systems.",
        epilog="plait COMMAND --help shows an example of each command.",
        allow_abbrev=False,
    )
    root.add_argument("--version", action="version", version=f"plait {__version__}")
    commands = root.add_subparsers(prog="plait", dest="command", metavar="COMMAND", required=True)
    for name in wanted or COMMANDS:
        module = _module(name)
        command = commands.add_parser(
            name,
            help=module.HELP,
            description=module.HELP[0].upper() + module.HELP[1:] + ".",
            epilog=module.EXAMPLE,
            formatter_class=_RawHelp,
            allow_abbrev=False,
        )
        module.configure(command)
    return root


def _say(message: str, status: int) -> int:
    with contextlib.suppress(OSError):
        print(message, file=sys.stderr, flush=True)
    return status


def _terminated(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
