"""The `plait` command: runs a sub-command, and reports errors that nothing else has caught.

Whatever happens, the exit status is correct: no user sees a traceback, and an internal error never
ends with 0. Set PLAIT_DEBUG=1 to see the Python traceback of an internal error.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from plait.cli.output import OutputError, ReaderGoneError, flush, make_ready, say
from plait.cli.quick import read
from plait.cli.status import INTERRUPTED, UNKNOWN, WRONG
from plait.errors import InputError, LimitReached
from plait.hints import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from types import ModuleType

COMMANDS = (
    "check",
    "compare",
    "states",
    "resume",
    "simulate",
    "explore",
    "graph",
    "convert",
    "models",
    "dependency",
    "order",
    "sets",
    "classes",
    "duration",
    "smart",
    "automaton",
    "mcc",
    "lsp",
    "completion",
)
"""Each is a module of this package, imported when it is asked for: starting is part of the time."""


def main() -> int:
    """The entry point of the command; its exit status, with all output written."""
    make_ready()
    status = run(sys.argv[1:])
    try:
        flush()
    except OutputError as failure:
        status = _unwritten(failure)
    with contextlib.suppress(OSError):
        sys.stderr.flush()
    return status


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit status."""
    if arguments and arguments[0] == "__complete":
        from plait.cli.parser import parser

        suggested: int = _module("completion").suggest(parser(), list(arguments[1:]))
        return suggested
    try:
        parsed = _parsed(arguments)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else WRONG
    except OutputError as failure:
        return _unwritten(failure)
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
        return _unwritten(failure)
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
    """The values on the line, read the quick way if it is right and plain."""
    command, words = next(iter(arguments), ""), arguments[1:]
    parsed = read(_module(command).configure, words) if command in COMMANDS else None
    if parsed is None:
        from plait.cli.parser import parse

        parsed = parse(arguments)
    else:
        parsed.command = command
    parsed.command_line = list(arguments)
    return parsed


def _module(command: str) -> ModuleType:
    return import_module(f"plait.cli.{command}")


def _reason(reason: str) -> str:
    from plait.report.text import reason_text

    return reason_text(reason)


def _unwritten(failure: OutputError) -> int:
    """How a command ends whose results did not all arrive."""
    if isinstance(failure, ReaderGoneError):
        return UNKNOWN  # as `head` does, who has read enough and wants no message
    return _say(f"error: {failure}", UNKNOWN)


def _say(message: str, status: int) -> int:
    say(message)
    return status
