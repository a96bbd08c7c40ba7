"""Negation normal form, and which logic a formula belongs to."""

from __future__ import annotations

import itertools
import random

import pytest

from plait.errors import Source, Span
from plait.logic import (
    DUAL,
    BinaryTemporal,
    Exists,
    Finally,
    Forall,
    Globally,
    Next,
    Release,
    StrongRelease,
    Temporal,
    UnaryTemporal,
    Until,
    WeakUntil,
    is_atom,
    is_ctl,
    is_ltl,
    is_state,
    is_stutter_invariant_syntactic,
    nnf,
    subformulas,
    why_not_ctl,
    why_not_ltl,
    why_not_state,
    why_not_stutter_invariant,
)
from plait.logic.classify import LETTER
from plait.model.expr import (
    FALSE,
    NEGATED,
    TRUE,
    And,
    AsInt,
    Binary,
    Compare,
    Const,
    Deadlock,
    Empty,
    Enabled,
    Formula,
    Hop,
    Iff,
    Implies,
    Not,
    Or,
    Truth,
    Var,
)
from plait.model.types import ElementaryType, Model, Variable
from plait.reference import Semantics

X = Var("x")
P, Q = Compare("<", X, Const(1)), Compare("==", X, Const(2))
NOT_P, NOT_Q = Compare(">=", X, Const(1)), Compare("!=", X, Const(2))


@pytest.mark.parametrize("op", NEGATED)
def test_a_comparison_takes_the_negation_in(op: str) -> None:
    compare = Compare(op, X, Const(1))  # type: ignore[arg-type]
    assert nnf(Not(compare)) == Compare(NEGATED[compare.op], X, Const(1))
    assert nnf(Not(Not(compare))) is compare


@pytest.mark.parametrize("atom", [Deadlock(), Enabled(("e",)), Empty(Hop("c"))])
def test_other_atoms_keep_one_negation(atom: Formula) -> None:
    assert nnf(Not(atom)) == Not(atom)
    assert nnf(Not(Not(Not(atom)))) == Not(atom)
    assert nnf(atom) is atom


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (Not(TRUE), FALSE),
        (Not(And((P, Q))), Or((NOT_P, NOT_Q))),
        (Not(Or((P, Q))), And((NOT_P, NOT_Q))),
        (Not(And(())), Or(())),
        (Implies(P, Q), Or((NOT_P, Q))),
        (Not(Implies(P, Q)), And((P, NOT_Q))),
        (Iff(P, Q), Or((And((P, Q)), And((NOT_P, NOT_Q))))),
        (Not(Iff(P, Q)), Or((And((P, NOT_Q)), And((NOT_P, Q))))),
        (Not(Next(P)), Next(NOT_P)),
        (Not(Finally(P)), Globally(NOT_P)),
        (Not(Globally(P)), Finally(NOT_P)),
        (Not(Until(P, Q)), Release(NOT_P, NOT_Q)),
        (Not(Release(P, Q)), Until(NOT_P, NOT_Q)),
        (Not(WeakUntil(P, Q)), StrongRelease(NOT_P, NOT_Q)),
        (Not(StrongRelease(P, Q)), WeakUntil(NOT_P, NOT_Q)),
        (Not(Forall(Next(P))), Exists(Next(NOT_P))),
        (Not(Exists(Until(P, Not(Q)))), Forall(Release(NOT_P, Q))),
        (Globally(Not(Implies(P, Finally(Q)))), Globally(And((P, Globally(NOT_Q))))),
    ],
)
def test_negations_are_pushed_to_the_atoms(formula: Formula, expected: Formula) -> None:
    assert nnf(formula) == expected


def test_the_dual_of_a_dual_is_the_operator_itself() -> None:
    assert all(DUAL[DUAL[operator]] is operator for operator in DUAL)


def test_what_is_inside_an_atom_is_left_alone() -> None:
    inner = AsInt(Not(Implies(P, Q)))
    atom = Compare("==", inner, Const(1))
    assert nnf(atom) is atom
    assert nnf(Not(atom)) == Compare("!=", inner, Const(1))


def test_spans_are_kept() -> None:
    span = Span(Source("f"), 1, 2)
    for formula in (Not(Until(P, Q, span=span)), Not(Compare("<", X, X, span=span))):
        assert nnf(formula).span == span


def random_formula(choice: random.Random, depth: int, temporal: bool) -> Formula:
    def sub() -> Formula:
        return random_formula(choice, depth - 1, temporal)

    kind = choice.randrange(8 if temporal else 5) if depth else 0
    match kind:
        case 0:
            undefined = Compare("==", Binary("/", Const(1), X), Const(1))
            return choice.choice((P, Q, TRUE, FALSE, Deadlock(), undefined))
        case 1:
            return Not(sub())
        case 2:
            return choice.choice((And, Or))(tuple(sub() for _ in range(choice.randrange(4))))
        case 3:
            return Implies(sub(), sub())
        case 4:
            return Iff(sub(), sub())
        case 5:
            return choice.choice((Next, Finally, Globally, Forall, Exists))(sub())
        case _:
            return choice.choice((Until, WeakUntil, Release, StrongRelease))(sub(), sub())


@pytest.mark.parametrize("seed", range(200))
def test_only_atoms_are_negated_and_only_once(seed: int) -> None:
    formula = nnf(random_formula(random.Random(seed), depth=5, temporal=True))
    for f in subformulas(formula):
        assert not isinstance(f, Implies | Iff)
        if isinstance(f, Not):
            assert is_atom(f.operand)
            assert not isinstance(f.operand, Compare | Truth)
    assert nnf(formula) == formula


@pytest.mark.parametrize("seed", range(200))
def test_the_normal_form_is_true_where_the_formula_is(seed: int) -> None:
    """Also where atoms are undefined: then true means that the undefined atoms do not matter."""
    formula = random_formula(random.Random(seed), depth=5, temporal=False)
    model = Model("m", (ElementaryType("g", variables=(Variable("x"),)),), "g")
    semantics = Semantics(model)

    def two_valued(f: Formula, state: tuple[int, ...]) -> bool:
        """The normal form read as ordinary logic in which undefined atoms are false."""
        match f:
            case And(operands=operands):
                return all(two_valued(g, state) for g in operands)
            case Or(operands=operands):
                return any(two_valued(g, state) for g in operands)
            case _:
                return semantics.holds(f, state)

    for x in (-1, 0, 1, 2):
        assert two_valued(nnf(formula), (x,)) == semantics.holds(formula, (x,))
        assert two_valued(nnf(Not(formula)), (x,)) == (semantics.truth(formula, (x,)) is False)


def test_nested_equivalences_do_not_explode() -> None:
    formula: Formula = P
    for _ in range(5_000):
        formula = Iff(formula, Q)
    assert sum(1 for _ in subformulas(nnf(Not(formula)))) < 50_000


def test_a_formula_may_be_nested_a_hundred_thousand_deep() -> None:
    formula: Formula = P
    for _ in range(50_000):
        formula = Not(Globally(formula))
    deep = nnf(formula)
    kinds = [type(f) for f in itertools.islice(subformulas(deep), 3)]
    assert kinds == [Finally, Globally, Finally]
    assert is_ltl(deep)
    assert not is_ctl(deep)


# --- classification -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("formula", "state", "ltl", "ctl", "stutter"),
    [
        (And((P, Not(Q))), True, True, True, True),
        (Globally(Implies(P, Finally(Q))), False, True, False, True),
        (Globally(Next(P)), False, True, False, False),
        (Forall(Globally(Exists(Finally(P)))), False, False, True, True),
        (Forall(Next(P)), False, False, True, False),
        (Forall(Globally(Finally(P))), False, False, False, True),
        (Forall(P), False, False, False, True),
        (Exists(And((Finally(P), Finally(Q)))), False, False, False, True),
        (And((Forall(Finally(P)), Q)), False, False, True, True),
        (And((Forall(Finally(P)), Finally(Q))), False, False, False, True),
        (Forall(Until(P, Exists(Release(Q, P)))), False, False, True, True),
    ],
)
def test_formulas_are_sorted_by_their_operators(
    formula: Formula, state: bool, ltl: bool, ctl: bool, stutter: bool
) -> None:
    found = (is_state(formula), is_ltl(formula), is_ctl(formula))
    assert found == (state, ltl, ctl)
    assert is_stutter_invariant_syntactic(formula) == stutter


SOURCE = Source("f")


def at(column: int) -> Span:
    return Span(SOURCE, 1, column)


def test_reasons_name_the_operator_and_its_place() -> None:
    formula = Globally(Exists(Next(P, span=at(3)), span=at(2)), span=at(1))
    found = [
        why(formula) for why in (why_not_state, why_not_ltl, why_not_ctl, why_not_stutter_invariant)
    ]
    assert [None if d is None else (d.message, d.span) for d in found] == [
        ("'G' speaks of paths; a state formula is needed here", at(1)),
        ("'E' quantifies over paths; an LTL formula has none", at(2)),
        ("'G' has no path quantifier; CTL needs A or E directly before it", at(1)),
        ("'X' can tell a state from its repetition", at(3)),
    ]
    lonely = why_not_ctl(Forall(Not(Next(P)), span=at(5)))
    assert lonely is not None
    assert (lonely.message, lonely.span) == (
        "'A' must stand directly before a path operator in CTL",
        at(5),
    )


def test_every_temporal_operator_has_a_dual_and_a_letter() -> None:
    kinds = {c for base in (UnaryTemporal, BinaryTemporal) for c in base.__subclasses__()}
    assert all(issubclass(k, Temporal) for k in kinds)
    assert kinds == set(DUAL)
    # A never claim is an automaton: it has a name to be shown by, and no dual.
    assert {k.__name__ for k in kinds} | {"NeverClaim"} == set(LETTER)
