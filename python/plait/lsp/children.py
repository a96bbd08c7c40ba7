"""Child processes of the server: started, asked, and killed when they take too long."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread

from plait.hints import Any
from plait.lsp.protocol import Message, WrongMessageError, messages, write

_PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from plait.lsp.child import main; main()"
"""With the modules that we have: not those of the folder in which the editor happens to be."""


class Child:
    """A process; what it answers, and that it has ended, comes out of a queue."""

    def __init__(self, events: SimpleQueue[Any]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # whatever it starts is killed with it
        )
        self._events = events
        Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with suppress(OSError, ValueError), self._process.stdout as answers:
            for answer in messages(answers):
                if isinstance(answer, WrongMessageError):
                    break
                self._events.put((self, answer))
        self._events.put((self, None))

    def ask(self, question: Message) -> None:
        """Ask it; if it has ended, that is told by the queue."""
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):
            write(self._process.stdin, question)

    def kill(self) -> None:
        """End it, now."""
        with suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        with suppress(OSError, ValueError):
            if self._process.stdin is not None:
                self._process.stdin.close()


__all__ = ["Child"]
