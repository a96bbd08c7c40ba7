"""The parser of the command line: help, completion, and errors.

Correct and simple lines are read without it (`plait.cli.quick`).
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module

from plait import __version__
from plait.cli.main import COMMANDS
from plait.cli.status import WRONG
from plait.cli.usage import Parser, suggestion

EPILOG = """\
plait COMMAND --help shows the options of a command, with examples. To begin:
  plait models write philosophers -o philosophers.gal
  plait check philosophers.gal
"""
_ALONE = ("-h", "--help", "--version")
"""Options that need no command."""
FEW = 8
"""The options that the first line of a help lists; of more it says only that there are some."""

_OPTIONS = argparse.Action([], "options", metavar="[options]")
"""Stands for them there."""


class _Help(argparse.HelpFormatter):
    """Help as wide as the terminal, which begins with one line.

    `argparse` makes a formatter for every argument that is declared, and each asks `shutil`, which
    imports three libraries of compression, how wide the terminal is.
    """

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[argparse._MutuallyExclusiveGroup],
        prefix: str | None = None,
    ) -> None:
        """Add the line that says how the command is called."""
        listed, groups = list(actions), list(groups)
        needed = {a for group in groups if group.required for a in group._group_actions}
        some = [a for a in listed if a.option_strings and not a.required and a not in needed]
        if len(some) > FEW:
            listed = [_OPTIONS, *(a for a in listed if a not in some)]
        super().add_usage(usage, listed, groups, prefix)

    def add_argument(self, action: argparse.Action) -> None:
        """Add an argument to those whose help is shown in one column."""
        super().add_argument(action)
        if isinstance(action, argparse._SubParsersAction):
            # `argparse` forgets that the commands stand further to the right.
            self._action_max_length += self._indent_increment


class RawHelp(_Help, argparse.RawDescriptionHelpFormatter):
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


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The arguments; what a command does not know is its own error, not that of `plait`."""
    if not arguments:
        root = parser()
        root.print_help(sys.stderr)
        root.exit(WRONG)
    first = arguments[0]
    if first == "help":
        return parse([*arguments[1:2], "--help"])
    if first not in (*COMMANDS, *_ALONE):
        Parser(prog="plait").error(_no_command(first))
    root = parser(first) if first in COMMANDS else parser()
    parsed, unknown = root.parse_known_args(arguments)
    if unknown:
        command = _command(root, parsed.command)
        many = _takes_many(command)
        if many is None or any(word.startswith("-") for word in unknown):
            command.refuse(unknown)
        # `argparse` fills such an argument at once, with nothing if an option stands before it.
        getattr(parsed, many).extend(unknown)
    return parsed


def _no_command(word: str) -> str:
    """What is wrong with a line whose first word is none of the commands."""
    if word.startswith("-"):
        return f"options such as {word} stand behind a command"
    if os.path.isfile(word):
        return f"no command '{word}'; to check a model: plait check {shlex.quote(word)}"
    return f"no command '{word}'{suggestion(word, COMMANDS)}"


def _takes_many(command: Parser) -> str | None:
    """The argument of a command that takes any number of words."""
    found = (a.dest for a in command._actions if a.nargs == "*" and not a.option_strings)
    return next(found, None)


def _command(root: Parser, name: str) -> Parser:
    for action in root._actions:
        if isinstance(action, argparse._SubParsersAction):
            found: Parser = action.choices[name]
            return found
    raise AssertionError("no commands")


def parser(*wanted: str) -> Parser:
    """The parser of the whole command line, or of these commands alone."""
    root = Parser(
        prog="plait",
        formatter_class=RawHelp,
        description="A model checker for concurrent systems.",
        epilog=EPILOG,
        allow_abbrev=False,
    )
    root.add_argument("--version", action="version", version=f"plait {__version__}")
    commands = root.add_subparsers(
        title="commands", prog="plait", dest="command", metavar="COMMAND", required=True
    )
    for name in wanted or COMMANDS:
        module = import_module(f"plait.cli.{name}")
        command = commands.add_parser(
            name,
            help=module.HELP,
            description=module.HELP[0].upper() + module.HELP[1:] + ".",
            epilog=module.EXAMPLE,
            formatter_class=RawHelp,
            allow_abbrev=False,
        )
        module.configure(command)
    return root
