"""`plait resume`: go on with a run that wrote checkpoints, from the last one."""

from __future__ import annotations

import argparse
import os
from importlib import import_module
from pathlib import Path

from plait.cli import engine_options, options
from plait.engines.explicit.checkpoint import begun
from plait.errors import error

HELP = "continue a check or a count from its last checkpoint"
EXAMPLE = """\
examples:
  plait check protocol.gal --checkpoint saved
  plait resume saved
  plait resume saved --threads 2 --timeout 3600

exit status: that of the command that is resumed
"""
RESUMABLE = ("check", "states")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("folder", metavar="DIR", help="the folder given with --checkpoint")
    options.add_limits(parser)
    engine_options.add_threads(parser)
    options.add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Give the command again, in the folder where it was given first."""
    from plait.cli.parser import parser

    folder = Path(arguments.folder).absolute()
    command, where = begun(folder)
    try:
        again = parser(*RESUMABLE).parse_args(command)
    except SystemExit:
        again = argparse.Namespace(command="")
    if again.command not in RESUMABLE:
        raise error(f"{folder}: the command in it is not one that can be resumed")
    again.checkpoint, again.resume, again.command_line = str(folder), True, command
    for name in ("threads", "timeout", "memory"):
        if getattr(arguments, name) is not None:
            setattr(again, name, getattr(arguments, name))
    if arguments.json is not None:
        again.json = arguments.json if arguments.json == "-" else os.path.abspath(arguments.json)
    before = os.getcwd()
    try:
        os.chdir(where)
    except OSError as failure:
        raise error(f"{where}: {failure.strerror}") from None
    try:
        status: int = import_module(f"plait.cli.{again.command}").run(again)
        return status
    finally:
        os.chdir(before)
