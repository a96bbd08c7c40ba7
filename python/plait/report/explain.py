"""Why: which parts of a property fail in the last state, and what a deadlocked system waits for.

Everything said here is evaluated by the reference on the original model; parameters and indices are
replaced by their values, so that `fork[($p + 1) % $N] == 0` reads `fork[1] == 0`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from plait.logic.classify import is_state
from plait.logic.formula import Exists, Finally, Forall, Globally
from plait.logic.nnf import nnf
from plait.logic.walk import fold_formula
from plait.model.expr import (
    And,
    Deadlock,
    Formula,
    Not,
    Or,
    Var,
    conjuncts,
)
from plait.model.node import nodes
from plait.model.shape import State
from plait.model.text import show
from plait.model.types import Property
from plait.records import replace
from plait.reference import Explanation, Reason, Semantics
from plait.reference.cases import decided
from plait.report.along import along_lines
from plait.report.answer import Witness
from plait.report.trace import LONGEST
from plait.report.view import StateView
from plait.report.waiting import processes_of, waiting_lines

EVENTS_SHOWN = 24
"""A longer list of blocked events is cut, and says so."""
VALUES_SHOWN = 40
"""... and of values."""
Values = Iterable[tuple[str, int | None]]
_CELL = re.compile(r'"([\w.]+(\[\d+\][\w.]*)+)"')
"""A cell whose name is in quotes, for it is no identifier: a person reads it without."""


def explain(semantics: Semantics, p: Property, witness: Witness) -> list[str]:
    """Lines that say why the last state of the witness decides the property."""
    last = witness.states[-1]
    view = witness.view or StateView(semantics.shape)
    if p.kind == "deadlock":
        return blocked_lines(semantics, last, view)
    if not isinstance(p.body, Formula):
        return []
    body = _as_written(nnf(p.body), view.hidden)
    lines = []
    if not is_state(body):
        # Branches say themselves what they show.
        lines = [] if witness.branches else _temporal(view.with_names(body))
        if p.kind == "ltl":
            lines += along_lines(semantics, p.body, witness, view)
        return lines + (
            blocked_lines(semantics, last, view) if witness.loop == len(witness.steps) else []
        )
    dead = any(isinstance(n, Deadlock) for n in nodes(body))
    if p.kind == "invariant":
        lines = ["in the last state this is not true:"]
        lines += [
            f"  {text}" for c in conjuncts(body) for text in _failing(semantics, c, last, view)
        ]
    elif p.kind in ("never", "reachable") and not (p.asks and dead):
        parts = [t for t in _true_parts(semantics, body, last) if not isinstance(t, Deadlock)]
        said = "true"
        if p.asks:  # nobody wrote where the processes are, and a person asks for the opposite
            parts = [t for t in parts if not _names(t) & (view.places | view.hidden)]
            parts = [nnf(Not(t)) for t in parts]
            said = "not true"
        if parts:
            lines = [f"in the last state this is {said}:"]
            shown = (_with_values(semantics, part, last, view) for part in parts)
            lines += [f"  {text}" for text in dict.fromkeys(shown)]
    if dead and not semantics.successors(last):
        lines += blocked_lines(semantics, last, view)
    return lines


def blocked_lines(semantics: Semantics, state: State, view: StateView) -> list[str]:
    """Which conditions are in the way of each event that is blocked, with their values.

    Of processes only those events count that are next in their programs.
    """
    if not semantics.moves:
        return ["there is no event that could be executed"]
    blocked = list(semantics.explain(state))
    if processes_of(semantics.shape):
        # What waits for a variable that nobody wrote has another event that says why.
        blocked = [e for e in blocked if not any(_only(r, view.hidden) for r in e.reasons)]
        return waiting_lines(
            semantics.shape, blocked, state, lambda r, title: reason_text(r, title, view, state)
        )
    lines = ["no event can be executed in the last state:"]
    # What misses least comes first: a process that only waits for a fork says more than one that
    # is somewhere else in its program.
    blocked.sort(key=lambda e: len(e.reasons))
    found, more = blocked[:EVENTS_SHOWN], len(blocked) - EVENTS_SHOWN
    width = max((len(e.title) for e in found), default=0)
    for e in found:
        reasons = [reason_text(r, e.title, view, state) for r in e.reasons]
        lines.append(f"  {e.title:<{width}}  {reasons[0]}")
        lines += [f"  {'':<{width}}  {r}" for r in reasons[1:]]
    if more > 0:
        lines.append(f"  and {more} more events")
    return lines


def blocked_events(
    semantics: Semantics, state: State, view: StateView
) -> tuple[list[tuple[Explanation, list[str]]], int]:
    """The events that cannot be executed, each with what is in the way, and how many more.

    What misses least comes first, and last what belongs to processes that are somewhere else.
    """
    locations = {item.name for item in view.items if item.process}

    def lack(e: Explanation) -> tuple[bool, int]:
        elsewhere = any(name in locations for r in e.reasons for name, _ in r.values)
        return elsewhere, len(e.reasons)

    blocked = sorted(semantics.explain(state), key=lack)
    found = [
        (e, [reason_text(r, e.title, view, state) for r in e.reasons])
        for e in blocked[:EVENTS_SHOWN]
    ]
    return found, max(0, len(blocked) - EVENTS_SHOWN)


def _temporal(body: Formula) -> list[str]:
    """What a path alone shows: the last state decides `AG f` and `EF f` by the truth of f there."""
    match body:
        case Forall(operand=Globally(operand=f)):
            return ["in the last state this is not true:", f"  {show(f, LONGEST)}"]
        case Exists(operand=Finally(operand=f)):
            return ["in the last state this is true:", f"  {show(f, LONGEST)}"]
    return []


def reason_text(reason: Reason, title: str, view: StateView, state: State) -> str:
    """What is in the way of an event, in words."""
    of = "" if reason.event == title else f"{reason.event}: "
    if reason.condition is None:
        return of + reason.text
    shown = view.with_names(reason.condition, (name for name, _ in reason.values))
    undefined = " (undefined)" if reason.truth is None else ""
    found = _value_text(reason.values, view, state)
    return f"{of}needs {_text(shown)}{undefined}{f', but {found}' if found else ''}"


def _as_written(body: Formula, hidden: Collection[str]) -> Formula:
    """A condition without the parts about variables that nobody wrote: the state is one of those
    that it speaks of."""
    if not hidden or not isinstance(body, And | Or):
        return body
    parts = [f for f in body.operands if not _names(f) & set(hidden)]
    return body if not parts else parts[0] if len(parts) == 1 else replace(body, operands=(*parts,))


def _names(formula: Formula) -> set[str]:
    return {node.name for node in nodes(formula) if isinstance(node, Var)}


def _only(reason: Reason, names: Collection[str]) -> bool:
    """Whether the reason speaks of these variables and of no others."""
    return bool(reason.values) and all(name in names for name, _ in reason.values)


def _failing(semantics: Semantics, formula: Formula, state: State, view: StateView) -> list[str]:
    if semantics.holds(formula, state):
        return []
    return [_with_values(semantics, formula, state, view)]


def _true_parts(semantics: Semantics, formula: Formula, state: State) -> list[Formula]:
    """The conjuncts, and of a disjunction only what is true of it.

    In negation normal form a connective is true by what is true below it, so that every atom is
    evaluated once, however deep the connectives are nested.
    """
    holds: dict[int, bool] = {}

    def visit(f: Formula, below: list[bool]) -> bool:
        match f:
            case And():
                truth = all(below)
            case Or():
                truth = any(below)
            case _:
                truth = semantics.holds(f, state)
        holds[id(f)] = truth
        return truth

    fold_formula(formula, visit)
    found: list[Formula] = []
    stack = [formula]
    while stack:
        f = stack.pop()
        match f:
            case And(operands=parts):
                stack.extend(reversed(parts))
            case Or(operands=parts):
                stack.extend([p for p in parts if holds[id(p)]][:1])
            case _:
                found.append(f)
    return found


def _with_values(semantics: Semantics, formula: Formula, state: State, view: StateView) -> str:
    formula = decided(formula, lambda expr: semantics.value(expr, state))
    values = semantics.values(formula, state)
    text = _text(view.with_names(formula, (name for name, _ in values)))
    found = _value_text(values, view, state)
    return f"{text}{f'   ({found})' if found else ''}"


def _text(formula: Formula) -> str:
    return _CELL.sub(r"\1", show(formula, LONGEST))


def _value_text(values: Values, view: StateView, state: State) -> str:
    shown = []
    for name, value in values:
        queue = view.queues.get(name.removesuffix(".length"))
        if value is None:
            shown.append(f"{name} does not exist")
        elif queue is not None:
            shown.append(f"{queue.name} = {queue.text(state)}")
        elif not name.startswith("$"):
            shown.append(f"{name} = {view.named(name, value)}")
    more = len(shown) - VALUES_SHOWN
    return ", ".join(shown[:VALUES_SHOWN]) + (f", and {more} more" if more > 0 else "")
