"""The queries of Uppaal's documents as properties of the model.

    A[] f       an invariant
    E<> f       can be reached
    A<> f       comes about on every run
    E[] f       holds throughout on some run
    f --> g     whenever f holds, g comes about later on every run

A run is maximal, and one on which nothing but time happens counts, in Uppaal as here. Locations are
asked as `P.s`, variables as `v` and `P.v`; a clock that is compared in a query is told apart that
far. In a `deadlock` there is no action, now or after some time: no state from which one can be
reached (on the way to the first there is only time). A query that asks anything else is passed
over with a warning: simulations, probabilities and strategies. Properties are numbered as the
queries are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from plait.errors import Diagnostic, InputError, Source
from plait.hints import cast
from plait.lang.lexer import END, NAME, Tokens, tokenize
from plait.lang.pratt import Open
from plait.lang.xta.automata import Automaton, check_clocks
from plait.lang.xta.execute import condition
from plait.lang.xta.expressions import LEXICON, XtaExpressions
from plait.lang.xta.network import Network
from plait.lang.xta.symbols import Function
from plait.logic.formula import Exists, Finally, Forall, Globally
from plait.model.expr import Compare, Const, Deadlock, Enabled, Formula, Implies, Not, Var
from plait.model.node import Node, nodes, rewrite
from plait.model.types import Model, Property, PropertyKind
from plait.records import replace
from plait.time.stuck import actions_of

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_LINE = re.compile(r"(?:[^\n]*\\\n)*[^\n]+")
FORMS = (("A", "[", "]"), ("E", "<", ">"), ("A", "<", ">"), ("E", "[", "]"))
"""How queries of one operator begin."""


def read_queries(
    texts: Sequence[Tokens],
    network: Network,
    automata: Sequence[Automaton],
    *,
    strict: bool = False,
) -> tuple[list[Property], list[Diagnostic]]:
    """The queries that can be asked here, and warnings of the others; `deadlock` is that of the
    model still. What is wrong in a query of a known form is an error where it is `strict`."""
    found: list[Property] = []
    passed: list[Diagnostic] = []
    for number, tokens in enumerate(texts, start=1):
        try:
            kind, body = _Query(tokens, network, automata).read()
        except InputError as wrong:
            known = _is_known(tokens.texts)
            if strict and known:
                raise
            tokens.at = 0
            if tokens.kind() != END:
                span, why = wrong.diagnostics[0].span, wrong.diagnostics[0].message
                if not known:
                    span, why = tokens.span(0), "nothing of its kind is asked here"
                told = f"query {number} is passed over: {why}"
                passed.append(Diagnostic(told, span, severity="warning"))
            continue
        text = tokens.wording(0, len(tokens.texts) - 3)
        name = f"query {number}"
        span = tokens.span(0)
        found.append(Property(name, kind=kind, body=body, text=text, asks=text, span=span))
    return found, passed


def _is_known(texts: Sequence[str]) -> bool:
    """Whether a query has one of the forms that are asked here."""
    return tuple(texts[:3]) in FORMS or ("--", ">") in pairwise(texts)


def queries_in(source: Source) -> list[Tokens]:
    """The queries of a file (`.q`), each on a line of its own, or on several that end in `\\`."""
    text = _COMMENT.sub(lambda comment: _blank(comment[0]), source.text or "")
    # The lines before a query are there, but empty: so its tokens have their places.
    return [
        tokenize(source, _blank(text[: line.start()]) + line[0], LEXICON)
        for line in _LINE.finditer(text)
        if line[0].strip()
    ]


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def settled(prop: Property, model: Model) -> Property:
    """The query about a model whose events are known."""
    actions = actions_of(model)

    def settle(node: Node) -> Node:
        if isinstance(node, Deadlock):
            return Not(Exists(Finally(Enabled(actions))), span=node.span)
        return node

    return replace(prop, body=cast(Formula, rewrite(cast(Formula, prop.body), settle)))


class _Query:
    def __init__(self, tokens: Tokens, network: Network, automata: Sequence[Automaton]) -> None:
        self._tokens = tokens
        self._network = network
        self._automata = {a.name: a for a in automata}

    def read(self) -> tuple[PropertyKind, Formula]:
        tokens = self._tokens
        begin = tokens.texts[:3]
        asked: tuple[PropertyKind, Formula]
        tokens.at = 3
        match begin:
            case ["A", "[", "]"]:
                asked = "invariant", self._condition()
            case ["E", "<", ">"]:
                asked = "reachable", self._condition()
            case ["A", "<", ">"]:
                asked = "ctl", Forall(Finally(self._condition()))
            case ["E", "[", "]"]:
                asked = "ctl", Exists(Globally(self._condition()))
            case _:
                tokens.at = 0
                cause = self._condition()
                tokens.expect("--")
                tokens.expect(">")
                effect = Forall(Finally(self._condition()))
                asked = "ctl", Forall(Globally(Implies(cause, effect)))
        if tokens.kind() != END:
            raise tokens.expected("the end of the query")
        kind, body = asked
        if kind != "ctl" and any(isinstance(n, Deadlock) for n in nodes(body)):
            over = Forall(Globally(body)) if kind == "invariant" else Exists(Finally(body))
            return "ctl", over
        return asked

    def _condition(self) -> Formula:
        read = _QueryExpressions(self._tokens, self._network, self._automata).condition()
        found = condition(self._network, read)
        check_clocks(found, self._network)
        return found


class _QueryExpressions(XtaExpressions):
    """Expressions in which processes are known, and their locations."""

    def __init__(self, tokens: Tokens, network: Network, automata: dict[str, Automaton]) -> None:
        super().__init__(tokens, network, network.scope)
        self._automata = automata

    def named(self, index: int) -> Node | Open:
        """What the name at a token means, `P.s` and `P(1).v` among them."""
        tokens = self.tokens
        tokens.at = index + 1
        name = tokens.texts[index]
        if name == "deadlock":
            return Deadlock(span=tokens.span(index))
        if not isinstance(self.scope.find(name), Function) and tokens.accept("("):
            values = [str(XtaExpressions(tokens, self.network, self.scope).constant())]
            while tokens.accept(","):
                values.append(str(XtaExpressions(tokens, self.network, self.scope).constant()))
            tokens.expect(")", "after the parameters")
            name += f"({','.join(values)})"
        process = self._automata.get(name)
        if process is None or not tokens.accept("."):
            return super().named(index)
        member = tokens.at
        if tokens.kind() != NAME:
            raise tokens.expected("a location or a variable")
        location = process.locations.get(tokens.next)
        if location is None:
            return XtaExpressions(tokens, self.network, process.scope).named(member)
        tokens.at += 1
        span = tokens.span(index, member)
        return Compare("==", Var(process.pc), Const(location.number), span=span)


__all__ = ["read_queries", "settled"]
