"""The skeleton of a coloured net: the same places and transitions, with the colours dropped.

Every step of the coloured net is one of the skeleton, which has no guards, no inhibitors and takes
tokens of any colour: the skeleton simulates the net, and a reachable marking of the net, its
colours forgotten, is a reachable marking of the skeleton with the same number of tokens in every
place. A transition that is enabled in the net is enabled there in the skeleton. Therefore, and only
in these directions:

- an invariant of the skeleton is one of the net, and what the skeleton cannot reach the net cannot,
  as long as the condition speaks of counts, and of enabled transitions only where fewer of them
  cannot make it worse;
- a bound of the skeleton is a bound of the net, and it is *the* bound when the initial marking
  has that many tokens already.

Nothing else is concluded: a witness in the skeleton need not exist in the net, the skeleton may
have fewer deadlocks, and paths that end in the net may go on in the skeleton.
"""

from __future__ import annotations

from typing import Literal

from plait.colour.net import ColouredNet
from plait.errors import error
from plait.model.arithmetic import INT_MAX, apply_binary
from plait.model.expr import (
    And,
    Binary,
    Compare,
    Const,
    Deadlock,
    Enabled,
    Formula,
    Implies,
    Not,
    Or,
    Truth,
    Var,
)
from plait.model.net import Effect, EventComposer
from plait.model.node import Node, fold, nodes
from plait.model.shape import COUNTER, shape_of
from plait.model.types import ElementaryType, Event, Model, Property, Variable

Verdict = Literal["true", "false", "unknown"]


def skeleton(net: ColouredNet) -> Model:
    """The net without colours; places and events keep their names."""
    compose = EventComposer([p.name for p in net.places])
    variables = []
    for place in net.places:
        tokens = sum(place.initial.values())
        if tokens > INT_MAX:
            raise error(f"'{place.name}' starts with more than {INT_MAX} tokens", place.span)
        variables.append(
            Variable(
                place.name,
                (compose.constant(tokens),),
                domain=COUNTER,
                span=place.span,
                comment=place.comment,
            )
        )
    events: list[Event] = []
    for event in net.events:
        effects: dict[int, Effect] = {}
        for arc in event.arcs:
            effect = effects.setdefault(arc.place, Effect(arc.span))
            if arc.kind == "in":
                effect.taken += arc.bag.size
            elif arc.kind == "out":
                effect.put += arc.bag.size
            if max(effect.taken, effect.put) > INT_MAX:
                raise error(f"the arcs carry more than {INT_MAX} tokens", arc.span)
        composed = compose.event(event.name, sorted(effects.items()), event.span, event.comment)
        events.append(composed)
    system = ElementaryType(
        net.name, events=tuple(events), variables=tuple(variables), span=net.span
    )
    return Model(net.name, (system,), net.name)


def telling(p: Property) -> Verdict:
    """The verdict about the skeleton that is also one about the net; `unknown`: none is.

    For `bounds` it is `true`, and the value must be that of the initial state (`told_bound`).
    """
    if p.kind == "bounds":
        return "true"
    if not isinstance(p.body, Formula):
        return "unknown"
    if p.kind == "invariant":
        return "true" if _monotone(p.body, fewer=True) else "unknown"
    if p.kind in ("reachable", "never") and _monotone(p.body, fewer=False):
        return "false" if p.kind == "reachable" else "true"
    return "unknown"


def is_kept(condition: Formula) -> bool:
    """Whether a condition that is true in a state of the net is true there in the skeleton, too.

    So what is true in no state of the skeleton is true in none of the net.
    """
    return _monotone(condition, fewer=False)


def told_bound(model: Model, p: Property, bound: int) -> bool:
    """Whether the skeleton's bound is the net's: the initial state attains it."""
    assert p.body is not None
    cells = dict(zip(shape_of(model).cells(), shape_of(model).initial(), strict=True))

    def value(node: Node, below: list[int | None]) -> int | None:
        match node:
            case Const(value=number):
                return number
            case Var(name=name):
                return cells[name]
            case Binary(op=op) if below[0] is not None and below[1] is not None:
                return apply_binary(op, below[0], below[1])
        return None

    return fold(p.body, value) == bound


def _monotone(formula: Formula, *, fewer: bool) -> bool:
    """Whether the formula stays true when fewer (or else: more) transitions are enabled."""
    stack: list[tuple[Formula, bool]] = [(formula, fewer)]
    while stack:
        f, down = stack.pop()
        match f:
            case Truth():
                pass
            case Compare():
                if any(isinstance(n, Enabled | Deadlock) for n in nodes(f)):
                    return False
            case Enabled():
                if down:
                    return False
            case Deadlock():
                if not down:
                    return False
            case Not(operand=operand):
                stack.append((operand, not down))
            case And(operands=operands) | Or(operands=operands):
                stack.extend((o, down) for o in operands)
            case Implies(left=left, right=right):
                stack.extend(((left, not down), (right, down)))
            case _:
                return False
    return True
