"""Models as NuSMV text: one module, the event as an input, and the whole step relation written out.

As section 6.5.1 of Vander Meulen's thesis on Milestones prescribes it: `IVAR action` with a symbol
for each action, `VAR` with the values of each variable, `INIT`, and `TRANS` with a disjunct for
each action, made of one for each way in which it can happen, which says of every variable what it
becomes or that it stays. A joint action needs nothing special: its disjunct has the conditions and
effects of all who take part.

Integers of NuSMV have no wrap-around and no bits: a mask becomes `mod`, of a number that is made
positive before. What could leave 32 bits outside a mask, or divide by zero, is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from plait import passes
from plait.errors import InputError, error
from plait.lang.alternatives import Alternatives, plain
from plait.lang.exported import Notation, Pieces, action_of, identifiers, show
from plait.lang.initial_choice import Begun, begun
from plait.logic import formula as temporal
from plait.model.arithmetic import INT_MAX, INT_MIN
from plait.model.expr import (
    AsInt,
    Binary,
    Compare,
    Const,
    Formula,
    Iff,
    IntExpr,
    Unary,
    Var,
    conjuncts,
)
from plait.model.node import Node, fold
from plait.model.rewritten import flat_type
from plait.model.shape import cells_of
from plait.model.types import Domain, ElementaryType, Model, Property

LANGUAGE = "NuSMV"
_WORDS = """
MODULE DEFINE VAR IVAR FROZENVAR INIT TRANS INVAR SPEC CTLSPEC LTLSPEC INVARSPEC FAIRNESS JUSTICE
COMPASSION ASSIGN ISA array of boolean integer word signed unsigned process next init self case
esac mod union in xor xnor TRUE FALSE EX AX EF AF EG AG E F O G H X Y Z A U S V T BU EBF ABF EBG
ABG main action count max min toint bool swconst uwconst
"""
RESERVED = frozenset(_WORDS.split())
NOTATION = Notation(LANGUAGE, "TRUE", "FALSE", "&", "|", "F", "G")


class Interval(NamedTuple):
    """Bounds on the values of an expression, computed without any wrap-around."""

    low: int
    high: int


def print_model(model: Model) -> str:
    """The text of a model all of whose variables have a domain."""
    return _Writer(model).text()


def print_order(model: Model) -> str:
    """The order of the variables for `NuSMV -i`: the action, then as they are declared."""
    return "\n".join(["action", *_Writer(model).names.values()]) + "\n"


class _Writer:
    def __init__(self, model: Model) -> None:
        flat = passes.flat(model, reduce=False).model
        self.begun: Begun = begun(flat, flat_type(flat))
        self.type: ElementaryType = self.begun.type
        self.domains: dict[str, Domain] = {}
        self.initial: dict[str, int] = {}
        self._cells()
        self.names = identifiers(self.domains, RESERVED)
        free = [e for e in self.type.events if e.label is None]
        self.free = free
        self.actions = identifiers(map(action_of, free), {*RESERVED, *self.names.values()})

    def _cells(self) -> None:
        for v in self.type.variables:
            if v.domain is None:
                raise error(f"NuSMV needs bounds, and '{v.name}' has none", v.span)
            for name, value in cells_of(v):
                self.domains[name] = v.domain
                self.initial[name] = value

    def text(self) -> str:
        """The whole text."""
        lines = [_comment(f"{self.begun.model.name}, written by plait"), "MODULE main", "", "IVAR"]
        lines += [f"  action : {{{', '.join(self.actions.values()) or 'none'}}};", "", "VAR"]
        for name, domain in self.domains.items():
            lines.append(f"  {self.names[name]} : {domain.low}..{domain.high};")
        lines += ["", "INIT"]
        fixed = [n for n in self.domains if n not in self.begun.open]
        lines.append(
            "  " + (" & ".join(f"{self.names[n]} = {self.initial[n]}" for n in fixed) or "TRUE")
        )
        lines += ["", "TRANS", *self._steps(), ""]
        lines += [line for p in self.begun.model.properties for line in self._property(p)]
        return "\n".join(lines).rstrip() + "\n"

    def _steps(self) -> Iterator[str]:
        """The disjuncts, one way in which something can happen each."""
        ways = Alternatives(self.type, LANGUAGE)
        first = True
        for action, symbol in self.actions.items():
            yield f"  {'' if first else '| '}(action = {symbol} & ("
            inner = True
            for event in self.free:
                if action_of(event) != action:
                    continue
                for way in ways.of(event):
                    guards = [c for g in way.guard for c in conjuncts(g)]
                    parts = [self._text(g) for g in guards]
                    for name, ours in self.names.items():
                        new = way.values.get(name)
                        value = ours if new is None else self._text(new)
                        parts.append(f"next({ours}) = {value}")
                    yield f"      {'' if inner else '| '}({(chr(10) + '         & ').join(parts)})"
                    inner = False
            if inner:
                yield "      FALSE"
            yield "    ))"
            first = False
        if first:
            yield "  FALSE"

    # --- properties -------------------------------------------------------------------------------

    def _property(self, p: Property) -> Iterator[str]:
        yield _comment(p.name)
        body = p.body
        if p.kind == "atom" or not isinstance(body, Formula):
            yield _comment(f"a property of kind {p.kind} has no form in NuSMV")
            return
        try:
            shown = self._text(body)
        except InputError as wrong:
            yield _comment(f"not written: {wrong.diagnostics[0].message}")
            return
        match p.kind:
            case "ctl":
                yield f"CTLSPEC {shown}"
            case "ltl":
                yield f"LTLSPEC {shown}"
            case "invariant":
                yield f"INVARSPEC {shown}"
            case "never":
                yield f"INVARSPEC !{shown}"
            case _:
                yield f"CTLSPEC EF {shown}"

    # --- expressions ------------------------------------------------------------------------------

    def _text(self, root: Node) -> str:
        """An expression or formula, every operation in parentheses."""
        bounds: dict[int, Interval] = {}

        def visit(node: Node, below: list[Interval]) -> Interval:
            bounds[id(node)] = self._interval(node, below)
            return bounds[id(node)]

        fold(root, visit)
        return show(root, lambda node: self._pieces(node, bounds))

    def _pieces(self, node: Node, bounds: Mapping[int, Interval]) -> Pieces:
        match node:
            case Const(value=value):
                return [str(value)]
            case Var():
                return [self.names[plain(node, LANGUAGE)]]
            case Binary(op="&"):
                return self._masked(node, bounds)
            case Binary(op="+" | "-" | "*" | "/" as op, left=a, right=b):
                return ["(", a, f" {op} ", b, ")"]
            case Binary(op="%", left=a, right=b):
                return ["(", a, " mod ", b, ")"]
            case Unary(op="-", operand=a):
                return ["(-", a, ")"]
            case AsInt(condition=c):
                return ["(case ", c, " : 1; TRUE : 0; esac)"]
            case Compare(op=op, left=a, right=b):
                return ["(", a, f" {'=' if op == '==' else op} ", b, ")"]
            case Iff(left=a, right=b):
                return ["(", a, " <-> ", b, ")"]
            case _:
                return self._temporal(node)

    def _temporal(self, node: Node) -> Pieces:
        match node:
            case temporal.Exists(operand=path) | temporal.Forall(operand=path):
                letter = "E" if isinstance(node, temporal.Exists) else "A"
                if isinstance(path, temporal.Until):
                    return [f"({letter} [", path.left, " U ", path.right, "])"]
                if isinstance(path, temporal.Next | temporal.Finally | temporal.Globally):
                    return [f"({letter}{NOTATION.operator(path)} ", path.operand, ")"]
        return NOTATION.pieces(node)

    def _masked(self, node: Binary, bounds: Mapping[int, Interval]) -> Pieces:
        """`x & (2^k - 1)` as `x mod 2^k`, of a number that is not negative."""
        mask = node.right
        if not isinstance(mask, Const) or mask.value & (mask.value + 1) or mask.value < 0:
            raise error("an operation on bits cannot be written in NuSMV", node.span)
        size, low = mask.value + 1, bounds[id(node.left)].low
        more = -(low // size) * size if low < 0 else 0
        shifted: Pieces = ["(", node.left, f" + {more})"] if more else [node.left]
        return ["(", *shifted, f" mod {size})"]

    def _interval(self, node: Node, below: list[Interval]) -> Interval:
        """Bounds; an error where our numbers would wrap around and those of NuSMV do not."""
        match node:
            case Const(value=value):
                return Interval(value, value)
            case Var():
                domain = self.domains[plain(node, LANGUAGE)]
                return Interval(domain.low, domain.high)
            case Binary(op="+", left=_):
                return Interval(below[0].low + below[1].low, below[0].high + below[1].high)
            case Binary(op="-"):
                return Interval(below[0].low - below[1].high, below[0].high - below[1].low)
            case Binary(op="*"):
                corners = [x * y for x in below[0] for y in below[1]]
                return Interval(min(corners), max(corners))
            case Binary(op="&", right=Const(value=mask)) if mask >= 0:
                return Interval(0, mask)
            case Binary(op="/" | "%"):
                return self._quotient(node, below)
            case Unary(op="-"):
                return Interval(-below[0].high, -below[0].low)
            case Compare():
                for side in below:
                    if side.low < INT_MIN or side.high > INT_MAX:
                        raise error("this may leave 32 bits, which NuSMV does not know", node.span)
                return Interval(0, 1)
            case IntExpr() if not isinstance(node, AsInt):
                raise error("this operation cannot be written in NuSMV", node.span)
        return Interval(0, 1)

    def _quotient(self, node: Binary, below: list[Interval]) -> Interval:
        a, b = below
        if a.low < 0 or b.low < 0 or (b.low == 0 and not _is_positive(node.right)):
            message = "this may divide by zero or a negative number, which NuSMV takes for an error"
            raise error(message, node.span)
        return Interval(0, a.high if node.op == "/" else min(a.high, b.high))


def _comment(text: str) -> str:
    """A comment, which no name that stands in it ends: it goes to the end of the line."""
    return f"-- {' '.join(text.split())}"


def _is_positive(expression: IntExpr) -> bool:
    """Whether it is `b + (b == 0)`, for a `b` that is not negative."""
    match expression:
        case Binary(
            op="+", left=b, right=AsInt(condition=Compare(op="==", left=c, right=Const(0)))
        ):
            return b == c
    return False


__all__ = ["print_model", "print_order"]
