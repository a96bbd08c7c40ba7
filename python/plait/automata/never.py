"""Never claims as texts: those of `spin -f`, ltl2ba and Spot, and ours.

A claim is a list of labelled places. At a place stands a choice (`if` or `do`) of guards, each with
a `goto`, or a single guard, `skip` or `goto`. Each guard reads one state of the run. A place whose
label begins with `accept` is accepting, and the closing brace accepts whatever follows; so does an
assertion that is violated. Guards are conditions on states of the model, written as in a formula,
so that claims can be laid over models of any language; `#define NAME text` gives names to them.

(In a Promela file claims are read by `plait.lang.promela`, with all that Promela has.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NoReturn

from plait.automata.automaton import Automaton
from plait.automata.claims import GuardedArc, claim_of
from plait.automata.hoa import refuse_undefined, state_condition
from plait.errors import Source, Span, error
from plait.lang.expressions import LEXICON
from plait.lang.lexer import Tokens
from plait.logic.formula import NeverClaim
from plait.model.expr import TRUE, Formula, Not, Or, conjunction
from plait.model.text import show
from plait.model.types import Model
from plait.records import dataclass, field

_TOKEN = re.compile(
    r"(?P<space>\s++)|(?P<comment>/\*.*?\*/)|(?P<line>\#[^\n]*+)|(?P<word>[A-Za-z_]\w*+)"
    r'|(?P<string>"(?:[^"\\\n]|\\[^\n])*+")|(?P<sign>::|->|\S)',
    re.DOTALL | re.ASCII,
)
_DEFINE = re.compile(r"#\s*define\s+([A-Za-z_]\w*)\s+(\S[^\n]*?)\s*$", re.ASCII)
_WORD = re.compile(r"[A-Za-z_]\w*+", re.ASCII)
_CLOSING = {"if": "fi", "do": "od"}
_WORDS = frozenset({"if", "fi", "do", "od", "goto", "break", "atomic", "assert"})
END = -1
"""The place after the last: it accepts for ever."""


@dataclass(slots=True)
class _Place:
    """A labelled place: its arcs, or the label that it stands for."""

    labels: list[str]
    arcs: list[tuple[Formula, str | int]] = field(default_factory=list)
    """Guards, and a label or the number of a place."""
    alias: tuple[str, Span] | None = None


class _Reader:
    def __init__(self, text: str, name: str, model: Model) -> None:
        self.source = text
        self.name = name
        self.model = model
        self.places = Tokens(Source(name, text), text, LEXICON)
        self.kinds: list[str] = []
        self.texts: list[str] = []
        self.starts: list[int] = []
        self.defined: dict[str, str] = {}
        self.at = 0
        self.found: list[_Place] = []
        self.labels: dict[str, int] = {}
        self.used: list[tuple[str, Span]] = []
        self._tokenize()

    def _tokenize(self) -> None:
        for match in _TOKEN.finditer(self.source):
            kind, start = match.lastgroup or "", match.start()
            if kind == "line":
                define = _DEFINE.match(match[0])
                if define is None:
                    here = self.places.place(start, match.end())
                    raise error("of the preprocessor only '#define NAME text' is read here", here)
                self.defined[define[1]] = define[2]
            elif match[0] in ('"', "/") and self.source.startswith(('"', "/*"), start):
                what = "string" if match[0] == '"' else "comment"
                raise error(f"this {what} is not closed", self.places.place(start, start + 1))
            elif kind not in ("space", "comment"):
                self.kinds.append(kind)
                self.texts.append(match[0])
                self.starts.append(start)
        self.kinds.extend(["end"] * 3)
        self.texts.extend([""] * 3)
        self.starts.extend([len(self.source)] * 3)

    # --- the cursor -------------------------------------------------------------------------------

    @property
    def next(self) -> str:
        """The next token."""
        return self.texts[self.at]

    def span(self, first: int | None = None, last: int | None = None) -> Span:
        """The place of some tokens."""
        first = self.at if first is None else first
        last = first if last is None else last
        return self.places.place(self.starts[first], self.starts[last] + len(self.texts[last]))

    def expected(self, what: str) -> NoReturn:
        """The error that something else stands here."""
        found = "the end of the text" if self.kinds[self.at] == "end" else f"'{self.next[:40]}'"
        raise error(f"expected {what}, found {found}", self.span())

    def accept(self, text: str) -> bool:
        """Step over a token if it is this one."""
        if self.next != text or self.kinds[self.at] == "end":
            return False
        self.at += 1
        return True

    def expect(self, text: str) -> None:
        """Step over this token."""
        if not self.accept(text):
            self.expected(f"'{text}'")

    # --- the claim --------------------------------------------------------------------------------

    def read(self) -> NeverClaim:
        """The claim."""
        first = self.span()
        self.expect("never")
        if self.kinds[self.at] == "word":
            self.at += 1
        self.expect("{")
        while not self.accept("}"):
            self._place()
        if self.kinds[self.at] != "end":
            raise error("there is something after the claim; one is read at a time", self.span())
        for label, span in self.used:
            if label not in self.labels:
                raise error(f"there is no label '{label}'", span)
        return self._claim(first)

    def _place(self) -> None:
        labels = []
        while self.kinds[self.at] == "word" and self.texts[self.at + 1] == ":":
            if self.next in self.labels:
                raise error(f"a second label '{self.next}'", self.span())
            self.labels[self.next] = len(self.found)
            labels.append(self.next)
            self.at += 2
        place = _Place(labels)
        self.found.append(place)
        after = len(self.found)
        word = self.next
        if word in ("if", "do"):
            self.at += 1
            place.arcs = list(self._choice(_CLOSING[word], after - 1 if word == "do" else after))
        elif self.accept("goto"):
            place.alias = self._label()
        elif word == "}" and labels:
            place.arcs = [(TRUE, END)]  # the closing brace has a label
            return
        else:
            place.arcs = [(self._guard(), after)]
        if not self.accept(";") and not self.accept("->") and self.next != "}":
            self.expected("';' or '}'")

    def _choice(self, closing: str, after: int) -> Iterator[tuple[Formula, str | int]]:
        """The options, each a guard and where it leads."""
        options: list[tuple[Formula | None, str | int]] = []
        if self.next != "::":
            self.expected("'::'")
        while self.accept("::"):
            options.extend(self._option(after))
        self.expect(closing)
        others = [g for g, _ in options if g is not None]
        for guard, target in options:
            yield Not(Or(tuple(others))) if guard is None else guard, target

    def _option(self, after: int) -> list[tuple[Formula | None, str | int]]:
        """A guard, if it is not `else`, and where it leads; with an assertion there are two."""
        atomic = self.accept("atomic")
        if atomic:
            self.expect("{")
        if self.next == "goto":
            raise error("a guard is needed before this 'goto'", self.span())
        guard = None if self.accept("else") else self._guard()
        found: list[tuple[Formula | None, str | int]] = [(guard, after)]
        if (self.accept("->") or self.accept(";")) and self.next not in ("::", "fi", "od", "}"):
            found = self._end_of_option(guard, after)
        if atomic:
            self.accept(";")
            self.expect("}")
        self.accept(";")
        return found

    def _end_of_option(
        self, guard: Formula | None, after: int
    ) -> list[tuple[Formula | None, str | int]]:
        if self.accept("goto"):
            return [(guard, self._label()[0])]
        if self.accept("break"):
            return [(guard, len(self.found))]
        if self.next == "skip":
            raise error("a second guard in an option is not read", self.span())
        if guard is None or not self.accept("assert"):
            self.expected("'goto', 'break' or 'assert'")
        return [(conjunction([guard, Not(self._guard())]), END), (guard, after)]

    def _label(self) -> tuple[str, Span]:
        if self.kinds[self.at] != "word" or self.next in _WORDS:
            self.expected("a label")
        self.used.append((self.next, self.span()))
        self.at += 1
        return self.used[-1]

    def _guard(self) -> Formula:
        """A condition: all up to the next separator outside of parentheses."""
        first, depth = self.at, 0
        while self.kinds[self.at] != "end":
            token = self.next
            if depth == 0 and (token in (";", "->", "::", "}", "{", ")") or token in _WORDS):
                break
            depth += (token in ("(", "[")) - (token in (")", "]"))
            self.at += 1
        if first == self.at:
            self.expected("a condition")
        if depth:
            raise error("this parenthesis is not closed", self.span(first))
        start, end = self.starts[first], self.starts[self.at - 1] + len(self.texts[self.at - 1])
        text = _WORD.sub(self._meaning, self.source[start:end])
        if text.strip("() \t\n") in ("skip", "true", "1"):
            return TRUE
        return state_condition(text, self.model, self.places.place(start, end), self.name)

    def _meaning(self, word: re.Match[str]) -> str:
        """What `#define` says that a word means."""
        return f"({self.defined[word[0]]})" if word[0] in self.defined else word[0]

    # --- all of it --------------------------------------------------------------------------------

    def _resolved(self, target: str | int) -> int:
        """The number of a place, through places that are only a `goto`."""
        seen = set()
        while True:
            number = self.labels[target] if isinstance(target, str) else target
            if number in (END, len(self.found)):
                return END
            alias = self.found[number].alias
            if alias is None:
                return number
            if number in seen:
                raise error("these jumps lead nowhere", alias[1])
            seen.add(number)
            target = alias[0]

    def _claim(self, span: Span) -> NeverClaim:
        arcs: dict[int, list[GuardedArc]] = {END: [GuardedArc(TRUE, END, 1)]}
        for number, place in enumerate(self.found):
            mark = int(any(label.startswith("accept") for label in place.labels))
            arcs[number] = [GuardedArc(g, self._resolved(t), mark) for g, t in place.arcs]
        start = self._resolved(0) if self.found else END
        return claim_of([start], arcs, 1, span)


def read_never(text: str, model: Model, name: str = "<claim>") -> NeverClaim:
    """The claim of a text, over the states of a model."""
    return _Reader(text, name, model).read()


def write_never(automaton: Automaton, conditions: Sequence[Formula], name: str) -> str:
    """The automaton as a never claim."""
    refuse_undefined(automaton, conditions)
    rows = {
        state: [
            GuardedArc(_guard_of(a.positive, a.negative, conditions), a.target, a.marks)
            for a in row
        ]
        for state, row in enumerate(automaton.arcs)
    }
    claim = claim_of([0], rows, automaton.acceptances)
    size = 1 + max((n for arc in claim.arcs for n in arc), default=0)
    after: list[list[tuple[Formula, int]]] = [[] for _ in range(size)]
    for (source, target), guard in zip(claim.arcs, claim.guards, strict=True):
        after[source].append((guard, target))

    def label(location: int) -> str:
        accepting = "accept" if location in claim.accepting else "T"
        return f"{accepting}_init" if location == 0 else f"{accepting}_S{location}"

    lines = [f"never {{ /* {name.replace('*/', '* /')} */"]
    for location, options in enumerate(after):
        lines.append(f"{label(location)}:")
        if not options:
            lines.append("  false;")
            continue
        lines.append("  if")
        lines.extend(f"  :: ({show(guard)}) -> goto {label(to)}" for guard, to in options)
        lines.append("  fi;")
    return "\n".join([*lines, "}", ""])


def _guard_of(positive: int, negative: int, conditions: Sequence[Formula]) -> Formula:
    parts: list[Formula] = []
    for bit, condition in enumerate(conditions):
        if positive >> bit & 1:
            parts.append(condition)
        if negative >> bit & 1:
            parts.append(Not(condition))
    return conjunction(parts) if parts else TRUE
