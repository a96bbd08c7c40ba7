"""Which features a model uses: so that a hunt can say what it went through."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from plait.model.expr import AsInt, Const, Deadlock, Enabled, Poll, Var
from plait.model.node import Node
from plait.model.stmt import (
    Abort,
    AllCall,
    AnyCall,
    Call,
    Fixpoint,
    For,
    If,
    InstanceCall,
    NextCall,
    Receive,
    Send,
    Statement,
)
from plait.model.types import (
    ELAPSE,
    Channel,
    CompositeType,
    Domain,
    ElementaryType,
    Event,
    Instance,
    Model,
    Process,
    SetType,
    Variable,
)

STATEMENTS: dict[type[Statement], str] = {
    Abort: "abort",
    AllCall: "call of all",
    AnyCall: "call of any",
    Call: "calls",
    Fixpoint: "fixpoints",
    For: "loops",
    If: "choices",
    InstanceCall: "synchronisations",
    NextCall: "call of next",
    Receive: "receives",
    Send: "sends",
}


def features(model: Model) -> set[str]:
    """The names of the features that occur in the model."""
    found: set[str] = set()
    for part in parts(model):
        if isinstance(part, Statement):
            found.add(STATEMENTS.get(type(part), type(part).__name__))
        elif isinstance(part, Node):
            found.update(_of_node(part))
        else:
            found.update(_of_declaration(part))
    return found


def parts(value: Any) -> Iterator[Any]:
    """Everything a model is made of: declarations, statements, expression nodes."""
    stack: list[Any] = [value]
    while stack:
        part = stack.pop()
        if isinstance(part, tuple):
            stack.extend(part)
        elif isinstance(part, Node):
            yield part
            stack.extend(part.children())
        elif is_dataclass(part):
            yield part
            stack.extend(getattr(part, f.name) for f in fields(part) if f.name != "span")


def _of_node(node: Node) -> Iterator[str]:
    match node:
        case Var(index=index) if index is not None:
            yield "arrays"
            if not isinstance(index, Const):
                yield "computed indices"
        case AsInt():
            yield "conditions as integers"
        case Poll():
            yield "polls"
        case Enabled() | Deadlock():
            yield "enabled and deadlock atoms"
        case Const(value=value) if abs(value) > 2**29:
            yield "wrap-around"


def _of_declaration(part: Any) -> Iterator[str]:
    match part:
        case Event(parameters=parameters, label=label):
            if parameters:
                yield "parameters"
            if label is not None:
                yield "elapse" if label.name == ELAPSE else "labels"
                if label.arguments:
                    yield "labels with arguments"
        case Channel(capacity=capacity, size=size):
            yield "channels" if capacity else "rendezvous"
            if size is not None:
                yield "arrays of channels"
        case SetType(circular=circular):
            yield "rings" if circular else "scalar sets"
        case CompositeType():
            yield "composites"
        case ElementaryType(transient=transient) if transient is not None:
            yield "transient"
        case Instance(bindings=bindings, size=size):
            if bindings:
                yield "bindings"
            if size is not None:
                yield "arrays of instances"
        case Process():
            yield "processes"
        case Variable(domain=Domain(high=high)):
            yield "domains" if high < 2**31 - 1 else "counters"
