"""The tableau of an LTL formula as Clarke, Grumberg and Hamaguchi define it.

*Another look at LTL model checking* (1997), in the form of Vander Meulen's thesis (2012, section
4.1). Formulas are reduced to negation, disjunction, X and U. The *elementary* formulas of one are
its conditions, its X, and an X of each of its untils; a state of the tableau says which of them
hold. That decides every sub-formula (`sat`):

    sat(g U h) = sat(h) + sat(g) * sat(X (g U h))

and a step from t to t' is possible when for each elementary X g, t satisfies X g iff t' satisfies
g. A run of the tableau is one of the formula when it begins in sat(f) and is *fair*: for each until
g U h, it is again and again in a state that does not satisfy it, or satisfies h.

Steps go backward in one way only: the state after a step and the conditions before it say which X
held before. Forward there may be many, or none: then the *total* tableau goes to a state `TOP`,
which repeats for ever, has no conditions and is never fair.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.automata.propositions import Propositions
from plait.logic.formula import (
    Finally,
    Globally,
    Next,
    Release,
    StrongRelease,
    Until,
    WeakUntil,
)
from plait.logic.nnf import nnf
from plait.logic.walk import fold_temporal
from plait.model.expr import And, Formula, Or, Truth
from plait.records import dataclass

TOP = -1
"""The state of the total tableau that steps lead to which lead nowhere."""


@dataclass(frozen=True, slots=True)
class Reduced:
    """A sub-formula: `true`, `condition`, `not`, `or`, `next` or `until`, and its operands.

    The operand of a condition is its number; all others are places in `Tableau.parts`.
    """

    operator: str
    operands: tuple[int, ...] = ()


class Tableau:
    """The tableau of the runs on which a formula does not hold.

    `parts` are the sub-formulas, operands first, and the last one is the whole. `nexts` are the
    operands g of the elementary X g, `untils` are the places of the untils: each has a fairness
    set. A state of the tableau is a number whose bits say which of the X hold; which conditions
    hold besides is given where it is asked.
    """

    def __init__(self, formula: Formula) -> None:
        self.parts: list[Reduced] = []
        self._propositions = Propositions()
        self._known: dict[Reduced, int] = {}
        self._orders: dict[int, list[int]] = {}
        holds = fold_temporal(nnf(formula), self._reduce)
        self.root = self._negation(holds)
        self.nexts: list[int] = []
        """For each bit the operand of its X."""
        self._bit: dict[int, int] = {}
        """The bit of each X and until, by its place."""
        self.untils: list[int] = []
        for place in self.below(self.root):
            part = self.parts[place]
            if part.operator == "until":
                self.untils.append(place)
            if part.operator in ("until", "next"):
                of = place if part.operator == "until" else part.operands[0]
                if of not in self.nexts:
                    self.nexts.append(of)
                self._bit[place] = self.nexts.index(of)

    @property
    def conditions(self) -> list[Formula]:
        """The conditions that letters have a bit for; it is set where the condition is true."""
        return self._propositions.formulas

    @property
    def states(self) -> range:
        """What the X may be."""
        return range(1 << len(self.nexts))

    def elementary(self) -> tuple[list[Formula], list[int]]:
        """The elementary formulas: conditions, and the operands of X."""
        return self.conditions, self.nexts

    def bit(self, place: int) -> int:
        """The bit that says whether the X of an X or of an until holds."""
        return self._bit[place]

    def sat(self, place: int, state: int, letter: int) -> bool:
        """Whether a state of the tableau satisfies a sub-formula, with the conditions of a letter.

        `letter` has a bit for each condition.
        """
        known: dict[int, bool] = {}
        for p in self.below(place):
            part = self.parts[p]
            match part.operator:
                case "true":
                    known[p] = True
                case "condition":
                    known[p] = bool(letter >> part.operands[0] & 1)
                case "not":
                    known[p] = not known[part.operands[0]]
                case "or":
                    known[p] = any(known[q] for q in part.operands)
                case "next":
                    known[p] = bool(state >> self._bit[p] & 1)
                case _:
                    g, h = part.operands
                    known[p] = known[h] or (known[g] and bool(state >> self._bit[p] & 1))
        return known[place]

    def before(self, state: int, letter: int) -> int:
        """The X that hold one step before a state with the conditions of a letter."""
        found = 0
        for bit, operand in enumerate(self.nexts):
            found |= int(self.sat(operand, state, letter)) << bit
        return found

    def successors(self, state: int, total: bool = False) -> list[tuple[int, int]]:
        """The states after one, each with its letter; with `total` there is always one."""
        if state == TOP:
            return [(TOP, 0)]
        letters = range(1 << len(self.conditions))
        found = [(s, a) for s in self.states for a in letters if self.before(s, a) == state]
        return found or ([(TOP, 0)] if total else [])

    def is_fair(self, until: int, state: int, letter: int) -> bool:
        """Whether a state is in the fairness set of an until."""
        goal = self.parts[until].operands[1]
        return not self.sat(until, state, letter) or self.sat(goal, state, letter)

    def below(self, place: int) -> Sequence[int]:
        """The places of a sub-formula and of all below it, operands first."""
        if place not in self._orders:
            found, waiting = {place}, [place]
            while waiting:
                part = self.parts[waiting.pop()]
                if part.operator != "condition":
                    waiting += set(part.operands) - found
                    found.update(part.operands)
            self._orders[place] = sorted(found)
        return self._orders[place]

    # --- reduced formulas -------------------------------------------------------------------------

    def _reduce(self, f: Formula, below: list[int]) -> int:
        """A formula in negation normal form, by negation, disjunction, X and U."""
        a, b = (below[0], below[-1]) if below else (0, 0)
        no = self._negation
        match f:
            case Truth(value=value) if not below:
                true = self._add("true")
                return true if value else no(true)
            case _ if not below:
                bit, sign = self._propositions.number(f)
                condition = self._add("condition", bit)
                return condition if sign else no(condition)
            case Or():
                return self._add("or", *below)
            case And():
                return self._conjunction(*below)
            case Next():
                return self._add("next", a)
            case Finally():
                return self._until(self._add("true"), a)
            case Globally():
                return no(self._until(self._add("true"), no(a)))
            case Until():
                return self._until(a, b)
            case Release():
                return no(self._until(no(a), no(b)))
            case WeakUntil():
                return no(self._until(no(b), self._conjunction(no(a), no(b))))
            case _:
                assert isinstance(f, StrongRelease)
                return self._until(b, self._conjunction(a, b))

    def _conjunction(self, *operands: int) -> int:
        return self._negation(self._add("or", *map(self._negation, operands)))

    def _until(self, stay: int, goal: int) -> int:
        return self._add("until", stay, goal)

    def _negation(self, place: int) -> int:
        part = self.parts[place]
        return part.operands[0] if part.operator == "not" else self._add("not", place)

    def _add(self, operator: str, *operands: int) -> int:
        part = Reduced(operator, operands)
        if part not in self._known:
            self._known[part] = len(self.parts)
            self.parts.append(part)
        return self._known[part]


__all__ = ["TOP", "Reduced", "Tableau"]
