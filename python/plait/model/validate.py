"""Static validation: everything that can be known to be wrong before a model is executed.

`validate` gives all diagnostics, errors and warnings; `check` raises the errors. Front ends call
`check` on what they have read, so that engines never meet a name that means nothing, a call that
nobody can answer, or a type that contains itself. Nothing here recurses over expressions or types.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from plait.errors import Diagnostic, InputError, Span
from plait.model.arithmetic import INT_MAX, INT_MIN
from plait.model.check_events import BLOCK_LIMIT, EventChecks, Labels, labels_of
from plait.model.check_expressions import (
    Allowed,
    Constants,
    ExpressionChecks,
    Scope,
    counted_path,
    union,
)
from plait.model.check_properties import PropertyChecks
from plait.model.expr import IntExpr
from plait.model.findings import Findings, count, shortened
from plait.model.shape import ARRAY_LIMIT, HIERARCHY_LIMIT
from plait.model.templates import is_template
from plait.model.types import (
    Channel,
    ComponentType,
    CompositeType,
    Constant,
    Declaration,
    ElementaryType,
    Instance,
    Model,
    Property,
    Range,
    SetType,
    Variable,
)

INSTANTIATIONS_LIMIT = 64
"""How many different bindings of one type's constants are looked at."""


def validate(model: Model) -> list[Diagnostic]:
    """Everything wrong or doubtful in a model, in the order of its declarations."""
    findings = Findings()
    checks = _ModelChecks(findings, model)
    checks.check()
    if not findings.failed:
        properties = PropertyChecks(findings, model)
        for p in model.properties:
            properties.check(p)
    return [*model.warnings, *findings.all()]


def check(model: Model) -> None:
    """Raise `InputError` with all errors of a model, if there are any."""
    _raise(validate(model))


def check_properties(model: Model, properties: Iterable[Property]) -> None:
    """Raise `InputError` with all errors of properties of a model that is itself sound."""
    findings = Findings()
    _unique(findings, properties, "property")
    checks = PropertyChecks(findings, model)
    for p in properties:
        checks.check(p)
    _raise(findings.all())


def _raise(found: list[Diagnostic]) -> None:
    errors = [d for d in found if d.severity == "error"]
    if errors:
        raise InputError(*errors)


def _unique(findings: Findings, declarations: Iterable[Declaration], what: str) -> None:
    seen: set[str] = set()
    for d in declarations:
        if d.name in seen:
            name = f"${d.name}" if isinstance(d, Constant) else d.name
            findings.error(f"{what} '{name}' is declared twice", d.span)
        seen.add(d.name)


class _ModelChecks:
    """The checks of a whole model."""

    def __init__(self, findings: Findings, model: Model) -> None:
        self.findings = findings
        self.model = model
        self.types = {t.name: t for t in model.types}
        self.interfaces = {i.name: i for i in model.interfaces}
        self.globals = {c.name: c.value for c in model.constants}
        self._labels: dict[str, Labels] = {}

    def check(self) -> None:
        """Everything but the properties, which need sound types."""
        model, findings = self.model, self.findings
        _unique(findings, model.constants, "constant")
        _unique(findings, model.ranges, "range")
        _unique(findings, model.interfaces, "interface")
        _unique(findings, model.types, "type")
        _unique(findings, model.properties, "property")
        self._constants_fit(model.constants)
        if model.main not in self.types or is_template(self.types[model.main]):
            findings.error(f"no type named '{model.main}' that could be the main type", None)
        self._hierarchy()
        self._bound = self._instantiations()
        outside = _TypeChecks(self, ComponentType(""))
        for r in model.ranges:
            outside.range(r)
        for t in model.types:
            _TypeChecks(self, t).check()

    def _constants_fit(self, constants: Iterable[Declaration]) -> None:
        for c in constants:
            value = getattr(c, "value", 0)
            if not INT_MIN <= value <= INT_MAX:
                self.findings.error(f"the constant {value} does not fit in 32 bits", c.span)

    def labels(self, name: str) -> Labels | None:
        """The labels of a type."""
        if name not in self._labels:
            if name not in self.types:
                return None
            self._labels[name] = labels_of(self.types[name])
        return self._labels[name]

    # --- hierarchy --------------------------------------------------------------------------------

    def _hierarchy(self) -> None:
        """No type contains itself, and the nesting has a limit; depth first, without recursion."""
        depth: dict[str, int] = {}
        for root in self.model.types:
            open_: dict[str, Span | None] = {}
            stack: list[tuple[ComponentType, bool]] = [(root, False)]
            while stack:
                type_, done = stack.pop()
                name = type_.name
                below = [i for i in instances_of(type_) if i.type in self.types]
                if done:
                    del open_[name]
                    depth[name] = 1 + max((depth.get(i.type, 0) for i in below), default=0)
                    if depth[name] > HIERARCHY_LIMIT:
                        message = f"types are nested deeper than {HIERARCHY_LIMIT} levels"
                        self.findings.error(message, type_.span)
                        return
                elif name not in depth and name not in open_:
                    open_[name] = type_.span
                    stack.append((type_, True))
                    for i in reversed(below):
                        if i.type in open_:
                            self._contains_itself(i, [*open_])
                        elif i.type not in depth:
                            stack.append((self.types[i.type], False))

    def _contains_itself(self, instance: Instance, open_: list[str]) -> None:
        cycle = [*open_[open_.index(instance.type) :], instance.type]
        hint = shortened(cycle, " contains ") if len(cycle) > 2 else None
        self.findings.error(f"type '{instance.type}' contains itself", instance.span, hint)

    def _instantiations(self) -> dict[str, list[Constants]]:
        """The values that the constants of each type take: one for each way it is instantiated."""
        bound: dict[str, dict[tuple[tuple[str, int], ...], None]] = {}
        for t in self.model.types:
            if not is_template(t):
                for i in instances_of(t):
                    ways = bound.setdefault(i.type, {})
                    if len(ways) < INSTANTIATIONS_LIMIT:
                        ways[i.bindings] = None
        found: dict[str, list[Constants]] = {}
        for t in self.model.types:
            own = {**self.globals, **{c.name: c.value for c in t.constants}}
            ways = bound.get(t.name, {})
            if t.name == self.model.main or not ways:
                ways = {(): None, **ways}
            found[t.name] = [{**own, **dict(w)} for w in ways]
        return found

    def instantiations(self, type_: ComponentType) -> list[Constants]:
        """The values of the constants of a type in the instances of the model."""
        return self._bound.get(type_.name, [self.globals])


def instances_of(type_: ComponentType) -> tuple[Instance, ...]:
    """The instances that a type holds."""
    if isinstance(type_, CompositeType):
        return type_.instances
    return (type_.element,) if isinstance(type_, SetType) else ()


class _TypeChecks:
    """The checks of one type."""

    def __init__(self, whole: _ModelChecks, type_: ComponentType) -> None:
        self.whole = whole
        self.findings = whole.findings
        self.type = type_
        model = whole.model
        ranges = {r.name: r for r in (*model.ranges, *type_.ranges)}
        self.scope = Scope(
            model,
            type_.name,
            whole.instantiations(type_),
            union((c.name for c in model.constants), (c.name for c in type_.constants)),
            ranges,
        )
        if isinstance(type_, ElementaryType):
            self.scope.variables = {v.name: v for v in type_.variables}
            self.scope.channels = {c.name: c for c in type_.channels}
        self.expressions = ExpressionChecks(self.findings, self.scope)

    def check(self) -> None:
        """Declarations, then events."""
        type_ = self.type
        _unique(self.findings, type_.constants, "constant")
        _unique(self.findings, type_.ranges, "range")
        _unique(self.findings, type_.events, "event")
        self.whole._constants_fit(type_.constants)
        for r in type_.ranges:
            self.range(r)
        match type_:
            case ElementaryType():
                self._elementary(type_)
            case CompositeType():
                self._composite(type_)
            case SetType():
                self._instance(type_.element, {})
        EventChecks(self.findings, type_, self.scope, self._callees()).check()

    def range(self, r: Range) -> None:
        low = self.expressions.constants(r.low, r.span)
        high = self.expressions.constants(r.high, r.span)
        if low and high and all(a > b for a, b in zip(low, high, strict=True)):
            # Sensible at size 0: an event over it has no copy, a loop over it does nothing.
            self.findings.warning(f"the range '{r.name}' is empty: {low[0]} .. {high[0]}", r.span)

    # --- elementary types -------------------------------------------------------------------------

    def _elementary(self, type_: ElementaryType) -> None:
        _unique(self.findings, (*type_.variables, *type_.channels, *type_.predicates), "name")
        _unique(self.findings, type_.processes, "process")
        for v in type_.variables:
            self._variable(v)
        for c in type_.channels:
            self._channel(c)
        for p in type_.predicates:
            self.expressions.check(p.condition, Allowed.VARIABLES, p.span)
        if type_.transient is not None:
            self.expressions.check(type_.transient, Allowed.VARIABLES, type_.span)
        self._processes(type_)

    def _variable(self, v: Variable) -> None:
        sizes = None if v.size is None else self._size(v.size, v)
        values = [self.expressions.constants(e, v.span) for e in v.initial]
        wanted = sizes[0] if sizes else 1
        if v.initial and (v.size is None or sizes) and len(v.initial) != wanted:
            message = f"'{v.name}' has {count(wanted, 'cell')}"
            self.findings.error(f"{message} but {count(len(values), 'initial value')}", v.span)
        if v.domain is not None:
            self._within(v, values, v.domain.low, v.domain.high, "its domain")
        if v.hotbit is not None:
            self._hotbit(v, v.hotbit, values)

    def _hotbit(self, v: Variable, name: str, values: list[list[int] | None]) -> None:
        range_ = self.scope.ranges.get(name)
        if range_ is None:
            hint = self.findings.guess(name, self.scope.ranges)
            self.findings.error(f"no range named '{name}'", v.span, hint)
            return
        try:
            low, high = self.scope.values(range_.low)[0], self.scope.values(range_.high)[0]
        except InputError:
            return  # reported with the range
        self._within(v, values or [[0]], low, high, f"the range '{name}'")

    def _within(
        self, v: Variable, values: list[list[int] | None], low: int, high: int, what: str
    ) -> None:
        for value in values:
            if value and not low <= value[0] <= high:
                message = f"the initial value {value[0]} of '{v.name}' is outside {what}"
                self.findings.error(f"{message}, {low} .. {high}", v.span)

    def _size(self, size: IntExpr, owner: Declaration) -> list[int] | None:
        """The sizes of an array in the instantiations of the type, or None when one is wrong."""
        sizes = self.expressions.constants(size, owner.span)
        if sizes is None:
            return None
        for s in sizes:
            if not 0 <= s <= ARRAY_LIMIT:
                message = f"the size of '{owner.name}' is {s}; it must be in 0 .. {ARRAY_LIMIT}"
                self.findings.error(message, size.span or owner.span)
                return None
        return sizes

    def _channel(self, c: Channel) -> None:
        if c.size is not None:
            self._size(c.size, c)
        cells = c.capacity * max(1, len(c.fields))
        if c.capacity < 0 or cells > ARRAY_LIMIT:
            message = f"the capacity of channel '{c.name}' is {c.capacity}"
            self.findings.error(f"{message}; it must be in 0 .. {ARRAY_LIMIT}", c.span)

    def _processes(self, type_: ElementaryType) -> None:
        names = {p.name for p in type_.processes}
        for p in type_.processes:
            if p.pc is not None and p.pc not in self.scope.variables:
                message = f"process '{p.name}' has no variable '{p.pc}' for its location"
                self.findings.error(message, p.span)
        for e in type_.events:
            if e.process is not None and e.process not in names:
                self.findings.error(f"no process named '{e.process}'", e.span)

    # --- composites and sets ----------------------------------------------------------------------

    def _composite(self, type_: CompositeType) -> None:
        _unique(self.findings, type_.instances, "instance")
        _unique(self.findings, type_.type_parameters, "type parameter")
        formal: dict[str, Labels] = {}
        for p in type_.type_parameters:
            labels: dict[str, int] = {}
            for name in p.extends:
                if name not in self.whole.interfaces:
                    hint = self.findings.guess(name, self.whole.interfaces)
                    self.findings.error(f"no interface named '{name}'", p.span, hint)
                else:
                    labels.update(self.whole.interfaces[name].labels)
            formal[p.name] = labels
        for i in type_.instances:
            self._instance(i, formal)

    def _instance(self, i: Instance, formal: Mapping[str, Labels]) -> None:
        if i.size is not None:
            self._size(i.size, i)
        type_ = self.whole.types.get(i.type)
        if i.type_arguments:
            self._type_arguments(i)
        if i.type in formal:
            return
        if type_ is None:
            hint = self.findings.guess(i.type, self.whole.types)
            self.findings.error(f"no type named '{i.type}'", i.span, hint)
            return
        if is_template(type_) and not is_template(self.type):
            message = f"'{i.type}' is a template; it needs type arguments"
            self.findings.error(message, i.span, f"write '{i.type}<...> {i.name};'")
            return
        declared = {c.name for c in type_.constants}
        seen: set[str] = set()
        for name, value in i.bindings:
            if name not in declared:
                hint = self.findings.guess(name, declared)
                self.findings.error(f"type '{i.type}' has no constant '${name}'", i.span, hint)
            if name in seen:
                self.findings.error(f"the constant '${name}' is bound twice", i.span)
            if not INT_MIN <= value <= INT_MAX:
                self.findings.error(f"the constant {value} does not fit in 32 bits", i.span)
            seen.add(name)

    def _type_arguments(self, i: Instance) -> None:
        """The arguments of a template offer the labels that its parameters ask for."""
        template = self.whole.types.get(i.type.partition("<")[0])
        if not isinstance(template, CompositeType) or not template.type_parameters:
            self.findings.error(f"'{i.type}' is not a template", i.span)
            return
        if is_template(self.type):
            return  # checked in the concrete types
        for parameter, argument in zip(template.type_parameters, i.type_arguments, strict=False):
            labels = self.whole.labels(argument)
            if labels is None:
                self.findings.error(f"no type named '{argument}'", i.span)
                continue
            for name in parameter.extends:
                interface = self.whole.interfaces.get(name)
                for label, arity in interface.labels if interface else ():
                    if labels.get(label) != arity:
                        with_ = f"'{label}' with {count(arity, 'argument')}"
                        message = f"type '{argument}' has no label {with_}"
                        hint = f"the interface '{name}' asks for it"
                        self.findings.error(message, i.span, hint)

    def _callees(self) -> _Callees:
        formal: dict[str, Labels | None] = {}
        if isinstance(self.type, CompositeType):
            interfaces = self.whole.interfaces
            for p in self.type.type_parameters:
                known = [interfaces[e] for e in p.extends if e in interfaces]
                labels = {label: arity for i in known for label, arity in i.labels}
                # Without an interface nothing is known; the concrete types are checked anyway.
                formal[p.name] = labels if p.extends else None
        return _Callees(self.whole, formal)


class _Callees:
    """The labels of the types that a type calls, its type parameters included."""

    def __init__(self, whole: _ModelChecks, formal: Mapping[str, Labels | None]) -> None:
        self.whole = whole
        self.formal = formal

    def __call__(self, name: str) -> Labels | None:
        return self.formal[name] if name in self.formal else self.whole.labels(name)


__all__ = [
    "BLOCK_LIMIT",
    "check",
    "check_properties",
    "counted_path",
    "validate",
]
