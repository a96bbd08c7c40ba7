"""`plait sets`: queries about sets of states, forward and backward in time."""

from __future__ import annotations

import argparse
from pathlib import Path

from plait.cli import engine_options, options
from plait.cli.deadline import deadline
from plait.cli.output import print_lines
from plait.cli.progress import progress_line
from plait.cli.status import HOLDS
from plait.engines.symbolic.state_sets import Value, evaluate
from plait.lang.files import read_text
from plait.logic.set_queries import parse_queries
from plait.model.shape import shape_of
from plait.report.numbers import decimal
from plait.report.view import StateView

HELP = "evaluate queries about sets of states"
EXAMPLE = """\
examples:
  plait sets net.pnml 'Dead := difference(reachable, prev(reachable))' 'printset(Dead)'
  plait sets philosophers.gal 'card(EF(potential(left[0] == 1)))'
  plait sets model.gal --file queries.txt --print 5

exit status: 0 all queries evaluated, 2 wrong input, 3 out of time or memory, 130 interrupted
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    options.add_model(parser)
    parser.add_argument(
        "query", metavar="QUERY", nargs="*", help="an expression, or NAME := expression"
    )
    parser.add_argument(
        "--file",
        metavar="FILE",
        help="read queries, one a line; lines that begin with # are comments",
    )
    parser.add_argument(
        "--print",
        metavar="N",
        type=int,
        default=20,
        dest="most",
        help="how many states printset lists at most (default: 20)",
    )
    parser.add_argument(
        "--paths",
        choices=("maximal", "infinite"),
        default="maximal",
        help="whether paths that end in a deadlock count (default: maximal, they do)",
    )
    options.add_limits(parser)
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress line")
    engine_options.add_tuning(parser, formulas=False)
    options.add_net_forms(parser)


def run(arguments: argparse.Namespace) -> int:
    """Evaluate and print."""
    limits = options.budget(arguments)
    with deadline(arguments.timeout), progress_line(arguments.quiet) as listen:
        model = options.load_model(arguments)
        file = None
        if arguments.file is not None:
            file = arguments.file, read_text(Path(arguments.file))
        values = evaluate(
            model,
            parse_queries(arguments.query, file),
            limits,
            tuning=engine_options.tuning(arguments),
            listen=listen,
            infinite=arguments.paths == "infinite",
            most=max(0, arguments.most),
        )
    view = StateView(shape_of(model))
    for value in values:
        print_lines(_lines(value, view))
    return HOLDS


def _lines(value: Value, view: StateView) -> list[str]:
    if value.is_set:
        count = decimal(int(value.value))
        return [f"{value.query.text}: {count} state{'' if value.value == 1 else 's'}"]
    shown = str(value.value).lower() if isinstance(value.value, bool) else decimal(value.value)
    lines = [f"{value.query.text} = {shown}"]
    for state in value.members or ():
        cells = (f"{name}={text}" for name, text in view.full(state).items() if text != "0")
        lines.append("  " + (" ".join(cells) or "all cells 0"))
    return lines
