"""Along a run: in which of its states each condition of a linear-time formula is true.

That a run violates `G (p -> F q)` is seen at once from where p and q are true in it. Conditions are
the largest parts of the formula that speak of one state.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.logic.walk import conditions
from plait.model.expr import Formula, Not, Truth
from plait.model.text import show
from plait.reference import Semantics
from plait.report.answer import Witness
from plait.report.trace import LONGEST
from plait.report.view import StateView

MOST_CONDITIONS = 12
"""A formula with more conditions is not explained that way."""
MOST_VALUES = 100_000
"""... and no run in which they would have to be evaluated more often."""


def along_lines(
    semantics: Semantics, formula: Formula, witness: Witness, view: StateView
) -> list[str]:
    """A line for each condition of the formula: in which states of the run it is true."""
    found = (_asserted(c) for c in conditions(formula) if not isinstance(c, Truth))
    asked = sorted({show(c): c for c in found}.values(), key=_place)
    closes = witness.loop is not None and witness.loop < len(witness.steps)
    states = witness.states[: -1 if closes else None]  # the last is the first of the loop again
    if not 0 < len(asked) <= MOST_CONDITIONS or len(asked) * len(states) > MOST_VALUES:
        return []
    texts = [show(view.with_names(c), LONGEST) for c in asked]
    width = max(map(len, texts))
    lines = ["along the run:"]
    for text, condition in zip(texts, asked, strict=True):
        true = [i for i, state in enumerate(states) if semantics.holds(condition, state)]
        lines.append(f"  {text:<{width}}  {_said(true, len(states))}")
    return lines


def _asserted(condition: Formula) -> Formula:
    """Without a negation: where it is false says as much."""
    while isinstance(condition, Not):
        condition = condition.operand
    return condition


def _place(condition: Formula) -> tuple[int, int]:
    """Where it stands in the text, to tell of conditions in that order."""
    span = condition.span
    return (0, 0) if span is None else (span.line, span.column)


def _said(numbers: Sequence[int], count: int) -> str:
    """Where something is true, in words: `in 1, 4..6`."""
    if not numbers:
        return "never true"
    if len(numbers) == count:
        return "always true"
    stretches: list[list[int]] = []
    for n in numbers:
        if stretches and n == stretches[-1][1] + 1:
            stretches[-1][1] = n
        else:
            stretches.append([n, n])
    shown = (str(a) if a == b else f"{a}..{b}" for a, b in stretches)
    return f"true in {', '.join(shown)}"


__all__ = ["along_lines"]
