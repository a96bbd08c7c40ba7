"""PROD's nets (`.net`), as far as they are place/transition nets, with the modules of ITS-tools.

(Varpaaniemi, Halme, Hiekkanen, Pyssysalo: "PROD reference manual", Helsinki 1995.)

    #place [(MODULE)] NAME [mk(TOKENS)] [cp(NUMBER)]
    #trans NAME [in { ARC; ... }] [out { ARC; ... }] #endtr

Tokens are `<..>`, `3<..>` or `3*<..>`. An arc is `PLACE: TOKENS`, and among those of `in` also
`PLACE < NUMBER` (fewer tokens than that) and `PLACE: reset` (all tokens there). A place without a
module is in module 0, if any has one. Places and transitions may be named before their description
has come. Queues, tokens with colours, and arcs that take as many tokens as another place has are
refused.
"""

from __future__ import annotations

from pathlib import Path

from plait.errors import Source, error
from plait.lang.files import read_text
from plait.lang.lexer import END, NAME, NUMBER, Lexicon, Tokens, tokenize
from plait.lang.net_pieces import NetPieces
from plait.model.types import Model

PLACE, TRANSITION, QUEUE, LAST = "#place", "#trans", "#queue", "#endtr"
_MARKS = (PLACE, TRANSITION, QUEUE, LAST, "<.", ".>", "<", "{", "}", "(", ")", ":", ";", "*")
_BEGINNINGS = (PLACE, TRANSITION, QUEUE)
_LEXICON = Lexicon(_MARKS, quotes="")


def load(path: Path) -> Model:
    """The net in a file, named after the file."""
    return parse(read_text(path), path.stem, Source(str(path), path=path))


def parse(text: str, name: str = "net", source: Source | None = None) -> Model:
    """The net that a text describes; a located `InputError` when it does not."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    reader = _Reader(tokenize(source or Source(name, text), text, _LEXICON), name)
    reader.read()
    return reader.net.model()


class _Reader:
    def __init__(self, tokens: Tokens, name: str) -> None:
        self.net = NetPieces(name)
        self._tokens = tokens
        self._places: dict[str, int] = {}
        self._events: set[str] = set()

    def read(self) -> None:
        """The places first, so that arcs may name those that are described later."""
        transitions: list[int] = []
        tokens, modular = self._tokens, False
        described: list[tuple[int, str]] = []
        while tokens.kind() != END:
            if tokens.accept(TRANSITION):
                transitions.append(tokens.at)
                while tokens.kind() not in (END, *_BEGINNINGS) and not tokens.accept(LAST):
                    tokens.at += 1
            elif tokens.accept(PLACE):
                modular = tokens.next == "(" or modular
                described.append(self._place())
            elif tokens.next == QUEUE:
                raise tokens.fail("queues are not read", hint="Promela has channels")
            else:
                raise tokens.expected(f"'{PLACE}' or '{TRANSITION}'")
        if modular:
            for module, place in sorted(described, key=lambda found: found[0]):
                self.net.module(f"module{module}", place)
        for start in transitions:
            tokens.at = start
            self._transition()

    def _place(self) -> tuple[int, str]:
        """A place: the number of its module, and its name."""
        tokens = self._tokens
        module = 0
        if tokens.accept("("):
            module = self._number("the number of a module")
            tokens.expect(")")
        span, name = tokens.span(), self._name("the name of a place")
        if name in self._places:
            raise error(f"two places are named '{name}'", span)
        initial, capacity = 0, None
        while tokens.next in ("mk", "cp") and tokens.peek() == "(":
            marked = tokens.next == "mk"
            tokens.at += 2
            if marked:
                initial = self._amount()
            else:
                capacity = self._number("how many tokens there is room for")
            tokens.expect(")")
        self._places[name] = self.net.place(name, span, initial, capacity)
        return module, name

    def _transition(self) -> None:
        tokens = self._tokens
        span, name = tokens.span(), self._name("the name of a transition")
        if name in self._events:
            raise error(f"two transitions are named '{name}'", span)
        self._events.add(name)
        event = self.net.event(name, span)
        for side in ("in", "out"):
            if tokens.accept(side):
                tokens.expect("{")
                while not tokens.accept("}"):
                    self._arc(event, incoming=side == "in")
        tokens.expect(LAST)

    def _arc(self, event: int, *, incoming: bool) -> None:
        tokens = self._tokens
        span, name = tokens.span(), self._name("a place or '}'")
        if name not in self._places:
            raise error(f"there is no place named '{name}'", span)
        place = self._places[name]
        if incoming and tokens.accept("<"):
            self.net.inhibit(event, place, self._number("a number of tokens"), span)
        else:
            tokens.expect(":")
            if incoming and tokens.accept("reset"):
                self.net.reset(event, place, span)
            elif tokens.kind() == NAME:
                told = "arcs whose weight is the marking of a place are not read"
                raise tokens.fail(told, hint="in GAL: [p >= q] { p -= q; }")
            else:
                connect = self.net.take if incoming else self.net.put
                connect(event, place, self._amount(), span)
        tokens.expect(";")

    # --- words ------------------------------------------------------------------------------------

    def _amount(self) -> int:
        """`<..>`, `3<..>` or `3*<..>`."""
        tokens = self._tokens
        amount = 1
        if tokens.kind() == NUMBER:
            amount = self._number("a number of tokens")
            tokens.accept("*")
        tokens.expect("<.")
        if tokens.next != ".>":
            raise tokens.fail("only tokens without colours are read: <..>")
        tokens.at += 1
        return amount

    def _name(self, what: str) -> str:
        if self._tokens.kind() != NAME:
            raise self._tokens.expected(what)
        self._tokens.at += 1
        return self._tokens.texts[self._tokens.at - 1]

    def _number(self, what: str) -> int:
        if self._tokens.kind() != NUMBER:
            raise self._tokens.expected(what)
        self._tokens.at += 1
        return self._tokens.number(self._tokens.at - 1)


__all__ = ["load", "parse"]
