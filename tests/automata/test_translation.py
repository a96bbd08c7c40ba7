"""From formulas to automata: against the direct evaluation on words, and against each other."""

from __future__ import annotations

import random

import pytest
from words import (
    BINARY,
    UNARY,
    accepts,
    all_words,
    bit,
    holds,
    is_empty,
    product,
    random_automaton,
    random_formula,
    random_word,
)

from plait.automata import Arc, Automaton, TooLarge, satisfying, violating
from plait.automata.propositions import is_defined
from plait.automata.simplify import prune, quotient, reduce_by_simulation, simplify
from plait.automata.translate import of_claim
from plait.errors import InputError
from plait.logic.formula import (
    Exists,
    Finally,
    Globally,
    NeverClaim,
    Next,
    Until,
)
from plait.model.expr import (
    FALSE,
    TRUE,
    And,
    Binary,
    Compare,
    Const,
    Enabled,
    Formula,
    Implies,
    Not,
    Or,
    Truth,
    Var,
)

P, Q = bit(0), bit(1)


def agree(formula: Formula, choice: random.Random, words: int) -> None:
    """Both automata of a formula say what the formula says, and have no word in common."""
    yes, no = satisfying(formula), violating(formula)
    for _ in range(words):
        word = random_word(choice, 5, 3)
        expected = holds(formula, word)
        assert (accepts(yes, word), accepts(no, word)) == (expected, not expected), (formula, word)
    if yes.conditions == no.conditions:
        assert is_empty(product(yes.automaton, no.automaton)), formula


@pytest.mark.parametrize("seed", range(4))
def test_automata_of_random_formulas_accept_the_words_on_which_they_hold(seed: int) -> None:
    choice = random.Random(seed)
    for _ in range(20):
        agree(random_formula(choice, choice.randint(1, 13), 3), choice, 12)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
def test_automata_of_many_random_formulas_do(seed: int) -> None:
    choice = random.Random(1000 + seed)
    for _ in range(1_000):
        agree(random_formula(choice, choice.randint(1, 18), 3), choice, 12)


@pytest.mark.parametrize("seed", range(3))
def test_small_formulas_agree_with_the_evaluation_on_all_words_up_to_length_4(seed: int) -> None:
    """covers: A20"""
    choice = random.Random(seed)
    words = list(all_words(4, 1))
    for _ in range(25):
        formula = random_formula(choice, choice.randint(1, 6), 1)
        yes, no = satisfying(formula), violating(formula)
        for word in words:
            expected = holds(formula, word)
            assert (accepts(yes, word), accepts(no, word)) == (expected, not expected)


def test_every_operator_is_reduced_to_the_few_that_the_tableau_knows() -> None:
    """covers: A21"""
    words = list(all_words(3, 2))
    formulas: list[Formula] = [operator(P) for operator in UNARY]
    formulas += [operator(P, Q) for operator in BINARY]
    formulas += [Or((P, Q)), Implies(P, Finally(Q)), Not(Globally(P))]
    for formula in formulas:
        yes = satisfying(formula)
        assert all(accepts(yes, w) == holds(formula, w) for w in words), formula


def test_again_and_again_is_told_from_for_ever_in_the_end() -> None:
    """covers: A23"""
    alternating = ([(True,), (False,)], 0)
    late = ([(False,), (True,)], 1)
    often, for_ever = satisfying(Globally(Finally(P))), satisfying(Finally(Globally(P)))
    assert accepts(often, alternating)
    assert not accepts(for_ever, alternating)
    assert accepts(often, late)
    assert accepts(for_ever, late)


def test_an_automaton_decides_whether_it_accepts_a_word() -> None:
    """covers: A1"""
    # Infinitely many a, where bit 0 stands for a: an arc that reads an a is accepting.
    rows = ((Arc(1, 0, 0, 1), Arc(0, 1, 1)), (Arc(0, 1, 1), Arc(1, 0, 0, 1)))
    automaton = Automaton(rows, 1)
    assert automaton.accepts([0, 1], 0)
    assert not automaton.accepts([1, 0], 1)


def test_a_cycle_must_have_an_arc() -> None:
    """covers: A8"""
    assert is_empty(Automaton(((Arc(0, 0, 1, 1),), ()), 1))
    assert not is_empty(Automaton(((Arc(0, 0, 0, 1),),), 1))


@pytest.mark.parametrize("seed", range(4))
def test_a_product_accepts_the_common_words(seed: int) -> None:
    """covers: A5"""
    choice = random.Random(seed)
    for _ in range(30):
        one, other = (random_automaton(choice, 4, 2) for _ in range(2))
        both = product(one, other)
        for _ in range(10):
            letters = [choice.randrange(4) for _ in range(choice.randint(1, 4))]
            loop = choice.randrange(len(letters))
            expected = one.accepts(letters, loop) and other.accepts(letters, loop)
            assert both.accepts(letters, loop) == expected


def keeps_the_language(seed: int, automata: int) -> tuple[int, int]:
    """The sizes before and after, of random automata."""
    choice = random.Random(seed)
    before = after = 0
    for _ in range(automata):
        automaton = random_automaton(choice, choice.randint(1, 7), 2)
        smaller = [step(automaton) for step in (prune, quotient, reduce_by_simulation, simplify)]
        before += len(automaton.arcs)
        after += len(smaller[-1].arcs)
        for _ in range(12):
            letters = [choice.randrange(4) for _ in range(choice.randint(1, 5))]
            loop = choice.randrange(len(letters))
            expected = automaton.accepts(letters, loop)
            assert [a.accepts(letters, loop) for a in smaller] == [expected] * 4
    return before, after


@pytest.mark.parametrize("seed", range(3))
def test_simplification_keeps_the_language(seed: int) -> None:
    """covers: A24"""
    before, after = keeps_the_language(seed, 40)
    assert after < before


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
def test_simplification_keeps_many_languages(seed: int) -> None:
    keeps_the_language(100 + seed, 3_000)


@pytest.mark.parametrize(
    ("formula", "states"),
    [
        (TRUE, 1),
        (Globally(P), 1),
        (Finally(P), 2),
        (Globally(Finally(P)), 1),
        (Finally(Globally(P)), 2),
        (Until(P, Q), 2),
        (And((Globally(Finally(P)), Globally(Finally(Q)))), 1),
        (Globally(Implies(P, Finally(Q))), 2),
        (Globally(Implies(P, Next(Finally(Q)))), 2),
        (Next(Globally(Finally(Next(P)))), 1),
        (Finally(Until(P, Until(Q, P))), 2),
    ],
)
def test_well_known_formulas_have_small_automata(formula: Formula, states: int) -> None:
    assert len(satisfying(formula).automaton.arcs) == states


def test_what_no_run_satisfies_has_an_automaton_without_arcs() -> None:
    assert not satisfying(And((Globally(P), Finally(bit(0, False))))).automaton.arc_count
    assert not violating(Or((Finally(P), Globally(bit(0, False))))).automaton.arc_count
    assert not satisfying(FALSE).automaton.arc_count


def test_a_condition_that_may_be_undefined_is_not_its_negation() -> None:
    """Neither `p` nor its negation holds where `p` is undefined: so `p || !p` can be violated."""
    undefined = Compare("==", Binary("/", Const(1), Var("b0")), Const(1))
    assert not is_defined(undefined)
    assert is_defined(P)
    assert is_defined(Enabled(("e",)))
    formula = Globally(Or((Finally(undefined), Finally(Not(undefined)))))
    found = violating(formula)
    assert len(found.conditions) == 2
    assert found.automaton.accepts([0], 0)
    assert not found.automaton.accepts([1], 0)
    assert not found.automaton.accepts([2], 0)


def test_a_translation_tells_whether_it_looks_at_the_next_state() -> None:
    assert satisfying(Next(P)).has_next
    assert not satisfying(Globally(Finally(Next(P)))).has_next, "X before GF can go"
    assert not satisfying(Until(P, Q)).has_next


def test_a_claim_accepts_what_its_locations_do() -> None:
    """Never p again and again: location 1 is accepting; and the same with `also` instead."""
    arcs = ((0, 0), (0, 1), (1, 0))
    guards = (Truth(True), P, Truth(True))
    for claim in (
        NeverClaim(arcs, guards, frozenset({1}), FALSE),
        NeverClaim(((0, 0),), (Truth(True),), frozenset(), P),
    ):
        found = of_claim(claim)
        for word in all_words(3, 1):
            assert accepts(found, word) == any(letter[0] for letter in word[0][word[1] :])


@pytest.mark.parametrize("seed", range(3))
def test_random_claims_accept_the_words_that_the_reference_says(seed: int) -> None:
    choice = random.Random(seed)
    verdicts = set()
    for _ in range(40):
        size = choice.randint(1, 4)
        arcs = tuple(
            (choice.randrange(size), choice.randrange(size)) for _ in range(choice.randint(1, 7))
        )
        guards = tuple(choice.choice((P, Q, bit(0, False), TRUE, FALSE)) for _ in arcs)
        accepting = frozenset(n for n in range(size) if choice.random() < 0.3)
        claim = NeverClaim(arcs, guards, accepting, choice.choice((FALSE, FALSE, Q)))
        found = of_claim(claim)
        for _ in range(8):
            word = random_word(choice, 5, 2)
            accepted = accepts(found, word)
            verdicts.add(accepted)
            assert accepted != holds(claim, word)
    assert verdicts == {True, False}


def test_a_claim_that_ends_reads_no_more() -> None:
    found = of_claim(NeverClaim(((0, 1),), (P,), frozenset({0, 1}), FALSE))
    assert not found.automaton.arc_count


def test_formulas_that_are_deep_or_large_end_with_a_reason() -> None:
    deep: Formula = P
    for _ in range(50_000):
        deep = Next(deep)
    with pytest.raises(TooLarge, match="states"):
        satisfying(deep)
    chain: Formula = P
    for i in range(20_000):
        chain = Until(bit(i % 2), chain) if i % 3 else Finally(chain)
    assert satisfying(Finally(chain)).automaton.arc_count
    wide = And(tuple(Or((Finally(bit(2 * i)), Finally(bit(2 * i + 1)))) for i in range(40)))
    with pytest.raises(TooLarge, match="alternatives"):
        satisfying(wide)


def test_a_path_quantifier_is_refused() -> None:
    with pytest.raises(InputError, match="quantifies"):
        violating(Exists(Finally(P)))
