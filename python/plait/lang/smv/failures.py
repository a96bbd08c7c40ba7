"""Errors of NuSMV that must be excluded for all values of the variables, reachable or not.

As in NuSMV: a `case` without an answer, an index outside its array, a division by zero and an
assignment of a value that the variable does not have make the text wrong, and it is refused when it
is read. A solver looks for values that lead there; it is asked only where the text does not show
that there are none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from plait.errors import Span, error
from plait.hints import NoReturn, cast
from plait.lang.smv.evaluate import before, is_after
from plait.lang.smv.types import Type, integer
from plait.lang.smv.values import Between, Failure, Tree, both, either, outcomes
from plait.model.expr import FALSE, TRUE, Compare, Const, Formula, IntExpr
from plait.model.node import Node

MOST_SHOWN = 6
"""The most variables of an example that a hint lists."""


class Failures:
    """Looks for values that lead to a failure."""

    def __init__(self, types: Mapping[str, Type], names: Mapping[int, str]) -> None:
        """The types of all variables, those of the state after a step too; names of symbols."""
        self.types = types
        self.names = names

    def check(self, failures: Iterable[Failure]) -> None:
        """Raise a located error when one of them can happen, the first of them."""
        self._check([f for f in failures if f.condition is not FALSE])

    def check_assignment(
        self, variable: str, type_: Type, tree: Tree, of: Type, span: Span | None
    ) -> None:
        """Raise a located error when a value that is no value of the variable may be assigned."""
        if type_.holds(of):
            return
        failures = []
        for path, end in outcomes(tree):
            outside = outside_of(end, type_)
            if outside is FALSE:
                continue
            shown = f" {self._shown(end.value)}" if isinstance(end, Const) else ""
            message = f"'{variable}' cannot have the value{shown} that is assigned here"
            place = span if isinstance(end, Between) else end.span or span
            failures.append(Failure(both(path, outside), message, place))
        self.check(failures)

    def _check(self, failures: list[Failure]) -> None:
        if not failures:
            return
        # One question for all of them: they share most of what they say, and rarely one can happen.
        found = self._example(either(*(f.condition for f in failures)))
        if found is None:
            return
        for failure in failures:
            alone = found if len(failures) == 1 else self._example(failure.condition)
            if alone is not None:
                self._raise(failure, alone)

    def _example(self, condition: Formula) -> dict[str, int] | str | None:
        from plait.smt.satisfy import example

        return example(condition, {name: type_.values for name, type_ in self.types.items()})

    def _raise(self, failure: Failure, found: dict[str, int] | str) -> NoReturn:
        message, span = failure.message, failure.span
        if isinstance(found, str):
            raise error(f"{message}, as far as can be seen ({found})", span)
        # What is asked of single states is asked of those after a step.
        single = all(map(is_after, found))
        shown = [
            f"{before(name) if single else name} = {self._shown(value, name)}"
            for name, value in list(found.items())[:MOST_SHOWN]
        ]
        hint = f"for example when {', '.join(shown)}" if shown else None
        raise error(message, span, hint)

    def _shown(self, value: int, variable: str | None = None) -> str:
        kind = "mixed" if variable is None else self.types[variable].kind
        if kind == "boolean":
            return "TRUE" if value else "FALSE"
        return self.names.get(value, str(value)) if kind in ("symbol", "mixed") else str(value)


def outside_of(end: Node | Between, type_: Type) -> Formula:
    """The condition that a value is not one of a type."""
    if isinstance(end, Formula):
        return FALSE
    if isinstance(end, Between):
        return FALSE if type_.holds(integer(end.low, end.high)) else TRUE
    node = cast(IntExpr, end)
    if isinstance(node, Const):
        return FALSE if node.value in type_.values else TRUE
    below, above = Compare("<", node, Const(type_.low)), Compare(">", node, Const(type_.high))
    if type_.is_dense:
        return either(below, above)
    return both(*(Compare("!=", node, Const(v)) for v in sorted(type_.values)))
