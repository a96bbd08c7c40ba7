"""What a question observes of a model: no event that goes first may change that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from plait.model.expr import Deadlock, Enabled, Var
from plait.model.node import Node, nodes
from plait.model.types import ElementaryType
from plait.passes.usage import usage_of


def observed(
    conditions: Iterable[Node], flat: ElementaryType, titled: Callable[[str], Sequence[int]]
) -> set[str] | None:
    """The variables that conditions on states of a flat model read; None when they see every step.

    Whether an event is enabled depends on what it reads; whether anything is, on everything.
    """
    found: set[str] = set()
    for condition in conditions:
        for node in nodes(condition):
            if isinstance(node, Var):
                found.add(node.name)
            elif isinstance(node, Deadlock):
                return None
            elif isinstance(node, Enabled):
                events = {n for title in node.events for n in titled(title)}
                if any(usage_of(flat.events[n]).called for n in events):
                    return None
                for n in events:
                    found |= usage_of(flat.events[n]).names
    return found
