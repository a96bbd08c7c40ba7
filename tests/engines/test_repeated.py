"""LTL by reachability of a repeated state: the verdicts of the tableau and of the reference."""

import random

import pytest

from plait.engines import Budget, Tuning, check, states
from plait.errors import InputError
from plait.lang.gal import parse as parse_gal
from plait.lang.milestones import parse
from plait.logic.parse import parse_formula
from plait.model.types import Model, Property
from plait.models import producers_consumers, running_example
from plait.reference import Semantics
from plait.testing.choices import Seeded
from plait.testing.random_milestones import program

FORMS = (
    "G F ({p})",
    "F G ({p})",
    "({p}) U ({q})",
    "G (({p}) -> F ({q}))",
    "(G F ({p})) -> (G F ({q}))",
    "F (({p}) && X ({q}))",
    "G (({p}) W ({q}))",
)


def asked(model: Model, text: str) -> Property:
    return parse_formula(f"ltl: {text}", model)


def test_a_repeated_state_has_the_verdict_of_the_tableau() -> None:
    """covers: M103"""
    verdicts = []
    seed = 0
    while len(verdicts) < 14:
        seed += 1
        assert seed < 100
        text = program(Seeded(seed), open_values=3, nonlinear=15, operations=("+", "-")).text()
        model = parse(text)
        if not 6 <= states(model, budget=Budget(states=41)).states <= 40:
            continue
        dice = random.Random(seed)
        names = [n for n in Semantics(model).cells if n.startswith(("g", "p"))]
        p, q = (f"{dice.choice(names)} == {dice.randrange(2)}" for _ in range(2))
        prop = asked(model, FORMS[seed % len(FORMS)].format(p=p, q=q))
        (by_tableau,) = check(model, [prop], engine="symbolic", tuning=Tuning(ltl="tableau"))
        for engine in ("explicit", "symbolic"):
            (answer,) = check(model, [prop], engine=engine, repeated=True)
            if (answer.reason or "").endswith("may be stopped in its midst"):
                break  # not for this method, as it says
            assert answer.verdict == by_tableau.verdict, (seed, engine)
            assert answer.replayed == (answer.verdict == "false")
        else:
            assert by_tableau.verdict == Semantics(model).check(prop).verdict
            verdicts.append(by_tableau.verdict)
    assert 3 <= verdicts.count("true") <= 11


def test_deadlocks_repeat_and_what_never_repeats_is_no_run() -> None:
    """Without acceptance sets a run still has to come back, or to end."""
    model = parse_gal("gal g { int x; transition up [x < 3] { x += 1; } }", "m")
    for text, verdict in (("F x == 3", "true"), ("G F x == 2", "false"), ("G x < 4", "true")):
        (answer,) = check(model, [asked(model, text)], engine="explicit", repeated=True)
        assert answer.verdict == verdict, text
    (answer,) = check(model, [asked(model, "X X x == 1")], engine="explicit", repeated=True)
    assert (answer.verdict, answer.replayed) == ("false", True)
    assert answer.witness is not None
    assert answer.witness.loop == len(answer.witness.steps) == 3


@pytest.mark.parametrize("text", ["F G x == 0 || F G y == 0", "F G y == 0 || F G x == 0"])
def test_what_must_be_met_again_and_again_is_noted_one_by_one(text: str) -> None:
    """A violation meets two conditions again and again; here one is met, and the other never."""
    model = parse_gal(
        "gal g { int x; int y; transition up [x == 0] { x = 1; }"
        " transition down [x == 1] { x = 0; } }",
        "m",
    )
    (answer,) = check(model, [asked(model, text)], engine="explicit", repeated=True)
    assert answer.verdict == "true"


def test_a_formula_is_proved_by_induction() -> None:
    model = parse_gal("gal g { int x; transition t [true] { x = 1 - x; } }", "m")
    (answer,) = check(model, [asked(model, "G F x == 0")], engine="bounded", repeated=True)
    assert (answer.verdict, answer.engine) == ("true", "k-induction")


def test_what_cannot_be_asked_in_this_way_is_said() -> None:
    model = producers_consumers(1)
    (answer,) = check(model, [asked(model, "G F deadlock")], repeated=True)
    assert answer.verdict == "unknown"
    assert answer.reason == "the formula asks which events are possible"
    divided = parse_gal("gal g { int x; transition t [true] { x = 4 / x; } }", "m")
    (answer,) = check(divided, [asked(divided, "G F x == 0")], repeated=True)
    assert answer.reason == "event t may be stopped in its midst"
    running = running_example()
    with pytest.raises(InputError, match="which is ctl"):
        check(running, running.properties, repeated=True)


def test_a_cell_that_is_not_there_stops_an_event_in_its_midst() -> None:
    """The index is a constant by then, but nobody has looked whether there is such a cell."""
    text = """
    typedef i = 0 .. 1;
    gal g { array [2] a; transition t (i $k) [a[0] == 0 && $k == 1] { a[$k + 1] = 1; } }
    """
    model = parse_gal(text, "m")
    prop = asked(model, "X a[0] == 1")
    for engine in ("explicit", "bounded"):
        (answer,) = check(model, [prop], engine=engine, repeated=True)
        assert answer.verdict in ("unknown", "false")
    (plain,) = check(model, [prop], engine="explicit")
    assert plain.verdict == "false"
