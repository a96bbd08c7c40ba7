"""The tableau of a formula has the elementary formulas, steps and fairness of its definition."""

import random

import pytest

from plait.automata.elementary import TOP, Tableau
from plait.lang.gal import parse
from plait.logic.parse import parse_formula
from plait.model.expr import Compare, Const, Formula, Var
from plait.reference.ltl import holds_on_lasso

MODEL = parse("gal g { int p; int q; int r; transition t [true] { p = 1 - p; } }", "m")


def formula(text: str) -> Formula:
    for name in "pqr":
        text = text.replace(name, f"({name} == 1)")
    body = parse_formula(f"ltl: {text}", MODEL).body
    assert isinstance(body, Formula)
    return body


@pytest.mark.parametrize(
    ("text", "conditions", "nexts", "untils"),
    [
        ("p", 1, 0, 0),
        ("X p", 1, 1, 0),
        ("p U q", 2, 1, 1),
        ("F p", 1, 1, 1),
        ("G F p", 1, 2, 2),
        ("F G p", 1, 2, 2),
        ("G (p -> F q)", 2, 2, 2),
        ("(p U q) R r", 3, 2, 2),
        ("p W q", 2, 1, 1),
        ("p M q", 2, 1, 1),
        ("F p && X F p", 1, 1, 1),
        ("(G F p) -> (G F q)", 2, 4, 4),
    ],
)
def test_the_elementary_formulas_are_those_of_the_definition(
    text: str, conditions: int, nexts: int, untils: int
) -> None:
    """One X for each until and each X, the same for `F p` and for an X of it.

    covers: M62
    """
    tableau = Tableau(formula(text))
    found = tableau.elementary()
    assert (len(found[0]), len(found[1])) == (conditions, nexts)
    assert len(tableau.untils) == untils
    assert len(tableau.states) == 2**nexts


def test_sat_follows_the_rules() -> None:
    """covers: M62"""
    tableau = Tableau(formula("p U q"))
    (until,) = tableau.untils
    p, q = 0, 1
    for state in tableau.states:
        for letter in range(4):
            has_p, has_q = letter >> p & 1, letter >> q & 1
            held = bool(has_q or (has_p and state & 1))
            assert tableau.sat(until, state, letter) == held
            assert tableau.sat(tableau.root, state, letter) != held
            assert tableau.is_fair(until, state, letter) == (not held or bool(has_q))


def test_a_condition_is_true_where_its_own_bit_is_set() -> None:
    tableau = Tableau(formula("(p U q) R r"))
    found = [place for place, part in enumerate(tableau.parts) if part.operator == "condition"]
    assert len(found) == len(tableau.conditions) == 3
    for bit, place in enumerate(found):
        letters = [letter for letter in range(8) if tableau.sat(place, 0, letter)]
        assert letters == [letter for letter in range(8) if letter & 2**bit]


FORMS = ("G F p", "F G p", "p U (q U r)", "G (p -> F q)", "(p R q) M r", "(F p) W (X q)", "X p U q")


def test_words_have_one_fair_path_and_it_begins_where_the_formula_does_not_hold() -> None:
    """On a lasso the X that hold at each place make a path, fair in the loop, and no other does.

    covers: M62
    """
    dice = random.Random(7)
    for text in FORMS * 6:
        body = formula(text)
        tableau = Tableau(body)
        length = dice.randint(1, 4)
        loop = dice.randrange(length)
        word = [{n: dice.randrange(2) for n in "pqr"} for _ in range(length)]

        def holds(f: Formula, place: int, word: list[dict[str, int]] = word) -> bool:
            assert isinstance(f, Compare)
            assert isinstance(f.left, Var)
            assert isinstance(f.right, Const)
            equal = word[place][f.left.name] == f.right.value
            return equal if f.op == "==" else not equal

        after = [*range(1, length), loop]
        letters = [
            sum(holds(c, i) << k for k, c in enumerate(tableau.conditions)) for i in range(length)
        ]
        paths = [
            [states >> (k * len(tableau.nexts)) & (len(tableau.states) - 1) for k in range(length)]
            for states in range(len(tableau.states) ** length)
        ]
        good = [
            path
            for path in paths
            if all(
                tableau.before(path[after[i]], letters[after[i]]) == path[i] for i in range(length)
            )
            and all(
                any(tableau.is_fair(u, path[i], letters[i]) for i in range(loop, length))
                for u in tableau.untils
            )
        ]
        assert len(good) == 1
        begins = tableau.sat(tableau.root, good[0][0], letters[0])
        assert begins != holds_on_lasso(body, length, loop, holds)


def test_a_state_without_successor_leads_to_the_top() -> None:
    """That neither p nor its negation ever holds cannot go on.

    covers: M63
    """
    tableau = Tableau(formula("(F p) && (F !p)"))
    assert tableau.successors(0) == []
    assert tableau.successors(0, total=True) == [(TOP, 0)]
    assert tableau.successors(TOP, total=True) == [(TOP, 0)]
    live = [s for s in tableau.states if tableau.successors(s)]
    assert live
    for state in live:
        assert tableau.successors(state, total=True) == tableau.successors(state)
