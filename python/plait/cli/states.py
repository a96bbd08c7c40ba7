"""`plait states`: count the reachable states, arcs and deadlocks of a model."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from plait.cli import options
from plait.cli.deadline import deadline
from plait.cli.output import print_lines, write_json
from plait.cli.progress import progress_line
from plait.cli.status import HOLDS, INTERRUPTED, STOPS, UNKNOWN, reason_of
from plait.engines import states
from plait.engines.budget import peak_memory
from plait.report.answer import StateSpace
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
    options.add_reduction(parser, "none")
    options.add_method(parser)
    options.add_tuning(parser, formulas=False)
    options.add_limits(parser)
    options.add_json(parser)
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress line")


def run(arguments: argparse.Namespace) -> int:
    """Count and print."""
    return options.with_checkpoint(arguments, lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    limits = options.budget(arguments)
    name = Path(arguments.model).stem
    try:
        with deadline(arguments.timeout), progress_line(arguments.quiet) as listen:
            model = options.load_model(arguments)
            name = model.name
            space = states(
                model,
                engine=arguments.engine,
                budget=limits,
                listen=listen,
                reduction=options.reduction(arguments),
                method=options.method(arguments),
                tuning=options.tuning(arguments),
            )
    except STOPS as stop:
        # Stopped before or after the search itself: there is nothing to say but why.
        space = StateSpace(False, reason_of(stop), 0, None, None, None, None, arguments.engine)
        space = replace(space, seconds=limits.elapsed, peak_memory_bytes=peak_memory())
    if arguments.json is not None:
        write_json(states_document(name, space), arguments.json)
    if arguments.json != "-":
        print_lines(states_lines(space))
    if space.reason == "interrupted":
        return INTERRUPTED
    return HOLDS if space.complete else UNKNOWN
