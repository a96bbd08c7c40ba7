"""`plait automaton`: the Büchi automaton of an LTL property, in the formats of the field."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from plait.automata import TooLarge, satisfying, violating
from plait.automata.files import write_dot
from plait.automata.hoa import write_hoa
from plait.automata.never import write_never
from plait.automata.system import MOST_STATES, system_automaton
from plait.automata.translate import Translation
from plait.cli import options
from plait.cli.check import named
from plait.cli.deadline import deadline
from plait.cli.output import write_text
from plait.cli.status import HOLDS
from plait.engines.budget import Budget
from plait.errors import LimitReached, error
from plait.logic.formula import NeverClaim
from plait.logic.parse import parse_formula
from plait.model.expr import Formula
from plait.model.types import Model, Property

HELP = "write the automaton of an LTL property"
EXAMPLE = """\
examples:
  plait automaton philosophers.gal -f 'G F (left[0] == 1)'
  plait automaton philosophers.gal -f 'G F (left[0] == 1)' --to never -o claim.never
  plait automaton philosophers.gal -f 'F (left[0] == 1)' --of runs --to svg -o f.svg

The automaton accepts the runs that violate the property; `plait check MODEL --claim FILE` checks
that no run of a model is accepted.
"""


def _svg(found: Translation, name: str) -> str:
    from plait.report.automaton_picture import automaton_picture  # few want a picture

    return automaton_picture(found.automaton, found.conditions, name).svg()


WRITERS: dict[str, Callable[[Translation, str], str]] = {
    "hoa": lambda t, name: write_hoa(t.automaton, t.conditions, name, stutters=not t.has_next),
    "never": lambda t, name: write_never(t.automaton, t.conditions, name),
    "dot": lambda t, name: write_dot(t.automaton, t.conditions, name),
    "svg": _svg,
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    options.add_model(parser)
    chosen = parser.add_mutually_exclusive_group(required=True)
    chosen.add_argument("-p", "--property", metavar="NAME", help="a property of the model")
    chosen.add_argument("-f", "--formula", metavar="FORMULA", help="an LTL formula")
    parser.add_argument(
        "--to", choices=sorted(WRITERS), default="hoa", help="the format (default: hoa)"
    )
    parser.add_argument(
        "--of",
        choices=("violations", "runs", "system"),
        default="violations",
        help="which runs it accepts: those that violate the property (default), those that satisfy "
        "it (runs), or those of the model, over the conditions of the property (system)",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default="-",
        help="the file to write (default: the standard output)",
    )
    options.add_limits(parser)
    options.add_net_forms(parser)


def run(arguments: argparse.Namespace) -> int:
    """Translate and write."""
    budget = options.budget(arguments)
    with deadline(arguments.timeout):
        model = options.load_model(arguments)
        asked = _asked(model, arguments)
        assert isinstance(asked.body, Formula)
        try:
            if arguments.of in ("violations", "system"):
                found = violating(asked.body, budget.check)
            elif isinstance(asked.body, NeverClaim):
                raise error(f"'{asked.name}' is a claim: it is the automaton of violations")
            else:
                found = satisfying(asked.body, budget.check)
        except TooLarge as limit:
            raise LimitReached(limit.reason) from None
        if arguments.of == "system":
            found = _of_system(model, found, budget)
        title = f"{arguments.of} of {asked.name}"
        write_text(WRITERS[arguments.to](found, title), arguments.output)
    return HOLDS


def _of_system(model: Model, found: Translation, budget: Budget) -> Translation:
    """The automaton of the model, over the conditions of another one."""
    from plait.reference import Semantics

    semantics = Semantics(model)
    graph = semantics.reachable(MOST_STATES, lambda states: budget.check())

    def holds(condition: Formula, number: int) -> bool:
        return semantics.holds(condition, graph.states[number])

    automaton = system_automaton(graph, found.conditions, holds)
    return Translation(automaton, found.conditions, has_next=True)


def _asked(model: Model, arguments: argparse.Namespace) -> Property:
    if arguments.formula is not None:
        asked = parse_formula(arguments.formula, model)
        if asked.kind == "invariant" and ":" not in arguments.formula:
            asked = parse_formula(f"ltl: {arguments.formula}", model)
    else:
        asked = named(model.properties, arguments.property)
    if asked.kind != "ltl":
        raise error(f"'{asked.name}' is {asked.kind}, and only LTL has automata", asked.span)
    return asked
