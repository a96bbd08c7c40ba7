"""Queries about sets of states: functions of sets, the future and the past, as a small language.

After the model checking functions of SMART (Siminiceanu, "Structural model checking", 2003, table
A.1). A query is an expression, with `NAME :=` before it if later ones use it:

    Dead := difference(reachable, prev(reachable))
    printset(Dead)
    card(EF(potential(x == 1 && y < 2)))

`potential(F)` has the states where a condition in Plait's own syntax holds. The operators that end
in `bar` are those of the past: the same on reversed arcs. Every set is one of reachable states, so
`complement` is what is reachable and not in the set.

Queries are read into postfix form, one operation after the other, so depth costs nothing.
"""

from __future__ import annotations

import difflib
import re

from plait.errors import Source, Span, error
from plait.records import dataclass

ARITY = {
    **dict.fromkeys(("EX", "AX", "EF", "AF", "EG", "AG"), 1),
    **dict.fromkeys(("EXbar", "AXbar", "EFbar", "AFbar", "EGbar", "AGbar"), 1),
    **dict.fromkeys(("EU", "AU", "EUbar", "AUbar"), 2),
    **dict.fromkeys(("prev", "next", "backward", "forward", "addprev", "addnext"), 1),
    **dict.fromkeys(("union", "intersection", "difference"), 2),
    "complement": 1,
    **dict.fromkeys(("includes", "equal", "neq"), 2),
    **dict.fromkeys(("card", "printset"), 1),
}
"""The functions, with the number of their arguments, which are sets."""
CONSTANTS = ("reachable", "initialstate", "nostates")
ENDS = ("includes", "equal", "neq", "card", "printset")
"""Functions whose value is no set."""
CONDITION = "potential"
_TOKEN = re.compile(r"\s*(?:(?P<name>[A-Za-z_]\w*)|(?P<sign>:=|[(),])|(?P<other>\S))")


@dataclass(frozen=True, slots=True)
class Operation:
    """A constant or an earlier query by its name, a condition by its text, or a function."""

    kind: str
    """`name`, `condition` or `function`."""
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Query:
    """An expression in postfix form, and the name that later queries know it by."""

    text: str
    operations: tuple[Operation, ...]
    name: str | None = None


def parse_queries(texts: list[str], file: tuple[str, str] | None = None) -> list[Query]:
    """The queries, one a text, with located errors; a name must be defined before it is used.

    Those of a `file`, its name and what is in it, one a line, come after them; what begins with `#`
    is a note.
    """
    found: list[Query] = []
    known = set(CONSTANTS)
    readers = [_Reader(Source("<query>", text), text) for text in texts]
    if file is not None:
        source = Source(*file)
        for number, line in enumerate(file[1].split("\n"), start=1):
            if line.strip() and not line.startswith("#"):
                readers.append(_Reader(source, line, number))
    if not readers:
        raise error("there is no query", hint="give one after the model, or --file FILE")
    for reader in readers:
        query = reader.query(known)
        found.append(query)
        if query.name is not None:
            known.add(query.name)
    return found


class _Reader:
    """One query: the functions whose arguments are being read are on a stack."""

    def __init__(self, source: Source, text: str, line: int = 1) -> None:
        """`line` is where the text begins in its source."""
        self.source, self.text, self.line = source, text, line
        self.at = 0
        self.operations: list[Operation] = []

    def query(self, known: set[str]) -> Query:
        name = None
        if defined := re.match(r"\s*([A-Za-z_]\w*)\s*:=", self.text):
            name, self.at = defined[1], defined.end()
            if name in ARITY or name in CONSTANTS or name == CONDITION:
                raise error(f"'{name}' has a meaning already", self._span(defined.start(1), name))
        self._expression(known)
        is_set = self.operations[-1].kind != "function" or self.operations[-1].text not in ENDS
        if name is not None and not is_set:
            raise error("only a set can have a name", self.operations[-1].span)
        return Query(self.text.strip(), tuple(self.operations), name)

    def _expression(self, known: set[str]) -> None:
        """Functions whose arguments are being read wait, each with how many are read."""
        waiting: list[tuple[Operation, int]] = []
        while True:
            if self._operand(waiting, known) and self._ends(waiting):
                return

    def _operand(self, waiting: list[tuple[Operation, int]], known: set[str]) -> bool:
        """A name or a condition; False for a function, whose arguments come next."""
        start, kind, text = self._token()
        span = self._span(start, text)
        if kind != "name":
            raise error("a set was expected here", span)
        if text in ARITY:
            if waiting and text in ENDS:
                raise error(f"'{text}' is no set", span)
            self._expect("(", f"'{text}' needs arguments in parentheses")
            waiting.append((Operation("function", text, span), 0))
            return False
        if text == CONDITION:
            self._expect("(", f"'{CONDITION}' needs a condition in parentheses")
            self.operations.append(self._condition(span))
        elif text in known:
            self.operations.append(Operation("name", text, span))
        else:
            near = difflib.get_close_matches(text, [*ARITY, *known, CONDITION], n=1)
            there = f"there are: {', '.join([*sorted(known), CONDITION, *ARITY])}"
            hint = f"did you mean '{near[0]}'?" if near else there
            raise error(f"there is no set or function '{text}'", span, hint)
        return True

    def _ends(self, waiting: list[tuple[Operation, int]]) -> bool:
        """After an operand: close the functions that it ends; whether the query ends, too."""
        while True:
            start, _, text = self._token()
            if not waiting:
                if text:
                    raise error("the query should end here", self._span(start, text))
                return True
            function, read = waiting.pop()
            read += 1
            if text not in (",", ")"):
                raise error("',' or ')' was expected here", self._span(start, text))
            if (read == ARITY[function.text]) != (text == ")"):
                self._count(function)
            if text == ",":
                waiting.append((function, read))
                return False
            self.operations.append(function)

    def _count(self, function: Operation) -> None:
        wanted = ARITY[function.text]
        raise error(f"'{function.text}' has {wanted} argument{'s' * (wanted > 1)}", function.span)

    def _condition(self, span: Span) -> Operation:
        """The text up to the parenthesis that closes it; names may stand in quotes."""
        depth, start, quoted = 1, self.at, False
        for i in range(start, len(self.text)):
            c = self.text[i]
            if c == '"':
                quoted = not quoted
            elif not quoted:
                depth += (c == "(") - (c == ")")
            if depth == 0:
                self.at = i + 1
                return Operation("condition", self.text[start:i], span)
        raise error("the condition has no end", span)

    def _expect(self, sign: str, message: str) -> None:
        start, _, text = self._token()
        if text != sign:
            raise error(message, self._span(start, text))

    def _token(self) -> tuple[int, str, str]:
        """Where the next token begins, its kind and its text; empty at the end."""
        found = _TOKEN.match(self.text, self.at)
        if found is None:
            self.at = len(self.text)
            return self.at, "end", ""
        self.at = found.end()
        kind = found.lastgroup or "other"
        return found.start(kind), kind, found[kind]

    def _span(self, start: int, text: str) -> Span:
        line = self.line + self.text.count("\n", 0, start)
        column = start - (self.text.rfind("\n", 0, start) + 1) + 1
        return Span(self.source, line, column, max(1, len(text)))


__all__ = ["ARITY", "CONSTANTS", "ENDS", "Operation", "Query", "parse_queries"]
