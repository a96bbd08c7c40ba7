"""Weak fairness on random processes and compositions: the native product, reduced or not, the
reference, and the copies of the textbook say the same; every run that is shown is fair."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from blocks import SOAK, SOAK_FIRST, Record, blocks
from copies import Copies

from plait.engines.budget import Budget
from plait.engines.evidence import Evidence
from plait.engines.explicit.linear import LinearTime
from plait.engines.explicit.method import Method
from plait.engines.explicit.reduction import PERSISTENT, Reduction
from plait.errors import InputError, PlaitError
from plait.lang.promela import parse as parse_promela
from plait.model.expr import Formula
from plait.model.types import Model
from plait.reference import Semantics
from plait.testing.choices import Seeded
from plait.testing.mix import CHANNELS, COMPOSITES, Mix
from plait.testing.random_models import model as random_model
from plait.testing.tally import Tally

MIXES: tuple[Mix, ...] = tuple(
    replace(mix, properties=9, temporal=100, faults=0) for mix in (CHANNELS, COMPOSITES)
)


FORMULAS = ("<> {p}", "[] <> {p}", "<> [] {p}", "{p} U {q}", "[] ({p} -> <> {q})")


def random_processes(seed: int) -> Model:
    """A few loops over common bits, most of which somebody could be kept from for ever."""
    choice = random.Random(seed)

    def test() -> str:
        return f"({choice.choice('abc')} == {choice.randrange(2)})"

    def statement() -> str:
        kind = choice.randrange(8)
        if kind == 0:
            return f"r!{choice.randrange(2)}"
        if kind == 1:
            return f"r?{choice.choice('abc')}"
        if kind == 2:
            return "atomic { skip; r!1 }" if choice.randrange(2) else f"q!{choice.randrange(2)}"
        if kind == 3:
            return f"q?{choice.choice('abc')}"
        bit = choice.choice("abc")
        return f"{bit} = {choice.choice((f'1 - {bit}', '0', '1'))}"

    def option() -> str:
        guard = f"{test()} -> " if choice.randrange(3) else ""
        return f":: {guard}{'; '.join(statement() for _ in range(choice.randint(1, 2)))}"

    def options() -> str:
        return " ".join(option() for _ in range(choice.randint(1, 3)))

    count = choice.randint(2, 3)
    processes = [f"active proctype P{i}() {{ do {options()} od }}" for i in range(count)]
    asked = [
        f"ltl f{i} {{ {choice.choice(FORMULAS).format(p=test(), q=test())} }}" for i in range(5)
    ]
    head = "bit a, b, c; chan r = [0] of { bit }; chan q = [1] of { bit };"
    return parse_promela("\n".join([head, *processes, *asked]))


def subject(model: Model, reduction: Reduction, cycles: str = "components") -> LinearTime:
    evidence = Evidence(model, weak=True)
    return LinearTime(evidence, Budget(60.0, None), None, reduction, Method(cycles=cycles))


def compared(model: Model, seed: int, tally: Tally, limit: int) -> list[str]:
    """What differs on the model of a seed."""
    asked = [p for p in model.properties if p.kind == "ltl"]
    try:
        semantics = Semantics(model)
        graph = semantics.reachable(limit)
        movers = semantics.movers
    except (InputError, PlaitError):
        tally["left out"] += 1
        return []
    if not asked or len(movers.names) < 2:
        tally["left out"] += 1
        return []
    tally["models"] += 1
    ample = Reduction("stubborn", PERSISTENT[seed % len(PERSISTENT)])
    found: list[str] = []
    answers = {
        "product": subject(model, Reduction()).check(asked),
        "nested": subject(model, Reduction(), "nested").check(asked),
        "reduced": subject(model, ample).check(asked),
        "reduced, nested": subject(model, ample, "nested").check(asked),
        "reference": [semantics.check(p, graph=graph, weak=True) for p in asked],
    }
    for place, p in enumerate(asked):
        assert isinstance(p.body, Formula)
        copies = Copies(semantics, graph, p.body)
        expected = "false" if copies.is_violated else "true"
        unfair = semantics.check(p, graph=graph).verdict
        tally[f"verdicts {expected}"] += 1
        tally["decided by fairness"] += unfair != expected
        if copies.size > len(graph.states) * len(copies.automaton.arcs) * (copies.last + 1):
            found.append(f"seed {seed}: more copies than there can be")
        for name, given in answers.items():
            answer = given[place]
            if answer.verdict != expected:
                said = f"{name} says {answer.verdict}, not {expected}: {answer.reason}"
                found.append(f"seed {seed}, {p.name}: {said}")
            elif expected == "false":
                assert answer.witness is not None
                semantics.confirm(p, answer.witness, weak=True)
                tally["runs replayed"] += 1
    return found


def hunted(seeds: range, tally: Tally, limit: int) -> list[str]:
    found: list[str] = []
    for seed in seeds:
        made = random_model(Seeded(seed), MIXES[seed % len(MIXES)])
        found += compared(made, seed, tally, limit)
        found += compared(random_processes(seed), seed, tally, 2 * limit)
    return found


@blocks(70_008, 16, 16)
def test_fair_runs_are_those_of_the_textbook_and_reduction_keeps_them(
    seeds: range, record_property: Record
) -> None:
    """covers: A7, A14, A16, A17, A38, P61"""
    tally = Tally()
    failures = hunted(seeds, tally, 100)
    record_property("tally", dict(tally))
    assert not failures, "\n".join(failures)
    assert tally["models"] > len(seeds)
    assert tally["decided by fairness"] > 0
    assert min(tally["verdicts true"], tally["verdicts false"]) > len(seeds) // 2


@pytest.mark.soak
@blocks(SOAK_FIRST, SOAK // 20, 200)
def test_fair_runs_are_those_of_the_textbook_at_length(
    seeds: range, record_property: Record
) -> None:
    tally = Tally()
    failures = hunted(seeds, tally, 300)
    record_property("tally", dict(tally))
    assert not failures, "\n".join(failures)
