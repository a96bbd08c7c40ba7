"""`plait states`: count the reachable states, arcs and deadlocks of a model."""

from __future__ import annotations

from plait.cli import engine_options, options, values
from plait.cli.deadline import deadline
from plait.cli.output import print_lines, write_json
from plait.cli.progress import progress_line
from plait.cli.status import HOLDS, INTERRUPTED, STOPS, UNKNOWN, reason_of
from plait.engines import Method, Reduction, states
from plait.engines.budget import Budget, Listener, peak_memory
from plait.errors import error
from plait.hints import TYPE_CHECKING
from plait.lang.files import stem
from plait.model.room import with_room
from plait.model.types import Model
from plait.records import replace
from plait.report.answer import StateSpace
from plait.report.text import states_lines

if TYPE_CHECKING:
    import argparse

    from plait.symmetry.tuning import SymmetryTuning

HELP = "count the reachable states of a model"
EXAMPLE = """\
examples:
  plait states philosophers.gal
  plait states philosophers.gal -D N=8 --json -
  plait states philosophers.gal -D N=4..8
  plait states philosophers.gal --start 'left[0] == 1' --constraint 'right[0] == 0' --list 5

exit status: 0 counted, 2 wrong input, 3 stopped before the end, 130 interrupted
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    options.add_model(parser, sweeps=True)
    parser.add_argument(
        "--start",
        metavar="CONDITION",
        help="start from the reachable states where this holds",
    )
    parser.add_argument(
        "--constraint",
        metavar="CONDITION",
        help="never leave the states where this holds",
    )
    parser.add_argument(
        "--list",
        metavar="N",
        type=values.count(1, 2**31),
        help="also list at most N of the states",
    )
    parser.add_argument(
        "--depth",
        metavar="K",
        type=values.count(0, 2**31),
        help="count only the states within K steps, on diagrams, and say whether there are more",
    )
    engine_options.add_engine(parser)
    options.add_limits(parser)
    options.add_json(parser)
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress line")
    engine_options.add_reduction(parser, "none")
    engine_options.add_symmetry(parser)
    engine_options.add_method(parser)
    engine_options.add_tuning(parser, formulas=False)
    options.add_net_forms(parser)


def run(arguments: argparse.Namespace) -> int:
    """Count and print."""
    if options.has_several(arguments):
        from plait.cli.sweep import sweep_states

        return sweep_states(arguments)
    return engine_options.with_checkpoint(arguments, lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    name, space, listed = counted(arguments)
    try:
        if arguments.json is not None:
            from plait.report.data import states_document

            write_json(states_document(name, space), arguments.json)
    finally:
        # A file that cannot be written does not take the figures with it.
        if arguments.json != "-":
            print_lines([*listed, *states_lines(space)])
    if space.reason == "interrupted":
        return INTERRUPTED
    return HOLDS if space.complete else UNKNOWN


def counted(arguments: argparse.Namespace) -> tuple[str, StateSpace, list[str]]:
    """The name of the model, how many states it has, and some of them as text."""
    limits = options.budget(arguments)
    name = stem(arguments.model)
    listed: list[str] = []
    try:
        with deadline(arguments.timeout), progress_line(arguments.quiet) as listen:
            model = options.load_model(arguments)
            name = model.name
            wanted = engine_options.symmetry(arguments)

            def count(model: Model) -> tuple[StateSpace, list[str]]:
                if wanted is not None:
                    return _quotient(model, wanted, arguments, limits, listen), []
                if _asks_for_a_region(arguments):
                    return _region(model, arguments, limits, listen)
                space = states(
                    model,
                    engine=arguments.engine,
                    budget=limits,
                    listen=listen,
                    reduction=engine_options.reduction(arguments),
                    method=engine_options.method(arguments),
                    tuning=engine_options.tuning(arguments),
                    depth=arguments.depth,
                )
                return space, []

            space, listed = with_room(model, count)
    except STOPS as stop:
        # Stopped before or after the search itself: there is nothing to say but why.
        space = StateSpace(False, reason_of(stop), 0, arguments.engine)
        space = replace(space, seconds=limits.elapsed, peak_memory_bytes=peak_memory())
    return name, space, listed


def _asks_for_a_region(arguments: argparse.Namespace) -> bool:
    asked = (arguments.start, arguments.constraint, arguments.list)
    if all(a is None for a in asked):
        return False
    if arguments.depth is not None:
        raise error("--depth counts from the initial state, without --start and --constraint")
    if arguments.engine not in ("auto", "symbolic"):
        raise error("--start, --constraint and --list are the symbolic engine's")
    method = replace(engine_options.method(arguments), all_memory=False)
    if method != Method() or engine_options.reduction(arguments) not in (None, Reduction()):
        raise error(
            "--start, --constraint and --list are the symbolic engine's",
            hint="leave the options of the explicit search out",
        )
    return True


def _quotient(
    model: Model,
    wanted: SymmetryTuning,
    arguments: argparse.Namespace,
    limits: Budget,
    listen: Listener | None,
) -> StateSpace:
    """The orbits of the states."""
    from plait.engines.symmetric import symmetric_states

    asked = (arguments.start, arguments.constraint, arguments.list, arguments.depth)
    if any(a is not None for a in asked):
        raise error("--symmetry counts all states: leave --start, --constraint, --list and --depth")
    if arguments.engine not in ("auto", "explicit", "symbolic"):
        raise error("--symmetry is for the explicit and the symbolic engine")
    method = replace(engine_options.method(arguments), all_memory=False, threads=None)
    if method != Method() or arguments.strategy == "partial":
        raise error(
            "--symmetry counts orbits by a search of its own",
            hint="leave --store, --search, --cache, --successors and --strategy partial out",
        )
    tuning = engine_options.tuning(arguments)
    return symmetric_states(
        model, wanted, engine=arguments.engine, tuning=tuning, budget=limits, listen=listen
    )


def _region(
    model: Model, arguments: argparse.Namespace, limits: Budget, listen: Listener | None
) -> tuple[StateSpace, list[str]]:
    """The states that are asked for: how many, and some of them as text."""
    # Who counts all states needs none of this.
    from plait.engines.symbolic.regions import Regions
    from plait.logic.parse import parse_formula

    asked = {
        name: parse_formula(text, model, name, kind="reachable")
        for name in ("start", "constraint")
        if (text := getattr(arguments, name)) is not None
    }
    regions = Regions(
        model,
        list(asked.values()),
        budget=limits,
        tuning=engine_options.tuning(arguments),
        listen=listen,
    )
    found = regions.explored(**{name: i for i, name in enumerate(asked)})
    space = StateSpace(True, None, found.count(), "symbolic")
    view = regions.evidence.view
    shown = (view.full(state) for state in found.some(arguments.list or 0))
    listed = [", ".join(f"{name} = {value}" for name, value in s.items()) for s in shown]
    stats = {**regions.stats, **({"listed": listed} if arguments.list else {})}
    seconds, memory = limits.elapsed, peak_memory()
    return replace(space, seconds=seconds, peak_memory_bytes=memory, stats=stats), listed
