"""`plait lsp`: a language server, which an editor starts and talks to."""

from __future__ import annotations

import os
import sys

from plait.cli import values
from plait.cli.output import say
from plait.hints import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

HELP = "start the language server, for an editor"
EXAMPLE = """\
examples:
  plait lsp
  plait lsp --timeout 120

An editor starts the server and talks to it over standard input and output, in the Language Server
Protocol; docs/editor.md shows how to set up some editors.

exit status: 0 the editor ended the server, 1 the editor went away
"""
SECONDS = 30.0


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--timeout",
        metavar="S",
        type=values.seconds,
        default=SECONDS,
        help=f"stop a check after S seconds (default: {SECONDS:.0f})",
    )
    parser.add_argument(
        "--stdio",
        action="store_true",
        help="talk over standard input and output, as always; some editors ask for it",
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve until the editor has had enough."""
    from plait.lsp.server import Server

    if sys.stdin.isatty():
        say("an editor starts this command, and it waits for messages of one; Ctrl-C ends it")
    # What else is printed, by a library for one, must not come between the messages.
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        return Server(sys.stdin.buffer, answers, arguments.timeout).run()
