"""Short ways to write expressions, events and models straight from the dataclasses of the core."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plait.model.expr import Binary, Compare, Const, Formula, Hop, IntExpr, Param, Var
from plait.model.stmt import Assign, Call, InstanceCall, Statement
from plait.model.types import (
    ComponentType,
    CompositeType,
    Domain,
    ElementaryType,
    Event,
    Instance,
    Label,
    Model,
    Parameter,
    Property,
    Range,
    Variable,
)
from plait.reference import Graph, Semantics

Number = IntExpr | int


def num(value: Number) -> IntExpr:
    return Const(value) if isinstance(value, int) else value


def var(name: str, index: Number | None = None, path: Sequence[Hop] = ()) -> Var:
    return Var(name, None if index is None else num(index), tuple(path))


def hop(name: str, index: Number | None = None) -> Hop:
    return Hop(name, None if index is None else num(index))


def op(left: Number, operator: Any, right: Number) -> Binary:
    return Binary(operator, num(left), num(right))


def cmp(left: Number, operator: Any, right: Number) -> Compare:
    return Compare(operator, num(left), num(right))


def eq(name: str, value: Number) -> Compare:
    return cmp(var(name), "==", value)


def put(target: Var | str, value: Number) -> Assign:
    return Assign(var(target) if isinstance(target, str) else target, num(value))


def call(label: str, *arguments: Number) -> Call:
    return Call(label, tuple(map(num, arguments)))


def call_part(part: Hop | str, label: str, *arguments: Number) -> InstanceCall:
    where = hop(part) if isinstance(part, str) else part
    return InstanceCall(where, label, tuple(map(num, arguments)))


def event(
    name: str,
    guard: Formula | Sequence[Formula] = (),
    *body: Statement,
    label: str | Label | None = None,
    parameters: Sequence[tuple[str, str]] = (),
    process: str | None = None,
) -> Event:
    """An event; a parameter is a pair of its range and its name."""
    return Event(
        name,
        guard=(guard,) if isinstance(guard, Formula) else tuple(guard),
        body=body,
        parameters=tuple(Parameter(n, range=r) for r, n in parameters),
        label=Label(label) if isinstance(label, str) else label,
        process=process,
    )


def labelled(name: str, *arguments: Number) -> Label:
    return Label(name, tuple(map(num, arguments)))


def integer(name: str, initial: Number = 0, domain: tuple[int, int] | None = None) -> Variable:
    return Variable(name, (num(initial),), domain=None if domain is None else Domain(*domain))


def array(name: str, *initial: int) -> Variable:
    return Variable(name, tuple(map(Const, initial)), size=Const(len(initial)))


def interval(name: str, low: Number, high: Number) -> Range:
    return Range(name, num(low), num(high))


def instance(name: str, type_: str, size: Number | None = None, **bindings: int) -> Instance:
    return Instance(
        name,
        type=type_,
        size=None if size is None else num(size),
        bindings=tuple(bindings.items()),
    )


def gal(name: str, variables: Sequence[Variable], *events: Event, **more: Any) -> ElementaryType:
    return ElementaryType(name, variables=tuple(variables), events=events, **more)


def composite(name: str, instances: Sequence[Instance], *events: Event) -> CompositeType:
    return CompositeType(name, instances=tuple(instances), events=events)


def system(*types: ComponentType, **more: Any) -> Semantics:
    """The semantics of the model whose main type is the last one."""
    return Semantics(Model("test", types, types[-1].name, **more))


def param(name: str) -> Param:
    return Param(name)


def ask(kind: Any, body: Formula | IntExpr | None = None) -> Property:
    return Property("asked", kind=kind, body=body)


def figures(graph: Graph) -> tuple[int, int, int]:
    """States, edges (pairs of states, as the published figures count them), deadlocks."""
    edges = {(n, target) for n, arcs in enumerate(graph.arcs) for _, target in arcs}
    return len(graph.states), len(edges), len(graph.deadlocks)
