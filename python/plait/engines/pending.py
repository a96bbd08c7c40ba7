"""The questions that are still open while engines take turns, and the answers so far.

An answer of one engine is final, and so is an end that another engine could not avoid. Open
questions go to the next engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from plait.hints import TYPE_CHECKING
from plait.report.answer import Answer

if TYPE_CHECKING:
    from plait.engines.beside import Marks
    from plait.model.types import Property

FINAL = ("interrupted", "internal error", "unbounded")
"""How the reasons of `unknown` begin after which no other engine is asked."""


class Pending:
    """Questions, and the answers so far."""

    def __init__(
        self,
        properties: Sequence[Property],
        tell: Callable[[int, Answer], None] | None = None,
        marks: Marks | None = None,
    ) -> None:
        """With `marks`, what others have answered is not asked."""
        self.properties = properties
        self.answers: dict[int, Answer] = {}
        self.told: Callable[[Iterable[int]], None] | None = None
        self._tell = tell
        self._marks = marks

    @property
    def left(self) -> list[int]:
        """The numbers of the questions that are open."""
        numbers = range(len(self.properties))
        open_ = [i for i in numbers if not is_final(self.answers.get(i))]
        return open_ if self._marks is None else [i for i in open_ if i not in self._marks]

    def take(self, found: Mapping[int, Answer]) -> None:
        """Answers of an engine that was asked here; others may have answered meanwhile."""
        found = {i: a for i, a in found.items() if not is_final(self.answers.get(i))}
        self.answers.update(found)
        final = [i for i, answer in found.items() if is_final(answer)]
        if self.told is not None:
            self.told(final)
        for i in final:
            self.hear(i, found[i])

    def hear(self, number: int, answer: Answer) -> None:
        """A final answer, whoever gave it."""
        self.answers[number] = answer
        if self._tell is not None:
            self._tell(number, answer)

    def in_order(self) -> list[Answer]:
        """The answers to all questions."""
        return [self.answers[i] for i in range(len(self.properties))]


def is_final(answer: Answer | None) -> bool:
    """Whether nobody else is asked."""
    if answer is None:
        return False
    # An error of ours must be seen, not covered by what the next engine says; and what has no
    # bound will have none there either.
    ended = answer.reason is not None and answer.reason.startswith(FINAL)
    return answer.verdict != "unknown" or ended


__all__ = ["Pending", "is_final"]
