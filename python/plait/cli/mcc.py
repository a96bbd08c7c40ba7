"""`plait mcc`: the Model Checking Contest's inputs and outputs.

Every examination is turned into ordinary properties (`plait.logic.examinations`), so whatever
engine answers those answers the contest too. Answers are flushed as they come; what cannot be
decided within the limits is `CANNOT_COMPUTE`, never a guess.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from plait.cli import engine_options, options
from plait.cli.deadline import deadline
from plait.cli.output import print_lines, say
from plait.cli.progress import progress_line
from plait.cli.status import HOLDS, INTERRUPTED, UNKNOWN, guarded
from plait.cli.usage import suggestion
from plait.colour.forms import Form
from plait.engines import check, states
from plait.engines.budget import Budget
from plait.engines.nets.tokens import doubt_sums
from plait.engines.symbolic.tuning import Tuning
from plait.errors import LimitReached, error, printable
from plait.lang.pnml import load_net
from plait.logic.examinations import FORMULAS, GLOBAL, GlobalExamination, not_live
from plait.logic.mcc import load_properties
from plait.model.shape import shape_of
from plait.model.types import ElementaryType, Model, Property
from plait.records import replace
from plait.report.answer import Answer
from plait.report.numbers import decimal

if TYPE_CHECKING:
    from plait.colour.net import ColouredNet

HELP = "answer an examination of the Model Checking Contest"
EXAMPLE = """\
examples:
  plait mcc StateSpace FMS-PT-00002
  plait mcc ReachabilityCardinality FMS-PT-00002 --timeout 60

DIR holds model.pnml and, for the examinations with formulas, EXAMINATION.xml.
exit status: 0 everything answered, 2 wrong input, 3 something is unknown, 130 interrupted
"""

EXAMINATIONS = ("StateSpace", *GLOBAL, *FORMULAS)
MARGIN = 0.05
LARGEST_MARGIN = 3.0
"""The part of the time, and the seconds at most, that are left over: who is late is ended."""
NOT_LIVE_PART = 3
"""The part of the time for what tells, without a temporal engine, that a net is not live."""
COUNTING_PART, COUNTING = 4, 30.0
"""The part of the time, and the seconds at most, for a net whose objects are counted."""


class _Decided(Exception):  # noqa: N818 - ends a search, is no failure
    """One answer decides the examination."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "examination",
        metavar="EXAMINATION",
        help=f"the examination: {', '.join(EXAMINATIONS)}",
    )
    parser.add_argument("directory", metavar="DIR", help="the folder of the instance")
    options.add_colours(parser)
    engine_options.add_engine(parser)
    options.add_limits(parser)


def run(arguments: argparse.Namespace) -> int:
    """Answer one examination."""
    examination = arguments.examination
    if examination not in EXAMINATIONS:
        near = suggestion(examination, EXAMINATIONS)
        say(f"warning: there is no examination '{printable(examination)}' here{near}")
        print_lines(["DO_NOT_COMPETE"])
        return UNKNOWN
    try:
        return _examined(arguments)
    except (LimitReached, MemoryError):  # before there is a model to be asked about
        formula = f"FORMULA {examination} " if examination in GLOBAL else ""
        print_lines([f"{formula}CANNOT_COMPUTE"])
        raise


def _examined(arguments: argparse.Namespace) -> int:
    """The status of an examination, whose results are printed."""
    examination = arguments.examination
    directory = Path(arguments.directory)
    if arguments.timeout is not None:
        arguments.timeout -= min(MARGIN * arguments.timeout, LARGEST_MARGIN)
    limits = options.budget(arguments)
    with deadline(arguments.timeout):
        if not directory.is_dir():
            raise error(f"{directory} is not a folder")
        net = load_net(directory / "model.pnml")

        def ask(model: Model) -> list[Property]:
            if examination in GLOBAL:
                return GLOBAL[examination].properties(model)
            return list(load_properties(directory / f"{examination}.xml", model))

        if examination == "StateSpace":
            model, exact = _for_counting(net, arguments.colours)
            properties: list[Property] = []
        elif isinstance(net, Model):
            model, properties = net, ask(net)
    if examination == "StateSpace":
        return _state_space(model, exact, arguments.engine, limits)
    if not isinstance(net, Model):
        return _coloured(net, examination, ask, arguments, limits)
    return _formulas(model, examination, properties, arguments.engine, limits)


def _for_counting(net: Model | ColouredNet, form: Form) -> tuple[Model, bool]:
    """The model whose states are counted, and whether its arcs are those of the net, too."""
    if isinstance(net, Model):
        return net, True
    if form == "counted":
        raise error("the counted form has orbits of states", hint="leave --colours out")
    from plait.colour.choice import as_model  # most nets have no colours
    from plait.colour.unfold import TooLarge

    try:
        model = as_model(net, "unfolded" if form == "auto" else form)
        return model, form != "separated"
    except TooLarge:
        if form != "auto":
            raise
    try:
        return as_model(net), False
    except TooLarge as limit:
        raise LimitReached(limit.diagnostics[0].message) from None


def _coloured(
    net: ColouredNet,
    examination: str,
    ask: Callable[[Model], list[Property]],
    arguments: argparse.Namespace,
    limits: Budget,
) -> int:
    """A coloured net: first what its skeleton tells, then the rest with its colours.

    No examination with formulas can tell colours apart that behave alike.
    """
    from plait.cli.skeleton import skeleton_answers, skeleton_facts, with_facts
    from plait.colour.choice import as_model, fewest_states
    from plait.colour.quotient import quotient
    from plait.colour.skeleton import skeleton
    from plait.colour.unfold import TooLarge

    with deadline(arguments.timeout):
        if arguments.colours == "auto":
            net = quotient(net)
        plain = skeleton(net)
        properties = ask(plain)
    known = skeleton_answers(plain, properties, arguments.engine, limits)
    facts = skeleton_facts(plain, properties, limits) if arguments.engine == "auto" else {}
    if examination in GLOBAL:
        verdicts = [known[p.name].verdict if p.name in known else "unknown" for p in properties]
        if GLOBAL[examination].verdict(verdicts) != "unknown":
            found = [a for p in properties if (a := known.get(p.name)) is not None]
            print_lines([_global_result(GLOBAL[examination], examination, found)])
            return HOLDS
    try:
        with deadline(limits.remaining()):
            if arguments.colours == "auto":
                part = limits.share(COUNTING_PART).remaining()
                model = fewest_states(net, COUNTING if part is None else min(part, COUNTING))
            else:
                model = as_model(net, arguments.colours)
            properties = [with_facts(p, facts.get(p.name, ())) for p in ask(model)]
    except (TooLarge, LimitReached, MemoryError):
        answers = [known.get(p.name, Answer(p, "unknown", "none")) for p in properties]
        return _print_results(examination, answers, False)
    return _formulas(model, examination, properties, arguments.engine, limits, known=known)


def _state_space(model: Model, exact: bool, engine: str, limits: Budget) -> int:
    try:
        with deadline(limits.remaining()), progress_line() as listen:
            space = states(model, engine=engine, budget=limits, listen=listen)
    except (LimitReached, MemoryError):
        print_lines(["CANNOT_COMPUTE"])
        return UNKNOWN
    if space.reason is not None and space.reason.startswith("unbounded"):
        names = ("STATES", "TRANSITIONS", "MAX_TOKEN_PER_MARKING", "MAX_TOKEN_IN_PLACE")
        print_lines(f"STATE_SPACE {name} +inf TECHNIQUES WALK" for name in names)
        return HOLDS
    if not space.complete:
        print_lines(["CANNOT_COMPUTE"])
        return INTERRUPTED if space.reason == "interrupted" else UNKNOWN
    figures = {
        "STATES": space.states,
        "TRANSITIONS": space.arcs if exact else None,
        "MAX_TOKEN_PER_MARKING": space.max_sum,
        # Without places there is no greatest value, and no place has a token.
        "MAX_TOKEN_IN_PLACE": space.max_value if shape_of(model).width else 0,
    }
    print_lines(
        f"STATE_SPACE {name} {decimal(figure)} TECHNIQUES {space.engine.upper()}"
        for name, figure in figures.items()
        if figure is not None
    )
    return HOLDS


def _formulas(
    model: Model,
    examination: str,
    properties: list[Property],
    engine: str,
    limits: Budget,
    *,
    known: Mapping[str, Answer] | None = None,
) -> int:
    """Check the properties, but for those whose answers are known."""
    known = known or {}
    asked = [p for p in properties if p.name not in known]
    early: dict[str, Answer] = {}

    def tell(answer: Answer) -> None:
        """Print an answer at once: whoever ends us later has it."""
        (answer,) = doubt_sums([answer])
        if answer.verdict != "unknown":
            early[answer.property.name] = answer
            if examination not in GLOBAL:
                print_lines([_formula_result(answer)])
            elif GLOBAL[examination].verdict([answer.verdict, "unknown"]) != "unknown":
                raise _Decided

    if examination == "Liveness" and asked:
        live, stopped = _live(model, asked, engine, limits)
        if live is not None or stopped:
            print_lines([live or "FORMULA Liveness CANNOT_COMPUTE"])
            return INTERRUPTED if stopped else HOLDS

    def work() -> list[Answer]:
        with deadline(limits.remaining()), progress_line() as listen:
            found = check(
                model,
                asked,
                engine=engine,
                tuning=Tuning(witnesses=False),
                budget=limits,
                listen=listen,
                tell=tell,
            )
            return doubt_sums(found)

    found: list[Answer] = []
    interrupted = False
    with suppress(_Decided):
        found, interrupted = guarded(work, asked) if asked else ([], False)
    answered = {**known, **{a.property.name: a for a in found}, **early}
    answers = [answered[p.name] for p in properties if p.name in answered]
    return _print_results(examination, answers, interrupted, printed=early)


def _is_folded(model: Model) -> bool:
    system = model.system
    return isinstance(system, ElementaryType) and system.folding is not None


def _live(
    model: Model, asked: list[Property], engine: str, limits: Budget
) -> tuple[str | None, bool]:
    """The result of Liveness if siphons, a moment of diagrams, or what is asked of reachable states
    tell it; and whether Ctrl-C ended that."""
    from plait.engines.briefly import briefly
    from plait.engines.nets.siphon_trap import asks_liveness, liveness

    found: list[Answer] = []

    def hear(answer: Answer) -> None:
        (answer,) = doubt_sums([answer])
        if answer.verdict != "unknown":
            found.append(answer)
        if answer.verdict == "false":
            raise _Decided

    def moment() -> list[Answer]:
        with deadline(limits.remaining()), suppress(_Decided):
            briefly(model, asked, limits, hear)
        return found

    if engine == "auto":
        live = liveness(model, limits)
        # Of a coloured transition a live binding tells that it is live, but one that is not tells
        # nothing; and a transition without any binding is not live, whatever the others are.
        if live is True and not all(map(asks_liveness, asked)):
            live = None
        if live is True or (live is False and not _is_folded(model)):
            return f"FORMULA Liveness {str(live).upper()} TECHNIQUES SIPHON_TRAP", False
        _, interrupted = guarded(moment, asked)
        if interrupted:
            return None, True
        if len(found) == len(asked) or any(a.verdict == "false" for a in found):
            return _global_result(GLOBAL["Liveness"], "Liveness", found), False
    dead = _not_live(model, engine, limits)
    if dead is None:
        return None, False
    return f"FORMULA Liveness FALSE TECHNIQUES {_technique(dead.engine)}", False


def _not_live(model: Model, engine: str, limits: Budget) -> Answer | None:
    """Why the net is not live, when no temporal engine is needed to see it."""
    share = limits.share(NOT_LIVE_PART)
    if share.timeout is None:
        share = replace(share, timeout=60.0)
    refuted: list[Answer] = []

    def tell(answer: Answer) -> None:
        if answer.verdict == "false":
            refuted.append(answer)
            raise _Decided

    with suppress(LimitReached, _Decided), deadline(share.remaining()):
        for answer in check(model, not_live(model), engine=engine, budget=share, tell=tell):
            tell(answer)
    return refuted[0] if refuted else None


def _print_results(
    examination: str,
    answers: list[Answer],
    interrupted: bool,
    printed: Collection[str] = (),
) -> int:
    if examination in GLOBAL:
        results = [_global_result(GLOBAL[examination], examination, answers)]
    else:
        results = [_formula_result(a) for a in answers if a.property.name not in printed]
    print_lines(results)
    if interrupted:
        return INTERRUPTED
    return UNKNOWN if any("CANNOT_COMPUTE" in line for line in results) else HOLDS


def _formula_result(a: Answer) -> str:
    if a.verdict == "unknown" or (a.property.kind == "bounds" and a.value is None):
        return f"FORMULA {a.property.name} CANNOT_COMPUTE"
    value = str(a.value) if a.property.kind == "bounds" else a.verdict.upper()
    return f"FORMULA {a.property.name} {value} TECHNIQUES {_technique(a.engine)}"


def _technique(engine: str) -> str:
    """An engine as the contest writes techniques."""
    return engine.upper().replace("-", "_").replace("+", " ")


def _global_result(kind: GlobalExamination, examination: str, answers: list[Answer]) -> str:
    verdict = kind.verdict([a.verdict for a in answers])
    if verdict == "unknown":
        return f"FORMULA {examination} CANNOT_COMPUTE"
    engines = " ".join(sorted({_technique(a.engine) for a in answers})) or "STRUCTURAL"
    return f"FORMULA {examination} {verdict.upper()} TECHNIQUES {engines}"
