"""Prefix-closed languages of events as one more process."""

from itertools import product
from random import Random

import pytest

from plait.engines import Reduction, check
from plait.errors import InputError
from plait.lang.gal import parse
from plait.logic.safety_automaton import SafetyAutomaton, observed
from plait.model.types import Model
from plait.reference import Semantics

PRESETS = ("none", "sleep", "ps", "ps+prov", "ps+sleep+prov", "stubborn")
LOCKED = """gal locked { int lock = 0; int a = 0; int b = 0; int n = 0;
    transition enter_a [a == 0 && lock == 0] { lock = 1; a = 1; }
    transition leave_a [a == 1] { lock = 0; a = 0; }
    transition enter_b [b == 0 && lock == 0] { lock = 1; b = 1; }
    transition leave_b [b == 1] { lock = 0; b = 0; }
    transition count [n < 3] { n = n + 1; } }"""


def exclusion() -> SafetyAutomaton:
    """Nobody enters before the one inside has left."""
    return SafetyAutomaton(
        "free",
        {
            ("free", "enter_a"): "a",
            ("a", "leave_a"): "free",
            ("free", "enter_b"): "b",
            ("b", "leave_b"): "free",
        },
    )


@pytest.mark.parametrize("preset", PRESETS)
def test_an_order_of_events_is_checked_as_a_local_state_of_an_observer(preset: str) -> None:
    """covers: P49"""
    model = parse(LOCKED, "locked")
    watched, asked = observed(model, exclusion())
    (answer,) = check(watched, [asked], reduction=Reduction(preset, order="dfs"))
    assert answer.verdict == "true"
    # Without looking at the lock one may enter after the other.
    broken, asked = observed(parse(LOCKED.replace("&& lock == 0", ""), "broken"), exclusion())
    (answer,) = check(broken, [asked], reduction=Reduction(preset, order="dfs"))
    assert (answer.verdict, answer.replayed) == ("false", True)
    assert answer.witness is not None
    titles = [step.event.split(" [")[0] for step in answer.witness.steps]
    assert not exclusion().allows(titles)
    assert exclusion().allows(titles[:-1])


def shortest_refusal(model: Model, automaton: SafetyAutomaton) -> bool:
    """Whether the automaton cannot follow some run, by trying all of them."""
    semantics = Semantics(model)
    seen = {(semantics.initial, automaton.initial)}
    pending = list(seen)
    while pending:
        state, place = pending.pop()
        for title, after in semantics.successors(state):
            goes = automaton.arcs.get((place, title)) if title in automaton.alphabet else place
            if goes is None:
                return True
            if (after, goes) not in seen:
                seen.add((after, goes))
                pending.append((after, goes))
    return False


def test_on_random_automata_the_observer_agrees_with_trying_all_runs() -> None:
    """covers: P49"""
    model = parse(LOCKED, "locked")
    titles = ("enter_a", "leave_a", "enter_b", "leave_b", "count")
    verdicts = set()
    for seed in range(30):
        random = Random(seed)
        states = ("p", "q", "r")[: random.randint(1, 3)]
        watched = random.sample(titles, random.randint(1, 3))
        arcs = {
            arc: random.choice(states) for arc in product(states, watched) if random.random() < 0.8
        }
        automaton = SafetyAutomaton("p", arcs, frozenset(watched))
        observing, asked = observed(model, automaton)
        expected = "false" if shortest_refusal(model, automaton) else "true"
        for preset in ("none", "ps+prov", "ps+sleep+prov"):
            (answer,) = check(observing, [asked], reduction=Reduction(preset, order="dfs"))
            assert answer.verdict == expected, (seed, preset)
        verdicts.add(expected)
    assert verdicts == {"true", "false"}


def test_what_cannot_be_observed_is_refused() -> None:
    model = parse(LOCKED, "locked")
    with pytest.raises(InputError, match="called leave_c"):
        observed(model, SafetyAutomaton("s", {("s", "leave_c"): "s"}))
    with pytest.raises(InputError, match="has a 'lock'"):
        observed(model, exclusion(), "lock")
