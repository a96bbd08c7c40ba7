"""Which variables of a component must stay in one part.

What is cut are *atoms*: variables, and the cells of arrays that are used with constant indices
alone. Atoms that occur together in one conjunct or one statement (a block is one statement) belong
together, and so does all that a call inside a block may touch; `passes.decompose` says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from plait.model.expr import Const, Var
from plait.model.shape import shape_of
from plait.model.stmt import Call, Settle, Statement
from plait.model.types import Event, Model, Variable
from plait.passes.rewritten import flat_type
from plait.passes.walk import called, reads, statements, targets, variables_of


class Coupling:
    """The atoms of a flat model, and which of them belong together."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.system = flat_type(model)
        self.shape = shape_of(model)
        self.whole = self._whole_arrays()
        """The arrays that are one atom each."""
        self.labelled: dict[str, list[Event]] = {}
        """The events of each label."""
        for event in self.system.events:
            if event.label is not None:
                self.labelled.setdefault(event.label.name, []).append(event)
        self.bound: set[str] = set()
        """The labels that are called inside a block, and all that these call."""
        self._classes = self._united()

    def first(self, atom: str) -> str:
        """The first of the atoms that belong together with one."""
        return self._classes.find(atom)

    def held(self, label: str) -> str:
        """The first of the atoms that the events of a bound label touch."""
        return self._classes.find(_label_name(label))

    def _whole_arrays(self) -> set[str]:
        """The arrays that are used with an index that is not a constant inside them."""
        slots = self.shape.variables
        return {
            v.name
            for v in self._mentioned()
            if v.index is not None
            and not (isinstance(v.index, Const) and 0 <= v.index.value < (slots[v.name].size or 0))
        }

    def _mentioned(self) -> Iterator[Var]:
        for event in self.system.events:
            yield from variables_of(event.guard)
            for statement in statements(event.body):
                yield from variables_of((*reads(statement), *targets(statement)))
        yield from variables_of(p.body for p in self.model.properties if p.body is not None)

    def atom(self, variable: Var) -> str:
        """The atom that a variable stands for."""
        if variable.index is None or variable.name in self.whole:
            return variable.name
        assert isinstance(variable.index, Const)
        return f"{variable.name}[{variable.index.value}]"

    def atoms(self) -> Iterator[tuple[str, Variable, int]]:
        """Every atom with its variable and its first cell, in order."""
        for v in self.system.variables:
            slot = self.shape.variables[v.name]
            if slot.size is None or v.name in self.whole:
                yield v.name, v, slot.offset
            else:
                yield from ((f"{v.name}[{i}]", v, slot.offset + i) for i in range(slot.size))

    def _united(self) -> _Classes:
        classes = _Classes()
        for atom, _, _ in self.atoms():
            classes.add(atom)
        for label in self.labelled:
            classes.add(_label_name(label))
        inner: set[str] = set()
        for event in self.system.events:
            for conjunct in event.guard:
                classes.unite(map(self.atom, variables_of((conjunct,))))
            for statement in event.body:
                if not isinstance(statement, Call):
                    classes.unite(self.touched(statement))
                    inner.update(called((statement,)))
        waiting = [label for label in inner if label in self.labelled]
        self.bound.update(waiting)
        while waiting:
            label = waiting.pop()
            for event in self.labelled[label]:
                classes.unite((_label_name(label), *self.touched_by(event)))
                more = {name for name in called(event.body) if name in self.labelled} - self.bound
                self.bound |= more
                waiting.extend(more)
        return classes

    def touched(self, statement: Statement) -> Iterator[str]:
        """The atoms of a statement and of all in it, and the labels that it calls."""
        for one in statements((statement,)):
            yield from map(self.atom, variables_of((*reads(one), *targets(one))))
            if isinstance(one, Call | Settle) and one.label in self.labelled:
                yield _label_name(one.label)

    def touched_by(self, event: Event) -> Iterator[str]:
        """The same of an event."""
        yield from map(self.atom, variables_of(event.guard))
        for statement in event.body:
            yield from self.touched(statement)


class _Classes:
    """Disjoint sets (union-find); the representative is the smallest."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}
        self._rank: dict[str, int] = {}

    def add(self, name: str) -> None:
        self._rank.setdefault(name, len(self._rank))

    def find(self, name: str) -> str:
        while (above := self._above.get(name, name)) != name:
            self._above[name] = self._above.get(above, above)
            name = above
        return name

    def unite(self, names: Iterable[str]) -> None:
        roots = sorted({self.find(name) for name in names}, key=self._rank.__getitem__)
        for root in roots[1:]:
            self._above[root] = roots[0]


def _label_name(label: str) -> str:
    """A label among variables in the classes."""
    return f"call {label}"


__all__ = ["Coupling"]
