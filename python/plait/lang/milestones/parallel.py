"""Assignments that happen at once, as statements one after the other.

An assignment whose value reads a variable must stand before the one that changes it. An order that
keeps this exists unless assignments read each other in a circle, as in a swap; then one of them
first puts its value aside, in a scratch variable that is 0 in every state, and stores it last.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from plait.lang.milestones.texts import Assignment
from plait.model.expr import Const, Var
from plait.model.node import nodes
from plait.model.stmt import Assign, Body


def scratch(number: int) -> str:
    """The name of a scratch variable; no variable of a text has a dot in it without an index."""
    return f"old.{number}"


def at_once(assignments: Sequence[Assignment]) -> tuple[Body, list[str]]:
    """The statements, and the targets whose values are put aside. Targets are distinct."""
    places = {a.target: i for i, a in enumerate(assignments)}
    after: list[set[int]] = []
    for i, a in enumerate(assignments):
        read = (places.get(n.name) for n in nodes(a.value) if isinstance(n, Var))
        after.append({place for place in read if place is not None and place != i})
    waits = [0] * len(assignments)
    for places_after in after:
        for place in places_after:
            waits[place] += 1
    ready = deque(i for i, count in enumerate(waits) if count == 0)
    left = dict.fromkeys(range(len(assignments)))
    ordered: list[int] = []
    aside: list[int] = []
    while left:
        # Nobody can be first in a circle: one value is put aside.
        chosen = ready.popleft() if ready else next(iter(left))
        if waits[chosen]:
            aside.append(chosen)
        else:
            ordered.append(chosen)
        del left[chosen]
        for place in after[chosen]:
            waits[place] -= 1
            if waits[place] == 0 and place in left:
                ready.append(place)
    return _statements(assignments, ordered, aside), [assignments[i].target for i in aside]


def _statements(
    assignments: Sequence[Assignment], ordered: Sequence[int], aside: Sequence[int]
) -> Body:
    def assign(target: str, i: int) -> Assign:
        a = assignments[i]
        return Assign(Var(target, span=a.span), a.value, span=a.span)

    body = [assign(scratch(k), i) for k, i in enumerate(aside)]
    body += [assign(assignments[i].target, i) for i in ordered]
    for k, i in enumerate(aside):
        a, held = assignments[i], Var(scratch(k))
        body.append(Assign(Var(a.target, span=a.span), held, span=a.span))
        body.append(Assign(held, Const(0), span=a.span))
    return tuple(body)
