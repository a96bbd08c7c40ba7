"""Names of values in comparisons: `light == green`, `P.state != idle`, as traces show them.

A word of an enumeration and a location of a process are no variables, and mean a number only beside
an item that has such values. So a name that nothing declares is kept as a `ValueName` until the
comparison around it is complete; one that is left over then was no value.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.errors import Diagnostic, InputError, Span
from plait.hints import TYPE_CHECKING
from plait.lang.pratt import Build, Infix, Operand
from plait.model.expr import Const, Var
from plait.model.node import Node
from plait.model.types import ElementaryType, Model
from plait.records import dataclass, field, replace

if TYPE_CHECKING:
    from plait.model.types import ComponentType


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ValueName(Var):
    """A name that some items have for a value."""

    known: ValueNames = field(kw_only=True)
    unknown: InputError = field(kw_only=True)
    """What is wrong where it is compared with no such item."""


class ValueNames:
    """The names that values of a model's items have."""

    def __init__(self, model: Model | None = None) -> None:
        """Without a model there are none."""
        self._model = model
        self._types = {} if model is None else {t.name: t for t in model.types}
        self._words: dict[str, dict[str, dict[str, int]]] = {}

    def item(self, name: str) -> str | None:
        """An item that has a value of that name, as an example."""
        for t in self._types.values():
            for item, words in self._of(t).items():
                if name in words:
                    return item
        return None

    def value(self, name: str, item: Var) -> int | None:
        """The value of that name that an item has."""
        if self._model is None:
            return None
        here = self._model.system
        for hop in item.path:
            parts = getattr(here, "instances", None) or (getattr(here, "element", None),)
            found = next((p for p in parts if p is not None and p.name == hop.name), None)
            if found is None or found.type not in self._types:
                return None
            here = self._types[found.type]
        return self._of(here).get(item.name, {}).get(name)

    def _of(self, type_: ComponentType) -> dict[str, dict[str, int]]:
        """The items of a type that have such names; nets have none."""
        if type_.name not in self._words:
            found: dict[str, dict[str, int]] = {}
            if isinstance(type_, ElementaryType) and type_.plain is None:
                for v in type_.variables:
                    if v.words:
                        found[v.name] = {word: value for value, word in v.words}
                for p in type_.processes:
                    if p.pc is not None and p.locations:
                        found[p.pc] = {word: value for value, word in enumerate(p.locations)}
            self._words[type_.name] = found
        return self._words[type_.name]


def with_value_names(comparison: Infix) -> Infix:
    """A comparison in which one side may be the name of a value of the other."""
    plain: Build = comparison.build

    def build(operands: Sequence[Operand], span: Span) -> Node:
        left, right = operands
        return plain((_meant(left, right.node), _meant(right, left.node)), span)

    return replace(comparison, build=build)


def _meant(side: Operand, other: Node) -> Operand:
    name = side.node
    if isinstance(name, ValueName) and isinstance(other, Var) and not isinstance(other, ValueName):
        value = name.known.value(name.name, other)
        if value is not None:
            return replace(side, node=Const(value, span=name.span))
    return side


def left_over(name: ValueName) -> InputError:
    """The error for a name that is compared with nothing that has such a value."""
    (wrong,) = name.unknown.diagnostics
    item = name.known.item(name.name)
    hint = wrong.hint or f"it is a value of '{item}': write {item} == {name.name}"
    return InputError(Diagnostic(wrong.message, wrong.span, hint))


__all__ = ["ValueName", "ValueNames", "left_over", "with_value_names"]
