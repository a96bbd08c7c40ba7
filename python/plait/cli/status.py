"""Exit statuses, and how they combine: a failure is never reported as success.

0 every property holds, 1 at least one is violated, 2 the input or the command line is wrong,
3 something stayed unknown, 130 interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from plait.errors import LimitReached
from plait.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from plait.model.types import Property
    from plait.report.answer import Answer

HOLDS = 0
VIOLATED = 1
WRONG = 2
UNKNOWN = 3
INTERRUPTED = 130

STOPS = (LimitReached, MemoryError, KeyboardInterrupt)
"""What ends a run before its end without anything being wrong."""


def reason_of(stop: BaseException) -> str:
    """What the answer `unknown` says about one of `STOPS`."""
    if isinstance(stop, LimitReached):
        return stop.reason
    return "memory" if isinstance(stop, MemoryError) else "interrupted"


def status_of(answers: Sequence[Answer]) -> int:
    """The exit status of a list of answers; no answer at all is unknown."""
    verdicts = {a.verdict for a in answers}
    if "false" in verdicts:
        return VIOLATED
    return UNKNOWN if "unknown" in verdicts or not answers else HOLDS


def guarded(
    work: Callable[[], list[Answer]],
    properties: Sequence[Property],
    early: Mapping[int, Answer] | None = None,
) -> tuple[list[Answer], bool]:
    """The answers, and whether the work was stopped by Ctrl-C.

    When it stopped before its end, what was told `early` (by the identity of the property) is an
    answer all the same, and the rest is `unknown`.
    """
    try:
        answers = work()
        return answers, any(a.reason == "interrupted" for a in answers)
    except STOPS as stop:
        reason = reason_of(stop)
    from plait.report.answer import Answer

    known = early or {}
    answers = [known.get(id(p), Answer(p, "unknown", "none", reason=reason)) for p in properties]
    return answers, reason == "interrupted"
