"""Events under one-hot encoding (`one_hot`): reads become parameters, writes become two bits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from plait.errors import Span, error
from plait.hints import cast
from plait.model.expr import Binary, Compare, Const, Formula, Hop, IntExpr, Or, Param, Var
from plait.model.fresh import FreshNames
from plait.model.node import Node, nodes, rewrite
from plait.model.stmt import Abort, Assign, Bind, Body, Call, Fixpoint, For, If, Receive, Statement
from plait.model.types import Event, Parameter, Variable
from plait.passes.walk import map_expressions, reads, statements
from plait.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Hot:
    """A variable to encode: its bits, its values, and with `size` how many variables it is."""

    variable: Variable
    bits: str
    range: str
    values: int
    size: int | None
    initial: tuple[int, ...]

    def bit(self, index: IntExpr | None, value: IntExpr) -> Var:
        """The bit that says whether it has that value."""
        if index is None:
            return Var(self.bits, value)
        if isinstance(index, Const) and isinstance(value, Const):
            return Var(self.bits, Const(index.value * self.values + value.value))
        return Var(self.bits, Binary("+", Binary("*", index, Const(self.values)), value))

    def sum(self, index: IntExpr | None, path: tuple[Hop, ...] = ()) -> IntExpr:
        """Its value, said with all its bits."""
        total: IntExpr | None = None
        for value in range(1, self.values):
            bit = replace(self.bit(index, Const(value)), path=path)
            term = bit if value == 1 else Binary("*", Const(value), bit)
            total = term if total is None else Binary("+", total, term)
        return total or Const(0)

    def encoded(self) -> Variable:
        """The bits as a variable."""
        bits = [Const(int(value == k)) for value in self.initial for k in range(self.values)]
        return Variable(self.bits, tuple(bits), Const(len(bits)), span=self.variable.span)


Written = frozenset[tuple[str, IntExpr | None]]
"""Encoded variables that may have been written, with the index; (name, None): any of that name."""


class EventEncoder:
    """One event: reads become parameters, writes become two bits."""

    def __init__(
        self,
        event: Event,
        hot: Mapping[str, Hot],
        clear: Callable[[Hot], str],
        writes: Mapping[str, set[str]],
    ) -> None:
        """`clear` names the label that clears a variable; `writes` says what each label writes."""
        self._event = event
        self._hot = hot
        self._clear = clear
        self._writes = writes
        self._names = FreshNames(p.name for p in event.parameters)
        self._names.taken.update(
            node.name for e in _expressions(event) for node in nodes(e) if isinstance(node, Param)
        )
        self._read: dict[tuple[str, IntExpr | None], str] = {}
        self._loops: list[str] = []

    def encoded(self) -> Event:
        """The event, in terms of bits."""
        guard = tuple(cast(Formula, self._reading(c, frozenset())) for c in self._event.guard)
        body, _ = self._body(self._event.body, frozenset())
        if not self._read and body == self._event.body and guard == self._event.guard:
            return self._event
        known, parameters = [], []
        for (name, index), parameter in self._read.items():
            hot = self._hot[name]
            parameters.append(Parameter(parameter, hot.range))
            known.append(Compare("==", hot.bit(index, Param(parameter)), Const(1)))
        return replace(
            self._event,
            guard=(*known, *guard),
            body=body,
            parameters=(*self._event.parameters, *parameters),
        )

    def _body(self, body: Body, written: Written) -> tuple[Body, Written]:
        """The encoded body after those variables were written, and what is written after it."""
        new: list[Statement] = []
        for statement in body:
            statements_, written = self._statement(statement, written)
            new.extend(statements_)
        return tuple(new), written

    def _statement(self, statement: Statement, written: Written) -> tuple[Body, Written]:
        match statement:
            case Assign(target=target) if target.name in self._hot:
                return self._assignment(statement, written)
            case If(condition=condition, then=then, otherwise=otherwise):
                asked = cast(Formula, self._reading(condition, written))
                a, after_a = self._body(then, written)
                b, after_b = self._body(otherwise, written)
                return (If(asked, a, b, span=statement.span),), after_a | after_b
            case For(parameter=parameter, body=block):
                self._loops.append(parameter)
                new, after = self._body(block, written)
                self._loops.pop()
                return (replace(statement, body=new),), self._unwritten(statement, written, after)
            case Fixpoint(body=block):
                new, after = self._body(block, written)
                return (replace(statement, body=new),), self._unwritten(statement, written, after)
            case _:
                return self._other(statement, written)

    def _assignment(self, statement: Assign, written: Written) -> tuple[Body, Written]:
        hot = self._hot[statement.target.name]
        value = cast(IntExpr, self._reading(statement.value, written))
        index = self._index(statement.target, written)
        key = (hot.variable.name, index)
        self._unchanged(key, written, statement.span, "written twice")
        if isinstance(value, Const) and not 0 <= value.value < hot.values:
            message = f"{value.value} is not in the range '{hot.range}' of '{key[0]}'"
            raise error(message, statement.span)
        new: list[Statement] = []
        if index is not None and not isinstance(value, Const):
            # The bits beside its own are those of other cells.
            outside = Or((Compare("<", value, Const(0)), Compare(">=", value, Const(hot.values))))
            new.append(If(outside, (Abort(),), span=statement.span))
        if key in self._read:
            cleared: Statement = Assign(hot.bit(index, Param(self._read[key])), Const(0))
        else:
            cleared = Call(self._clear(hot), () if index is None else (index,))
        new += [cleared, Assign(hot.bit(index, value), Const(1), span=statement.span)]
        return tuple(new), written | {key}

    def _other(self, statement: Statement, written: Written) -> tuple[Body, Written]:
        if isinstance(statement, Receive):
            for pattern in statement.patterns:
                if isinstance(pattern, Bind) and pattern.target.name in self._hot:
                    raise error(f"'{pattern.target.name}' is received, so it stays", statement.span)
        new = map_expressions(
            statement, lambda e: self._reading(e, written), lambda t: self._place(t, written)
        )
        if isinstance(statement, Call):
            written |= {(name, None) for name in self._writes.get(statement.label, ())}
        return (new,), written

    def _place(self, target: Node, written: Written) -> Node:
        """What an assignment to another variable assigns to; its index may read encoded ones."""
        assert isinstance(target, Var)
        if target.index is None:
            return target
        return replace(target, index=cast(IntExpr, self._reading(target.index, written)))

    def _reading(self, node: Node, written: Written) -> Node:
        """The expression with a parameter for each encoded variable in it."""

        def change(node: Node) -> Node:
            if not isinstance(node, Var) or node.name not in self._hot:
                return node
            key = (node.name, self._closed(node, node.index))
            self._unchanged(key, written, node.span, "read after it is written")
            if key not in self._read:
                self._read[key] = self._names.fresh(node.name)
            return Param(self._read[key], span=node.span)

        return rewrite(node, change)

    def _index(self, target: Var, written: Written) -> IntExpr | None:
        if target.index is None:
            return None
        return self._closed(target, cast(IntExpr, self._reading(target.index, written)))

    def _closed(self, variable: Var, index: IntExpr | None) -> IntExpr | None:
        """The index, if it is known before the event begins."""
        if index is None:
            return None
        for node in nodes(index):
            if isinstance(node, Var) or (isinstance(node, Param) and node.name in self._loops):
                message = f"the index of '{variable.name}' is computed, which one-hot cannot encode"
                raise error(message, variable.span)
        return index

    def _unchanged(
        self, key: tuple[str, IntExpr | None], written: Written, span: Span | None, what: str
    ) -> None:
        name, index = key
        for other, at in written:
            apart = isinstance(index, Const) and isinstance(at, Const) and index != at
            if other == name and not apart:
                message = f"'{name}' is {what} in '{self._event.name}', which one-hot cannot encode"
                raise error(message, span or self._event.span)

    def _unwritten(self, loop: Statement, before: Written, after: Written) -> Written:
        for name, _ in after - before:
            message = f"'{name}' is written in a loop, which one-hot cannot encode"
            raise error(message, loop.span or self._event.span)
        return before


def _expressions(event: Event) -> Iterable[Node]:
    yield from event.guard
    for statement in statements(event.body):
        yield from reads(statement)


__all__ = ["EventEncoder", "Hot"]
