"""Why events cannot be executed in a state: which conditions are not true, and with what values."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from plait.errors import Span
from plait.logic.nnf import nnf
from plait.model.expr import Formula, Hop, IntExpr, Param, Var, conjuncts
from plait.model.node import Node, nodes
from plait.model.shape import State
from plait.model.types import ELAPSE
from plait.records import dataclass
from plait.reference.cases import concrete, decided
from plait.reference.components import Copy, Frame, partners
from plait.reference.execution import Execution
from plait.reference.expressions import cell_of, indices_of, queue_of
from plait.reference.updates import Obstacle


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing in the way of an event: a `condition` that is not true, or a `text` that says it.

    `event` is the event to which the condition belongs: the blocked one, or one that it calls. In
    the condition parameters and indices are numbers, and of the cases of a choice only the one that
    applies is left.
    `truth` is False, or None when the condition is undefined. `values` are the variables and
    parameters in it by their names in the whole system; None stands for a cell that does not exist.
    """

    event: str
    text: str
    condition: Formula | None
    truth: bool | None
    values: tuple[tuple[str, int | None], ...]
    span: Span | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why one event has no successor in a state."""

    title: str
    copy: Copy
    reasons: tuple[Reason, ...]


def explain(execution: Execution, state: State) -> Iterator[Explanation]:
    """An explanation for each event that has no successor, one at a time.

    The halves of a rendezvous are explained one by one.
    """
    enabled = {id(c) for t in execution.enabled(state) for c in execution.event(t).copies}
    elapse = execution.main.labelled.get((ELAPSE, ()), [])
    for copy in chain(*(at.free for at in execution.components), elapse):
        if id(copy) not in enabled:
            yield Explanation(copy.title, copy, tuple(_reasons(execution, copy, state)))


def _reasons(execution: Execution, copy: Copy, state: State) -> list[Reason]:
    blocked = [
        Obstacle(copy.title, copy.frame, state, "", c.span, c)
        for c in copy.event.guard
        if copy.frame.truth(c, state) is not True
    ]
    if not blocked:
        if copy.rendezvous is not None:
            return [_no_partner(copy)]
        execution.obstacles = blocked
        try:
            execution.execute(execution.event(copy.title), state)
        finally:
            execution.obstacles = None
    reasons = [r for o in blocked for r in _reasons_of(execution, o)]
    return reasons or [Reason(copy.title, "nothing is left to do", None, None, (), copy.event.span)]


def _no_partner(copy: Copy) -> Reason:
    statement = copy.rendezvous
    assert statement is not None
    others = list(partners(copy, copy.at.free))
    text = f"nobody is ready for the rendezvous on '{statement.channel.name}'"
    if not others:
        text = f"no other process takes part in the rendezvous on '{statement.channel.name}'"
    return Reason(copy.title, text, None, None, (), statement.span)


def _reasons_of(execution: Execution, obstacle: Obstacle) -> Iterator[Reason]:
    """The condition as it reads in the state, one reason for each part that is not true."""
    if obstacle.condition is None:
        yield Reason(obstacle.event, obstacle.reason, None, None, (), obstacle.span)
        return
    frame, state = obstacle.frame, obstacle.state

    def value(expr: IntExpr) -> int | None:
        return frame.value(expr, state)

    for condition in conjuncts(decided(nnf(obstacle.condition), value)):
        truth = frame.truth(condition, state)
        if truth is not True:
            values = mentioned(execution, frame, condition, state)
            shown = concrete(condition, value)
            yield Reason(obstacle.event, "", shown, truth, values, obstacle.span)


def mentioned(
    execution: Execution, frame: Frame, formula: Node, state: State
) -> tuple[tuple[str, int | None], ...]:
    """The parameters, variables and channel lengths in a formula, with their values in a state."""
    found: dict[str, int | None] = {}
    for node in nodes(formula):
        match node:
            case Param(name=name):
                found[f"${name}"] = frame.value(node, state)
            case Var():
                cell = cell_of(node, frame, state)
                if cell is None:
                    found[_written(node, frame, state)] = None
                else:
                    found[execution.cells[cell]] = state[cell]
            case Hop(name=name) if name in frame.at.shape.channels:
                index = None if node.index is None else frame.value(node.index, state)
                queue = queue_of(node, index, frame.at)
                if queue is not None and queue.slot.capacity:
                    found[execution.cells[queue.first]] = state[queue.first]
    return tuple(found.items())


def _written(var: Var, frame: Frame, state: State) -> str:
    """A variable as it is written, with the values of its indices."""
    names = [*(hop.name for hop in var.path), var.name]
    indices = [*(hop.index for hop in var.path), var.index]
    values = iter(indices_of(var, frame, state))
    parts = []
    for name, index in zip(names, indices, strict=True):
        value = next(values, None)
        shown = "" if index is None else f"[{'?' if value is None else value}]"
        parts.append(name + shown)
    return ":".join(parts)
