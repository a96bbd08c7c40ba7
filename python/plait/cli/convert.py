"""`plait convert`: write a model in another language."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from plait import passes
from plait.cli import options, values
from plait.cli.output import say, write_text
from plait.cli.reached_domains import with_domains
from plait.cli.status import HOLDS
from plait.cli.written import language_to_write
from plait.engines.budget import Budget
from plait.engines.chosen_paths import looks_at, without_ghosts
from plait.engines.symbolic.order_file import parts_in_file
from plait.errors import Diagnostic, error
from plait.lang import TIMED, dot, language_of, load_timed, nusmv, romeo, tina
from plait.lang.dve.writer import print_model as print_dve
from plait.lang.etf_writer import print_model as print_etf
from plait.lang.gal import print_model as print_gal
from plait.lang.initial_choice import has_choice
from plait.lang.pnml import print_model as print_pnml
from plait.lang.promela.writer import may_fail
from plait.lang.promela.writer import print_model as print_promela
from plait.model.ghosts import ghosts
from plait.model.net import as_net
from plait.model.shape import COUNTER
from plait.model.types import ElementaryType, Model
from plait.passes.decompose import Part, by_units, decompose
from plait.passes.one_hot import one_hot
from plait.passes.separation import separate
from plait.passes.splitting import split_events
from plait.records import replace
from plait.time.net import TimedNet, untimed

HELP = "write a model in another language"
EXAMPLE = """\
examples:
  plait convert net.pnml -o net.gal
  plait convert philosophers.gal --to dot | dot -Tsvg > philosophers.svg
  plait convert net.pnml -o net.svg
  plait convert table.gal --to gal --flat
  plait convert coloured.pnml --to gal --colours separated
  plait convert running.mil --to nusmv -o running.smv
  plait convert running.mil --to promela -o running.pml
  plait convert trains.xml --to tina -o trains.net
"""
CHOSEN_FIRST = (
    "the model has several initial states, and Promela one more, which chooses among them: "
    "formulas see it, and so do counts of states"
)
FAILS_THERE = (
    "the model divides or shifts by what need not be allowed: a step without a value does not "
    "exist, and in Promela it is a run-time error"
)
FAIR_ONLY = "it speaks of fair paths only, which other languages cannot say"
ASKS_MORE = "it may have another answer in the smaller program, which was not made for it"
BOUNDED = "the domains of variables without one are those of the reachable states"
UNBOUNDED = "of some places no bounds were found: their domains end where the integers do"
BOUNDING = 60.0
"""Seconds in which these must be found."""
NEED_DOMAINS = ("dve", "nusmv", "nusmv-order", "smv")


def _svg(model: Model) -> str:
    from plait.report.model_picture import model_picture  # who writes texts draws nothing

    return model_picture(model).svg()


WRITERS: dict[str, Callable[[Model], str]] = {
    "gal": print_gal,
    "pnml": print_pnml,
    "dot": dot.print_model,
    "dve": print_dve,
    "etf": print_etf,
    "smv": nusmv.print_model,
    "nusmv": nusmv.print_model,
    "nusmv-order": nusmv.print_order,
    "promela": print_promela,
    "svg": _svg,
}
TIMED_WRITERS: dict[str, Callable[[TimedNet], str]] = {
    "tina": tina.print_net,
    "romeo": romeo.print_net,
}
"""Languages of time Petri nets; a net without times gets [0,w[ everywhere."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    options.add_model(parser)
    parser.add_argument(
        "--to",
        choices=sorted((*WRITERS, *TIMED_WRITERS)),
        help="the language (default: by the ending of FILE)",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default="-",
        help="the file to write (default: the standard output)",
    )
    parser.add_argument(
        "--separate",
        choices=("sound", "net"),
        help="move independent parameters to events of their own: where that changes nothing "
        "(sound), or as in nets, where equal parameters take several tokens (net)",
    )
    parser.add_argument(
        "--one-hot",
        metavar="N",
        nargs="?",
        type=values.count(2, 2**20),
        const=0,
        help="encode hotbit variables by one bit for each value; with N, also other variables that "
        "only get constants and have at least N values",
    )
    parser.add_argument(
        "--decompose",
        metavar="HOW",
        help="flatten it, then cut it into a composite: by NUPN units (units), as finely as its "
        "events allow (finest), or by file:PATH with the variables of a part on each line, or "
        "groups of them as lists in JSON",
    )
    parser.add_argument(
        "--split",
        action="store_true",
        help="flatten it, and split events whose conditions relate several NUPN units, or "
        "variables outside of units, into events with a condition on each",
    )
    parser.add_argument(
        "--static",
        metavar="FORMULA",
        action="append",
        default=[],
        help="flatten it, and reduce it statically: events wait for those that may go first. The "
        "result satisfies the same formulas without X about what FORMULA asks; may be repeated",
    )
    parser.add_argument(
        "--compress",
        metavar="FORMULA",
        action="append",
        default=[],
        help="flatten it, and join what a process does by itself to its step before, as far as "
        "FORMULA, without X, cannot tell; may be repeated",
    )
    parser.add_argument(
        "--flat",
        action="store_true",
        help="instantiate and flatten it to one component (always done for pnml)",
    )
    options.add_net_forms(parser)


def run(arguments: argparse.Namespace) -> int:
    """Convert and write."""
    arguments.to = language_to_write(arguments.to, arguments.output, (*WRITERS, *TIMED_WRITERS))
    if arguments.to in TIMED_WRITERS:
        write_text(TIMED_WRITERS[arguments.to](_timed(arguments)), arguments.output)
        return HOLDS
    if arguments.to == "svg" and language_of(arguments.model) in TIMED:
        from plait.report.model_picture import timed_picture

        write_text(timed_picture(_timed(arguments)).svg(), arguments.output)
        return HOLDS
    readable = arguments.to == "gal" and not arguments.flat
    model = _without_paths(options.load_model(arguments, "parametric" if readable else None))
    if arguments.one_hot is not None:
        model = one_hot(model, arguments.one_hot or None).model
    if arguments.separate:
        model = separate(model, net=arguments.separate == "net").model
    if arguments.static or arguments.compress:
        model = _reduced(model, arguments.compress, arguments.static)
    elif arguments.flat or arguments.to == "pnml" or (readable and _has_channels(model)):
        model = passes.flat(model, reduce=False).model
    if arguments.split:
        model = split_events(passes.flat(model, reduce=False).model).model
    if arguments.decompose:
        flat = passes.flat(model, reduce=False).model
        model = decompose(flat, _wish(arguments.decompose, model, flat)).model
    if arguments.to in NEED_DOMAINS and not _is_bounded(model):
        model = with_domains(model, Budget(BOUNDING), arguments.to)
        say(f"note: {BOUNDED if _is_bounded(model) else UNBOUNDED}")
    if arguments.to == "promela" and has_choice(model):
        say(f"warning: {CHOSEN_FIRST}")
    if arguments.to == "promela" and may_fail(model):
        say(f"warning: {FAILS_THERE}")
    write_text(WRITERS[arguments.to](model), arguments.output)
    return HOLDS


def _is_bounded(model: Model) -> bool:
    """Whether every variable has a domain; that of a place is only where the integers end."""
    kinds = [t for t in model.types if isinstance(t, ElementaryType)]
    return all(v.domain not in (None, COUNTER) for kind in kinds for v in kind.variables)


def _has_channels(model: Model) -> bool:
    """Whether there are queues, which GAL does not have."""
    return any(isinstance(t, ElementaryType) and t.channels for t in model.types)


def _without_paths(model: Model) -> Model:
    """The model without what no other language can say: which paths a property speaks of."""
    kept = []
    for p in model.properties:
        if p.fair or p.refused or looks_at(p, ghosts(model)):
            why = p.refused or FAIR_ONLY
            say(f"warning: property '{p.name}' is left out: {why}")
        else:
            kept.append(p)
    if len(kept) == len(model.properties):
        return without_ghosts(model)
    return without_ghosts(replace(model, properties=tuple(kept)))


def _timed(arguments: argparse.Namespace) -> TimedNet:
    """The time Petri net that a file has, or that a net without times is."""
    if language_of(arguments.model) in TIMED:
        net = load_timed(arguments.model)
        options.warn(net.warnings)
        return net
    model = passes.flat(options.load_model(arguments), reduce=False).model
    found = as_net(model)
    if isinstance(found, Diagnostic):
        told = f"this model is not a place/transition net: {found.message}"
        raise error(told, found.span, found.hint)
    return untimed(found)


def _reduced(model: Model, compress: Sequence[str], static: Sequence[str]) -> Model:
    """A smaller program that satisfies the same formulas, none of which may have an X."""
    from plait.engines.partial.compression import compressed
    from plait.engines.partial.observed import conditions_of, is_kept
    from plait.engines.partial.static import static_order
    from plait.logic.parse import parse_formula

    texts = (*compress, *static)
    given = [parse_formula(text, model, name=f"formula {i}") for i, text in enumerate(texts)]
    model = replace(model, properties=(*given, *model.properties))
    flat = passes.flat(model, reduce=False).model
    asked, others = flat.properties[: len(texts)], flat.properties[len(texts) :]
    seen = [c for p in asked for c in conditions_of(p)]
    linear = any(p.kind == "ctl" for p in asked)
    kept = [p for p in others if is_kept(p, flat, seen, linear=linear)]
    for p in others:
        if p not in kept:
            say(f"warning: property '{p.name}' is left out: {ASKS_MORE}")
    flat = replace(flat, properties=tuple(kept))
    if compress:
        flat = compressed(flat, seen, linear=linear)
    return static_order(flat, seen, linear=linear) if static else flat


def _wish(how: str, model: Model, flat: Model) -> Part:
    """The parts that `--decompose` asks for."""
    if how == "finest":
        return Part(flat.name)
    if how == "units":
        system = model.system
        if not isinstance(system, ElementaryType) or system.units is None:
            raise error(f"'{model.name}' has no units; it can be decomposed `finest` or by a file")
        return by_units(system.units)
    if how.startswith("file:"):
        return parts_in_file(how.removeprefix("file:"), model, flat)
    raise error(f"'{how}' is not a way to decompose: units, finest or file:PATH")
