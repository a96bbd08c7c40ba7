"""Modules as they are written: variables, definitions, assignments, constraints, specifications."""

from __future__ import annotations

import re
from collections.abc import Iterator

from plait.errors import Source, Span, error
from plait.lang.lexer import END, NAME, NUMBER, Tokens, tokenize
from plait.lang.smv.expressions import (
    KEYWORDS,
    LEXICON,
    SECTIONS,
    Apply,
    Boolean,
    Expression,
    Member,
    Number,
    SmvExpressions,
    Word,
)
from plait.model.node import nodes
from plait.records import dataclass, field

_COMMENT = re.compile(r"--[^\n]*|/--.*?--/", re.DOTALL)
SPECIFICATIONS = ("SPEC", "CTLSPEC", "LTLSPEC", "INVARSPEC")
UNSUPPORTED = {
    "FUN": "functions",
    "MIRROR": "'MIRROR'",
    "PRED": "'PRED'",
    "PARSYNTH": "'PARSYNTH'",
    "MDEFINE": "definitions of arrays",
}


@dataclass(frozen=True, slots=True)
class TypeText:
    """The type of a variable.

    `kind` is boolean, range (two bounds), enumeration (values), word (a width), array (two bounds
    and an element), or module (arguments).
    """

    kind: str
    span: Span
    arguments: tuple[Expression, ...] = ()
    element: TypeText | None = None
    module: str = ""
    process: bool = False
    signed: bool = False


@dataclass(frozen=True, slots=True)
class VariableText:
    """`name : type;` in a section VAR, IVAR or FROZENVAR."""

    name: str
    type: TypeText
    section: str
    span: Span


@dataclass(frozen=True, slots=True)
class DefineText:
    """`name := value;`; the name may be that of a part of another module, as `left.ack`."""

    name: Expression
    value: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class AssignText:
    """`target := value;`, of the initial, the current or the next value."""

    kind: str
    target: Expression
    value: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class ConstraintText:
    """INIT, TRANS, INVAR, FAIRNESS, JUSTICE with one condition, COMPASSION with two."""

    kind: str
    conditions: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class SpecificationText:
    """SPEC, CTLSPEC, LTLSPEC, INVARSPEC, with the words in which it is written.

    Of COMPUTE and PSLSPEC there are only the words.
    """

    kind: str
    name: str
    formula: Expression
    text: str
    span: Span


@dataclass(slots=True)
class ModuleText:
    """A module."""

    name: str
    span: Span
    parameters: list[tuple[str, Span]] = field(default_factory=list)
    variables: list[VariableText] = field(default_factory=list)
    defines: list[DefineText] = field(default_factory=list)
    assigns: list[AssignText] = field(default_factory=list)
    constraints: list[ConstraintText] = field(default_factory=list)
    specifications: list[SpecificationText] = field(default_factory=list)
    constants: list[str] = field(default_factory=list)
    included: list[tuple[str, Span]] = field(default_factory=list)

    def numbers(self) -> Iterator[int]:
        """The integers that are written in it."""
        for expression in self._expressions():
            for node in nodes(expression):
                if isinstance(node, Number) and not node.bits:
                    yield node.value

    def _expressions(self) -> Iterator[Expression]:
        for variable in self.variables:
            type_: TypeText | None = variable.type
            while type_ is not None:
                yield from type_.arguments
                type_ = type_.element
        yield from (define.value for define in self.defines)
        yield from (assign.value for assign in self.assigns)
        for constraint in self.constraints:
            yield from constraint.conditions
        for specification in self.specifications:
            yield specification.formula


def read_modules(source: Source, text: str) -> dict[str, ModuleText]:
    """The modules of a text, by name."""
    return Declarations(tokens_of(source, text)).read()


def tokens_of(source: Source, text: str) -> Tokens:
    """The tokens of a text; comments of several lines are blanked, so that places stay right."""

    def blank(found: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", found[0])

    return tokenize(source, _COMMENT.sub(blank, text), LEXICON)


class Declarations:
    """Reads a whole text."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.expressions = SmvExpressions(tokens)

    def read(self) -> dict[str, ModuleText]:
        """The modules, by name."""
        tokens = self.tokens
        modules: dict[str, ModuleText] = {}
        while tokens.kind() != END:
            tokens.expect("MODULE")
            module = self._module()
            if module.name in modules:
                raise error(f"the module '{module.name}' is declared twice", module.span)
            modules[module.name] = module
        return modules

    def _module(self) -> ModuleText:
        tokens = self.tokens
        name, span = self.word("the name of a module")
        module = ModuleText(name, span)
        if tokens.accept("(") and not tokens.accept(")"):
            while True:
                module.parameters.append(self.word("the name of a parameter"))
                if not tokens.accept(","):
                    break
            tokens.expect(")", "after the parameters")
        while tokens.kind() != END and tokens.next != "MODULE":
            self._section(module)
        return module

    def _section(self, module: ModuleText) -> None:
        tokens = self.tokens
        word, span = tokens.next, tokens.span()
        if word not in SECTIONS:
            raise tokens.expected("a section such as 'VAR', 'ASSIGN' or 'SPEC'")
        if word in UNSUPPORTED:
            raise tokens.fail(f"{UNSUPPORTED[word]}: not supported")
        tokens.at += 1
        match word:
            case "VAR" | "IVAR" | "FROZENVAR":
                while self._goes_on():
                    module.variables.append(self._variable(word))
            case "DEFINE":
                while self._goes_on():
                    module.defines.append(self._define())
            case "ASSIGN":
                while self._goes_on():
                    module.assigns.append(self._assign())
            case "CONSTANTS":
                module.constants += self._constants()
            case "ISA":
                module.included.append(self.word("the name of a module"))
            case "COMPASSION":
                tokens.expect("(")
                first = self.expressions.expression()
                tokens.expect(",")
                second = self.expressions.expression()
                tokens.expect(")")
                tokens.accept(";")
                module.constraints.append(ConstraintText(word, (first, second), span))
            case "COMPUTE" | "PSLSPEC":
                module.specifications.append(self._skipped(word, span))
            case _ if word in SPECIFICATIONS:
                module.specifications.append(self._specification(word, span))
            case _:
                condition = self.expressions.expression()
                tokens.accept(";")
                module.constraints.append(ConstraintText(word, (condition,), span))

    def _goes_on(self) -> bool:
        tokens = self.tokens
        return tokens.kind() != END and tokens.next not in SECTIONS

    # --- declarations -----------------------------------------------------------------------------

    def word(self, what: str) -> tuple[str, Span]:
        """A name that is no keyword."""
        tokens = self.tokens
        span = tokens.span()
        if tokens.kind() != NAME:
            raise tokens.expected(what)
        if tokens.next in KEYWORDS:
            raise tokens.fail(f"expected {what}, but '{tokens.next}' is a keyword")
        tokens.at += 1
        return tokens.texts[tokens.at - 1], span

    def _constants(self) -> Iterator[str]:
        tokens = self.tokens
        while tokens.next != ";":
            yield self.word("the name of a constant")[0]
            if not tokens.accept(","):
                break
        tokens.expect(";")

    def _variable(self, section: str) -> VariableText:
        name, span = self.word("the name of a variable")
        self.tokens.expect(":", "and the type of the variable")
        found = VariableText(name, self._type(), section, span)
        self.tokens.expect(";", "after the type")
        return found

    def _type(self) -> TypeText:
        tokens = self.tokens
        span = tokens.span()
        if tokens.accept("boolean"):
            return TypeText("boolean", span)
        if tokens.next in ("integer", "real", "clock"):
            raise tokens.fail(f"variables of type '{tokens.next}' are not supported: not finite")
        if tokens.next in ("word", "Word", "signed", "unsigned"):
            return self._word_type(span)
        if tokens.accept("array"):
            if tokens.next in ("of", "word"):
                raise tokens.fail("arrays without bounds are not supported")
            low, high = self._bounds()
            tokens.expect("of")
            return TypeText("array", span, (low, high), self._type())
        if tokens.accept("{"):
            values = [self._value()]
            while tokens.accept(","):
                values.append(self._value())
            tokens.expect("}", "after the values")
            return TypeText("enumeration", span, tuple(values))
        process = tokens.accept("process")
        if process or (tokens.kind() == NAME and self._names_module()):
            return self._instance(span, process)
        return TypeText("range", span, self._bounds())

    def _word_type(self, span: Span) -> TypeText:
        tokens = self.tokens
        signed = tokens.accept("signed")
        if not signed:
            tokens.accept("unsigned")
        if not (tokens.accept("word") or tokens.accept("Word")):
            raise tokens.expected("'word'")
        tokens.expect("[", "and the width of the word")
        width = self.expressions.expression()
        tokens.expect("]")
        return TypeText("word", span, (width,), signed=signed)

    def _value(self) -> Expression:
        """A value of an enumeration: a symbol, a number, TRUE or FALSE."""
        tokens = self.tokens
        if tokens.kind() == NAME and tokens.next not in ("TRUE", "FALSE"):
            text, span = self.word("a value")
            while tokens.accept("."):
                more, _ = self.word("a value")
                text = f"{text}.{more}"
            return Word(text, span=span)
        return self.expressions.expression()

    def _names_module(self) -> bool:
        """Whether a name that stands for a type is a module: nothing of a range follows."""
        return self.tokens.peek() in (";", "(")

    def _instance(self, span: Span, process: bool) -> TypeText:
        tokens = self.tokens
        name, place = self.word("the name of a module")
        arguments: list[Expression] = []
        if tokens.accept("(") and not tokens.accept(")"):
            arguments.append(self.expressions.expression())
            while tokens.accept(","):
                arguments.append(self.expressions.expression())
            tokens.expect(")", "after the arguments")
        return TypeText("module", place, tuple(arguments), module=name, process=process)

    def _bounds(self) -> tuple[Expression, Expression]:
        if self.tokens.kind() not in (NAME, NUMBER) and self.tokens.next not in ("-", "+", "("):
            raise self.tokens.expected("a type")
        found = self.expressions.expression()
        if not isinstance(found, Apply) or found.operator != "..":
            raise error("expected a range such as 0..7", found.span)
        return found.operands[0], found.operands[1]

    # --- definitions and assignments --------------------------------------------------------------

    def _define(self) -> DefineText:
        tokens = self.tokens
        span = tokens.span()
        name = self._target()
        tokens.expect(":=")
        if tokens.next == "[":
            raise tokens.fail("definitions of arrays are not supported")
        value = self.expressions.expression()
        tokens.expect(";", "after the definition")
        return DefineText(name, value, span)

    def _target(self) -> Expression:
        """A variable, a part of another module, or the element of an array."""
        tokens = self.tokens
        first = tokens.at
        self.expressions.alone = True
        found = self.expressions.expression()
        self.expressions.alone = False
        if isinstance(found, Word | Member) or (
            isinstance(found, Apply) and found.operator == "[]"
        ):
            return found
        raise tokens.fail("expected the name of a variable", first)

    def _assign(self) -> AssignText:
        tokens = self.tokens
        span = tokens.span()
        kind = "current"
        if tokens.next in ("init", "next") and tokens.peek() == "(":
            kind = tokens.next
            tokens.at += 2
        target = self._target()
        if kind != "current":
            tokens.expect(")")
        tokens.expect(":=")
        value = self.expressions.expression()
        tokens.expect(";", "after the assignment")
        return AssignText(kind, target, value, span)

    # --- specifications ---------------------------------------------------------------------------

    def _specification(self, kind: str, span: Span) -> SpecificationText:
        tokens = self.tokens
        name = ""
        if tokens.accept("NAME"):
            name = self._property_name()
        first = tokens.at
        formula = self.expressions.expression()
        text = tokens.wording(first, tokens.at)
        if tokens.next == "IN":
            raise tokens.fail("'IN' is not supported: write the formula in its module")
        tokens.accept(";")
        return SpecificationText(kind, name, formula, text, span)

    def _property_name(self) -> str:
        tokens = self.tokens
        name = self.word("the name of the property")[0]
        while tokens.accept("."):
            name = f"{name}.{self.word('a name')[0]}"
        tokens.expect(":=")
        return name

    def _skipped(self, kind: str, span: Span) -> SpecificationText:
        """A specification of a kind that nothing here checks, whatever stands in it."""
        tokens = self.tokens
        name = self._property_name() if tokens.accept("NAME") else ""
        first = tokens.at
        while self._goes_on():
            tokens.at += 1
        return SpecificationText(kind, name, Boolean(True), tokens.wording(first, tokens.at), span)
