"""The subjects of a hunt: each engine, and each pass, behind the same face.

A later engine joins by giving `Findings` for a model; it need not answer everything, but what it
answers is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from plait import engines, passes
from plait.engines.budget import Budget
from plait.engines.evidence import Evidence
from plait.engines.explicit.linear import LinearTime
from plait.engines.explicit.method import Method
from plait.engines.explicit.reduction import ORDERS, PERSISTENT, Reduction
from plait.engines.prepared import KINDS
from plait.engines.safety import as_safety
from plait.engines.symbolic.ltl import SymbolicLinear
from plait.engines.symbolic.tuning import CTL_WAYS, LTL_WAYS, LtlWay, Tuning
from plait.model.types import Model, Property
from plait.passes.grouping import Grouping, group
from plait.passes.rewritten import Pass
from plait.records import replace
from plait.report.answer import Answer
from plait.testing.findings import Findings, Subject, by_reference, guarded


def searchable(p: Property) -> bool:
    """Whether the native search decides the property: safety, also under a temporal disguise."""
    return p.kind in KINDS or as_safety(p) is not None


@guarded
def explicit(model: Model, limit: int) -> Findings:
    """The native breadth-first search, behind all passes."""
    return _by_engine("explicit", model, limit)


@guarded
def symbolic(model: Model, limit: int) -> Findings:
    """Decision diagrams, behind all passes."""
    return _by_engine("symbolic", model, limit)


def searching(method: Method) -> Subject:
    """The native search, stored and shared out in some way; everything stays as it was."""

    @guarded
    def answer(model: Model, limit: int) -> Findings:
        return _by_engine("explicit", model, limit, method)

    return answer


def on_diagrams(tuning: Tuning) -> Subject:
    """Decision diagrams, built or asked in one of their ways."""

    @guarded
    def answer(model: Model, limit: int) -> Findings:
        return _by_engine("symbolic", model, limit, tuning=tuning)

    return answer


@guarded
def local(model: Model, limit: int) -> Findings:
    """CTL on as few explicit states as decide it; its traces are not shortest."""
    found = _by_engine("explicit", model, limit, tuning=Tuning(ctl="local"))
    found.shortest = False
    return found


CTL_TUNINGS = (
    *(Tuning(ctl=way) for way in CTL_WAYS if way != "auto"),
    Tuning(ctl="saturation", always="cycles"),
)


def _by_engine(
    engine: str,
    model: Model,
    limit: int,
    method: Method | None = None,
    tuning: Tuning | None = None,
) -> Findings:
    budget = Budget(states=limit)
    space = engines.states(model, engine=engine, tuning=tuning, budget=budget, method=method)
    if not space.complete:
        return Findings("too large", space.reason or "")
    found = Findings(
        "complete",
        figures={
            "states": space.states,
            "arcs": space.arcs,
            "deadlocks": space.deadlocks,
            "max_value": space.max_value,
            "max_sum": space.max_sum,
        },
    )
    branching = ("ctl",) if engine == "symbolic" or tuning is not None else ()
    asked = [p for p in model.properties if searchable(p) or p.kind in branching]
    answers = engines.check(
        model, asked, engine=engine, tuning=tuning, budget=budget, method=method
    )
    for p, answer in zip(asked, answers, strict=True):
        _note(found, p, answer)
    return found


def hierarchical(grouping: Grouping, tuning: Tuning) -> Subject:
    """Diagrams that keep the hierarchy of the model; what they cannot say, flat ones do."""
    kept = replace(tuning, grouping=grouping)

    @guarded
    def answer(model: Model, limit: int) -> Findings:
        budget = Budget(states=limit)
        space = engines.states(model, engine="symbolic", tuning=kept, budget=budget)
        if not space.complete:
            return Findings("too large", space.reason or "")
        found = Findings("complete", figures={"states": space.states})
        found.figures["max_value"] = space.max_value
        if space.deadlocks is not None:
            found.figures["deadlocks"] = space.deadlocks
        return found

    return answer


def reduced(reduction: Reduction) -> Subject:
    """The native search under a partial-order reduction, its independences tested on the way.

    Every preset keeps all deadlocks, and the verdicts of what it is asked; traces are not shortest.
    """

    @guarded
    def answer(model: Model, limit: int) -> Findings:
        budget = Budget(states=limit)
        space = engines.states(model, engine="explicit", budget=budget, reduction=reduction)
        if not space.complete:
            return Findings("too large", space.reason or "")
        found = Findings("complete", figures={"deadlocks": space.deadlocks}, shortest=False)
        if reduction.preset in ("none", "sleep"):
            found.figures |= {"states": space.states, "max_value": space.max_value}
        if reduction.preset == "none":
            found.figures["arcs"] = space.arcs
        for p in filter(searchable, model.properties):
            # One by one, so that each is answered with as much reduction as it allows.
            answers = engines.check(
                model, [p], engine="explicit", budget=budget, reduction=reduction
            )
            _note(found, p, answers[0])
        return found

    return answer


def running(reduction: Reduction | None = None, method: Method | None = None) -> Subject:
    """LTL on the native product with an automaton, safety in disguise included."""

    def check(model: Model, asked: Sequence[Property], budget: Budget) -> list[Answer]:
        return LinearTime(
            Evidence(model), budget, reduction=reduction or Reduction(), method=method or Method()
        ).check(asked)

    return _of_runs(check)


def ltl_by(way: LtlWay) -> Subject:
    """LTL on diagrams, in one of its ways."""

    def check(model: Model, asked: Sequence[Property], budget: Budget) -> list[Answer]:
        return SymbolicLinear(Evidence(model), Tuning(ltl=way)).check(asked, budget)

    return _of_runs(check)


def _of_runs(check: Callable[[Model, Sequence[Property], Budget], list[Answer]]) -> Subject:
    @guarded
    def answer(model: Model, limit: int) -> Findings:
        budget = Budget(states=limit)
        # An error of the model is met only when all states are.
        space = engines.states(model, engine="explicit", budget=budget)
        if not space.complete:
            return Findings("too large", space.reason or "")
        found = Findings("complete", shortest=False)
        asked = [p for p in model.properties if p.kind == "ltl"]
        for p, answered in zip(asked, check(model, asked, budget), strict=True):
            _note(found, p, answered)
            if answered.verdict == "false" and answered.witness is None:
                found.complaints.append(f"{p.name} is false without a run")
        return found

    return answer


def _note(found: Findings, p: Property, answer: Answer) -> None:
    if p.kind == "bounds":
        low, high = answer.stats.get("min"), answer.value
        known = isinstance(low, int) and isinstance(high, int)
        found.bounds[p.name] = (low, high) if known else None  # type: ignore[assignment]
        return
    found.verdicts[p.name] = answer.verdict
    if answer.witness is not None:
        found.witnesses[p.name] = answer.witness
    if answer.verdict == "unknown":
        found.complaints.append(f"{p.name} stayed unknown: {answer.reason}")
    elif answer.witness is None and _needs_witness(p, answer):
        found.complaints.append(f"{p.name} is {answer.verdict} without a trace")


def _needs_witness(p: Property, answer: Answer) -> bool:
    """Whether one path settles this answer: a state that must or must not be reached."""
    asked = p if p.kind in KINDS else as_safety(p)
    return asked is not None and (answer.verdict == "true") == (asked.kind == "reachable")


def behind(*rewriting: Pass) -> Subject:
    """The reference on the model that the passes give: states and all verdicts must be the same."""

    @guarded
    def answer(model: Model, limit: int) -> Findings:
        rewritten = passes.run(model, rewriting)
        found = by_reference(rewritten.model, limit)
        # A pass may remove cells that never change, so sums and maxima are not compared; the
        # traces are the reference's own, only those of engines are put to the test.
        found.figures.pop("max_value", None)
        found.figures.pop("max_sum", None)
        found.witnesses.clear()
        return found

    return answer


GROUPINGS = (
    Grouping(),
    Grouping("blocks", 2),
    Grouping("recursive", 2),
    Grouping("recursive", 3),
    Grouping("shallow", 2),
)
"""Some groupings of sets, the sets themselves first."""

REDUCTIONS = (
    Reduction("none", order="dfs", check=True),
    Reduction("sleep", order="dfs", check=True),
    Reduction("sleep", order="bfs", check=True),
    *(
        Reduction(preset, persistent, order, check=True)
        for preset in ("ps", "ps+sleep", "ps+prov")
        for persistent in PERSISTENT
        for order in ORDERS
    ),
    *(Reduction("ps+sleep+prov", persistent, "dfs", check=True) for persistent in PERSISTENT),
    *(Reduction("ps+prov", p, "dfs", proviso="components") for p in ("guards", "overman")),
    Reduction("sleep", order="dfs", sleep_sets="passed"),
    *(Reduction(preset, dependency="conditional") for preset in ("sleep", "ps+sleep")),
    Reduction("ps+sleep", "overman", "dfs", dependency="conditional"),
    *(Reduction(preset, ties="stored") for preset in ("ps", "ps+sleep+prov")),
    Reduction("stubborn", check=True),
    Reduction("stubborn", "deletion", "dfs", check=True),
    Reduction("auto", check=True),
)
"""Every preset with every algorithm, in every order in which it is allowed."""


METHODS: dict[str, Method] = {
    "two threads": Method(threads=2, alone=0),
    "five threads": Method(threads=5, alone=0),
    "tree": Method(threads=1, store="tree"),
    "tree, three threads": Method(threads=3, alone=0, store="tree"),
    "deepening": Method(search="deepening"),
    "compiled": Method(threads=1, successors="compiled"),
    "compiled on two threads": Method(threads=2, alone=0, successors="compiled"),
}
"""Ways to search that change no answer."""


def _title(r: Reduction) -> str:
    rest = [r.proviso] * (r.proviso != "auto") + [f"sleep sets {r.sleep_sets}"] * (
        r.sleep_sets != "stored"
    )
    rest += ["stored first"] * (r.ties == "stored")
    rest += ["conditional dependency"] * (r.dependency == "conditional")
    return ", ".join([f"reduction: {r.preset}", r.persistent, r.order or "any order", *rest])


SUBJECTS: dict[str, Subject] = {
    "explicit": explicit,
    **{f"explicit: {name}": searching(method) for name, method in METHODS.items()},
    **{_title(r): reduced(r) for r in REDUCTIONS},
    "ltl": running(),
    "ltl: compiled": running(method=Method(successors="compiled")),
    "ltl: nested": running(method=Method(cycles="nested")),
    "ltl: built first": running(method=Method(build_first=True)),
    **{f"ltl: ample sets, {p}": running(Reduction("stubborn", p)) for p in PERSISTENT},
    "ltl: ample sets, nested": running(Reduction("stubborn"), Method(cycles="nested")),
    **{f"ltl: {way} on diagrams": ltl_by(way) for way in LTL_WAYS},
    "symbolic": symbolic,
    "symbolic: rounds": on_diagrams(Tuning(strategy="rounds")),
    "ctl: local": local,
    **{f"ctl: {t.ctl}, EG {t.always}": on_diagrams(t) for t in CTL_TUNINGS},
    **{f"hierarchy: {g}": hierarchical(g, Tuning(strategy="saturation")) for g in GROUPINGS},
    **{f"hierarchy: {g}, rounds": hierarchical(g, Tuning(strategy="rounds")) for g in GROUPINGS},
    **{
        f"grouping {g}": behind(passes.instantiate, partial(group, grouping=g))
        for g in GROUPINGS[1:]
    },
    "passes: instantiate": behind(passes.instantiate),
    "passes: rendezvous": behind(*passes.LOWERING[:2]),
    "passes: transient": behind(*passes.LOWERING[:3]),
    "passes: channels": behind(*passes.LOWERING[:4]),
    "passes: flatten": behind(*passes.LOWERING),
    "passes: simplify": behind(*passes.LOWERING, passes.simplify),
    "passes: prune": behind(*passes.LOWERING, passes.prune),
    "passes: all": behind(*passes.LOWERING, *passes.REDUCING),
}
"""Whom a hunt may go after, by name."""
