"""Channels in the model: which ones a statement may mean, and questions about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plait.errors import Span, error
from plait.lang.bounds import ANY, interval
from plait.lang.promela.statements import ReceiveStep, SendStep, Target
from plait.lang.promela.symbols import (
    ChannelLength,
    ChannelTest,
    ChannelText,
    Scalar,
    channel_range,
)
from plait.model.expr import (
    And,
    AsInt,
    Binary,
    Compare,
    Const,
    Empty,
    Formula,
    Full,
    Hop,
    IntExpr,
    Length,
    Not,
    Or,
    Poll,
    Truth,
    Var,
    conjunction,
)
from plait.model.findings import count
from plait.model.stmt import Assign, Bind, Body, Match, Pattern, Receive, Send, Skip
from plait.model.types import Channel, Domain, Variable, Words
from plait.records import replace


class Types:
    """The values that the variables of the model can have."""

    def __init__(self) -> None:
        self.domains: dict[str, Domain] = {}

    def of(self, var: Var) -> Domain | None:
        """The values of a variable."""
        return self.domains.get(var.name)

    def wrap(self, value: IntExpr, domain: Domain) -> IntExpr:
        """The value, cut to a type where it may have others."""
        values = interval(value, self.of)
        if domain.low <= values.low and values.high <= domain.high:
            return value
        width = domain.high - domain.low
        span = value.span
        if domain.low == 0:
            return Binary("&", value, Const(width), span=span)
        half = Const(-domain.low)
        shifted = Binary("&", Binary("+", value, half, span=span), Const(width), span=span)
        return Binary("-", shifted, half, span=span)


class Channels:
    """All channels of a text."""

    def __init__(self, texts: Sequence[ChannelText], types: Types) -> None:
        self.texts = texts
        self.types = types
        self.scratch: dict[str, Variable] = {}
        self._apart: dict[tuple[int, int], ChannelText] = {}

    def declared(self, words: Callable[[Scalar], Words]) -> tuple[Channel, ...]:
        """The channels of the model; `words` are the names of the values of a type."""
        return tuple(
            Channel(
                t.name,
                t.capacity,
                tuple(_bounded(d) for d in t.fields),
                words=tuple(map(words, t.types)),
                span=t.span,
            )
            for t in (*self.texts, *self._apart.values())
        )

    def apart(self, text: ChannelText, receiver: object) -> ChannelText:
        """A rendezvous with one receiver only, of whom a sender has to know more."""
        known = self._apart.get((text.number, id(receiver)))
        if known is None:
            known = replace(text, name=f"{text.name}~to{len(self._apart) + 1}")
            self._apart[text.number, id(receiver)] = known
        return known

    def candidates(
        self, channel: IntExpr, arity: int | None, span: Span | None, *, exact: bool = False
    ) -> list[tuple[ChannelText, Formula | None]]:
        """The channels that an expression may mean, each with the condition that it does.

        They carry as many fields as given, or more unless this number is exact: a poll may leave
        out the last ones, as in SPIN; sending or receiving less is an error at run time
        (`misfit`).
        """

        def fits(text: ChannelText) -> bool:
            fields = len(text.fields)
            return arity is None or (arity == fields if exact else arity <= fields)

        if isinstance(channel, Const):
            if not 1 <= channel.value <= len(self.texts):
                raise error("this is not a channel", channel.span or span)
            text = self.texts[channel.value - 1]
            if fits(text):
                return [(text, None)]
            if exact:
                return []
            message = (
                f"channel '{text.name}' carries {count(len(text.fields), 'field')}, not {arity}"
            )
            raise error(message, span)
        fitting = [t for t in self.texts if fits(t)]
        among = channel_range(channel)
        values = ANY if among is None else Domain(*among)
        if among is None and not isinstance(channel, Var):
            values = interval(channel, self.types.of)
        return [
            (t, Compare("==", channel, Const(t.number), span=span))
            for t in fitting
            if values.low <= t.number <= values.high
        ]

    def misfit(self, step: SendStep | ReceiveStep, channel: IntExpr) -> ChannelText | None:
        """The channel that is surely meant, if it carries another number of fields."""
        given = len(step.values) if isinstance(step, SendStep) else len(step.patterns)
        if not isinstance(channel, Const) or not 1 <= channel.value <= len(self.texts):
            return None
        text = self.texts[channel.value - 1]
        if isinstance(step, SendStep) and given > len(text.fields):
            message = (
                f"channel '{text.name}' carries {count(len(text.fields), 'field')}, not {given}"
            )
            raise error(message, step.span)
        return text if given != len(text.fields) else None

    # --- questions --------------------------------------------------------------------------------

    def length(self, node: ChannelLength) -> IntExpr:
        """`len(c)`."""
        total: IntExpr | None = None
        for text, given in self.candidates(node.channel, None, node.span):
            part: IntExpr = Const(0, span=node.span)
            if text.capacity:
                part = Length(Hop(text.name), span=node.span)
            if given is not None:
                part = Binary("*", AsInt(given), part, span=node.span)
            total = part if total is None else Binary("+", total, part, span=node.span)
        return Const(0, span=node.span) if total is None else total

    def test(self, node: ChannelTest) -> Formula:
        """`full(c)`, `empty(c)`, `c?[...]`."""
        polls = node.test in ("first", "anywhere")
        arity = len(node.patterns) if polls else None

        def one(text: ChannelText) -> Formula:
            if not text.capacity:
                if polls:
                    message = f"'{text.name}' is a rendezvous channel and cannot be polled"
                    raise error(message, node.span)
                return Truth(node.test == "empty", span=node.span)  # and never full, as in SPIN
            hop = Hop(text.name, span=node.span)
            if polls:
                left_out = (None,) * (len(text.fields) - len(node.patterns))
                patterns = (*node.patterns, *left_out)
                return Poll(hop, patterns, node.test == "anywhere", span=node.span)
            kind = Full if node.test == "full" else Empty
            return kind(hop, span=node.span)

        return _either(self.candidates(node.channel, arity, node.span), one)

    # --- statements -------------------------------------------------------------------------------

    def can_send(self, step: SendStep, text: ChannelText) -> Formula:
        """Whether there is room."""
        return Not(Full(Hop(text.name, span=step.span)), span=step.span)

    def can_receive(self, step: ReceiveStep, text: ChannelText) -> Formula:
        """Whether a message fits the patterns."""
        patterns = [None if isinstance(p, Target) else p for p in step.patterns]
        patterns.extend([None] * (len(text.fields) - len(patterns)))
        hop = Hop(text.name, span=step.span)
        return Poll(hop, tuple(patterns[: len(text.fields)]), step.anywhere, span=step.span)

    def send(self, step: SendStep, text: ChannelText) -> Body:
        """The statement, its values cut to the fields."""
        values = tuple(self.types.wrap(v, d) for v, d in zip(step.values, text.fields, strict=True))
        hop = Hop(text.name, span=step.span)
        return (Send(hop, values, step.ordered and text.capacity > 0, span=step.span),)

    def receive(self, step: ReceiveStep, text: ChannelText) -> Body:
        """The statement; where a field may not fit its target, by way of a scratch variable."""
        patterns: list[Pattern] = []
        stored: list[Assign] = []
        cleared: list[Assign] = []
        for k, (pattern, domain) in enumerate(zip(step.patterns, text.fields, strict=True)):
            if pattern is None:
                patterns.append(Skip())
            elif isinstance(pattern, Target):
                allowed = pattern.type.domain
                if allowed.low <= domain.low and domain.high <= allowed.high:
                    patterns.append(Bind(pattern.var))
                    continue
                held = self._scratch(text, k, domain)
                patterns.append(Bind(held))
                value = self.types.wrap(held, allowed)
                stored.append(Assign(pattern.var, value, span=step.span))
                cleared.append(Assign(held, Const(0), span=step.span))
            else:
                patterns.append(Match(pattern))
        hop = Hop(text.name, span=step.span)
        anywhere = step.anywhere and text.capacity > 0
        received = Receive(hop, tuple(patterns), anywhere, step.keep, span=step.span)
        return (received, *stored, *cleared)

    def _scratch(self, text: ChannelText, number: int, domain: Domain) -> Var:
        name = f"{text.name}~{number}"
        self.types.domains[name] = domain
        self.scratch[name] = Variable(name, (Const(0),), domain=_bounded(domain), span=text.span)
        return Var(name)


def _bounded(domain: Domain) -> Domain | None:
    """A domain of the model; none for `int`, which wraps by itself."""
    return None if domain.high == ANY.high else domain


def _either(
    candidates: Sequence[tuple[ChannelText, Formula | None]],
    one: Callable[[ChannelText], Formula],
) -> Formula:
    """Something about whichever channel is meant."""
    found: list[Formula] = []
    for text, given in candidates:
        condition = one(text)
        found.append(condition if given is None else And((given, condition)))
    return disjunction(found)


def disjunction(parts: Sequence[Formula]) -> Formula:
    """The disjunction, without a needless `Or` around a single one."""
    if not parts:
        return Truth(False)
    return parts[0] if len(parts) == 1 else Or(tuple(parts))


def matches(receive: ReceiveStep, send: SendStep) -> Formula:
    """Whether the patterns of a rendezvous fit what is sent."""
    return conjunction(
        [
            Compare("==", p, v)
            for p, v in zip(receive.patterns, send.values, strict=True)
            if p is not None and not isinstance(p, Target)
        ]
    )
