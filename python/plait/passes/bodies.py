"""Simplification of events: guards, bodies, calls.

What is preserved is the set of successors and the errors of the model. Two rules need care.

- A body that can only end without a successor is replaced by `abort` (and its event removed) only
  when nothing before the end can be an error of the model (a value outside a domain, a fixpoint).
- An assignment that is undefined in every state stays, and only what follows it goes: the engines
  count such steps, and the user is told of them.

A label that a single event answers is written out where it is called, as a condition
`if (guard) {} else { abort }` followed by the body, unless the body is long or has blocks. A
condition of that form moves into the guard where it can (`plait.passes.hoisting`).
"""

from __future__ import annotations

from collections.abc import Mapping

from plait.hints import cast
from plait.model.expr import FALSE, TRUE, Const, Formula, Not, Var, conjunction
from plait.model.stmt import (
    Abort,
    Assign,
    Body,
    Call,
    Fixpoint,
    If,
    Settle,
    Statement,
)
from plait.model.types import Event
from plait.passes.folding import UNDEFINED, UNKNOWN, Folder
from plait.passes.hoisting import hoist, is_condition
from plait.passes.intervals import WHOLE, Intervals
from plait.passes.updates import Limits, merge_updates
from plait.passes.walk import statements
from plait.records import dataclass, field, replace

INLINE_LIMIT = 16
"""A body of more statements is not written out where it is called."""
_STOP: Body = (Abort(),)


@dataclass(slots=True)
class BodySimplifier:
    """Simplifies events under a folder; `answers` has the simplified events of each label."""

    folder: Folder
    limits: Limits
    answers: Mapping[str, list[Event]]
    risky: set[str] = field(default_factory=set)
    """Labels whose events can be an error of the model."""
    _everywhere: Intervals | None = None
    """The domains of all variables."""

    def event(self, event: Event) -> Event | None:
        """The event, simplified; None when it can never be executed."""
        guard = self.folder.guard(event.guard)
        if guard is None:
            return None
        body = self._body(event.body)
        hoisted, body = self._hoist(body, guard)
        if hoisted:
            guard = self.folder.guard((*guard, *hoisted))
            if guard is None:
                return None
        body = merge_updates(body, guard, self.limits, self.folder)
        if body == _STOP:
            return None
        if body is event.body and _same(guard, event.guard):
            return event
        return replace(event, guard=guard, body=body, origin=self._origin(event))

    def _origin(self, event: Event) -> tuple[str, ...]:
        """What the event is made of, with what is written out where it is called."""
        called = (self._written_out(s) for s in event.body if isinstance(s, Call))
        more = [source for only in called if only is not None for source in only.origin]
        return tuple(dict.fromkeys((*event.sources, *more))) if more else event.origin

    # --- statements -------------------------------------------------------------------------------

    def _body(self, body: Body) -> Body:
        new: list[Statement] = []
        for statement in body:
            new.extend(self._statement(statement))
            if new and self._ends(new[-1]):
                break
        if new and isinstance(new[-1], Abort) and not any(map(self._fails, new)):
            return _STOP
        if len(new) == len(body) and all(a is b for a, b in zip(new, body, strict=True)):
            return body
        return tuple(new)

    def _statement(self, statement: Statement) -> Body:
        match statement:
            case Assign():
                return self._assign(statement)
            case If():
                return self._if(statement)
            case Call():
                return self._call(statement)
            case Fixpoint(body=block):
                inner = self._body(block)
                if not inner:
                    return ()
                if inner == _STOP:
                    return _STOP
                return (statement if inner is block else Fixpoint(inner, span=statement.span),)
            case Settle(condition=condition):
                simple = self.folder.formula(condition)
                if simple is FALSE or simple is UNKNOWN:
                    return ()
                if simple is condition:
                    return (statement,)
                return (replace(statement, condition=simple),)
            case _:
                return (statement,)

    def _assign(self, statement: Assign) -> Body:
        target = cast(Var, self.folder.target(statement.target))
        value = self.folder.integer(statement.value)
        unchanged = isinstance(value, Var) and value == target and self._keeps(target)
        if unchanged:
            return ()
        if target is statement.target and value is statement.value:
            return (statement,)
        return (Assign(target, value, span=statement.span),)

    def _keeps(self, target: Var) -> bool:
        """`target = target` has no effect: the cell exists, and holds a value it may hold."""
        return self.folder.total(target) and target.name not in self.limits.unruly

    def _if(self, statement: If) -> Body:
        condition = self.folder.formula(statement.condition)
        if condition is TRUE:
            return self._body(statement.then)
        if condition is FALSE:
            return self._body(statement.otherwise)
        if condition is UNKNOWN:
            # Undefined in every state: kept, so that it is counted, without its branches.
            if statement.condition is UNKNOWN and not statement.then and not statement.otherwise:
                return (statement,)
            return (If(UNKNOWN, (), (), span=statement.span),)
        then, otherwise = self._body(statement.then), self._body(statement.otherwise)
        if then == otherwise:
            if then == _STOP:
                return _STOP
            if self.folder.total(condition):
                return then
        if otherwise == _STOP and then:
            return (If(condition, (), _STOP, span=statement.span), *then)
        if then == _STOP and otherwise:
            negated = self.folder.formula(Not(condition, span=condition.span))
            return (If(negated, (), _STOP, span=statement.span), *otherwise)
        if then == _STOP:
            negated = self.folder.formula(Not(condition, span=condition.span))
            return (If(negated, (), _STOP, span=statement.span),)
        same = condition is statement.condition
        if same and then is statement.then and otherwise is statement.otherwise:
            return (statement,)
        return (If(condition, then, otherwise, span=statement.span),)

    def _written_out(self, statement: Call) -> Event | None:
        """The event that stands in the place of a call."""
        answers = self.answers.get(statement.label, [])
        if len(answers) != 1:
            return None
        (only,) = answers
        large = len(only.body) > INLINE_LIMIT or any(map(_has_block, only.body))
        return None if large else only

    def _call(self, statement: Call) -> Body:
        if not self.answers.get(statement.label):
            return (Abort(span=statement.span),)
        only = self._written_out(statement)
        if only is None:
            return (statement,)
        if not only.guard:
            return only.body
        return (If(conjunction(only.guard), (), _STOP, span=statement.span), *only.body)

    def _ends(self, statement: Statement) -> bool:
        """Nothing goes on after this statement."""
        match statement:
            case Abort():
                return True
            case Assign(target=target, value=value):
                if value is UNDEFINED:
                    return True
                return target.index is not None and self.folder.simplify(target) is UNDEFINED
            case If(condition=condition):
                return condition is UNKNOWN
            case _:
                return False

    # --- conditions into the guard ----------------------------------------------------------------

    def _hoist(self, body: Body, guard: tuple[Formula, ...]) -> tuple[list[Formula], Body]:
        if not any(is_condition(s) or isinstance(s, Abort) for s in body):
            return [], body
        if self._everywhere is None:
            domains = self.limits.domains
            ranges = {
                name: (domains[name].low, domains[name].high) if name in domains else WHOLE
                for name in self.folder.sizes
            }
            self._everywhere = Intervals(ranges, self.folder.sizes)
        return hoist(body, guard, self.limits, self._everywhere)

    # --- what can go wrong ------------------------------------------------------------------------

    def _fails(self, statement: Statement) -> bool:
        """Executing it may be an error of the model, not just come to nothing."""
        return any(self._may_fail(s) for s in statements((statement,)))

    def _may_fail(self, statement: Statement) -> bool:
        match statement:
            case Assign(target=target, value=value):
                domain = self.limits.domains.get(target.name)
                if domain is None:
                    return target.name in self.limits.unruly
                if isinstance(value, Const):
                    return not domain.low <= value.value <= domain.high
                return value is not UNDEFINED
            case Call(label=label):
                return label in self.risky
            case Fixpoint() | Settle():
                return True
            case _:
                return False

    def may_fail(self, event: Event) -> bool:
        """Executing the event may be an error of the model."""
        return any(map(self._fails, event.body))


def _has_block(statement: Statement) -> bool:
    return isinstance(statement, If | Fixpoint) and not is_condition(statement)


def _same(a: tuple[Formula, ...], b: tuple[Formula, ...]) -> bool:
    return len(a) == len(b) and all(x is y for x, y in zip(a, b, strict=True))
