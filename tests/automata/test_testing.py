"""Testing automata accept the words of the automata they are made from."""

from random import Random

import pytest
from tests.engines.random_runs import linear
from tests.structure.random_ordinary import ordinary_net

from plait.automata import Arc, Automaton, TooLarge, violating
from plait.automata.testing import LOCATIONS, of_buchi

# The automaton of G F p0: its one location has a loop with a mark, and one without.
AGAIN = Automaton(((Arc(1, 0, 0, 1), Arc(0, 0, 0, 0)),), acceptances=1)


def test_words_of_formulas_without_next_are_accepted_by_the_testing_automaton() -> None:
    """Random formulas, and words of all letters with a loop.

    covers: I68
    """
    accepted = words = 0
    for seed in range(60):
        random = Random(f"testing {seed}")
        net = ordinary_net(random, places=3, events=3)
        made = violating(linear(random, net, random.randint(1, 4), with_next=False))
        if len(made.conditions) > 4:
            continue
        letters = range(1 << len(made.conditions))
        automaton = of_buchi(made.automaton, letters)
        for _ in range(12):
            word = [random.choice(letters) for _ in range(random.randint(1, 6))]
            loop = random.randrange(len(word))
            theirs = made.automaton.accepts(word, loop)
            assert automaton.accepts(word, loop) == theirs, (seed, word, loop)
            accepted += theirs
            words += 1
    assert 50 < accepted < words - 50


def test_a_location_accepts_when_it_stays_only_where_its_loop_has_all_marks() -> None:
    """G F p: with p for ever it is accepted, without it for ever it is not."""
    automaton = of_buchi(AGAIN, [0, 1])
    assert automaton.accepts([1], 0)
    assert not automaton.accepts([0], 0)
    assert automaton.accepts([0, 1], 0)
    assert not automaton.accepts([1, 0], 1)


def test_arcs_read_changes_and_no_arc_is_without_one() -> None:
    automaton = of_buchi(AGAIN, [0, 1])
    assert {c.bits for row in automaton.arcs for c in row} == {1}


def test_a_testing_automaton_that_would_be_vast_is_refused() -> None:
    with pytest.raises(TooLarge):
        of_buchi(AGAIN, range(LOCATIONS + 1))
