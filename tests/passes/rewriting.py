"""What the tests of the passes share: reading models, printing events, comparing graphs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from plait.errors import LimitReached, ModelError
from plait.lang.gal.parser import parse
from plait.lang.gal.printer import print_model
from plait.model.shape import State
from plait.model.types import Model
from plait.passes import Pass, Rewritten, run
from plait.reference import Semantics

LIMIT = 800


def gal(text: str) -> Model:
    return parse(text, "test.gal")


def events(model: Model) -> list[str]:
    """Each event of the flat model on a line, as GAL prints it."""
    lines = [line.strip() for line in print_model(model).splitlines()]
    found: list[str] = []
    inside = False
    for line in lines:
        if line.startswith("transition "):
            inside = True
            found.append(line.removeprefix("transition "))
        elif line.startswith(("property ", "main ", "TRANSIENT")) or not line:
            inside = inside and bool(line)
        elif inside:
            found[-1] += f" {line}"
    closed = [f.removesuffix(" }") if f.count("{") < f.count("}") else f for f in found]
    return [_spelled(f) for f in closed]


def _spelled(event: str) -> str:
    """`x += 1` written out, and no guard where it is true."""
    event = re.sub(r"(\S+) ([-+])= ", r"\1 = \1 \2 ", event)
    return re.sub(r"\{ \}$", "{}", event.replace("[true] ", ""))


def properties(model: Model) -> list[str]:
    """The properties of the model, as GAL prints them."""
    text = print_model(model)
    return [line for line in text.splitlines() if line.startswith("property ")]


Graph = tuple[State, frozenset[State], frozenset[tuple[State, str, State]]]


def graph(model: Model, lift: Callable[[State], State] = lambda s: s) -> Graph | str:
    """The reachable graph with its states lifted, or the kind of error that the model has."""
    try:
        semantics = Semantics(model)
        first = semantics.initial
        seen, todo = {first}, [first]
        arcs: set[tuple[State, str, State]] = set()
        while todo:
            state = todo.pop()
            for title, after in semantics.successors(state):
                arcs.add((lift(state), title, lift(after)))
                if after not in seen:
                    if len(seen) >= LIMIT:
                        return "large"
                    seen.add(after)
                    todo.append(after)
    except ModelError:
        return "model error"
    except LimitReached:
        return "limit"
    lifted = frozenset(map(lift, seen))
    assert len(lifted) == len(seen)
    return lift(first), lifted, frozenset(arcs)


def rewritten(model: Model, passes: Sequence[Pass]) -> Rewritten | str:
    """What the passes give, or the kind of error that they find."""
    try:
        return run(model, passes)
    except ModelError:
        return "model error"
    except LimitReached:
        return "limit"


def assert_same(model: Model, passes: Sequence[Pass], verdicts: bool = True) -> Graph | str:
    """The lifted graph behind the passes is the model's own, and so is every verdict."""
    before = graph(model)
    if before == "large":
        return before
    after = rewritten(model, passes)
    if isinstance(after, str):
        assert after == before
        return before
    assert graph(after.model, after.lift) == before
    if verdicts and not isinstance(before, str):
        old, new = Semantics(model), Semantics(after.model)
        for a, b in zip(model.properties, after.model.properties, strict=True):
            expected, found = old.check(a), new.check(b)
            assert (found.verdict, found.value) == (expected.verdict, expected.value), a.name
            assert found.stats.get("min") == expected.stats.get("min"), a.name
    return before


def figures(model: Model) -> tuple[int, int, int]:
    """States, arcs and deadlocks of a small model."""
    found = graph(model)
    assert not isinstance(found, str)
    _, states, arcs = found
    return len(states), len(arcs), len(states - {source for source, _, _ in arcs})
