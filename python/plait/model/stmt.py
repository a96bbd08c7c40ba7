"""Statements: what an event does once its guard holds.

A body is a sequence, executed atomically. Executing it on a state gives a *set* of states: empty
after `abort`, after a call that nobody can answer, or after an assignment whose value, index or
domain is undefined; several after a call that several events answer.
"""

from __future__ import annotations

from plait.errors import Span
from plait.model.expr import Formula, Hop, IntExpr, Var
from plait.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Statement:
    """Base of all statements."""

    span: Span | None = field(default=None, compare=False, repr=False, kw_only=True)


Body = tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Assign(Statement):
    """`target = value`. The index of the target is evaluated before the assignment."""

    target: Var
    value: IntExpr


@dataclass(frozen=True, slots=True)
class Call(Statement):
    """`self."label"(arguments)`: some event of this component with that label is executed."""

    label: str
    arguments: tuple[IntExpr, ...] = ()


@dataclass(frozen=True, slots=True)
class InstanceCall(Statement):
    """`instance."label"(arguments)`, in composites: the instance moves by one of its events."""

    instance: Hop
    label: str
    arguments: tuple[IntExpr, ...] = ()


@dataclass(frozen=True, slots=True)
class AnyCall(Statement):
    """In sets: exactly one arbitrary instance moves by the label."""

    label: str
    arguments: tuple[IntExpr, ...] = ()


@dataclass(frozen=True, slots=True)
class AllCall(Statement):
    """In sets: every instance moves by the label, in order."""

    label: str
    arguments: tuple[IntExpr, ...] = ()


@dataclass(frozen=True, slots=True)
class NextCall(Statement):
    """In circular sets: some instance i moves by `label`, then instance i+1 by `next_label`."""

    label: str
    arguments: tuple[IntExpr, ...]
    next_label: str
    next_arguments: tuple[IntExpr, ...]


@dataclass(frozen=True, slots=True)
class If(Statement):
    """The branch that the condition chooses; no successor when it is undefined."""

    condition: Formula
    then: Body
    otherwise: Body = ()


@dataclass(frozen=True, slots=True)
class For(Statement):
    """The body once for each value of a range, in ascending order."""

    parameter: str
    range: str
    body: Body


@dataclass(frozen=True, slots=True)
class Fixpoint(Statement):
    """The body applied to the *set* of states again and again until the set does not change.

    A set that never settles (it comes back to an earlier one, or does not settle in
    `FIXPOINT_LIMIT` rounds) is an error of the model, not an empty result.
    """

    body: Body


FIXPOINT_LIMIT = 100_000


@dataclass(frozen=True, slots=True)
class Settle(Statement):
    """While the condition holds, replace the state by its successors under the label.

    What `TRANSIENT` is lowered to; no language writes it. Unlike `Fixpoint` it is decided state by
    state; a cycle of states in which the condition holds is an error of the model.
    """

    condition: Formula
    label: str


@dataclass(frozen=True, slots=True)
class Abort(Statement):
    """No successor."""


@dataclass(frozen=True, slots=True)
class Send(Statement):
    """Append a message to a channel; no successor when it is full.

    `ordered` inserts it before the first message that is greater (fields compared left to right).
    On a channel of capacity 0 the statement must be the first of its event's body, and the event is
    executed together with one of another process that receives there (see `plait.reference`).
    """

    channel: Hop
    values: tuple[IntExpr, ...]
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Bind:
    """A receive pattern: store the field there."""

    target: Var


@dataclass(frozen=True, slots=True)
class Match:
    """A receive pattern: the field must equal this."""

    value: IntExpr


@dataclass(frozen=True, slots=True)
class Skip:
    """A receive pattern: any field, ignored."""


Pattern = Bind | Match | Skip


@dataclass(frozen=True, slots=True)
class Receive(Statement):
    """Take the first message, or with `anywhere` the first that matches; `keep` leaves it there.

    No successor when there is none. All `Match` values are evaluated before anything is bound.
    """

    channel: Hop
    patterns: tuple[Pattern, ...]
    anywhere: bool = False
    keep: bool = False
