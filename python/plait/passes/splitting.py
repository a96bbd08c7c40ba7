"""Event splitting: conditions that relate several levels become many that relate one each.

An event is Kronecker-consistent when what it needs is a condition on each level of the diagrams by
itself (Siminiceanu, Structural Model Checking, 2003, sections 3.2 and 7.2.4). One that compares
variables of different levels is not, and is split: its guard is brought into disjunctive normal
form, and in a term that relates levels the first variable of the first such comparison is set to
each of its values in turn, until nothing of that kind is left. The events that come of it together
need just what the event needed; in a state several of them may be enabled, which all do the same.

Comparisons are linear: sums of variables with constant factors. Events that could happen only
beyond the ranges of the variables are not left out: that is for `prune`, which knows more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from plait.errors import error
from plait.hints import cast
from plait.logic.nnf import nnf
from plait.model.arithmetic import INT_MAX, INT_MIN
from plait.model.expr import (
    And,
    Binary,
    Compare,
    Const,
    Enabled,
    Formula,
    IntExpr,
    Or,
    Truth,
    Unary,
    Var,
    conjunction,
)
from plait.model.fresh import FreshNames
from plait.model.node import Node, nodes, rewrite
from plait.model.types import Event, Model, Property
from plait.passes.domains import domains
from plait.passes.rewritten import Rewritten, flat_type, same_state
from plait.records import dataclass, replace

Range = tuple[int, int]
WHOLE: Range = (INT_MIN, INT_MAX)
LARGEST = 1_000_000
"""The most terms of an event."""


@dataclass(frozen=True, slots=True)
class Linear:
    """A condition: the sum of the variables, each with its factor, is at most `limit`."""

    factors: tuple[tuple[str, int], ...]
    limit: int

    def with_value(self, name: str, value: int) -> Linear:
        """The condition where a variable has that value."""
        rest = tuple((n, f) for n, f in self.factors if n != name)
        return Linear(rest, self.limit - value * dict(self.factors).get(name, 0))


@dataclass(frozen=True, slots=True)
class Term:
    """A conjunction: a range for each variable that has one, and what relates several variables."""

    ranges: Mapping[str, Range]
    related: tuple[Linear, ...] = ()

    def within(self, atom: Linear, domain: Mapping[str, Range]) -> Term | None:
        """The term with another condition; None when they exclude each other."""
        if len(atom.factors) > 1:
            return self if atom in self.related else Term(self.ranges, (*self.related, atom))
        if not atom.factors:
            return self if atom.limit >= 0 else None
        ((name, factor),) = atom.factors
        low, high = self.ranges.get(name) or domain.get(name, WHOLE)
        if factor > 0:
            high = min(high, atom.limit // factor)
        else:
            low = max(low, -(atom.limit // -factor))
        return None if low > high else Term({**self.ranges, name: (low, high)}, self.related)

    def implies(self, other: Term) -> bool:
        """Whether it is plainly a part of the other one."""
        return set(other.related) <= set(self.related) and all(
            name in self.ranges and low <= self.ranges[name][0] and self.ranges[name][1] <= high
            for name, (low, high) in other.ranges.items()
        )


def terms(formula: Formula, domain: Mapping[str, Range] | None = None) -> list[Term]:
    """The disjunctive normal form of a condition, without terms that others make needless.

    With a `domain` terms that cannot hold there are left out.
    """
    found: list[Term] = []
    for term in _expanded(nnf(formula), [Term({})], domain or {}):
        if not any(term.implies(other) for other in found):
            found = [other for other in found if not other.implies(term)] + [term]
    return found


def split(
    formula: Formula, level_of: Mapping[str, int], domain: Mapping[str, Range]
) -> Iterator[Term]:
    """The terms of a condition, each related conjunct of which is about one level."""
    _check_sums(formula, domain)
    stack = terms(formula)[::-1]
    while stack:
        term = stack.pop()
        wide = next((a for a in term.related if len({level_of[n] for n, _ in a.factors}) > 1), None)
        if wide is None:
            yield term
            continue
        name = wide.factors[0][0]
        least, most = term.ranges.get(name, WHOLE)
        low, high = max(least, domain[name][0]), min(most, domain[name][1])
        if high - low >= LARGEST:
            raise error(f"'{name}' has too many values to be split by", formula.span)
        for value in range(high, low - 1, -1):
            chosen: Term | None = Term({**term.ranges, name: (value, value)})
            for atom in term.related:
                chosen = chosen and chosen.within(atom.with_value(name, value), {})
            if chosen is not None:
                stack.append(chosen)


def split_events(model: Model, level_of: Mapping[str, int] | None = None) -> Rewritten:
    """A flat model whose events need one-level conditions only; the states stay.

    Without `level_of` each unit of a net is a level, and each variable that is in none.
    """
    system = flat_type(model)
    ranges = domains(model).ranges
    levels = _levels(model) if level_of is None else level_of
    events: list[Event] = []
    parts: dict[str, tuple[str, ...]] = {}
    names = FreshNames(e.name for e in system.events)
    for event in system.events:
        if all(len({levels[n] for n in _names(c)}) < 2 for c in event.guard):
            events.append(event)
            continue
        guard = conjunction(event.guard)
        first = len(events)
        for number, term in enumerate(split(guard, levels, ranges), start=1):
            if number > LARGEST:
                raise error(f"'{event.name}' is split into more than {LARGEST} events", event.span)
            name = names.fresh(f"{event.name}_{number}")
            events.append(replace(event, name=name, display="", guard=conditions(term)))
        parts[event.title] = tuple(e.name for e in events[first:])
    made = replace(system, events=tuple(events))
    types = tuple(made if t.name == system.name else t for t in model.types)
    properties = tuple(_asked(p, parts) for p in model.properties)
    return Rewritten(replace(model, types=types, properties=properties), same_state)


def _asked(property: Property, parts: Mapping[str, tuple[str, ...]]) -> Property:
    """A property that asks for the parts of an event instead of the event."""

    def change(node: Node) -> Node:
        if not isinstance(node, Enabled):
            return node
        meant = (new for name in node.events for new in parts.get(name, (name,)))
        return Enabled(tuple(meant), span=node.span)

    if property.body is None:
        return property
    return replace(property, body=cast("Formula | IntExpr", rewrite(property.body, change)))


def conditions(term: Term) -> tuple[Formula, ...]:
    """A term as conjuncts."""
    found: list[Formula] = []
    for name, (low, high) in term.ranges.items():
        var = Var(name)
        if low == high:
            found.append(Compare("==", var, Const(low)))
            continue
        found += [Compare(">=", var, Const(low))] if low > INT_MIN else []
        found += [Compare("<=", var, Const(high))] if high < INT_MAX else []
    for atom in term.related:
        total: IntExpr = Const(0)
        for name, factor in atom.factors:
            total = Binary("+", total, Binary("*", Const(factor), Var(name)))
        found.append(Compare("<=", total, Const(atom.limit)))
    return tuple(found)


def _levels(model: Model) -> dict[str, int]:
    system = flat_type(model)
    levels = {v.name: number for number, v in enumerate(system.variables)}
    for number, unit in enumerate(system.units.units if system.units else (), len(levels)):
        levels |= dict.fromkeys(unit.places, number)
    return levels


# --- normal forms ---------------------------------------------------------------------------------


def _expanded(formula: Formula, found: list[Term], domain: Mapping[str, Range]) -> list[Term]:
    """Each term together with each way to satisfy a formula in negation normal form."""
    match formula:
        case Truth(value=value):
            return found if value else []
        case And(operands=operands):
            for operand in operands:
                found = _expanded(operand, found, domain)
            return found
        case Or(operands=operands):
            return [t for operand in operands for t in _expanded(operand, found, domain)]
        case Compare(op="!=", left=left, right=right):
            ways = [Compare("<", left, right), Compare(">", left, right)]
            return [t for way in ways for t in _expanded(way, found, domain)]
        case Compare():
            for atom in _atoms(formula):
                more = (term.within(atom, domain) for term in found)
                found = [term for term in more if term is not None]
            return found
    raise error("only comparisons can be split", formula.span)


def _atoms(compare: Compare) -> Iterator[Linear]:
    """A comparison other than `!=` as bounds of sums."""
    factors: dict[str, int] = {}
    constant = _add(compare.left, 1, factors) + _add(compare.right, -1, factors)
    up = tuple((name, factor) for name, factor in factors.items() if factor)
    down = tuple((name, -factor) for name, factor in up)
    strict = 1 if compare.op in ("<", ">") else 0
    if compare.op in ("<", "<=", "=="):
        yield Linear(up, -constant - strict)
    if compare.op in (">", ">=", "=="):
        yield Linear(down, constant - strict)


def _check_sums(formula: Formula, domain: Mapping[str, Range]) -> None:
    """Refuse sums that may leave the integers, where adding is not what it is elsewhere."""
    for node in nodes(formula):
        for side in (node.left, node.right) if isinstance(node, Compare) else ():
            factors: dict[str, int] = {}
            constant = _add(side, 1, factors)
            ends = [abs(f) * max(map(abs, domain[n])) for n, f in factors.items()]
            plain = not constant and list(factors.values()) in ([], [1])
            if not plain and sum(ends) + abs(constant) > INT_MAX:
                raise error("the values may not fit in 32 bits", side.span or node.span)


def _add(expression: IntExpr, factor: int, factors: dict[str, int]) -> int:
    """Add the variables of an expression, so many times; its constant part."""
    match expression:
        case Const(value=value):
            return factor * value
        case Var(name=name, index=None):
            factors[name] = factors.get(name, 0) + factor
            return 0
        case Unary(op="-", operand=operand):
            return _add(operand, -factor, factors)
        case Binary(op="+" | "-", left=left, right=right):
            sign = 1 if expression.op == "+" else -1
            return _add(left, factor, factors) + _add(right, sign * factor, factors)
        case Binary(op="*", left=Const(value=value), right=other):
            return _add(other, factor * value, factors)
        case Binary(op="*", left=other, right=Const(value=value)):
            return _add(other, factor * value, factors)
    raise error("only sums of variables with constant factors can be split", expression.span)


def _names(formula: Formula) -> set[str]:
    return {n.name for n in nodes(formula) if isinstance(n, Var)}


__all__ = ["Linear", "Term", "conditions", "split", "split_events", "terms"]
