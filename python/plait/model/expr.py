"""Expressions and conditions of the semantic core.

Two sorts. An `IntExpr` denotes a 32-bit integer or is undefined (division by zero, an index outside
its array, a shift by 32, ...; see `plait.model.arithmetic`). A `Formula` denotes true, false or
undefined, combined by strong Kleene logic: a comparison with an undefined side is undefined, `and`
is false as soon as one side is false, `or` true as soon as one is true. A guard or a predicate
*holds* only when it is true. This is the same as: push negations to the comparisons, then take an
undefined comparison for false.

Temporal operators are formulas too (`plait.logic.formula`), so `And`, `Or` and `Not` are shared.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.hints import Literal, cast
from plait.model.node import Node
from plait.records import dataclass

ArithmeticOp = Literal["+", "-", "*", "/", "%", "**", "<<", ">>", "&", "|", "^"]
CompareOp = Literal["==", "!=", "<", "<=", ">", ">="]
NEGATED: dict[CompareOp, CompareOp] = {
    "==": "!=",
    "!=": "==",
    "<": ">=",
    ">=": "<",
    ">": "<=",
    "<=": ">",
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class IntExpr(Node):
    """An expression of integer sort."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Formula(Node):
    """An expression of Boolean sort."""


# --- integers -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Const(IntExpr):
    """A literal."""

    value: int

    def key(self) -> object:
        return self.value


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Param(IntExpr):
    """A parameter or constant, `$name` in GAL; bound when the model is instantiated."""

    name: str

    def key(self) -> object:
        return self.name


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Hop(Node):
    """One step into a composite: an instance, or one of an array of instances."""

    name: str
    index: IntExpr | None = None

    def key(self) -> object:
        return self.name

    def children(self) -> tuple[Node, ...]:
        return () if self.index is None else (self.index,)

    def with_children(self, children: Sequence[Node]) -> Hop:
        index = cast(IntExpr, children[0]) if children else None
        return Hop(self.name, index, span=self.span)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Var(IntExpr):
    """The value of a variable or of an array cell, and the target of an assignment.

    `path` leads through instances and is used in properties only (`p[0]:fork`); inside a component
    type names are its own.
    """

    name: str
    index: IntExpr | None = None
    path: tuple[Hop, ...] = ()

    def key(self) -> object:
        return (self.name, self.index is None)

    def children(self) -> tuple[Node, ...]:
        return self.path if self.index is None else (*self.path, self.index)

    def with_children(self, children: Sequence[Node]) -> Var:
        path = tuple(cast(Hop, c) for c in children[: len(self.path)])
        index = None if self.index is None else cast(IntExpr, children[-1])
        return Var(self.name, index, path, span=self.span)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Unary(IntExpr):
    """`-e` or `~e`."""

    op: Literal["-", "~"]
    operand: IntExpr

    def key(self) -> object:
        return self.op

    def children(self) -> tuple[Node, ...]:
        return (self.operand,)

    def with_children(self, children: Sequence[Node]) -> Unary:
        return Unary(self.op, cast(IntExpr, children[0]), span=self.span)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Binary(IntExpr):
    """`left op right`."""

    op: ArithmeticOp
    left: IntExpr
    right: IntExpr

    def key(self) -> object:
        return self.op

    def children(self) -> tuple[Node, ...]:
        return (self.left, self.right)

    def with_children(self, children: Sequence[Node]) -> Binary:
        left, right = children
        return Binary(self.op, cast(IntExpr, left), cast(IntExpr, right), span=self.span)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AsInt(IntExpr):
    """A condition used as a number: 1 when true, 0 when false, undefined when undefined."""

    condition: Formula

    def children(self) -> tuple[Node, ...]:
        return (self.condition,)

    def with_children(self, children: Sequence[Node]) -> AsInt:
        return AsInt(cast(Formula, children[0]), span=self.span)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Length(IntExpr):
    """How many messages a channel holds."""

    channel: Hop

    def children(self) -> tuple[Node, ...]:
        return (self.channel,)

    def with_children(self, children: Sequence[Node]) -> Length:
        return Length(cast(Hop, children[0]), span=self.span)


# --- conditions -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Truth(Formula):
    """`true` or `false`."""

    value: bool

    def key(self) -> object:
        return self.value


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Compare(Formula):
    """`left op right`; undefined when a side is."""

    op: CompareOp
    left: IntExpr
    right: IntExpr

    def key(self) -> object:
        return self.op

    def children(self) -> tuple[Node, ...]:
        return (self.left, self.right)

    def with_children(self, children: Sequence[Node]) -> Compare:
        left, right = children
        return Compare(self.op, cast(IntExpr, left), cast(IntExpr, right), span=self.span)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Not(Formula):
    """Negation."""

    operand: Formula

    def children(self) -> tuple[Node, ...]:
        return (self.operand,)

    def with_children(self, children: Sequence[Node]) -> Not:
        return Not(cast(Formula, children[0]), span=self.span)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class And(Formula):
    """Conjunction of any number of formulas (none: true)."""

    operands: tuple[Formula, ...]

    def children(self) -> tuple[Node, ...]:
        return self.operands

    def with_children(self, children: Sequence[Node]) -> And:
        return And(tuple(cast(Formula, c) for c in children), span=self.span)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Or(Formula):
    """Disjunction of any number of formulas (none: false)."""

    operands: tuple[Formula, ...]

    def children(self) -> tuple[Node, ...]:
        return self.operands

    def with_children(self, children: Sequence[Node]) -> Or:
        return Or(tuple(cast(Formula, c) for c in children), span=self.span)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Implies(Formula):
    """`left -> right`, the same as `!left || right`."""

    left: Formula
    right: Formula

    def children(self) -> tuple[Node, ...]:
        return (self.left, self.right)

    def with_children(self, children: Sequence[Node]) -> Implies:
        left, right = children
        return Implies(cast(Formula, left), cast(Formula, right), span=self.span)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Iff(Formula):
    """`left <-> right`; undefined when a side is."""

    left: Formula
    right: Formula

    def children(self) -> tuple[Node, ...]:
        return (self.left, self.right)

    def with_children(self, children: Sequence[Node]) -> Iff:
        left, right = children
        return Iff(cast(Formula, left), cast(Formula, right), span=self.span)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Full(Formula):
    """The channel holds as many messages as its capacity."""

    channel: Hop

    def children(self) -> tuple[Node, ...]:
        return (self.channel,)

    def with_children(self, children: Sequence[Node]) -> Full:
        return Full(cast(Hop, children[0]), span=self.span)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Empty(Formula):
    """The channel holds no message."""

    channel: Hop

    def children(self) -> tuple[Node, ...]:
        return (self.channel,)

    def with_children(self, children: Sequence[Node]) -> Empty:
        return Empty(cast(Hop, children[0]), span=self.span)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Poll(Formula):
    """A receive with these patterns could be executed now (`anywhere`: on any message).

    A pattern that is None matches every value; another must equal the field.
    """

    channel: Hop
    patterns: tuple[IntExpr | None, ...]
    anywhere: bool = False

    def key(self) -> object:
        return (self.anywhere, tuple(p is None for p in self.patterns))

    def children(self) -> tuple[Node, ...]:
        return (self.channel, *(p for p in self.patterns if p is not None))

    def with_children(self, children: Sequence[Node]) -> Poll:
        rest = iter(children[1:])
        patterns = tuple(None if p is None else cast(IntExpr, next(rest)) for p in self.patterns)
        return Poll(cast(Hop, children[0]), patterns, self.anywhere, span=self.span)


# --- only in properties ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Deadlock(Formula):
    """No event can be executed in this state."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Enabled(Formula):
    """One of these events can be executed here.

    An event is named as in a trace: `inst[0].event`, with or without its arguments `(1, 2)`.
    """

    events: tuple[str, ...]

    def key(self) -> object:
        return self.events


TRUE = Truth(True)
FALSE = Truth(False)


def conjuncts(formula: Formula) -> tuple[Formula, ...]:
    """The formula as a list of conjuncts; nested conjunctions are opened, `true` is dropped."""
    found: list[Formula] = []
    stack = [formula]
    while stack:
        f = stack.pop()
        if isinstance(f, And):
            stack.extend(reversed(f.operands))
        elif not (isinstance(f, Truth) and f.value):
            found.append(f)
    return tuple(found)


def conjunction(parts: Sequence[Formula]) -> Formula:
    """The conjunction of the parts, without a needless `And` around a single one."""
    if not parts:
        return TRUE
    return parts[0] if len(parts) == 1 else And(tuple(parts))
