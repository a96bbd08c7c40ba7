"""Conditions on markings as trees of linear inequalities.

A *goal* is a condition whose reachability decides a property: the body of `reachable` and `never`,
the negation of the body of `invariant`, and for `deadlock` that no event is enabled. Negations are
pushed down, `Enabled` is spelled out by the arcs of its events, and every comparison becomes
`sum of c(p) m(p) >= bound` over integers, `==` a conjunction and `!=` a disjunction of two.

Values here are unbounded integers. Who asks must see to it that no sum of the original question
wraps around (`wraps_from` tells with how many tokens one may).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from plait.hints import TypeVar
from plait.logic.nnf import nnf
from plait.model.arithmetic import INT_MAX
from plait.model.expr import (
    And,
    Binary,
    Compare,
    Const,
    Deadlock,
    Enabled,
    Formula,
    IntExpr,
    Not,
    Or,
    Truth,
    Unary,
    Var,
)
from plait.model.net import Net, NetEvent, Row
from plait.model.node import Node, fold, nodes
from plait.model.shape import Shape
from plait.records import dataclass

Coefficients = dict[int, int]
"""Place to coefficient, none of them 0."""


T = TypeVar("T")


class NotLinear(Exception):  # noqa: N818 - a way out, not a failure
    """The condition is not about sums of places."""


@dataclass(frozen=True, slots=True)
class Atom:
    """`sum of coefficients * marking >= bound`."""

    coefficients: tuple[tuple[int, int], ...]
    bound: int

    def holds(self, marking: Sequence[float]) -> bool:
        """Whether a marking satisfies it, as exactly as the marking is given."""
        return sum(c * marking[p] for p, c in self.coefficients) >= self.bound


@dataclass(frozen=True, slots=True, eq=False)
class Junction:
    """All (`every`) or some of the parts; no parts are true or false."""

    every: bool
    parts: tuple[Goal, ...]


Goal = Atom | Junction
TRUE = Junction(True, ())
FALSE = Junction(False, ())


def atoms(goal: Goal) -> Iterator[Atom]:
    """The inequalities of a goal, each as often as it occurs in a shared graph."""
    seen: set[int] = set()
    stack: list[Goal] = [goal]
    while stack:
        part = stack.pop()
        if isinstance(part, Atom):
            yield part
        elif id(part) not in seen:
            seen.add(id(part))
            stack.extend(part.parts)


def support(goal: Goal) -> frozenset[int]:
    """The places that occur in a goal."""
    return frozenset(p for atom in atoms(goal) for p, _ in atom.coefficients)


def size(goal: Goal) -> int:
    """The number of its inequalities."""
    return sum(1 for _ in atoms(goal))


def fold_goal(goal: Goal, leaf: Callable[[Atom], T], inner: Callable[[bool, list[T]], T]) -> T:
    """What a goal comes to, from its inequalities up.

    Goals are shared graphs of any depth: a shared part is looked at once, and depth costs no stack.
    `inner` gets whether all parts of a junction are meant, and what they came to.
    """
    done: dict[int, T] = {}
    stack: list[tuple[Goal, bool]] = [(goal, False)]
    while stack:
        part, expanded = stack.pop()
        if id(part) in done:
            continue
        if isinstance(part, Atom):
            done[id(part)] = leaf(part)
        elif expanded:
            done[id(part)] = inner(part.every, [done[id(q)] for q in part.parts])
        else:
            stack.append((part, True))
            stack.extend((q, False) for q in part.parts)
    return done[id(goal)]


def holds(goal: Goal, marking: Sequence[int]) -> bool:
    """Whether a marking satisfies a goal."""
    return fold_goal(goal, lambda a: a.holds(marking), truth)


def truth(every: bool, parts: Iterable[bool]) -> bool:
    """Whether a junction of such parts holds."""
    return all(parts) if every else any(parts)


def fits(goal: Goal) -> bool:
    """Whether its numbers are integers of the models; a bound may be twice as large."""
    distinct = {id(a): a for a in atoms(goal)}.values()
    numbers = (n for a in distinct for n in (a.bound, *(c for _, c in a.coefficients)))
    return all(abs(n) <= INT_MAX for n in numbers)


def junction(every: bool, parts: Sequence[Goal]) -> Goal:
    """All or some of the parts, with constants taken out."""
    kept: list[Goal] = []
    for part in parts:
        if isinstance(part, Junction) and not part.parts:
            if part.every != every:
                return part
        elif isinstance(part, Junction) and part.every == every:
            kept.extend(part.parts)
        else:
            kept.append(part)
    return kept[0] if len(kept) == 1 else Junction(every, tuple(kept))


def atom(coefficients: Coefficients, bound: int) -> Goal:
    """The inequality, or a constant when no place occurs."""
    if not coefficients:
        return TRUE if bound <= 0 else FALSE
    return Atom(tuple(sorted(coefficients.items())), bound)


def negated(a: Atom) -> Goal:
    """The integers that do not satisfy it."""
    return atom({p: -c for p, c in a.coefficients}, 1 - a.bound)


def enabled(events: Iterable[NetEvent], positive: bool = True) -> Goal:
    """That one of the events is enabled, or that none is.

    Of a hundred thousand arcs few differ: events that need the same are one part, and equal
    inequalities are made once.
    """
    made: dict[tuple[int, int, int], Goal] = {}

    def tokens(place: int, factor: int, bound: int) -> Goal:
        found = made.get((place, factor, bound))
        if found is None:
            found = made[place, factor, bound] = atom({place: factor}, bound)
        return found

    def part(pre: Row, inhibitor: Row) -> Goal:
        enough, few = (pre, inhibitor) if positive else (inhibitor, pre)
        needed = [tokens(p, 1, w) for p, w in enough]
        return junction(positive, needed + [tokens(p, -1, 1 - w) for p, w in few])

    distinct = dict.fromkeys((e.pre, e.inhibitor) for e in events)
    return junction(not positive, [part(*needs) for needs in distinct])


def deadlocked(net: Net) -> Goal:
    """That no event is enabled."""
    return enabled(net.events, positive=False)


class Linear:
    """Translates state formulas over the cells of a net."""

    def __init__(self, net: Net, shape: Shape, titled: Callable[[str], Sequence[int]]) -> None:
        self.net = net
        self.shape = shape
        self.titled = titled

    def goal(self, formula: Formula, positive: bool = True) -> Goal:
        """The formula, or its negation; `NotLinear` when it is not about sums of places."""
        normal = nnf(formula if positive else Not(formula))
        return fold(normal, self._step)

    def _step(self, node: Node, below: list[Goal]) -> Goal:
        match node:
            case IntExpr():
                return TRUE  # the comparison above looks at it
            case Truth(value=value):
                return TRUE if value else FALSE
            case And():
                return junction(True, below)
            case Or():
                return junction(False, below)
            case Compare():
                return self._comparison(node)
            case Enabled(events=titles):
                return enabled(self._events(titles))
            case Deadlock():
                return deadlocked(self.net)
            case Not(operand=Enabled(events=titles)):
                return enabled(self._events(titles), positive=False)
            case Not(operand=Deadlock()):
                return enabled(self.net.events)
        raise NotLinear

    def _events(self, titles: Sequence[str]) -> list[NetEvent]:
        numbers = sorted({n for title in titles for n in self.titled(title)})
        return [self.net.events[n] for n in numbers]

    def _comparison(self, f: Compare) -> Goal:
        more, constant = self.sum((f.left, 1), (f.right, -1))
        less = {p: -c for p, c in more.items()}
        match f.op:
            case ">=":
                return atom(more, -constant)
            case ">":
                return atom(more, 1 - constant)
            case "<=":
                return atom(less, constant)
            case "<":
                return atom(less, 1 + constant)
            case "==":
                return junction(True, [atom(more, -constant), atom(less, constant)])
            case "!=":
                return junction(False, [atom(more, 1 - constant), atom(less, 1 + constant)])

    def sum(self, *terms: tuple[IntExpr, int]) -> tuple[Coefficients, int]:
        """The coefficients of the places in a sum of expressions, and its constant."""
        coefficients: Coefficients = {}
        constant = 0
        for root, factor in terms:
            for node, times in leaves(root, signed=True):
                if isinstance(node, Const):
                    constant += factor * times * node.value
                else:
                    place = self._place(node)
                    coefficients[place] = coefficients.get(place, 0) + factor * times
        return {p: c for p, c in coefficients.items() if c}, constant

    def _place(self, var: Var) -> int:
        slot = self.shape.variables.get(var.name)
        if slot is None or var.path:
            raise NotLinear
        if slot.size is None:
            return slot.offset
        if not isinstance(var.index, Const) or not 0 <= var.index.value < slot.size:
            raise NotLinear
        return slot.offset + var.index.value


def leaves(root: IntExpr, signed: bool) -> Iterator[tuple[Const | Var, int]]:
    """The constants and variables of a sum, each with its factor.

    Unless `signed`, differences count as sums: the result bounds every value on the way. A node
    that is shared is looked at once, with the factors of all its uses added up.
    """
    order: list[Node] = []
    fold(root, lambda node, _below: order.append(node))
    factors: dict[int, int] = {id(root): 1}

    def add(node: Node, factor: int) -> None:
        factors[id(node)] = factors.get(id(node), 0) + (factor if signed else abs(factor))

    for node in reversed(order):
        factor = factors.get(id(node), 0)
        match node:
            case Const() | Var():
                yield node, factor
            case Unary(op="-", operand=operand):
                add(operand, -factor)
            case Binary(op="+", left=left, right=right):
                add(left, factor)
                add(right, factor)
            case Binary(op="-", left=left, right=right):
                add(left, factor)
                add(right, -factor)
            case Binary(op="*", left=Const(value=value), right=right):
                add(node.left, 0)
                add(right, factor * value)
            case Binary(op="*", left=left, right=Const(value=value)):
                add(node.right, 0)
                add(left, factor * value)
            case _:
                raise NotLinear


def wraps_from(property_body: Node) -> int | None:
    """The least number of tokens in a marking from which on a sum may leave the 32-bit integers.

    None when none can: every place is compared by itself, or with another. The places on the two
    sides of a comparison count together, too, since its inequality has them on one side.
    `NotLinear` when the expressions are not sums.
    """
    limits: list[int] = []
    for node in nodes(property_body):
        sides = [c for c in node.children() if isinstance(c, IntExpr)]
        sums = [s for s in sides if isinstance(s, Binary | Unary)]
        if sums and not isinstance(node, IntExpr):
            parts = [_parts(side) for side in sides]
            together: Counter[Node] = Counter()
            for side, (places, constant) in zip(sides, parts, strict=True):
                if isinstance(side, Binary | Unary):
                    limits += _limit(places, constant)
                together.update(places)
            limits += _limit(together, 0)
    if isinstance(property_body, Binary | Unary):
        limits += _limit(*_parts(property_body))
    return min(limits, default=None)


def _parts(root: IntExpr) -> tuple[Counter[Node], int]:
    """How often each place is added or subtracted, and what constants are at most."""
    constant = 0
    places: Counter[Node] = Counter()
    for node, factor in leaves(root, signed=False):
        if isinstance(node, Const):
            constant += factor * abs(node.value)
        else:
            places[node] += factor
    return places, constant


def _limit(places: Counter[Node], constant: int) -> list[int]:
    """The tokens from which on such a sum may leave the integers, if it can."""
    if constant > INT_MAX:
        return [0]
    most = max(places.values(), default=0)
    return [max(0, INT_MAX - constant) // most + 1] if most else []


def renamed(goal: Goal, places: Mapping[int, int]) -> Goal:
    """The goal about places of other numbers; shared parts stay shared."""

    def leaf(part: Atom) -> Goal:
        return Atom(tuple(sorted((places[p], c) for p, c in part.coefficients)), part.bound)

    return fold_goal(goal, leaf, lambda every, parts: Junction(every, tuple(parts)))


def as_formula(goal: Goal, names: Mapping[int, str]) -> Formula:
    """The goal as a state formula over variables of these names."""

    def leaf(part: Atom) -> Formula:
        return Compare(">=", as_sum(dict(part.coefficients), 0, names), Const(part.bound))

    return fold_goal(goal, leaf, lambda every, parts: (And if every else Or)(tuple(parts)))


def as_sum(coefficients: Mapping[int, int], constant: int, names: Mapping[int, str]) -> IntExpr:
    """A sum of places and a constant as an expression over variables of these names."""
    total: IntExpr = Const(constant)
    for place, c in coefficients.items():
        term: IntExpr = Var(names[place])
        if c != 1:
            term = Binary("*", Const(c), term)
        total = term if total == Const(0) else Binary("+", total, term)
    return total
