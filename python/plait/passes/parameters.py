"""The copies of a parametric event.

Parameters are bound one at a time, in the order of their declaration, and the guard is simplified
after each: a conjunct that has become false cuts off all the copies below, and one that has become
a comparison of the next parameter with a number narrows its range. So `[$x < $y && $z == $x + $y]`
is not paid for by the whole product.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import prod

from plait.errors import Span, error
from plait.model.expr import FALSE, TRUE, And, Compare, Const, Formula, Param
from plait.model.node import nodes
from plait.model.stmt import Abort, Body, Fixpoint, For, If, Statement
from plait.model.types import Event, Label
from plait.passes.folding import UNKNOWN, Folder
from plait.passes.walk import map_expressions
from plait.records import dataclass, replace

COPY_LIMIT = 1_000_000
"""The most copies of parametric events in a model."""
TRIAL_LIMIT = 2_000_000
"""The most bindings of parameters that are tried on the way to them."""
UNROLL_LIMIT = 4_000_000
"""The most statements that loops may be unrolled to."""


@dataclass(slots=True)
class Budget:
    """What is left of the limits above; shared by all events of a model."""

    copies: int = COPY_LIMIT
    trials: int = TRIAL_LIMIT
    statements: int = UNROLL_LIMIT

    def copy(self, event: Event) -> None:
        """Pay for one copy."""
        self.copies -= 1
        self.expect(0, event)

    def expect(self, copies: int, event: Event) -> None:
        """So many copies are sure to come: refuse them now if they are too many."""
        if self.copies < copies:
            raise error(
                f"the parameters of the events make more than {COPY_LIMIT} copies",
                event.span,
                f"'{event.name}' is where the limit was passed; make the ranges smaller or the "
                "guard stricter",
            )

    def trial(self, event: Event) -> None:
        """Pay for the binding of one parameter."""
        self.trials -= 1
        if self.trials < 0:
            raise error(
                f"the parameters of the events have more than {TRIAL_LIMIT} bindings to try",
                event.span,
                f"'{event.name}' is where the limit was passed",
            )

    def unroll(self, count: int, span: Span | None) -> None:
        """Pay for statements that a loop is unrolled to."""
        self.statements -= count
        if self.statements < 0:
            raise error(f"loops unroll to more than {UNROLL_LIMIT} statements", span)


_Part = tuple[Formula, frozenset[str]]
"""A conjunct of a guard and the parameters still free in it."""


def copies(
    event: Event,
    constants: Mapping[str, int],
    ranges: Mapping[str, range],
    budget: Budget,
    *,
    plain: bool = True,
) -> Iterator[Event]:
    """The event once for each tuple of values that its guard does not exclude.

    Parameters and constants are gone from the copies, loops are unrolled, and a copy is displayed
    as `event(1, 2)`. With `plain` an event that has none of them is not looked at.
    """
    if plain and not constants and not event.parameters and not ranges:
        yield event
        return
    names = [p.name for p in event.parameters]
    fixed = {k: v for k, v in constants.items() if k not in names}
    folder = Folder(fixed)
    guard = _narrow((folder.formula(g) for g in event.guard), [])
    if guard is None:
        return
    for values, parts in _assignments(event, guard, ranges, budget):
        budget.copy(event)
        bound = {**fixed, **dict(zip(names, values, strict=True))}
        copy = _copy(event, values, bound)
        yield replace(
            copy,
            guard=tuple(f for f, _ in parts),
            body=unroll(event.body, bound, ranges, budget),
        )


def _assignments(
    event: Event, guard: list[_Part], ranges: Mapping[str, range], budget: Budget
) -> Iterator[tuple[tuple[int, ...], list[_Part]]]:
    """Every tuple of parameter values with what its guard has become."""
    parameters = event.parameters
    if not parameters:
        yield (), guard
        return
    for p in parameters:
        if p.range not in ranges:
            raise error(f"no range named '{p.range}'", p.span)
    levels = [_Level(event, guard, (), ranges, budget)]
    while levels:
        level = levels[-1]
        value = next(level.values, None)
        if value is None:
            levels.pop()
            continue
        budget.trial(event)
        name = parameters[len(level.bound)].name
        folder = Folder({name: value})
        narrowed = _narrow(
            (folder.formula(f) for f, free in level.parts if name in free),
            [part for part in level.parts if name not in part[1]],
        )
        if narrowed is None:
            continue
        values = (*level.bound, value)
        if len(values) == len(parameters):
            yield values, narrowed
        else:
            levels.append(_Level(event, narrowed, values, ranges, budget))


class _Level:
    """Where the binding of one parameter stands: values still to try, the guard so far."""

    def __init__(
        self,
        event: Event,
        parts: list[_Part],
        bound: tuple[int, ...],
        ranges: Mapping[str, range],
        budget: Budget,
    ) -> None:
        self.parts = parts
        self.bound = bound
        left = event.parameters[len(bound) :]
        self.values = iter(_between(left[0].name, ranges[left[0].range], parts))
        names = {p.name for p in left}
        if all(names.isdisjoint(free) for _, free in parts):
            budget.expect(prod(len(ranges[p.range]) for p in left), event)


def _between(name: str, values: range, parts: list[_Part]) -> range:
    """The range without values that a comparison of the parameter with a number excludes."""
    low, high = values.start, values.stop - 1
    for formula, _ in parts:
        match formula:
            case Compare(op=op, left=Param(name=n), right=Const(value=value)) if n == name:
                if op in ("==", ">", ">="):
                    low = max(low, value + (op == ">"))
                if op in ("==", "<", "<="):
                    high = min(high, value - (op == "<"))
            case _:
                pass
    return range(low, high + 1)


def _narrow(simplified: Iterable[Formula], kept: list[_Part]) -> list[_Part] | None:
    """The simplified conjuncts beside those kept; None when one of them can never be true."""
    for formula in simplified:
        for conjunct in formula.operands if isinstance(formula, And) else (formula,):
            if conjunct is FALSE or conjunct is UNKNOWN:
                return None
            if conjunct is not TRUE:
                kept.append((conjunct, _parameters(conjunct)))
    return kept


def _parameters(formula: Formula) -> frozenset[str]:
    return frozenset(n.name for n in nodes(formula) if isinstance(n, Param))


def _copy(event: Event, values: tuple[int, ...], bound: Mapping[str, int]) -> Event:
    """The event with its parameters bound in the label and in the title."""
    label = event.label
    if label is not None and label.arguments:
        folder = Folder(bound)
        label = Label(label.name, tuple(folder.integer(a) for a in label.arguments))
    arguments = ", ".join(map(str, values))
    display = f"{event.title}({arguments})" if values else event.display
    return replace(event, parameters=(), label=label, display=display)


def unroll(
    body: Body, bound: Mapping[str, int], ranges: Mapping[str, range], budget: Budget
) -> Body:
    """The body with parameters substituted, loops unrolled and decided `if`s replaced."""
    folder = Folder(bound)
    new: list[Statement] = []
    for statement in body:
        match statement:
            case For(parameter=name, range=over, body=block):
                if over not in ranges:
                    raise error(f"no range named '{over}'", statement.span)
                for value in ranges[over]:
                    copy = unroll(block, {**bound, name: value}, ranges, budget)
                    budget.unroll(1 + len(copy), statement.span)
                    new.extend(copy)
            case If(condition=condition, then=then, otherwise=otherwise):
                decided = folder.formula(condition)
                if decided is TRUE or decided is FALSE:
                    branch = then if decided is TRUE else otherwise
                    new.extend(unroll(branch, bound, ranges, budget))
                else:
                    new.append(
                        If(
                            decided,
                            unroll(then, bound, ranges, budget),
                            unroll(otherwise, bound, ranges, budget),
                            span=statement.span,
                        )
                    )
            case Fixpoint(body=block):
                copy = unroll(block, bound, ranges, budget)
                new.append(Fixpoint(copy, span=statement.span))
            case _:
                new.append(map_expressions(statement, folder.simplify, folder.target))
        if new and isinstance(new[-1], Abort):
            break
    return tuple(new)
