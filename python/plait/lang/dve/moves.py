"""The second pass over a DVE text: the bodies of transitions, and assertions.

A `Move` is a transition with its expressions read and its names resolved; what it becomes in the
model depends on the other processes (`plait.lang.dve.translate`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from plait.errors import Span, error
from plait.lang.dve.declarations import (
    ChannelText,
    ProcessText,
    SystemText,
    TransitionText,
    TypeName,
    unknown_state,
)
from plait.lang.dve.expressions import DveExpressions, at
from plait.lang.dve.wrapping import wrap
from plait.lang.lexer import NAME, Tokens
from plait.model.expr import Formula, IntExpr, Not, Or, Var, conjuncts
from plait.model.findings import count
from plait.model.stmt import Assign
from plait.model.types import Domain, Property
from plait.records import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """What a receive stores into."""

    var: Var
    type: TypeName


@dataclass(frozen=True, slots=True)
class Sync:
    """`sync c!e` has values, `sync c?x` has targets."""

    channel: ChannelText
    sends: bool
    values: tuple[IntExpr, ...]
    targets: tuple[Target, ...]
    span: Span

    @property
    def arity(self) -> int:
        """How many values go over the channel."""
        return len(self.values) if self.sends else len(self.targets)


@dataclass(frozen=True, slots=True)
class Move:
    """A transition of a process, under the name that it has in traces."""

    name: str
    process: ProcessText
    source: str
    target: str
    guard: tuple[Formula, ...]
    sync: Sync | None
    effects: tuple[Assign, ...]
    span: Span

    @property
    def committed(self) -> bool:
        """Whether it leaves a committed state."""
        return self.source in self.process.commit


class MoveReader:
    """Reads what the first pass stepped over; `domain` gives the values of a variable."""

    def __init__(
        self, tokens: Tokens, system: SystemText, domain: Callable[[Var], Domain | None]
    ) -> None:
        self.tokens = tokens
        self.system = system
        self.domain = domain
        self._arity: dict[str, int] = {}

    def moves(self, process: ProcessText) -> list[Move]:
        """The transitions of a process."""
        expressions = DveExpressions(self.tokens, self.system, process)
        seen: Counter[str] = Counter()
        found: list[Move] = []
        for t in process.transitions:
            name = f"{process.name}.{t.source}->{t.target}"
            seen[name] += 1
            if seen[name] > 1:
                name += f"#{seen[name]}"
            found.append(self._move(name, process, t, expressions))
        return found

    def _move(
        self, name: str, process: ProcessText, t: TransitionText, expressions: DveExpressions
    ) -> Move:
        """`{ guard ...; sync ...; effect ...; }`."""
        tokens = self.tokens
        tokens.at = t.body + 1
        guard: tuple[Formula, ...] = ()
        sync: Sync | None = None
        effects: tuple[Assign, ...] = ()
        if tokens.accept("guard"):
            guard = conjuncts(expressions.condition())
            tokens.expect(";", "after the guard")
        if tokens.accept("sync"):
            sync = self._sync(expressions)
            tokens.expect(";", "after the synchronisation")
        if tokens.accept("effect"):
            effects = self._effects(expressions)
            tokens.expect(";", "after the effect")
        if tokens.next != "}":
            hint = "a transition has a guard, a synchronisation and an effect, in this order"
            raise tokens.expected("'}'", hint)
        return Move(name, process, t.source, t.target, guard, sync, effects, t.span)

    def _effects(self, expressions: DveExpressions) -> tuple[Assign, ...]:
        """`x = 1, a[x] = 2`, one after the other."""
        tokens = self.tokens
        found: list[Assign] = []
        while True:
            target, type_ = expressions.target()
            if tokens.next in ("++", "--", "+=", "-="):
                raise tokens.expected("'='", "an effect is written 'x = x + 1'")
            tokens.expect("=", "after the variable")
            value = wrap(expressions.number(), type_, self.domain)
            found.append(Assign(target, value, span=target.span))
            if not tokens.accept(","):
                return tuple(found)

    # --- synchronisation --------------------------------------------------------------------------

    def _sync(self, expressions: DveExpressions) -> Sync:
        """`c!`, `c!e`, `c!{e, f}`, `c?x`, ..."""
        tokens = self.tokens
        first = tokens.at
        channel = expressions.channel()
        sends = tokens.accept("!")
        if not sends:
            tokens.expect("?", "or '!' after the channel")
        values: list[IntExpr] = []
        targets: list[Target] = []

        def read() -> None:
            if sends:
                values.append(expressions.number())
            else:
                targets.append(Target(*expressions.target()))

        if tokens.accept("{"):
            read()
            while tokens.accept(","):
                read()
            tokens.expect("}", "or ',' after the value")
        elif tokens.next != ";":
            read()
        span = tokens.span(first, tokens.at - 1)
        sync = Sync(channel, sends, tuple(values), tuple(targets), span)
        self._check_arity(sync)
        return sync

    def _check_arity(self, sync: Sync) -> None:
        """All uses of a channel carry as many values as it has types, or as the first one does."""
        channel = sync.channel
        known = len(channel.types) if channel.types is not None else None
        if known is None:
            known = self._arity.setdefault(channel.full, sync.arity)
        if sync.arity != known:
            message = f"channel '{channel.name}' carries {count(known, 'value')}"
            raise error(f"{message}, not {sync.arity}", sync.span)

    # --- assertions -------------------------------------------------------------------------------

    def assertions(self, process: ProcessText) -> list[Property]:
        """`assert a: x < 3, b: y == 1;`: an invariant each, `P.a-assert`."""
        tokens = self.tokens
        expressions = DveExpressions(tokens, self.system, process)
        seen: Counter[str] = Counter()
        found: list[Property] = []
        for start in process.assertions:
            tokens.at = start
            while True:
                span = tokens.span()
                state = tokens.next
                if tokens.kind() != NAME:
                    raise tokens.expected("the name of a state")
                if state not in process.states:
                    raise unknown_state(process, state, span)
                tokens.at += 1
                tokens.expect(":", "after the state")
                holds = expressions.condition()
                seen[state] += 1
                name = f"{process.name}.{state}-assert"
                name += f"-{seen[state]}" if seen[state] > 1 else ""
                body = Or((Not(at(process, [state], span)), holds), span=span)
                found.append(Property(name, "invariant", body, span=span))
                if not tokens.accept(","):
                    break
            tokens.expect(";", "after the assertion")
        return found
