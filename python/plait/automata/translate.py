"""From LTL formulas and never claims to automata.

A violation of a formula is a run on which its dual holds, in which every condition is replaced by
its *not being true*; that differs from its negation where it is undefined. So the automaton of the
violations is made from the dual directly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plait.automata.automaton import Arc, Automaton
from plait.automata.propositions import Propositions
from plait.automata.simplify import prune, quotient, simplify
from plait.automata.stutter import is_stutter_closed
from plait.automata.tableau import Tableau, TooLarge
from plait.automata.terms import FALSE, TRUE, Terms
from plait.errors import InputError
from plait.logic.classify import why_not_ltl
from plait.logic.ends import asks_only_where_runs_end
from plait.logic.formula import (
    Finally,
    Globally,
    NeverClaim,
    Next,
    Release,
    StrongRelease,
    Temporal,
    Until,
    WeakUntil,
)
from plait.logic.nnf import DUAL, nnf
from plait.logic.walk import fold_formula, fold_temporal
from plait.model.expr import And, Formula, Or, Truth
from plait.records import dataclass

__all__ = ["TooLarge", "Translation", "of_claim", "satisfying", "violating"]


@dataclass(frozen=True, slots=True)
class Translation:
    """An automaton, and the conditions that its bits stand for."""

    automaton: Automaton
    conditions: tuple[Formula, ...]
    has_next: bool
    """Whether what was translated may tell a state from its repetition."""
    ends_only: bool = False
    """Whether deadlocks matter only in the state, if any, where a run ends."""


def violating(formula: Formula, tick: Callable[[], None] = lambda: None) -> Translation:
    """The automaton of the runs on which the formula does not hold."""
    if isinstance(formula, NeverClaim):
        return of_claim(formula, tick)
    return _translate(formula, False, tick)


def satisfying(formula: Formula, tick: Callable[[], None] = lambda: None) -> Translation:
    """The automaton of the runs on which the formula holds."""
    return _translate(formula, True, tick)


def _translate(formula: Formula, positive: bool, tick: Callable[[], None]) -> Translation:
    wrong = why_not_ltl(formula)
    if wrong is not None:
        raise InputError(wrong)
    reader = _Reader(positive)
    root = fold_temporal(nnf(formula), reader.term)
    automaton = simplify(Tableau(reader.terms, tick).automaton(root), tick)
    found = reader.propositions.formulas
    return Translation(
        automaton, tuple(found), reader.terms.has_next(root), asks_only_where_runs_end(formula)
    )


class _Reader:
    """A formula in negation normal form, or its dual, as a term."""

    def __init__(self, positive: bool) -> None:
        self.positive = positive
        self.terms = Terms()
        self.propositions = Propositions()

    def term(self, f: Formula, below: list[int]) -> int:
        """The term of a formula from those of its operands."""
        terms = self.terms
        match f:
            case Truth(value=value):
                return TRUE if value == self.positive else FALSE
            case _ if not below:
                bit, sign = self.propositions.number(f)
                return terms.literal(bit, sign == self.positive)
            case And():
                connective = terms.conjunction if self.positive else terms.disjunction
                return connective(below)
            case Or():
                connective = terms.disjunction if self.positive else terms.conjunction
                return connective(below)
        assert isinstance(f, Temporal)
        return self._temporal(type(f) if self.positive else DUAL[type(f)], below)

    def _temporal(self, operator: type[Temporal], below: list[int]) -> int:
        terms = self.terms
        f, g = below[0], below[-1]
        if operator is Next:
            return terms.next(f)
        if operator is Finally:
            return terms.until(TRUE, f)
        if operator is Globally:
            return terms.release(FALSE, f)
        if operator is Until:
            return terms.until(f, g)
        if operator is Release:
            return terms.release(f, g)
        if operator is WeakUntil:
            return terms.release(g, terms.disjunction((f, g)))
        assert operator is StrongRelease
        return terms.until(g, terms.conjunction((f, g)))


def of_claim(claim: NeverClaim, tick: Callable[[], None] = lambda: None) -> Translation:
    """The automaton of the runs that a never claim accepts: its locations are the states.

    Its one acceptance set has the arcs that enter or leave accepting locations, and those taken
    where the condition `also` is true. Of a claim it is only known that it cannot tell a state from
    its repetition when that is seen from its arcs (`plait.automata.stutter`).
    """
    propositions = Propositions()
    size = 1 + max((n for arc in claim.arcs for n in arc), default=0)
    rows: list[list[Arc]] = [[] for _ in range(size)]

    also = _products(claim.also, propositions)
    for (source, target), guard in zip(claim.arcs, claim.guards, strict=True):
        tick()
        accepting = source in claim.accepting or target in claim.accepting
        for label in _products(guard, propositions):
            rows[source].append(Arc(*label, target, int(accepting)))
            if not accepting:
                both = _crossed([label], also)
                rows[source].extend(Arc(*product, target, 1) for product in both)
    automaton = quotient(prune(Automaton(tuple(map(tuple, rows)), 1)))
    found = propositions.formulas
    return Translation(automaton, tuple(found), not is_stutter_closed(automaton, tick))


Product = tuple[int, int]
"""The bits that must be set, and those that must be cleared."""
MOST_PRODUCTS = 32
"""A guard with more alternatives is one condition of its own."""


def _products(guard: Formula, propositions: Propositions) -> list[Product]:
    """The alternatives of a guard, each a conjunction of bits.

    Where there are many the guard is a bit itself: it is true exactly where one of them is.
    """

    def visit(f: Formula, below: list[list[Product] | None]) -> list[Product] | None:
        match f:
            case Truth(value=value):
                return [(0, 0)] if value else []
            case And():
                found: list[Product] | None = [(0, 0)]
                for operand in below:
                    found = None if found is None or operand is None else _crossed(found, operand)
                    if found is not None and len(found) > MOST_PRODUCTS:
                        return None
                return found
            case Or():
                if any(operand is None for operand in below):
                    return None
                found = list(dict.fromkeys(p for operand in below for p in operand or ()))
                return found if len(found) <= MOST_PRODUCTS else None
        bit, sign = propositions.number(f)
        return [(1 << bit, 0) if sign else (0, 1 << bit)]

    normal = nnf(guard)
    before = len(propositions.formulas)
    found = fold_formula(normal, visit)
    if found is None:
        propositions.forget(before)
        bit, sign = propositions.number(normal)
        return [(1 << bit, 0) if sign else (0, 1 << bit)]
    return found


def _crossed(some: Sequence[Product], others: Sequence[Product]) -> list[Product]:
    """One of some and one of the others, where they do not contradict each other."""
    pairs = ((a | c, b | d) for a, b in some for c, d in others)
    return list(dict.fromkeys(p for p in pairs if not p[0] & p[1]))
