"""Models as DVE text: one process with one state, and a transition for each guarded command.

Whatever a model has, calls, branches, instances, channels, is written out (`plait.lang.commands`).
A variable is a `byte` or an `int` of 16 bits, so it needs a domain that fits.
"""

from __future__ import annotations

from collections.abc import Iterator

from plait import passes
from plait.errors import error
from plait.lang.alternatives import plain
from plait.lang.commands import written_out
from plait.lang.exported import Pieces, action_of, identifiers, show
from plait.lang.initial_choice import has_choice
from plait.model.expr import (
    And,
    AsInt,
    Binary,
    Compare,
    Const,
    Iff,
    Implies,
    Not,
    Or,
    Truth,
    Unary,
    Var,
    conjunction,
)
from plait.model.node import Node
from plait.model.rewritten import flat_type
from plait.model.shape import cells_of
from plait.model.stmt import Assign
from plait.model.types import Event, Model, Variable

LANGUAGE = "DVE"
_WORDS = """
process state init commit accept trans guard effect sync assert channel byte int const system async
property imply or and not true false
"""
RESERVED = frozenset(_WORDS.split())
PROCESS, STATE = "model", "run"


def print_model(model: Model) -> str:
    """The text of a model whose variables have domains."""
    return "\n".join(_Writer(model).lines()) + "\n"


class _Writer:
    def __init__(self, model: Model) -> None:
        if has_choice(model):
            raise error("a DVE text has one initial state, and this model several")
        flat = passes.flat(model, reduce=False).model
        self.model = flat
        self.type = written_out(flat_type(flat), LANGUAGE)
        taken = {*RESERVED, PROCESS, STATE}
        self.names = identifiers((c for v in self.type.variables for c, _ in cells_of(v)), taken)

    def lines(self) -> Iterator[str]:
        """The text, line by line."""
        yield _comment(f"{self.model.name}, written by plait")
        for p in self.model.properties:
            yield _comment(f"{p.name}: a property of kind {p.kind} is not written")
        for v in self.type.variables:
            kind = _kind(v)
            for name, value in cells_of(v):
                yield f"{kind} {self.names[name]} = {value};"
        yield f"process {PROCESS} {{"
        yield f"state {STATE};"
        yield f"init {STATE};"
        events = self.type.events
        if events:
            yield "trans"
        for event in events:
            yield f"  {_comment(action_of(event))}"
            yield f"  {self._transition(event)}{';' if event is events[-1] else ','}"
        yield "}"
        yield "system async;"

    def _transition(self, event: Event) -> str:
        parts = []
        if event.guard:
            parts.append(f"guard {self._text(conjunction(event.guard))};")
        effects = []
        for statement in event.body:
            assert isinstance(statement, Assign)
            effects.append(f"{self._text(statement.target)} = {self._text(statement.value)}")
        if effects:
            parts.append(f"effect {', '.join(effects)};")
        return f"{STATE} -> {STATE} {{ {' '.join(parts)} }}"

    def _text(self, root: Node) -> str:
        return show(root, self._pieces)

    def _pieces(self, node: Node) -> Pieces:
        match node:
            case Const(value=value):
                return [str(value)] if value >= 0 else ["(", str(value), ")"]
            case Truth(value=value):
                return ["(1 == 1)" if value else "(1 == 0)"]
            case Var():
                name = plain(node, LANGUAGE)
                if name not in self.names:
                    raise error(f"there is no '{name}', which cannot be written in DVE", node.span)
                return [self.names[name]]
            case Binary(op=op, left=a, right=b) if op != "**":
                return ["(", a, f" {op} ", b, ")"]
            case Unary(op=op, operand=a):
                return [f"({op}", a, ")"]
            case AsInt(condition=c):
                return [c]
            case Compare(op=op, left=a, right=b):
                return ["(", a, f" {op} ", b, ")"]
            case Not(operand=a):
                return ["(not ", a, ")"]
            case And(operands=parts) | Or(operands=parts):
                return _joined(parts, "and" if isinstance(node, And) else "or")
            case Implies(left=a, right=b):
                return ["(", a, " imply ", b, ")"]
            case Iff(left=a, right=b):
                return ["((", a, " and ", b, ") or ((not ", a, ") and (not ", b, ")))"]
        what = type(node).__name__.lower()
        raise error(f"'{what}' cannot be written in {LANGUAGE}", node.span)


def _joined(parts: tuple[Node, ...], joint: str) -> Pieces:
    if not parts:
        return ["(1 == 1)" if joint == "and" else "(1 == 0)"]
    found: Pieces = ["("]
    for part in parts:
        found += [part] if len(found) == 1 else [f" {joint} ", part]
    return [*found, ")"]


def _kind(v: Variable) -> str:
    if v.domain is not None and v.domain.low >= 0 and v.domain.high <= 255:
        return "byte"
    if v.domain is not None and v.domain.low >= -(2**15) and v.domain.high < 2**15:
        return "int"
    raise error(f"DVE has numbers of 16 bits, and '{v.name}' may have others", v.span)


def _comment(text: str) -> str:
    """A comment, which no name that stands in it ends: it goes to the end of the line."""
    return f"// {' '.join(text.split())}"


__all__ = ["print_model"]
