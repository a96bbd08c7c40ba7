"""Partial exploration: every verdict against the reference, and which questions it refuses."""

from itertools import product

import pytest
from tests.engines.partial.programs import partial, questions, small_models

from plait.engines import Budget, Tuning, check, states
from plait.engines.partial.process_model import RULES
from plait.engines.symbolic.tuning import LTL_WAYS, PartialTuning
from plait.errors import InputError
from plait.lang.milestones import parse
from plait.logic.parse import parse_formula
from plait.model.types import Model, Property
from plait.models import producers_consumers, running_example
from plait.reference import Semantics
from plait.testing.choices import Seeded
from plait.testing.random_milestones import program


@pytest.mark.parametrize(("variant", "rule"), list(product([1, 2, 3], RULES)))
def test_formulas_without_next_have_the_verdicts_of_the_reference(variant: int, rule: str) -> None:
    """covers: M37, M51, M59, M60"""
    seen, reduced = set(), 0
    for number, model in enumerate(small_models()[variant - 1 :: 3]):
        asked = list(questions(model, 10 * number + variant, 3))
        semantics = Semantics(model)
        answers = check(model, asked, engine="symbolic", tuning=partial(variant, rule=rule))
        for answer in answers:
            expected = semantics.check(answer.property).verdict
            assert answer.verdict == expected, (model.name, number, answer.property.body)
            seen.add(answer.verdict)
            reduced += bool(answer.stats.get("safe_events"))
    assert seen == {"true", "false"}
    assert reduced > 2, "the reduction was at work"


@pytest.mark.soak
@pytest.mark.parametrize("block", range(20))
def test_many_more_programs_have_the_verdicts_of_the_reference(block: int) -> None:
    for seed in range(10_000 + 100 * block, 10_100 + 100 * block):
        model = parse(program(Seeded(seed), open_values=2, nonlinear=20).text())
        if not 8 <= states(model, budget=Budget(states=300)).states < 300:
            continue
        asked = [*questions(model, seed, 4), Property("deadlock", "deadlock")]
        semantics = Semantics(model)
        tuning = partial(1 + seed % 3, rule=RULES[seed // 3 % 2])
        for answer in check(model, asked, engine="symbolic", tuning=tuning):
            expected = semantics.check(answer.property).verdict
            assert answer.verdict == expected, (seed, answer.property.body)


OPERATORS = ("EX {}", "EF {}", "EG {}", "E[{} U {}]", "AX {}", "AF {}", "AG {}", "A[{} U {}]")


def test_every_operator_has_one_verdict_backward_and_forward() -> None:
    """covers: M50, M51"""
    for number, model in enumerate(small_models()[:8]):
        a, b = (f"{n} == {number % 2}" for n in ("g0", "p0[0].pc"))
        inner = OPERATORS[number % 8].format(f"({b})", f"({a})")
        texts = [*(o.format(f"({a})", f"({b})") for o in OPERATORS), f"AG ({a} -> {inner})"]
        asked = [parse_formula(f"ctl: {text}", model) for text in texts]
        expected = [Semantics(model).check(p).verdict for p in asked]
        for way in ("backward", "forward"):
            tuning = Tuning(ctl=way, witnesses=False)  # type: ignore[arg-type]
            answers = check(model, asked, engine="symbolic", tuning=tuning)
            assert [answer.verdict for answer in answers] == expected
        kept = [i for i, text in enumerate(texts) if "X" not in text]
        answers = check(model, [asked[i] for i in kept], engine="symbolic", tuning=partial())
        assert [answer.verdict for answer in answers] == [expected[i] for i in kept]


def test_linear_time_has_one_verdict_by_every_method() -> None:
    """covers: M61"""
    model = running_example()
    asked = model.properties[1:]
    for engine in ("auto", "explicit", "reference", "bounded"):
        assert check(model, asked, engine=engine)[0].verdict == "false"
    for way in LTL_WAYS:
        assert check(model, asked, engine="symbolic", tuning=Tuning(ltl=way))[0].verdict == "false"
    for engine in ("symbolic", "bounded"):
        (answer,) = check(model, asked, engine=engine, tuning=partial())
        assert (answer.verdict, answer.replayed) == ("false", True)


def test_infinite_paths_alone_may_count() -> None:
    tuning = partial()
    for number, model in enumerate(small_models()[:10]):
        asked = list(questions(model, 7_000 + number, 3))
        ours = check(model, asked, engine="symbolic", tuning=tuning, infinite=True)
        theirs = check(model, asked, engine="reference", infinite=True)
        assert [a.verdict for a in ours] == [a.verdict for a in theirs]


def test_reachability_and_bounds_have_the_answers_of_the_reference() -> None:
    """covers: M104"""
    for number, model in enumerate(small_models()[:12]):
        names = [n for n in Semantics(model).cells if n.startswith(("g", "p"))]
        name = names[number % len(names)]
        asked = [
            parse_formula(f"reachable: {name} == 1", model, name="r"),
            parse_formula(f"never: {name} > 1 && {names[0]} == 0", model, name="n"),
            parse_formula(f"invariant: {name} + {names[-1]} < 3", model, name="i"),
            parse_formula(f"bounds: {name} - {names[0]}", model, name="b"),
        ]
        semantics = Semantics(model)
        tuning = partial(1 + number % 3, rule=RULES[number % 2])
        saturated = check(model, asked, engine="symbolic")
        for answer, other in zip(
            check(model, asked, engine="symbolic", tuning=tuning), saturated, strict=True
        ):
            expected = semantics.check(answer.property)
            assert (answer.verdict, answer.value) == (other.verdict, other.value)
            assert answer.verdict == expected.verdict
            assert answer.value == expected.value
            if answer.verdict == ("true" if answer.property.kind == "reachable" else "false"):
                assert answer.witness is not None


def answer_of(model: Model, text: str, tuning: Tuning | None = None, **more: object) -> object:
    formula = parse_formula(text, model)
    return check(model, [formula], engine="symbolic", tuning=tuning or partial(), **more)[0]  # type: ignore[arg-type]


def test_the_formula_of_the_running_example_holds_in_every_way() -> None:
    """covers: M49, M53"""
    model = running_example()
    asked = model.properties[0]
    for tuning in (
        Tuning(ctl="backward"),
        Tuning(ctl="forward"),
        partial(1),
        partial(2),
        partial(3),
    ):
        (answer,) = check(model, [asked], engine="symbolic", tuning=tuning)
        assert answer.verdict == "true"
    assert answer.stats["forward"] == ["PE(Init, true) * !(EF (g == 1)) != 0"]
    assert answer.stats["backward"] is True
    assert answer.stats["explorations"] == 1


def test_nested_untils_are_explored_forward_all_of_them() -> None:
    """The shape of property p6 of the thesis.

    covers: M52
    """
    model = producers_consumers(1)
    text = "!(EF (buffer == 1 && E[!(full == 2) U (full == 2 && E[!(mutex == 0) U empty == 0])]))"
    (answer,) = check(model, [parse_formula(text, model)], engine="symbolic", tuning=partial())
    assert answer.verdict == check(model, [parse_formula(text, model)])[0].verdict
    assert answer.stats["explorations"] == 3
    assert answer.stats["backward"] is False
    assert len(answer.stats["forward"]) == 1  # type: ignore[arg-type]


def test_disjunctions_split_and_answers_to_requests_are_endless_paths() -> None:
    """covers: M54, M55"""
    model = producers_consumers(1)
    (answer,) = check(
        model,
        [parse_formula("AG (buffer == 1 -> AF buffer == 0)", model)],
        engine="symbolic",
        tuning=partial(),
    )
    assert answer.verdict == "false"
    assert answer.stats["forward"] == [
        "EH(PE(PE(Init, true) * !(buffer != 1), !(buffer == 0)) * !(buffer == 0)) != 0"
    ]
    assert answer.stats["backward"] is False
    (split,) = check(
        model,
        [parse_formula("EF (EG buffer == 7 || E[buffer < 2 U buffer == 2])", model)],
        engine="symbolic",
        tuning=partial(),
    )
    assert (split.verdict, split.stats["explorations"]) == ("true", 3)


def test_several_initial_states_must_all_satisfy_a_formula() -> None:
    """The first step is taken by all events, so that its X costs no reduction.

    covers: M56
    """
    model = parse(
        "ACTION a END VARIABLE x:1; y:1:=0; END MAIN PROC END CASE [a] x == 1 : y := 1; END END "
        "CTL x == 0; EF y == 1; AG (y == 0 | x == 1); E[y == 0 U y == 1] | AG y == 0; END"
    )
    answers = check(model, engine="symbolic", tuning=partial())
    assert [a.verdict for a in answers] == ["false", "false", "true", "true"]


@pytest.mark.parametrize(
    "text", ["EF EX g == 1", "AG (g == 0 -> AX g == 1)", "E[EX g == 0 U g == 1]"]
)
def test_a_next_that_counts_steps_is_refused_and_explained(text: str) -> None:
    """covers: M57"""
    model = running_example()
    with pytest.raises(InputError, match="tells states apart that partial exploration") as raised:
        answer_of(model, text)
    assert raised.value.diagnostics[0].hint is not None
    assert "--ctl forward" in raised.value.diagnostics[0].hint


def test_outermost_steps_are_taken_in_full() -> None:
    for text in ("EX a[0].x == 1", "AX (b[0].y == 1 || a[0].x == 1)", "AX EX EF g == 1"):
        model = running_example()
        formula = parse_formula(text, model)
        (answer,) = check(model, [formula], engine="symbolic", tuning=partial())
        assert answer.verdict == Semantics(model).check(formula).verdict


def test_events_that_are_not_linear_are_for_linear_time_only() -> None:
    """covers: M39, M58"""
    model = parse(
        "ACTION go END VARIABLE g:2:=0; END LOCAL P ACTION a; b END VARIABLE pc:2:=0; END "
        "CASE [0][a] true : pc := 1; [0][b] true : pc := 2; END END "
        "MAIN PROC p : P[2]; END CASE [go] p[0].pc == 1 & p[1].pc == 2 : g := 1; END END"
    )
    ctl = states(model, tuning=partial(keep="ctl"))
    ltl = states(model, tuning=partial(keep="ltl"))
    assert (ctl.stats["safe_events"], ltl.stats["safe_events"]) == (0, 4)
    assert ctl.states == states(model).states > ltl.states
    assert states(model, tuning=partial(keep="deadlocks")).stats["safe_events"] == 4


def test_that_events_are_linear_may_be_assumed_and_is_told() -> None:
    """covers: M27"""
    model = parse(
        "VARIABLE g:1:=0; END LOCAL P ACTION a; b END VARIABLE pc:2:=0; END "
        "CASE [0][a] true : pc := 1; [0][b] true : pc := 2; END END "
        "MAIN PROC p : P[2]; END CASE END END"
    )
    tuning = Tuning(strategy="partial", partial=PartialTuning(assume_linear=True))
    space = states(model, tuning=tuning)
    assert space.stats["safe_events"] == 4
    assert any("assumed, not checked" in note for note in space.notes)
    (answer,) = check(model, [parse_formula("EF g == 1", model)], tuning=tuning)
    assert any("assumed, not checked" in note for note in answer.notes)
