"""Static checks of properties: references, constant indexes, the logic a kind asks for, events."""

from __future__ import annotations

import re
from collections.abc import Mapping

from plait.errors import Diagnostic, InputError, Span
from plait.hints import get_args
from plait.logic.classify import why_not_ctl, why_not_ltl, why_not_state
from plait.model.arithmetic import INT_MAX, INT_MIN
from plait.model.check_expressions import counted_path
from plait.model.expr import (
    Const,
    Empty,
    Enabled,
    Formula,
    Full,
    Hop,
    IntExpr,
    Length,
    Param,
    Poll,
    Var,
)
from plait.model.findings import Findings, id_of
from plait.model.node import Node, nodes
from plait.model.shape import evaluate_constant
from plait.model.types import (
    ComponentType,
    CompositeType,
    ElementaryType,
    Instance,
    Model,
    Property,
    PropertyKind,
    SetType,
    Variable,
)

KINDS = get_args(PropertyKind)


class PropertyChecks:
    """Checks properties of one model, whose types are known to be sound."""

    def __init__(self, findings: Findings, model: Model) -> None:
        self.findings = findings
        self.types = {t.name: t for t in model.types}
        self.globals = {c.name: c.value for c in model.constants}
        self.system = self.types[model.main]
        self.constants = self._constants(self.system, None)
        self._instances: dict[str, dict[str, Instance]] = {}
        self._declared: dict[str, dict[str, Variable]] = {}
        self._events: dict[str, frozenset[str]] = {}

    def check(self, p: Property) -> None:
        """One property."""
        body = p.body
        if p.kind not in KINDS:
            hint = self.findings.guess(p.kind, KINDS)
            self.findings.error(f"there is no kind '{p.kind}' of properties", p.span, hint)
            return
        if p.kind == "deadlock":
            if body is not None:
                self.findings.error("a deadlock property has no formula", p.span)
            return
        if not isinstance(body, IntExpr if p.kind == "bounds" else Formula):
            what = "a number" if p.kind == "bounds" else "a formula"
            self.findings.error(f"property '{p.name}' needs {what}", p.span)
            return
        for node in nodes(body):
            self._node(node, node.span or p.span)
        if isinstance(body, Formula):
            self._logic(p, body)
        path = counted_path(body)
        if path is not None:
            message = "a temporal formula cannot be used as a number"
            self.findings.error(message, path.span or p.span)

    def _logic(self, p: Property, body: Formula) -> None:
        why: Diagnostic | None
        match p.kind:
            case "ctl":
                why = why_not_ctl(body)
            case "ltl":
                why = why_not_ltl(body)
            case _:
                why = why_not_state(body)
        if why is not None:
            self.findings.error(why.message, why.span or p.span, why.hint)

    def _node(self, node: Node, span: Span | None) -> None:
        match node:
            case Const(value=value):
                if not INT_MIN <= value <= INT_MAX:
                    self.findings.error(f"the constant {value} does not fit in 32 bits", span)
            case Param(name=name):
                if name not in self.constants:
                    hint = self.findings.guess(name, self.constants)
                    self.findings.error(f"undeclared parameter '${name}'", span, hint)
            case Var():
                self._reference(node, span)
            case Length() | Full() | Empty() | Poll():
                self._channel(node, span)
            case Enabled(events=events):
                for title in events:
                    if not self._has_event(title):
                        hint = self._other_event(title)
                        self.findings.error(f"no event named '{title}'", span, hint)

    # --- references -------------------------------------------------------------------------------

    def _reference(self, node: Var, span: Span | None) -> None:
        here, constants = self.system, self.constants
        for hop in node.path:
            instance = self._parts(here).get(hop.name)
            if instance is None:
                message = f"type '{here.name}' has no instance '{hop.name}'"
                hint = self.findings.guess(hop.name, self._parts(here))
                self.findings.error(message, hop.span or span, hint)
                return
            self._index(hop.name, instance.size, hop.index, constants=constants, span=span)
            here = self.types[instance.type]
            constants = self._constants(here, instance)
        variables = self._variables(here)
        if node.name not in variables:
            message = f"type '{here.name}' has no variable '{node.name}'"
            self.findings.error(message, span, self.findings.guess(node.name, variables))
            return
        size = variables[node.name].size
        self._index(node.name, size, node.index, constants=constants, span=span)

    def _index(
        self,
        name: str,
        size: IntExpr | None,
        index: IntExpr | None,
        *,
        constants: Mapping[str, int],
        span: Span | None,
    ) -> None:
        """An index in a property is a constant of the main type, within the array.

        In a model of processes it may be computed: assertions speak of `a[i]`, and so do they.
        """
        if size is None:
            if index is not None:
                self.findings.error(f"'{name}' is not an array; it has no index", span)
            return
        if index is None:
            self.findings.error(f"'{name}' is an array; an index is needed", span)
            return
        place = index.span or span
        computed = isinstance(self.system, ElementaryType) and bool(self.system.processes)
        if any(isinstance(n, Var) for n in nodes(index)):
            if not computed:
                from plait.model.text import show  # few properties are wrong

                hint = f"speak of each cell: {show(index)} == 0 && {name}[0] == ... || ..."
                self.findings.error("an index in a property must be constant", place, hint)
            return
        try:
            i, n = evaluate_constant(index, self.constants), evaluate_constant(size, constants)
        except InputError as failure:
            if not computed:
                self.findings.absorb(failure)
            return
        if not 0 <= i < n:
            cells = f"its cells are 0 .. {n - 1}" if n > 0 else "it has no cells"
            message = f"the index {i} is out of range for '{name}': {cells}"
            self.findings.error(message, place)

    def _channel(self, node: Length | Full | Empty | Poll, span: Span | None) -> None:
        hop: Hop = node.channel
        channels = (
            {c.name: c for c in self.system.channels}
            if isinstance(self.system, ElementaryType)
            else {}
        )
        channel = channels.get(hop.name)
        if channel is None:
            hint = self.findings.guess(hop.name, channels)
            self.findings.error(f"undeclared channel '{hop.name}'", hop.span or span, hint)
            return
        self._index(hop.name, channel.size, hop.index, constants=self.constants, span=span)

    def _constants(self, type_: ComponentType, via: Instance | None) -> dict[str, int]:
        own = {c.name: c.value for c in type_.constants}
        return {**self.globals, **own, **dict(via.bindings if via else ())}

    def _parts(self, type_: ComponentType) -> dict[str, Instance]:
        if type_.name not in self._instances:
            parts: tuple[Instance, ...] = ()
            if isinstance(type_, CompositeType):
                parts = type_.instances
            elif isinstance(type_, SetType):
                parts = (type_.element,)
            self._instances[type_.name] = {i.name: i for i in parts}
        return self._instances[type_.name]

    def _variables(self, type_: ComponentType) -> dict[str, Variable]:
        if type_.name not in self._declared:
            variables = type_.variables if isinstance(type_, ElementaryType) else ()
            self._declared[type_.name] = {v.name: v for v in variables}
        return self._declared[type_.name]

    # --- events -----------------------------------------------------------------------------------

    def _has_event(self, title: str) -> bool:
        """Whether a title names an event: parts joined by dots, then the event, then arguments."""
        here = self.system
        rest = title
        while True:
            if rest in self._titles(here) or _ARGUMENTS.sub("", rest) in self._titles(here):
                return True
            found = self._enter(here, rest)
            if found is None:
                return False
            here, rest = found

    def _other_event(self, title: str) -> str | None:
        """What may have been meant: the name that a net shows beside an id, or a like title."""
        here, rest = self.system, title
        while (found := self._enter(here, rest)) is not None:
            here, rest = found
        events = getattr(here, "events", ())
        return id_of(rest, events) or self.findings.guess(rest, self._titles(here))

    def _enter(self, here: ComponentType, rest: str) -> tuple[ComponentType, str] | None:
        """Step into the part whose title a text starts with; the longest name wins."""
        cut = rest.rfind(".")
        while cut > 0:
            head = rest[:cut]
            named = _INDEX.sub("", head)
            instance = self._parts(here).get(head) or self._parts(here).get(named)
            if instance is not None:
                return self.types[instance.type], rest[cut + 1 :]
            cut = rest.rfind(".", 0, cut)
        return None

    def _titles(self, type_: ComponentType) -> frozenset[str]:
        if type_.name not in self._events:
            titles = {e.name for e in type_.events} | {e.title for e in type_.events}
            self._events[type_.name] = frozenset(titles)
        return self._events[type_.name]


_ARGUMENTS = re.compile(r"\([^()]*\)$")
_INDEX = re.compile(r"\[[0-9]+\]$")
