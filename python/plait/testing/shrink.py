"""Delta debugging: the smallest model found that still fails.

`variants` proposes models one step smaller: without some declarations, events, statements or
conjuncts, with an expression replaced by a part of it or by a constant, with smaller constants.
`shrink` keeps the first that still fails and starts again from it (Zeller, "Simplifying and
isolating failure-inducing input"), larger cuts first. A proposal need not make sense: the caller's
`fails` decides, and one that is not a valid model does not fail.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from plait.model.expr import Const, Formula, IntExpr, Truth
from plait.model.node import Node
from plait.model.stmt import Fixpoint, For, If, Statement
from plait.model.types import Declaration, Event, Model

UNTOUCHED = frozenset({"name", "span", "comment", "display", "kind", "op", "process"})
"""Fields that no step changes: names tie the parts of a model together."""


def shrink(model: Model, fails: Callable[[Model], bool], seconds: float = 20.0) -> Model:
    """The smallest failing model found in that time; `model` itself must fail."""
    end = time.monotonic() + seconds
    progress = True
    while progress:
        progress = False
        for smaller in variants(model):
            if time.monotonic() > end:
                return model
            if fails(smaller):
                model = smaller
                progress = True
                break
    return model


def variants(model: Model) -> Iterator[Model]:
    """Models one step smaller, the boldest steps first."""
    yield from _without_parts(model)
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


def _without_parts(model: Model) -> Iterator[Model]:
    """Without whole types and properties, or with another type as the system."""
    for i in range(len(model.properties)):
        yield replace(model, properties=model.properties[i : i + 1])
    for t in model.types:
        if t.name != model.main:
            yield replace(model, types=(t,), main=t.name, properties=())
            yield replace(model, types=tuple(o for o in model.types if o is not t))


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
            yield replace(value, **{f.name: smaller})


def _smaller_tuples(value: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Without a half, a quarter, ..., one element; a block opened; one element smaller."""
    length = len(value) // 2 if len(value) > 1 else len(value)
    while length > 0:
        for start in range(0, len(value), length):
            yield value[:start] + value[start + length :]
        length //= 2
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
