"""Fewer changes between processes: independent steps of a trace are reordered.

A search meets the interleavings of a model in an order of its own, and the run that it finds may
change between processes for no reason. Two neighbouring steps of different processes may be
exchanged if the result is a run, too, that comes to the same state (a *diamond*: Mazurkiewicz,
"Trace theory", 1987). So the next step of the process that has just moved is brought forward, past
the steps of others, or its last one back, as far as such exchanges lead. This never makes a trace
longer, or adds a change of process. On a run that violates an LTL formula the states on the way
count: there an exchange must show the same conditions one after the other. The result need not have
the fewest changes of all orders; to find that would be a search of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from plait.engines.evidence import DECIDED_AT_ONCE
from plait.errors import ModelError
from plait.hints import TYPE_CHECKING
from plait.logic.walk import conditions
from plait.model.expr import Formula
from plait.records import replace
from plait.report.answer import Step, Witness
from plait.report.movers import Movers

if TYPE_CHECKING:
    from plait.model.shape import State
    from plait.model.types import Property
    from plait.reference import Semantics

    Execute = Callable[[str, State], Sequence[State]]
    """The states to which an event leads from a state."""
    Keeps = Callable[[State, State, State, State], bool]
    """Whether one may come from the first state to the last by the third instead of the second."""

LONGEST = 1000
"""Longer runs stay as they are: nobody reads them step by step."""
REACH = 200
"""A step is brought past so many others at most."""
EXCHANGES = 4000
"""So many exchanges are tried: no time, so that a run is always shown in the same order."""


def in_order(
    semantics: Semantics,
    asked: Property,
    run: Witness,
    execute: Execute,
    go_on: Callable[[], bool] = lambda: True,
) -> Witness:
    """A run that violates a property, or shows that it holds, with fewer changes of process.

    The steps are annotated. Of a lasso the way to the loop and the loop are put in order, each by
    itself; whether it still decides is for the caller to confirm, since a formula may count steps.
    """
    keeps = _keeps(semantics, asked, run)
    if keeps is None or not 1 < len(run.steps) <= LONGEST:
        return run
    movers = Movers(run.view)
    pairs = zip(run.steps, run.states, strict=False)
    who = [frozenset(movers.of(step, before)) for step, before in pairs]
    if len(set(who)) == 1:
        return run
    loop = len(run.steps) if run.loop is None else run.loop
    steps: list[Step] = []
    for part in (slice(0, loop), slice(loop, len(run.steps))):
        stretch = Witness(run.states[part.start], run.steps[part])
        steps.extend(fewer_switches(stretch, who[part], execute, keeps, go_on).steps)
    return replace(run, steps=tuple(steps))


def _keeps(semantics: Semantics, asked: Property, run: Witness) -> Keeps | None:
    """What an exchange must keep for the run to decide the property; None if everything."""
    if run.branches:
        return None
    if run.loop is None:
        return (lambda *_: True) if asked.kind in DECIDED_AT_ONCE else None
    if asked.kind != "ltl" or not isinstance(asked.body, Formula):
        return None
    seen = conditions(asked.body)
    known: dict[State, tuple[bool, ...]] = {}

    def truths(state: State) -> tuple[bool, ...]:
        if state not in known:
            known[state] = tuple(semantics.holds(c, state) for c in seen)
        return known[state]

    def keeps(before: State, was: State, now: State, after: State) -> bool:
        """Whether the same is seen on both ways, apart from how long."""
        if truths(was) == truths(now):
            return True
        ends = truths(before), truths(after)
        return truths(was) in ends and truths(now) in ends

    return keeps


def fewer_switches(
    run: Witness,
    movers: Sequence[frozenset[str]],
    execute: Execute,
    keeps: Keeps = lambda *_: True,
    go_on: Callable[[], bool] = lambda: True,
) -> Witness:
    """The steps of a run in an order with fewer changes of process, which leads to the same state.

    `movers[i]` is who moves in step i. A step of nobody may be one of all, and stays where it is.
    `go_on` is asked from time to time.
    """
    order = _Order(run, movers, execute, keeps, go_on)
    fewest, switches = len(movers), order.switches()
    while switches < fewest:
        fewest = switches
        order.sweep(1)
        order.sweep(-1)
        switches = order.switches()
    steps = zip(order.steps, order.states[1:], strict=True)
    return replace(run, steps=tuple(replace(step, state=state) for step, state in steps))


class _Order:
    """The steps of a run in an order that changes."""

    def __init__(
        self,
        run: Witness,
        movers: Sequence[frozenset[str]],
        execute: Execute,
        keeps: Keeps,
        go_on: Callable[[], bool],
    ) -> None:
        self.steps = list(run.steps)
        self.states = list(run.states)
        self.who = list(movers)
        self._execute = execute
        self._keeps = keeps
        self._go_on = go_on
        self._left = EXCHANGES

    def switches(self) -> int:
        """How often a step is one of others than the step before."""
        return sum(a.isdisjoint(b) for a, b in pairwise(self.who))

    def sweep(self, ahead: int) -> None:
        """In one direction, where another process begins, bring the next steps of that before."""
        places = range(1, len(self.who)) if ahead > 0 else range(len(self.who) - 2, -1, -1)
        for place in places:
            mine = self.who[place - ahead]
            if not mine or not mine.isdisjoint(self.who[place]):
                continue
            if self._left <= 0 or not self._go_on():
                return
            rest = range(place + ahead, len(self.who) if ahead > 0 else -1, ahead)[:REACH]
            nearest = next((at for at in rest if not mine.isdisjoint(self.who[at])), None)
            if nearest is not None:
                self._bring(self._block(mine, nearest, ahead), place)

    def _block(self, mine: frozenset[str], at: int, ahead: int) -> range:
        """The steps of these processes that follow one another, in one direction."""
        end = at
        while 0 <= end < len(self.who) and not mine.isdisjoint(self.who[end]):
            end += ahead
        return range(at, end, ahead)

    def _bring(self, block: range, target: int) -> None:
        """Exchange each step of the block with one after the other of those up to the target.

        It stays as it was unless all of that is possible and there are fewer changes then.
        """
        before = self.steps[:], self.who[:], self.states[:]
        switches = self.switches()
        ahead = block.step
        for offset, source in enumerate(block):
            for at in range(source, target + ahead * offset, -ahead):
                if not self._exchange(min(at, at - ahead)):
                    self.steps, self.who, self.states = before
                    return
        if self.switches() >= switches:
            self.steps, self.who, self.states = before

    def _exchange(self, at: int) -> bool:
        """Let the step there and the next one change places, if that is a run, too."""
        if not self.who[at] or not self.who[at + 1]:
            return False
        self._left -= 1
        between = self._between(at)
        if between is None:
            return False
        self.states[at + 1] = between
        self.steps[at : at + 2] = self.steps[at + 1], self.steps[at]
        self.who[at : at + 2] = self.who[at + 1], self.who[at]
        return True

    def _between(self, at: int) -> State | None:
        """A state that the second event leads to first, and from which the first one goes on."""
        first, second = (step.event for step in self.steps[at : at + 2])
        before, was, after = self.states[at : at + 3]
        try:
            for state in self._execute(second, before):
                if after in self._execute(first, state) and self._keeps(before, was, state, after):
                    return state
        except ModelError:
            pass  # this way the model goes wrong, which is another matter
        return None


__all__ = ["fewer_switches", "in_order"]
