"""`plait smart`: run a program in SMART's language."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from plait.cli import options
from plait.cli.deadline import deadline
from plait.cli.output import say, write_text
from plait.cli.status import HOLDS, INTERRUPTED, STOPS, UNKNOWN, reason_of
from plait.report.text import reason_text

HELP = "run a program in SMART's language"
EXAMPLE = """\
examples:
  plait smart nets.sm
  echo 5 | plait smart ring.sm       what read_int("...") asks for

exit status: 0 the program ended, 2 wrong input, 3 stopped before the end, 130 interrupted
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("program", metavar="PROGRAM", help="a program: .sm")
    options.add_limits(parser)


def asked() -> Callable[[str], str | None]:
    """The words of the standard input, one after the other; at a terminal a prompt says which."""
    words: list[str] = []

    def read(prompt: str) -> str | None:
        while not words:
            if sys.stdin.isatty():
                say(f"value for {prompt}:")
            line = sys.stdin.readline()
            if not line:
                return None
            words.extend(line.split())
        return words.pop(0)

    return read


def run(arguments: argparse.Namespace) -> int:
    """Run the program; what it prints goes to the standard output, line by line, as it comes."""
    from plait.lang.smart import load

    line: list[str] = []

    def write(text: str) -> None:
        line.append(text)
        if "\n" in text:
            flush()

    def flush() -> None:
        write_text("".join(line))
        line.clear()

    try:
        with deadline(arguments.timeout):
            try:
                load(arguments.program, options.budget(arguments)).run(write, asked())
            finally:
                flush()
    except STOPS as stop:
        reason = reason_of(stop)
        say(f"stopped: {reason_text(reason)}")
        return INTERRUPTED if reason == "interrupted" else UNKNOWN
    return HOLDS
