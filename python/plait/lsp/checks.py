"""Checks on request: one after the other, each in a process with a time limit."""

from __future__ import annotations

import time
from collections.abc import Callable
from queue import SimpleQueue

from plait.hints import Any
from plait.lsp.children import Child
from plait.lsp.documents import Document
from plait.lsp.protocol import Message
from plait.records import dataclass

GRACE = 3.0
"""Seconds that a check may take longer than it was told, to start and to say what it knows."""
ENDLESS = 3600.0


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """A property of a version of a text, or all of them, and who asked."""

    request: int | str
    document: Document
    version: int
    text: str
    name: str | None
    token: object = None
    """By which the editor knows the progress of the check, if it wants to hear of it."""

    @property
    def title(self) -> str:
        """What is checked."""
        return "the model" if self.name is None else self.name


class Checks:
    """Runs checks and tells how each has ended."""

    def __init__(
        self, events: SimpleQueue[Any], seconds: float, done: Callable[[Check, Message], None]
    ) -> None:
        self._events = events
        self._seconds = seconds
        self._done = done
        self._waiting: list[Check] = []
        self._running: Check | None = None
        self._child: Child | None = None
        self._started = 0.0

    def add(self, check: Check) -> None:
        """Run a check when those before it have ended."""
        self._waiting.append(check)

    def cancel(self, wanted: Callable[[Check], bool]) -> list[Check]:
        """Take back the checks that are wanted; they are not told of any more."""
        found = [c for c in self._waiting if wanted(c)]
        self._waiting = [c for c in self._waiting if not wanted(c)]
        if self._running is not None and wanted(self._running):
            found.append(self._running)
            self.close()
        return found

    def turn(self) -> float:
        """Start the next check or end one that takes too long; seconds until there is more."""
        now = time.monotonic()
        if self._running is not None:
            rest = self._started + self._seconds + GRACE - now
            if rest > 0:
                return rest
            self._end({"failed": "out of time"})
        if self._waiting:
            self._start(self._waiting.pop(0), now)
            return self._seconds + GRACE
        return ENDLESS

    def _start(self, check: Check, now: float) -> None:
        document = check.document
        self._running, self._started = check, now
        try:
            self._child = Child(self._events)
        except OSError as failure:
            self._end({"failed": f"it cannot be started: {failure.strerror}"})
            return
        self._child.ask(
            {
                "number": 1,
                "what": "check",
                "text": check.text,
                "path": None if document.path is None else str(document.path),
                "language": document.language,
                "name": check.name,
                "seconds": self._seconds,
            }
        )

    def take(self, child: Child, answer: Message | None) -> bool:
        """Take an answer, or None for the end of a process, if it is ours."""
        if child is not self._child:
            return False
        self._end({"failed": "it has ended unexpectedly"} if answer is None else answer)
        return True

    def _end(self, answer: Message) -> None:
        check = self._running
        self.close()
        if check is not None:
            self._done(check, answer)

    def close(self) -> None:
        """End the process."""
        self._running = None
        if self._child is not None:
            self._child.kill()
            self._child = None


__all__ = ["Check", "Checks"]
