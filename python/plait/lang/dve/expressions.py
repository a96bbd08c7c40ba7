"""The expressions of DVE: C's operators on numbers, and questions about the states of processes.

There is one sort, as in C: a condition counts as 0 or 1, and a number is a condition that holds
when it is not 0.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.errors import InputError, Span, error
from plait.lang.c_expressions import WordedExpressions
from plait.lang.dve.declarations import (
    KEYWORDS,
    ChannelText,
    ProcessText,
    SystemText,
    TypeName,
    VariableText,
    unknown_state,
)
from plait.lang.lexer import NAME, Tokens
from plait.lang.pratt import Open
from plait.model.expr import Compare, Const, Formula, Or, Var
from plait.model.findings import did_you_mean
from plait.model.node import Node


class DveExpressions(WordedExpressions):
    """Expressions of one process, or of the declarations in front of all processes."""

    keywords = KEYWORDS

    def __init__(self, tokens: Tokens, system: SystemText, process: ProcessText | None) -> None:
        super().__init__(tokens)
        self.system = system
        self.process = process
        self.variables: dict[str, VariableText] = {}
        """The variables that were read or are to be assigned, by their full names."""

    def target(self) -> tuple[Var, TypeName]:
        """What can be assigned: a variable or the cell of an array, and its type."""
        first = self.tokens.at
        operand = self.parse()
        node = operand.node
        if not isinstance(node, Var) or operand.grouped:
            if isinstance(node, Const) and self.tokens.kinds[first] == NAME:
                raise error(
                    f"cannot assign to the constant '{self.tokens.texts[first]}'", node.span
                )
            raise error("only a variable can be assigned", node.span or self.tokens.span(first))
        declared = self.variables[node.name]
        if declared.const:
            raise error(f"cannot assign to the constant '{declared.name}'", node.span)
        return node, declared.type

    def channel(self) -> ChannelText:
        """The channel at the cursor: `c`, or `P->c` for one that another process declares."""
        first = self.tokens.at
        found = self._meaning(first)
        span = self.tokens.span(first, self.tokens.at - 1)
        if isinstance(found, ChannelText):
            return found
        raise error(f"'{self.tokens.texts[first]}' is not a channel", span)

    def named(self, index: int) -> Node | Open:
        """A constant, a variable, the cell of an array, or `P.state`."""
        found = self._meaning(index)
        span = self.tokens.span(index, self.tokens.at - 1)
        if isinstance(found, Formula):
            return found
        if isinstance(found, ChannelText):
            raise error(f"'{found.name}' is a channel, not a variable", span)
        return self._variable(found, index, span)

    def _variable(self, variable: VariableText, index: int, span: Span) -> Node | Open:
        self.variables[variable.full] = variable
        behind = self.tokens.next
        if variable.size is None:
            if behind == "[":
                raise error(f"'{variable.name}' is not an array", span)
            if variable.const:
                return Const(variable.initial[0], span=span)
            return Var(variable.full, span=span)
        if behind != "[":
            # The train-gate models of BEEM use an array as a variable; they mean its first cell.
            return Var(variable.full, Const(0, span=span), span=span)
        return self.cell(index, lambda place, at: Var(variable.full, place, span=at))

    # --- names ------------------------------------------------------------------------------------

    def _meaning(self, index: int) -> VariableText | ChannelText | Formula:
        """What the name at a token means, with the part behind a dot or an arrow."""
        tokens = self.tokens
        if tokens.kinds[index] != NAME:
            raise tokens.expected("a name")
        name = tokens.texts[index]
        tokens.at = index + 1
        own = self.process.names if self.process is not None else {}
        if name not in own and name in self.system.processes:
            return self._inside(self.system.processes[name], index)
        found = own.get(name) or self.system.names.get(name)
        if found is not None:
            return found
        raise self._unknown(name, index)

    def _inside(self, process: ProcessText, index: int) -> VariableText | ChannelText | Formula:
        """`P.s` asks whether the process is in a state; `P->x` and `P.x` are its variable."""
        tokens = self.tokens
        if tokens.next not in (".", "->") or tokens.kind(1) != NAME:
            hint = f"'{process.name}.s' asks for its state, '{process.name}->x' for its variable"
            raise tokens.fail(f"'{process.name}' is a process", index, hint)
        arrow = tokens.next == "->"
        tokens.at += 2
        name = tokens.texts[tokens.at - 1]
        span = tokens.span(index, tokens.at - 1)
        if name in process.names:
            return process.names[name]
        if arrow:
            known = did_you_mean(name, process.names)
            raise error(f"process '{process.name}' has no variable '{name}'", span, known)
        if name not in process.states:
            raise unknown_state(process, name, span)
        return at(process, [name], span)

    def _unknown(self, name: str, index: int) -> InputError:
        span = self.tokens.span(index)
        process = self.process
        if process is not None and name in process.states:
            hint = f"'{process.name}.{name}' asks whether the process is there"
            return error(f"'{name}' is a state, not a variable", span, hint)
        own = process.names if process is not None else {}
        known = [*own, *self.system.names, *self.system.processes]
        return error(f"'{name}' is not declared", span, did_you_mean(name, known))


def at(process: ProcessText, states: Sequence[str], span: Span | None = None) -> Formula:
    """The condition that a process is in one of some states."""
    pc = Var(process.pc, span=span)
    ways = [Compare("==", pc, Const(process.states[s]), span=span) for s in states]
    return ways[0] if len(ways) == 1 else Or(tuple(ways), span=span)
