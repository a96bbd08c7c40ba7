"""What becomes of events and conditions under a permutation of the cells.

A permutation of the cells is a symmetry of a flat model when it maps the initial state to itself
and each event to an event: to one with the same guard and the same effect, cells renamed and
references renumbered. So each event and each condition has a *digest*, a number that is the same
for what is written in another order:

- sums, products, conjunctions and disjunctions in any order and nesting; `a < b` and `b > a`;
- assignments in any order, as long as none reads what another writes. Values are told in terms of
  the state before the event, as far as assignments follow one another in a straight line.

Equal digests are taken for equal meaning: they are 128 bits of a cryptographic hash. Different ones
may still mean the same; then a symmetry is missed, which is safe.

A cell that holds references may be compared for equality, with numbers and other references, be
assigned such, and choose a cell of an array whose cells move as the numbers do. Any other use of it
would tell which object is which: its digest is like no other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from secrets import randbits

from plait.model.expr import (
    And,
    Binary,
    Compare,
    Const,
    Deadlock,
    Enabled,
    Or,
    Var,
)
from plait.model.node import Node, fold
from plait.model.rewritten import flat_type
from plait.model.shape import Shape, Slot, shape_of
from plait.model.stmt import Abort, Assign, Call, Fixpoint, If, Settle, Statement
from plait.model.types import Event, Model
from plait.model.watch import look
from plait.records import dataclass
from plait.symmetry.group import Permutation

ORDERLESS = ("+", "*", "&", "|", "^")
TURNED = {">": "<", ">=": "<="}
BITS = 128
MODULUS = 1 << BITS
DEEPEST = 200
"""Statements nested deeper are not looked into."""


@dataclass(frozen=True, slots=True)
class Told:
    """The digest of an expression, and what its context may need."""

    digest: int
    kind: str = ""
    """The operator whose operands may stand in any order."""
    operands: int = 0
    """The sum of their digests."""
    numbers: Mapping[int, int] | None = None
    """It is a reference: what becomes of the numbers."""
    constant: int | None = None


def mixed(*parts: object) -> int:
    """A number for these parts."""
    return int.from_bytes(blake2b(repr(parts).encode(), digest_size=BITS // 8).digest(), "big")


class Digests:
    """Digests of the events and conditions of a flat model, after a permutation of its cells."""

    def __init__(self, flat: Model, permutation: Permutation | None = None) -> None:
        self._shape: Shape = shape_of(flat)
        self._events = flat_type(flat).events
        self._free = [e for e in self._events if e.label is None]
        width = self._shape.width
        self._permutation = permutation or Permutation.identity(width)
        self._target = self._permutation.target
        self._slots: Mapping[str, Slot] = self._shape.variables
        self._starts = {slot.offset: slot for slot in self._slots.values()}
        self._array_of = self._arrays()
        self._of_label: dict[str, int] = {}

    def events(self) -> list[int]:
        """The digest of each event that is executed freely."""
        found = []
        for event in self._free:
            look()
            found.append(self._event(event, 0))
        return found

    def condition(self, formula: Node) -> int:
        """The digest of a condition, or of an integer, that speaks of one state."""
        return self._told(formula, {}).digest

    # --- events -----------------------------------------------------------------------------------

    def _event(self, event: Event, depth: int) -> int:
        guard = sum(self._conjunct(self._told(g, {})) for g in event.guard) % MODULUS
        return mixed("event", event.idle, guard, self._body(event.body, depth))

    def _label(self, name: str, depth: int) -> int:
        """The digest of a label: of all events that answer it, whatever it is called."""
        if name not in self._of_label:
            answers = (e for e in self._events if e.label is not None and e.label.name == name)
            total = sum(self._event(e, depth + 1) for e in answers)
            self._of_label[name] = mixed("label", total % MODULUS)
        return self._of_label[name]

    def _conjunct(self, told: Told) -> int:
        return told.operands if told.kind == "and" else mixed("and", told.digest)

    def _body(self, body: Sequence[Statement], depth: int) -> int:
        """The digest of statements: lines of assignments and choices, and what stands between."""
        if depth > DEEPEST:
            return self._unlike_any()
        told: list[object] = []
        env: dict[int, Told] = {}
        effect = 0
        for statement in body:
            match statement:
                case Assign():
                    effect += self._assign(statement, env)
                case If():
                    effect += self._choose(statement, env, depth)
                case _:
                    told.append((effect % MODULUS, self._state(env)))
                    env, effect = {}, 0
                    told.append(self._other(statement, depth))
        told.append((effect % MODULUS, self._state(env)))
        return mixed("body", *told)

    def _state(self, env: Mapping[int, Told]) -> int:
        """What the cells that were written hold."""
        target = self._target
        return sum(mixed("holds", target[c], told.digest) for c, told in env.items()) % MODULUS

    def _assign(self, statement: Assign, env: dict[int, Told]) -> int:
        value = self._told(statement.value, env)
        cell = self._cell(statement.target)
        if cell is not None:
            value = self._stored(value, self._numbers(cell))
            env[cell] = value
            return mixed("assigns", self._target[cell], value.digest)
        element = self._told(statement.target, env)
        value = self._stored(value, element.numbers)
        digest = mixed("assigns", element.digest, value.digest)
        self._unknown(self._cells(statement.target.name), digest, env)
        return digest

    def _stored(self, value: Told, numbers: Mapping[int, int] | None) -> Told:
        """A value as it is stored in a cell of references with these numbers, or in another."""
        if numbers is not None and value.constant is not None:
            number = numbers.get(value.constant, value.constant)
            return Told(mixed("const", number), numbers=numbers)
        if numbers != value.numbers:
            return Told(self._unlike_any(), numbers=numbers)
        return value

    def _choose(self, statement: If, env: dict[int, Told], depth: int) -> int:
        condition = self._told(statement.condition, env).digest
        before = self._state(env)
        parts = [self._body(b, depth + 1) for b in (statement.then, statement.otherwise)]
        digest = mixed("if", condition, before, *parts)
        self._unknown(self._written((*statement.then, *statement.otherwise)), digest, env)
        return digest

    def _unknown(self, cells: Iterable[int], why: int, env: dict[int, Told]) -> None:
        """Cells that hold something that only the digest of a statement tells."""
        for cell in cells:
            before = env.get(cell)
            was = None if before is None else before.digest
            digest = mixed("after", why, self._target[cell], was)
            env[cell] = Told(digest, numbers=self._numbers(cell))

    def _written(self, body: Sequence[Statement]) -> set[int]:
        """The cells that statements may write; all of them where other events are called."""
        found: set[int] = set()
        stack = list(body)
        while stack:
            match stack.pop():
                case Assign(target=target):
                    cell = self._cell(target)
                    found.update(self._cells(target.name) if cell is None else (cell,))
                case If(then=then, otherwise=otherwise):
                    stack += [*then, *otherwise]
                case _:
                    found.update(range(self._shape.width))
        return found

    def _other(self, statement: Statement, depth: int) -> object:
        match statement:
            case Call(label=label, arguments=()):
                return "call", self._label(label, depth)
            case Settle(condition=condition, label=label):
                return "settle", self._told(condition, {}).digest, self._label(label, depth)
            case Fixpoint(body=body):
                return "fixpoint", self._body(body, depth + 1)
            case Abort():
                return "abort"
        return self._unlike_any()

    # --- expressions ------------------------------------------------------------------------------

    def _told(self, root: Node, env: Mapping[int, Told]) -> Told:
        return fold(root, lambda node, below: self._visit(node, below, env))

    def _visit(self, node: Node, below: list[Told], env: Mapping[int, Told]) -> Told:
        match node:
            case Const(value=value):
                return Told(mixed("const", value), constant=value)
            case Var():
                return self._variable(node, below, env)
            case Compare():
                return self._compare(node, below)
            case Enabled(events=titles):
                parts = (e for e in self._free if e.title in titles)
                return Told(mixed("enabled", sum(self._event(e, 0) for e in parts) % MODULUS))
            case Deadlock():
                return Told(mixed("deadlock"))
        if any(b.numbers is not None for b in below):
            return Told(self._unlike_any())
        if isinstance(node, And | Or):
            return self._orderless("and" if isinstance(node, And) else "or", below)
        if isinstance(node, Binary) and node.op in ORDERLESS:
            return self._orderless(node.op, below)
        return Told(mixed(type(node).__name__, node.key(), *(b.digest for b in below)))

    def _orderless(self, kind: str, below: Iterable[Told]) -> Told:
        operands = 0
        for told in below:
            operands += told.operands if told.kind == kind else mixed(kind, told.digest)
        operands %= MODULUS
        return Told(mixed("all", kind, operands), kind, operands)

    def _compare(self, node: Compare, below: list[Told]) -> Told:
        left, right = below
        if left.numbers is not None or right.numbers is not None:
            if node.op not in ("==", "!="):
                return Told(self._unlike_any())
            numbers = left.numbers if left.numbers is not None else right.numbers
            left, right = self._stored(left, numbers), self._stored(right, numbers)
        a, b = left.digest, right.digest
        if node.op in TURNED:
            return Told(mixed("compare", TURNED[node.op], b, a))
        if node.op in ("==", "!="):
            a, b = min(a, b), max(a, b)
        return Told(mixed("compare", node.op, a, b))

    def _variable(self, node: Var, below: list[Told], env: Mapping[int, Told]) -> Told:
        cell = self._cell(node)
        if cell is not None:
            known = env.get(cell)
            if known is not None:
                return known
            return Told(mixed("cell", self._target[cell]), numbers=self._numbers(cell))
        (index,) = below
        cells = self._cells(node.name)
        moves = index.numbers or {}
        places = [self._target[c] for c in cells]
        base = self._array_of.get(min(places))
        if base is None or len(self._cells_at(base)) != len(cells):
            return Told(self._unlike_any())
        if any(place != base + moves.get(i, i) for i, place in enumerate(places)):
            return Told(self._unlike_any())
        kinds = {repr(sorted((self._numbers(c) or {}).items())) for c in cells}
        if len(kinds) != 1:
            return Told(self._unlike_any())
        written = self._state({c: env[c] for c in cells if c in env})
        return Told(mixed("element", base, index.digest, written), numbers=self._numbers(cells[0]))

    # --- cells ------------------------------------------------------------------------------------

    def _cell(self, node: Var) -> int | None:
        """The cell of a variable, unless it is chosen by an expression."""
        slot = self._slots[node.name]
        if node.index is None:
            return slot.offset
        if isinstance(node.index, Const) and 0 <= node.index.value < (slot.size or 0):
            return slot.offset + node.index.value
        return None

    def _cells(self, name: str) -> range:
        return self._slots[name].cells

    def _cells_at(self, base: int) -> range:
        return self._starts[base].cells

    def _arrays(self) -> dict[int, int]:
        """For each cell of an array, where the array begins."""
        slots = (s for s in self._slots.values() if s.size is not None)
        return {c: s.offset for s in slots for c in s.cells}

    def _numbers(self, cell: int) -> Mapping[int, int] | None:
        """What becomes of the numbers in a cell of references; None for any other."""
        return self._permutation.renumber.get(self._target[cell])

    def _unlike_any(self) -> int:
        """A number that no digest is, of these or of others: as long as one, and drawn."""
        return randbits(BITS)


class SymmetryTest:
    """Tells which permutations of the cells are symmetries of a flat model."""

    def __init__(self, flat: Model) -> None:
        shape = shape_of(flat)
        self._flat = flat
        self._names, self._domains = list(shape.cells()), list(shape.domains())
        self._initial = shape.initial()
        self._titles = [e.title for e in flat_type(flat).events if e.label is None]

    def why_none(self, permutation: Permutation) -> str | None:
        """Why a permutation is no symmetry; None when it is one."""
        names, domains, initial = self._names, self._domains, self._initial
        after = permutation.apply(initial)
        for cell, source in enumerate(permutation.source):
            if domains[cell] != domains[source]:
                return f"{names[source]} and {names[cell]} have different domains"
            if after[cell] != initial[cell]:
                return f"{names[source]} and {names[cell]} begin with different values"
        left = self._events.copy()
        mapped = Digests(self._flat, permutation).events()
        for title, digest in zip(self._titles, mapped, strict=True):
            if not left[digest]:
                return f"event {title} has no counterpart"
            left[digest] -= 1
        return None

    @cached_property
    def _events(self) -> Counter[int]:
        return Counter(Digests(self._flat).events())


__all__ = ["Digests", "SymmetryTest"]
