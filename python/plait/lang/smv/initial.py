"""The initial states: known values where there is one only, choices where there are more.

The initial states are what a first step leads to that looks at no state before: initial and current
assignments give values, all other variables are free, and INIT and INVAR are conditions. Values
that follow from constants alone are the initial values of the model; what is left to choose is left
to a step `init`.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.lang.smv.equations import Equations
from plait.lang.smv.evaluate import after
from plait.lang.smv.flatten import Flat
from plait.lang.smv.instances import Variable
from plait.lang.smv.steps import Unit, anything, reads
from plait.lang.smv.values import Cases, Leaf, Tree, rewritten
from plait.model.arithmetic import apply_binary, apply_unary, compare
from plait.model.expr import (
    FALSE,
    TRUE,
    And,
    AsInt,
    Binary,
    Compare,
    Const,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Truth,
    Unary,
    Var,
    conjuncts,
)
from plait.model.node import Node, rewrite
from plait.records import dataclass


@dataclass(frozen=True, slots=True)
class Beginning:
    """Initial values that are known, and what a first step has to choose and to keep to."""

    known: dict[str, int]
    open: list[Unit]
    filters: list[Formula]

    @property
    def is_choice(self) -> bool:
        """Whether there is anything to choose, or to keep to."""
        return bool(self.open or self.filters)


def beginning(flat: Flat, variables: Sequence[Variable]) -> Beginning:
    """How the system begins."""
    free = {
        after(v.name): v.type
        for v in variables
        if v.name not in flat.initial and v.name not in flat.current
    }
    given: dict[str, Tree] = {}
    equations = Equations(free, ())
    constraints = [p for f in (*flat.init, *flat.invar) for p in conjuncts(f)]
    filters = list(equations.taken(constraints, given))
    units: dict[str, Unit] = {}
    for v in variables:
        assigned = flat.initial.get(v.name) or flat.current.get(v.name)
        tree = given.get(after(v.name)) or anything(v.type)
        span = v.span if assigned is None else assigned.span
        units[after(v.name)] = Unit(v.name, tree if assigned is None else assigned.value.tree, span)
    known = _known(units)
    left = [
        Unit(u.target, _folded(u.tree, known), u.span)
        for name, u in units.items()
        if name not in known
    ]
    kept = [f for f in (_fold(f, known) for f in filters) if f is not TRUE]
    values = {units[name].target: value for name, value in known.items()}
    return Beginning(values, left, kept)  # type: ignore[arg-type]


def _known(units: dict[str, Unit]) -> dict[str, int]:
    """The values that follow from constants, by what they are called after the step."""
    readers: dict[str, list[str]] = {}
    waits: dict[str, int] = {}
    for name, unit in units.items():
        read = reads(unit.tree)
        waits[name] = len(read)
        for other in read:
            readers.setdefault(other, []).append(name)
    known: dict[str, int] = {}
    ready = [name for name, count in waits.items() if count == 0]
    while ready:
        name = ready.pop()
        value = _constant(_folded(units[name].tree, known))
        if value is None:
            continue
        known[name] = value
        for reader in readers.get(name, ()):
            waits[reader] -= 1
            if waits[reader] == 0:
                ready.append(reader)
    return known


def _constant(tree: Tree) -> int | None:
    while isinstance(tree, Cases):
        condition, below = tree.arms[0]
        if condition is TRUE:
            tree = below
        elif condition is FALSE and len(tree.arms) > 1:
            tree = Cases(tree.arms[1:])
        else:
            return None
    match tree:
        case Leaf(node=Const(value=value)):
            return value
        case Leaf(node=Truth(value=truth)):
            return int(truth)
    return None


def _folded(tree: Tree, known: dict[str, int]) -> Tree:
    return rewritten(tree, lambda node: _change(node, known))


def _fold(node: Node, known: dict[str, int]) -> Node:
    return rewrite(node, lambda n: _change(n, known))


def _change(node: Node, known: dict[str, int]) -> Node:
    """A node over constants as a constant."""
    match node:
        case Var(name=name) if name in known:
            return Const(known[name], span=node.span)
        case Binary(op=op, left=Const(value=a), right=Const(value=b)):
            value = apply_binary(op, a, b)
            return node if value is None else Const(value)
        case Unary(op=op, operand=Const(value=a)):
            return Const(apply_unary(op, a))
        case AsInt(condition=Truth(value=truth)):
            return Const(int(truth))
        case Compare(op=op, left=Const(value=a), right=Const(value=b)):
            return TRUE if compare(op, a, b) else FALSE
        case Not(operand=Truth(value=truth)):
            return FALSE if truth else TRUE
        case And(operands=parts):
            if any(p is FALSE or (isinstance(p, Truth) and not p.value) for p in parts):
                return FALSE
            if all(isinstance(p, Truth) for p in parts):
                return TRUE
        case Or(operands=parts):
            if any(isinstance(p, Truth) and p.value for p in parts):
                return TRUE
            if all(isinstance(p, Truth) for p in parts):
                return FALSE
        case Implies(left=Truth(value=a), right=b):
            return b if a else TRUE
        case Iff(left=Truth(value=a), right=Truth(value=b)):
            return TRUE if a == b else FALSE
        case Truth(value=truth):
            return TRUE if truth else FALSE
    return node
