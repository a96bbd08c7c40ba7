"""Hybrids of diagrams and automata have the answers of the reference."""

from collections import Counter

import pytest
from tests.engines.random_runs import questions

from plait.automata import Arc, Automaton, violating
from plait.automata.translate import Translation
from plait.engines.budget import Budget
from plait.engines.evidence import Evidence
from plait.engines.symbolic.hull import ForwardHull
from plait.engines.symbolic.hybrids import Hybrid
from plait.engines.symbolic.ltl import SymbolicLinear
from plait.engines.symbolic.observation import Observation
from plait.engines.symbolic.testing_hull import TgtaHull
from plait.errors import InputError
from plait.logic.parse import parse_formula
from plait.model.expr import Binary, Compare, Const, Formula, IntExpr, Var
from plait.model.net import Net, NetEvent, Place, as_model
from plait.model.types import Model


def hybrid(model: Model, translation: Translation) -> Hybrid:
    _, labelling = SymbolicLinear(Evidence(model)).reached([translation], Budget())
    return Hybrid(labelling, translation)


def stuttering(model: Model, translation: Translation) -> set[bool]:
    """What the ways for formulas that cannot tell repetitions answer."""
    _, labelling = SymbolicLinear(Evidence(model)).reached([translation], Budget())
    observation = Observation(labelling, translation)
    tested = TgtaHull(labelling, translation)
    found = [observation.sog(), observation.sop()]
    return {*found, tested.accepts("el"), tested.accepts("owcty")}


@pytest.mark.parametrize("with_next", [True, False])
def test_hybrids_have_the_answers_of_the_reference(with_next: bool) -> None:
    """SLAP with each of its fixpoints, and BCZ; where nothing tells repetitions, observation graphs
    and products and testing automata.

    covers: I61, I62, I64, I66, I68
    """
    verdicts: Counter[str] = Counter()
    observed = 0
    for model, asked, expected in questions("hybrids", range(25), with_next=with_next):
        automata = [violating(p.body) for p in asked if isinstance(p.body, Formula)]
        _, labelling = SymbolicLinear(Evidence(model)).reached(automata, Budget())
        for automaton, theirs in zip(automata, expected, strict=True):
            if not automaton.automaton.arc_count:
                continue
            product = Hybrid(labelling, automaton)
            answers = [product.slap("none"), product.slap("fst"), product.slap("fsa")]
            answers.append(product.bcz())
            if not automaton.has_next:
                observation = Observation(labelling, automaton)
                answers += [observation.sog(), observation.sop()]
                tested = TgtaHull(labelling, automaton)
                answers += [tested.accepts("el"), tested.accepts("owcty")]
                observed += 1
            assert set(answers) == {theirs.verdict == "false"}, (theirs.property, model)
            verdicts[theirs.verdict] += 1
    assert min(verdicts["true"], verdicts["false"]) > 10
    assert observed > 10


def figure(moves: list[tuple[int, int]], size: int) -> Model:
    """A token that goes round these places."""
    places = (Place("s0", 1), *(Place(f"s{i}") for i in range(1, size)))
    events = (NetEvent(f"{a} {b}", ((a, 1),), ((b, 1),)) for a, b in moves)
    return as_model(Net("figure", places, tuple(events)))


CIRCLES = [(0, 1), (0, 4), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4)]


def within(first: int, last: int) -> Compare:
    total: IntExpr = Var(f"s{first}")
    for i in range(first + 1, last + 1):
        total = Binary("+", total, Var(f"s{i}"))
    return Compare(">", total, Const(0))


def test_the_product_of_the_figure_has_three_nodes() -> None:
    """Two circles, `a U b` where a holds in the first one and b where the second begins.

    covers: I60
    """
    a, b = within(0, 4), within(4, 4)
    until = Automaton(
        ((Arc(0b01, 0b10, 0, 0), Arc(0b10, 0, 1, 0)), (Arc(0, 0, 1, 1),)), acceptances=1
    )
    product = hybrid(figure(CIRCLES, 8), Translation(until, (a, b), False))
    assert product.slap("none")
    assert product.nodes == 3
    assert product.slap("fst")


def test_an_automaton_without_acceptance_sets_accepts_every_endless_run() -> None:
    """covers: I71"""
    model = figure([(0, 1), (1, 2), (2, 1)], 3)
    for last, accepts in ((2, True), (1, False)):
        stay = Automaton(((Arc(1, 0, 0, 0),),), acceptances=0)
        translation = Translation(stay, (within(0, last),), False)
        product = hybrid(model, translation)
        found = [product.slap("none"), product.slap(), product.slap("fsa"), product.bcz()]
        assert {*found, *stuttering(model, translation)} == {accepts}


def test_an_aggregate_in_which_a_run_can_stay_has_a_successor_that_says_so() -> None:
    """A run that goes around before b for ever; without that circle it must come to b.

    covers: I65
    """
    for back, accepts in ((True, True), (False, False)):
        moves = [(0, 1), (1, 2), (2, 2)] + ([(1, 0)] if back else [])
        model = figure(moves, 3)
        asked = parse_formula("ltl: F s2 > 0", model)
        assert isinstance(asked.body, Formula)
        assert stuttering(model, violating(asked.body)) == {accepts}


def test_with_next_aggregates_are_not_observed_and_the_others_answer() -> None:
    model = figure([(0, 1), (1, 0)], 2)
    asked = parse_formula("ltl: X X s1 > 0", model)
    assert isinstance(asked.body, Formula)
    translation = violating(asked.body)
    product = hybrid(model, translation)
    assert product.slap()
    assert product.bcz()
    _, labelling = SymbolicLinear(Evidence(model)).reached([translation], Budget())
    assert ForwardHull(labelling, translation).accepts("el")
    assert ForwardHull(labelling, translation).accepts("owcty")
    for refuses in (Observation, TgtaHull):
        with pytest.raises(InputError, match="no X"):
            refuses(labelling, translation)


def test_marks_of_all_arcs_around_count() -> None:
    """Both places again and again, on a circle whose first arc has one of the marks."""
    for moves, accepts in (([(0, 1), (1, 0)], True), ([(0, 1), (1, 1)], False)):
        model = figure(moves, 2)
        asked = parse_formula("ltl: !(G F s0 > 0 && G F s1 > 0)", model)
        assert isinstance(asked.body, Formula)
        product = hybrid(model, violating(asked.body))
        found = [product.slap("none"), product.slap(), product.slap("fsa"), product.bcz()]
        assert {*found, *stuttering(model, violating(asked.body))} == {accepts}
