"""`plait check`: properties of a model, one line each, and a readable trace for each violation."""

from __future__ import annotations

from collections.abc import Sequence

from plait.cli import engine_options, options, reports
from plait.cli.deadline import deadline
from plait.cli.output import OutputError, print_lines, say
from plait.cli.progress import progress_line
from plait.cli.status import INTERRUPTED, STOPS, guarded, reason_of, status_of
from plait.engines import Budget, Listener, Tuning, check
from plait.engines.nets.tokens import doubt_sums
from plait.errors import InputError, error
from plait.hints import TYPE_CHECKING
from plait.lang import NETS, language_of
from plait.lang.files import stem
from plait.logic.parse import parse_formula
from plait.model.expr import Formula, Implies
from plait.model.node import nodes
from plait.model.room import ensure_room_for, with_room
from plait.model.types import ElementaryType, Model, Property
from plait.records import dataclass, replace
from plait.report.checked import Checked
from plait.report.text import check_lines, reason_text

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from plait.report.answer import Answer
    from plait.report.view import StateView
    from plait.symmetry.tuning import SymmetryTuning

HELP = "check the properties of a model"
MOST_NAMES = 20
"""How many names a hint lists."""
SHOWN = ("reachable", "invariant", "never", "deadlock")
"""The kinds of property that one trace decides."""
EXAMPLE = """\
examples:
  plait check philosophers.gal
  plait check philosophers.gal -p free -D N=6
  plait check philosophers.gal -f 'AG EF (left[0] == 1)' --json result.json
  plait check philosophers.gal --html result.html
  plait check philosophers.gal -D N=4..8 --timeout 60
  plait check net.pnml --properties ReachabilityCardinality.xml --timeout 60

exit status: 0 all hold, 1 one is violated, 2 wrong input, 3 something is unknown, 130 interrupted
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    options.add_model(parser, sweeps=True)
    add_properties(parser)
    engine_options.add_engine(parser)
    parser.add_argument(
        "--cross-check",
        action="store_true",
        help="let a second engine confirm each answer, in the second half of the time",
    )
    options.add_limits(parser)
    options.add_json(parser)
    reports.add_reports(parser)
    parser.add_argument("--full", action="store_true", help="show whole states in traces")
    parser.add_argument("-q", "--quiet", action="store_true", help="verdicts only, no traces")
    _add_paths(parser)
    engine_options.add_reduction(parser, "tried in turn, where there are processes")
    engine_options.add_symmetry(parser)
    engine_options.add_method(parser)
    engine_options.add_product(parser)
    engine_options.add_tuning(parser)
    engine_options.add_bounded(parser)
    options.add_net_forms(parser)


def _add_paths(parser: argparse.ArgumentParser) -> None:
    """Which paths and runs temporal properties speak of."""
    group = parser.add_argument_group("paths that count")
    group.add_argument(
        "--fair",
        metavar="CONDITION",
        action="append",
        default=[],
        help="CTL: count only paths on which this is true infinitely often; may be repeated",
    )
    group.add_argument(
        "--fairness",
        choices=("none", "weak"),
        default="none",
        help="LTL: weak excludes runs in which a process, or a part, is ready for ever and never "
        "moves (default: none)",
    )
    group.add_argument(
        "--paths",
        choices=("maximal", "infinite"),
        default="maximal",
        help="CTL: whether paths that end in a deadlock count (default: maximal, they do)",
    )


def add_properties(parser: argparse.ArgumentParser) -> None:
    """What is to be checked; see `chosen`."""
    parser.add_argument(
        "-p",
        "--property",
        metavar="NAME",
        action="append",
        default=[],
        help="check this property of the model; may be repeated (default: all)",
    )
    parser.add_argument(
        "-f",
        "--formula",
        metavar="FORMULA",
        action="append",
        default=[],
        help="check this formula, such as 'AG EF (x == 0)' or 'never: x > 3'; may be repeated",
    )
    parser.add_argument(
        "--claim",
        metavar="FILE",
        action="append",
        default=[],
        help="check that this automaton (HOA, or a never claim) accepts no run; may be repeated",
    )
    parser.add_argument(
        "--properties",
        metavar="FILE",
        help="properties from a file: .prop, its-ctl's .ctl, Uppaal's .q, or the contest's .xml",
    )


def run(arguments: argparse.Namespace) -> int:
    """Check and print."""
    reports.refuse_clashes(arguments)
    if options.has_several(arguments):
        from plait.cli.sweep import sweep_check

        return sweep_check(arguments)
    return engine_options.with_checkpoint(arguments, lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    outcome = checked(arguments)
    found, failure = outcome.found, outcome.failure
    try:
        reports.write(arguments, found, wrong=isinstance(failure, InputError))
    except OutputError as unwritten:
        if failure is None:
            raise
        say(f"error: {unwritten}")  # the failure itself decides how we end
    finally:
        # A file that cannot be written does not take the answers with it.
        if failure is None and not reports.fill_output(arguments):
            shown = {"full": arguments.full, "quiet": arguments.quiet, "seconds": found.seconds}
            print_lines(check_lines(found.answers, view=found.view, **shown))
    if failure is not None:
        raise failure
    return INTERRUPTED if outcome.interrupted else status_of(found.answers)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended: what was found, and what came in its way."""

    found: Checked
    interrupted: bool = False
    failure: BaseException | None = None
    """What ended it before all was asked; the problem that is told with what was found."""


def checked(arguments: argparse.Namespace) -> Outcome:
    """Read the model and ask what the line asks."""
    limits = options.budget(arguments)
    symmetry = engine_options.symmetry(arguments)
    if symmetry is not None:
        _refuse_with_symmetry(arguments)
    asked: _Asked | None = None
    found = Checked(stem(arguments.model), arguments.model, values=tuple(arguments.defines))
    try:
        with deadline(arguments.timeout):
            asked = _Asked(arguments, symmetry)
        answers, interrupted = guarded(lambda: asked.answers(limits), asked.properties, asked.early)
    except (*STOPS, InputError) as failure:
        early = () if asked is None else tuple(asked.early.values())
        if isinstance(failure, InputError):
            told = failure.render()
        else:
            told = reason_text(reason_of(failure))
        return Outcome(replace(found, answers=early, problem=told), failure=failure)
    model, view = asked.model, _view(asked.model)
    found = replace(found, model=model.name, answers=tuple(answers), view=view, system=model)
    return Outcome(replace(found, seconds=limits.elapsed), interrupted)


class _Asked:
    """What a line asks: a model, properties, and in what way."""

    def __init__(self, arguments: argparse.Namespace, symmetry: SymmetryTuning | None) -> None:
        self.arguments = arguments
        self.symmetry = symmetry
        self.model = options.load_model(arguments)
        self.properties: list[Property] = []
        self.fair: list[Formula] = []
        with_room(self.model, self._choose)
        self.infinite = arguments.paths == "infinite"
        self.weak = arguments.fairness == "weak"
        self.is_net = language_of(arguments.model) in NETS
        self.early: dict[int, Answer] = {}
        """Answers by the identity of the property: whatever ends us later does not take them."""
        self.shown: dict[int, Answer] = {}
        """Those of them that a trace has shown in less room."""

    def _choose(self, model: Model) -> None:
        """Ask about this model; with room for more processes there may be more to ask."""
        self.properties[:] = chosen(model, self.arguments)
        self.fair[:] = _constraints(model, self.arguments.fair)
        self.model = model

    def answers(self, limits: Budget) -> list[Answer]:
        """The answers, in order; each is `early`, too, as soon as it is known."""
        with deadline(limits.remaining()), progress_line(self.arguments.quiet) as listen:

            def ask_in(model: Model) -> list[Answer]:
                if model is not self.model:
                    self._choose_again(model)
                return [self._or_shown(a) for a in self._answers(limits, listen)]

            found = with_room(self.model, ask_in)
            self.early.update({id(a.property): a for a in found})
            return self._with_notes(found, limits, listen)

    def _with_notes(
        self, answers: list[Answer], limits: Budget, listen: Listener | None
    ) -> list[Answer]:
        """The answers, with what else a reader should know of those that hold."""
        if self.symmetry is not None or not _may_be_vacuous(answers):
            return answers
        from plait.engines.vacuity import with_vacuity

        def ask(some: Sequence[Property], budget: Budget) -> list[Answer]:
            engine, tuning = self.arguments.engine, Tuning(witnesses=False)
            found = check(
                self.model, some, engine=engine, budget=budget, listen=listen, tuning=tuning
            )
            return self._doubted(found)

        view = _view(self.model)
        words = {} if view is None else {"words": view.with_names}
        return with_vacuity(answers, limits, ask, **words)

    def _choose_again(self, model: Model) -> None:
        """Ask about the model with more room: what a trace has shown in less, it shows there."""
        shown = {a.property.name: a for a in self.early.values() if a.property.kind in SHOWN}
        self._choose(model)
        self.shown.clear()
        for p in self.properties:
            before = shown.get(p.name)
            if before is not None and before.witness is not None:
                self.shown[id(p)] = replace(before, property=p)
        self.early.clear()
        self.early.update(self.shown)

    def _or_shown(self, answer: Answer) -> Answer:
        """The answer, unless it is open and less room has shown one; an error of ours is seen."""
        if answer.verdict != "unknown" or (answer.reason or "").startswith("internal error"):
            return answer
        return self.shown.get(id(answer.property), answer)

    def _answers(self, limits: Budget, listen: Listener | None) -> list[Answer]:
        if not self.arguments.cross_check:
            return self._ask(limits, listen)
        from plait.engines.cross_check import cross_checked

        def ask_again(some: Sequence[Property], engine: str, rest: Budget) -> list[Answer]:
            return self._ask_again(some, engine, rest, listen)

        return cross_checked(self._ask(limits.share(2), listen), limits, ask_again)

    def _ask(self, budget: Budget, listen: Listener | None) -> list[Answer]:
        arguments = self.arguments
        tuning, method = engine_options.tuning(arguments), engine_options.method(arguments)
        if self.symmetry is not None:
            from plait.engines.symmetric import check_symmetric

            found = check_symmetric(
                self.model,
                self.properties,
                self.symmetry,
                engine=arguments.engine,
                tuning=tuning,
                method=method,
                budget=budget,
                listen=listen,
            )
            return self._doubted(found)
        found = check(
            self.model,
            self.properties,
            engine=arguments.engine,
            budget=budget,
            listen=listen,
            reduction=engine_options.reduction(arguments),
            method=method,
            tuning=tuning,
            fair=self.fair,
            infinite=self.infinite,
            weak=self.weak,
            depth=arguments.depth,
            together=arguments.together,
            repeated=arguments.repeated,
            tell=self._keep,
        )
        return self._doubted(found)

    def _ask_again(
        self, some: Sequence[Property], engine: str, budget: Budget, listen: Listener | None
    ) -> list[Answer]:
        """What another engine says, which shows nothing."""
        found = check(
            self.model,
            some,
            engine=engine,
            budget=budget,
            listen=listen,
            tuning=Tuning(witnesses=False),
            fair=self.fair,
            infinite=self.infinite,
            weak=self.weak,
        )
        return self._doubted(found)

    def _keep(self, answer: Answer) -> None:
        (self.early[id(answer.property)],) = self._doubted([answer])

    def _doubted(self, answers: list[Answer]) -> list[Answer]:
        return doubt_sums(answers) if self.is_net else answers


def _may_be_vacuous(answers: Sequence[Answer]) -> bool:
    """Whether one of them holds and has an implication in it; few models import more."""
    return any(
        a.verdict == "true"
        and a.property.kind in ("invariant", "ctl", "ltl")
        and isinstance(a.property.body, Formula)
        and any(isinstance(node, Implies) for node in nodes(a.property.body))
        for a in answers
    )


def _view(model: Model) -> StateView | None:
    """How formulas of the model are shown, where values have names in its language."""
    system = model.system
    if not isinstance(system, ElementaryType) or system.plain is not None:
        return None
    if not system.processes and not any(v.words for v in system.variables):
        return None
    from plait.model.shape import shape_of
    from plait.report.view import StateView

    return StateView(shape_of(model))


def _refuse_with_symmetry(arguments: argparse.Namespace) -> None:
    """What is not asked of a quotient by symmetries."""
    if arguments.engine == "bounded":
        raise error(
            "--symmetry is not for the bounded engine",
            hint="making a state canonical takes a loop, which no bounded run has; use another",
        )
    if arguments.depth is not None or arguments.together or arguments.repeated:
        raise error("--symmetry goes without --depth, --together and --repeated")
    if arguments.fair or arguments.paths == "infinite" or arguments.fairness == "weak":
        raise error(
            "--symmetry is for all paths, fair or not",
            hint="leave --fair, --fairness and --paths out",
        )


def chosen(model: Model, arguments: argparse.Namespace) -> list[Property]:
    """The properties to check: those named and given, else all, else freedom from deadlock."""
    known = list(model.properties)
    asked = arguments.properties
    if asked is not None and not options.are_of_the_model(asked, arguments.model):
        from pathlib import Path

        known = list(_from_file(Path(asked), model))
    for name in arguments.property:
        ensure_room_for(model, name)
    wanted = [named(known, name) for name in arguments.property]
    for i, text in enumerate(arguments.formula, start=1):
        name = f"formula {i}" if len(arguments.formula) > 1 else "formula"
        given = parse_formula(text, model, name=name)
        if given.kind == "atom":
            raise error("an atom only names a condition; there is nothing to check", given.span)
        wanted.append(given)
    for file in arguments.claim:
        from pathlib import Path

        from plait.automata.files import load_claim

        wanted.append(load_claim(Path(file), model))
    if wanted:
        return wanted
    asked = [p for p in known if p.kind != "atom" and not p.optional]
    if asked:
        return asked
    from plait.time.stuck import stuck_asked

    return [Property("deadlock", kind="deadlock"), *stuck_asked(model)]


def _constraints(model: Model, texts: Sequence[str]) -> list[Formula]:
    """The fairness constraints, which speak of states only."""
    found = []
    for text in texts:
        body = parse_formula(text, model, "fair", kind="reachable").body
        assert isinstance(body, Formula)
        found.append(body)
    return found


def _from_file(path: Path, model: Model) -> Sequence[Property]:
    from plait.lang.files import read_text

    if path.suffix.lower() == ".xml":
        from plait.logic.mcc import load_properties

        return load_properties(path, model)
    if path.suffix.lower() == ".ctl":
        from plait.logic.parse import parse_ctl

        return parse_ctl(read_text(path), model, str(path))
    if path.suffix.lower() == ".q":
        from plait.lang.pnml.queries import parse_query

        return parse_query(read_text(path), model, path)
    from plait.lang.gal import parse_properties

    return parse_properties(read_text(path), str(path), model)


def named(known: Sequence[Property], name: str) -> Property:
    """The property of that name."""
    for p in known:
        if p.name == name:
            return p
    from difflib import get_close_matches  # few names are misspelt

    near = get_close_matches(name, [p.name for p in known], n=1)
    hint = f"there are: {', '.join(p.name for p in known[:MOST_NAMES])}" if known else None
    hint = f"did you mean '{near[0]}'?" if near else hint
    if name == "deadlock":  # as the table calls it where the model asks for nothing
        hint = "every model can be asked for it by -f deadlock"
    raise error(f"the model has no property named '{name}'", hint=hint)
