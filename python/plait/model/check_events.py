"""Static checks of events: their parameters, guards, labels, statements, and whom they call."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from math import prod

from plait.errors import Span
from plait.model.check_expressions import Allowed, ExpressionChecks, Scope
from plait.model.expr import Hop, IntExpr
from plait.model.findings import Findings, count, shortened
from plait.model.stmt import (
    AllCall,
    AnyCall,
    Assign,
    Bind,
    Body,
    Call,
    Fixpoint,
    For,
    If,
    InstanceCall,
    Match,
    NextCall,
    Receive,
    Send,
    Settle,
    Statement,
)
from plait.model.types import (
    ComponentType,
    CompositeType,
    ElementaryType,
    Event,
    Instance,
    SetType,
)

BLOCK_LIMIT = 200
"""How deep blocks may be nested."""
COPIES_LIMIT = 1_000_000
"""The most copies that the parameters of one event may give."""
UNROLLING_LIMIT = 1_000_000
"""The most statements that the loops of one event may unroll to."""

Labels = Mapping[str, int]
"""The labels of a type and how many arguments each takes."""


def labels_of(type_: ComponentType) -> dict[str, int]:
    """The labels that events of a type answer to; the first definition gives the arity."""
    found: dict[str, int] = {}
    for e in type_.events:
        if e.label is not None and e.label.name:
            found.setdefault(e.label.name, len(e.label.arguments))
    return found


class EventChecks:
    """Checks the events of one type."""

    def __init__(
        self,
        findings: Findings,
        type_: ComponentType,
        scope: Scope,
        callees: Callable[[str], Labels | None],
    ) -> None:
        """`callees` gives the labels of a type by its name, or None where there is no such type."""
        self.findings = findings
        self.type = type_
        self.scope = scope
        self.callees = callees
        self._length: dict[str, list[int] | None] = {}
        self._by_name: Mapping[str, Instance] | None = None
        self._checked: set[int] = set()
        """Conditions, by identity, that were checked in an event without parameters."""

    def check(self) -> None:
        """All events of the type."""
        self.own = labels_of(self.type)
        self.allowed = (
            Allowed.VARIABLES if isinstance(self.type, ElementaryType) else Allowed.PARAMETERS
        )
        for e in self.type.events:
            self._event(e)
        self._reserved_labels()
        _circular_calls(self.findings, self.type)

    def _event(self, e: Event) -> None:
        self.event = e
        self.expressions = ExpressionChecks(self.findings, self.scope)
        self.scope.parameters = []
        for p in e.parameters:
            self._parameter(p.name, p.range, p.span or e.span)
        self._copies(e)
        for g in e.guard:
            if e.parameters:
                self.expressions.check(g, self.allowed, e.span)
            elif id(g) not in self._checked:
                self._checked.add(id(g))
                self.expressions.check(g, self.allowed, e.span)
        self._label(e)
        self._body(e.body)
        for p in e.parameters:
            if p.name not in self.expressions.used:
                self.findings.warning(f"the parameter '${p.name}' is not used", p.span or e.span)
        self.scope.parameters = []

    def _parameter(self, name: str, range_: str, span: Span | None) -> None:
        if name in self.scope.parameters:
            self.findings.error(f"the parameter '${name}' is declared twice", span)
        if range_ not in self.scope.ranges:
            hint = self.findings.guess(range_, self.scope.ranges)
            self.findings.error(f"no range named '{range_}'", span, hint)
        self.scope.parameters.append(name)

    def _copies(self, e: Event) -> None:
        """Refuse an event whose parameters give too many copies."""
        sizes = [self._lengths(p.range) for p in e.parameters]
        if not sizes or any(s is None for s in sizes):
            return
        most = max(prod(at) for at in zip(*(s for s in sizes if s is not None), strict=True))
        if most > COPIES_LIMIT:
            message = f"the parameters of '{e.name}' give {most} copies"
            self.findings.error(f"{message}; the limit is {COPIES_LIMIT}", e.span)

    def _lengths(self, range_: str) -> list[int] | None:
        """How many values a range has, one number for each instantiation; None when unknown."""
        if range_ not in self._length:
            self._length[range_] = _lengths(self.scope, range_)
        return self._length[range_]

    def _label(self, e: Event) -> None:
        if e.label is None:
            return
        name, arguments = e.label.name, e.label.arguments
        for a in arguments:
            self.expressions.check(a, Allowed.PARAMETERS, e.span)
        if not name:
            if arguments:
                self.findings.error("the empty label takes no arguments", e.span)
            return
        if len(arguments) != self.own[name]:
            given, wanted = count(len(arguments), "argument"), self.own[name]
            message = f"label '{name}' has {given} here and {wanted} in an earlier event"
            self.findings.error(message, e.span)

    def _reserved_labels(self) -> None:
        """Instantiation names the label `l` with the values 1 and 2 `l_1_2`."""
        found = [e for e in self.type.events if e.label and _ENDS_IN_NUMBER.search(e.label.name)]
        if found and found[0].label:
            more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            message = f"label '{found[0].label.name}'{more} ends in '_' and a number"
            hint = "such names are kept for labels with arguments"
            self.findings.warning(message, found[0].span, hint)

    # --- statements -------------------------------------------------------------------------------

    def _body(self, body: Body) -> None:
        """Every statement, with the loops around it in scope; no recursion."""
        unrolled = 0
        stack: list[tuple[Statement | str, int, int]] = [(s, 1, 1) for s in reversed(body)]
        if not stack:
            return
        first = body[0]
        while stack:
            s, depth, times = stack.pop()
            if isinstance(s, str):
                self.scope.parameters.pop()
                continue
            unrolled += times
            self._statement(s, s is first)
            inner, factor = _inside(s), times
            if isinstance(s, For):
                self._parameter(s.parameter, s.range, s.span or self.event.span)
                lengths = self._lengths(s.range)
                factor = times * max(lengths or [1])
                stack.append(("leave", depth, times))
            if inner and depth >= BLOCK_LIMIT:
                message = f"blocks are nested deeper than {BLOCK_LIMIT} levels"
                self.findings.error(message, s.span or self.event.span)
                continue
            stack.extend((i, depth + 1, factor) for i in reversed(inner))
        if unrolled > UNROLLING_LIMIT:
            message = f"the loops of '{self.event.name}' unroll to {unrolled} statements"
            self.findings.error(f"{message}; the limit is {UNROLLING_LIMIT}", self.event.span)

    def _statement(self, s: Statement, first: bool) -> None:
        span = s.span or self.event.span
        match s:
            case Assign(target=target, value=value):
                if self.allowed is not Allowed.VARIABLES:
                    self.findings.error("only an elementary type has variables to assign", span)
                    return
                self.expressions.check(target, self.allowed, span)
                self.expressions.check(value, self.allowed, span)
            case Call(label=label, arguments=arguments):
                self._arguments(arguments, span)
                self._calls(self.own, f"type '{self.type.name}'", label, arguments, span)
            case Settle(condition=condition, label=label):
                self.expressions.check(condition, self.allowed, span)
                self._calls(self.own, f"type '{self.type.name}'", label, (), span)
            case InstanceCall(instance=instance, label=label, arguments=arguments):
                self._instance_call(instance, label, arguments, span)
            case AnyCall() | AllCall() | NextCall():
                self._set_call(s, span)
            case If(condition=condition):
                self.expressions.check(condition, self.allowed, span)
            case Send() | Receive():
                self._message(s, first, span)

    def _arguments(self, arguments: Iterable[IntExpr], span: Span | None) -> None:
        for a in arguments:
            self.expressions.check(a, Allowed.PARAMETERS, span)

    def _calls(
        self,
        labels: Labels,
        whose: str,
        label: str,
        arguments: tuple[IntExpr, ...],
        span: Span | None,
    ) -> None:
        """A called label exists and takes that many arguments."""
        if not label:
            self.findings.error("the empty label cannot be called", span)
        elif label not in labels:
            self.findings.error(
                f"{whose} has no label '{label}'", span, self.findings.guess(label, labels)
            )
        elif labels[label] != len(arguments):
            wanted = count(labels[label], "argument")
            message = f"label '{label}' of {whose} takes {wanted}, not {len(arguments)}"
            self.findings.error(message, span)

    def _instance_call(
        self, hop: Hop, label: str, arguments: tuple[IntExpr, ...], span: Span | None
    ) -> None:
        self._arguments(arguments, span)
        if not isinstance(self.type, CompositeType):
            self.findings.error("only a composite can call an instance", span)
            return
        instance = self._instances.get(hop.name)
        if instance is None:
            hint = self.findings.guess(hop.name, self._instances)
            self.findings.error(f"undeclared instance '{hop.name}'", hop.span or span, hint)
            return
        if hop.index is not None:
            self.expressions.check(hop.index, Allowed.PARAMETERS, span)
        self.expressions.index(hop.name, instance.size, hop.index, hop.span or span)
        self._calls_type(instance, label, arguments, span)

    def _calls_type(
        self, instance: Instance, label: str, arguments: tuple[IntExpr, ...], span: Span | None
    ) -> None:
        labels = self.callees(instance.type)
        if labels is not None:
            self._calls(labels, f"type '{instance.type}'", label, arguments, span)

    @property
    def _instances(self) -> Mapping[str, Instance]:
        if self._by_name is None:
            assert isinstance(self.type, CompositeType)
            self._by_name = {i.name: i for i in self.type.instances}
        return self._by_name

    def _set_call(self, s: AnyCall | AllCall | NextCall, span: Span | None) -> None:
        self._arguments(s.arguments, span)
        if not isinstance(self.type, SetType):
            self.findings.error("only a set of instances can call any, all or next of them", span)
            return
        self._calls_type(self.type.element, s.label, s.arguments, span)
        if isinstance(s, NextCall):
            self._arguments(s.next_arguments, span)
            self._calls_type(self.type.element, s.next_label, s.next_arguments, span)
            if not self.type.circular:
                self.findings.error("only a circular set has a next instance", span)

    # --- channels ---------------------------------------------------------------------------------

    def _message(self, s: Send | Receive, first: bool, span: Span | None) -> None:
        if self.allowed is not Allowed.VARIABLES:
            self.findings.error("only an elementary type has channels", span)
            return
        expressions = self.expressions
        channel = expressions.channel(s.channel, span)
        if s.channel.index is not None:
            expressions.check(s.channel.index, self.allowed, span)
        if isinstance(s, Send):
            given = len(s.values)
            for v in s.values:
                expressions.check(v, self.allowed, span)
        else:
            given = len(s.patterns)
            for p in s.patterns:
                if isinstance(p, (Bind, Match)):
                    inner = p.target if isinstance(p, Bind) else p.value
                    expressions.check(inner, self.allowed, span)
        if channel is None:
            return
        expressions.fields(channel, given, span)
        if channel.capacity == 0:
            self._rendezvous(s, channel.name, first, span)

    def _rendezvous(self, s: Send | Receive, name: str, first: bool, span: Span | None) -> None:
        """A rendezvous is the first thing an unlabelled event does, and nothing is stored."""
        if not first:
            message = f"'{name}' is a rendezvous: it must be the first statement of its event"
            self.findings.error(message, span)
        if self.event.label is not None and self.event.label.name:
            message = f"'{name}' is a rendezvous: an event with a label cannot wait for a partner"
            self.findings.error(message, span)
        if s.ordered if isinstance(s, Send) else s.anywhere or s.keep:
            message = f"'{name}' is a rendezvous: it stores no messages to search, sort or keep"
            self.findings.error(message, span)


_ENDS_IN_NUMBER = re.compile(r"_[0-9]+$")


def _inside(s: Statement) -> Body:
    match s:
        case If(then=then, otherwise=otherwise):
            return (*then, *otherwise)
        case For(body=body) | Fixpoint(body=body):
            return body
    return ()


def _lengths(scope: Scope, range_: str) -> list[int] | None:
    from plait.errors import InputError

    declared = scope.ranges.get(range_)
    if declared is None:
        return None
    try:
        bounds = zip(scope.values(declared.low), scope.values(declared.high), strict=True)
        return [max(0, high - low + 1) for low, high in bounds]
    except InputError:
        return None


def _circular_calls(findings: Findings, type_: ComponentType) -> None:
    """A label whose events call it again, directly or through others."""
    calls: dict[str, list[tuple[str, Span | None]]] = {}
    for e in type_.events:
        if e.label is not None and e.label.name:
            calls.setdefault(e.label.name, []).extend(_called(e))
    done: set[str] = set()
    for root in calls:
        if root in done:
            continue
        path: list[str] = []
        position: dict[str, int] = {}
        stack: list[tuple[str | None, str, Span | None]] = [("enter", root, None)]
        while stack:
            action, label, span = stack.pop()
            if action is None:
                path.pop()
                del position[label]
                done.add(label)
            elif label in position:
                cycle = shortened([*path[position[label] :], label], " -> ")
                findings.error(f"circular call of labels: {cycle}", span)
            elif label not in done and label in calls:
                position[label] = len(path)
                path.append(label)
                stack.append((None, label, None))
                stack.extend(("enter", callee, at) for callee, at in reversed(calls[label]))


def _called(e: Event) -> list[tuple[str, Span | None]]:
    """The labels of its own type that an event calls."""
    found: list[tuple[str, Span | None]] = []
    stack = list(reversed(e.body))
    while stack:
        s = stack.pop()
        if isinstance(s, (Call, Settle)):
            found.append((s.label, s.span or e.span))
        stack.extend(reversed(_inside(s)))
    return found
