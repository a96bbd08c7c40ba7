"""The formulas of random models, state by state: steps, goals, errors are those of the reference.

No solver is asked: with numbers for the variables a term simplifies to a number.
"""

from collections import Counter

import pytest
import z3
from blocks import SOAK, SOAK_FIRST, blocks

from plait.engines.prepared import prepare
from plait.engines.safety import as_safety
from plait.errors import LimitReached, ModelError
from plait.model.shape import State
from plait.model.types import Property
from plait.reference import Semantics
from plait.smt.make import Term, constant
from plait.smt.relation import Relation
from plait.smt.terms import Unsupported
from plait.smt.unrolling import substituted
from plait.testing.choices import Seeded
from plait.testing.findings import SAFETY
from plait.testing.mix import CHANNELS, COMPOSITES, DEFAULT, NETS
from plait.testing.random_models import model

MIXES = (DEFAULT, CHANNELS, DEFAULT, COMPOSITES, NETS)


class Numbers:
    """A relation in one state."""

    def __init__(self, relation: Relation, state: State) -> None:
        self.relation = relation
        self.state = state
        self.old = [c.before for c in relation.cells]
        self.new = [constant(value) for value in state]

    def value(self, term: Term) -> Term:
        return z3.simplify(substituted(term, self.old, self.new))

    def holds(self, term: Term) -> bool:
        value = self.value(term)
        assert z3.is_true(value) or z3.is_false(value), value
        return z3.is_true(value)

    def successors(self, titles: list[str]) -> set[tuple[str, State]]:
        found = set()
        for path in self.relation.paths:
            if self.holds(path.passes):
                after = list(self.state)
                for cell, term in path.writes.items():
                    after[cell] = self.value(term).as_signed_long()
                found.add((titles[path.event], tuple(after)))
        return found


def compare(seed: int, states: int, count: Counter[str]) -> None:
    made = model(Seeded(seed), MIXES[seed % len(MIXES)])
    maybe = (p if p.kind in SAFETY else as_safety(p) for p in made.properties)
    asked = [p for p in maybe if p is not None and p.kind in SAFETY]
    try:
        Semantics(made)
    except ModelError:  # its initial state is transient
        with pytest.raises(ModelError):
            prepare(made, asked)
        count["refused"] += 1
        return
    prepared = prepare(made, asked)
    flat = prepared.rewritten.model
    semantics = Semantics(flat)
    try:
        relation = Relation(flat, prepared.compiled.titled, narrow=False)
        goals: list[tuple[Property, Term]] = [(p, relation.goal(p)) for p in prepared.properties]
    except Unsupported:
        count["refused"] += 1
        return
    titles = [e.title for e in prepared.compiled.events]
    seen = {semantics.initial}
    queue = [semantics.initial]
    for state in queue:
        numbers = Numbers(relation, state)
        try:
            steps = semantics.successors(state)
        except (ModelError, LimitReached):
            assert numbers.holds(relation.fails), (seed, state)
            count["errors"] += 1
            return
        assert not numbers.holds(relation.fails), (seed, state)
        assert numbers.successors(titles) == set(steps), (seed, state)
        count["states"] += 1
        count["steps"] += len(steps)
        for p, goal in goals:
            count["goals"] += 1
            assert numbers.holds(goal) == semantics.decides(p, state), (seed, p.name, state)
        new = {after for _, after in steps} - seen
        queue += sorted(new)[: states - len(queue)]
        seen |= new


def compared(seeds: range, states: int) -> Counter[str]:
    count: Counter[str] = Counter()
    for seed in seeds:
        compare(seed, states, count)
    return count


@blocks(90_000, 24, 24)
def test_the_formulas_of_a_model_say_what_the_reference_does(seeds: range) -> None:
    """covers: I141"""
    count = compared(seeds, 3)
    assert count["steps"] > 100, count
    assert count["goals"] > 100, count


@pytest.mark.soak
@blocks(SOAK_FIRST, SOAK // 20, 250)
def test_the_formulas_of_many_models_say_what_the_reference_does(seeds: range) -> None:
    count = compared(seeds, 50)
    assert count["steps"] > 1000, count
