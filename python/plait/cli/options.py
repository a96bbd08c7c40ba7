"""Options that several commands share: the model, limits, JSON; see also `engine_options`."""

from __future__ import annotations

from collections.abc import Sequence

from plait.cli import values
from plait.cli.output import say
from plait.colour.forms import FORMS, Form
from plait.engines.budget import Budget, default_memory
from plait.errors import Diagnostic, InputError, error
from plait.hints import TYPE_CHECKING
from plait.lang import TIMED, language_of, load, load_timed
from plait.model.types import Model
from plait.time.timing import CLOCKS, STEPS, Timing

if TYPE_CHECKING:
    import argparse


def add_model(parser: argparse.ArgumentParser, *, sweeps: bool = False) -> None:
    """The model file and `-D`, which some commands take with several values."""
    parser.add_argument(
        "model",
        metavar="MODEL",
        help="a model: .gal, .pnml, .tapn, .pml, .dve, .mil, .smv, .etf, .net, .ndr, .tpn, .cami, "
        ".xta, .ta or .xml",
    )
    parser.add_argument(
        "-D",
        dest="defines",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        type=values.sweep if sweeps else values.define,
        help="override a parameter of the model; may be repeated"
        + ("; N=2..6 or N=2,4,8 makes a run for each value, and a table" if sweeps else ""),
    )


def add_net_forms(parser: argparse.ArgumentParser) -> None:
    """What becomes of nets with colours or time."""
    group = parser.add_argument_group("nets with colours or time")
    add_colours(group)
    group.add_argument(
        "--time",
        choices=STEPS,
        default="unit",
        help="what a step of a time Petri net is: one unit of time or one firing (unit), or a "
        "firing after any possible time (essential) (default: unit)",
    )
    group.add_argument(
        "--clocks",
        choices=CLOCKS,
        default="intermediate",
        help="which transitions of a time Petri net keep their clocks when another fires: those "
        "that the remaining tokens enable (intermediate), or those enabled before and after "
        "(atomic) (default: intermediate)",
    )


def add_colours(parser: argparse._ActionsContainer) -> None:
    """`--colours`."""
    parser.add_argument(
        "--colours",
        choices=FORMS,
        default="auto",
        help="the form of a coloured net (default: auto, which chooses a small one)",
    )


def add_limits(parser: argparse.ArgumentParser) -> None:
    """`--timeout` and `--memory`."""
    parser.add_argument("--timeout", metavar="S", type=values.seconds, help="stop after S seconds")
    parser.add_argument(
        "--memory",
        metavar="SIZE",
        type=values.memory,
        help="stop before using more memory, such as 500M or 2G (default: three quarters of the "
        "free memory)",
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """`--json`."""
    parser.add_argument(
        "--json", metavar="FILE", help="write the results as JSON; - is the standard output"
    )


def load_model(arguments: argparse.Namespace, form: Form | None = None) -> Model:
    """The model, with its parameters overridden; `form` is for coloured nets by default."""
    path: str = arguments.model
    asked: Form = getattr(arguments, "colours", "auto")
    queries = getattr(arguments, "properties", None)
    if queries is not None and are_of_the_model(queries, path):
        from pathlib import Path

        from plait.lang.xta import load as load_xta

        model = load_xta(path, Path(queries))
    elif language_of(path) in TIMED:
        model = _timed(path, Timing(arguments.time, arguments.clocks))
    else:
        model = load(path, form if form is not None and asked == "auto" else asked)
    if arguments.defines:
        model = model.with_constants(dict(arguments.defines))
    if arguments.defines or language_of(path) == "gal":
        from plait.model.validate import validate  # a net is checked as it is read

        warn(validate(model))
    elif model.warnings:
        warn(model.warnings)
    return model


def are_of_the_model(queries: str, path: str) -> bool:
    """Whether a file has queries of Uppaal, of whose clocks the timed automata have to know."""
    if not queries.lower().endswith(".q"):
        return False
    language = language_of(path)
    if language not in ("xta", "pnml"):
        what = "of Uppaal or TAPAAL, and there are no timed automata and no net in"
        raise error(f"{queries} has queries {what} {path}")
    return language == "xta"


def _timed(path: str, timing: Timing) -> Model:
    from plait.time.encoding import as_model  # few models have clocks

    net = load_timed(path)
    warn(net.warnings)
    return as_model(net, timing)


def warn(found: Sequence[Diagnostic]) -> None:
    """Raise the errors, if there are any; otherwise say the warnings."""
    errors = [d for d in found if d.severity == "error"]
    if errors:
        raise InputError(*errors)
    for diagnostic in found:
        say(diagnostic.render())


def has_several(arguments: argparse.Namespace) -> bool:
    """Whether a parameter has several values: that is a run for each of them."""
    return any(isinstance(value, tuple) for _, value in arguments.defines)


def budget(arguments: argparse.Namespace) -> Budget:
    """The limits given, with the machine's memory as the default cap."""
    memory = arguments.memory if arguments.memory is not None else default_memory()
    return Budget(timeout=arguments.timeout, memory=memory)
