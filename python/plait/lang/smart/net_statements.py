"""The statements of a net's body: arcs, guards, tokens at the start, levels."""

from __future__ import annotations

from collections.abc import Sequence

from plait.errors import Span, error
from plait.lang.smart.spn import NetBody, Part
from plait.lang.smart.values import Aggregate, Value, type_of, whole
from plait.model.expr import Formula, IntExpr, Truth

NAMES = ("arcs", "inhibit", "guard", "firing", "weight", "init", "bound", "partition")


def say(
    body: NetBody, name: str, given: Sequence[Value], span: Span | None, *, downward: bool
) -> None:
    """Execute the statement `name(given, ...)`; `downward` is how free levels are numbered."""
    groups = [v.parts if isinstance(v, Aggregate) else (v,) for v in given]
    if name == "partition":
        _partition(body, [_members(g) for g in groups], downward, span)
        return
    for first, *rest in groups:
        for one in first if isinstance(first, list) else (first,):
            _specify(body, name, (one, *rest), span)


def _members(group: tuple[Value, ...]) -> tuple[Value, ...]:
    """The group with what its sets have in the place of the sets."""
    return tuple(v for g in group for v in (g if isinstance(g, list) else (g,)))


def _specify(body: NetBody, name: str, parts: tuple[Value, ...], span: Span | None) -> None:
    """One argument of a statement about the net."""
    match name, parts:
        case "arcs" | "inhibit", (Part() as one, Part() as other, *rest) if len(rest) < 2:
            weight = rest[0] if rest else 1
            amount = weight if isinstance(weight, IntExpr) else whole(weight, span)
            if isinstance(amount, int) and amount < 0:
                raise error("the weight of an arc is not negative", span)
            (body.arc if name == "arcs" else body.inhibit)(one, other, amount, span)
        case "guard", (Part() as event, bool() | Formula() as condition):
            body.guard(event, Truth(condition) if isinstance(condition, bool) else condition)
        case "firing", (Part() as event, timing):
            body.fire(event, immediate=isinstance(timing, int | float) and timing == 0)
        case "weight" | "bound", (Part(), _):
            pass
        case "init", (Part() as place, tokens):
            count = whole(tokens, span)
            if count < 0:
                raise error("there are no fewer than 0 tokens", span)
            body.start(place, count, span)
        case _:
            types = ":".join(type_of(p) for p in parts)
            raise error(f"{name} cannot be said of {types}", span)


def _partition(
    body: NetBody, groups: list[tuple[Value, ...]], downward: bool, span: Span | None
) -> None:
    """Numbered levels as they say; others upward from the lowest free one, or downward."""
    numbered = [g for g in groups if not isinstance(g[0], Part)]
    free = [g for g in groups if isinstance(g[0], Part)]
    for level, *named in numbered:
        if whole(level, span) < 1:
            raise error("levels are numbered from 1", span)
        _level(body, whole(level, span), named, span)
    for places in reversed(free) if downward else free:
        _level(body, body.free_level, places, span)


def _level(body: NetBody, level: int, places: Sequence[Value], span: Span | None) -> None:
    for place in places:
        if not isinstance(place, Part):
            raise error(f"a place was expected, not a {type_of(place)}", span)
        body.put_in_level(level, place, span)


__all__ = ["NAMES", "say"]
