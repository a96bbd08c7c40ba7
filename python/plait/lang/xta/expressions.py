"""Expressions of timed automata: C's operators on numbers, `and`, `or`, `not`, `imply`.

Names of constants and parameters stand for their values; behind a name follow indices and fields.
Where a clock occurs it must be compared with a number; that is looked at when the whole condition
is there (`plait.lang.xta.automata`). Choices and calls are nodes of their own
(`plait.lang.xta.program`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy

from plait.errors import Span, error
from plait.hints import cast
from plait.lang.c_expressions import WordedExpressions
from plait.lang.c_operators import EQUAL, EXTREME, NEGATION, UNARY, condition, number
from plait.lang.lexer import NAME, NUMBER, Lexicon, Tokens
from plait.lang.pratt import ExpressionParser, Infix, Open, Operand, Prefix
from plait.lang.scope import Scope
from plait.lang.xta.network import Network
from plait.lang.xta.program import Apply, Choice, Increment, Rate, Whole
from plait.lang.xta.symbols import (
    Array,
    Channel,
    Constant,
    Dimensions,
    Function,
    Named,
    Number,
    Place,
    Record,
    Symbol,
    Timer,
    Type,
    alike,
)
from plait.model.expr import And, AsInt, Binary, Compare, Const, Formula, IntExpr, Not, Or, Var
from plait.model.findings import did_you_mean
from plait.model.node import Node, nodes
from plait.model.shape import evaluate_constant
from plait.records import dataclass

LEXICON = Lexicon(
    punctuation=(
        *("<<=", ">>=", "->", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "<?", ">?"),
        *(":=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--"),
        *"{}()[];,:.=<>+-*/%&|^~!?'",
    ),
    quotes='"',
    reals=True,
    continued=True,
)
FAR = 2**30
"""Behind the last cell of every array."""
NESTING, FEW = 4, 1000
"""The most quantifiers inside one another, and the most values of each."""
STOCHASTIC = frozenset(
    (
        *("random", "random_normal", "random_poisson", "random_arcsine", "random_beta"),
        *("random_gamma", "random_tri", "random_weibull", "fint", "fabs", "sqrt", "exp", "ln"),
        *("log", "pow", "sin", "cos", "floor", "ceil", "round"),
    )
)
"""Functions on floating-point numbers, and those that roll dice."""
CHOICE = 2
"""The binding power of `? :`; it associates to the right."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Sides(Node):
    """`left : right`, behind a `?`."""

    left: Operand
    right: Operand


def _sides(operands: Sequence[Operand], span: Span) -> Node:
    return _Sides(operands[0], operands[1], span=span)


def _choice(operands: Sequence[Operand], span: Span) -> Node:
    """`c ? a : b`; in `c ? d ? a : b : e` the inner one takes what it needs and leaves the rest."""
    first, sides = operands
    if not isinstance(sides.node, _Sides) or sides.grouped:
        raise error("expected ':' and another value behind it", sides.node.span)
    left, right = sides.node.left, sides.node.right
    rest = right.node if isinstance(right.node, _Sides) and not right.grouped else None
    other = right if rest is None else rest.left
    node: Node
    if all(isinstance(side.node, Formula) for side in (left, other)):
        test = condition(first)
        chosen = And((test, condition(left))), And((Not(test), condition(other)))
        node = Or(chosen, span=span)
    else:
        node = Choice(condition(first), number(left), number(other), span=span)
    if rest is None:
        return node
    return _Sides(Operand(node, False, left.first, other.last), rest.right, span=span)


def _extreme(less: bool) -> Infix:
    def build(operands: Sequence[Operand], span: Span) -> Node:
        left, right = number(operands[0]), number(operands[1])
        return Choice(Compare("<" if less else ">", left, right), left, right, span=span)

    return Infix(EXTREME, build)


def _plus(operands: Sequence[Operand], span: Span) -> Node:
    return number(operands[0])


def _equal(same: bool) -> Infix:
    """`==` and `!=`, also of whole arrays and structures."""

    def build(operands: Sequence[Operand], span: Span) -> Node:
        left, right = (o.node for o in operands)
        if not isinstance(left, Whole) or not isinstance(right, Whole):
            return Compare("==" if same else "!=", *map(number, operands), span=span)
        if not alike(left.place.type, right.place.type):
            raise error("what is compared here is not of the same type", span)
        pairs = zip(left.place.singles(), right.place.singles(), strict=True)
        every = And(tuple(Compare("==", value_of(a, span), value_of(b, span)) for a, b in pairs))
        return every if same else Not(every, span=span)

    return Infix(EQUAL, build)


def _step(by: int) -> Prefix:
    def build(operands: Sequence[Operand], span: Span) -> Node:
        return Increment(changeable(operands[0].node), by, False, span=span)

    return Prefix(UNARY, build)


def changeable(node: Node) -> Var:
    """The variable that an expression is, which an operator changes."""
    if not isinstance(node, Var):
        raise error("only a variable or a clock can be assigned", node.span)
    return node


class XtaExpressions(WordedExpressions):
    """Expressions in a scope."""

    prefix: Mapping[str, Prefix] = {
        **WordedExpressions.prefix,
        "!": NEGATION,
        "+": Prefix(UNARY, _plus),
        "++": _step(1),
        "--": _step(-1),
    }
    infix: Mapping[str, Infix] = {
        **WordedExpressions.infix,
        "==": _equal(True),
        "!=": _equal(False),
        "<?": _extreme(True),
        ">?": _extreme(False),
        "?": Infix(CHOICE, _choice, right=True),
        ":": Infix(CHOICE, _sides, right=True),
    }

    depth = 0
    """How many quantifiers are around."""
    effects = False
    """Whether `x++` is read, and functions may change what they like."""
    lenient = False
    """Whether a cell that does not exist is one that no step survives, as in a function."""
    places = False
    """Whether variables stand for themselves, not for their values."""

    def __init__(
        self, tokens: Tokens, network: Network, scope: Scope[Symbol], effects: bool = False
    ) -> None:
        super().__init__(tokens)
        self.network = network
        self.scope = scope
        self.effects = effects

    # --- whole expressions ------------------------------------------------------------------------

    def number(self) -> IntExpr:
        """A number at the cursor."""
        found = number(self.parse())
        self._check(found)
        return found

    def condition(self) -> Formula:
        """A condition at the cursor."""
        found = super().condition()
        self._check(found)
        return found

    def constant(self) -> int:
        """The value of an expression over constants at the cursor."""
        found = self.number()
        if not isinstance(found, Const):
            from plait.lang.xta.execute import evaluated

            found = evaluated(self.network, found)
        return evaluate_constant(found, {})

    def _check(self, root: Node) -> None:
        """Arrays, structures and functions without result are no numbers; nothing is changed."""
        for node in nodes(root):
            if isinstance(node, Whole):
                kind = node.place.type
                if isinstance(kind, Channel):
                    raise error("this is a channel, not a variable", node.span)
                what, meant = ("an array", "cells") if isinstance(kind, Array) else _STRUCTURE
                text = f"'{node.place.written}' is {what}; one of its {meant} is meant"
                raise error(text, node.span)
            if isinstance(node, Apply):
                if not isinstance(node.function.result, Number):
                    raise error(f"'{node.function.name}' gives no number", node.span)
                if node.function.changes and not self.effects:
                    text = f"a condition cannot change anything, as '{node.function.name}' does"
                    raise error(text, node.span)
            elif isinstance(node, Increment) and not self.effects:
                raise error("a condition cannot change anything", node.span)

    # --- operands ---------------------------------------------------------------------------------

    def operand(self, index: int, after: str) -> Node | Operand | Open:
        """A literal, what a name means, or what a quantifier says of all values of a range."""
        tokens = self.tokens
        word = tokens.texts[index]
        if tokens.kinds[index] == NUMBER and not word.isdecimal():
            raise tokens.fail("only whole numbers are read: data are integers here", index)
        if word in ("forall", "exists", "sum") and tokens.texts[index + 1] == "(":
            return self._quantified(index, word)
        return super().operand(index, after)

    def _quantified(self, index: int, word: str) -> Node:
        """`forall (i : int[0,2]) f`: `f` for each value; it goes on to the end of its bracket."""
        from plait.lang.xta.declarations import Declarations  # which reads with expressions

        tokens = self.tokens
        outer = self.scope
        if self.depth >= NESTING:
            raise tokens.fail(f"more than {NESTING} quantifiers, one inside the other", index)
        tokens.at = index + 2
        name = tokens.name("a name")
        tokens.expect(":", "after the name")
        domain = Declarations(tokens, self.network).range(outer)
        tokens.expect(")", "after the range")
        behind = tokens.at
        if domain.high - domain.low >= FEW:
            raise tokens.fail(f"more than {FEW} values", index)
        found: list[Operand] = []
        for value in range(domain.low, max(domain.low, domain.high) + 1):
            tokens.at = behind
            inner = copy(self)
            ExpressionParser.__init__(inner, tokens)
            inner.scope = Scope(outer, {name: Constant(value)})
            inner.depth = self.depth + 1
            found.append(inner.parse())
            tokens.refuse_assignment()
        if domain.low > domain.high:  # it was read for where it ends
            found.clear()
        span = tokens.span(index, tokens.at - 1)
        if word != "sum":
            kind = And if word == "forall" else Or
            return kind(tuple(condition(o) for o in found), span=span)
        total: IntExpr = Const(0)
        for o in found:
            total = Binary("+", total, number(o), span=span)
        return total

    def symbol(self, index: int) -> Symbol:
        """What the name at a token means."""
        name = self.tokens.texts[index]
        if self.tokens.kinds[index] != NAME or name in self.keywords:
            raise self.tokens.expected("a name")
        found = self.scope.find(name)
        if found is None and name in STOCHASTIC:
            message = f"'{name}' is not read: it belongs to stochastic models"
            raise error(message, self.tokens.span(index))
        if found is None:
            known = did_you_mean(name, self.scope.known())
            raise error(f"'{name}' is not declared", self.tokens.span(index), known)
        return found

    def named(self, index: int) -> Node | Open:
        """A constant, a variable, a clock, a cell or field of one, or what a function gives."""
        tokens = self.tokens
        text = tokens.texts[index]
        found = self.symbol(index)
        tokens.at = index + 1
        span = tokens.span(index)
        if isinstance(found, Function) and tokens.next == "(":
            return self._call(index, found)
        if tokens.next == "(":
            raise error(f"'{text}' is not a function", span)
        if isinstance(found, Function | Named):
            what = "a function" if isinstance(found, Function) else "a type"
            raise error(f"'{text}' is {what}, not a variable", span)
        if isinstance(found, Constant):
            if tokens.next == "[":
                raise error(f"'{text}' is not an array", span)
            return Const(found.value, span=span)
        return self._behind(index, found)

    def _behind(self, index: int, place: Place) -> Node | Open:
        """The brackets and fields behind a name."""
        tokens = self.tokens
        text = tokens.texts[index]
        while tokens.next == ".":
            if not isinstance(place.type, Record):
                raise error(f"'{text}' has no fields", tokens.span(index))
            tokens.at += 1
            span = tokens.span()
            name = tokens.name("a field")
            inner = place.field(name)
            if inner is None:
                known = did_you_mean(name, dict(place.type.fields))
                raise error(f"'{text}' has no field '{name}'", span, known)
            place = inner
        if tokens.next == "[":
            if not isinstance(place.type, Array):
                raise error(f"'{text}' is not an array", tokens.span(index))
            tokens.at += 1
            return Open("]", lambda contents: self._behind(index, place.cell(number(contents[0]))))
        span = tokens.span(index, tokens.at - 1)
        stands = self.places and not self._frames
        if stands or not isinstance(place.type, Number | Timer):
            return Whole(place, span=span)
        value = value_of(place, span, lenient=self.lenient or self.depth > 0)
        if isinstance(place.type, Timer) and tokens.accept("'"):
            return Rate(cast(Var, value), span=span)
        if self.effects and tokens.next in ("++", "--") and (self._frames or not self.alone):
            tokens.at += 1
            by = 1 if tokens.texts[tokens.at - 1] == "++" else -1
            return Increment(changeable(value), by, True, span=span)
        return value

    def _call(self, index: int, function: Function) -> Open:
        tokens = self.tokens
        tokens.at += 1

        def finish(contents: Sequence[Operand]) -> Node:
            span = tokens.span(index, tokens.at - 1)
            wanted = function.parameters
            if len(contents) != len(wanted):
                text = f"'{function.name}' takes {len(wanted)} values, and {len(contents)} are here"
                raise error(text, span)
            values: list[IntExpr] = []
            places: list[Place | Var | Apply] = []
            for parameter, operand in zip(wanted, contents, strict=True):
                node = operand.node
                if isinstance(parameter.type, Number) and not parameter.reference:
                    values.append(number(operand))
                elif isinstance(node, Whole) and alike(node.place.type, parameter.type):
                    places.append(node.place)
                elif (parameter.reference and isinstance(node, Var)) or (
                    isinstance(node, Apply) and _gives(node, parameter.type)
                ):
                    places.append(node)
                else:
                    raise error(f"this cannot stand for '{parameter.name}'", node.span or span)
            return Apply(function, tuple(values), tuple(places), span=span)

        return Open(")", finish, separator=",", may_be_empty=True)


_STRUCTURE = ("a structure", "fields")


def _gives(call: Apply, type_: Type) -> bool:
    return call.function.result is not None and alike(call.function.result, type_)


def value_of(place: Place, span: Span | None, *, lenient: bool = False) -> IntExpr:
    """The value at a place; that of a constant is a number, where it is known which.

    A cell that does not exist is a mistake, or where one is `lenient` has no value.
    """
    index: IntExpr | None = None
    if place.dimensions:
        index = row_by_row(place.dimensions, place.places, span, lenient=lenient)
    if place.values is not None and (index is None or isinstance(index, Const)):
        number = 0 if index is None else index.value
        values = place.values[place.name]
        if number < len(values):
            return Const(values[number], span=span)
    return Var(place.name, index, span=span)


def row_by_row(
    dimensions: Dimensions,
    places: Sequence[IntExpr],
    span: Span | None,
    *,
    lenient: bool = False,
) -> IntExpr:
    """The number of a cell of an array of arrays, from 0, row after row.

    An index that is outside its own dimension leads outside the whole array, not into another row.
    """
    total: IntExpr = Const(0)
    outside: list[Compare] = []
    for level, (indices, place) in enumerate(zip(dimensions, places, strict=True)):
        if not any(isinstance(n, Var | Choice | Apply) for n in nodes(place)):
            value = evaluate_constant(place, {})
            if value not in indices and lenient:
                return Const(FAR)
            if value not in indices:
                raise error(f"the array has no cell {value}", span)
            place = Const(value - indices.start)
        else:
            if indices.start:
                place = Binary("-", place, Const(indices.start))
            if level:
                high = Const(len(indices))
                outside += [Compare("<", place, Const(0)), Compare(">=", place, high)]
        if isinstance(total, Const) and isinstance(place, Const):
            total = Const(total.value * len(indices) + place.value)
        elif isinstance(total, Const) and total.value == 0:
            total = place
        else:
            total = Binary("+", Binary("*", total, Const(len(indices))), place)
    if outside:
        total = Binary("+", total, Binary("*", Const(FAR), AsInt(Or(tuple(outside)))))
    return total


__all__ = ["LEXICON", "XtaExpressions", "changeable", "row_by_row", "value_of"]
