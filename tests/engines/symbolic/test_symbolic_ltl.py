"""LTL on diagrams: the answers of the reference, and what a limit leaves."""

from itertools import pairwise
from random import Random

import pytest
from tests.engines.random_runs import questions

from plait.automata import Arc, Automaton, violating
from plait.automata.translate import Translation
from plait.engines.budget import Budget
from plait.engines.evidence import Evidence
from plait.engines.symbolic.hull import ForwardHull, Hull
from plait.engines.symbolic.ltl import Acceptance, SymbolicLinear
from plait.engines.symbolic.ltl_lasso import Lasso
from plait.logic.parse import parse_formula
from plait.model.expr import Compare, Const, Formula, Var
from plait.model.net import Net, NetEvent, Place, as_model
from plait.model.shape import shape_of
from plait.model.types import Model, Property
from plait.reference import Semantics
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
            assert mine.replayed == (mine.verdict == "false"), "its run is shown, and is one"
            run = mine.witness
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
        _, labelling = SymbolicLinear(Evidence(model)).reached(automata, Budget())
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


def _holds(condition: Compare, model: Model, state: tuple[int, ...]) -> bool:
    return Semantics(model).decides(Property("c", "reachable", condition), state)


def test_random_automata_with_components_of_several_locations_are_empty_both_ways() -> None:
    accepted = refused = 0
    for seed, (model, _, _) in enumerate(questions("automata", range(25), count=1)):
        random = Random(f"automata {seed}")
        first, *_, last = (Var(c) for c in shape_of(model).cells())
        conditions = (Compare("<=", Const(1), first), Compare("<=", first, last))
        for _ in range(4):
            size = random.randint(2, 4)

            def arc(size: int = size, random: Random = random) -> Arc:
                mask = random.randrange(4)
                value = random.randrange(4) & mask
                return Arc(value, mask & ~value, random.randrange(size), random.randrange(4))

            rows = tuple(tuple(arc() for _ in range(random.randint(1, 3))) for _ in range(size))
            automaton = Translation(Automaton(rows, 2), conditions, True)
            diagrams, labelling = SymbolicLinear(Evidence(model)).reached([automaton], Budget())
            acceptance = Acceptance(labelling, automaton)
            found = acceptance.begins()
            assert found == ForwardHull(labelling, automaton).accepts("el"), (rows, model)
            if found:
                program = labelling.compiled.program
                trace, loop = Lasso(acceptance, program).run()
                assert all(
                    step in program.successors(before)
                    for (_, before), step in pairwise((e, tuple(s)) for e, s in trace)
                )
                states = [state for _, state in trace]
                assert (states[loop] == states[-1]) or not program.successors(states[-1])
                letters = [
                    sum(
                        1 << i
                        for i, c in enumerate(conditions)
                        if _holds(c, model, diagrams.prepared.lift(state))
                    )
                    for state in states
                ]
                # The last state is the one that the run goes back to, unless it is a deadlock.
                word = letters[: max(len(letters) - 1, loop + 1)]
                assert automaton.automaton.accepts(word, loop), (rows, model)
            accepted, refused = accepted + found, refused + (not found)
    assert min(accepted, refused) > 10


def test_a_run_comes_by_each_acceptance_set_before_it_goes_back() -> None:
    """From the middle there and back, three ways; a run must take all of them for ever."""
    names = ("middle", "left", "right", "top")
    there = [NetEvent(f"to {names[i]}", ((0, 1),), ((i, 1),)) for i in (1, 2, 3)]
    back = [NetEvent(f"from {names[i]}", ((i, 1),), ((0, 1),)) for i in (1, 2, 3)]
    places = (Place("middle", 1), *map(Place, names[1:]))
    model = as_model(Net("star", places, (*there, *back)))
    asked = parse_formula("ltl: !(G F left > 0 && G F right > 0 && G F top > 0)", model)
    (found,) = SymbolicLinear(Evidence(model)).check([asked], Budget())
    assert found.stats["acceptance_sets"] == 3
    assert (found.verdict, found.replayed) == ("false", True)
    assert found.witness is not None
    assert found.witness.loop is not None
    assert len(found.witness.steps) - found.witness.loop == 6, "a shortest way around"
