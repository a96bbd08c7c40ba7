"""LTL on the native product: conventions, runs, limits, and ample sets on textbook examples."""

from __future__ import annotations

import pytest

from plait import parse
from plait.engines import Budget, Reduction, check
from plait.engines.evidence import Evidence
from plait.engines.explicit.linear import LinearTime
from plait.errors import LimitReached
from plait.logic.formula import Next
from plait.logic.parse import parse_formula
from plait.model.expr import Formula
from plait.model.types import Model, Property
from plait.report.answer import Answer

STEP = "gal step { int x = 0; transition go [x == 0] { x = 1; } } main step;"
"""Two states; the second is a deadlock."""
COUNTER = """
gal counter {
  int x = 0;
  transition up [x < 1000] { x = x + 1; }
  transition stay [x == 5] { x = 5; }
}
main counter;
"""
TURNS = """
gal turns {
  int turn = 0; array[2] at = (0, 0);
  transition enter0 [at[0] == 0 && turn == 0] { at[0] = 1; }
  transition leave0 [at[0] == 1] { at[0] = 0; turn = 1; }
  transition enter1 [at[1] == 0 && turn == 1] { at[1] = 1; }
  transition leave1 [at[1] == 1] { at[1] = 0; turn = 0; }
}
main turns;
"""
LATE = """
gal late {
  int x = 0; int y = 0; int at = 0; int done = 0;
  transition set [done == 0] { x = 1; done = 1; }
  transition skip [at == 0] { at = 1; }
  transition write [at == 1 && x == 0] { y = 1; at = 2; }
}
main late;
"""
"""Process 1: x := 1. Process 2: skip; [x == 0] y := 1."""
HOLZMANN = """
gal two {
  int x = 0; int y = 0; int g = 0; int a = 0; int b = 0;
  transition a1 [a == 0] { x = 1; a = 1; }
  transition a2 [a == 1] { g = g + 2; a = 2; }
  transition b1 [b == 0] { y = 1; b = 1; }
  transition b2 [b == 1] { g = g * 2; b = 2; }
}
main two;
"""


def independent(count: int) -> str:
    """So many processes with a step each."""
    events = " ".join(f"transition e{i} [x[{i}] == 0] {{ x[{i}] = 1; }}" for i in range(count))
    zeros = ", ".join("0" for _ in range(count))
    return f"gal many {{ array[{count}] x = ({zeros}); int seen = 0; {events} }} main many;"


def linear(
    text: str | Model,
    formula: str,
    *,
    reduction: str = "none",
    budget: Budget | None = None,
) -> Answer:
    """The answer of the native product to one formula."""
    model = parse(text).model if isinstance(text, str) else text
    asked = parse_formula(f"ltl: {formula}", model)
    engine = LinearTime(Evidence(model), budget or Budget(), reduction=Reduction(reduction))
    [answer] = engine.check([asked])
    return answer


@pytest.mark.parametrize(
    ("formula", "verdict"),
    [
        ("x == 0", "true"),
        ("x == 1", "false"),
        ("!(x == 0)", "false"),
        ("X x == 1", "true"),
        ("X x == 0", "false"),
        ("X X x == 1", "true"),
        ("F G x == 1", "true"),
        ("G F x == 0", "false"),
        ("x == 0 U x == 1", "true"),
        ("x == 1 R x == 0", "false"),
        ("x == 0 W x == 2", "false"),
        ("x == 1 M x <= 1", "true"),
        ("F deadlock", "true"),
        ("G enabled(go)", "false"),
        ("enabled(go) U deadlock", "true"),
    ],
)
def test_the_automaton_reads_the_state_where_the_run_is_and_a_deadlock_repeats(
    formula: str, verdict: str
) -> None:
    """covers: A3, A4"""
    answer = linear(STEP, formula)
    assert answer.verdict == verdict
    [expected] = check(parse(STEP).model, [answer.property], engine="reference")
    assert expected.verdict == verdict
    assert (answer.witness is not None) == (verdict == "false") == answer.replayed


def test_a_violation_is_a_path_and_a_cycle_that_replay() -> None:
    answer = linear(COUNTER, "F x == 6")
    assert answer.verdict == "false"
    assert answer.replayed
    assert answer.witness is not None
    assert [s.event for s in answer.witness.steps] == ["up"] * 5 + ["stay"]
    assert answer.witness.loop == 5


def test_a_deadlock_at_the_end_of_a_run_is_a_loop_by_itself() -> None:
    answer = linear(STEP, "G F x == 0")
    assert answer.witness is not None
    assert answer.witness.loop == len(answer.witness.steps) == 1


def test_an_early_violation_needs_a_part_of_the_states_only() -> None:
    """covers: A27, P60"""
    answer = linear(COUNTER, "G F x == 7")
    assert answer.verdict == "false"
    early = linear(COUNTER, "X X x == 0")
    assert early.verdict == "false"
    states = early.stats["states"]
    assert isinstance(states, int)
    assert states <= 8


def test_what_the_automaton_does_not_ask_for_is_not_generated() -> None:
    """covers: A28"""
    answer = linear(COUNTER, "x == 0 -> X x == 1")
    assert answer.verdict == "true"
    assert answer.stats["states"] == 2


def test_an_answer_tells_the_size_of_the_product_and_of_the_automaton() -> None:
    """covers: A13, A26"""
    answer = linear(COUNTER, "G (x == 3 -> F x == 5)")
    assert answer.verdict == "true"
    assert answer.stats["states"] == 1001
    assert answer.stats["product_states"] == 1003, "only x = 3 and x = 4 are met twice"
    assert answer.stats["automaton_states"] == 2
    assert answer.stats["acceptance_sets"] == 1
    assert {"automaton_arcs", "product_arcs", "letters", "depth"} <= set(answer.stats)


def test_a_formula_that_no_run_can_violate_needs_no_search() -> None:
    answer = linear(COUNTER, "F x == 3 || G x != 3")
    assert answer.verdict == "true"
    assert "states" not in answer.stats
    assert answer.notes == ("no run at all violates it",)


def test_several_acceptance_sets_must_all_be_met() -> None:
    text = """
    gal ring {
      int x = 0;
      transition next { x = (x + 1) % 4; }
      transition back [x == 2] { x = 1; }
    }
    main ring;
    """
    assert linear(text, "!(G F x == 0 && G F x == 2 && G F x == 3)").verdict == "false"
    assert linear(text, "!(G F x == 0 && G F x == 5)").verdict == "true"
    assert linear(text, "G F x == 1 && (F G (x == 1 || x == 2) || G F x == 3)").verdict == "true"
    answer = linear(text, "!(F G x != 0 && G F x == 1)")
    assert answer.verdict == "false"
    assert answer.witness is not None
    assert len(answer.witness.steps) <= 4


def test_properties_of_a_call_share_the_graph() -> None:
    model = parse(COUNTER).model
    asked = [
        parse_formula(f"ltl: {f}", model)
        for f in ("G (x == 3 -> F x == 5)", "F x == 900", "x == 0 U x == 1")
    ]
    told: list[int] = []
    engine = LinearTime(Evidence(model), Budget())
    answers = engine.check(asked, lambda place, answer: told.append(place))
    assert [a.verdict for a in answers] == ["true", "false", "true"]
    assert told == [0, 1, 2]
    assert [a.stats["states"] for a in answers] == [1001, 1001, 1001]


@pytest.mark.parametrize("engine", ["auto", "explicit"])
def test_large_models_are_answered_without_the_reference(engine: str) -> None:
    model = parse(COUNTER.replace("1000", "20000")).model
    asked = [parse_formula(f"ltl: {f}", model) for f in ("G (x < 7 -> F x == 5)", "F x == 6")]
    answers = check(model, asked, engine=engine)
    assert [a.verdict for a in answers] == ["false", "false"]
    assert {a.engine for a in answers} == {"explicit"}
    assert all(a.replayed for a in answers)


def test_small_models_are_answered_by_the_reference_unless_the_engine_is_chosen() -> None:
    model = parse(STEP).model
    asked = [parse_formula("ltl: G F x == 0", model)]
    assert check(model, asked)[0].engine == "reference"
    assert check(model, asked, engine="explicit")[0].engine == "explicit"


def test_a_formula_too_large_for_an_automaton_goes_to_the_reference() -> None:
    model = parse(STEP).model
    condition = parse_formula("ltl: x == 1", model).body
    assert isinstance(condition, Formula)
    late = condition
    for _ in range(2_500):
        late = Next(late)
    asked = [Property("late", kind="ltl", body=late)]
    [answer] = check(model, asked, engine="explicit")
    assert answer.verdict == "unknown"
    assert answer.reason is not None
    assert "too large" in answer.reason
    [answer] = check(model, asked, budget=Budget())
    assert answer.verdict == "true"


@pytest.mark.parametrize(
    ("budget", "reason"),
    [
        (Budget(states=100), "states"),
        (Budget(timeout=0.0), "timeout"),
        (Budget(memory=1), "memory"),
    ],
)
def test_limits_end_a_search_with_a_reason(budget: Budget, reason: str) -> None:
    answer = linear(COUNTER, "F x == 1000 || G x < 1000", budget=budget)
    answer = linear(COUNTER, "G (x == 3 -> F x == 5)", budget=budget)
    assert (answer.verdict, answer.reason) == ("unknown", reason)


def test_a_property_that_a_limit_ended_leaves_the_graph_in_order() -> None:
    """The second formula is answered on the states that the first was allowed."""
    model = parse(COUNTER).model
    asked = [parse_formula(f"ltl: {f}", model) for f in ("F x == 900", "X x == 1", "F x == 3")]
    answers = LinearTime(Evidence(model), Budget(states=50)).check(asked)
    assert [a.verdict for a in answers][1:] == ["true", "true"]


def test_an_interrupt_ends_all_that_is_left() -> None:
    model = parse(COUNTER.replace("1000", "1000000000")).model
    asked = [parse_formula("ltl: G (x == 3 -> F x == 5)", model)] * 2

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    answers = LinearTime(Evidence(model), Budget(), stop).check(asked)
    assert [a.reason for a in answers] == ["interrupted", "interrupted"]


def test_an_error_of_a_listener_is_passed_on() -> None:
    model = parse(COUNTER.replace("1000", "1000000000")).model
    asked = [parse_formula("ltl: G (x == 3 -> F x == 5)", model)]

    def stop(*_: object) -> None:
        raise LimitReached("enough")

    with pytest.raises(LimitReached, match="enough"):
        LinearTime(Evidence(model), Budget(), stop).check(asked)


# --- ample sets -----------------------------------------------------------------------------------


def test_a_formula_with_next_is_not_reduced_and_the_answer_says_so() -> None:
    """covers: A30, P56"""
    answer = linear(independent(6), "X seen == 0", reduction="stubborn")
    assert answer.notes == ("no reduction: the formula may tell a state from its repetition",)
    assert "reduced_states" not in answer.stats
    # An X that does not matter is none.
    answer = linear(independent(6), "G F X seen == 1", reduction="stubborn")
    assert "reduced_states" in answer.stats


def test_what_the_whole_product_cannot_hold_is_asked_of_a_reduced_one() -> None:
    model = parse(independent(12)).model
    asked = [
        parse_formula(f"ltl: {formula}", model)
        for formula in ("F G seen == 0", "F G (x[0] == 1 && X x[0] + x[1] >= 1)")
    ]
    few = Budget(states=3_500)
    first, second = check(model, asked, budget=few)
    assert first.verdict == "true"
    assert first.stats["states"] == 13
    assert (second.verdict, second.engine) == ("true", "symbolic"), "it has an X"
    [alone] = check(model, asked[:1], engine="explicit", budget=few)
    assert (alone.verdict, alone.reason) == ("unknown", "states"), "nobody asked for a reduction"


def test_sleep_sets_are_not_for_ltl() -> None:
    answer = linear(independent(4), "F seen == 1", reduction="sleep")
    assert answer.notes == ("no reduction: sleep sets are not for LTL",)
    answer = linear(independent(4), "F seen == 1", reduction="ps+sleep")
    assert "reduction without sleep sets, which are not for LTL" in answer.notes


def test_independent_steps_that_nobody_sees_are_executed_in_one_order() -> None:
    """covers: A35"""
    formula = "G seen == 0 && F (seen == 1 || G F seen == 0)"
    full = linear(independent(8), formula)
    reduced = linear(independent(8), formula, reduction="stubborn")
    assert full.verdict == reduced.verdict == "true"
    assert full.stats["states"] == 2**8
    assert reduced.stats["states"] == 9


def test_an_event_that_may_disable_a_later_one_is_not_taken_alone() -> None:
    """The critical correction of the slides' condition C3.

    covers: A32
    """
    assert linear(LATE, "G !(y == 1) && F y == 0").verdict == "false"
    assert linear(LATE, "G !(y == 1) && F y == 0", reduction="stubborn").verdict == "false"


def test_events_that_a_formula_sees_are_executed_in_every_order() -> None:
    """covers: A33, A36, P55"""
    full = linear(HOLZMANN, "F g >= 2 && G (x >= 0)")
    hidden = linear(HOLZMANN, "F g >= 2 && G (g >= 0)", reduction="stubborn")
    seen = linear(HOLZMANN, "G (x >= y) && G F x >= 0", reduction="stubborn")
    assert (full.verdict, hidden.verdict, seen.verdict) == ("true", "true", "false")
    states = hidden.stats["states"]
    assert isinstance(states, int)
    assert isinstance(full.stats["states"], int)
    assert states < full.stats["states"]


def test_an_event_that_leads_back_to_its_state_is_no_ample_set() -> None:
    """A self-loop taken alone would put the other event off for ever.

    covers: A34
    """
    text = """
    gal loop {
      int x = 0; int y = 0;
      transition idle { y = 0; }
      transition work [x == 0] { x = 1; }
    }
    main loop;
    """
    for formula, verdict in (("G x == 0", "false"), ("F x == 1", "false"), ("G x <= 1", "true")):
        model = parse(text).model
        asked = parse_formula(f"ltl: {formula}", model)
        engine = LinearTime(Evidence(model), Budget(), reduction=Reduction("stubborn"))
        assert engine.check([asked])[0].verdict == verdict


def test_a_cycle_of_unseen_events_does_not_put_a_seen_one_off() -> None:
    """As in the slides: a loop of one process beside a step of another."""
    text = """
    gal loop {
      int at = 0; int p = 0;
      transition a [at == 0] { at = 1; }
      transition b [at == 1] { at = 2; }
      transition c [at == 2] { at = 0; }
      transition set [p == 0] { p = 1; }
    }
    main loop;
    """
    assert linear(text, "F G p == 0", reduction="stubborn").verdict == "false"
    assert linear(text, "F p == 1", reduction="stubborn").verdict == "false"
    assert linear(text, "G p == 0 || F G p == 1", reduction="stubborn").verdict == "true"


def test_what_is_executed_in_a_state_does_not_depend_on_the_automaton() -> None:
    """Siegel's point (CAV 2019): two locations must see the same reduced graph.

    Two processes go round; the automaton comes to each of their states in several locations.
    """
    text = """
    gal two {
      int a = 0; int b = 0; int p = 0;
      transition a1 [a == 0] { a = 1; }
      transition a2 [a == 1] { a = 0; }
      transition b1 [b == 0] { b = 1; }
      transition b2 [b == 1] { b = 2; p = 1; }
      transition b3 [b == 2] { b = 0; p = 0; }
    }
    main two;
    """
    for formula in ("F G p == 0", "G F p == 1", "F (p == 1 && F (p == 0 && F p == 1))"):
        full = linear(text, formula)
        reduced = linear(text, formula, reduction="stubborn")
        assert full.verdict == reduced.verdict == "false"
    holding = "p == 0 W b == 1"
    full, reduced = linear(text, holding), linear(text, holding, reduction="stubborn")
    assert full.verdict == reduced.verdict == "true"
    assert reduced.stats["reduced_states"] != 0


def test_mutual_exclusion_by_turns_holds_with_and_without_reduction() -> None:
    """covers: A40"""
    formula = "G !(at[0] == 1 && at[1] == 1) && G (turn == 0 -> (turn == 0 W turn == 1))"
    for reduction in ("none", "stubborn"):
        assert linear(TURNS, formula, reduction=reduction).verdict == "true"
    assert linear(TURNS, "G F at[1] == 1", reduction="stubborn").verdict == "true"


def test_a_formula_about_deadlocks_sees_every_event() -> None:
    """covers: A39"""
    answer = linear(independent(4), "(seen == 0) U deadlock", reduction="stubborn")
    assert answer.verdict == "true"
    assert answer.stats["states"] == 16
    assert "no reduction: every event may change what the formula asks for" in answer.notes


def test_whether_an_event_is_enabled_is_seen_by_those_that_decide_it() -> None:
    text = """
    gal watch {
      int a = 0; int b = 0; int c = 0;
      transition a1 [a == 0] { a = 1; }
      transition b1 [b == 0] { b = 1; }
      transition go [a == 1 && c == 0] { c = 1; }
    }
    main watch;
    """
    answer = linear(text, "F enabled(go)", reduction="stubborn")
    assert answer.verdict == "true"
    assert linear(text, "G !enabled(go) || F c == 1", reduction="stubborn").verdict == "true"
    assert linear(text, "F G enabled(go)", reduction="stubborn").verdict == "false"
    # What disables `go` must wait for `b1`, or the state where both can be seen is lost.
    text = text.replace("a == 1 && c == 0", "a == 0 && c == 0")
    answer = linear(text, "G (b == 0 || !enabled(go))", reduction="stubborn")
    assert answer.verdict == "false"
