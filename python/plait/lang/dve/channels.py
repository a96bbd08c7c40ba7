"""Channels of a DVE text as channels of the model, with values cut to the types that store them.

A value is cast to the type of the channel's field when it is sent, and to that of the variable when
it is received. Over a rendezvous both happen at once, so the cast is written where the value is
sent. When receivers of one channel need different casts, it becomes one channel for each, and the
sending event one event for each: the pairs that can meet are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from plait.hints import TYPE_CHECKING
from plait.lang.dve.declarations import DOMAINS, ChannelText, TypeName
from plait.lang.dve.moves import Move, Sync
from plait.lang.dve.wrapping import fits, wrap
from plait.model.expr import Const, Hop, IntExpr, Var
from plait.model.stmt import Assign, Bind, Body, Receive, Send
from plait.model.types import Channel, Domain, Variable

if TYPE_CHECKING:
    Casts = tuple[TypeName | None, ...]
    """What a receiver cuts each field to; None where it need not."""


class Channels:
    """The channels of a text, seen through all the moves that use them."""

    def __init__(
        self,
        channels: Sequence[ChannelText],
        moves: Iterable[Move],
        domain: Callable[[Var], Domain | None],
    ) -> None:
        self.domain = domain
        self.scratch: dict[str, Variable] = {}
        """Variables between a receive and a narrower variable; 0 in every state."""
        self._casts: dict[str, list[Casts]] = {}
        self._way: dict[int, int] = {}
        """By the identity of a receive, which of the casts of its channel it needs."""
        uses: dict[str, list[Sync]] = {c.full: [] for c in channels}
        for move in moves:
            if move.sync is not None:
                uses[move.sync.channel.full].append(move.sync)
        self.channels = tuple(c for text in channels for c in self._declare(text, uses[text.full]))

    def _declare(self, text: ChannelText, uses: list[Sync]) -> Iterable[Channel]:
        """The channel, or one for each cast that its receivers need."""
        if text.capacity:
            assert text.types is not None
            fields = tuple(DOMAINS[t] for t in text.types)
            return [Channel(text.full, text.capacity, fields, span=text.span)]
        sent = [self._sent(u) for u in uses if u.sends]
        arity = uses[0].arity if uses else len(text.types or ())
        needed = {id(u): self._needed(u, sent) for u in uses if not u.sends}
        casts = list(dict.fromkeys(needed.values())) or [(None,) * arity]
        self._casts[text.full] = casts
        self._way.update((receive, casts.index(n)) for receive, n in needed.items())
        names = [_name(text, k) for k in range(len(casts))]
        return [Channel(n, 0, (None,) * arity, span=text.span) for n in names]

    def _sent(self, sync: Sync) -> list[IntExpr]:
        """The values, cast to the types of the channel."""
        types = sync.channel.types
        if types is None:
            return list(sync.values)
        return [wrap(v, t, self.domain) for v, t in zip(sync.values, types, strict=True)]

    def _needed(self, receive: Sync, sent: list[list[IntExpr]]) -> Casts:
        return tuple(
            None if all(fits(values[f], t.type, self.domain) for values in sent) else t.type
            for f, t in enumerate(receive.targets)
        )

    # --- statements -------------------------------------------------------------------------------

    def statements(self, sync: Sync) -> list[Body]:
        """What the synchronisation does, in as many ways as the move needs events."""
        text, span = sync.channel, sync.span
        if sync.sends:
            sent = self._sent(sync)
            if text.capacity:
                return [(Send(Hop(text.full, span=span), tuple(sent), span=span),)]
            return [
                (Send(Hop(_name(text, k), span=span), self._cast(sent, casts), span=span),)
                for k, casts in enumerate(self._casts[text.full])
            ]
        if text.capacity:
            return [self._take(sync)]
        hop = Hop(_name(text, self._way[id(sync)]), span=span)
        return [(Receive(hop, tuple(Bind(t.var) for t in sync.targets), span=span),)]

    def _cast(self, sent: list[IntExpr], casts: Casts) -> tuple[IntExpr, ...]:
        return tuple(
            value if type_ is None else wrap(value, type_, self.domain)
            for value, type_ in zip(sent, casts, strict=True)
        )

    def _take(self, sync: Sync) -> Body:
        """A receive from a buffer; where a field may not fit, all go through scratch variables."""
        text, span = sync.channel, sync.span
        types = text.types or ()
        hop = Hop(text.full, span=span)
        if not any(
            f == "int" and t.type == "byte" for f, t in zip(types, sync.targets, strict=True)
        ):
            return (Receive(hop, tuple(Bind(t.var) for t in sync.targets), span=span),)
        held = [self._scratch(text, f, type_) for f, type_ in enumerate(types)]
        stored = [
            Assign(t.var, wrap(h, t.type, lambda _: None), span=span)
            for h, t in zip(held, sync.targets, strict=True)
        ]
        cleared = [Assign(h, Const(0), span=span) for h in held]
        return (Receive(hop, tuple(Bind(h) for h in held), span=span), *stored, *cleared)

    def _scratch(self, text: ChannelText, number: int, type_: TypeName) -> Var:
        name = f"{text.full}~{number}"
        self.scratch[name] = Variable(name, (Const(0),), domain=DOMAINS[type_], span=text.span)
        return Var(name)


def _name(text: ChannelText, way: int) -> str:
    """The channel of the model for one of the casts of its receivers."""
    return text.full if way == 0 else f"{text.full}#{way + 1}"
