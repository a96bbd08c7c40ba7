"""The oracle in one object: steps, the reachable graph, properties, replay."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from time import perf_counter

from plait.errors import LimitReached, error
from plait.model.expr import Formula, IntExpr
from plait.model.shape import State
from plait.model.types import Property, names_of
from plait.records import replace
from plait.reference import explain as explanations
from plait.reference import graph as graphs
from plait.reference import replay as replays
from plait.reference.branches import confirm_branches
from plait.reference.components import Frame
from plait.reference.ctl import Labelling
from plait.reference.execution import Execution
from plait.reference.explain import Explanation
from plait.reference.graph import Graph
from plait.reference.ltl import violation
from plait.reference.movers import Movers
from plait.reference.replay import Blocked
from plait.report.answer import CUT, Answer, Verdict, Witness

ENGINE = "reference"


class Semantics(Execution):
    """What a model means, executed naively, state by state.

    `initial`, `successors`, `enabled` and `event` come from `Execution`.
    """

    _graph: Graph | None = None

    @cached_property
    def movers(self) -> Movers:
        """Who moves by which event; an error when fairness cannot be asked of this model."""
        return Movers(self)

    def enabled(self, state: State) -> set[str]:
        """The titles of the events that have a successor, from the graph where it is known."""
        if self._graph is None or state not in self._graph.number:
            return super().enabled(state)
        return {title for title, _ in self._graph.arcs[self._graph.number[state]]}

    def is_enabled(self, names: frozenset[str], state: State) -> bool:
        """Whether an event with one of these names has a successor."""
        if self._graph is None or state not in self._graph.number:
            return super().is_enabled(names, state)
        return any(not names.isdisjoint(names_of(title)) for title in self.enabled(state))

    def value(self, expr: IntExpr, state: State) -> int | None:
        """The value of an expression of a property in a state, None where it is undefined."""
        return Frame(self.main).value(expr, state)

    def truth(self, formula: Formula, state: State) -> bool | None:
        """The truth of a state formula of a property, None where it is undefined."""
        return Frame(self.main).truth(formula, state)

    def holds(self, formula: Formula, state: State) -> bool:
        """Whether a state formula of a property is true; undefined is not."""
        return self.truth(formula, state) is True

    def values(self, node: Formula | IntExpr, state: State) -> tuple[tuple[str, int | None], ...]:
        """The variables in an expression or formula of a property with their values in a state."""
        return explanations.mentioned(self, Frame(self.main), node, state)

    def explain(self, state: State) -> Iterator[Explanation]:
        """Why each event that cannot be executed in a state cannot; lazily, one at a time."""
        return explanations.explain(self, state)

    # --- the graph --------------------------------------------------------------------------------

    def reachable(
        self, limit: int | None = None, tick: Callable[[int], None] | None = None
    ) -> Graph:
        """The reachable graph; `LimitReached` when it has more than `limit` states.

        `tick` is called for each state with the number found so far, and may raise to stop.
        """
        return graphs.reachable(self, limit, tick)

    def deadlocks(self, limit: int | None = None) -> list[State]:
        """The reachable states without a successor."""
        graph = self.reachable(limit)
        return [graph.states[n] for n in graph.deadlocks]

    def bounds(self, expr: IntExpr, limit: int | None = None) -> tuple[int, int] | None:
        """The least and greatest reachable value; None if the expression is defined nowhere."""
        return graphs.bounds(self, self.reachable(limit), expr)

    # --- replay -----------------------------------------------------------------------------------

    def replay(self, witness: Witness) -> None:
        """Raise `ReplayError` with the first step of the witness that is not one of the model."""
        replays.replay(self, witness)

    def confirm(self, prop: Property, witness: Witness, *, weak: bool = False) -> None:
        """Replay the witness, and raise `ReplayError` too when it does not decide the property.

        With `weak` a run must be weakly fair, too.
        """
        if weak and witness.loop is not None and prop.kind == "ltl":
            replays.check_fair(self.movers, witness)
        if prop.kind == "ctl" and (witness.shows or witness.refutes) is not None:
            confirm_branches(self, prop, witness)
        else:
            replays.confirm(self, prop, witness)

    def decides(self, prop: Property, state: State) -> bool:
        """Whether a state, if it is reachable, decides a safety property as a witness does."""
        return replays.decides(self, prop, state)

    def replay_events(self, names: Sequence[str]) -> Witness | Blocked:
        """An execution of these events in this order, or the first that cannot be executed."""
        return replays.replay_events(self, names)

    def holds_on_lasso(self, formula: Formula, witness: Witness) -> bool:
        """Whether an LTL formula holds on the run that a lasso stands for."""
        return replays.holds_on(self, formula, witness)

    # --- properties -------------------------------------------------------------------------------

    def check(
        self,
        prop: Property,
        limit: int | None = None,
        *,
        textbook: bool = False,
        fair: Sequence[Formula] = (),
        weak: bool = False,
        graph: Graph | None = None,
        tick: Callable[[], None] | None = None,
    ) -> Answer:
        """The answer to a property, with a witness where a path can be one.

        For CTL, `textbook` counts infinite paths only, and `fair` those on which each of these
        conditions holds again and again. For LTL, `weak` counts weakly fair runs only.

        Safety properties stop at the first state that decides them, the others look at the whole
        reachable `graph`, which may be given. `unknown` only when the limit is reached first, or
        when `tick`, which is called now and then while a temporal formula is checked, raises
        `LimitReached`.
        """
        begin = perf_counter()
        try:
            if prop.kind == "ctl" and isinstance(prop.body, Formula):
                graph = graph or self.reachable(limit)
                fair = (*prop.fair, *fair)
                labelling = Labelling(graph, self._atoms(graph), textbook, fair)
                answer = self._ctl(prop, prop.body, labelling)
            else:
                answer = self._check(prop, limit, graph, tick, weak)
        except LimitReached as stop:
            answer = Answer(prop, "unknown", ENGINE, reason=stop.reason)
        return replace(answer, seconds=perf_counter() - begin)

    def _check(
        self,
        prop: Property,
        limit: int | None,
        graph: Graph | None,
        tick: Callable[[], None] | None,
        weak: bool,
    ) -> Answer:
        match prop.kind, prop.body:
            case "deadlock", _:
                return self._search(prop, lambda s: not self.successors(s), "false", limit, graph)
            case "reachable", Formula() as f:
                return self._search(prop, lambda s: self.holds(f, s), "true", limit, graph)
            case "never", Formula() as f:
                return self._search(prop, lambda s: self.holds(f, s), "false", limit, graph)
            case "invariant", Formula() as f:
                return self._search(prop, lambda s: not self.holds(f, s), "false", limit, graph)
            case "bounds", IntExpr() as expr:
                return self._bounds(prop, expr, graph or self.reachable(limit))
            case "ltl", Formula() as f:
                return self._ltl(prop, f, graph or self.reachable(limit), tick, weak)
            case "atom", _:
                return Answer(prop, "unknown", ENGINE, reason="an atom is a name, not a question")
        raise error(f"'{prop.name}' has no body that a {prop.kind} property can have", prop.span)

    def _search(
        self,
        prop: Property,
        stop: Callable[[State], bool],
        found: Verdict,
        limit: int | None,
        graph: Graph | None,
    ) -> Answer:
        """A state where `stop` says so makes the verdict `found`, its absence the opposite."""
        if graph is None:
            graph, last = graphs.search(self, stop, limit)
        else:
            last = next((n for n, s in enumerate(graph.states) if stop(s)), None)
        stats: dict[str, object] = {"states": len(graph.states)}
        if last is None:
            opposite: Verdict = "true" if found == "false" else "false"
            return Answer(prop, opposite, ENGINE, stats=stats)
        return Answer(prop, found, ENGINE, stats=stats, witness=graph.trace(last))

    def _bounds(self, prop: Property, expr: IntExpr, graph: Graph) -> Answer:
        found = graphs.bounds(self, graph, expr)
        stats: dict[str, object] = {"states": len(graph.states)}
        if found is None:
            note = "the expression is undefined in every reachable state"
            return Answer(prop, "true", ENGINE, stats=stats, notes=(note,))
        stats |= {"min": found[0], "max": found[1]}
        return Answer(prop, "true", ENGINE, value=found[1], stats=stats)

    def _ctl(self, prop: Property, formula: Formula, labelling: Labelling) -> Answer:
        verdict: Verdict = "true" if 0 in labelling.states(formula) else "false"
        stats: dict[str, object] = {"states": len(labelling.graph.states)}
        found = labelling.witness(formula)
        if found is None:
            return Answer(prop, verdict, ENGINE, stats=stats)
        notes = (CUT.format(prop.name),) if found[1] else ()
        return Answer(prop, verdict, ENGINE, stats=stats, witness=found[0], notes=notes)

    def _ltl(
        self,
        prop: Property,
        formula: Formula,
        graph: Graph,
        tick: Callable[[], None] | None,
        weak: bool,
    ) -> Answer:
        movers = self.movers if weak else None
        lasso = violation(graph, formula, self._atoms(graph), tick, movers)
        verdict: Verdict = "true" if lasso is None else "false"
        stats: dict[str, object] = {"states": len(graph.states)}
        return Answer(prop, verdict, ENGINE, stats=stats, witness=lasso)

    def _atoms(self, graph: Graph) -> Callable[[Formula, int], bool]:
        """Whether an atom holds in a state of the graph; each is evaluated once in each state."""
        self._graph = graph
        known: dict[tuple[int, int], tuple[Formula, bool]] = {}

        def holds(atom: Formula, number: int) -> bool:
            key = (id(atom), number)
            if key not in known:
                known[key] = (atom, self.holds(atom, graph.states[number]))
            return known[key][1]

        return holds
