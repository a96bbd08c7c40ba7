"""Constant folding and the algebra of expressions, exact for wrapping and undefined values.

An undefined value may never be folded away: `0 * (1 / x)` is undefined where x is 0, and not 0.
Each rule that drops an operand therefore asks whether the operand is *total* (defined in every
state). Totality is computed bottom up beside the simplified tree, so the whole is linear.

Conditions are simplified in strong Kleene logic, where `false && u` is false whatever u is. The
rules hold under temporal operators too: there the negations are pushed to the comparisons, and an
undefined comparison is false, which is the Kleene reading.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from plait.hints import cast
from plait.model.arithmetic import (
    INT_MAX,
    INT_MIN,
    apply_binary,
    apply_unary,
    compare,
    wrap32,
)
from plait.model.expr import (
    FALSE,
    NEGATED,
    TRUE,
    And,
    AsInt,
    Binary,
    Compare,
    CompareOp,
    Const,
    Deadlock,
    Enabled,
    Formula,
    Iff,
    Implies,
    IntExpr,
    Not,
    Or,
    Param,
    Truth,
    Unary,
    Var,
)
from plait.model.node import Node
from plait.passes.junctions import distinct, has_opposites, opened, together
from plait.records import dataclass, field

UNDEFINED: IntExpr = Binary("/", Const(1), Const(0))
"""The integer that is undefined in every state; every such expression is folded to this object."""
UNKNOWN: Formula = Compare("==", UNDEFINED, Const(0))
"""The condition that is undefined in every state; likewise."""

_Result = tuple[Node, bool]
_NEUTRAL = {
    ("+", 0), ("-", 0), ("*", 1), ("/", 1), ("|", 0), ("^", 0), ("<<", 0), (">>", 0), ("**", 1),
    ("&", -1),
}  # fmt: skip
_ABSORBING = {
    ("*", 0): 0, ("&", 0): 0, ("|", -1): -1, ("%", 1): 0, ("%", -1): 0, ("**", 0): 1,
}  # fmt: skip
_COMMUTATIVE = {"+", "*", "&", "|", "^"}
_SWAPPED: dict[CompareOp, CompareOp] = {
    "==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<=",
}  # fmt: skip
FEWER = 8
"""Up to so many operands inside a condition are searched for a comparison and its opposite."""


@dataclass(frozen=True, slots=True)
class Folder:
    """Simplifies expressions under what is known of their names.

    `parameters` are substituted; `sizes` has the size of each array and None for each scalar (a
    name that is absent is left alone); `constants` and `cells` are variables and array cells with
    a value that never changes.
    """

    parameters: Mapping[str, int] = field(default_factory=dict)
    sizes: Mapping[str, int | None] = field(default_factory=dict)
    constants: Mapping[str, int] = field(default_factory=dict)
    cells: Mapping[tuple[str, int], int] = field(default_factory=dict)
    known: dict[int, tuple[Node, _Result]] = field(default_factory=dict, repr=False, compare=False)
    """Expressions that were simplified, by identity: many events may share a large condition."""

    def formula(self, formula: Formula) -> Formula:
        """The condition, simplified."""
        return cast(Formula, self.simplify(formula))

    def integer(self, expression: IntExpr) -> IntExpr:
        """The integer expression, simplified."""
        return cast(IntExpr, self.simplify(expression))

    def target(self, target: Node) -> Node:
        """The target of an assignment: only its index is simplified."""
        assert isinstance(target, Var)
        if target.index is None:
            return target
        index = self.integer(target.index)
        if index is target.index:
            return target
        return Var(target.name, index, target.path, span=target.span)

    def total(self, expression: Node) -> bool:
        """The (already simplified) expression is defined in every state."""
        return self._simplify(expression)[1]

    def guard(
        self, parts: Iterable[Formula], *, choices: bool = False
    ) -> tuple[Formula, ...] | None:
        """The conjuncts, simplified and opened; None when they can never be true together.

        With `choices`, that none of several conditions holds is one conjunct for each of them.
        """
        kept: list[Formula] = []
        for part in parts:
            pending = [self.formula(part)]
            while pending:
                simple = pending.pop()
                match simple:
                    case And(operands=operands):
                        pending.extend(reversed(operands))
                    case Not(operand=Or(operands=operands)) if choices:
                        pending.extend(self.formula(Not(o)) for o in reversed(operands))
                    case _ if simple is FALSE or simple is UNKNOWN:
                        return None
                    case _ if simple is not TRUE:
                        kept.append(simple)
        return together(kept)

    def simplify(self, root: Node) -> Node:
        """The expression or formula, simplified; untouched sub-trees are kept as they are."""
        return self._simplify(root)[0]

    def _simplify(self, root: Node) -> _Result:
        found = self._at_once(root)
        if found is not None:
            return found
        known = self.known.get(id(root))
        if known is None:
            known = self.known[id(root)] = root, self._simplify_anew(root)
        return known[1]

    def _simplify_anew(self, root: Node) -> _Result:
        below = root.children()
        if all(not c.children() for c in below) and not isinstance(root, And | Or):
            return self._visit(root, below, [self._visit(c, (), []) for c in below])
        done: dict[int, _Result] = {}
        stack: list[tuple[Node, Sequence[Node] | None]] = [(root, None)]
        while stack:
            node, parts = stack.pop()
            if id(node) in done:
                continue
            if parts is None:
                parts = opened(node)
                if parts:
                    stack.append((node, parts))
                    for c in reversed(parts):
                        found = self._at_once(c)
                        if found is not None:
                            done[id(c)] = found
                        elif id(c) not in done:
                            stack.append((c, None))
                    continue
            done[id(node)] = self._visit(node, parts, [done[id(c)] for c in parts])
        return done[id(root)]

    def _at_once(self, root: Node) -> _Result | None:
        """`x`, `x >= 1`, `x + 1` and the like: most of a large net, and little or nothing to do."""
        kind = type(root)
        if kind is Var:
            left, right = cast(Var, root), 1
        elif kind is Compare or kind is Binary:
            pair = cast(Compare | Binary, root)
            if type(pair.left) is not Var or type(pair.right) is not Const:
                return None
            left, right = pair.left, pair.right.value
            if kind is Binary and pair.op not in ("+", "-"):
                return None
        else:
            return (root, True) if kind is Const else None
        if left.path or not (0 < right < INT_MAX or (right == 0 and kind is Compare)):
            return None
        if left.name not in self.sizes:
            return (root, False) if left.index is None or type(left.index) is Const else None
        if left.index is not None:
            return None
        value = self.constants.get(left.name)
        if value is None:
            return root, True
        if kind is Compare:
            return _of(compare(cast(Compare, root).op, value, right)), True
        return None

    def _visit(self, node: Node, parts: Sequence[Node], below: list[_Result]) -> _Result:
        """`node` over its simplified operands, simplified itself."""
        kind = type(node)
        if kind is Const:
            return node, True
        if isinstance(node, And | Or):
            return self._junction(node, below)
        for part, result in zip(parts, below, strict=True):
            if part is not result[0]:
                node = node.with_children([b[0] for b in below])
                break
        rule = _RULES.get(kind)
        if rule is None:
            return node, False
        return rule(self, node, [total for _, total in below])

    # --- integers ---------------------------------------------------------------------------------

    def _param(self, node: Node, _: list[bool]) -> _Result:
        value = self.parameters.get(cast(Param, node).name)
        return (node, False) if value is None else (Const(value, span=node.span), True)

    def _var(self, node: Node, _: list[bool]) -> _Result:
        node = cast(Var, node)
        if node.path or node.name not in self.sizes:
            return node, False
        if node.index is None:
            value = self.constants.get(node.name)
            return (node, True) if value is None else (Const(value, span=node.span), True)
        if node.index is UNDEFINED:
            return UNDEFINED, False
        if not isinstance(node.index, Const):
            return node, False
        size = self.sizes[node.name]
        if size is None or not 0 <= node.index.value < size:
            return UNDEFINED, False
        value = self.cells.get((node.name, node.index.value))
        return (node, True) if value is None else (Const(value, span=node.span), True)

    def _unary(self, node: Node, totals: list[bool]) -> _Result:
        node = cast(Unary, node)
        operand = node.operand
        if isinstance(operand, Const):
            return Const(apply_unary(node.op, operand.value), span=node.span), True
        if operand is UNDEFINED:
            return UNDEFINED, False
        if isinstance(operand, Unary) and operand.op == node.op:
            return operand.operand, totals[0]
        return node, totals[0]

    def _binary(self, node: Node, totals: list[bool]) -> _Result:
        node = cast(Binary, node)
        op, left, right = node.op, node.left, node.right
        if left is UNDEFINED or right is UNDEFINED:
            return UNDEFINED, False
        if isinstance(right, Const):
            return self._binary_constant(node, left, right.value, totals[0])
        if isinstance(left, Const) and op in _COMMUTATIVE:
            swapped = Binary(op, right, left, span=node.span)
            return self._binary_constant(swapped, right, left.value, totals[1])
        both = totals[0] and totals[1]
        if isinstance(left, Const) and left.value == 0 and op == "-":
            return self._unary(Unary("-", right, span=node.span), totals[1:])
        if type(left) is type(right) and op in "-^&|" and left == right:
            if op in "&|":
                return left, totals[0]
            if both:
                return Const(0, span=node.span), True
        return node, both and op in "+-*&|^"

    def _binary_constant(self, node: Binary, left: IntExpr, right: int, total: bool) -> _Result:
        """`left op constant`; `total` is about the left side."""
        op = node.op
        if isinstance(left, Const):
            value = apply_binary(op, left.value, right)
            return (UNDEFINED, False) if value is None else (Const(value, span=node.span), True)
        if apply_binary(op, 0, right) is None:
            return UNDEFINED, False
        if (op, right) in _NEUTRAL:
            return left, total
        if total and (op, right) in _ABSORBING:
            return Const(_ABSORBING[op, right], span=node.span), True
        if isinstance(left, Binary) and isinstance(left.right, Const):
            inner = left.right.value
            if op in "+-" and left.op in "+-":
                offset = (right if op == "+" else -right) + (inner if left.op == "+" else -inner)
                return _sum(left.left, wrap32(offset), node), total
            if op in "*&|^" and left.op == op:
                value = apply_binary(op, inner, right)
                assert value is not None
                merged = Binary(op, left.left, Const(value), span=node.span)
                return self._binary_constant(merged, left.left, value, total)
        if op in "+-" and INT_MIN < right < 0:
            return _sum(left, right if op == "+" else -right, node), total
        return node, total

    def _as_int(self, node: Node, totals: list[bool]) -> _Result:
        condition = cast(AsInt, node).condition
        if isinstance(condition, Truth):
            return Const(int(condition.value), span=node.span), True
        return (UNDEFINED, False) if condition is UNKNOWN else (node, totals[0])

    # --- conditions -------------------------------------------------------------------------------

    def _truth(self, node: Node, _: list[bool]) -> _Result:
        return (TRUE if cast(Truth, node).value else FALSE), True

    def _compare(self, node: Node, totals: list[bool]) -> _Result:
        node = cast(Compare, node)
        op, left, right = node.op, node.left, node.right
        if left is UNDEFINED or right is UNDEFINED:
            return UNKNOWN, False
        both = totals[0] and totals[1]
        if isinstance(left, Const):
            if isinstance(right, Const):
                return _of(compare(op, left.value, right.value)), True
            op, left, right = _SWAPPED[op], right, left
            node = Compare(op, left, right, span=node.span)
        if isinstance(right, Const):
            return self._compare_constant(node, left, right.value, both)
        if both and type(left) is type(right) and left == right:
            return _of(op in ("==", "<=", ">=")), True
        return node, both

    def _compare_constant(self, node: Compare, left: IntExpr, right: int, total: bool) -> _Result:
        """`left op constant`. Wrapping allows to move summands for `==` and `!=` only.

        That nothing is beyond the ends of the integers stays a question: places of a net may be.
        """
        op = node.op
        if isinstance(left, AsInt):
            on_false, on_true = compare(op, 0, right), compare(op, 1, right)
            if on_true and not on_false:
                return left.condition, total
            if on_false and not on_true:
                return self._not(Not(left.condition, span=node.span), [total])
            return (_of(on_true), True) if total else (node, total)
        if op in ("==", "!=") and isinstance(left, Binary) and left.op in "+-":
            if isinstance(left.right, Const):
                shift = -left.right.value if left.op == "+" else left.right.value
                value = wrap32(right + shift)
                moved = Compare(op, left.left, Const(value), span=node.span)
                return self._compare_constant(moved, left.left, value, total)
            if right == 0 and left.op == "-":
                return self._compare(
                    Compare(op, left.left, left.right, span=node.span), [total, total]
                )
        return node, total

    def _not(self, node: Node, totals: list[bool]) -> _Result:
        operand = cast(Not, node).operand
        if isinstance(operand, Truth):
            return _of(not operand.value), True
        if operand is UNKNOWN:
            return UNKNOWN, False
        if isinstance(operand, Not):
            return operand.operand, totals[0]
        if isinstance(operand, Compare):
            negated = Compare(NEGATED[operand.op], operand.left, operand.right, span=operand.span)
            return negated, totals[0]
        return node, totals[0]

    def _junction(self, node: And | Or, below: list[_Result]) -> _Result:
        """Conjunction or disjunction; the other is said by exchanging true and false."""
        kind = type(node)
        neutral, absorbing = (TRUE, FALSE) if kind is And else (FALSE, TRUE)
        kept: list[Formula] = []
        total = True
        for operand, defined in below:
            if operand is absorbing:
                return absorbing, True
            if operand is not neutral:
                total = total and defined
                inner = operand.operands if type(operand) is kind else (operand,)
                kept.extend(cast(tuple[Formula, ...], inner))
        parts = distinct(kept)
        if not parts:
            return neutral, True
        if len(parts) <= FEWER and has_opposites(filter(self._of_scalars, parts)):
            return absorbing, True
        if len(parts) == 1:
            return parts[0], total
        old = node.operands
        if len(old) == len(parts) and all(a is b for a, b in zip(old, parts, strict=True)):
            return node, total
        return kind(tuple(parts), span=node.span), total

    def _of_scalars(self, part: Formula) -> bool:
        """A comparison of scalars, which are always defined."""
        if not isinstance(part, Compare):
            return False
        return self._is_scalar(part.left) and self._is_scalar(part.right)

    def _is_scalar(self, side: IntExpr) -> bool:
        if isinstance(side, Var):
            return side.index is None and side.name in self.sizes and not side.path
        return isinstance(side, Const)

    def _implies(self, node: Node, totals: list[bool]) -> _Result:
        node = cast(Implies, node)
        if node.left is FALSE or node.right is TRUE:
            return TRUE, True
        if node.left is TRUE:
            return node.right, totals[1]
        if node.right is FALSE:
            return self._not(Not(node.left, span=node.span), totals)
        return node, totals[0] and totals[1]

    def _iff(self, node: Node, totals: list[bool]) -> _Result:
        node = cast(Iff, node)
        if node.left is UNKNOWN or node.right is UNKNOWN:
            return UNKNOWN, False
        for side, other, total in (
            (node.left, node.right, totals[1]),
            (node.right, node.left, totals[0]),
        ):
            if side is TRUE:
                return other, total
            if side is FALSE:
                return self._not(Not(other, span=node.span), [total])
        return node, totals[0] and totals[1]

    def _defined(self, node: Node, _: list[bool]) -> _Result:
        return node, True


_RULES: dict[type[Node], Callable[[Folder, Node, list[bool]], _Result]] = {
    Param: Folder._param,
    Var: Folder._var,
    Unary: Folder._unary,
    Binary: Folder._binary,
    AsInt: Folder._as_int,
    Truth: Folder._truth,
    Compare: Folder._compare,
    Not: Folder._not,
    Implies: Folder._implies,
    Iff: Folder._iff,
    Deadlock: Folder._defined,
    Enabled: Folder._defined,
}


def _sum(left: IntExpr, offset: int, node: Binary) -> IntExpr:
    """`left + offset`, written with a positive number where there is one."""
    if offset == 0:
        return left
    if INT_MIN < offset < 0:
        return Binary("-", left, Const(-offset), span=node.span)
    return Binary("+", left, Const(offset), span=node.span)


def _of(value: bool) -> Truth:
    return TRUE if value else FALSE
