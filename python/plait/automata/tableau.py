"""The tableau: an automaton whose states are sets of formulas that the rest of the run satisfies.

To satisfy a formula from now on is to see a letter now and to satisfy something from the next
letter on: `f U g` is `g`, or `f` and `X (f U g)`; `f R g` is `g` and (`f` or `X (f R g)`). So each
term has *alternatives*: which bits are set and cleared now, which terms are left for later, and
which untils are *postponed*. A run is accepted when no until is postponed for ever, so there is one
acceptance set for each until, of the arcs that do not postpone it.

Alternatives of a term are made once, from those of its operands, and one that demands all that
another demands is dropped on the way.

Source: Couvreur, *On-the-fly verification of linear temporal logic*, FM 1999; Gerth, Peled, Vardi,
Wolper, *Simple on-the-fly automatic verification of linear temporal logic*, PSTV 1995.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from plait.automata.automaton import Arc, Automaton
from plait.automata.terms import FALSE, TRUE, Terms
from plait.errors import LimitReached
from plait.records import dataclass

STATES = 2_000
"""More states are not built: such an automaton would be larger than most models."""
ALTERNATIVES = 2_000
"""Nor is a state with more alternatives."""
ACCEPTANCES = 64
"""Nor are there more acceptance sets than a word has bits."""


class TooLarge(LimitReached):
    """The automaton of a formula would be too large."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """A way to satisfy a term: bits set and cleared now, terms for later, untils postponed."""

    positive: int = 0
    negative: int = 0
    later: frozenset[int] = frozenset()
    postponed: frozenset[int] = frozenset()

    def both(self, other: Alternative) -> Alternative | None:
        """Both ways at once, unless a bit would have to be set and cleared."""
        positive, negative = self.positive | other.positive, self.negative | other.negative
        if positive & negative:
            return None
        later = self.later | other.later
        return Alternative(positive, negative, later, self.postponed | other.postponed)

    def is_weaker(self, other: Alternative) -> bool:
        """Whether it demands nothing that the other does not."""
        return (
            not self.positive & ~other.positive
            and not self.negative & ~other.negative
            and self.later <= other.later
            and self.postponed <= other.postponed
        )


class Tableau:
    """The states and arcs of one formula."""

    def __init__(self, terms: Terms, tick: Callable[[], None] = lambda: None) -> None:
        self.terms = terms
        self.tick = tick
        self._known: dict[int, list[Alternative]] = {TRUE: [Alternative()], FALSE: []}

    def automaton(self, root: int) -> Automaton:
        """The automaton of a term."""
        start = self._conjuncts(root)
        states = [start]
        numbers = {start: 0}
        rows: list[list[Alternative]] = []
        for state in states:  # those that are found on the way come, too
            self.tick()
            rows.append([] if FALSE in state else self._of_all(state))
            for alternative in rows[-1]:
                if alternative.later not in numbers:
                    numbers[alternative.later] = len(states)
                    states.append(alternative.later)
            if len(states) > STATES:
                raise TooLarge(f"its automaton has more than {STATES:,} states")
        untils = sorted({u for row in rows for a in row for u in a.postponed})
        if len(untils) > ACCEPTANCES:
            raise TooLarge(f"its automaton has more than {ACCEPTANCES} acceptance sets")
        return Automaton(
            tuple(
                tuple(
                    Arc(a.positive, a.negative, numbers[a.later], _fulfilled(a, untils))
                    for a in row
                )
                for row in rows
            ),
            len(untils),
        )

    def _conjuncts(self, number: int) -> frozenset[int]:
        """A term as a set of terms, which is a state."""
        if number == TRUE:
            return frozenset()
        term = self.terms[number]
        return frozenset(term.operands if term.operator == "and" else (number,))

    def _of_all(self, state: frozenset[int]) -> list[Alternative]:
        found = [Alternative()]
        for number in sorted(state):
            found = self._product(found, self.alternatives(number))
        return found

    def alternatives(self, root: int) -> list[Alternative]:
        """The ways to satisfy a term."""
        stack = [root]
        while stack:
            number = stack[-1]
            if number in self._known:
                stack.pop()
                continue
            term = self.terms[number]
            now = term.operands if term.operator not in ("literal", "next") else ()
            missing = [o for o in now if o not in self._known]
            if missing:
                stack.extend(missing)
                continue
            self._known[number] = self._unfold(number)
            stack.pop()
        return self._known[root]

    def _unfold(self, number: int) -> list[Alternative]:
        term = self.terms[number]
        known = self._known
        if term.operator == "literal":
            bit, positive = term.operands
            mask = 1 << bit
            return [Alternative(positive=mask) if positive else Alternative(negative=mask)]
        if term.operator == "next":
            later = self._conjuncts(term.operands[0])
            return [] if FALSE in later else [Alternative(later=later)]
        if term.operator == "and":
            found = [Alternative()]
            for operand in term.operands:
                found = self._product(found, known[operand])
            return found
        if term.operator == "or":
            return self._least(a for operand in term.operands for a in known[operand])
        left, right = (known[o] for o in term.operands)
        itself = frozenset({number})
        if term.operator == "until":
            again = [Alternative(later=itself, postponed=itself)]
            return self._least([*right, *self._product(left, again)])
        again = [Alternative(later=itself)]
        return self._product(right, self._least([*left, *again]))

    def _product(self, some: list[Alternative], others: list[Alternative]) -> list[Alternative]:
        if len(some) * len(others) > 16 * ALTERNATIVES:
            raise TooLarge(f"a state of its automaton has more than {ALTERNATIVES:,} alternatives")
        both = (a.both(b) for a in some for b in others)
        return self._least(c for c in both if c is not None)

    def _least(self, alternatives: Iterable[Alternative]) -> list[Alternative]:
        """Without those that demand all that another one demands."""
        kept: list[Alternative] = []
        for a in dict.fromkeys(alternatives):
            if any(b.is_weaker(a) for b in kept):
                continue
            kept = [b for b in kept if not a.is_weaker(b)]
            kept.append(a)
            if len(kept) > ALTERNATIVES:
                why = f"a state of its automaton has more than {ALTERNATIVES:,} alternatives"
                raise TooLarge(why)
        self.tick()
        return kept


def _fulfilled(alternative: Alternative, untils: list[int]) -> int:
    return sum(1 << i for i, u in enumerate(untils) if u not in alternative.postponed)
