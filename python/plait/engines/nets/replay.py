"""Runs of nets replayed as nets: by markings and arcs, without the reference's statements.

The reference executes statements and evaluates expressions for any model, which takes seconds on a
run of some thousand steps of a net with thousands of events. Where no run is to be shown, as in the
contest, it is enough to know that there is one: each step is an event of the net that is enabled
and leads to the next marking, and the last marking decides the property; or the cycle closes or
ends in a deadlock, and the property does not hold on it, evaluated by the definition of its
operators (`plait.reference.ltl`) on conditions that are inequalities over places. None of this is
shared with the native core or with the passes.

An inequality counts on where a sum of the model wraps around: conditions on markings with so many
tokens are left to the reference.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cached_property

from plait.automata.translate import Translation
from plait.model.expr import Formula
from plait.model.net import Net, NetEvent, as_net
from plait.model.shape import State, shape_of
from plait.model.types import Model, Property, names_of
from plait.reference.ltl import holds_on_lasso
from plait.report.answer import Witness
from plait.structure.along import changes, truths
from plait.structure.linear import Goal, Linear, NotLinear, holds, wraps_from


class NetReplay:
    """The runs of one model, if it is a net."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._goals: dict[Formula, tuple[Goal, int | None]] = {}
        """The conditions that were asked for, and with how many tokens a sum of each may wrap."""

    @cached_property
    def _net(self) -> Net | None:
        net = as_net(self.model)
        return net if isinstance(net, Net) and net.ordinary else None

    @cached_property
    def _events(self) -> dict[str, list[NetEvent]]:
        assert self._net is not None
        found: dict[str, list[NetEvent]] = defaultdict(list)
        for event in self._net.events:
            found[event.title].append(event)
        return found

    @cached_property
    def _linear(self) -> Linear:
        assert self._net is not None
        numbers: dict[str, list[int]] = defaultdict(list)
        for number, event in enumerate(self._net.events):
            for name in names_of(event.title):
                numbers[name].append(number)
        return Linear(self._net, shape_of(self.model), lambda title: numbers.get(title, ()))

    def violates(self, formula: Formula, witness: Witness) -> bool | None:
        """Whether the lasso is a run on which the formula does not hold; None: not known."""
        net = self._net
        if net is None or witness.loop is None:
            return None
        states, loop = witness.states, witness.loop
        if not self._is_path(net, witness) or states[loop] != states[-1]:
            return False
        if loop == len(witness.steps):
            if any(event.enabled(states[-1]) for event in net.events):
                return False
        else:
            states = states[:-1]
        truth = self._truth(states)
        try:
            return not holds_on_lasso(formula, len(states), loop, lambda f, i: truth(f)[i])
        except NotLinear:
            return None

    def begins_violations(self, translation: Translation, witness: Witness) -> bool | None:
        """Whether an automaton of violations accepts all runs with this beginning."""
        net = self._net
        if net is None:
            return None
        if not self._is_path(net, witness):
            return False
        truth = self._truth(witness.states)
        try:
            rows = [truth(condition) for condition in translation.conditions]
        except NotLinear:
            return None
        letters = [
            sum(row[i] << bit for bit, row in enumerate(rows)) for i in range(len(witness.states))
        ]
        return accepts_all(translation, letters)

    def decides(self, asked: Sequence[tuple[Property, int]], run: Witness) -> list[bool] | None:
        """Whether the marking after so many steps of a run decides each property of its kind.

        None: not known. The run itself is replayed; if it is none, nothing is decided.
        """
        net = self._net
        if net is None:
            return None
        if not self._is_path(net, run):
            return [False] * len(asked)
        states = run.states
        try:
            return [self._decides(net, p, states[length]) for p, length in asked]
        except NotLinear:
            return None

    def successors(self, event: str, state: State) -> list[State] | None:
        """The markings to which an event leads; None where this is no net."""
        if self._net is None:
            return None
        return [e.fire(state) for e in self._events.get(event, []) if e.enabled(state)]

    def _decides(self, net: Net, p: Property, state: State) -> bool:
        if p.kind == "deadlock":
            return not any(event.enabled(state) for event in net.events)
        if not isinstance(p.body, Formula):
            return True
        return holds(self._goal(p.body, sum(state)), state) != (p.kind == "invariant")

    def _is_path(self, net: Net, witness: Witness) -> bool:
        before: State = net.initial
        if witness.initial != before:
            return False
        for step in witness.steps:
            events = self._events.get(step.event, [])
            if not any(e.enabled(before) and e.fire(before) == step.state for e in events):
                return False
            before = step.state
        return True

    def _goal(self, condition: Formula, tokens: int) -> Goal:
        """The condition over places; `NotLinear` when it is another with so many tokens."""
        known = self._goals.get(condition)
        if known is None:
            known = self._linear.goal(condition), wraps_from(condition)
            self._goals[condition] = known
        goal, limit = known
        if limit is not None and tokens >= limit:
            raise NotLinear
        return goal

    def _truth(self, states: Sequence[State]) -> Callable[[Formula], list[bool]]:
        """What tells of a condition in which of the states it holds."""
        changed = changes(states)
        tokens = max(map(sum, states))
        known: dict[Formula, list[bool]] = {}

        def of(condition: Formula) -> list[bool]:
            found = known.get(condition)
            if found is None:
                goal = self._goal(condition, tokens)
                found = known[condition] = list(truths(goal, states, changed))
            return found

        return of


def accepts_all(translation: Translation, letters: Sequence[int]) -> bool:
    """Whether the automaton comes, reading these letters, to a location that accepts every word."""
    automaton, locations = translation.automaton, {0}
    for letter in letters:
        for q in locations:
            loops = (
                a for a in automaton.arcs[q] if a.target == q and a.marks == automaton.all_marks
            )
            if any(not a.positive | a.negative for a in loops):
                return True
        locations = {a.target for q in locations for a in automaton.arcs[q] if a.reads(letter)}
    return False


__all__ = ["NetReplay", "accepts_all"]
