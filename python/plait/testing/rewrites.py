"""Equivalent rewrites: other models that must have the same states, arcs and answers.

Each takes a model to one that differs in its text only; an engine whose figures or verdicts change
is wrong on one of the two, and no oracle is needed to see it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

from plait.model.expr import FALSE, And, Compare, Not, Var, conjunction
from plait.model.node import Node, rewrite
from plait.model.stmt import Abort, If, Receive, Send
from plait.model.types import ComponentType, Event, Model, Process, Variable

Rewrite = Callable[[Model], Model]


def renamed(model: Model) -> Model:
    """Every variable under another name."""

    def change(part: Any) -> Any:
        match part:
            case Var(name=name):
                return Var(f"ren_{name}", part.index, part.path)
            case Variable(name=name):
                return replace(part, name=f"ren_{name}")
            case Process(pc=str(pc)):
                return replace(part, pc=f"ren_{pc}")
        return part

    return _mapped_model(model, change)


def reversed_events(model: Model) -> Model:
    """The events of every type in the opposite order."""
    return _with_types(model, lambda t: replace(t, events=t.events[::-1]))


def reversed_guards(model: Model) -> Model:
    """The conjuncts of every guard in the opposite order."""
    return _with_events(model, lambda e: replace(e, guard=e.guard[::-1]))


def doubly_negated(model: Model) -> Model:
    """Every comparison under two negations."""

    def change(part: Any) -> Any:
        return Not(Not(part)) if isinstance(part, Compare) else part

    return _mapped_model(model, change)


def joined_guards(model: Model) -> Model:
    """Every guard as one formula instead of a list of conjuncts."""

    def change(event: Event) -> Event:
        return event if len(event.guard) < 2 else replace(event, guard=(And(event.guard),))

    return _with_events(model, change)


def guards_in_bodies(model: Model) -> Model:
    """Every guard as a choice between the body and `abort` (not before a rendezvous)."""

    def change(event: Event) -> Event:
        if not event.guard or (event.body and isinstance(event.body[0], Send | Receive)):
            return event
        body = (If(conjunction(event.guard), event.body, (Abort(),)),)
        return replace(event, guard=(), body=body)

    return _with_events(model, change)


def with_dead_events(model: Model) -> Model:
    """An event that is never enabled in every type."""
    dead = Event("never_enabled", guard=(FALSE,))
    return _with_types(model, lambda t: replace(t, events=(*t.events, dead)))


REWRITES: tuple[Rewrite, ...] = (
    renamed,
    reversed_events,
    reversed_guards,
    doubly_negated,
    joined_guards,
    guards_in_bodies,
    with_dead_events,
)


def _with_types(model: Model, change: Callable[[ComponentType], ComponentType]) -> Model:
    return replace(model, types=tuple(change(t) for t in model.types))


def _with_events(model: Model, change: Callable[[Event], Event]) -> Model:
    return _with_types(model, lambda t: replace(t, events=tuple(change(e) for e in t.events)))


def _mapped_model(model: Model, change: Callable[[Any], Any]) -> Model:
    mapped = _mapped(model, change)
    assert isinstance(mapped, Model)
    return mapped


def _mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """`change` applied to every node and declaration, bottom up."""
    if isinstance(value, Node):
        return rewrite(value, change)
    if isinstance(value, tuple):
        return tuple(_mapped(v, change) for v in value)
    if is_dataclass(value) and not isinstance(value, type):
        below = {f.name: getattr(value, f.name) for f in fields(value) if f.init}
        return change(replace(value, **{k: _mapped(v, change) for k, v in below.items()}))
    return value
