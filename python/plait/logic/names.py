"""What names mean in a property: variables of the main type and its parts, named conditions.

A reference is a list of segments, `p[0]:fork:x[1]`; the last one is a variable, the others lead
through instances. A dotted name is first looked up whole (`Check.state` is an ordinary variable)
and else opened at its dots, so `tester.tstate` and `p[0].idle` reach into instances too; so is a
name in quotation marks that ends with an index (`"x[1]"`), as its-tools write them. A variable
may also be called `a[0].x` itself, where a language has processes in arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from plait.errors import InputError, Span, error
from plait.hints import cast
from plait.logic.value_names import ValueNames
from plait.model.expr import Const, Formula, Hop, IntExpr, Param, Var
from plait.model.findings import did_you_mean, id_of, shortened
from plait.model.node import Node, rewrite
from plait.model.text import show
from plait.model.types import (
    ComponentType,
    CompositeType,
    ElementaryType,
    Instance,
    Model,
    Predicate,
    SetType,
    Variable,
)
from plait.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Segment:
    """One name of a reference, with its index."""

    name: str
    index: IntExpr | None
    span: Span


class Names:
    """The names that properties of a model may use; `atoms` are conditions named by properties."""

    def __init__(self, model: Model, atoms: Mapping[str, Formula]) -> None:
        self.model = model
        self.atoms = atoms
        self._known: dict[str, _Inside] = {}

    @cached_property
    def system(self) -> ComponentType:
        """The type whose instance the properties speak of."""
        return self.model.system

    def declares(self, name: str) -> bool:
        """Whether the main type has a variable, a part or a named condition of that name."""
        inside = self._inside(self.system)
        return (
            name in inside.variables
            or name in inside.instances
            or name in inside.predicates
            or name in self.atoms
        )

    def is_part(self, name: str) -> bool:
        """Whether the main type has a part of that name."""
        return name in self._inside(self.system).instances

    def is_array(self, name: str) -> bool:
        """Whether the main type has an array of that name, of variables or of parts."""
        inside = self._inside(self.system)
        declared = inside.variables.get(name) or inside.instances.get(name)
        return declared is not None and declared.size is not None

    @cached_property
    def values(self) -> ValueNames:
        """The names that values have."""
        return ValueNames(self.model)

    def channel(self, name: str, cell: int | None, span: Span) -> Hop:
        """The channel of that name, or one of an array of channels."""
        names = [c.name for c in self._inside(self.system).channels]
        whole = name if cell is None else f"{name}[{cell}]"
        if whole in names:
            return Hop(whole, span=span)
        if name in names and cell is not None:
            return Hop(name, Const(cell, span=span), span=span)
        hint = did_you_mean(whole, names)
        raise error(f"type '{self.system.name}' has no channel '{whole}'", span, hint)

    def resolve(self, segments: Sequence[Segment], span: Span) -> Node:
        """The variable or condition that a reference means; a located error when there is none."""
        whole = self._whole(segments)
        if whole is not None:
            return Var(whole, span=span)
        nested = self._nested(segments, span)
        if nested is not None:
            return nested
        todo = list(reversed(segments))
        path: list[Hop] = []
        here = self.system
        via: Instance | None = None
        while True:
            segment = todo.pop()
            inside = self._inside(here)
            if not todo:
                found = self._final(inside, segment, path, via, span)
                if found is not None:
                    return found
            if todo and segment.name in inside.instances:
                via = inside.instances[segment.name]
                path.append(Hop(segment.name, segment.index, span=segment.span))
                here = self._type(via, segment.span)
                continue
            opened = _open(inside, segment)
            if opened is None:
                raise self._unknown(inside, segment, bool(todo))
            todo.extend(reversed(opened))

    def _whole(self, segments: Sequence[Segment]) -> str | None:
        """The variable whose name is the text of the reference, as `a[0].x` of a process `a[0]`."""
        if len(segments) < 2 or not all(isinstance(s.index, Const | None) for s in segments):
            return None
        parts = (s.name if s.index is None else f"{s.name}[{show(s.index)}]" for s in segments)
        name = ".".join(parts)
        return name if name in self._inside(self.system).variables else None

    def _nested(self, segments: Sequence[Segment], span: Span) -> Var | None:
        """A cell of a field of structures in arrays, as `s[0].x`, by the name of the variable."""
        if len(segments) < 2:
            return None
        steps = [step for segment in segments for step in _steps(segment)]
        variable = self._inside(self.system).nested.get(tuple(s.name for s in steps))
        if variable is None:
            return None
        total: Const | None = None
        for step, (_, size) in zip(steps, _opened(variable), strict=True):
            if size is None and step.index is not None:
                raise error(f"'{step.name}' is no array", step.span)
            if size is None:
                continue
            if step.index is None:
                raise error(f"'{step.name}' is an array and needs an index", step.span)
            if not isinstance(step.index, Const):
                raise error("indices of structures in arrays must be numbers", step.span)
            if not 0 <= step.index.value < size:
                message = f"'{step.name}' has no cell {step.index.value}"
                raise error(message, step.span, f"its cells are 0..{size - 1}")
            below = 0 if total is None else total.value * size
            total = Const(below + step.index.value, span=step.span)
        return Var(variable.name, total, span=span)

    def _final(
        self,
        inside: _Inside,
        segment: Segment,
        path: list[Hop],
        via: Instance | None,
        span: Span,
    ) -> Node | None:
        """The last segment: a variable, or a predicate or atom of that name."""
        name = segment.name
        if name in inside.variables:
            return Var(name, segment.index, tuple(path), span=span)
        if segment.index is not None:
            return None
        if name in inside.predicates:
            condition = inside.predicates[name].condition
            if via is None:
                return condition
            return _placed(condition, tuple(path), self._constants(inside.type, via))
        return None if path else self.atoms.get(name)

    def _constants(self, type_: ComponentType, via: Instance) -> dict[str, int]:
        own = {c.name: c.value for c in (*self.model.constants, *type_.constants)}
        return {**own, **dict(via.bindings)}

    def _inside(self, type_: ComponentType) -> _Inside:
        if type_.name not in self._known:
            self._known[type_.name] = _Inside(type_)
        return self._known[type_.name]

    @cached_property
    def _types(self) -> dict[str, ComponentType]:
        return {t.name: t for t in self.model.types}

    def _type(self, instance: Instance, span: Span) -> ComponentType:
        if instance.type not in self._types:
            raise error(f"no type named '{instance.type}'", instance.span or span)
        return self._types[instance.type]

    def _unknown(self, inside: _Inside, segment: Segment, inner: bool) -> InputError:
        """The error for a name that means nothing here."""
        name = segment.name
        if not inner and name in inside.instances:
            message = f"'{name}' is an instance, not a variable"
            return error(message, segment.span, f"name one of its variables: '{name}:...'")
        what = "instance" if inner else "variable"
        known = [*inside.instances] if inner else [*inside.variables, *inside.predicates]
        message = f"type '{inside.type.name}' has no {what} '{name}'"
        hint = (
            id_of(name, inside.variables.values())
            or _apart(name, known)
            or did_you_mean(name, known)
            or _of_processes(name, inside, inner)
            or _OF_OTHERS.get(name)
        )
        return error(message, segment.span, hint)


_ENABLED = "whether an event can be executed is asked by 'enabled(\"event\")'"
_OF_OTHERS = {
    "fireable": _ENABLED,
    "is": _ENABLED,
    "tokens": "a place is a variable, as in 'place <= 3'",
    "dead": "a state where no event can be executed is a 'deadlock'",
}
"""How formulas of other tools begin: `is-fireable(t)`, `tokens-count(p)`."""


def _apart(name: str, known: Sequence[str]) -> str | None:
    """A hint for operators that were written without a space before a name, as in `GFp`."""
    for end in range(1, len(name)):
        if name[end - 1] not in "AEGFX":
            return None
        if name[end:] in known:
            return f"did you mean '{' '.join(name[:end])} {name[end:]}'?"
    return None


def _of_processes(name: str, inside: _Inside, inner: bool) -> str | None:
    """A hint for a name as it is inside a process, and for a process as its text is called."""
    if any(c.name == name or c.name.startswith(f"{name}[") for c in inside.channels):
        return "a channel has a length, 'len(...)', and may be 'empty(...)' or 'full(...)'"
    known = [v.name for v in inside.variables.values() if not v.hidden] + [*inside.predicates]
    if not inner:
        found = [f"'{n}'" for n in known if n.endswith(f".{name}")]
        if found:
            return f"did you mean {shortened(found, ' or ')}?"
        shown = next((n for n in known if n.startswith(f"{name}(")), None)
        return f'a name such as "{shown}" stands in quotes' if shown else None
    found = [n for n in known if n.startswith((f"{name}_", f"{name}[", f"{name}(", f"{name}."))]
    shown = next((n for n in found if "._" not in n), None)
    return f"variables of processes are called '{shown}', ..." if shown else None


class _Inside:
    """The names declared in one type."""

    def __init__(self, type_: ComponentType) -> None:
        self.type = type_
        self.variables: dict[str, Variable] = {}
        self.predicates: dict[str, Predicate] = {}
        self.instances: dict[str, Instance] = {}
        self.channels = type_.channels if isinstance(type_, ElementaryType) else ()
        self.nested: dict[tuple[str, ...], Variable] = {}
        """Fields of structures in arrays, by the names on the way to them."""
        if isinstance(type_, ElementaryType):
            self.variables = {v.name: v for v in type_.variables}
            nested = (v for v in self.variables.values() if v.nested)
            self.nested = {tuple(name for name, _ in _opened(v)): v for v in nested}
            self.predicates = {p.name: p for p in type_.predicates}
        elif isinstance(type_, CompositeType):
            self.instances = {i.name: i for i in type_.instances}
        elif isinstance(type_, SetType):
            self.instances = {type_.element.name: type_.element}


def _open(inside: _Inside, segment: Segment) -> list[Segment] | None:
    """A dotted name split behind the longest instance name it starts with; or its last index."""
    cut = segment.name.rfind(".")
    while cut > 0:
        head = _with_index(Segment(segment.name[:cut], None, segment.span))
        if head.name in inside.instances:
            return [head, replace(segment, name=segment.name[cut + 1 :])]
        cut = segment.name.rfind(".", 0, cut)
    opened = _with_index(segment)
    return None if opened is segment else [opened]


def _with_index(segment: Segment) -> Segment:
    """The segment that a name such as `x[1]` spells."""
    name, bracket, index = segment.name.partition("[")
    digits = index.removesuffix("]")
    if segment.index is not None or not bracket or digits == index or not digits.isdecimal():
        return segment
    return replace(segment, name=name, index=Const(int(digits)))


def _steps(segment: Segment) -> list[Segment]:
    """A dotted name as one segment for each of its parts; the index is that of the last."""
    *names, last = segment.name.split(".")
    return [*(Segment(n, None, segment.span) for n in names), replace(segment, name=last)]


def _opened(variable: Variable) -> list[tuple[str, int | None]]:
    """The way to a field of structures in arrays, with dotted names split."""
    found: list[tuple[str, int | None]] = []
    for path, size in variable.nested:
        *names, last = path.split(".")
        found += [*((name, None) for name in names), (last, size)]
    return found


def _placed(condition: Formula, path: tuple[Hop, ...], constants: Mapping[str, int]) -> Formula:
    """A predicate of a part as a condition of the whole."""

    def place(node: Node) -> Node:
        if isinstance(node, Var):
            return replace(node, path=path)
        if isinstance(node, Param) and node.name in constants:
            return Const(constants[node.name], span=node.span)
        return node

    return cast(Formula, rewrite(condition, place))
