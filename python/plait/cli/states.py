"""`plait states`: count the reachable states, arcs and deadlocks of a model."""

from __future__ import annotations

import argparse

from plait.cli import options
from plait.cli.deadline import deadline
from plait.cli.output import print_lines, write_json
from plait.cli.progress import progress_line
from plait.cli.status import HOLDS, INTERRUPTED, UNKNOWN
from plait.engines import states
from plait.report.data import states_document
from plait.report.text import states_lines

HELP = "count the reachable states of a model"
EXAMPLE = """\
examples:
  plait states philosophers.gal
  plait states philosophers.gal -D N=8 --json -

exit status: 0 counted, 2 wrong input, 3 stopped before the end, 130 interrupted
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    options.add_model(parser)
    options.add_engine(parser)
    options.add_limits(parser)
    options.add_json(parser)
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress line")


def run(arguments: argparse.Namespace) -> int:
    """Count and print."""
    limits = options.budget(arguments)
    with deadline(arguments.timeout), progress_line(arguments.quiet) as listen:
        model = options.load_model(arguments)
        space = states(model, engine=arguments.engine, budget=limits, listen=listen)
    if arguments.json is not None:
        write_json(states_document(model.name, space), arguments.json)
    if arguments.json != "-":
        print_lines(states_lines(space))
    if space.reason == "interrupted":
        return INTERRUPTED
    return HOLDS if space.complete else UNKNOWN
