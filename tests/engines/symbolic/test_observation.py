"""Observation products look at less and less; the ways that ignore repetitions refuse X."""

from pathlib import Path

import pytest
from tests.engines.random_runs import questions

from plait.automata import Automaton, violating
from plait.engines import check
from plait.engines.budget import Budget
from plait.engines.evidence import Evidence
from plait.engines.symbolic.hybrids import Node
from plait.engines.symbolic.ltl import SymbolicLinear
from plait.engines.symbolic.observation import Observation
from plait.engines.symbolic.tuning import LTL_WAYS, STUTTERING_WAYS, LtlWay, Tuning
from plait.lang import load
from plait.logic.parse import parse_formula
from plait.model.expr import Formula
from plait.model.net import Net, NetEvent, Place, as_model


def graph(product: Observation) -> list[Node]:
    """All nodes, whether a run was found or not."""
    nodes = [(0, product._gathered(product.core.initial(), 0), False)]
    for node in nodes:
        for _, after in product.steps_of(node):
            if after not in nodes:
                nodes.append(after)
    return nodes


def occurring(automaton: Automaton, q: int) -> int:
    """The bits on arcs that can be reached from a location, by walking there."""
    seen, bits = [q], 0
    for location in seen:
        for arc in automaton.arcs[location]:
            bits |= arc.positive | arc.negative
            if arc.target not in seen:
                seen.append(arc.target)
    return bits


def test_only_conditions_that_the_automaton_may_still_ask_about_are_observed() -> None:
    """The sets of each node are closed under all steps that change none of these.

    covers: I64
    """
    shrinking = fewer = 0
    for model, asked, _ in questions("observed", range(20), with_next=False, count=3):
        automata = [violating(p.body) for p in asked if isinstance(p.body, Formula)]
        _, labelling = SymbolicLinear(Evidence(model)).reached(automata, Budget())
        for translation in automata:
            if not translation.automaton.arc_count:
                continue
            product = Observation(labelling, translation)
            product.sog()
            every = graph(product)
            product.sop()
            nodes = graph(product)
            core = product.core
            for q, states, stays in nodes:
                bits = occurring(translation.automaton, q)
                assert product.observed[q] == bits
                alike = labelling.all
                for bit, condition in enumerate(translation.conditions):
                    if bits >> bit & 1:
                        label = labelling.label(condition)
                        inside = core.intersection(states, label)
                        assert not inside or inside == states
                        cut = core.intersection if inside else core.difference
                        alike = cut(alike, label)
                if not stays:
                    after = core.intersection(core.successors(states), alike)
                    assert not core.difference(after, states)
                shrinking += bits != (1 << len(translation.conditions)) - 1
            fewer += len(nodes) < len(every)
    assert shrinking > 20
    assert fewer > 1


@pytest.mark.parametrize("way", ["slap", "slap-fst", "slap-fsa"])
def test_the_run_of_a_lasso_goes_around_until_it_has_all_marks(way: LtlWay) -> None:
    """Three ways from the middle and back, each to be gone again and again.

    covers: I69
    """
    places = (Place("middle", 1), *(Place(f"s{i}") for i in range(3)))
    events = [NetEvent(f"to {i}", ((0, 1),), ((i, 1),)) for i in (1, 2, 3)]
    events += [NetEvent(f"from {i}", ((i, 1),), ((0, 1),)) for i in (1, 2, 3)]
    model = as_model(Net("star", places, tuple(events)))
    asked = parse_formula("ltl: !(G F s0 > 0 && G F s1 > 0 && G F s2 > 0)", model)
    (found,) = check(model, [asked], engine="symbolic", tuning=Tuning(ltl=way))
    assert found.verdict == "false", found.reason
    assert found.witness is not None
    assert found.replayed


NEXT = "ltl: X X p != 2"
GAL = (
    "gal g { int p = 0; transition up [p < 2] { p = p + 1; } transition back [p == 2] { p = 0; } }"
)


def test_ways_that_ignore_repetitions_refuse_next_and_the_others_answer(tmp_path: Path) -> None:
    """covers: I63"""
    path = tmp_path / "g.gal"
    path.write_text(GAL)
    model = load(path)
    asked = [parse_formula(text, model) for text in (NEXT, "ltl: G F p == 1")]
    for way in LTL_WAYS:
        found = check(model, asked, engine="symbolic", tuning=Tuning(ltl=way))
        assert found[1].verdict == "true"
        if way in STUTTERING_WAYS:
            assert found[0].verdict == "unknown"
            assert found[0].reason is not None
            assert "this one has X" in found[0].reason
        else:
            assert found[0].verdict == "false"


@pytest.mark.parametrize("way", ["slap", "slap-fst", "slap-fsa"])
def test_a_run_is_made_from_the_sets_of_an_accepting_lasso(
    way: LtlWay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reference replays it, and it owes nothing to the fixpoints of the engine itself.

    covers: I69
    """

    def never(_: object) -> bool:
        raise AssertionError("the sets of the engine were computed")

    monkeypatch.setattr("plait.engines.symbolic.ltl.Acceptance.begins", never)
    ends = loops = 0
    for model, asked, expected in questions("slap lasso", range(22), count=3):
        linear = SymbolicLinear(Evidence(model), Tuning(ltl=way))
        for answer, theirs in zip(linear.check(asked, Budget()), expected, strict=True):
            assert answer.verdict == theirs.verdict, (answer.reason, theirs.property, model)
            assert (answer.witness is not None) == (answer.verdict == "false")
            if answer.witness is not None:
                last = len(answer.witness.steps)
                ends += answer.witness.loop == last
                loops += answer.witness.loop != last
    assert ends > 3
    assert loops > 3
