"""GAL from a `Model`, readable, and read back as an equal model.

Reading back gives an equal model for everything that GAL can say: what `parse` gives, and models
built in Python from the same notions. What GAL has no words for:

- channels are refused;
- domains, processes and units are information about a model, not behaviour: they are left out;
- `And` and `Or` with fewer than two operands print as what they mean;
- events that a pass renamed are known by their own names, in `enabled` too;
- a call that nobody answers prints as the `abort` that it is;
- `Settle` prints as the `fixpoint` it is a state-by-state form of.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise

from plait.errors import error
from plait.hints import cast
from plait.model.expr import FALSE, And, Binary, Enabled, Formula, Iff, Implies, IntExpr, Or, Truth
from plait.model.node import Node, rewrite
from plait.model.stmt import (
    Abort,
    AllCall,
    AnyCall,
    Assign,
    Body,
    Call,
    Fixpoint,
    For,
    If,
    InstanceCall,
    NextCall,
    Settle,
    Statement,
)
from plait.model.templates import concrete_name, is_template
from plait.model.text import quote, show, spell
from plait.model.types import (
    ComponentType,
    CompositeType,
    Constant,
    Declaration,
    ElementaryType,
    Event,
    Instance,
    Interface,
    Model,
    Property,
    Range,
    SetType,
    TypeParameter,
    Variable,
    names_of,
)
from plait.records import replace

KEYWORDS = frozenset(
    {
        *("gal", "GAL", "composite", "interface", "extends", "main", "import", "typedef", "int"),
        *(
            "array",
            "alias",
            "hotbit",
            "transition",
            "predicate",
            "synchronization",
            "label",
            "self",
        ),
        *("if", "else", "for", "fixpoint", "abort", "TRANSIENT", "true", "false", "True", "False"),
        *("property", "reachable", "invariant", "never", "bounds", "ctl", "ltl", "atom"),
        *("A", "E", "U", "W", "M", "R", "F", "G", "X", "AG", "AF", "AX", "EG", "EF", "EX"),
        *("deadlock", "enabled", "not", "and", "or"),
        *("scalar", "circular", "of", "any", "all", "next", "list"),
    }
)
"""Words escaped by `^` when they are names: this reader asks it of few, other readers of all."""


def print_model(model: Model) -> str:
    """The text of a model; `InputError` when GAL has no words for a part of it."""
    return "\n".join(_Printer(model).lines()) + "\n"


def _name(name: str) -> str:
    return spell(name, KEYWORDS)


def _text(node: Node) -> str:
    return show(node, reserved=KEYWORDS)


class _Printer:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.templates = {t.name for t in model.types if is_template(t)}

    def lines(self) -> Iterator[str]:
        """The whole text, line by line."""
        model = self.model
        for c in model.constants:
            yield from _comment(c, "")
            yield f"{_constant(c)};"
        yield from (line for r in model.ranges for line in _range(r, ""))
        blocks = [list(_interface(i)) for i in model.interfaces]
        blocks += [list(self._type(t)) for t in model.types if not self._derived(t)]
        for number, block in enumerate(blocks):
            if number or model.constants or model.ranges:
                yield ""
            yield from block
        yield ""
        yield f"main {_name(model.main)};"
        for p in self._properties():
            yield from _property(p)

    def _properties(self) -> Iterator[Property]:
        """The properties, in which events are called as they are written; who is gone is none."""
        system = self.model.system
        if not isinstance(system, ElementaryType):
            yield from self.model.properties
            return
        known: dict[str, list[str]] = {}
        for e in system.events:
            for title in names_of(e.title):
                known.setdefault(title, []).append(e.name)
        open_ = {e.name for e in system.events if e.parameters}

        def meant(title: str) -> list[str]:
            return [title] if title.partition("(")[0] in open_ else known.get(title, [])

        def change(node: Node) -> Node:
            if not isinstance(node, Enabled):
                return node
            names = tuple(dict.fromkeys(n for title in node.events for n in meant(title)))
            if names == node.events:
                return node
            return Enabled(names, span=node.span) if names else FALSE

        for p in self.model.properties:
            body = None if p.body is None else cast(Formula | IntExpr, rewrite(p.body, change))
            yield p if body is p.body else replace(p, body=body)

    def _derived(self, type_: ComponentType) -> bool:
        """Whether a type is an instantiated template, which reading makes again."""
        return type_.name.partition("<")[0] in self.templates and "<" in type_.name

    # --- types ------------------------------------------------------------------------------------

    def _type(self, type_: ComponentType) -> Iterator[str]:
        yield from _comment(type_, "")
        yield self._head(type_) + " {"
        for r in type_.ranges:
            yield from _range(r, "  ")
        match type_:
            case ElementaryType():
                yield from _elementary(type_)
            case CompositeType():
                yield from (line for i in type_.instances for line in self._instance(i))
                yield from _events(type_, "synchronization")
            case _:
                yield from _events(type_, "synchronization")
        yield "}"

    def _head(self, type_: ComponentType) -> str:
        name = _name(type_.name)
        constants = _bindings((c.name, c.value) for c in type_.constants)
        match type_:
            case ElementaryType():
                return f"gal {name}{constants}"
            case CompositeType(type_parameters=parameters):
                return f"composite {name}{_type_parameters(parameters)}{constants}"
            case SetType(element=element, circular=circular):
                word = "circular" if circular else "scalar"
                size = _text(element.size) if element.size is not None else "1"
                bindings = _bindings(element.bindings)
                return f"{word} {name}{constants} [{size}] of {_name(element.type)}{bindings}"
        raise AssertionError(type_)

    def _instance(self, i: Instance) -> Iterator[str]:
        yield from _comment(i, "  ")
        type_ = _name(i.type)
        if i.type_arguments:
            template = i.type.partition("<")[0]
            if i.type in (template, concrete_name(template, i.type_arguments)):
                type_ = f"{_name(template)}<{', '.join(_name(a) for a in i.type_arguments)}>"
        size = "" if i.size is None else f"[{_text(i.size)}]"
        yield f"  {type_}{size} {_name(i.name)}{_bindings(i.bindings)};"


def _type_parameters(parameters: tuple[TypeParameter, ...]) -> str:
    """`<T, U extends I, J>`: a parameter without interfaces cannot follow one that has some."""
    for before, p in pairwise(parameters):
        if before.extends and not p.extends:
            message = f"type parameter '{p.name}' needs an interface to be written in GAL"
            raise error(message, p.span)
    shown = [
        f"{_name(p.name)}{' extends ' if p.extends else ''}{', '.join(map(_name, p.extends))}"
        for p in parameters
    ]
    return f"<{', '.join(shown)}>" if shown else ""


def _elementary(type_: ElementaryType) -> Iterator[str]:
    if type_.channels:
        channel = type_.channels[0]
        hint = "GAL has no channels; the model has to be translated first"
        raise error(f"channel '{channel.name}' cannot be written in GAL", channel.span, hint)
    for v in type_.variables:
        yield from _comment(v, "  ")
        yield "  " + _variable(v)
    for p in type_.predicates:
        yield from _comment(p, "  ")
        yield f"  predicate {_name(p.name)} = {_text(p.condition)};"
    yield from _events(type_, "transition")
    if type_.transient is not None:
        yield f"  TRANSIENT = {_text(type_.transient)};"


def _events(type_: ComponentType, keyword: str) -> Iterator[str]:
    labels = {e.label.name for e in type_.events if e.label is not None}
    for e in type_.events:
        yield ""
        yield from _comment(e, "  ")
        yield f"  {_event_head(e, keyword)} {{"
        yield from _body(e.body, "    ", labels)
        yield "  }"


# --- declarations ---------------------------------------------------------------------------------


def _comment(declaration: Declaration, indent: str) -> Iterator[str]:
    if declaration.comment:
        text = declaration.comment.replace("*/", "* /")
        yield f"{indent}/** {text} */"


def _constant(c: Constant) -> str:
    return f"${c.name} = {c.value}"


def _bindings(pairs: Iterable[tuple[str, int]]) -> str:
    shown = ", ".join(f"${name} = {value}" for name, value in pairs)
    return f"({shown})" if shown else ""


def _range(r: Range, indent: str) -> Iterator[str]:
    yield from _comment(r, indent)
    yield f"{indent}typedef {_name(r.name)} = {_text(r.low)} .. {_text(r.high)};"


def _interface(i: Interface) -> Iterator[str]:
    yield from _comment(i, "")
    yield f"interface {_name(i.name)} {{"
    for label, arity in i.labels:
        arguments = f"({', '.join('0' * arity)})" if arity else ""
        yield f"  {quote(label)}{arguments};"
    yield "}"


def _variable(v: Variable) -> str:
    hotbit = f"hotbit({_name(v.hotbit)}) " if v.hotbit is not None else ""
    if v.size is None:
        initial = f" = {_text(v.initial[0])}" if v.initial else ""
        return f"{hotbit}int {_name(v.name)}{initial};"
    values = ", ".join(_text(e) for e in v.initial)
    initial = f" = ({values})" if v.initial else ""
    return f"{hotbit}array [{_text(v.size)}] {_name(v.name)}{initial};"


def _event_head(e: Event, keyword: str) -> str:
    head = f"{keyword} {_name(e.name)}"
    if e.parameters:
        head += f"({', '.join(f'{_name(p.range)} ${p.name}' for p in e.parameters)})"
    if e.guard or keyword == "transition":
        head += f" [{_guard(e.guard)}]"
    if e.label is not None:
        head += f" label {quote(e.label.name)}{_arguments(e.label.arguments)}"
    return head


def _guard(parts: tuple[Formula, ...]) -> str:
    """The conjunction of the parts; see `Declarations._guard` for the leading `true`."""
    if not parts:
        return "true"
    first_is_true = isinstance(parts[0], Truth) and parts[0].value
    if first_is_true or (len(parts) == 1 and isinstance(parts[0], And)):
        return _text(And((Truth(True), *parts)))
    return _text(parts[0] if len(parts) == 1 else And(parts))


def _property(p: Property) -> Iterator[str]:
    yield ""
    yield from _comment(p, "")
    head = f"property {_name(p.name)} [{p.kind}]"
    if p.body is None:
        yield f"{head};"
        return
    body = _text(p.body)
    # GAL's own grammar wants the outermost connectives of an LTL formula in parentheses.
    connective = isinstance(p.body, Formula) and p.kind == "ltl" and _is_connective(p.body)
    yield f"{head} : {f'({body})' if connective else body};"


def _is_connective(body: Formula) -> bool:
    return isinstance(body, (And, Or, Implies, Iff))


# --- statements -----------------------------------------------------------------------------------


def _arguments(arguments: tuple[IntExpr, ...]) -> str:
    return f"({', '.join(_text(a) for a in arguments)})" if arguments else ""


def _body(body: Body, indent: str, labels: Collection[str]) -> Iterator[str]:
    """The statements of a body, line by line; blocks wait on a stack.

    `labels` are those of the type: a call of another one leads nowhere.
    """
    stack: list[Statement | str] = [*reversed(body)]
    while stack:
        s = stack.pop()
        if isinstance(s, str):
            if s.startswith("}"):
                indent = indent[:-2]
            yield indent + s
            if s.endswith("{"):
                indent += "  "
        elif isinstance(s, (If, For, Fixpoint, Settle)):
            stack.extend(reversed(_blocks(s)))
        elif isinstance(s, Call) and s.label not in labels:
            yield f"{indent}abort;"
        else:
            yield f"{indent}{_simple(s)};"


def _blocks(s: If | For | Fixpoint | Settle) -> list[Statement | str]:
    """A statement with blocks: lines that open or close one, and the statements in between."""
    match s:
        case If(condition=condition, then=then, otherwise=otherwise):
            lines: list[Statement | str] = [f"if ({_text(condition)}) {{", *then]
            if otherwise:
                lines += ["} else {", *otherwise]
            return [*lines, "}"]
        case For(parameter=parameter, range=range_, body=body):
            return [f"for (${parameter} : {_name(range_)}) {{", *body, "}"]
        case Fixpoint(body=body):
            return ["fixpoint {", *body, "}"]
        case Settle(condition=condition, label=label):
            return ["fixpoint {", If(condition, (Call(label),)), "}"]


def _simple(s: Statement) -> str:
    """A statement without blocks."""
    match s:
        case Assign():
            return _assign(s)
        case Call(label=label, arguments=arguments):
            return f"self.{quote(label)}{_arguments(arguments)}"
        case InstanceCall(instance=instance, label=label, arguments=arguments):
            return f"{_text(instance)}.{quote(label)}{_arguments(arguments)}"
        case AnyCall(label=label, arguments=arguments):
            return f"any.{quote(label)}{_arguments(arguments)}"
        case AllCall(label=label, arguments=arguments):
            return f"all.{quote(label)}{_arguments(arguments)}"
        case NextCall():
            first = quote(s.label) + _arguments(s.arguments)
            return f"next.{first}, {quote(s.next_label)}{_arguments(s.next_arguments)}"
        case Abort():
            return "abort"
    raise error(f"a {type(s).__name__.lower()} cannot be written in GAL", s.span)


def _assign(s: Assign) -> str:
    value = s.value
    if isinstance(value, Binary) and value.op in ("+", "-") and value.left == s.target:
        return f"{_text(s.target)} {value.op}= {_text(value.right)}"
    return f"{_text(s.target)} = {_text(value)}"
