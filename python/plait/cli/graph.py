"""`plait graph`: draw the reachable states of a model, or a part of them."""

from __future__ import annotations

from plait.cli import options, values
from plait.cli.deadline import deadline
from plait.cli.output import say, write_json, write_text
from plait.cli.progress import progress_line
from plait.cli.status import HOLDS, INTERRUPTED, UNKNOWN
from plait.engines.state_graph import LIMIT, Wanted, state_graph
from plait.errors import error
from plait.hints import TYPE_CHECKING
from plait.model.room import with_room

if TYPE_CHECKING:
    import argparse

    from plait.report.state_graph import StateGraph

HELP = "draw the reachable states of a model"
EXAMPLE = """\
examples:
  plait graph philosophers.gal -o philosophers.svg
  plait graph philosophers.gal --trace free -o deadlock.svg
  plait graph protocol.pml --group processes -o protocol.svg
  plait graph philosophers.gal --around 'left[0] == 1 && left[1] == 1' --depth 1 -o some.svg
  plait graph philosophers.gal --depth 3 --show left --to dot | dot -Tpdf > some.pdf

exit status: 0 drawn (a message says what is left out), 2 wrong input, 3 out of time or memory
"""
FORMATS = ("svg", "dot", "json")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    options.add_model(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default="-",
        help="the file to write: .svg, .dot or .json (default: the standard output)",
    )
    parser.add_argument(
        "--to", choices=FORMATS, help="the format (default: by the ending of FILE, else svg)"
    )
    parser.add_argument(
        "--limit",
        metavar="N",
        type=values.count(1, 100_000),
        default=LIMIT,
        help=f"draw at most N nodes, the nearest ones (default: {LIMIT})",
    )
    parser.add_argument(
        "--depth",
        metavar="K",
        type=values.count(0, 2**31),
        help="draw the states within K steps of the initial state, or of --around or --trace",
    )
    parser.add_argument(
        "--around",
        metavar="STATE",
        help="draw what is around a state: a condition, for the first state where it holds, or the "
        "number of the state",
    )
    parser.add_argument(
        "--trace",
        metavar="PROPERTY",
        dest="property",
        help="check this property, or formula, and mark its trace",
    )
    parser.add_argument(
        "--group",
        metavar="NAME",
        action="append",
        default=[],
        help="draw one node for all states that agree on this variable, array, part or process "
        "(its location); processes means the locations of all; may be repeated",
    )
    parser.add_argument(
        "--show",
        metavar="NAME",
        action="append",
        default=[],
        help="write the values of this variable, array, part or process into the nodes "
        "(default: what distinguishes the states); may be repeated",
    )
    parser.add_argument(
        "--components",
        action="store_true",
        help="colour strongly connected components: states that lead to each other",
    )
    options.add_limits(parser)
    options.add_net_forms(parser)


def run(arguments: argparse.Namespace) -> int:
    """Draw and write."""
    budget = options.budget(arguments)
    to = _format(arguments)
    wanted = Wanted(
        limit=arguments.limit,
        depth=arguments.depth,
        around=arguments.around,
        trace=arguments.property,
        group=_names(arguments.group),
        show=_names(arguments.show),
        components=arguments.components,
    )
    with deadline(arguments.timeout), progress_line() as listen:
        model = options.load_model(arguments)
        graph = with_room(model, lambda model: state_graph(model, wanted, budget, listen))
    if to == "json":
        write_json(graph.data(), arguments.output)
    else:
        write_text(graph.svg() if to == "svg" else graph.dot(), arguments.output)
    if arguments.property is not None:
        say(graph.notes[0])
    return _status(graph)


def _status(graph: StateGraph) -> int:
    if graph.partial is not None:
        hint = "" if graph.grouped else "; see --limit, --depth, --around and --group"
        say(f"partial: {graph.partial}{hint}")
    if graph.stopped == "interrupted":
        return INTERRUPTED
    return HOLDS if graph.stopped is None else UNKNOWN


def _names(given: list[str]) -> tuple[str, ...]:
    return tuple(name.strip() for text in given for name in text.split(",") if name.strip())


def _format(arguments: argparse.Namespace) -> str:
    if arguments.to is not None:
        return str(arguments.to)
    if arguments.output == "-":
        return "svg"
    ending: str = arguments.output.rpartition(".")[2].lower()
    if ending not in FORMATS:
        raise error(
            f"'{arguments.output}' does not say what to write",
            hint="its name should end with .svg, .dot or .json; or say --to svg, dot or json",
        )
    return ending
