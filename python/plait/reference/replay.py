"""Replay: every witness, whoever found it, is executed again on the original model."""

from __future__ import annotations

from collections.abc import Sequence

from plait.errors import PlaitError
from plait.model.expr import Formula
from plait.model.shape import State
from plait.model.types import Property, names_of
from plait.records import dataclass
from plait.reference.components import Frame
from plait.reference.execution import Execution
from plait.reference.ltl import holds_on_lasso
from plait.reference.movers import Movers
from plait.reference.towards import leads
from plait.report.answer import Step, Witness


class ReplayError(PlaitError):
    """A witness is not an execution of the model, or does not show what it is said to show.

    `step` is the number of the first wrong step, from 1; 0 stands for the initial state.
    """

    def __init__(self, step: int, message: str) -> None:
        super().__init__(f"step {step}: {message}")
        self.step = step


@dataclass(frozen=True, slots=True)
class Blocked:
    """The first of a list of events that cannot be executed, and what can be instead.

    `witness` is an execution of the events before it; `step` counts from 1.
    """

    step: int
    event: str
    enabled: tuple[str, ...]
    witness: Witness


def replay(execution: Execution, witness: Witness) -> None:
    """Raise `ReplayError` with the first step that is not one of the model."""
    if witness.initial != execution.initial:
        raise ReplayError(0, "the trace does not begin in the initial state")
    replay_steps(execution, witness)


def replay_steps(execution: Execution, witness: Witness) -> None:
    """As `replay`, of a path that begins anywhere."""
    before = witness.initial
    for number, step in enumerate(witness.steps, start=1):
        if not execution.knows(step.event):
            raise ReplayError(number, f"the model has no event '{step.event}'")
        move = execution.event(step.event)
        if not leads(execution, move, before, step.state):
            after = execution.execute(move, before)
            why = "does not lead to the state given" if after else "cannot be executed here"
            raise ReplayError(number, f"'{step.event}' {why}")
        before = step.state
    if witness.loop is not None:
        _replay_loop(execution, witness, witness.loop)


def _replay_loop(execution: Execution, witness: Witness, loop: int) -> None:
    last = len(witness.steps)
    if not 0 <= loop <= last:
        raise ReplayError(last, f"the loop goes back to state {loop}, which does not exist")
    if loop == last and execution.successors(witness.states[last]):
        raise ReplayError(last, "the last state is said to repeat, but it is no deadlock")
    if witness.states[last] != witness.states[loop]:
        raise ReplayError(last, f"the last state is not state {loop}, so the loop is not closed")


def confirm(execution: Execution, prop: Property, witness: Witness) -> None:
    """Replay a witness and check that it decides the property as a witness of its kind does.

    Of `reachable` the last state satisfies the formula; of `never`, `invariant` and `deadlock` it
    violates the property; of `ltl` the whole lasso does. A trace of `ctl` is replayed only; trees
    of paths are the business of `plait.reference.branches`.
    """
    replay(execution, witness)
    last = len(witness.steps)
    if prop.kind == "ctl":
        return
    if prop.kind == "ltl" and isinstance(prop.body, Formula):
        shown = witness.loop is not None and not holds_on(execution, prop.body, witness)
    else:
        shown = decides(execution, prop, witness.states[-1])
    if not shown:
        raise ReplayError(last, f"the trace does not show that '{prop.name}' is decided by it")


def check_fair(movers: Movers, witness: Witness) -> None:
    """Raise `ReplayError` when a run is not weakly fair."""
    starved = movers.starved(witness)
    if starved:
        last = len(witness.steps)
        raise ReplayError(last, f"the run is not fair: it starves {', '.join(starved)}")


def decides(execution: Execution, prop: Property, state: State) -> bool:
    """Whether a reachable state is one that a witness of a safety property ends in."""
    if prop.kind == "deadlock":
        return not execution.successors(state)
    if not isinstance(prop.body, Formula):
        return True
    holds = Frame(execution.main).truth(prop.body, state) is True
    return holds != (prop.kind == "invariant")


def holds_on(execution: Execution, formula: Formula, witness: Witness) -> bool:
    """Whether an LTL formula holds on the run that a lasso stands for."""
    if witness.loop is None:
        raise ValueError("a trace without a loop is not a run")
    states = witness.states
    if witness.loop < len(witness.steps):
        states = states[:-1]
    frame = Frame(execution.main)

    def holds(atom: Formula, place: int) -> bool:
        return frame.truth(atom, states[place]) is True

    return holds_on_lasso(formula, len(states), witness.loop, holds)


def replay_events(execution: Execution, names: Sequence[str]) -> Witness | Blocked:
    """An execution of these events one after the other, or the first that cannot be executed.

    An event may lead to several states, so all that the names so far allow are followed. Arguments
    of events may be left out.
    """
    layers: list[dict[State, tuple[State, str] | None]] = [{execution.initial: None}]
    for number, name in enumerate(names, start=1):
        reached: dict[State, tuple[State, str] | None] = {}
        enabled: dict[str, None] = {}
        for state in layers[-1]:
            for title, successor in execution.successors(state):
                enabled[title] = None
                if name in names_of(title):
                    reached.setdefault(successor, (state, title))
        if not reached:
            return Blocked(number, name, tuple(enabled), _backwards(layers))
        layers.append(reached)
    return _backwards(layers)


def _backwards(layers: list[dict[State, tuple[State, str] | None]]) -> Witness:
    """One path through the layers."""
    state = next(iter(layers[-1]))
    steps: list[Step] = []
    for layer in reversed(layers):
        came = layer[state]
        if came is not None:
            steps.append(Step(came[1], state))
            state = came[0]
    return Witness(state, tuple(reversed(steps)))
