"""What somebody says about a model, in a form that can be compared.

`by_reference` is the oracle: it walks the reachable graph with `plait.reference` and answers every
property there. Every other subject gives `Findings` too, and `differences` lists where they part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from plait.errors import LimitReached, ModelError
from plait.model.expr import Formula, IntExpr
from plait.model.shape import State
from plait.model.types import Model, Property
from plait.model.watch import watched_by
from plait.records import dataclass, field
from plait.reference import Graph, ReplayError, Semantics
from plait.report.answer import Witness

Outcome = Literal["complete", "wrong model", "limit", "too large"]
Bounds = tuple[int, int] | None


@dataclass(slots=True)
class Findings:
    """Figures and answers; only the outcome counts unless it is `complete`.

    `wrong model` is a model that goes wrong when it is executed, `limit` one that leaves the 32-bit
    integers where that is our limit, and `too large` has more states than were asked for, or takes
    the oracle too long.
    """

    outcome: Outcome
    message: str = ""
    figures: dict[str, int | None] = field(default_factory=dict)
    """States, arcs, deadlocks, greatest value and greatest sum of a state."""
    verdicts: dict[str, str] = field(default_factory=dict)
    bounds: dict[str, Bounds] = field(default_factory=dict)
    distances: dict[str, int] = field(default_factory=dict)
    """The length of the shortest path to a state that decides the property."""
    witnesses: dict[str, Witness] = field(default_factory=dict)
    shortest: bool = True
    """Whether the witnesses are meant to be shortest."""
    complaints: list[str] = field(default_factory=list)
    """What a subject owes besides: a verdict that stayed unknown, a `false` without a trace."""


Subject = Callable[[Model, int], Findings]
"""Something that answers: a model and the most states it may have."""
SAFETY = ("reachable", "invariant", "never", "deadlock")


def guarded(subject: Subject) -> Subject:
    """The subject with a model that goes wrong, or a limit, turned into an outcome."""

    def answer(model: Model, limit: int) -> Findings:
        try:
            return subject(model, limit)
        except ModelError as failure:
            return Findings("wrong model", str(failure.args[0]))
        except LimitReached as failure:
            return Findings("limit", str(failure))

    return answer


class _Remembering(Semantics):
    """The reference with a memory, since many properties ask what is enabled in a state."""

    def __init__(self, model: Model) -> None:
        self._known: dict[State, list[tuple[str, State]]] = {}
        super().__init__(model)

    def successors(self, state: State) -> list[tuple[str, State]]:
        """The arcs from a state, as the reference gave them the first time."""
        if state not in self._known:
            self._known[state] = super().successors(state)
        return self._known[state]


# --- the oracle -----------------------------------------------------------------------------------


def by_reference(model: Model, limit: int, effort: int | None = None) -> Findings:
    """What the reference says of all properties, temporal ones included.

    `effort` bounds the statements executed, since a few models take as long as all the others.
    """
    return guarded(lambda model, limit: _by_reference(model, limit, effort))(model, limit)


def _by_reference(model: Model, limit: int, effort: int | None) -> Findings:
    semantics = _Remembering(model)

    def patience() -> None:
        if effort is not None and semantics.effort > effort:
            raise LimitReached(f"more work than {effort} statements before all states are known")

    try:
        with watched_by(patience):
            graph = semantics.reachable(limit, lambda states: patience())
    except LimitReached as stop:
        if "states" not in stop.reason:
            raise
        return Findings("too large", stop.reason)
    found = Findings("complete", figures=_figures(graph))
    depth = _depths(graph)
    for p in model.properties:
        if p.kind in SAFETY:
            _answer_safety(semantics, graph, depth, p, found)
        elif p.kind == "bounds":
            assert isinstance(p.body, IntExpr)
            values = [v for s in graph.states if (v := semantics.value(p.body, s)) is not None]
            found.bounds[p.name] = (min(values), max(values)) if values else None
        elif p.kind in ("ctl", "ltl"):
            answer = semantics.check(p, graph=graph)
            found.verdicts[p.name] = answer.verdict
            if answer.witness is not None:
                found.witnesses[p.name] = answer.witness
    return found


def _figures(graph: Graph) -> dict[str, int | None]:
    """The counts that every engine must agree on."""
    return {
        "states": len(graph.states),
        "arcs": graph.arc_count,
        "deadlocks": len(graph.deadlocks),
        "max_value": max((max(s) for s in graph.states if s), default=None),
        "max_sum": max(sum(s) for s in graph.states),
    }


def _depths(graph: Graph) -> list[int]:
    """The distance of every state from the initial one, worked out from the arcs alone."""
    depth = [-1] * len(graph.states)
    depth[0] = 0
    queue = [0]
    for source in queue:
        for _, target in graph.arcs[source]:
            if depth[target] < 0:
                depth[target] = depth[source] + 1
                queue.append(target)
    return depth


def _answer_safety(
    semantics: Semantics, graph: Graph, depth: list[int], p: Property, found: Findings
) -> None:
    decisive = [n for n, s in enumerate(graph.states) if _decides(semantics, p, s)]
    if decisive:
        found.distances[p.name] = min(depth[n] for n in decisive)
    found.verdicts[p.name] = _verdict(bool(decisive) == (p.kind == "reachable"))


def _decides(semantics: Semantics, p: Property, state: State) -> bool:
    """Whether the state makes `reachable` true, or one of the others false."""
    if p.kind == "deadlock":
        return not semantics.successors(state)
    assert isinstance(p.body, Formula)
    return semantics.holds(p.body, state) != (p.kind == "invariant")


def _verdict(value: bool) -> str:
    return "true" if value else "false"


# --- comparison -----------------------------------------------------------------------------------


def differences(model: Model, expected: Findings, got: Findings) -> list[str]:
    """Where the two part, in plain sentences; also witnesses that do not replay or are too long."""
    if (expected.outcome, got.outcome) == ("wrong model", "too large"):
        # Breadth-first the error comes before the limit; a search that dives may never meet it.
        return []
    if expected.outcome != got.outcome:
        return [
            f"outcome: expected {expected.outcome} {expected.message!r}, "
            f"got {got.outcome} {got.message!r}"
        ]
    found: list[str] = []
    for title, here, there in (
        ("figure", expected.figures, got.figures),
        ("verdict of", expected.verdicts, got.verdicts),
        ("bounds of", expected.bounds, got.bounds),
    ):
        found.extend(
            f"{title} {key}: expected {here[key]}, got {there[key]}"
            for key in here
            if key in there and here[key] != there[key]
        )
    found.extend(_bad_witnesses(model, expected, got))
    found.extend(got.complaints)
    return found


def _bad_witnesses(model: Model, expected: Findings, got: Findings) -> Iterator[str]:
    if not got.witnesses:
        return
    semantics = Semantics(model)
    for name, witness in got.witnesses.items():
        try:
            semantics.replay(witness)
        except ReplayError as failure:
            yield f"the trace of {name} does not replay: {failure}"
            continue
        if name not in expected.distances:
            continue
        if got.shortest and len(witness.steps) != expected.distances[name]:
            steps = len(witness.steps)
            yield f"the trace of {name} has {steps} steps, not {expected.distances[name]}"
        if not _decides(semantics, model.property(name), witness.states[-1]):
            yield f"the trace of {name} ends in a state that does not decide it"
