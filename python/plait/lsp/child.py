"""The process in which texts are read and properties checked; it may be killed at any moment.

It reads questions and writes answers, both as messages, and ends with the one that started it.
"""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import IO

from plait.engines.budget import default_memory
from plait.lsp.protocol import Message, WrongMessageError, messages, write


def main() -> None:
    """Answer until nobody asks any more."""
    questions, answers = _streams()
    waiting: SimpleQueue[Message] = SimpleQueue()
    # Also in the middle of some work: who asked is gone, and nobody wants to know any more.
    Thread(target=_listen, args=(questions, waiting), daemon=True).start()
    while True:
        question = waiting.get()
        write(answers, {"number": question["number"], **_answered(question)})


def _streams() -> tuple[IO[bytes], IO[bytes]]:
    """Where questions come from and answers go; what else is printed goes to the standard error."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return sys.stdin.buffer, answers


def _listen(questions: IO[bytes], waiting: SimpleQueue[Message]) -> None:
    for question in messages(questions):
        if isinstance(question, WrongMessageError):
            break
        waiting.put(question)
    os._exit(0)


def _answered(question: Message) -> Message:
    path = None if question["path"] is None else Path(question["path"])
    text, language = question["text"], question["language"]
    try:
        if question["what"] == "check":
            from plait.lsp.asking import asked

            return asked(text, path, language, question["name"], question["seconds"])
        from plait.lsp.analysis import analysed

        _limit_memory()  # the engines of a check look at what they use themselves
        return analysed(text, path, language)
    except MemoryError:
        return {"failed": "out of memory"}
    except BaseException as failure:
        # Also what the native core raises in a panic, which is no `Exception`.
        if isinstance(failure, KeyboardInterrupt | SystemExit):
            raise
        return {"failed": f"internal error: {type(failure).__name__}: {failure}"[:1000]}


def _limit_memory() -> None:
    """Let what a text asks for end this process, and not the machine."""
    most = 2 * (default_memory() or 2**33)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard == resource.RLIM_INFINITY or most <= hard:
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))
