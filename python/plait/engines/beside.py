"""Two engines side by side: another process asks the same questions while this one searches.

Nobody knows in advance which engine will answer, and two processors can ask two of them. The other
process is a copy of this one (`apart`), made when its turn begins, so nothing is read or prepared
twice. It reports each answer when it has it. This process takes answers in whenever the engine that
is running reports its progress; when all questions are answered, that engine is stopped. In the
other direction, what is answered here is marked in a page that both share, and not asked there
again.

An answer is final whichever process gives it, so the two never have to agree. Which of them is
first may differ from run to run; what they answer may not. Both have the same time; memory is
divided.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from plait.engines.apart import POLL, Apart, Died
from plait.engines.budget import Budget, Listener, Progress
from plait.errors import Diagnostic, InputError, LimitReached
from plait.model.types import Property
from plait.records import dataclass, replace
from plait.report.answer import Answer

PARTS = 4
"""The other process has one of so many parts of the memory."""
EARLY = 0.93
"""... and so much of the time: an engine may have its answers when its time is over."""
Told = tuple[int, Answer]
"""The number of a question, and its answer."""


@dataclass(frozen=True, slots=True)
class Failure:
    """The model goes wrong, as the other process found out: the same error is raised here."""

    kind: type[InputError]
    diagnostics: tuple[Diagnostic, ...]


class AllAnswered(Exception):  # noqa: N818 - ends an engine, is no failure
    """The other process has answered what this one is still searching for."""


class Marks:
    """Which questions are answered, in a page that both processes see."""

    def __init__(self, count: int) -> None:
        self._page = mmap.mmap(-1, max(1, count))

    def put(self, number: int) -> None:
        """The question is answered."""
        self._page[number] = 1

    def __contains__(self, number: int) -> bool:
        return bool(self._page[number])


def has_two_processors() -> bool:
    """Whether two processes can work at the same time, and there is a way to copy one."""
    if not hasattr(os, "fork"):
        return False
    try:
        return len(os.sched_getaffinity(0)) > 1
    except AttributeError:
        return (os.cpu_count() or 1) > 1


def there(budget: Budget) -> Budget:
    """What the other process may use of a budget: it must end in time to be heard."""
    memory = None if budget.memory is None else budget.memory // PARTS
    remaining = budget.remaining()
    timeout = None if remaining is None else budget.elapsed + EARLY * remaining
    return replace(budget, memory=memory, timeout=timeout)


@dataclass(frozen=True, slots=True)
class Lane:
    """What the other process does: its work, given the marks, and what both know already."""

    work: Callable[[Marks], Iterator[Told]]
    shared: Sequence[object] = ()


class Beside:
    """The other process, its answers so far, and a listener that takes them in."""

    def __init__(
        self,
        properties: Sequence[Property],
        lane: Lane,
        budget: Budget,
        *,
        listen: Listener | None = None,
        tell: Callable[[int, Answer], None] | None = None,
    ) -> None:
        self.properties = properties
        self.answers: dict[int, Answer] = {}
        """What the other process answered."""
        self.open = set(range(len(properties)))
        """The questions that neither process has answered, as far as is known here."""
        self._listen, self._tell = listen, tell
        self._budget = budget
        self._marks = marks = Marks(len(properties))
        shared = [*properties, *lane.shared]
        self._process: Apart[Told | Failure] = Apart(
            lambda: _told(lane.work(marks)), there(budget), shared
        )

    @property
    def left(self) -> list[int]:
        """The open questions, in order."""
        return sorted(self.open)

    def here(self) -> Budget:
        """What this process may use while the other one works."""
        memory = self._budget.memory
        if memory is None or not self._process.running:
            return self._budget
        return replace(self._budget, memory=memory - memory // PARTS)

    def settle(self, numbers: Iterable[int]) -> None:
        """These are answered here: nobody need ask them any more."""
        for number in numbers:
            self.open.discard(number)
            self._marks.put(number)

    def listen(self, progress: Progress) -> None:
        """A listener for the engines here; raises `AllAnswered` when there is nothing left."""
        if self._listen is not None:
            self._listen(progress)
        self.look()
        if not self.open:
            raise AllAnswered

    def look(self, wait: float = 0.0) -> None:
        """Take in what the other process has told."""
        try:
            for item in self._process.take(wait):
                if isinstance(item, Failure):
                    raise item.kind(*item.diagnostics)
                number, answer = item
                if number in self.open:
                    self.open.discard(number)
                    self.answers[number] = answer
                    if self._tell is not None:
                        self._tell(number, answer)
        except (LimitReached, Died):
            self._process.close()  # what it has told stays

    def wait(self) -> None:
        """Wait for the other process until it ends, the time is over, or nothing is left."""
        while self._process.running and self.open and self._budget.remaining() != 0:
            self.look(POLL)
        self.look()

    @contextmanager
    def until_answered(self) -> Iterator[None]:
        """What engines do here: it ends when all is answered, and so does the other process."""
        try:
            yield
            self.wait()
        except AllAnswered:
            pass
        finally:
            self.close()

    def close(self) -> None:
        """End the other process."""
        self._process.close()


def _told(work: Iterator[Told]) -> Iterator[Told | Failure]:
    """What the other process tells."""
    try:
        yield from work
    except InputError as failure:
        yield Failure(type(failure), failure.diagnostics)


__all__ = ["AllAnswered", "Beside", "Lane", "Marks", "Told", "has_two_processors", "there"]
