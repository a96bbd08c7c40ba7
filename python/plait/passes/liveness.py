"""Liveness as safety: a run that violates an LTL formula, as a state that is reached again.

A model that an automaton reads has a run which the automaton accepts iff there is a lasso. So the
model is given a memory: at some moment, once, the state is *saved* together with the location of
the automaton, and from then on it is noted which acceptance sets were met. That the state is the
saved one again, with all of them met, is a question of reachability, for whatever engine there is;
what proves that it is never so, proves the formula. Biere, Artho, Schuppan, *Liveness checking as
safety checking* (2002); the states are as many as pairs of states.

A deadlock repeats for ever, by a step that is possible where no event is. That is told from the
guards, so all events must be plain: assignments that are defined wherever the guard is true.

Invariant: the first variables of what is made are those of the model, in their order.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.automata.propositions import is_defined, is_total
from plait.automata.translate import Translation
from plait.model.expr import (
    And,
    Compare,
    Const,
    Deadlock,
    Enabled,
    Formula,
    Not,
    Or,
    Var,
)
from plait.model.node import nodes
from plait.model.shape import Shape, shape_of
from plait.model.stmt import Assign, Body, If
from plait.model.types import Domain, ElementaryType, Event, Model, Variable
from plait.passes.walk import statements
from plait.records import dataclass, replace

MOST_EVENTS = 20_000
"""Pairs of an event and an arc of the automaton."""


class NotPlain(Exception):  # noqa: N818 - a way out, not a failure
    """The model or the formula cannot be asked in this way; the text says why."""


@dataclass(frozen=True, slots=True)
class Repeating:
    """A model in which a violation is a state that is reached, and the condition of that state.

    `events` has, for each event, its number in the flat model; None for a deadlock that repeats.
    """

    model: Model
    goal: Formula
    events: tuple[int | None, ...]
    save: int
    """The number of the event that saves the state."""


def repeating(
    flat: Model, type_: ElementaryType, found: Translation, letters: Sequence[Formula]
) -> Repeating:
    """The flat model with a memory; `letters` are the conditions of the automaton, made flat."""
    free = [(i, e) for i, e in enumerate(type_.events) if e.label is None]
    shape = shape_of(flat)
    _check_plain([e for _, e in free], shape, found, letters)
    cells = [
        Var(name) if slot.size is None else Var(name, Const(k))
        for name, slot in shape.variables.items()
        for k in range(1 if slot.size is None else slot.size)
    ]
    copies = [Var(f"saved {k}") for k in range(len(cells))]
    location, kept, is_saved = Var("location"), Var("saved location"), Var("is saved")
    marks = [Var(f"met {i}") for i in range(max(1, found.automaton.acceptances))]
    events: list[Event] = []
    origins: list[int | None] = []
    steps: list[tuple[int | None, tuple[Formula, ...], Body]] = [
        (i, e.guard, e.body) for i, e in free
    ]
    steps.append((None, tuple(_none_of(e) for _, e in free), ()))
    for origin, guard, body in steps:
        for q, row in enumerate(found.automaton.arcs):
            for arc in row:
                read = _label(arc.positive, arc.negative, letters)
                met = [
                    Assign(m, Const(1))
                    for i, m in enumerate(marks)
                    if arc.marks >> i & 1 or not found.automaton.acceptances
                ]
                note = If(_equal(is_saved, 1), tuple(met)) if met else None
                move = (*body, Assign(location, Const(arc.target)), *([note] if note else ()))
                here = (_equal(location, q), *read, *guard)
                events.append(Event(f"step {len(events)}", here, move))
                origins.append(origin)
    if len(events) > MOST_EVENTS:
        raise NotPlain("the product with the automaton has too many events")
    save: list[Assign] = [Assign(c, v) for c, v in zip(copies, cells, strict=True)]
    save += [Assign(kept, location), Assign(is_saved, Const(1))]
    events.append(Event("save", (_equal(is_saved, 0),), tuple(save)))
    initial, domains = list(shape.initial()), list(shape.domains())
    last = max(0, len(found.automaton.arcs) - 1)
    memory = [
        *(_variable(c.name, v, d) for c, v, d in zip(copies, initial, domains, strict=True)),
        _variable(location.name, 0, Domain(0, last)),
        _variable(kept.name, 0, Domain(0, last)),
        *(_variable(v.name, 0, Domain(0, 1)) for v in (is_saved, *marks)),
    ]
    same = [Compare("==", a, b) for a, b in zip((*cells, location), (*copies, kept), strict=True)]
    goal = And((_equal(is_saved, 1), *(_equal(m, 1) for m in marks), *same))
    system = ElementaryType(type_.name, events=tuple(events), variables=(*type_.variables, *memory))
    model = replace(flat, types=(system,), properties=())
    return Repeating(model, goal, tuple(origins), len(events) - 1)


def _check_plain(
    free: Sequence[Event], shape: Shape, found: Translation, letters: Sequence[Formula]
) -> None:
    if len(free) * found.automaton.arc_count > MOST_EVENTS:
        raise NotPlain("the product with the automaton has too many events")
    for condition in letters:
        if any(isinstance(n, Deadlock | Enabled) for n in nodes(condition)):
            raise NotPlain("the formula asks which events are possible")
        if not is_defined(condition, shape=shape):
            raise NotPlain("a condition of the formula may be undefined")
    for event in free:
        for s in statements(event.body):
            if not isinstance(s, Assign) or not is_total(s, shape):
                raise NotPlain(f"event {event.title} may be stopped in its midst")
        if not all(is_defined(g, shape=shape) for g in event.guard):
            raise NotPlain(f"the guard of {event.title} may be undefined")


def _none_of(event: Event) -> Formula:
    """That an event is not enabled."""
    return Or(tuple(Not(g) for g in event.guard))


def _label(positive: int, negative: int, letters: Sequence[Formula]) -> list[Formula]:
    read = [c for bit, c in enumerate(letters) if positive >> bit & 1]
    return read + [Not(c) for bit, c in enumerate(letters) if negative >> bit & 1]


def _equal(variable: Var, value: int) -> Formula:
    return Compare("==", variable, Const(value))


def _variable(name: str, initial: int, domain: Domain | None) -> Variable:
    return Variable(name, (Const(initial),), domain=domain)


__all__ = ["NotPlain", "Repeating", "repeating"]
