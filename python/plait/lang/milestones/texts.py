"""What a Milestones text declares, as it is read: process types are not instantiated yet.

Expressions are those of the model already, with the widths of the language written out
(`widths`). A variable of the process type at hand is called `self.x`; instances get names of their
own when the system is put together (`translate`).
"""

from __future__ import annotations

from plait.errors import Span
from plait.model.expr import Formula, IntExpr
from plait.model.types import Property
from plait.records import dataclass, field

SELF = "self."
"""What the names of variables of a process type begin with; no name of the language has a dot."""
PC = "pc"
"""The program counter that every process type has."""


@dataclass(frozen=True, slots=True)
class VariableText:
    """A variable of so many bits; without `initial` it may have any value at first."""

    name: str
    bits: int
    initial: int | None
    span: Span


@dataclass(frozen=True, slots=True)
class Assignment:
    """`target := value`; the value fits the target."""

    target: str
    value: IntExpr
    span: Span


@dataclass(frozen=True, slots=True)
class CommandText:
    """A guarded command; `location` is None for a global one."""

    location: int | None
    action: str
    guard: Formula
    assignments: tuple[Assignment, ...]
    span: Span


@dataclass(slots=True)
class TypeText:
    """A process type."""

    name: str
    span: Span
    actions: dict[str, Span] = field(default_factory=dict)
    variables: dict[str, VariableText] = field(default_factory=dict)
    commands: list[CommandText] = field(default_factory=list)
    sync: dict[str, Span] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class InstancesText:
    """An array of processes of one type."""

    name: str
    type: TypeText
    size: int
    span: Span


@dataclass(slots=True)
class SystemText:
    """A whole text."""

    actions: dict[str, Span] = field(default_factory=dict)
    variables: dict[str, VariableText] = field(default_factory=dict)
    types: dict[str, TypeText] = field(default_factory=dict)
    instances: dict[str, InstancesText] = field(default_factory=dict)
    commands: list[CommandText] = field(default_factory=list)
    properties: list[Property] = field(default_factory=list)


def local_name(instances: str, index: int, variable: str) -> str:
    """How the model calls a variable, or an action, of a process."""
    return f"{instances}[{index}].{variable}"
