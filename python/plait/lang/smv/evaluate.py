"""From expressions to values: names get their meaning, operations their types.

An expression is read in an instance and in one of two tenses: of the state before a step, or, under
`next`, of the state after it. The value of `x` after the step is the variable `next(x)`; who builds
the step says where that is kept. Definitions are opened once and shared. Nothing recurses over
expressions: a stack holds those that wait for the ones inside them, so that a definition that leads
back to itself is seen there.
"""

from __future__ import annotations

from collections.abc import Iterator

from plait.errors import Diagnostic, InputError, Span, error
from plait.hints import Literal
from plait.lang.smv.expressions import Apply, Boolean, Expression, Member, Number, Word
from plait.lang.smv.instances import (
    Array,
    Definition,
    Instance,
    Meaning,
    Running,
    Symbol,
    System,
    Variable,
)
from plait.lang.smv.operators import Operators
from plait.lang.smv.types import BOOLEAN, Type, integer, word
from plait.lang.smv.unsupported import Unsupported
from plait.lang.smv.values import Leaf, Value, flag
from plait.model.expr import Const, Truth, Var
from plait.records import dataclass

Tense = Literal["now", "next"]
Logic = Literal["none", "states", "ctl", "ltl"]
"""What a formula may say; that of `none` is a part of the text."""
RUNNING = "running()"
"""The input that says which process makes the step; no variable of a text is called so."""


def after(name: str) -> str:
    """What the variable is called that holds a value after the step."""
    return f"next({name})"


def before(name: str) -> str:
    """The variable whose value after the step this is."""
    return name.removeprefix("next(").removesuffix(")")


def is_after(name: str) -> bool:
    """Whether a variable holds a value after the step."""
    return name.startswith("next(")


@dataclass(slots=True)
class _Frame:
    """An expression that waits for those inside it."""

    task: _Task
    inside: list[_Task]
    done: int = 0


_Task = tuple[Expression, Instance, Tense]
_Key = tuple[int, int, Tense]


class Evaluator:
    """Values of expressions; `inputs` says whether they may speak of inputs and of `next`."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.names = {s.number: s.name for s in system.symbols.values()}
        self.operators = Operators(self.names)
        self.logic: Logic = "none"
        self.inputs = True
        self._known: dict[tuple[bool, Logic], dict[_Key, Value]] = {}
        """By what expressions may speak of: a definition may be right in one place only."""
        self._kept: list[Expression] = []
        self._meanings: dict[tuple[int, int], Meaning | None] = {}

    def value(self, expression: Expression, instance: Instance, tense: Tense = "now") -> Value:
        """The value of an expression."""
        self._kept.append(expression)  # the keys are identities
        known = self._known.setdefault((self.inputs, self.logic), {})
        root = (expression, instance, tense)
        if _key(root) in known:
            return known[_key(root)]
        stack = [_Frame(root, list(self._inside(root)))]
        waiting = {_key(root)}
        while stack:
            frame = stack[-1]
            while frame.done < len(frame.inside) and _key(frame.inside[frame.done]) in known:
                frame.done += 1
            if frame.done == len(frame.inside):
                below = [known[_key(t)] for t in frame.inside]
                known[_key(frame.task)] = self._made(frame.task, below)
                waiting.discard(_key(frame.task))
                stack.pop()
                continue
            task = frame.inside[frame.done]
            if _key(task) in waiting:
                raise _circular(frame.task)
            waiting.add(_key(task))
            stack.append(_Frame(task, list(self._inside(task))))
        return known[_key(root)]

    # --- what stands inside -----------------------------------------------------------------------

    def _inside(self, task: _Task) -> Iterator[_Task]:
        expression, instance, tense = task
        match expression:
            case Word() | Member():
                meaning = self._meaning(expression, instance)
                if isinstance(meaning, Definition):
                    yield meaning.value, meaning.instance, tense
            case Apply(operator="[]", operands=(base, index)):
                meaning = self._element(expression, instance)
                if isinstance(meaning, Definition):
                    yield meaning.value, meaning.instance, tense
                elif meaning is None:
                    if self._array(base, instance) is None:
                        raise error("this is not an array", base.span)
                    yield index, instance, tense
            case Apply(operator="next", operands=operands):
                self._check_next(expression, tense)
                yield operands[0], instance, "next"
            case Apply(operands=operands):
                for operand in operands:
                    yield operand, instance, tense

    def _check_next(self, expression: Apply, tense: Tense) -> None:
        if len(expression.operands) != 1:
            raise error("'next' has one operand", expression.span)
        if self.logic != "none":
            told = "'next' in a property is not supported"
            raise Unsupported(Diagnostic(told, expression.span))
        if not self.inputs:
            raise error("'next' cannot stand here", expression.span)
        if tense == "next":
            raise error("'next' cannot stand inside 'next'", expression.span)

    def _meaning(self, expression: Expression, instance: Instance) -> Meaning | None:
        key = id(expression), id(instance)
        if key not in self._meanings:
            self._meanings[key] = self.system.resolve(instance, expression)
        return self._meanings[key]

    def _element(self, expression: Apply, instance: Instance) -> Meaning | None:
        """The element of an array whose index is a constant; None when it is computed."""
        try:
            return self._meaning(expression, instance)
        except InputError:
            if isinstance(expression.operands[1], Number):
                raise
            return None

    def _array(self, base: Expression, instance: Instance) -> Array | None:
        found = self._meaning(base, instance)
        return found if isinstance(found, Array) else None

    # --- values -----------------------------------------------------------------------------------

    def _made(self, task: _Task, below: list[Value]) -> Value:
        expression, instance, tense = task
        span = expression.span
        match expression:
            case Number(value=value, bits=0):
                return Value(integer(value, value), Leaf(Const(value, span=span)), span=span)
            case Number(value=value, bits=bits, signed=signed):
                return Value(word(bits, signed), Leaf(Const(value, span=span)), span=span)
            case Boolean(value=truth):
                return Value(BOOLEAN, Leaf(Truth(truth, span=span)), span=span)
            case Word() | Member():
                meaning = self._meaning(expression, instance)
                if isinstance(meaning, Instance) and isinstance(expression, Word):
                    # A module's instance has no value, so a symbol of that name is meant.
                    meaning = self.system.symbols.get(expression.text, meaning)
                return self._named(meaning, below, tense, span)
            case Apply(operator="[]", operands=(base, _)):
                meaning = self._element(expression, instance)
                if meaning is not None:
                    return self._named(meaning, below, tense, span)
                array = self._array(base, instance)
                assert array is not None
                elements = {i: self._named(e, [], tense, span) for i, e in array.elements.items()}
                return self.operators.element(array.name, elements, below[0], span)
            case Apply(operator="next"):
                return below[0]
        assert isinstance(expression, Apply)
        return self.operators.applied(expression.operator, below, span, self.logic)

    def _named(
        self, meaning: Meaning | None, below: list[Value], tense: Tense, span: Span | None
    ) -> Value:
        match meaning:
            case Definition():
                return below[0]
            case Symbol(number=number):
                type_ = Type("symbol", frozenset({number}))
                return Value(type_, Leaf(Const(number, span=span)), span=span)
            case Variable():
                return self._variable(meaning, tense, span)
            case Running(process=process):
                self._check_input("'running'", tense, span)
                number = self.system.processes.index(process)
                mine = self.operators.equal(Var(RUNNING), Const(number))
                return Value(BOOLEAN, Leaf(mine), span=span)
            case Array(name=name):
                raise error(f"'{name}' is an array: an index is needed", span)
            case Instance(name=name):
                raise error(f"'{name or 'self'}' is an instance of a module, not a value", span)
        raise error("this is no expression", span)

    def _variable(self, variable: Variable, tense: Tense, span: Span | None) -> Value:
        name = variable.name
        if variable.section == "IVAR":
            self._check_input(f"the input '{name}'", tense, span)
        elif tense == "next":
            name = after(name)
        if variable.type.kind == "boolean":
            return Value(BOOLEAN, Leaf(flag(name, span)), span=span)
        return Value(variable.type, Leaf(Var(name, span=span)), span=span)

    def _check_input(self, what: str, tense: Tense, span: Span | None) -> None:
        if self.logic != "none":
            raise Unsupported(*error(f"{what} cannot be asked in a property", span).diagnostics)
        if tense == "next" or not self.inputs:
            raise error(f"{what} has a value during a step only", span)


def _key(task: _Task) -> _Key:
    return id(task[0]), id(task[1]), task[2]


def _circular(task: _Task) -> InputError:
    return error("this definition leads back to itself", task[0].span)
