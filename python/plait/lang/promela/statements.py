"""The statements of Promela as read, names resolved for one process."""

from __future__ import annotations

from collections.abc import Sequence as Listed

from plait.errors import Span
from plait.lang.promela.symbols import Scalar, Started
from plait.model.expr import TRUE, Compare, Const, Formula, IntExpr, Var
from plait.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Step:
    """Base of all statements; `labels` stand in front of it."""

    span: Span
    labels: tuple[str, ...] = field(default=(), kw_only=True)


@dataclass(frozen=True, slots=True)
class Condition(Step):
    """An expression: waits until it holds; or `printf`, which does not."""

    holds: Formula
    prints: bool = False

    @property
    def is_skip(self) -> bool:
        """Whether it is `skip`, `true` or `1`."""
        return not self.prints and self.holds in (TRUE, Compare("!=", Const(1), Const(0)))


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
    """`run P(e)`, or `x = run P(e) + 1`, where the value speaks of the number of the process."""

    process: str
    arguments: tuple[IntExpr, ...]
    target: Target | None = None
    value: IntExpr = Started()


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


def without_needless_skips(steps: Listed[Step]) -> tuple[Step, ...]:
    """The statements of an option as SPIN keeps them: a `skip` behind another one is left out.

    The last statement stays, and one with a label; after `printf` a `skip` is needless too.
    """
    found: list[Step] = []
    for k, step in enumerate(steps):
        needless = isinstance(step, Condition) and step.is_skip and not step.labels
        if not (needless and found and _is_idle(found[-1]) and k < len(steps) - 1):
            found.append(step)
    return tuple(found)


def _is_idle(step: Step) -> bool:
    return isinstance(step, Condition) and not step.labels and (step.prints or step.is_skip)
