"""When texts are read: shortly after the last change, one at a time, with a time limit.

What is read is told with the version of the text that it is about. A text that takes too long is
given up, and one that was changed meanwhile is not waited for much longer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from queue import SimpleQueue

from plait.hints import Any
from plait.lsp.children import Child
from plait.lsp.documents import Document
from plait.lsp.protocol import Message
from plait.records import dataclass

PAUSE = 0.15
"""Seconds without a change before a text is read."""
PATIENCE = 1.0
"""Seconds that a text is read to the end though it is not the newest any more."""
MOST_SECONDS = 20.0
"""Seconds after which reading a text is given up."""
RENEWED = 500
"""So many texts a process reads: what it remembers of them must not grow for ever."""
ENDLESS = 3600.0

Done = Callable[[Document, int, Sequence[str], Message], None]


@dataclass(frozen=True, slots=True)
class _Task:
    document: Document
    version: int
    lines: Sequence[str]
    number: int
    started: float

    def stale(self) -> bool:
        return self.document.closed or self.version != self.document.version


class Reading:
    """Reads texts in a process of its own, and tells what it found."""

    def __init__(self, events: SimpleQueue[Any], done: Done) -> None:
        self._events = events
        self._done = done
        self._child: Child | None = None
        self._due: dict[str, tuple[float, Document]] = {}
        self._task: _Task | None = None
        self._asked = 0

    def soon(self, document: Document, pause: float = PAUSE) -> None:
        """Read a text, unless it changes again within the pause, or is being read."""
        task = self._task
        if task is not None and task.document is document and not task.stale():
            return
        self._due[document.uri] = (time.monotonic() + pause, document)

    def turn(self) -> float:
        """Start what is due and give up what takes too long; seconds until there is more to do."""
        now, task = time.monotonic(), self._task
        if task is not None:
            most = PATIENCE if task.stale() else MOST_SECONDS
            if now < task.started + most:
                return task.started + most - now
            self._end(f"reading this text takes longer than {MOST_SECONDS:.0f} s")
        for when, document in sorted(self._due.values(), key=lambda due: due[0]):
            if when > now:
                return when - now
            del self._due[document.uri]
            if not document.closed:
                self._start(document)
                return PATIENCE
        return ENDLESS

    def _start(self, document: Document) -> None:
        if self._asked >= RENEWED:
            self.close()
        self._asked += 1
        lines = [*document.lines]
        self._task = _Task(document, document.version, lines, self._asked, time.monotonic())
        if self._child is None:
            try:
                self._child = Child(self._events)
            except OSError as failure:
                self._end(f"this text cannot be read: {failure.strerror}")
                return
        path = None if document.path is None else str(document.path)
        self._child.ask(
            {
                "number": self._asked,
                "what": "read",
                "text": document.text,
                "path": path,
                "language": document.language,
            }
        )

    def _end(self, reason: str) -> None:
        self.close()
        self._tell({"failed": reason})

    def _tell(self, found: Message) -> None:
        task, self._task = self._task, None
        if task is not None and not task.stale():
            self._done(task.document, task.version, task.lines, found)

    def take(self, child: Child, answer: Message | None) -> bool:
        """Take an answer, or None for the end of a process, if it is ours."""
        if child is not self._child:
            return False
        if answer is None:
            self._end("reading this text has ended unexpectedly")
        elif self._task is not None and answer.get("number") == self._task.number:
            self._tell(answer)
        return True

    def close(self) -> None:
        """End the process."""
        if self._child is not None:
            self._child.kill()
        self._child, self._asked = None, 0


__all__ = ["Reading"]
