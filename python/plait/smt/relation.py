"""The transition relation of a flat model as a formula over two states and a choice.

A cell whose values an interval analysis bounds (`plait.passes.domains`) is a variable of so many
bits as these values need, extended to 32 where it is used; arithmetic stays that of 32 bits. A cell
that has only one value is none at all. The *choice* of a step is the number of a path
(`plait.smt.paths`). The relation is a conjunction: the chosen path gets through and writes what it
writes, and each cell keeps its value unless the chosen path is one that writes it.

**Invariant.** With `narrow` the formula is that of the model on states within the ranges, which
hold in every reachable state. Without it, every cell has 32 bits, and the ranges are a conjecture
like any other: that is how `plait.smt.certificate` checks them. Places of a net whose bound has an
exact certificate (`plait.smt.facts`) have the bits for that in both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import z3

from plait.model.expr import Formula
from plait.model.shape import State, shape_of
from plait.model.types import Model, Property
from plait.passes.domains import domains
from plait.passes.intervals import WHOLE, Interval
from plait.passes.rewritten import flat_type
from plait.records import dataclass
from plait.smt.facts import Fact, Facts
from plait.smt.make import BITS, Term, all_of, constant, equal, negation, some_of
from plait.smt.paths import Executor, Path
from plait.smt.terms import Terms, Unsupported


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of the state: its range, and the variables for it before and after a step.

    The variables have as many bits as the range needs; None where it is a constant.
    """

    range: Interval
    before: Term | None
    after: Term | None
    signed: bool

    @property
    def bits(self) -> int:
        """The bits of its variables."""
        return 0 if self.before is None else int(self.before.size())

    def value(self, variable: Term | None) -> Term:
        """The 32-bit value of a variable for this cell."""
        if variable is None:
            return constant(self.range[0])
        missing = BITS - self.bits
        if not missing:
            return variable
        return (z3.SignExt if self.signed else z3.ZeroExt)(missing, variable)

    def literal(self, value: int) -> Term:
        """A value of the cell, as its variables have it."""
        return z3.BitVecVal(value, self.bits)

    def read(self, bits: int) -> int:
        """The value that a solver's bits stand for."""
        return bits - (1 << self.bits) if self.signed and bits >> (self.bits - 1) else bits


class Relation:
    """What a solver needs to know of a model."""

    def __init__(
        self,
        model: Model,
        titled: Callable[[str], Sequence[int]],
        *,
        narrow: bool = True,
        facts: Facts | None = None,
        tick: Callable[[], None] = lambda: None,
    ) -> None:
        """`titled` gives the numbers of the events that `Enabled` with a title speaks of.

        `facts` are what is known of the model as a net; its bounds make cells narrow.
        """
        self.model = model
        self.facts = facts
        self.titled = titled
        self.tick = tick
        shape = shape_of(model)
        self.initial: State = tuple(shape.initial())
        self.terms = Terms(shape.variables, tick)
        self.terms.count(4 * len(self.initial))
        found = domains(model)
        self.cells: list[Cell] = []
        self.ranges: list[Interval] = []
        for name, slot in shape.variables.items():
            known = found.ranges.get(name, WHOLE)
            for i in range(1 if slot.size is None else slot.size):
                if slot.offset + i != len(self.cells):
                    raise Unsupported("the cells of the model are not in order")
                self.ranges.append(known)
                number = len(self.cells)
                least, most = known if narrow else WHOLE
                if facts is not None and number in facts.bounds:
                    least, most = max(least, 0), min(most, facts.bounds[number])
                self.cells.append(_cell(number, (least, max(least, most))))
        self.state = [c.value(c.before) for c in self.cells]
        executor = Executor(flat_type(model).events, shape, self.terms, self.state)
        self.paths: list[Path] = list(executor.paths())
        bits = max(1, len(self.paths).bit_length())
        self.choice = z3.BitVec("choice", bits)

    def make(self) -> None:
        """Make all terms now, so that what is too large is told now."""
        _ = self.step, self.within, self.fails

    @cached_property
    def step(self) -> Term:
        """One step, from the variables `before` to the variables `after` by the `choice`."""
        writers: dict[int, list[Term]] = {}
        bits = self.choice.size()
        parts = [z3.ULT(self.choice, z3.BitVecVal(len(self.paths), bits))]
        for number, path in enumerate(self.paths):
            chosen = equal(self.choice, z3.BitVecVal(number, bits))
            does = [path.passes]
            for cell, value in path.writes.items():
                self.terms.count(2)
                at = self.cells[cell]
                does.append(equal(at.value(at.after), value))
                writers.setdefault(cell, []).append(chosen)
            parts.append(some_of([negation(chosen), all_of(does)]))
        for number, at in enumerate(self.cells):
            if at.before is not None:
                parts.append(some_of([equal(at.after, at.before), *writers.get(number, ())]))
        return z3.simplify(all_of(parts))

    @cached_property
    def within(self) -> Term:
        """That all cells are within the ranges that the analysis found."""
        parts = []
        for at, (low, high) in zip(self.cells, self.ranges, strict=True):
            if at.before is not None:
                value = at.value(at.before)
                parts += [value >= constant(low), value <= constant(high)]
        return z3.simplify(all_of(parts))

    @cached_property
    def fails(self) -> Term:
        """That an event assigns a value outside the domain of its variable: an error."""
        return z3.simplify(some_of([p.fails for p in self.paths if p.fails is not None]))

    @cached_property
    def is_initial(self) -> Term:
        """That the state is the initial one."""
        pairs = zip(self.cells, self.initial, strict=True)
        return all_of([c.before == c.literal(v) for c, v in pairs if c.before is not None])

    def fact(self, fact: Fact) -> Term:
        """A fact about the net that the model is, in a state."""
        return fact.term([(c.before, c.range[0]) for c in self.cells])

    @property
    def largest_sum(self) -> int:
        """What all cells of a reachable state together are at most."""
        pairs = enumerate(self.ranges)
        bounds: Mapping[int, int] = {} if self.facts is None else self.facts.bounds
        return sum(min(high, bounds.get(cell, high)) for cell, (_, high) in pairs)

    def goal(self, p: Property) -> Term:
        """The states that decide a safety property, as those of `Prepared.goal`."""
        if p.kind == "deadlock":
            return z3.simplify(z3.Not(self._enabled(None)))
        if p.kind not in ("reachable", "never", "invariant") or not isinstance(p.body, Formula):
            raise Unsupported(f"{p.kind} properties are not for this engine")
        holds = self.condition(p.body)
        return z3.simplify(z3.Not(holds)) if p.kind == "invariant" else holds

    def condition(self, formula: Formula) -> Term:
        """That a state formula of the flat model is true in a state."""
        return z3.simplify(self.terms.condition(formula, self.state, self._enabled).true)

    def _enabled(self, titles: tuple[str, ...] | None) -> Term:
        """That an event of these titles, or any, is enabled: one of its paths gets through."""
        if titles is None:
            return some_of([p.passes for p in self.paths])
        numbers = {n for title in titles for n in self.titled(title)}
        return some_of([p.passes for p in self.paths if p.event in numbers])


def _cell(number: int, known: Interval) -> Cell:
    low, high = known
    if low == high:
        return Cell(known, None, None, False)
    signed = low < 0
    bits = max((v if v >= 0 else ~v).bit_length() for v in known) + signed
    before, after = z3.BitVec(f"c{number}", bits), z3.BitVec(f"c{number}'", bits)
    return Cell(known, before, after, signed)
