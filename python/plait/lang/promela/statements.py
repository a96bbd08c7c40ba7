"""The statements of Promela as read, names resolved for one process."""

from __future__ import annotations

from dataclasses import dataclass, field

from plait.errors import Span
from plait.lang.promela.symbols import Scalar
from plait.model.expr import Formula, IntExpr, Var


@dataclass(frozen=True, slots=True)
class Step:
    """Base of all statements; `labels` stand in front of it."""

    span: Span
    labels: tuple[str, ...] = field(default=(), kw_only=True)


@dataclass(frozen=True, slots=True)
class Condition(Step):
    """An expression: waits until it holds."""

    holds: Formula


@dataclass(frozen=True, slots=True)
class Assertion(Step):
    """`assert(e)`."""

    holds: Formula


@dataclass(frozen=True, slots=True)
class Target:
    """What is assigned, and its type."""

    var: Var
    type: Scalar


@dataclass(frozen=True, slots=True)
class Assignment(Step):
    """`x = e`, `x++`; the target None is `_`."""

    target: Target | None
    value: IntExpr


@dataclass(frozen=True, slots=True)
class SendStep(Step):
    """`c!e, f`, or with `ordered` `c!!e, f`."""

    channel: IntExpr
    values: tuple[IntExpr, ...]
    ordered: bool


@dataclass(frozen=True, slots=True)
class ReceiveStep(Step):
    """`c?x, 1`: a pattern is a target, a value to match, or None for `_`."""

    channel: IntExpr
    patterns: tuple[Target | IntExpr | None, ...]
    anywhere: bool
    keep: bool


@dataclass(frozen=True, slots=True)
class RunStep(Step):
    """`run P(e)`, or `x = run P(e)`."""

    process: str
    arguments: tuple[IntExpr, ...]
    target: Target | None


@dataclass(frozen=True, slots=True)
class ElseStep(Step):
    """`else`: no other option can be executed."""


@dataclass(frozen=True, slots=True)
class Jump(Step):
    """`goto label`; the label None is `break`."""

    label: str | None


@dataclass(frozen=True, slots=True)
class Sequence(Step):
    """Statements one after the other: `{ }`, `atomic { }` or `d_step { }`."""

    steps: tuple[Step, ...]
    kind: str = "block"


@dataclass(frozen=True, slots=True)
class Choice(Step):
    """`if` or, when it repeats, `do`."""

    options: tuple[Sequence, ...]
    repeats: bool


@dataclass(frozen=True, slots=True)
class Unless(Step):
    """`main unless escape`."""

    main: Step
    escape: Step
