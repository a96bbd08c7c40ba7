"""Random questions about a model: state predicates, bounds, CTL and LTL.

Predicates are biased so that both verdicts are common: about half of them are hard to satisfy
(conjunctions of equalities) or hard to violate (a place stays among its values).
"""

from __future__ import annotations

from plait.logic.formula import (
    Exists,
    Finally,
    Forall,
    Globally,
    Next,
    Release,
    StrongRelease,
    Until,
    WeakUntil,
)
from plait.model.arithmetic import wrap32
from plait.model.expr import (
    And,
    Binary,
    Compare,
    Const,
    Deadlock,
    Enabled,
    Formula,
    Iff,
    Implies,
    IntExpr,
    Not,
    Or,
)
from plait.model.types import Property, PropertyKind
from plait.records import dataclass
from plait.testing.choices import Choices
from plait.testing.random_expressions import Expressions, Place, Queue, Scope

UNTILS = (Until, Until, WeakUntil, Release, StrongRelease)


@dataclass(frozen=True, slots=True)
class Observed:
    """What properties may look at."""

    places: tuple[Place, ...]
    titles: tuple[str, ...] = ()
    queues: tuple[Queue, ...] = ()


class Formulas:
    """Writes properties of one model."""

    def __init__(self, choices: Choices, observed: Observed) -> None:
        self.choices = choices
        self.observed = observed
        scope = Scope(
            observed.places, queues=observed.queues, undefined=6, wrap=6, constant_index=True
        )
        self.expressions = Expressions(choices, scope)

    def properties(self, count: int, temporal: int) -> tuple[Property, ...]:
        """So many properties, a share of them (in per cent) temporal."""
        return tuple(self.property(f"q{i}", temporal) for i in range(count))

    def property(self, name: str, temporal: int) -> Property:
        """A question of any kind."""
        c = self.choices
        if c.chance(temporal):
            if c.chance(50):
                return Property(name, kind="ltl", body=self.ltl(c.integer(1, 3)))
            return Property(name, kind="ctl", body=self.ctl(c.integer(1, 3)))
        kind: PropertyKind = c.weighted(
            [(6, "reachable"), (5, "invariant"), (5, "never"), (1, "deadlock"), (3, "bounds")]
        )
        if kind == "deadlock":
            return Property(name, kind="deadlock")
        if kind == "bounds":
            return Property(name, kind="bounds", body=self.sum())
        return Property(name, kind=kind, body=self.question(kind))

    def question(self, kind: PropertyKind) -> Formula:
        """A predicate whose answer for this kind is in doubt."""
        c = self.choices
        if not self.observed.places:
            return self.state(1)
        if kind == "invariant":
            if c.chance(45):
                return self.likely()
            return Or((self.likely(), self.state(1))) if c.chance(30) else self.state(2)
        if c.chance(40):
            return self.unlikely()
        return self.state(2)

    def likely(self) -> Formula:
        """True as long as a place stays among the values it is meant to take."""
        c = self.choices
        place = c.pick(self.observed.places)
        here = self.expressions.read(place)
        if c.chance(50):
            return Compare("!=", here, Const(wrap32(place.base + place.span + 1)))
        if c.chance(50):
            return Not(self.unlikely())
        low = Compare(">=", here, Const(wrap32(place.base)))
        return And((low, Compare("<=", here, Const(wrap32(place.base + place.span)))))

    def unlikely(self) -> Formula:
        """Several places at given values at once, or a place beyond its values."""
        c = self.choices
        if c.chance(25):
            place = c.pick(self.observed.places)
            beyond = Const(wrap32(place.base + place.span + 1))
            return Compare("==", self.expressions.read(place), beyond)
        chosen = c.some(self.observed.places, 2, 4)
        atoms = tuple(
            Compare(
                "==",
                self.expressions.read(p),
                Const(wrap32(p.base + c.integer(0, p.span))),
            )
            for p in chosen
        )
        return atoms[0] if len(atoms) == 1 else And(atoms)

    def state(self, depth: int) -> Formula:
        """Any state predicate, with the atoms that only properties have."""
        c = self.choices
        if c.chance(8):
            return self._special()
        made = self.expressions.formula(depth)
        if c.chance(8):
            return And((made, self._special())) if c.chance(50) else Or((self._special(), made))
        return made

    def _special(self) -> Formula:
        c = self.choices
        if not self.observed.titles or c.chance(30):
            return Deadlock()
        return Enabled(tuple(c.some(self.observed.titles, 1, 2)))

    def sum(self) -> IntExpr:
        """A sum of places, as `bounds` asks for; sometimes any expression."""
        c = self.choices
        if not self.observed.places or c.chance(25):
            return self.expressions.term(2)
        terms = c.some(self.observed.places, 1, 3)
        total: IntExpr = self.expressions.read(terms[0])
        for p in terms[1:]:
            total = Binary("+", total, self.expressions.read(p))
        return total

    # --- temporal ---

    def ctl(self, depth: int) -> Formula:
        """A CTL formula with about `depth` levels of path quantifiers."""
        c = self.choices
        if depth <= 0:
            return self.state(1)
        how = c.weighted([(6, "unary"), (3, "binary"), (4, "boolean")])
        if how == "boolean":
            return self._boolean(self.ctl(depth - 1), self.ctl(depth - 1))
        quantifier = c.pick((Forall, Exists))
        if how == "unary":
            operator = c.pick((Globally, Finally, Next))
            return quantifier(operator(self.ctl(depth - 1)))
        until = c.pick(UNTILS)
        return quantifier(until(self.ctl(depth - 1), self.ctl(depth - 1)))

    def ltl(self, depth: int) -> Formula:
        """An LTL formula with about `depth` levels of temporal operators."""
        c = self.choices
        if depth <= 0:
            return self.state(1)
        how = c.weighted([(7, "unary"), (3, "binary"), (4, "boolean")])
        if how == "boolean":
            return self._boolean(self.ltl(depth - 1), self.ltl(depth - 1))
        if how == "unary":
            operator = c.pick((Globally, Finally, Next))
            return operator(self.ltl(depth - 1))
        return c.pick(UNTILS)(self.ltl(depth - 1), self.ltl(depth - 1))

    def _boolean(self, left: Formula, right: Formula) -> Formula:
        how = self.choices.pick(("and", "or", "not", "implies", "iff"))
        if how == "not":
            return Not(left)
        if how in ("implies", "iff"):
            return Implies(left, right) if how == "implies" else Iff(left, right)
        return And((left, right)) if how == "and" else Or((left, right))
