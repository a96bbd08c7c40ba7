"""TRANSIENT is lowered to a statement: whenever a component has moved, its state settles.

The unlabelled events exist twice afterwards: once as they were, followed by `Settle`, and once raw
under a fresh label, which is what `Settle` executes while the predicate holds. Labelled events end
with `Settle` too, since they are what others call; where the component calls its own label, that
is a part of a larger step, and the call goes to raw copies.

Between events the component is never in a transient state. So an event that changes nothing the
predicate speaks of has nothing to settle, and is left as it was: one straight line for the native
core, which reductions can look into.

Channels of capacity 0 must be lowered before (`plait.passes.rendezvous`), because their events have
no label there; the others after, because the helpers of a queue are no events of the type.
"""

from __future__ import annotations

from collections.abc import Mapping

from plait.errors import Diagnostic, ModelError
from plait.model.arithmetic import compare
from plait.model.expr import (
    FALSE,
    TRUE,
    Compare,
    Const,
    Empty,
    Formula,
    Full,
    IntExpr,
    Length,
    Poll,
    Var,
)
from plait.model.fresh import FreshNames
from plait.model.node import Node, nodes, rewrite
from plait.model.stmt import (
    Abort,
    Assign,
    Bind,
    Call,
    Fixpoint,
    For,
    If,
    Receive,
    Send,
    Settle,
    Statement,
)
from plait.model.types import ElementaryType, Event, Label, Model
from plait.passes.folding import UNDEFINED, Folder
from plait.passes.rewritten import Rewritten
from plait.passes.walk import called, map_body, statements, variables_of
from plait.records import replace


def lower_transient(model: Model) -> Rewritten:
    """The model without transient predicates; a transient initial state is a `ModelError`."""
    if not any(isinstance(t, ElementaryType) and t.transient is not None for t in model.types):
        return Rewritten(model)
    types = tuple(
        _lower(t, t.transient) if isinstance(t, ElementaryType) and t.transient is not None else t
        for t in model.types
    )
    return Rewritten(replace(model, types=types))


def _lower(type_: ElementaryType, transient: Formula) -> ElementaryType:
    if _initially(type_, transient):
        raise ModelError(
            Diagnostic(
                f"the initial state of '{type_.name}' is transient",
                transient.span or type_.span,
                "a transient state is never observed, so a component cannot start in one",
            )
        )
    names = FreshNames(e.name for e in type_.events)
    labels = FreshNames(e.label.name for e in type_.events if e.label is not None)
    settle = Settle(transient, labels.fresh("transient"), span=transient.span)
    own = dict.fromkeys(label for e in type_.events for label in called(e.body))
    raw_label = {label: labels.fresh(f"{label}.raw") for label in own}

    def statement(old: Statement) -> tuple[Statement, ...]:
        return (replace(old, label=raw_label[old.label]) if isinstance(old, Call) else old,)

    settled: list[Event] = []
    raw: list[Event] = []
    for event in type_.events:
        body = map_body(event.body, statement)
        moves = may_become(transient, event)
        settled.append(replace(event, body=(*body, settle) if moves else body))
        label = settle.label if event.label is None else raw_label.get(event.label.name)
        if label is not None:
            name = names.fresh(f"{event.name}.raw")
            raw.append(
                replace(
                    event,
                    name=name,
                    label=Label(label),
                    body=body,
                    display="",
                    origin=event.sources,
                )
            )
    return replace(type_, events=(*settled, *raw), transient=None)


def may_become(transient: Formula, event: Event) -> bool:
    """Whether the event, from a state that is not transient, may lead to one that is."""
    looked_at = {v.name for v in variables_of([transient])}
    asks = any(isinstance(n, Length | Empty | Full | Poll) for n in nodes(transient))
    for statement in statements(event.body):
        match statement:
            case Assign(target=target, value=value):
                if target.name in looked_at and not _rules_out(transient, target, value):
                    return True
            case Receive(patterns=patterns):
                bound = (p.target.name for p in patterns if isinstance(p, Bind))
                if asks or any(name in looked_at for name in bound):
                    return True
            case Send():
                if asks:
                    return True
            case If() | For() | Fixpoint() | Abort():
                pass  # what is inside comes by itself
            case _:
                return True
    return False


def _rules_out(transient: Formula, target: Var, value: IntExpr) -> bool:
    """Whether the predicate compares just this variable, and is false for this constant."""
    match transient, value:
        case Compare(op=op, left=Var(index=None) as var, right=Const(value=limit)), Const(value=k):
            return var == target and not compare(op, k, limit)
    return False


def _initially(type_: ElementaryType, condition: Formula) -> bool:
    """The condition holds in the initial state of the type, where every channel is empty."""
    initial: Mapping[str, tuple[int, ...]] = {
        v.name: tuple(e.value for e in v.initial if isinstance(e, Const))
        or (0,) * (v.size.value if isinstance(v.size, Const) else 1)
        for v in type_.variables
    }
    capacity = {c.name: c.capacity for c in type_.channels}

    def change(node: Node) -> Node:
        match node:
            case Var(name=name, index=None):
                return Const(initial[name][0])
            case Var(name=name, index=Const(value=index)):
                cells = initial[name]
                return Const(cells[index]) if 0 <= index < len(cells) else UNDEFINED
            case Length():
                return Const(0)
            case Empty():
                return TRUE
            case Full(channel=channel):
                return TRUE if capacity[channel.name] == 0 else FALSE
            case Poll():
                return FALSE
            case _:
                return folder.simplify(node)

    folder = Folder()
    return rewrite(condition, change) is TRUE
