"""Engines: from a model and properties to answers.

`check` chooses an engine for each property. Safety properties, and temporal ones that are safety
questions in disguise, go to the native engines together (`search`). Other CTL properties go to the
reference, to local search and to diagrams (`branching`), LTL properties to the reference where the
graph is small and to the native product with an automaton where it is not (`linear`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from plait.engines.budget import Budget, Listener, Progress
from plait.engines.evidence import Evidence
from plait.engines.explicit.method import Method
from plait.engines.explicit.reduction import Reduction
from plait.engines.names import BOUNDED, SYMBOLIC
from plait.engines.prepared import KINDS, prepare
from plait.engines.search import Search
from plait.engines.search import is_final as is_settled
from plait.engines.stopped import is_interrupted, stopped_space
from plait.engines.symbolic.tuning import PARTIAL, Tuning
from plait.errors import LimitReached, error
from plait.hints import TYPE_CHECKING, Literal, get_args
from plait.model.ghosts import ghosts, is_ordinary
from plait.model.vast import is_vast
from plait.records import replace
from plait.report.answer import Answer, StateSpace

if TYPE_CHECKING:
    from plait.engines.explicit.graph import GraphEngine
    from plait.model.expr import Formula
    from plait.model.types import Model, Property

EngineName = Literal["auto", "explicit", "symbolic", "bounded", "reference"]
ENGINES: tuple[EngineName, ...] = get_args(EngineName)
AGAIN = 0.5
"""Seconds that are worth another look at the reachable states."""


def check(
    model: Model,
    properties: Sequence[Property] | None = None,
    *,
    engine: str = "auto",
    tuning: Tuning | None = None,
    budget: Budget | None = None,
    listen: Listener | None = None,
    reduction: Reduction | None = None,
    method: Method | None = None,
    tell: Callable[[Answer], None] | None = None,
    fair: Sequence[Formula] = (),
    infinite: bool = False,
    weak: bool = False,
    depth: int | None = None,
    together: bool = False,
    repeated: bool = False,
) -> list[Answer]:
    """The answer to each property, in order; without a list, those of the model.

    With `fair` all properties must be CTL, and only paths on which each of these conditions holds
    again and again count. With `infinite`, no path of CTL that ends in a deadlock counts. With
    `weak` only runs of LTL count that are weakly fair to processes and parts.

    `depth` is the number of steps at which the bounded engine stops. With `together` it lets events
    that do not meet happen in one step.

    With `repeated` all properties must be LTL, and are asked as reachability of a repeated state.

    `tell` is called with answers as they come; all are in the list again.

    A property that only names a condition (`atom`) has no answer and is left out; so is, without a
    list, one that is asked only when it is named.

    Properties are taken to be sound ones of the model, as readers and `System.check` make sure;
    `plait.model.validate.check_properties` says what is wrong with others.
    """
    _known(engine)
    _check_order(model, tuning)
    engine = _chosen(engine, tuning)
    if together and engine != BOUNDED:
        raise error("events happen together in bounded runs only", hint="use --engine bounded")
    budget = budget or Budget()
    if properties is None:
        properties = [p for p in model.properties if not p.optional]
    asked = [p for p in properties if p.kind != "atom"]
    if not is_ordinary(model, asked):
        from plait.engines.chosen_paths import check_on_paths

        def ask_plainly(
            about: Model,
            some: Sequence[Property],
            paths: tuple[Formula, ...],
            hear: Callable[[Answer], None] | None,
        ) -> list[Answer]:
            return check(
                about,
                some,
                engine=engine,
                tuning=tuning,
                budget=budget,
                listen=listen,
                reduction=reduction,
                method=method,
                tell=hear,
                fair=(*fair, *paths),
                infinite=infinite,
                weak=weak,
                depth=depth,
                together=together,
                repeated=repeated,
            )

        return check_on_paths(model, asked, ask_plainly, tell)
    shown = tuning is None or tuning.witnesses
    evidence = Evidence(model, weak=weak, shows_runs=shown)
    _check_fairness(evidence, asked, fair)
    plain = not (fair or infinite or weak) and reduction is None and method is None
    told = tuning == Tuning(witnesses=False)

    def ask_another(other: Model, p: Property, limits: Budget) -> Answer:
        return check(other, [p], engine=engine, tuning=tuning, budget=limits, depth=depth)[0]

    def ask(some: Sequence[Property], hear: Callable[[Answer], None] | None) -> list[Answer]:
        if repeated:
            from plait.engines.linear import by_reachability

            return by_reachability(evidence, some, budget, ask_another)
        if engine == BOUNDED and (_goes_ahead(tuning) or together):
            from plait.engines.linear import bounded_runs

            runs = bounded_runs(evidence, tuning, depth, together=together)
            return runs.check(some, budget, listen, hear)
        return _answers(
            evidence,
            some,
            engine=engine,
            tuning=tuning,
            budget=budget,
            listen=listen,
            reduction=reduction,
            method=method,
            tell=hear,
            fair=fair,
            infinite=infinite,
            depth=depth,
        )

    if engine == "auto" and plain and told and _is_large(evidence, asked, budget):
        from plait.engines.simplified import check_simplified

        return check_simplified(model, asked, budget, ask, tell)
    return ask(asked, tell)


def _is_large(evidence: Evidence, asked: Sequence[Property], budget: Budget) -> bool:
    """Whether some property is worth making simpler: the model has more than a few states."""
    if all(p.kind in KINDS for p in asked):
        return False
    from plait.engines.branching import SMALL_GRAPH
    from plait.engines.linear import fits
    from plait.engines.simplified import is_simplified

    if not any(map(is_simplified, asked)) or is_vast(evidence.model):
        return False
    return not fits(evidence, replace(budget.share(20), states=SMALL_GRAPH))


def _answers(
    evidence: Evidence,
    asked: Sequence[Property],
    *,
    engine: str,
    tuning: Tuning | None,
    budget: Budget,
    listen: Listener | None,
    reduction: Reduction | None,
    method: Method | None,
    tell: Callable[[Answer], None] | None,
    fair: Sequence[Formula],
    infinite: bool,
    depth: int | None,
) -> list[Answer]:
    """The answers to properties as they are; see `check`."""
    answers: dict[int, Answer] = {}
    locally = tuning is not None and tuning.ctl == "local"
    searched: dict[int, Property] = {}
    if engine != "reference" and not fair:
        searched = {i: s for i, p in enumerate(asked) if (s := _for_search(p, locally)) is not None}

    def look_at_states(numbers: Sequence[int], limits: Budget) -> None:
        """Answer what is asked of reachable states alone."""
        search = Search(
            evidence.model,
            engine,
            limits,
            evidence=evidence,
            tuning=tuning,
            reduction=reduction,
            method=method,
            listen=listen,
            depth=depth,
        )

        def tell_of(place: int, answer: Answer) -> None:
            if tell is not None:
                tell(replace(answer, property=asked[numbers[place]]))

        found = search.check([searched[i] for i in numbers], tell_of)
        for i, answer in zip(numbers, found, strict=True):
            answers[i] = replace(answer, property=asked[i])

    if searched:
        part = _part(budget, len(searched), len(asked)) if engine == "auto" else budget
        look_at_states(list(searched), part)
    if engine in ("auto", "explicit", "symbolic"):
        branching = [i for i, p in enumerate(asked) if i not in answers and p.kind == "ctl"]
        if branching and not is_interrupted(answers.values()):
            from plait.engines.branching import Branching, is_final

            questions = Branching(
                evidence,
                engine,
                budget,
                tuning,
                listen,
                fair,
                infinite,
                tell=tell,
                alone=method is not None and method.threads is not None,
            )
            found = questions.check([asked[i] for i in branching])
            answers |= {
                i: a
                for i, a in zip(branching, found, strict=True)
                if engine != "auto" or locally or is_final(a)
            }
    linear = [i for i, p in enumerate(asked) if i not in answers and p.kind == "ltl"]
    if engine in ("auto", "explicit") and linear and not is_interrupted(answers.values()):
        from plait.engines.explicit.linear import TOO_LARGE, LinearTime
        from plait.engines.linear import on_runs

        def tell_of_run(place: int, answer: Answer) -> None:
            if tell is not None:
                tell(answer)

        found = on_runs(
            [asked[i] for i in linear],
            engine,
            LinearTime(evidence, budget, listen, reduction or Reduction(), method or Method()),
            tell_of_run,
            alone=method is not None and method.threads is not None,
        )
        answers |= {
            i: a
            for i, a in zip(linear, found, strict=True)
            if engine == "explicit" or not (a.reason or "").startswith(TOO_LARGE)
        }
    elif engine in (SYMBOLIC, BOUNDED) and linear and not is_interrupted(answers.values()):
        from plait.engines.linear import bounded_runs, on_diagrams
        from plait.engines.symbolic.ltl import SymbolicLinear

        runs = [asked[i] for i in linear]
        found = (
            on_diagrams(SymbolicLinear(evidence, tuning, listen), runs, budget, tell)
            if engine == SYMBOLIC
            else bounded_runs(evidence, tuning, depth).check(runs, budget, listen, tell)
        )
        answers |= dict(zip(linear, found, strict=True))
    left = [i for i in range(len(asked)) if i not in answers]
    if engine in ("explicit", "symbolic", "bounded") or is_interrupted(answers.values()):
        answers |= {i: _unasked(asked[i], engine, answers.values()) for i in left}
    elif left:
        from plait.engines.explicit.graph import GraphEngine

        graph = GraphEngine(evidence, budget, listen, fair=fair, infinite=infinite)
        answers |= _by_reference(graph, {i: asked[i] for i in left}, tell)
    if engine == "auto" and len(searched) < len(asked) and (budget.remaining() or 0) > AGAIN:
        # They had only a part of the time, and the others have left some of theirs.
        again = [i for i in searched if not is_settled(answers[i])]
        if again and not is_interrupted(answers.values()):
            look_at_states(again, budget)
    return [answers[i] for i in range(len(asked))]


def _unasked(p: Property, engine: str, answers: Iterable[Answer]) -> Answer:
    """Why a property that is left is not put to the reference."""
    if is_interrupted(answers):
        # The native search ends quietly on Ctrl-C; nothing else must begin after it.
        return Answer(p, "unknown", "none", reason="interrupted")
    reason = f"the {engine} engine does not check {p.kind} properties"
    return Answer(p, "unknown", engine, reason=reason)


def _by_reference(
    graph: GraphEngine, asked: dict[int, Property], tell: Callable[[Answer], None] | None
) -> dict[int, Answer]:
    """The answers of the reference, each told when there is one."""
    answers: dict[int, Answer] = {}
    for position, (i, p) in enumerate(asked.items()):
        answers[i] = graph.check(p, waiting=len(asked) - position)
        if tell is not None and answers[i].verdict != "unknown":
            tell(answers[i])
    return answers


def states(
    model: Model,
    *,
    engine: str = "auto",
    tuning: Tuning | None = None,
    budget: Budget | None = None,
    listen: Listener | None = None,
    reduction: Reduction | None = None,
    method: Method | None = None,
    depth: int | None = None,
) -> StateSpace:
    """The number of reachable states, arcs and deadlocks, and the greatest values.

    With `depth` only the states within so many steps are counted, on diagrams; the result is
    complete when these are all.

    When time or memory runs out, even before the search begins, the result is not complete and says
    why.
    """
    _known(engine)
    _check_order(model, tuning)
    engine = _chosen(engine, tuning)
    budget = budget or Budget()
    if depth is not None:
        _check_depth(engine, tuning, reduction, method)
    if ghosts(model):
        from plait.engines.chosen_paths import without_ghosts

        model = without_ghosts(model)
    if model.begins is not None:
        return _without_beginning(
            states(
                replace(model, begins=None),
                engine=engine,
                tuning=tuning,
                budget=budget,
                listen=listen,
                reduction=reduction,
                method=method,
                depth=None if depth is None else depth + 1,
            )
        )
    try:
        if engine == "reference":
            from plait.engines.explicit.graph import GraphEngine

            return GraphEngine(Evidence(model), budget, listen).states()
        if depth is not None:
            from plait.engines.symbolic.ball import ball

            ready = prepare(model, budget=budget)
            return ball(ready, depth, tuning or Tuning(), budget, listen)
        search = Search(
            model,
            engine,
            budget,
            tuning=tuning,
            reduction=reduction,
            method=method,
            listen=listen,
        )
        return search.states()
    except LimitReached as limit:
        if limit.reason not in ("timeout", "memory"):
            raise
        return stopped_space(engine, limit.reason, budget)


def _without_beginning(space: StateSpace) -> StateSpace:
    """The states without the one that only chooses where to begin, whose arcs are not counted."""
    if space.states is None:
        return replace(space, arcs=None)
    deadlocks = 0 if space.states == 1 and space.deadlocks else space.deadlocks
    return replace(space, states=space.states - 1, arcs=None, deadlocks=deadlocks)


def _check_fairness(evidence: Evidence, asked: Sequence[Property], fair: Sequence[Formula]) -> None:
    """Refuse properties and models for which the fairness that was asked for has no meaning."""
    other = next((p for p in asked if p.kind != "ctl"), None)
    if fair and other is not None:
        raise error(f"fairness is for CTL, and '{other.name}' is {other.kind}", other.span)
    if not evidence.weak:
        return
    of_paths = next((p for p in asked if p.kind == "ctl"), None)
    if of_paths is not None:
        raise error(
            f"weak fairness is for LTL, and '{of_paths.name}' is ctl",
            of_paths.span,
            hint="use --fair CONDITION for CTL",
        )
    _ = evidence.semantics.movers  # where nobody moves this is an error


def _goes_ahead(tuning: Tuning | None) -> bool:
    """Whether partial exploration was asked for."""
    return tuning is not None and tuning.strategy == PARTIAL


def _part(budget: Budget, some: int, asked: int) -> Budget:
    """What some of the properties that were asked may use: others wait, and need time too."""
    remaining = budget.remaining()
    if remaining is None or some == asked:
        return budget
    return Budget(remaining * min(0.5, some / asked), budget.memory, budget.states)


def _known(engine: str) -> None:
    if engine not in ENGINES:
        raise error(f"no engine named '{engine}'", hint=f"engines here: {', '.join(ENGINES)}")


def _check_order(model: Model, tuning: Tuning | None) -> None:
    """Refuse an order or parts that there are not, also when no engine would come to need them."""
    if tuning is None or is_vast(model):
        return
    if tuning.order != "auto":
        from plait.engines.symbolic.attempts import order_asked_for
        from plait.passes import flat

        order_asked_for(tuning, model, flat(model))
    if tuning.parts is not None:
        from plait.engines.symbolic.order_file import parts_in_file
        from plait.passes import flat

        parts_in_file(tuning.parts, model, flat(model, reduce=False).model)


def _check_depth(
    engine: str, tuning: Tuning | None, reduction: Reduction | None, method: Method | None
) -> None:
    """Refuse what the states within some steps are not counted with."""
    wanted = tuning or Tuning()
    plain = replace(wanted, order="auto", merge="auto", strict=None, locals="on-the-fly").plain
    searched = method is not None and replace(method, all_memory=False) != Method()
    if engine not in ("auto", SYMBOLIC) or searched or reduction not in (None, Reduction()):
        raise error("states within some steps are counted by the symbolic engine only")
    if not plain:
        raise error("states within some steps are counted layer by layer, in no other strategy")


def _chosen(engine: str, tuning: Tuning | None) -> str:
    """The engine, which partial exploration chooses: one of sets of states, or of bounded runs."""
    if not _goes_ahead(tuning) or engine in (SYMBOLIC, BOUNDED):
        return engine
    if engine != "auto":
        hint = "use --engine symbolic or bounded"
        raise error(f"the {engine} engine has no strategy 'partial'", hint=hint)
    return SYMBOLIC


def _for_search(p: Property, locally: bool) -> Property | None:
    """What is asked of the reachable states alone; of CTL nothing when it is checked `locally`."""
    from plait.engines.safety import as_safety

    if p.kind in KINDS:
        return p
    return None if locally and p.kind == "ctl" else as_safety(p)


__all__ = [
    "ENGINES",
    "Budget",
    "Listener",
    "Method",
    "Progress",
    "Reduction",
    "Tuning",
    "check",
    "states",
]
