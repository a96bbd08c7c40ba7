"""LTL on diagrams: the answers of the reference, and what a limit leaves."""

import pytest
from random_runs import questions

from plait.automata import violating
from plait.engines.budget import Budget
from plait.engines.evidence import Evidence
from plait.engines.symbolic_hull import ForwardHull, Hull
from plait.engines.symbolic_ltl import SymbolicLinear
from plait.model.expr import Formula
from plait.report.answer import Answer


@pytest.mark.parametrize("with_next", [True, False])
def test_random_formulas_on_random_nets_have_the_answers_of_the_reference(with_next: bool) -> None:
    """Deadlocks, which repeat, and several acceptance sets included."""
    verdicts = {"true": 0, "false": 0}
    ended = several = 0
    for model, asked, expected in questions("diagrams", range(60), with_next=with_next):
        found = SymbolicLinear(Evidence(model)).check(asked, Budget())
        for mine, theirs in zip(found, expected, strict=True):
            assert mine.verdict == theirs.verdict, (mine.property, model)
            verdicts[mine.verdict] += 1
            run = theirs.witness
            ended += run is not None and run.loop == len(run.steps)
            sets = mine.stats["acceptance_sets"]
            several += isinstance(sets, int) and sets > 1
    assert min(verdicts.values()) > 20
    assert ended > 5
    assert several > 5


@pytest.mark.parametrize("hull", ["el", "owcty"])
def test_forward_hulls_with_and_without_an_endless_past_agree_with_the_reference(
    hull: Hull,
) -> None:
    """covers: I67"""
    verdicts = {"true": 0, "false": 0}
    for model, asked, expected in questions("hulls", range(25)):
        automata = [violating(p.body) for p in asked if isinstance(p.body, Formula)]
        labelling = SymbolicLinear(Evidence(model)).labelling(automata, Budget())
        for automaton, theirs in zip(automata, expected, strict=True):
            accepts = ForwardHull(labelling, automaton).accepts(hull)
            assert accepts == (theirs.verdict == "false"), (theirs.property, model)
            verdicts[theirs.verdict] += 1
    assert min(verdicts.values()) > 10


def test_a_limit_leaves_what_was_not_reached_unknown_and_what_was_answered_stays() -> None:
    model, asked, _ = next(questions("limits", range(1, 9)))
    found = SymbolicLinear(Evidence(model)).check(asked, Budget(0.0))
    assert {(a.verdict, a.reason) for a in found} == {("unknown", "timeout")}
    told: dict[int, Answer] = {}
    found = SymbolicLinear(Evidence(model)).check(
        asked, Budget(), told.__setitem__, lambda number: number == 1
    )
    assert found[1].reason == "answered"
    assert told.keys() == set(range(len(asked))) - {1}
