"""Formulas of linear time in positive form, each stored once and simplified as it is made.

A term is a number. The operators are literals (a bit set or cleared), conjunction, disjunction, X,
U and R; F g is `true U g`, G g is `false R g`, f W g is `g R (f | g)`, f M g is `g U (f & g)`.

The rules are the usual ones (Somenzi and Bloem, *Efficient Büchi automata from LTL formulae*, CAV
2000; Etessami and Holzmann, *Optimizing Büchi automata*, CONCUR 2000). A formula that only speaks
of what holds again and again or for ever in the end (GF, FG and what is made of them by
connectives) is *suspendable*: it is true of a run when it is true of any suffix, so that X, U and R
before it can go. Nothing here grows a formula.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from plait.records import dataclass

Operator = Literal["true", "false", "literal", "and", "or", "next", "until", "release"]
TRUE = 0
FALSE = 1


@dataclass(frozen=True, slots=True)
class Term:
    """An operator and the numbers of its operands; of a literal its bit, and 1 where it is set."""

    operator: Operator
    operands: tuple[int, ...] = ()


class Terms:
    """The terms of one translation."""

    def __init__(self) -> None:
        self.terms: list[Term] = [Term("true"), Term("false")]
        self._numbers: dict[Term, int] = {t: n for n, t in enumerate(self.terms)}
        self._suspendable: list[bool] = [True, True]

    def __getitem__(self, number: int) -> Term:
        return self.terms[number]

    def has_next(self, root: int) -> bool:
        """Whether the term looks at the next state as such."""
        seen = {root}
        stack = [root]
        while stack:
            term = self[stack.pop()]
            if term.operator == "next":
                return True
            below = () if term.operator == "literal" else term.operands
            stack.extend(o for o in below if o not in seen)
            seen.update(below)
        return False

    # --- operators --------------------------------------------------------------------------------

    def literal(self, bit: int, positive: bool) -> int:
        """The bit is set, or it is cleared."""
        return self._number(Term("literal", (bit, int(positive))))

    def conjunction(self, operands: Iterable[int]) -> int:
        """All of them."""
        return self._connective("and", operands)

    def disjunction(self, operands: Iterable[int]) -> int:
        """One of them."""
        return self._connective("or", operands)

    def next(self, f: int) -> int:
        """X f."""
        return f if self._suspendable[f] else self._number(Term("next", (f,)))

    def until(self, f: int, g: int) -> int:
        """f U g."""
        return self._until("until", f, g)

    def release(self, f: int, g: int) -> int:
        """f R g."""
        return self._until("release", f, g)

    # --- rules ------------------------------------------------------------------------------------

    def _until(self, operator: Literal["until", "release"], f: int, g: int) -> int:
        """f U g; the rules of R are the same, with true and false exchanged, and F and G."""
        true, false = (TRUE, FALSE) if operator == "until" else (FALSE, TRUE)
        nexts = 0
        while True:
            if f in (false, g) or self._suspendable[g]:
                found = g
                break
            a, b = self[f], self[g]
            if b.operator == operator and f == true:
                g = b.operands[1]  # F (x U y) = F y
            elif b.operator == operator and f == b.operands[0]:
                found = g  # x U (x U y) = x U y
                break
            elif b.operator == "next" and (f == true or a.operator == "next"):
                nexts += 1  # X x U X y = X (x U y)
                f, g = (f if f == true else a.operands[0]), b.operands[0]
            else:
                simpler = self._without_goals(g, operator) if f == true else g
                if simpler == g:
                    found = self._number(Term(operator, (f, g)))
                    break
                g = simpler
        return self._delayed(found, nexts)

    def _delayed(self, f: int, nexts: int) -> int:
        for _ in range(nexts):
            f = self.next(f)
        return f

    def _without_goals(self, g: int, operator: Literal["until", "release"]) -> int:
        """F (a | (x U y)) = F (a | y): what is to hold some time may as well wait; so with G, R."""
        connective: Literal["and", "or"] = "or" if operator == "until" else "and"
        if self[g].operator != connective:
            return g
        parts = (self[p] for p in self[g].operands)
        goals = [t.operands[1] if t.operator == operator else self._numbers[t] for t in parts]
        return self._connective(connective, goals)

    def _connective(self, operator: Literal["and", "or"], operands: Iterable[int]) -> int:
        unit, zero = (TRUE, FALSE) if operator == "and" else (FALSE, TRUE)
        parts: set[int] = set()
        for number in operands:
            # Operands are simple already, so that none is nested more than once.
            same = self[number].operator == operator
            parts.update(self[number].operands if same else (number,))
        parts.discard(unit)
        if zero in parts or self._contradict(parts):
            return zero
        parts = self._absorb(operator, parts)
        if len(parts) < 2:
            return parts.pop() if parts else unit
        return self._number(Term(operator, tuple(sorted(parts))))

    def _contradict(self, parts: set[int]) -> bool:
        """A bit is there both set and cleared."""
        literals = {self[p].operands for p in parts if self[p].operator == "literal"}
        return any((bit, 1 - sign) in literals for bit, sign in literals)

    def _absorb(self, operator: Literal["and", "or"], parts: set[int]) -> set[int]:
        """a & (a | b) = a, a | (a & b) = a."""
        other = "or" if operator == "and" else "and"
        return {
            p
            for p in parts
            if self[p].operator != other or not parts.intersection(self[p].operands)
        }

    def _number(self, term: Term) -> int:
        number = self._numbers.get(term)
        if number is None:
            number = self._numbers[term] = len(self.terms)
            self.terms.append(term)
            self._suspendable.append(self._is_suspendable(term))
        return number

    def _is_suspendable(self, term: Term) -> bool:
        if term.operator in ("and", "or"):
            return all(self._suspendable[o] for o in term.operands)
        if term.operator == "until" and term.operands[0] == TRUE:
            inner = self[term.operands[1]]
            return inner.operator == "release" and inner.operands[0] == FALSE
        if term.operator == "release" and term.operands[0] == FALSE:
            inner = self[term.operands[1]]
            return inner.operator == "until" and inner.operands[0] == TRUE
        return False
