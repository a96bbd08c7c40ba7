"""Traces with fewer changes between processes, held against all orders that exchanges lead to."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import pytest
from tests.lang.random_families import family

from plait.engines import check
from plait.engines import fewer_switches as module
from plait.engines.evidence import Evidence
from plait.engines.fewer_switches import fewer_switches, in_order
from plait.errors import InputError, ModelError
from plait.lang.promela import parse
from plait.logic.parse import parse_formula
from plait.model.expr import Formula
from plait.model.shape import State
from plait.model.types import Model
from plait.records import replace
from plait.reference import Semantics
from plait.report.answer import Step, Witness

Who = tuple[frozenset[str], ...]


def walk(semantics: Semantics, steps: int, chance: random.Random) -> Witness:
    """A random run, which a deadlock or an error may end."""
    state, taken = semantics.initial, list[Step]()
    for _ in range(steps):
        try:
            arcs = semantics.successors(state)
        except ModelError:
            break
        if not arcs:
            break
        event, state = chance.choice(arcs)
        taken.append(Step(event, state))
    return Witness(semantics.initial, tuple(taken))


def movers(model: Model, run: Witness) -> Who:
    processes = (step.process for step in Evidence(model).annotate(run).steps)
    return tuple(frozenset(p.split(" & ")) if p else frozenset() for p in processes)


def execution(semantics: Semantics) -> Callable[[str, State], list[State]]:
    return lambda event, state: list(semantics.execute(semantics.event(event), state))


def switches(who: Who) -> int:
    return sum(a.isdisjoint(b) for a, b in pairwise(who))


def fewest(run: Witness, who: Who, execute: Callable[[str, State], list[State]]) -> int | None:
    """The fewest changes of all orders that exchanges lead to; None if these are many."""
    first = (tuple(s.event for s in run.steps), run.states, who)
    seen, left = {(first[0], first[1])}, [first]
    for events, states, movers in left:
        for at in range(len(events) - 1):
            if not (movers[at] and movers[at + 1] and movers[at].isdisjoint(movers[at + 1])):
                continue
            try:
                between = [
                    s
                    for s in execute(events[at + 1], states[at])
                    if states[at + 2] in execute(events[at], s)
                ]
            except ModelError:
                continue
            for state in between:
                order = [*events[:at], events[at + 1], events[at], *events[at + 2 :]]
                turned = [*movers[:at], movers[at + 1], movers[at], *movers[at + 2 :]]
                there = (*states[: at + 1], state, *states[at + 2 :])
                if (tuple(order), there) not in seen:
                    seen.add((tuple(order), there))
                    left.append((tuple(order), there, tuple(turned)))
                    if len(seen) > 600:
                        return None
    return min(switches(movers) for _, _, movers in left)


def test_the_order_is_a_run_of_the_same_steps_and_nearly_the_best_that_exchanges_lead_to() -> None:
    before = after = best = compared = 0
    for seed in range(150):
        try:
            model = parse(family(seed), f"family {seed}")
        except InputError:
            continue
        semantics = Semantics(model)
        run = walk(semantics, 14, random.Random(seed))
        who, execute = movers(model, run), execution(semantics)
        found = fewer_switches(run, who, execute)
        semantics.replay(found)
        assert found.states[-1] == run.states[-1]
        assert Counter(s.event for s in found.steps) == Counter(s.event for s in run.steps)
        changes = switches(movers(model, found))
        assert changes <= switches(who)
        least = fewest(run, who, execute)
        if least is not None:
            assert changes >= least
            before, after, best = before + switches(who), after + changes, best + least
            compared += 1
    assert compared > 60
    assert best < before * 0.8  # there is something to gain
    assert after - best < (before - best) * 0.1


def counting(processes: int, steps: int) -> Model:
    """Processes that count, each by itself."""
    loop = "do :: x < {n} -> x++ :: else -> break od"
    return parse(
        f"active [{processes}] proctype P() {{ byte x; {loop.replace('{n}', str(steps))} }}"
    )


@pytest.mark.parametrize("seed", range(5))
def test_processes_that_do_not_meet_move_one_after_the_other(seed: int) -> None:
    model = counting(4, 5)
    semantics = Semantics(model)
    run = walk(semantics, 40, random.Random(seed))
    who = movers(model, run)
    assert switches(who) > 20
    found = fewer_switches(run, who, execution(semantics))
    semantics.replay(found)
    assert switches(movers(model, found)) == 3


def test_a_step_of_nobody_stays_where_it_is() -> None:
    model = counting(2, 4)
    semantics = Semantics(model)
    run = walk(semantics, 12, random.Random(1))
    who = list(movers(model, run))
    who[6] = frozenset()
    found = fewer_switches(run, who, execution(semantics))
    assert found.steps[6] == run.steps[6]
    assert Counter(s.event for s in found.steps[:6]) == Counter(s.event for s in run.steps[:6])


def test_a_run_stays_as_it_is_when_nothing_may_be_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    model = counting(3, 4)
    run = walk(Semantics(model), 20, random.Random(2))
    who = movers(model, run)
    execute = execution(Semantics(model))
    assert fewer_switches(run, who, execute, go_on=lambda: False) == run
    monkeypatch.setattr(module, "EXCHANGES", 0)
    assert fewer_switches(run, who, execute) == run


FORMULAS = (
    "G (x == 0 || F y == 1)",
    "(x == 0) U (y != 0)",
    "F G (x != y)",
    "G F (x == 1) -> F (y == 2)",
)


def turning(seed: int) -> Model:
    """Processes that go round, some of them through what is shared."""
    chance = random.Random(f"turning {seed}")
    steps = ("v = 1 - v", "v = 1 - v", "v == 0", "x = 1 - x", "y = (y + 1) % 3", "y = x", "x == 0")
    loops = ("; ".join(chance.choices(steps, k=chance.randint(2, 3))) for _ in range(3))
    bodies = (f"active proctype P{i}() {{ bit v; do :: {b} od }}" for i, b in enumerate(loops))
    return parse("byte x, y; " + " ".join(bodies), f"turning {seed}")


def lasso(semantics: Semantics, steps: int, chance: random.Random) -> Witness | None:
    """A random run that comes back to a state of its own."""
    run = walk(semantics, steps, chance)
    met = {state: i for i, state in reversed(list(enumerate(run.states)))}
    ends = [i for i, state in enumerate(run.states) if met[state] < i]
    if not ends:
        return None
    end = chance.choice(ends)
    return replace(run, steps=run.steps[:end], loop=met[run.states[end]])


def test_formulas_without_next_hold_on_a_lasso_in_order_just_where_they_held_on_it() -> None:
    fewer, verdicts = 0, Counter[bool]()
    for seed in range(80):
        model = turning(seed)
        semantics = Semantics(model)
        found = lasso(semantics, 80, random.Random(seed))
        if found is None:
            continue
        run = Evidence(model).annotate(found)
        for text in FORMULAS:
            asked = parse_formula(text, model, kind="ltl")
            assert isinstance(asked.body, Formula)
            ordered = in_order(semantics, asked, run, execution(semantics))
            semantics.replay(ordered)
            holds = semantics.holds_on_lasso(asked.body, run)
            assert semantics.holds_on_lasso(asked.body, ordered) == holds
            verdicts[holds] += 1
            fewer += switches(movers(model, ordered)) < switches(movers(model, run))
    assert fewer > 40
    assert min(verdicts[True], verdicts[False]) > 40


MEETING = """
byte x;
chan c = [1] of { byte };
active proctype A() { byte i; i = 1; i = 2; c!i; x = 7 }
active proctype B() { byte j; j = 4; j = 5; c?j; assert(x != 7) }
"""


@pytest.mark.parametrize("engine", ["explicit", "symbolic", "bounded", "reference"])
def test_a_trace_changes_between_processes_only_where_they_meet(engine: str) -> None:
    model = parse(MEETING)
    asked = next(p for p in model.properties if p.name.startswith("assertion"))
    [answer] = check(model, [asked], engine=engine)
    assert answer.verdict == "false"
    assert answer.witness is not None
    assert answer.replayed
    assert switches(movers(model, answer.witness)) == 1
    assert all(step.span is not None for step in answer.witness.steps)


ENDLESS = """
bit a, b, c;
active proctype Q() { do :: b = 1; atomic { a == 0; b = 0 } od }
active proctype P() { do :: a = 1; a = 0 od }
active proctype R() { atomic { a == 1 && b == 0; do :: skip od } }
ltl f { <> c }
"""


def test_a_run_stays_as_it_is_where_the_model_goes_wrong_beside_a_calmer_one() -> None:
    """In P P Q Q there is a state that the search has not met, where R never leaves its block."""
    model = parse(ENDLESS)
    [answer] = check(model, [model.property("f")], engine="explicit", weak=True)
    assert answer.verdict == "false"
    assert answer.witness is not None
    assert [step.process for step in answer.witness.steps] == ["Q_0", "P_1", "P_1", "Q_0"]
