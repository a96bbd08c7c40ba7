"""`plait duration`: the least time after which a condition can hold."""

from __future__ import annotations

import argparse

from plait.cli import engine_options, options
from plait.cli.deadline import deadline
from plait.cli.output import print_lines, write_json
from plait.cli.status import HOLDS, INTERRUPTED, STOPS, UNKNOWN, VIOLATED, reason_of
from plait.logic.parse import parse_formula
from plait.model.expr import Formula
from plait.report.data import check_document
from plait.report.text import check_lines, reason_text

HELP = "find the least time after which a condition can hold"
EXAMPLE = """\
examples:
  plait duration trains.net 'on_1 == 1 && on_2 == 1'

Time passes by events labelled `elapse` of the main component: in time Petri nets, and in GAL.

exit status: 0 it can hold, 1 it cannot, 2 wrong input, 3 unknown, 130 interrupted
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    options.add_model(parser)
    parser.add_argument(
        "condition", metavar="CONDITION", help="the condition to reach, such as 'x == 1 && y > 0'"
    )
    engine_options.add_engine(parser)
    options.add_limits(parser)
    options.add_json(parser)
    options.add_net_forms(parser)


def run(arguments: argparse.Namespace) -> int:
    """Find and print."""
    from plait.time.duration import earliest

    limits = options.budget(arguments)
    try:
        with deadline(arguments.timeout):
            model = options.load_model(arguments)
            asked = parse_formula(arguments.condition, model, kind="reachable")
            assert isinstance(asked.body, Formula)
            found = earliest(model, asked.body, engine=arguments.engine, budget=limits)
    except STOPS as stop:
        reason = reason_of(stop)
        print_lines([f"unknown: {reason_text(reason)}"])
        return INTERRUPTED if reason == "interrupted" else UNKNOWN
    if arguments.json is not None:
        write_json(
            {**check_document(model.name, [found.answer]), "time": found.time}, arguments.json
        )
    if arguments.json != "-":
        first = [] if found.time is None else [f"least time  {found.time}", ""]
        print_lines([*first, *check_lines([found.answer])])
    if found.time is not None:
        return HOLDS
    return VIOLATED if found.answer.verdict == "false" else UNKNOWN
