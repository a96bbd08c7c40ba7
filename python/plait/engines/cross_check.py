"""Cross-checking: a second engine confirms each answer, or contradicts it.

Engines share the passes and the compiled program, but each decides in its own way, so an error of
one shows where another disagrees (I143 of the checklist; the differential tests do the same on
random models). The second engine belongs to another *family* than the first: explicit states, sets
of states in diagrams, and the reference, which shares nothing with either. What was answered by
structure alone, or on a reduced net, is confirmed on the states of the whole model.

Two answers that differ become `unknown`, with an internal error that names both. An answer that no
engine confirmed within the limits stays, and a note says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plait.engines.budget import Budget
from plait.model.types import Property
from plait.records import replace
from plait.report.answer import Answer

Ask = Callable[[Sequence[Property], str, Budget], list[Answer]]
"""The answers of one engine."""
FAMILIES = {
    "explicit": ("explicit", "local", "walk"),
    "symbolic": ("symbolic",),
    "reference": ("reference",),
}
"""Engines that can confirm, and the names under which they answer."""
ORDER = ("symbolic", "explicit", "reference")
"""Who is asked first to confirm."""


def confirmers(answer: Answer) -> list[str]:
    """The engines of other families than the one that answered."""
    told = answer.engine.rsplit("+", 1)[-1]
    return [name for name in ORDER if told not in FAMILIES[name]]


def cross_checked(answers: Sequence[Answer], budget: Budget, ask: Ask) -> list[Answer]:
    """The answers, each confirmed, contradicted or with a note that it was not."""
    checked = list(answers)
    pending = {i: confirmers(a) for i, a in enumerate(answers) if a.verdict != "unknown"}
    for turn in range(len(ORDER)):
        for name in ORDER:
            group = [i for i, names in pending.items() if names[turn : turn + 1] == [name]]
            if not group or any(_is_interrupted(a) for a in checked):
                continue
            share = budget.share(len(ORDER) - turn)
            found = ask([answers[i].property for i in group], name, share)
            for i, second in zip(group, found, strict=True):
                if second.verdict != "unknown" or _is_interrupted(second):
                    checked[i] = compared(answers[i], second)
                    del pending[i]
    for i in pending:
        note = f"{answers[i].property.name}: no second engine could confirm the answer"
        checked[i] = replace(checked[i], notes=(*checked[i].notes, note))
    return checked


def compared(first: Answer, second: Answer) -> Answer:
    """The first answer, if the second says the same."""
    if _is_interrupted(second):
        return replace(second, property=first.property)
    if (first.verdict, first.value) == (second.verdict, second.value):
        return replace(first, stats={**first.stats, "confirmed_by": second.engine})
    said = (f"{a.engine} says {_said(a)}" for a in (first, second))
    reason = f"internal error: two engines disagree: {', '.join(said)}"
    return Answer(first.property, "unknown", first.engine, reason=reason, seconds=first.seconds)


def _said(answer: Answer) -> str:
    return str(answer.verdict if answer.value is None else answer.value)


def _is_interrupted(answer: Answer) -> bool:
    return answer.reason == "interrupted"


__all__ = ["Ask", "compared", "confirmers", "cross_checked"]
