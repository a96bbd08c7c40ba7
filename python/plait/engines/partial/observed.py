"""What a question observes of a model: no event that goes first may change that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from plait.errors import InputError
from plait.logic.classify import why_not_stutter_invariant
from plait.logic.walk import conditions
from plait.model.expr import Compare, Const, Deadlock, Enabled, Formula, Var
from plait.model.node import Node, nodes
from plait.model.rewritten import flat_type
from plait.model.types import ElementaryType, Model, Property
from plait.passes.usage import usage_of
from plait.program import compile_model


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


def conditions_of(p: Property) -> list[Formula]:
    """What a property asks of states; an error where it has an X."""
    if p.body is None:
        return []  # deadlocks: whoever goes first can move, so there are as many
    if not isinstance(p.body, Formula):
        return [Compare("==", p.body, Const(0))]
    wrong = why_not_stutter_invariant(p.body)
    if wrong is not None:
        raise InputError(wrong)
    return conditions(p.body)


def is_kept(p: Property, flat: Model, seen: Iterable[Formula], *, linear: bool) -> bool:
    """Whether a property has its answer where events that change nothing `seen` go first.

    CTL needs that those were `linear`.
    """
    if p.kind == "atom":
        return True  # a name, and no question
    try:
        mine = conditions_of(p)
    except InputError:
        return False
    titled = compile_model(flat).titled
    all_seen = observed(seen, flat_type(flat), titled)
    asked = observed(mine, flat_type(flat), titled)
    if all_seen is None:
        return True  # every step was seen: nothing has changed
    return asked is not None and asked <= all_seen and (linear or p.kind != "ctl")


__all__ = ["conditions_of", "is_kept", "observed"]
