"""The quotient of a coloured net answers as the net does, and merges no more than it may."""

from pathlib import Path

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st
from tests.cli.command import Command
from tests.colour.nets import (
    DOT,
    arc,
    const,
    document,
    enumeration,
    every,
    net,
    op,
    place,
    times,
    transition,
    var,
    variable,
)
from tests.colour.random_coloured import DECLARED, SORTS, marked_places, questions, verdicts

from plait.cli.skeleton import skeleton_facts, with_facts
from plait.colour.net import ColouredNet
from plait.colour.quotient import quotient
from plait.colour.skeleton import skeleton
from plait.colour.unfold import unfold
from plait.engines import Budget, check, states
from plait.logic.folding import Vocabulary
from plait.logic.formula import Exists, Finally, Forall, Next
from plait.model.expr import FALSE, And, Compare, Const, Formula
from plait.model.types import Property

C_TERMS = [*map(var, "xxxyy"), op("successor", var("x")), const("C1")]
F_TERMS = [*map(var, "zzz"), const("F0")]
GUARDS = [
    "",
    "",
    op("lessthan", var("x"), const("C1")),
    op("inequality", var("y"), const("C1")),
    op("equality", var("x"), var("y")),
    op("and", op("lessthanorequal", var("x"), const("C1")), op("equality", var("z"), const("F0"))),
    op("or", op("equality", var("z"), const("F1")), op("lessthanorequal", var("x"), const("C1"))),
]


def terms(sort: str, puts: bool) -> st.SearchStrategy[str]:
    """A bag of one summand; what is put may be every colour."""
    some = {"C": [every("C")], "F": [every("F")]} if puts else {"C": [], "F": []}
    if sort == "CF":
        c, f = st.sampled_from(C_TERMS + some["C"]), st.sampled_from(F_TERMS + some["F"])
        return st.tuples(c, f).map(lambda pair: op("tuple", *pair))
    choices = {"C": C_TERMS + some["C"], "F": F_TERMS + some["F"], "dot": [DOT]}
    return st.sampled_from(choices[sort])


@st.composite
def nets(draw: st.DrawFn) -> ColouredNet:
    """A net whose events never add tokens, in which some colours are alike."""
    parts = draw(marked_places())
    for number in range(draw(st.integers(1, 3))):
        name = f"t{number}"
        parts.append(transition(name, draw(st.sampled_from(GUARDS))))
        for kind in draw(st.lists(st.sampled_from("iiootv"), min_size=1, max_size=4)):
            where = draw(st.sampled_from(sorted(SORTS)))
            bag = draw(terms(SORTS[where], puts=kind == "o"))
            if draw(st.integers(0, 7)) == 0:
                bag = times(2, bag)
            if kind == "o":
                parts.append(arc(name, where, bag))
            else:
                parts.append(arc(where, name, bag, {"t": "test", "v": "inhibitor"}.get(kind, "")))
    found = net(DECLARED, *parts)
    for event in found.events:
        change = {"in": -1, "out": 1, "inhibitor": 0}
        assume(sum(change[a.kind] * a.bag.size for a in event.arcs) <= 0)
    return found


@settings(max_examples=35, deadline=None, phases=[Phase.generate])
@given(nets())
def test_random_nets_and_their_quotients_have_the_same_answers(found: ColouredNet) -> None:
    smaller = quotient(found)
    assume(smaller is not found)
    models = unfold(found), unfold(smaller)
    for model in models:
        assume(states(model, budget=Budget(states=400)).complete)
    assert verdicts(models[0]) == verdicts(models[1])


@settings(max_examples=12, deadline=None, phases=[Phase.generate])
@given(nets())
def test_facts_of_the_skeleton_change_no_answer(found: ColouredNet) -> None:
    model, plain = unfold(found), skeleton(found)
    assume(states(model, budget=Budget(states=200)).complete)
    with pytest.MonkeyPatch.context() as patch:
        # Not as long as there is time.
        patch.setattr("plait.engines.nets.facts.MOST_STEPS", 3_000)
        facts = skeleton_facts(plain, questions(plain), Budget(2000.0))
    asked = [p for p in questions(model) if p.kind in ("ctl", "ltl")]
    simpler = [with_facts(p, facts.get(p.name, ())) for p in asked]
    with_and_without = [
        [a.verdict for a in check(model, some, engine="reference")] for some in (asked, simpler)
    ]
    assert with_and_without[0] == with_and_without[1]


def test_facts_of_the_skeleton_are_put_in() -> None:
    """Three tokens, whatever their colours: there never are four."""
    found = net(
        [enumeration("C", 3), variable("x", "C")],
        place("p", "C", every("C")),
        place("q", "C"),
        transition("t"),
        arc("p", "t", var("x")),
        arc("t", "q", var("x")),
    )
    bodies = []
    for model in (skeleton(found), unfold(found)):
        tokens = Vocabulary(model).tokens
        four: Formula = Compare(">=", tokens(("q",)), Const(4))
        three: Formula = Compare("<=", tokens(("p",)), Const(3))
        bodies.append(Forall(Finally(And((Exists(Next(four)), three)))))
    plain, unfolded = (Property("f", kind="ctl", body=body) for body in bodies)
    facts = skeleton_facts(skeleton(found), [plain], Budget(2000.0))
    assert facts == {"f": [False, True]}
    assert with_facts(unfolded, facts["f"]).body == FALSE
    assert with_facts(unfolded, [False]) is unfolded, "facts of another formula"


def sizes(found: ColouredNet) -> dict[str, list[int]]:
    return {p.name: [basic.size for basic in p.sort] for p in quotient(found).places}


def test_colours_that_only_guards_tell_apart_become_classes() -> None:
    found = net(
        [enumeration("C", 9), variable("x", "C")],
        place("p", "C", every("C")),
        place("q", "C"),
        transition("low", op("lessthan", var("x"), const("C4"))),
        arc("p", "low", var("x")),
        arc("low", "q", var("x")),
        transition("any"),
        arc("q", "any", var("x")),
        arc("any", "p", every("C")),
    )
    assert sizes(found) == {"p": [2], "q": [2]}
    classes = quotient(found)
    assert dict(classes.places[0].initial) == {(0,): 4, (1,): 5}
    back = next(a for a in classes.events[1].arcs if a.kind == "out")
    assert back.bag.colours({"x": 0}, classes.places[0].sort) == {(0,): 4, (1,): 5}


APART = {
    "a variable that must agree with itself": [arc("p", "t", var("x")), arc("q", "t", var("x"))],
    "two tokens of one colour": [arc("p", "t", times(2, var("x"))), arc("q", "t", var("y"))],
    "a token of every colour": [arc("p", "t", every("C")), arc("q", "t", every("C"))],
    "variables that are compared": [arc("p", "t", var("x")), arc("q", "t", var("y"))],
    "a successor": [arc("p", "t", var("x")), arc("t", "q", op("successor", var("x")))],
    "an inhibitor": [
        arc("p", "t", var("x"), "inhibitor"),
        arc("q", "t", var("x")),
    ],
}


@pytest.mark.parametrize("case", APART)
def test_colours_stay_apart_for(case: str) -> None:
    guard = op("inequality", var("x"), var("y")) if "compared" in case else ""
    found = net(
        [enumeration("C", 3), variable("x", "C"), variable("y", "C")],
        place("p", "C", every("C")),
        place("q", "C", every("C")),
        transition("t", guard),
        *APART[case],
    )
    assert sizes(found)["p"] == [3]


def test_a_constant_that_is_taken_is_a_class_of_its_own() -> None:
    found = net(
        [enumeration("C", 5), variable("x", "C")],
        place("p", "C", every("C")),
        transition("one"),
        arc("p", "one", const("C3")),
        transition("any"),
        arc("p", "any", var("x")),
        arc("any", "p", const("C1")),
    )
    assert sizes(found) == {"p": [2]}
    assert dict(quotient(found).places[0].initial) == {(0,): 4, (1,): 1}


def test_the_contest_is_answered_where_an_unfolding_would_be_too_large(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three hundred colours for each of five variables: 10^12 bindings, and one class."""
    data = document(
        [enumeration("C", 300), *(variable(v, "C") for v in "abcde")],
        place("p", "C", every("C")),
        place("q", "C"),
        transition("t"),
        *(arc("p", "t", var(v)) for v in "abcde"),
        arc("t", "q", var("a")),
    )
    (tmp_path / "model.pnml").write_bytes(data)
    done = Command(capsys)("mcc", "ReachabilityDeadlock", tmp_path)
    assert done.out.startswith("FORMULA ReachabilityDeadlock TRUE")
