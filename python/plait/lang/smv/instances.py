"""Instances of modules, and what names mean in them.

The text is unfolded from `main`: an instance has its variables, its definitions, its parts, and
its parameters, which stand for expressions of the instance around it. The variable `x` of the part
`p` is `p.x`, an element of an array is `a[0]`; so they are called in the model and in traces.
"""

from __future__ import annotations

from collections.abc import Iterator

from plait.errors import InputError, Span, error
from plait.lang.smv.declarations import DefineText, ModuleText, TypeText, VariableText
from plait.lang.smv.expressions import Apply, Boolean, Expression, Member, Number, Word
from plait.lang.smv.types import BOOLEAN, MOST_BITS, Type, enumeration, integer, word
from plait.model.arithmetic import INT_MAX, INT_MIN
from plait.model.findings import did_you_mean
from plait.records import dataclass, field

MOST_INSTANCES = 100_000
"""The most instances of all modules together."""
MOST_CELLS = 100_000
"""The most variables."""
MAIN = "main"
RUNNING = "running"


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """A variable of the whole system; `section` is VAR, IVAR or FROZENVAR."""

    name: str
    type: Type
    section: str
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Array:
    """An array of variables or of arrays, by index."""

    name: str
    elements: dict[int, Variable | Array]


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """A name that stands for an expression of an instance."""

    name: str
    value: Expression
    instance: Instance


@dataclass(frozen=True, slots=True, eq=False)
class Symbol:
    """A value of an enumeration."""

    name: str
    number: int


@dataclass(frozen=True, slots=True, eq=False)
class Running:
    """The condition that a process makes the step."""

    process: Instance


@dataclass(slots=True, eq=False)
class Instance:
    """An instance of a module; a process has itself as `process`, others that of who has them."""

    name: str
    module: ModuleText
    texts: list[ModuleText]
    process: Instance
    names: dict[str, Meaning] = field(default_factory=dict)

    def full(self, name: str) -> str:
        """The name that something in it has in the whole."""
        return f"{self.name}.{name}" if self.name else name


Meaning = Variable | Array | Definition | Symbol | Running | Instance


class System:
    """All instances of a text, its variables, its symbols."""

    def __init__(self, modules: dict[str, ModuleText]) -> None:
        self.modules = modules
        self.instances: list[Instance] = []
        self.processes: list[Instance] = []
        self.variables: dict[str, Variable] = {}
        self.symbols: dict[str, Symbol] = {}
        self._symbols()
        if MAIN not in modules:
            span = next((m.span for m in modules.values()), None)
            raise error("there is no module 'main'", span)
        main = modules[MAIN]
        if main.parameters:
            raise error("the module 'main' has no parameters", main.parameters[0][1])
        self.main = self._unfold(main)
        for instance in self.instances:
            self._far_defines(instance)

    # --- symbols ----------------------------------------------------------------------------------

    def _symbols(self) -> None:
        """Give each symbol a number; where integers stand beside symbols, integers come first."""
        found: dict[str, None] = {}
        mixed = False
        for module in self.modules.values():
            for name in module.constants:
                found.setdefault(name)
            for variable in module.variables:
                text = _innermost(variable.type)
                if text.kind != "enumeration":
                    continue
                names = [v.text for v in text.arguments if isinstance(v, Word)]
                found.update(dict.fromkeys(names))
                mixed = mixed or 0 < len(names) < len(text.arguments)
        written = (n for module in self.modules.values() for n in module.numbers())
        above = max(written, default=-1) + 1 if mixed else 0
        if above + len(found) > INT_MAX:
            raise error(f"{above - 1} is too large for a text with symbols and numbers in one type")
        self.symbols = {name: Symbol(name, above + i) for i, name in enumerate(found)}

    # --- unfolding --------------------------------------------------------------------------------

    def _unfold(self, main: ModuleText) -> Instance:
        root = self._made("", main, None)
        waiting = [root]
        inside: dict[int, tuple[str, ...]] = {id(root): (main.name,)}
        while waiting:
            instance = waiting.pop()
            parts = []
            # Types may speak of definitions, wherever these stand.
            for text in instance.texts:
                for define in text.defines:
                    if isinstance(define.name, Word):
                        self._define(instance, define.name.text, define, instance)
            for text in instance.texts:
                for variable in text.variables:
                    part = self._declare(instance, variable)
                    if part is not None:
                        above = inside[id(instance)]
                        if part.module.name in above:
                            message = f"the module '{part.module.name}' contains itself"
                            raise error(message, variable.span)
                        inside[id(part)] = (*above, part.module.name)
                        parts.append(part)
            waiting += reversed(parts)
        return root

    def _made(self, name: str, module: ModuleText, process: Instance | None) -> Instance:
        texts = list(self._with_included(module, []))
        instance = Instance(name, module, texts, None)  # type: ignore[arg-type]
        instance.process = process or instance
        self.instances.append(instance)
        if process is None:
            self.processes.append(instance)
        if len(self.instances) > MOST_INSTANCES:
            raise error(f"there are more than {MOST_INSTANCES} instances", module.span)
        return instance

    def _with_included(self, module: ModuleText, above: list[str]) -> Iterator[ModuleText]:
        """The module, and those that it is a kind of (ISA)."""
        yield module
        for name, span in module.included:
            other = self._module(name, span)
            if other.name in (*above, module.name):
                raise error(f"the module '{name}' includes itself", span)
            yield from self._with_included(other, [*above, module.name])

    def _module(self, name: str, span: Span) -> ModuleText:
        if name not in self.modules:
            hint = did_you_mean(name, self.modules)
            raise error(f"there is no module '{name}'", span, hint)
        return self.modules[name]

    def _declare(self, instance: Instance, text: VariableText) -> Instance | None:
        """Declare what a line of VAR declares; the part, if it is one."""
        if text.name in instance.names:
            raise error(f"'{text.name}' is declared twice", text.span)
        if any(text.name == p for p, _ in instance.module.parameters):
            raise error(f"'{text.name}' is a parameter already", text.span)
        name = instance.full(text.name)
        if text.type.kind == "module":
            part = self._part(instance, name, text)
            instance.names[text.name] = part
            return part
        instance.names[text.name] = self._cells(instance, name, text.type, text)
        return None

    def _part(self, instance: Instance, name: str, text: VariableText) -> Instance:
        type_ = text.type
        if text.section != "VAR":
            raise error(f"an instance of a module cannot be in {text.section}", type_.span)
        module = self._module(type_.module, type_.span)
        expected = len(module.parameters)
        if expected != len(type_.arguments):
            message = f"'{module.name}' has {expected} parameters, not {len(type_.arguments)}"
            raise error(message, type_.span)
        part = self._made(name, module, None if type_.process else instance.process)
        for (parameter, span), value in zip(module.parameters, type_.arguments, strict=True):
            if parameter in part.names:
                raise error(f"two parameters are named '{parameter}'", span)
            part.names[parameter] = Definition(part.full(parameter), value, instance)
        return part

    def _cells(
        self, instance: Instance, name: str, type_: TypeText, text: VariableText
    ) -> Variable | Array:
        if type_.kind != "array":
            found = Variable(name, self._type(instance, type_), text.section, text.span)
            self.variables[name] = found
            if len(self.variables) > MOST_CELLS:
                raise error(f"there are more than {MOST_CELLS} variables", text.span)
            return found
        low, high = (self._number(instance, e) for e in type_.arguments)
        if high < low:
            raise error(f"the range {low}..{high} is empty", type_.span)
        if high - low >= MOST_CELLS:
            raise error(f"there are more than {MOST_CELLS} variables", type_.span)
        element = type_.element
        assert element is not None
        if element.kind == "module":
            raise error("arrays of modules are not supported", element.span)
        return Array(
            name,
            {i: self._cells(instance, f"{name}[{i}]", element, text) for i in range(low, high + 1)},
        )

    def _type(self, instance: Instance, text: TypeText) -> Type:
        match text.kind:
            case "boolean":
                return BOOLEAN
            case "range":
                low, high = (self._number(instance, e) for e in text.arguments)
                if high < low:
                    raise error(f"the range {low}..{high} is empty", text.span)
                return integer(low, high)
            case "word":
                bits = self._number(instance, text.arguments[0])
                if not 1 <= bits <= MOST_BITS:
                    raise error(f"words have 1 to {MOST_BITS} bits here, not {bits}", text.span)
                return word(bits, text.signed)
        symbols = [v.text for v in text.arguments if isinstance(v, Word)]
        others = [v for v in text.arguments if not isinstance(v, Word)]
        if others and not symbols and all(isinstance(v, Boolean) for v in others):
            return BOOLEAN
        numbers = [_constant(v) for v in others]
        return enumeration(numbers, (self.symbols[s].number for s in symbols))

    def _number(self, instance: Instance, expression: Expression) -> int:
        """A constant of a type: a number, or an expression of definitions and parameters."""
        from plait.lang.smv.constants import constant

        value = constant(self, instance, expression)
        if not INT_MIN <= value <= INT_MAX:
            raise error(f"{value} does not fit in 32 bits", expression.span)
        return value

    def _define(self, owner: Instance, name: str, text: DefineText, instance: Instance) -> None:
        if name in owner.names:
            raise error(f"'{name}' is declared twice", text.span)
        owner.names[name] = Definition(owner.full(name), text.value, instance)

    def _far_defines(self, instance: Instance) -> None:
        """Definitions of names of other instances, as `left.ack := q.out`."""
        for text in instance.texts:
            for define in text.defines:
                if isinstance(define.name, Word):
                    continue
                if not isinstance(define.name, Member):
                    raise error("the element of an array cannot be defined", define.span)
                owner = self.resolve(instance, define.name.base)
                if not isinstance(owner, Instance):
                    raise error("only an instance of a module has parts", define.span)
                self._define(owner, define.name.name, define, instance)

    # --- names ------------------------------------------------------------------------------------

    def resolve(self, instance: Instance, reference: Expression) -> Meaning | None:
        """What a reference means in an instance; None for an expression that is none.

        A located error for a name that means nothing. An index must be a constant here: an element
        whose index is computed is no single thing.
        """
        word, waiting = _steps(reference, instance)
        if word is None:
            return None
        found = self._first(instance, word)
        seen: set[tuple[int, int]] = set()
        while True:
            if isinstance(found, Definition):
                # What stands for another name is that name, with all that follows.
                word, more = _steps(found.value, found.instance)
                if word is not None and not _has_computed_index(found.value):
                    if (id(found), len(waiting)) in seen:
                        raise error(f"'{found.name}' leads back to itself", found.value.span)
                    seen.add((id(found), len(waiting)))
                    waiting += more
                    found = self._first(found.instance, word)
                    continue
            if not waiting:
                return found
            place, step = waiting.pop()
            if isinstance(step, Member):
                found = self._member(found, step)
            elif isinstance(found, Array) and isinstance(step, Apply):
                found = self._element(place, found, step)
            else:
                return None

    def _first(self, instance: Instance, name: Word) -> Meaning:
        if name.text == "self":
            return instance
        found = instance.names.get(name.text) or self.symbols.get(name.text)
        if found is not None:
            return found
        if name.text == RUNNING and len(self.processes) > 1:
            return Running(instance.process)
        raise self._unknown(name.text, instance, name.span)

    def _member(self, owner: Meaning, step: Member) -> Meaning:
        if isinstance(owner, Instance):
            found = owner.names.get(step.name)
            if found is not None:
                return found
            if step.name == RUNNING and len(self.processes) > 1:
                return Running(owner.process)
            raise self._unknown(step.name, owner, step.span)
        raise error(f"'{step.name}': only an instance of a module has parts", step.span)

    def _element(self, instance: Instance, array: Array, step: Apply) -> Meaning:
        index = self._number(instance, step.operands[1])
        if index not in array.elements:
            raise error(f"'{array.name}' has no element {index}", step.span)
        return array.elements[index]

    def _unknown(self, name: str, instance: Instance, span: Span | None) -> InputError:
        known = [*instance.names, *self.symbols]
        where = f" in the module '{instance.module.name}'"
        return error(f"'{name}' is not declared{where}", span, did_you_mean(name, known))


def _steps(
    reference: Expression, instance: Instance
) -> tuple[Word | None, list[tuple[Instance, Expression]]]:
    """The first name of a reference (None if it is none), and what hangs on it, last one first."""
    steps: list[tuple[Instance, Expression]] = []
    while isinstance(reference, Member) or _is_element(reference):
        steps.append((instance, reference))
        reference = reference.children()[0]  # type: ignore[assignment]
    return (reference, steps) if isinstance(reference, Word) else (None, [])


def _is_element(expression: Expression) -> bool:
    return isinstance(expression, Apply) and expression.operator == "[]"


def _has_computed_index(expression: Expression) -> bool:
    while isinstance(expression, Member) or _is_element(expression):
        if isinstance(expression, Apply) and not isinstance(expression.operands[1], Number):
            return True
        expression = expression.children()[0]  # type: ignore[assignment]
    return False


def _innermost(text: TypeText) -> TypeText:
    while text.kind == "array" and text.element is not None:
        text = text.element
    return text


def _constant(value: Expression) -> int:
    """A number in an enumeration."""
    match value:
        case Number(value=number, bits=0):
            return number
        case Apply(operator="neg", operands=(Number(value=number, bits=0),)):
            return -number
    raise error("an enumeration has symbols and numbers", value.span)
