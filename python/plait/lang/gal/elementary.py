"""The body of an elementary type of GAL: variables, arrays, aliases, predicates, transient states.

Aliases and predicates stand for what they name, wherever they are declared: predicates are read
ahead of the first event or condition that may use one.
"""

from __future__ import annotations

from collections.abc import Iterable

from plait.errors import InputError, error
from plait.hints import TYPE_CHECKING
from plait.lang.lexer import PARAMETER
from plait.model.expr import Formula, IntExpr, Truth, Var
from plait.model.node import nodes
from plait.model.types import (
    Constant,
    Event,
    Predicate,
    Range,
    Variable,
)

if TYPE_CHECKING:
    from plait.lang.gal.declarations import Declarations


class ElementaryBody:
    """The body of one elementary type."""

    def __init__(self, owner: Declarations, constants: tuple[Constant, ...]) -> None:
        self.owner = owner
        self.tokens = owner.tokens
        self.expressions = owner.expressions
        self.scope = owner.scope
        self.constants = constants
        self.ranges: list[Range] = []
        self.variables: list[Variable] = []
        self.events: list[Event] = []
        self.predicates: list[Predicate] = []
        self.transient: Formula | None = None
        self._aliases: list[IntExpr] = []
        self._ahead: dict[int, tuple[Predicate, int]] | None = None

    def read(self) -> None:
        """Everything up to and including the closing brace."""
        tokens = self.tokens
        readers = {
            "int": self._integers,
            "hotbit": self._hotbit,
            "array": self._array,
            "alias": self._alias,
            "predicate": self._predicate,
            "TRANSIENT": self._transient,
        }
        while not tokens.accept("}"):
            word = tokens.next
            if word == "transition":
                if self.owner.has_predicates and self._ahead is None:
                    self._read_ahead()
                self.events.append(self.owner.event("transition", "gal"))
            elif word == "typedef":
                self.ranges.append(self.owner.range())
            elif word in readers:
                readers[word]()
            else:
                raise self._unexpected(word, ("transition", "typedef", *readers))
        self._check_aliases()

    def _unexpected(self, word: str, words: Iterable[str]) -> InputError:
        tokens = self.tokens
        if word == "list":
            hint = "declare an array and keep the number of elements in a variable"
            return tokens.fail("the list type of early GAL is not supported", hint=hint)
        if tokens.kind() == PARAMETER:
            hint = "constants of a type stand in parentheses after its name"
            return tokens.expected("a declaration or '}'", hint)
        return tokens.expected("a declaration or '}'", words=words)

    # --- variables --------------------------------------------------------------------------------

    def _hotbit(self) -> None:
        tokens = self.tokens
        doc = tokens.docs.get(tokens.at)
        tokens.at += 1
        tokens.expect("(")
        range_ = tokens.name("the name of a range")
        tokens.expect(")")
        if tokens.next == "array":
            self._array(range_, doc)
        elif tokens.next == "int":
            self._integers(range_, doc)
        else:
            raise tokens.expected("'int' or 'array'")

    def _integers(self, hotbit: str | None = None, doc: str | None = None) -> None:
        """`int a = 1, b;`."""
        tokens = self.tokens
        doc = tokens.docs.get(tokens.at, doc)
        tokens.at += 1
        while True:
            name, span = tokens.named("the name of a variable")
            initial = (self.expressions.number(),) if tokens.accept("=") else ()
            self.variables.append(Variable(name, initial, hotbit=hotbit, span=span, comment=doc))
            if not tokens.accept(","):
                break
        tokens.expect(";", "after the declaration")

    def _array(self, hotbit: str | None = None, doc: str | None = None) -> None:
        """`array [3] a = (0, 0, 1);`."""
        tokens = self.tokens
        doc = tokens.docs.get(tokens.at, doc)
        tokens.at += 1
        tokens.expect("[")
        size = self.expressions.number()
        tokens.expect("]")
        name, span = tokens.named("the name of the array")
        initial: list[IntExpr] = []
        if tokens.accept("="):
            tokens.expect("(")
            while not tokens.accept(")"):
                if initial:
                    tokens.expect(",", "or ')'")
                initial.append(self.expressions.number())
        tokens.expect(";", "after the declaration")
        self.variables.append(
            Variable(name, tuple(initial), size, hotbit=hotbit, span=span, comment=doc)
        )

    def _alias(self) -> None:
        """`alias x = e;`."""
        tokens = self.tokens
        tokens.at += 1
        name, span = tokens.named("the name of the alias")
        tokens.expect("=")
        meaning = self.expressions.number()
        tokens.expect(";", "after the alias")
        self.scope.define(name, "alias", meaning, span)
        self._aliases.append(meaning)

    def _check_aliases(self) -> None:
        """An alias is expanded where it is used; the ones nobody uses are checked here."""
        declared = {v.name for v in self.variables}
        for meaning in self._aliases:
            for node in nodes(meaning):
                if isinstance(node, Var) and node.name not in declared:
                    raise error(f"undeclared variable '{node.name}'", node.span)

    # --- predicates -------------------------------------------------------------------------------

    def _read_ahead(self) -> None:
        """Read the predicates that follow, so that transitions before them may use them."""
        tokens = self.tokens
        texts, start = tokens.texts, tokens.at
        self._ahead = {}
        depth = 0
        index = start
        while depth >= 0 and index < len(texts):
            text = texts[index]
            if text == "predicate" and depth == 0 and texts[index - 1] in (";", "}", "{"):
                tokens.at = index
                predicate = self._read_predicate()
                self._ahead[index] = (predicate, tokens.at)
                index = tokens.at
                continue
            depth += (text == "{") - (text == "}")
            index += 1
        tokens.at = start

    def _predicate(self) -> None:
        ahead = (self._ahead or {}).get(self.tokens.at)
        if ahead is None:
            self.predicates.append(self._read_predicate())
        else:
            self.predicates.append(ahead[0])
            self.tokens.at = ahead[1]

    def _read_predicate(self) -> Predicate:
        """`predicate p = condition;`."""
        tokens = self.tokens
        doc = tokens.docs.get(tokens.at)
        tokens.at += 1
        name, span = tokens.named("the name of the predicate")
        tokens.expect("=")
        condition = self.expressions.condition()
        tokens.expect(";", "after the predicate")
        self.scope.define(name, "predicate", condition, span)
        return Predicate(name, condition, span=span, comment=doc)

    def _transient(self) -> None:
        """`TRANSIENT = condition;`; `false` is the same as none."""
        tokens = self.tokens
        if self.owner.has_predicates and self._ahead is None:
            self._read_ahead()
        first = tokens.at
        tokens.at += 1
        tokens.expect("=")
        condition = self.expressions.condition()
        tokens.expect(";", "after the condition")
        if self.transient is not None:
            raise tokens.fail("TRANSIENT is given twice", first)
        if not (isinstance(condition, Truth) and not condition.value):
            self.transient = condition


__all__ = ["ElementaryBody"]
