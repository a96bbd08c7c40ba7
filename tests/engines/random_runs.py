"""Random nets with random LTL formulas about them, and what the reference says."""

from collections.abc import Iterator
from random import Random

from tests.structure.random_ordinary import markings, ordinary_net

from plait.engines import check
from plait.logic.formula import (
    Finally,
    Globally,
    Next,
    Release,
    StrongRelease,
    Until,
    WeakUntil,
)
from plait.model.expr import And, Compare, Const, Deadlock, Enabled, Formula, Not, Or, Var
from plait.model.net import Net, NetEvent, as_model
from plait.model.types import Model, Property
from plait.report.answer import Answer

BINARY = (Until, Until, WeakUntil, Release, StrongRelease)
UNARY = (Finally, Globally, Finally, Globally)


def atom(random: Random, net: Net) -> Formula:
    """A condition of the contest's kinds, or a deadlock."""
    places = [Var(p.name) for p in net.places]
    kind = random.random()
    if kind < 0.25:
        return Compare("<=", random.choice(places), random.choice(places))
    if kind < 0.5 and net.events:
        return Enabled(random.choice(net.events).name)
    if kind < 0.55:
        return Deadlock()
    return Compare("<=", Const(random.randint(1, 3)), random.choice(places))


def linear(random: Random, net: Net, depth: int, *, with_next: bool = True) -> Formula:
    """A formula without path quantifiers."""
    if depth == 0 or random.random() < 0.12:
        return atom(random, net)
    parts = [linear(random, net, depth - 1, with_next=with_next) for _ in range(2)]
    kind = random.random()
    if kind < 0.05:
        return And(tuple(Globally(Finally(f)) for f in parts))
    if kind < 0.15:
        return Not(parts[0])
    if kind < 0.4:
        return (And if kind < 0.28 else Or)(tuple(parts))
    if kind < 0.55 and with_next:
        return Next(parts[0])
    if kind < 0.75:
        return random.choice(UNARY)(parts[0])
    return random.choice(BINARY)(*parts)


def questions(
    name: str, seeds: range, *, with_next: bool = True, count: int = 4, most: int = 80
) -> Iterator[tuple[Model, list[Property], list[Answer]]]:
    """Models, LTL properties of them, and the answers of the reference."""
    for seed in seeds:
        random = Random(f"{name} {seed}")
        net = ordinary_net(random, places=4, events=5)
        if markings(net, most) is None:
            continue
        bodies = [
            linear(random, net, random.randint(1, 4), with_next=with_next) for _ in range(count)
        ]
        asked = [Property(f"{name} {seed}.{i}", kind="ltl", body=b) for i, b in enumerate(bodies)]
        model = as_model(net, tuple(asked))
        yield model, asked, check(model, asked, engine="reference")


__all__ = ["Net", "NetEvent", "linear", "questions"]
