"""The expressions of Milestones: operators in ASCII or as printed, and what names mean where.

From loose to tight: `<->`, `->` (to the right), `|`, `&`, path operators, `!` and the prefix
operators of logic, comparisons, `+ -`, `* / %`. The operand of `!` is a whole comparison, so that
`G g == 1` is `G (g == 1)`. There are two sorts, numbers and conditions, and neither counts as the
other.

Which names there are depends on who speaks (`Scope`): a local command knows the variables of its
process, and global ones unless its action is global; a global command and a property know global
variables and, by `a[0].x`, those of processes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import cast

from plait.errors import Span, error
from plait.lang.expressions import CONJUNCTION, DISJUNCTION, EQUIVALENCE, IMPLICATION, SORTS
from plait.lang.lexer import Lexicon, Tokens
from plait.lang.milestones.texts import (
    SELF,
    InstancesText,
    SystemText,
    TypeText,
    VariableText,
    local_name,
)
from plait.lang.milestones.widths import compared, stored
from plait.lang.pratt import Infix, Open, Operand, Prefix
from plait.logic.formula import Temporal
from plait.logic.grammar import Formulas
from plait.logic.names import Names, Segment
from plait.logic.value_names import ValueNames
from plait.model.expr import AsInt, Formula, Hop, IntExpr, Var
from plait.model.findings import did_you_mean
from plait.model.node import Node, nodes
from plait.model.shape import evaluate_constant
from plait.model.text import IFF, IMPLIES, NOT
from plait.records import replace

LEXICON = Lexicon(
    punctuation=(
        *("<->", "<=>", "->", "=>", "==", "!=", "<=", ">=", "&&", "||", ":="),
        *"()[];,:.=<>+-*/%&|!~",
        *"∧∨⇒⇔¬≠≤≥−×",
    ),
    quotes="",
    dotted_names=True,
)
"""The tokens of Milestones."""

_GAL = Formulas.infix
_IMPLIES, _IFF = replace(IMPLICATION, power=IFF), replace(EQUIVALENCE, power=IMPLIES)
_NOT = Prefix(NOT, SORTS.negation)


class Scope(Names):
    """What names mean to somebody: a process type, or with None the system as a whole."""

    def __init__(self, system: SystemText, type_: TypeText | None) -> None:
        self.text = system
        self.type = type_

    @cached_property
    def values(self) -> ValueNames:
        """Values have no names."""
        return ValueNames()

    def channel(self, name: str, cell: int | None, span: Span) -> Hop:
        """There are no channels."""
        raise error(f"there is no channel '{name}', nor any other", span)

    def declares(self, name: str) -> bool:
        """Whether there is a variable or an array of processes of that name."""
        if self.type is not None:
            return name in self.type.variables or name in self.text.variables
        return name in self.text.variables or name in self.text.instances

    def is_array(self, name: str) -> bool:
        """Whether it is the name of an array of processes."""
        return self.type is None and name in self.text.instances

    def resolve(self, segments: Sequence[Segment], span: Span) -> Node:
        """The variable that a reference means."""
        first, *rest = segments
        name, dot, member = first.name.partition(".")
        if dot and first.index is None and not rest:
            return self._of_process(Segment(name, None, first.span), member, span)
        if len(rest) == 1 and not dot:
            return self._of_process(first, rest[0].name, span)
        if rest or dot or first.index is not None:
            raise error("a variable of a process is written 'a[0].x'", span)
        if self.type is not None and name in self.type.variables:
            return Var(SELF + name, span=span)
        if name in self.text.variables:
            return Var(name, span=span)
        if name in self.text.instances and self.type is None:
            raise error(f"'{name}' is a process, not a variable", span, f"as in '{name}[0].pc'")
        known = [*self.text.variables, *(self.type.variables if self.type else ())]
        raise error(f"no variable named '{name}'", span, did_you_mean(name, known))

    def _of_process(self, segment: Segment, member: str, span: Span) -> Node:
        if self.type is not None:
            message = "a local command knows no variables of other processes"
            raise error(message, span, "a global command may read them")
        found = self.text.instances.get(segment.name)
        if found is None:
            hint = did_you_mean(segment.name, self.text.instances)
            raise error(f"no process named '{segment.name}'", segment.span, hint)
        if member not in found.type.variables:
            message = f"a process of type '{found.type.name}' has no variable '{member}'"
            raise error(message, span, did_you_mean(member, found.type.variables))
        return Var(local_name(found.name, self._index(found, segment), member), span=span)

    def _index(self, found: InstancesText, segment: Segment) -> int:
        if segment.index is None:
            if found.size == 1:
                return 0
            message = f"there are {found.size} processes '{found.name}': which one?"
            raise error(message, segment.span, f"as in '{found.name}[0]'")
        value = constant(segment.index)
        if not 0 <= value < found.size:
            message = f"there is no process {value} of '{found.name}', only 0 to {found.size - 1}"
            raise error(message, segment.index.span or segment.span)
        return value

    def bits(self, var: Var) -> int:
        """The width of a variable that `resolve` has found."""
        return self.variable(var.name).bits

    def variable(self, name: str) -> VariableText:
        """The declaration of a variable by its name in expressions."""
        if name.startswith(SELF) and self.type is not None:
            return self.type.variables[name.removeprefix(SELF)]
        if "[" in name:
            return self.text.instances[name[: name.index("[")]].type.variables[
                name[name.rindex(".") + 1 :]
            ]
        return self.text.variables[name]


class Expressions(Formulas):
    """Reads expressions, and formulas of logic where they may stand."""

    prefix: Mapping[str, Prefix] = {
        **{word: found for word, found in Formulas.prefix.items() if word != "-"},
        "~": _NOT,
        "¬": _NOT,
    }
    infix: Mapping[str, Infix] = {
        **_GAL,
        **dict.fromkeys(("&", "∧"), CONJUNCTION),
        **dict.fromkeys(("|", "∨"), DISJUNCTION),
        **dict.fromkeys(("->", "=>", "⇒"), _IMPLIES),
        **dict.fromkeys(("<->", "<=>", "⇔"), _IFF),
        "≠": _GAL["!="],
        "≤": _GAL["<="],
        "≥": _GAL[">="],
        "−": _GAL["-"],
        "×": _GAL["*"],
    }

    def __init__(self, tokens: Tokens, scope: Scope) -> None:
        super().__init__(tokens, scope)
        self.scope = scope

    def number(self, target: int) -> IntExpr:
        """An expression at the cursor, as an assignment to a variable of so many bits stores it."""
        return stored(self._arithmetic(), target, self.scope.bits)

    def constant(self) -> tuple[int, Span]:
        """The value of an expression over constants, computed with 32 bits."""
        expression = self._arithmetic()
        return constant(expression), expression.span or self.tokens.span()

    def condition(self) -> Formula:
        """A condition of one state at the cursor."""
        found = self._formula()
        temporal = next((n for n in nodes(found) if isinstance(n, Temporal)), None)
        if temporal is not None:
            raise error("a guard speaks of one state, not of paths", temporal.span)
        return compared(found, self.scope.bits)

    def formula(self) -> Formula:
        """A formula of logic at the cursor."""
        return compared(self._formula(), self.scope.bits)

    def _arithmetic(self) -> IntExpr:
        self.wanted = "an expression"
        node = self._read()
        if isinstance(node, Formula):
            raise error("a number is needed here, but this is a condition", node.span)
        return cast(IntExpr, node)

    def _formula(self) -> Formula:
        node = self._read()
        if not isinstance(node, Formula):
            raise error("a condition is needed here, but this is a number", node.span)
        return node

    def _read(self) -> Node:
        node = self.parse().node
        counted = next((n for n in nodes(node) if isinstance(n, AsInt)), None)
        if counted is not None:
            raise error("a number is needed here, but this is a condition", counted.span)
        return node

    def _reference(self, segments: list[Segment], first: int) -> Node | Operand | Open:
        """`x`, `a.x` or `a[0].x`.

        A colon ends the guard, and a bracket behind a variable begins the next command.
        """
        tokens = self.tokens
        start = tokens.at
        name = tokens.name("the name of a variable")
        if segments or tokens.next != "[" or not self.scope.is_array(name):
            segments.append(Segment(name, None, tokens.span(start)))
            return self._resolve(segments, first)
        tokens.at += 1

        def member(contents: Sequence[Operand]) -> Node | Operand | Open:
            index = cast(IntExpr, contents[0].node)
            segments.append(Segment(name, index, tokens.span(start, tokens.at - 1)))
            tokens.expect(".", "and a variable of the process")
            return self._reference(segments, first)

        return Open("]", member)


def constant(expression: IntExpr) -> int:
    """The value of an expression over constants; a located error for any other."""
    for node in nodes(expression):
        if isinstance(node, Var | Formula):
            raise error("a constant is needed here", node.span)
    return evaluate_constant(expression, {})
