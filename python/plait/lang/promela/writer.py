"""Models as Promela text: one process, an endless loop, and an atomic option for each action.

As section 6.5.2 of Vander Meulen's thesis on Milestones prescribes it, but for the shadows of
variables: our bodies are sequences already, so what would be assigned too early has been put aside
in a variable that is 0 between steps. The states that SPIN stores are those of the model, and one
more, in which the process has not begun. Variables that may begin with any value get one in the
first step; then that state is one of its own, which formulas see.
"""

from __future__ import annotations

from collections.abc import Iterator

from plait import passes
from plait.errors import InputError, error
from plait.lang.alternatives import plain, unsupported
from plait.lang.commands import written_out
from plait.lang.exported import Notation, Pieces, action_of, identifiers, show
from plait.lang.initial_choice import begun
from plait.logic import formula as temporal
from plait.model.expr import (
    AsInt,
    Binary,
    Compare,
    Const,
    Formula,
    Iff,
    Not,
    Unary,
    Var,
    conjunction,
)
from plait.model.node import Node, nodes
from plait.model.rewritten import flat_type
from plait.model.shape import cells_of
from plait.model.stmt import Abort, Assign, Body, Call, If
from plait.model.types import Domain, ElementaryType, Event, Model, Property
from plait.passes.usage import usage_of
from plait.passes.walk import reads, statements

LANGUAGE = "Promela"
_WORDS = """
active assert atomic bit bool break byte chan d_step D_proctype do else empty enabled eval false
fi for full goto hidden if in init inline int len local ltl mtype nempty never nfull notrace np_
od of pc_value printf priority proctype provided run select short show skip timeout trace true
typedef unless unsigned xr xs c_code c_decl c_expr c_state c_track always eventually until
weakuntil stronguntil release implies equivalent U W V X
"""
RESERVED = frozenset(_WORDS.split())
NOTATION = Notation(LANGUAGE, "true", "false", "&&", "||", "<>", "[]")


def print_model(model: Model) -> str:
    """The text of a model; what cannot be said in its own words is written out before."""
    flat = passes.flat(model, reduce=False).model
    try:
        return "\n".join(_Writer(flat, flat_type(flat)).lines()) + "\n"
    except InputError:
        commands = written_out(flat_type(flat), LANGUAGE)
        return "\n".join(_Writer(flat, commands).lines()) + "\n"


class _Writer:
    def __init__(self, flat: Model, type_: ElementaryType) -> None:
        self.begun = begun(flat, type_)
        self.properties = flat.properties
        self.type = self.begun.type
        self.cells: dict[str, tuple[Domain | None, int]] = {}
        for v in self.type.variables:
            for name, value in cells_of(v):
                self.cells[name] = (v.domain, value)
        self.names = identifiers(self.cells, RESERVED)
        self.answers: dict[str, list[Event]] = {}
        for event in self.type.events:
            if event.label is not None:
                self.answers.setdefault(event.label.name, []).append(event)

    def lines(self) -> Iterator[str]:
        """The text, line by line."""
        yield _comment(f"{self.begun.model.name}, written by plait")
        yield ""
        for name, (domain, value) in self.cells.items():
            kind, bits = _declared(domain)
            yield f"{kind} {self.names[name]}{bits} = {value};"
        yield ""
        yield from self._formulas()
        yield "init {"
        yield "  atomic {"
        for name in self.begun.open:
            yield f"    {self._chosen(name)}"
        yield "    skip"
        yield "  };"
        yield "  do"
        actions: dict[str, list[Event]] = {}
        for event in self.type.events:
            if event.label is None:
                actions.setdefault(action_of(event), []).append(event)
        for action, events in actions.items():
            yield from self._option(action, events)
        if not actions:
            yield "  :: false"
        yield "  od"
        yield "}"

    def _chosen(self, name: str) -> str:
        """Any value of an open variable, bit by bit."""
        domain, _ = self.cells[name]
        ours = self.names[name]
        high = 0 if domain is None else domain.high
        bit = f"if :: {ours} = 2 * {ours} :: {ours} = 2 * {ours} + 1 fi;"
        return " ".join([bit] * high.bit_length())

    # --- steps ------------------------------------------------------------------------------------

    def _option(self, action: str, events: list[Event]) -> Iterator[str]:
        """One option of the loop."""
        conditions = [self._condition(e) for e in events]
        yield f"  {_comment(action)}"
        if len(events) == 1:
            yield f"  :: atomic {{ {conditions[0]} ->"
            yield from (f"      {line}" for line in self._body(events[0].body))
            yield "    }"
            return
        yield f"  :: atomic {{ ({' || '.join(conditions)}) ->"
        yield "      if"
        for condition, event in zip(conditions, events, strict=True):
            yield f"      :: {condition} ->"
            yield from (f"        {line}" for line in self._body(event.body))
        yield "      fi"
        yield "    }"

    def _condition(self, event: Event) -> str:
        """When the event can be executed to its end: all who are called can answer."""
        parts = [self._text(conjunction(event.guard))]
        written = {s.target.name for s in statements(event.body) if isinstance(s, Assign)}
        for statement in event.body:
            if not isinstance(statement, Call):
                if isinstance(statement, If | Assign):
                    continue
                raise unsupported(statement, LANGUAGE)
            ways = self.answers.get(statement.label, [])
            for answer in ways:
                read = {n.name for g in answer.guard for n in nodes(g) if isinstance(n, Var)}
                if read & written or usage_of(answer).called:
                    raise error("a call after what it asks for cannot be written in Promela")
            written |= {name for a in ways for name in usage_of(a).written_names}
            shown = (self._text(conjunction(a.guard)) for a in ways)
            parts.append(f"({' || '.join(shown) or 'false'})")
        return f"({' && '.join(parts)})"

    def _body(self, body: Body) -> Iterator[str]:
        """The statements, which follow each other without a break."""
        for statement in body:
            match statement:
                case Assign(target=target, value=value):
                    yield f"{self._text(target)} = {self._text(value)};"
                case Call(label=label):
                    yield "if"
                    for answer in self.answers.get(label, []):
                        yield f":: {self._text(conjunction(answer.guard))} ->"
                        yield from (f"  {line}" for line in self._body(answer.body))
                    yield "fi;"
                case If(condition=condition, then=then, otherwise=otherwise):
                    yield "if"
                    yield f":: {self._text(condition)} ->"
                    yield from (f"  {line}" for line in self._body(then))
                    yield ":: else ->"
                    yield from (f"  {line}" for line in self._body(otherwise))
                    yield "fi;"
                case Abort():
                    raise unsupported(statement, LANGUAGE)
                case _:
                    raise unsupported(statement, LANGUAGE)
        yield "skip"

    # --- formulas and expressions -----------------------------------------------------------------

    def _formulas(self) -> Iterator[str]:
        for number, p in enumerate(self.properties, start=1):
            yield from self._formula(number, p)

    def _formula(self, number: int, p: Property) -> Iterator[str]:
        body = p.body
        if p.kind in ("invariant", "never") and isinstance(body, Formula):
            holds = body if p.kind == "invariant" else Not(body)
            body = temporal.Globally(holds)
        elif p.kind != "ltl" or not isinstance(body, Formula):
            yield _comment(f"{p.name}: a property of kind {p.kind} has no form in Promela")
            return
        try:
            yield f"ltl p{number} {{ {self._text(body)} }}"
        except InputError as wrong:
            yield _comment(f"{p.name} is not written: {wrong.diagnostics[0].message}")

    def _text(self, root: Node) -> str:
        """An expression or formula, every operation in parentheses."""
        return show(root, self._pieces)

    def _pieces(self, node: Node) -> Pieces:
        match node:
            case Const(value=value):
                return [str(value)] if value >= 0 else ["(", str(value), ")"]
            case Var():
                name = plain(node, LANGUAGE)
                if name not in self.names:
                    raise error(
                        f"there is no '{name}', which cannot be written in Promela", node.span
                    )
                return [self.names[name]]
            case Binary(op=op, left=a, right=b) if op != "**":
                if _may_fail(node) and isinstance(b, Const):
                    raise error("what never has a value cannot be written in Promela", node.span)
                return ["(", a, f" {op} ", b, ")"]
            case Unary(op=op, operand=a):
                return [f"({op}", a, ")"]
            case AsInt(condition=c):
                return [c]
            case Compare(op=op, left=a, right=b):
                return ["(", a, f" {op} ", b, ")"]
            case Iff(left=a, right=b):
                return ["(", a, " == ", b, ")"] if _is_state(node) else ["(", a, " <-> ", b, ")"]
        return NOTATION.pieces(node)


def _is_state(node: Node) -> bool:
    return not any(isinstance(n, temporal.Temporal) for n in nodes(node))


def may_fail(model: Model) -> bool:
    """Whether some operation of a step need not have a value: then there is no such step, where
    Promela has a run-time error."""
    events = flat_type(passes.flat(model, reduce=False).model).events
    read = (r for e in events for s in statements(e.body) for r in reads(s))
    roots = (*read, *(g for e in events for g in e.guard))
    return any(_may_fail(n) for root in roots for n in nodes(root))


def _may_fail(node: Node) -> bool:
    """Whether a quotient, a remainder or a shift need not have a value."""
    if not isinstance(node, Binary) or node.op not in ("/", "%", "<<", ">>"):
        return False
    if not isinstance(node.right, Const):
        return True
    return node.right.value == 0 if node.op in ("/", "%") else not 0 <= node.right.value <= 31


def _comment(text: str) -> str:
    """A comment, which no name that stands in it ends."""
    return f"/* {text.replace('*/', '* /')} */"


def _declared(domain: Domain | None) -> tuple[str, str]:
    """The type of a variable, and its width where that is said behind the name."""
    if domain is not None and domain.low == 0 and (domain.high + 1) & domain.high == 0:
        return "unsigned", f" : {max(1, domain.high.bit_length())}"
    if domain is not None and domain.low >= 0 and domain.high <= 255:
        return "byte", ""
    if domain is not None and domain.low >= -(2**15) and domain.high < 2**15:
        return "short", ""
    return "int", ""


__all__ = ["may_fail", "print_model"]
