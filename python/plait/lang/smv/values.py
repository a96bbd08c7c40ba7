"""What an expression may be: decisions with sets of alternatives at their ends.

`case` and sets are not operations of the semantic core, whose bodies decide and choose instead. So
an expression becomes a tree: a `Leaf` is an expression of the core, `Cases` decide, `Either`
chooses freely, `Between` chooses a number of a range. An operation on trees is done at the leaves.
Where the outcome is a condition, the decisions become a part of it.

A case that nobody covers, an index outside its array and a division by zero are errors in NuSMV if
any values of the variables lead to them. They are kept aside as `Failure`s, each with the condition
under which it happens, until the whole expression is known (`plait.lang.smv.failures`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from plait.errors import Span, error
from plait.hints import cast
from plait.lang.smv.types import Type
from plait.model.expr import (
    FALSE,
    TRUE,
    And,
    AsInt,
    Binary,
    Compare,
    Const,
    Formula,
    IntExpr,
    Not,
    Or,
    Truth,
    Var,
)
from plait.model.node import Node, rewrite
from plait.records import dataclass

MOST_LEAVES = 128
"""With more, decisions become a part of the arithmetic."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value: a formula where the type is boolean, else a number."""

    node: Node


@dataclass(frozen=True, slots=True)
class Cases:
    """The tree behind the first condition that holds."""

    arms: tuple[tuple[Formula, Tree], ...]


@dataclass(frozen=True, slots=True)
class Either:
    """Any of these."""

    options: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Between:
    """Any number from one to another."""

    low: int
    high: int


Tree = Leaf | Cases | Either | Between


@dataclass(frozen=True, slots=True)
class Failure:
    """Where the condition holds, the expression has no value."""

    condition: Formula
    message: str
    span: Span | None


@dataclass(frozen=True, slots=True)
class Value:
    """An expression with its type; `several` says that it may be one of several values."""

    type: Type
    tree: Tree
    failures: tuple[Failure, ...] = ()
    several: bool = False
    span: Span | None = None
    elsewhere: bool = False
    """Whether it depends on other states, by a temporal operator."""


# --- conditions -----------------------------------------------------------------------------------


def both(*parts: Formula) -> Formula:
    """The conjunction, without what is true."""
    kept: list[Formula] = []
    for part in parts:
        if isinstance(part, Truth):
            if not part.value:
                return FALSE
        else:
            kept.append(part)
    if not kept:
        return TRUE
    return kept[0] if len(kept) == 1 else And(tuple(kept))


def either(*parts: Formula) -> Formula:
    """The disjunction, without what is false."""
    kept: list[Formula] = []
    for part in parts:
        if isinstance(part, Truth):
            if part.value:
                return TRUE
        else:
            kept.append(part)
    if not kept:
        return FALSE
    return kept[0] if len(kept) == 1 else Or(tuple(kept))


def negation(part: Formula) -> Formula:
    """The negation, without a double one."""
    if isinstance(part, Truth):
        return FALSE if part.value else TRUE
    return part.operand if isinstance(part, Not) else Not(part, span=part.span)


def stored(node: Node, is_boolean: Callable[[str], bool]) -> IntExpr:
    """A leaf as a number that a variable can hold."""
    if isinstance(node, IntExpr):
        return node
    match node:
        case Truth(value=value):
            return Const(int(value), span=node.span)
        case Compare(op="==", left=Var(name=name) as var, right=Const(value=1)):
            if is_boolean(name):
                return var
    return AsInt(cast(Formula, node), span=node.span)


def flag(name: str, span: Span | None) -> Formula:
    """The condition that a Boolean variable is true."""
    return Compare("==", Var(name, span=span), Const(1), span=span)


def is_variable(tree: Tree, name: str) -> bool:
    """Whether a tree is just the value of a variable."""
    match tree:
        case Leaf(
            node=Var(name=found) | Compare(op="==", left=Var(name=found), right=Const(value=1))
        ):
            return found == name
    return False


# --- trees ----------------------------------------------------------------------------------------


def cases(arms: list[tuple[Formula, Tree]]) -> Tree:
    """The decision, without arms that are never or always taken."""
    kept: list[tuple[Formula, Tree]] = []
    for condition, tree in arms:
        if isinstance(condition, Truth):
            if not condition.value:
                continue
            if isinstance(tree, Cases):
                kept.extend(tree.arms)
            else:
                kept.append((TRUE, tree))
            break
        kept.append((condition, tree))
    if kept and isinstance(kept[0][0], Truth):
        return kept[0][1]
    return Cases(tuple(kept))


def leaves(tree: Tree) -> int:
    """How many leaves there are."""
    match tree:
        case Cases(arms=arms):
            return sum(leaves(below) for _, below in arms)
        case Either(options=options):
            return sum(map(leaves, options))
        case Between(low=low, high=high):
            return high - low + 1
    return 1


def mapped(tree: Tree, change: Callable[[Node], Tree]) -> Tree:
    """The tree with other ends."""
    match tree:
        case Leaf(node=node):
            return change(node)
        case Cases(arms=arms):
            return cases([(c, mapped(below, change)) for c, below in arms])
        case Either(options=options):
            return Either(tuple(mapped(o, change) for o in options))
    return Either(tuple(change(Const(v)) for v in range(tree.low, tree.high + 1)))


def rewritten(tree: Tree, change: Callable[[Node], Node]) -> Tree:
    """The tree with `change` applied to each node of its conditions and leaves, bottom up."""
    match tree:
        case Leaf(node=node):
            return Leaf(rewrite(node, change))
        case Cases(arms=arms):
            return Cases(
                tuple((cast(Formula, rewrite(c, change)), rewritten(t, change)) for c, t in arms)
            )
        case Either(options=options):
            return Either(tuple(rewritten(o, change) for o in options))
    return tree


def combined(a: Tree, b: Tree, build: Callable[[Node, Node], Node]) -> Tree:
    """An operation on the leaves of two trees without choices."""
    if leaves(a) * leaves(b) > MOST_LEAVES:
        a, b = Leaf(collapsed(a)), Leaf(collapsed(b))
    return mapped(a, lambda x: mapped(b, lambda y: Leaf(build(x, y))))


def formula_of(tree: Tree) -> Formula:
    """A tree of conditions without choices as one condition.

    Some arm of a decision is taken: the last one, where none before it is.
    """
    if isinstance(tree, Leaf):
        return cast(Formula, tree.node)
    assert isinstance(tree, Cases)
    *before, (_, last) = tree.arms
    found = formula_of(last)
    for condition, below in reversed(before):
        then = formula_of(below)
        found = either(both(condition, then), both(negation(condition), found))
    return found


def collapsed(tree: Tree) -> Node:
    """A tree without choices as one expression: each leaf counts where its conditions hold."""
    if isinstance(tree, Leaf):
        return tree.node
    assert isinstance(tree, Cases)
    ends = list(_ends(tree, TRUE))
    if isinstance(ends[0][1], Formula):
        return formula_of(tree)
    total: IntExpr | None = None
    for condition, node in ends:
        value = cast(IntExpr, node)
        part = value if condition is TRUE else Binary("*", AsInt(condition), value)
        total = part if total is None else Binary("+", total, part)
    assert total is not None
    return total


def _ends(tree: Tree, path: Formula) -> Iterator[tuple[Formula, Node]]:
    """The leaves with the conditions under which they are reached."""
    if isinstance(tree, Leaf):
        yield path, tree.node
        return
    assert isinstance(tree, Cases)
    for condition, below in tree.arms:
        yield from _ends(below, both(path, condition))
        path = both(path, negation(condition))


def outcomes(tree: Tree, path: Formula = TRUE) -> Iterator[tuple[Formula, Node | Between]]:
    """All leaves, those of choices too, with the conditions under which they may be reached."""
    match tree:
        case Leaf(node=node):
            yield path, node
        case Either(options=options):
            for option in options:
                yield from outcomes(option, path)
        case Between():
            yield path, tree
        case Cases(arms=arms):
            for condition, below in arms:
                yield from outcomes(below, both(path, condition))
                path = both(path, negation(condition))


def contains(tree: Tree, node: Node, equal: Callable[[Node, Node], Formula]) -> Formula:
    """The condition that a value is one of those that a tree may be."""
    match tree:
        case Leaf(node=other):
            return equal(node, other)
        case Either(options=options):
            return either(*(contains(o, node, equal) for o in options))
        case Between(low=low, high=high):
            value = cast(IntExpr, node)
            return both(Compare(">=", value, Const(low)), Compare("<=", value, Const(high)))
    *before, (_, last) = tree.arms
    found = contains(last, node, equal)
    for condition, below in reversed(before):
        inside = contains(below, node, equal)
        found = either(both(condition, inside), both(negation(condition), found))
    return found


def deterministic(value: Value) -> Value:
    """The value, which must be a single one."""
    if value.several:
        hint = "a set of values may be assigned, or stand after 'in'"
        raise error("a single value is needed here, but this is a set", value.span, hint)
    return value
