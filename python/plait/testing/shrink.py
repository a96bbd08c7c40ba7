"""Delta debugging: the smallest model found that still fails.

`variants` proposes models one step smaller: without some declarations, events, statements or
conjuncts, with an expression replaced by a part of it or by a constant, with smaller constants.
`shrink` keeps each that still fails and goes on from it (Zeller, "Simplifying and
isolating failure-inducing input"), larger cuts first. A proposal need not make sense: the caller's
`fails` decides, and one that is not a valid model does not fail.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from itertools import islice
from typing import Any, cast

from plait.model.expr import Const, Formula, IntExpr, Truth
from plait.model.node import Node
from plait.model.stmt import Fixpoint, For, If, Statement
from plait.model.types import Declaration, Event, Model

UNTOUCHED = frozenset({"name", "span", "comment", "display", "kind", "op", "process"})
"""Fields that no step changes: names tie the parts of a model together."""

FIXED_KIND = frozenset({"target", "channel", "instance"})
"""Fields that must stay the kind of node they are: an assignment needs a variable."""


def shrink(model: Model, fails: Callable[[Model], bool], seconds: float = 20.0) -> Model:
    """The smallest failing model found in that time; `model` itself must fail."""
    end = time.monotonic() + seconds
    progress = True
    while progress and time.monotonic() < end:
        progress = False
        for steps in (_removals, _variants):
            tried = 0
            while time.monotonic() < end:
                smaller = next(islice(steps(model), tried, None), None)
                if smaller is None:
                    break
                if fails(smaller):
                    # What failed to shrink before will hardly do so now: go on from here.
                    model, progress = smaller, True
                else:
                    tried += 1
    return model


def variants(model: Model) -> Iterator[Model]:
    """Models one step smaller, the boldest steps first."""
    yield from _removals(model)
    yield from _variants(model)


def size(model: Model) -> int:
    """A rough measure of a model's text: its declarations, statements and expression nodes."""
    count = 0
    stack: list[Any] = [model]
    while stack:
        value = stack.pop()
        if isinstance(value, Node):
            count += 1
            stack.extend(value.children())
        elif isinstance(value, tuple):
            stack.extend(value)
        elif is_dataclass(value):
            count += isinstance(value, Declaration | Statement)
            stack.extend(getattr(value, f.name) for f in fields(value) if f.name not in UNTOUCHED)
    return count


def _removals(model: Model) -> Iterator[Model]:
    """Without whole properties, types, events, instances, variables or statements."""
    for i in range(len(model.properties)):
        if len(model.properties) > 1:
            yield replace(model, properties=model.properties[i : i + 1])
    for t in model.types:
        if t.name != model.main:
            yield replace(model, types=(t,), main=t.name, properties=())
    for name in ("properties", "types", "constants", "ranges"):
        for rest in _without_elements(getattr(model, name)):
            yield cast(Model, replace(cast(Any, model), **{name: rest}))
    for i, t in enumerate(model.types):
        for smaller in _shorter_fields(t):
            yield replace(model, types=(*model.types[:i], smaller, *model.types[i + 1 :]))


def _shorter_fields(value: Any) -> Iterator[Any]:
    for f in fields(value):
        now = getattr(value, f.name)
        if isinstance(now, tuple):
            for rest in _without_elements(now):
                yield replace(value, **{f.name: rest})


def _without_elements(value: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Without a half, a quarter, ..., one element."""
    length = (len(value) + 1) // 2
    while length > 0:
        for start in range(0, len(value), length):
            yield value[:start] + value[start + length :]
        length //= 2


def _variants(value: Any) -> Iterator[Any]:
    """One step smaller, for anything a model is made of (statements are at most 200 deep)."""
    if isinstance(value, Node):
        yield from _smaller_trees(value)
    elif isinstance(value, tuple):
        yield from _smaller_tuples(value)
    elif is_dataclass(value) and not isinstance(value, type):
        yield from _smaller_records(value)


def _smaller_records(value: Any) -> Iterator[Any]:
    if isinstance(value, Event) and value.label is not None:
        yield replace(value, label=None)
    if isinstance(value, Event) and value.process is not None:
        yield replace(value, process=None)
    for f in fields(value):
        if f.name in UNTOUCHED or not f.init:
            continue
        now = getattr(value, f.name)
        if f.name in ("transient", "domain", "units", "size", "initial", "index") and now:
            yield replace(value, **{f.name: () if isinstance(now, tuple) else None})
        elif isinstance(now, bool):
            if now:
                yield replace(value, **{f.name: False})
        elif isinstance(now, int):
            for less in _smaller_integers(now):
                yield replace(value, **{f.name: less})
        for smaller in _variants(now):
            if f.name not in FIXED_KIND or type(smaller) is type(now):
                yield replace(value, **{f.name: smaller})


def _smaller_tuples(value: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Without some elements; with a block opened; with one element smaller."""
    yield from _without_elements(value)
    for i, item in enumerate(value):
        for block in _opened(item):
            yield value[:i] + block + value[i + 1 :]
        for smaller in _variants(item):
            yield (*value[:i], smaller, *value[i + 1 :])


def _opened(item: Any) -> Iterator[tuple[Any, ...]]:
    """What a compound statement may be replaced by."""
    match item:
        case If(then=then, otherwise=otherwise):
            yield then
            yield otherwise
        case For(body=body) | Fixpoint(body=body):
            yield body


def _smaller_integers(value: int) -> Iterator[int]:
    for less in (
        0,
        1,
        value // 2 if value > 0 else -(-value // 2),
        value - 1 if value > 0 else value + 1,
    ):
        if abs(less) < abs(value):
            yield less


def _smaller_trees(root: Node) -> Iterator[Node]:
    """With one sub-tree replaced by a constant, by a part of it, or with a smaller literal."""
    stack: list[tuple[Node, tuple[int, ...]]] = [(root, ())]
    while stack:
        node, path = stack.pop()
        for smaller in _replacements(node):
            yield _replaced(root, path, smaller)
        below = node.children()
        stack.extend((below[i], (*path, i)) for i in reversed(range(len(below))))


def _replacements(node: Node) -> Iterator[Node]:
    below = node.children()
    if isinstance(node, Formula) and not isinstance(node, Truth):
        yield Truth(True)
        yield Truth(False)
        yield from (c for c in below if isinstance(c, Formula))
        if type(node).__name__ in ("And", "Or") and len(below) > 2:
            for i in range(len(below)):
                yield type(node)(below[:i] + below[i + 1 :])  # type: ignore[call-arg, arg-type]
    elif isinstance(node, Const):
        yield from (Const(v) for v in _smaller_integers(node.value))
    elif isinstance(node, IntExpr):
        yield Const(0)
        yield Const(1)
        yield from (c for c in below if isinstance(c, IntExpr))


def _replaced(root: Node, path: tuple[int, ...], new: Node) -> Node:
    """The tree with the sub-tree at `path` replaced."""
    above: list[tuple[Node, int]] = []
    node = root
    for i in path:
        above.append((node, i))
        node = node.children()[i]
    for parent, i in reversed(above):
        below = list(parent.children())
        below[i] = new
        new = parent.with_children(below)
    return new
