"""Reads a Milestones text: both spellings, every rule of the language checked where it is broken.

The thesis prints a grammar (`ACTIONS`, `VARIABLES`, `MAIN`, `a := A[1]`) and a listing that departs
from it (`ACTION`, `VARIABLE`, `GLOBAL`, `a : A[1];`); both are read, mixed as you like. Names are
declared before they are used, so one pass is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import NoReturn

from plait.errors import Span, error
from plait.lang.lexer import END, NAME, NUMBER, Tokens
from plait.lang.milestones.expressions import Expressions, Scope
from plait.lang.milestones.texts import (
    PC,
    SELF,
    Assignment,
    CommandText,
    InstancesText,
    SystemText,
    TypeText,
    VariableText,
)
from plait.lang.milestones.widths import MOST_BITS
from plait.model.expr import Formula, Var
from plait.model.findings import did_you_mean
from plait.model.node import nodes
from plait.model.types import Property, PropertyKind

KEYWORDS = frozenset(
    (
        *("ACTION", "ACTIONS", "VARIABLE", "VARIABLES", "LOCAL", "CASE", "SYNC", "END"),
        *("MAIN", "GLOBAL", "PROC", "CTL", "LTL", "true", "false"),
    )
)
MOST_INSTANCES = 2**16
"""The most processes of one declaration."""


class Declarations:
    """Reads a whole text."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.system = SystemText()

    def read(self) -> SystemText:
        """The system that the text describes."""
        tokens, system = self.tokens, self.system
        self._actions(system.actions)
        self._variables(system.variables, None)
        while tokens.accept("LOCAL"):
            self._type()
        if not (tokens.accept("MAIN") or tokens.accept("GLOBAL")):
            raise tokens.expected("'LOCAL', 'MAIN' or 'GLOBAL'")
        self._main()
        while tokens.next in ("CTL", "LTL"):
            self._properties("ctl" if tokens.next == "CTL" else "ltl")
        if tokens.kind() != END:
            raise tokens.expected("'CTL', 'LTL' or the end of the text")
        return system

    # --- words ------------------------------------------------------------------------------------

    def _word(self, what: str) -> tuple[str, Span]:
        """A name that is no keyword."""
        tokens = self.tokens
        span = tokens.span()
        if tokens.kind() != NAME:
            raise tokens.expected(what)
        if tokens.next in KEYWORDS:
            raise tokens.fail(f"expected {what}, but '{tokens.next}' is a keyword")
        if "." in tokens.next:
            raise tokens.fail(f"expected {what}, and names have no dots")
        tokens.at += 1
        return tokens.texts[tokens.at - 1], span

    def _separator(self) -> bool:
        return self.tokens.accept(";") or self.tokens.accept(",")

    def _count(self, what: str, least: int, most: int) -> int:
        """A number within limits."""
        tokens = self.tokens
        if tokens.kind() != NUMBER:
            raise tokens.expected(what)
        tokens.at += 1
        value = tokens.number(tokens.at - 1)
        if not least <= value <= most:
            message = f"{what} must be in {least} .. {most}, not {value}"
            raise tokens.fail(message, tokens.at - 1)
        return value

    def _block(self, words: tuple[str, ...], entry: Callable[[], None]) -> bool:
        """`WORD entry* END`, if it is there."""
        tokens = self.tokens
        if tokens.next not in words:
            return False
        opened = tokens.at
        tokens.at += 1
        while not tokens.accept("END"):
            if tokens.kind() == END:
                hint = f"the '{tokens.texts[opened]}' of line {tokens.span(opened).line} is open"
                raise tokens.expected("'END'", hint)
            entry()
        return True

    # --- actions and variables --------------------------------------------------------------------

    def _actions(self, found: dict[str, Span], hidden: Container[str] = ()) -> None:
        """`ACTION a; b; END`."""

        def entry() -> None:
            name, span = self._word("the name of an action")
            if name in found:
                raise error(f"the action '{name}' is declared twice", span)
            if name in hidden:
                raise error(f"'{name}' is a global action already", span)
            found[name] = span
            self._separator()

        self._block(("ACTION", "ACTIONS"), entry)

    def _variables(self, found: dict[str, VariableText], type_: TypeText | None) -> None:
        """`VARIABLE x : 2 := 0; y : 1; END`."""

        def entry() -> None:
            variable = self._variable(type_)
            if variable.name in found:
                raise error(f"the variable '{variable.name}' is declared twice", variable.span)
            found[variable.name] = variable
            self._separator()

        self._block(("VARIABLE", "VARIABLES"), entry)

    def _variable(self, type_: TypeText | None) -> VariableText:
        tokens = self.tokens
        name, span = self._word("the name of a variable")
        tokens.expect(":", "and the number of bits")
        bits = self._count("the number of bits", 1, MOST_BITS)
        initial: int | None = None
        if tokens.accept(":="):
            initial, place = Expressions(tokens, Scope(self.system, type_)).constant()
            if not 0 <= initial < 2**bits:
                message = f"'{name}' has {bits} bits, and {initial} is not one of its values"
                raise error(message, place)
        return VariableText(name, bits, initial, span)

    # --- process types ----------------------------------------------------------------------------

    def _type(self) -> None:
        """`LOCAL A ... END`; the word `LOCAL` is read already."""
        system = self.system
        name, span = self._word("the name of a process type")
        if name in system.types:
            raise error(f"the process type '{name}' is declared twice", span)
        found = TypeText(name, span)
        self._actions(found.actions, system.actions)
        self._variables(found.variables, found)
        if PC not in found.variables:
            message = f"the process type '{name}' has no variable '{PC}', its program counter"
            raise error(message, span)
        if not self._block(("CASE",), lambda: self._local_command(found)):
            raise self.tokens.expected("'CASE'")
        self._block(("SYNC",), lambda: self._sync(found))
        for command in found.commands:
            if command.action in system.actions and command.action not in found.sync:
                message = f"'{name}' has a command on '{command.action}' but does not list it"
                raise error(message, command.span, "its SYNC part has the global actions it joins")
        self.tokens.expect("END", f"of the process type '{name}'")
        system.types[name] = found

    def _sync(self, type_: TypeText) -> None:
        name, span = self._word("the name of a global action")
        if name not in self.system.actions:
            raise self._no_action(name, span, self.system.actions)
        if name in type_.sync:
            raise error(f"'{name}' is listed twice", span)
        type_.sync[name] = span
        self._separator()

    def _local_command(self, type_: TypeText) -> None:
        """`[0] [act] guard : x := 1;`."""
        tokens, system = self.tokens, self.system
        span = tokens.span()
        tokens.expect("[", "before the program counter of a command")
        counter = type_.variables[PC]
        location = self._count(f"a value of '{PC}'", 0, 2**counter.bits - 1)
        tokens.expect("]", "after the program counter")
        action = self._action({**system.actions, **type_.actions})
        scope = Scope(system, type_)
        guard, assignments = self._effect(scope, lambda name, _: scope.declares(name))
        if action in system.actions:
            self._only_own(guard, assignments, action)
        type_.commands.append(CommandText(location, action, guard, assignments, span))

    def _only_own(self, guard: Formula, found: Iterable[Assignment], action: str) -> None:
        """In a global action a process knows its own variables only."""
        rule = f"'{action}' is global, so this command knows only the variables of its process"
        hint = "global variables are for the global commands of the action"
        for target in found:
            if not target.target.startswith(SELF):
                raise error(rule, target.span, hint)
        for expression in (guard, *(a.value for a in found)):
            for node in nodes(expression):
                if isinstance(node, Var) and not node.name.startswith(SELF):
                    raise error(rule, node.span, hint)

    # --- the main part ----------------------------------------------------------------------------

    def _main(self) -> None:
        """`PROC a : A[2]; END CASE ... END END`; the word before is read already."""
        if not self._block(("PROC",), self._instances):
            raise self.tokens.expected("'PROC'")
        if not self._block(("CASE",), self._global_command):
            raise self.tokens.expected("'CASE'")
        self.tokens.expect("END", "of the main part")

    def _instances(self) -> None:
        tokens, system = self.tokens, self.system
        name, span = self._word("the name of a process")
        if name in system.instances or name in system.variables:
            raise error(f"'{name}' is declared twice", span)
        if not (tokens.accept(":") or tokens.accept(":=")):
            raise tokens.expected("':' or ':='")
        type_name, place = self._word("the name of a process type")
        if type_name not in system.types:
            hint = did_you_mean(type_name, system.types)
            raise error(f"no process type named '{type_name}'", place, hint)
        tokens.expect("[", "and the number of processes")
        size = self._count("the number of processes", 1, MOST_INSTANCES)
        tokens.expect("]", "after the number of processes")
        system.instances[name] = InstancesText(name, system.types[type_name], size, span)
        self._separator()

    def _global_command(self) -> None:
        """`[act] guard : g := 1;`."""
        span = self.tokens.span()
        action = self._action(self.system.actions)
        scope = Scope(self.system, None)

        def is_global(name: str, place: Span) -> bool:
            if name in self.system.instances or "." in name:
                message = "a global command assigns global variables only"
                raise error(message, place, "the process itself can join the action and assign it")
            return name in self.system.variables

        guard, assignments = self._effect(scope, is_global)
        self.system.commands.append(CommandText(None, action, guard, assignments, span))

    # --- commands ---------------------------------------------------------------------------------

    def _action(self, known: dict[str, Span]) -> str:
        tokens = self.tokens
        tokens.expect("[", "before the action of a command")
        name, span = self._word("the name of an action")
        if name not in known:
            raise self._no_action(name, span, known)
        tokens.expect("]", "after the action")
        return name

    def _no_action(self, name: str, span: Span, known: Iterable[str]) -> Exception:
        return error(f"no action named '{name}' here", span, did_you_mean(name, known))

    def _effect(
        self, scope: Scope, known: Callable[[str, Span], bool]
    ) -> tuple[Formula, tuple[Assignment, ...]]:
        """`guard : x := 1; y := x;`, up to the next command."""
        tokens = self.tokens
        guard = Expressions(tokens, scope).condition()
        tokens.expect(":", "after the guard")
        found: dict[str, Assignment] = {}
        while tokens.kind() == NAME and tokens.next != "END":
            assignment = self._assignment(scope, known)
            if assignment.target in found:
                shown = assignment.target.removeprefix(SELF)
                raise error(f"'{shown}' is assigned twice in one command", assignment.span)
            found[assignment.target] = assignment
            if not self._separator() and tokens.next not in ("[", "END"):
                raise tokens.expected("';' after the assignment")
        return guard, tuple(found.values())

    def _assignment(self, scope: Scope, known: Callable[[str, Span], bool]) -> Assignment:
        tokens = self.tokens
        span = tokens.span()
        if tokens.next in KEYWORDS:
            raise tokens.fail(f"expected a variable, but '{tokens.next}' is a keyword")
        if not known(tokens.next, span):
            self._unknown(tokens.next, scope, span)
        target = scope.variable(self._target(scope))
        tokens.at += 1
        tokens.expect(":=", "after the variable")
        value = Expressions(tokens, scope).number(target.bits)
        own = scope.type is not None and target is scope.type.variables.get(target.name)
        return Assignment(SELF + target.name if own else target.name, value, span)

    def _target(self, scope: Scope) -> str:
        name = self.tokens.next
        own = scope.type is not None and name in scope.type.variables
        return SELF + name if own else name

    def _unknown(self, name: str, scope: Scope, span: Span) -> NoReturn:
        if "." in name:
            raise error("a local command assigns no variables of other processes", span)
        known = [*self.system.variables, *(scope.type.variables if scope.type else ())]
        raise error(f"no variable named '{name}'", span, did_you_mean(name, known))

    # --- properties -------------------------------------------------------------------------------

    def _properties(self, kind: PropertyKind) -> None:
        """`CTL AG p; EF q; END`, or the same with LTL."""
        tokens, system = self.tokens, self.system

        def entry() -> None:
            first, span = tokens.at, tokens.span()
            body = Expressions(tokens, Scope(system, None)).formula()
            text = tokens.wording(first, tokens.at)
            number = sum(p.kind == kind for p in system.properties) + 1
            system.properties.append(Property(f"{kind}-{number}", kind, body, text=text, span=span))
            if tokens.next != "END":
                tokens.expect(";", "after the formula")

        self._block((kind.upper(),), entry)
