"""From LTL formulas and never claims to automata.

A violation of a formula is a run on which its dual holds, in which every condition is replaced by
its *not being true*; that differs from its negation where it is undefined. So the automaton of the
violations is made from the dual directly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from plait.automata.automaton import Arc, Automaton
from plait.automata.propositions import Propositions
from plait.automata.simplify import prune, quotient, simplify
from plait.automata.tableau import Tableau, TooLarge
from plait.automata.terms import FALSE, TRUE, Terms
from plait.errors import InputError
from plait.logic.classify import why_not_ltl
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
from plait.logic.walk import fold_temporal
from plait.model.expr import And, Formula, Or, Truth

__all__ = ["TooLarge", "Translation", "of_claim", "satisfying", "violating"]


@dataclass(frozen=True, slots=True)
class Translation:
    """An automaton, and the conditions that its bits stand for."""

    automaton: Automaton
    conditions: tuple[Formula, ...]
    has_next: bool
    """Whether what was translated may tell a state from its repetition."""


def violating(formula: Formula, tick: Callable[[], None] = lambda: None) -> Translation:
    """The automaton of the runs on which the formula does not hold."""
    if isinstance(formula, NeverClaim):
        return of_claim(formula)
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
    return Translation(automaton, tuple(found), reader.terms.has_next(root))


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


def of_claim(claim: NeverClaim) -> Translation:
    """The automaton of the runs that a never claim accepts: its locations are the states.

    Its one acceptance set has the arcs that leave accepting locations, and those taken where the
    condition `also` is true.
    """
    propositions = Propositions()
    size = 1 + max((n for arc in claim.arcs for n in arc), default=0)
    rows: list[list[Arc]] = [[] for _ in range(size)]

    def read(condition: Formula) -> tuple[int, int] | None:
        if isinstance(condition, Truth):
            return (0, 0) if condition.value else None
        bit, sign = propositions.number(condition)
        return (1 << bit, 0) if sign else (0, 1 << bit)

    also = read(claim.also)
    for (source, target), guard in zip(claim.arcs, claim.guards, strict=True):
        label = read(guard)
        if label is None:
            continue
        accepting = source in claim.accepting
        rows[source].append(Arc(*label, target, int(accepting)))
        if not accepting and also is not None:
            positive, negative = label[0] | also[0], label[1] | also[1]
            if not positive & negative:
                rows[source].append(Arc(positive, negative, target, 1))
    automaton = quotient(prune(Automaton(tuple(map(tuple, rows)), 1)))
    return Translation(automaton, tuple(propositions.formulas), True)
