"""Last events: those after which nothing is possible, whatever else has happened.

An error inside an atomic block stops the whole system: the event stores a constant that every event
requires to be another one. So it disables all events and is dependent with each of them; but nobody
cares in which order the others would have gone on. For a reduction such an event is only something
to be watched for, as a goal is: `plait_reduction::Dependency::watching` says why that keeps what is
asked.

An event is marked when after it

- some variable has a constant that contradicts the guard of every free event, and
- each property that is asked is true, or false, by the constants that the event leaves behind: then
  it does not matter in which of its states the event is executed.

The constants are those that the guard requires and that the body, a straight line, stores. Besides,
a constant that only such events store is seen nowhere before one of them: the location of an error
in another process, for instance.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from plait.model.expr import FALSE, TRUE, Compare, Const, Deadlock, Enabled, Formula, Var
from plait.model.node import Node, nodes, rewrite
from plait.model.stmt import Assign
from plait.model.types import ElementaryType, Event, Model
from plait.passes.folding import Folder
from plait.passes.hoisting import is_condition
from plait.passes.places import equalities, evaluating
from plait.passes.walk import statements
from plait.records import replace


def mark_last(model: Model) -> Model:
    """The flat model with its last events marked, as far as its properties allow."""
    type_ = model.system
    if not isinstance(type_, ElementaryType):
        return model
    if type_.plain is not None:
        return model  # its events add and take, and store nothing
    free = [e for e in type_.events if e.label is None]
    closing = _Closing(free)
    closed: dict[str, _End] = {}
    for event in free:
        end = _End(event)
        if any(closing.closes(v, k) for v, k in end.known.items() if v in end.stored):
            closed[event.name] = end
    if not closed:
        return model
    before = _values_before(type_, closed)
    asked = [p.body for p in model.properties if isinstance(p.body, Formula)]
    marked = {
        name
        for name, end in closed.items()
        if all(_is_decided(formula, end, before) for formula in asked)
    }
    events = tuple(replace(e, last=True) if e.name in marked else e for e in type_.events)
    types = tuple(replace(t, events=events) if t is type_ else t for t in model.types)
    return replace(model, types=types)


WORK = 100_000
"""Conditions that are tried at most; events that nobody had the time to look at are not marked."""


class _Closing:
    """Which constants contradict the guards of all free events.

    Only conjuncts that speak of one scalar are looked at. Most of them ask for one value, and what
    else is asked is mostly the same for many events: a model of many events must not be looked at
    once for each of its constants.
    """

    def __init__(self, free: Sequence[Event]) -> None:
        parts = [_by_variable(event) for event in free]
        self.asked = set.intersection(*map(set, parts)) if parts else set()
        """Variables that every free event asks for."""
        self.wanted: dict[str, set[int]] = {v: set() for v in self.asked}
        """The values that some event asks for."""
        self.others: dict[str, dict[tuple[Formula, ...], None]] = {v: {} for v in self.asked}
        """What the other events ask."""
        for event, found in zip(free, parts, strict=True):
            required = dict(equalities(event.guard))
            for v in self.asked:
                if v in required:
                    self.wanted[v].add(required[v])
                else:
                    self.others[v][tuple(found[v])] = None
        self.known: dict[tuple[str, int], bool] = {}
        self.left = WORK

    def closes(self, variable: str, value: int) -> bool:
        """No free event is possible where the variable has this value."""
        if variable not in self.asked or value in self.wanted[variable]:
            return False
        key = variable, value
        if key not in self.known:
            folder = evaluating({variable: value})
            self.known[key] = all(self._refutes(folder, g) for g in self.others[variable])
        return self.known[key]

    def _refutes(self, folder: Folder, guard: tuple[Formula, ...]) -> bool:
        self.left -= 1
        return self.left >= 0 and folder.guard(guard) is None


def _by_variable(event: Event) -> dict[str, list[Formula]]:
    """The conjuncts of a guard that speak of a single scalar."""
    found: dict[str, list[Formula]] = {}
    for part in event.guard:
        variable = _only_variable(part)
        if variable is not None:
            found.setdefault(variable, []).append(part)
    return found


def _only_variable(part: Formula) -> str | None:
    """The variable that a conjunct speaks of, when it is a single scalar."""
    found: set[str] = set()
    for node in nodes(part):
        if isinstance(node, Var):
            if node.index is not None:
                return None
            found.add(node.name)
    return found.pop() if len(found) == 1 else None


class _End:
    """What an event leaves behind: the variables that it stores, and the scalars whose value is
    then known (none when its body is no straight line)."""

    def __init__(self, event: Event) -> None:
        self.stored: set[str] = set()
        self.known = dict(equalities(event.guard))
        for statement in event.body:
            if isinstance(statement, Assign):
                target, value = statement.target, statement.value
                self.stored.add(target.name)
                if target.index is None and isinstance(value, Const):
                    self.known[target.name] = value.value
                else:
                    self.known.pop(target.name, None)
            elif not is_condition(statement):
                self.known = {}
                return


def _values_before(type_: ElementaryType, closed: Container[str]) -> dict[str, set[int]]:
    """The constants that a scalar can have before the system is closed, where it has no others."""
    found: dict[str, set[int]] = {}
    for variable in type_.variables:
        first = variable.initial[0] if variable.initial else Const(0)
        if variable.size is None and isinstance(first, Const):
            found[variable.name] = {first.value}
    for event in type_.events:
        if event.name in closed:
            continue
        for statement in statements(event.body):
            if isinstance(statement, Assign) and (values := found.get(statement.target.name)):
                if isinstance(statement.value, Const):
                    values.add(statement.value.value)
                else:
                    del found[statement.target.name]
    return found


def _is_decided(formula: Formula, end: _End, before: Mapping[str, set[int]]) -> bool:
    """The formula has one truth value in all deadlocks to which the event can lead."""
    if any(isinstance(n, Enabled) for n in nodes(formula)):
        return False

    def change(node: Node) -> Node:
        match node:
            case Deadlock():
                return TRUE
            case Compare(op="==" | "!=" as op, left=Var(name=v, index=None), right=Const(value=k)):
                if v not in end.known and v not in end.stored and k not in before.get(v, (k,)):
                    return FALSE if op == "==" else TRUE
        return node

    there = rewrite(formula, change)
    assert isinstance(there, Formula)
    found = evaluating(end.known).formula(there)
    return found is TRUE or found is FALSE
