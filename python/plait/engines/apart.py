"""Work in a process of its own, within a budget of time and memory, told item by item.

A solver cannot be asked to look at our clock, at our memory or for Ctrl-C: Z3 releases Python's
lock while it works, but what it does between two looks at its own flags may take long, and at the
end of memory it may end the whole process. So it works in a copy of this process (`fork`: the model
need not be written out and read again) that can be killed at any moment. What it found until then
was told already; what becomes of it afterwards harms nobody.

The copy is gone when the iteration ends, whatever ends it; when we are gone, it notices.
"""

from __future__ import annotations

import os
import pickle
import resource
import select
import signal
import struct
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from plait.engines.budget import Budget, resident_memory
from plait.errors import LimitReached

T = TypeVar("T")
POLL = 0.1
"""Seconds between two looks at the budget."""
HEAD = struct.Struct("!Q")
SPARE = 256 << 20
"""Address space that the copy may use besides its limit: not all of it is ever touched."""


class Died(Exception):  # noqa: N818 - told as a reason, not as a failure
    """The process ended without saying why."""


def apart(
    work: Callable[[], Iterator[T]],
    budget: Budget,
    tick: Callable[[int], None] = lambda memory: None,
) -> Iterator[T]:
    """The items of `work`, done in another process; they must be picklable.

    Raises `LimitReached` when time or memory is used up, and `Died` when the process did. `tick` is
    called now and then with the memory of that process.
    """
    reader, writer = os.pipe()
    parent = os.getpid()
    with warnings.catch_warnings():
        # The copy runs nothing of what other threads may have been doing.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        os.close(reader)
        _serve(work, writer, parent, budget)
    os.close(writer)
    try:
        yield from _items(reader, child, budget, tick)
    finally:
        os.close(reader)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


# --- this side ------------------------------------------------------------------------------------


def _items(reader: int, child: int, budget: Budget, tick: Callable[[int], None]) -> Iterator[Any]:
    pending = bytearray()
    while True:
        ready, _, _ = select.select([reader], [], [], POLL)
        if ready:
            more = os.read(reader, 1 << 16)
            if not more:
                raise Died("the solver ended unexpectedly")
            pending += more
            while (item := _taken(pending)) is not None:
                kind, content = item
                if kind == "end":
                    return
                if kind == "limit":
                    raise LimitReached(content)
                if kind == "error":
                    raise Died(content)
                yield content
        memory = _resident(child)
        if budget.memory is not None and memory + resident_memory() > budget.memory:
            raise LimitReached("memory")
        budget.check()
        tick(memory)


def _taken(pending: bytearray) -> tuple[str, Any] | None:
    """The first message, taken off; None while it is not complete."""
    if len(pending) < HEAD.size:
        return None
    (length,) = HEAD.unpack_from(pending)
    end = HEAD.size + length
    if len(pending) < end:
        return None
    message: tuple[str, Any] = pickle.loads(bytes(pending[HEAD.size : end]))
    del pending[:end]
    return message


def _resident(process: int) -> int:
    try:
        with open(f"/proc/{process}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return 0


# --- the other side -------------------------------------------------------------------------------


def _serve(work: Callable[[], Iterator[T]], writer: int, parent: int, budget: Budget) -> None:
    """Do the work and end; nothing of this process is ever returned to."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one that started us ends us
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _be_silent()
        threading.Thread(target=_follow, args=(parent,), daemon=True).start()
        _limit_memory(budget)
        try:
            for item in work():
                _send(writer, ("item", item))
            _send(writer, ("end", None))
        except MemoryError:
            _send(writer, ("limit", "memory"))
        except LimitReached as limit:
            _send(writer, ("limit", limit.reason))
        except Exception as failure:
            text = f"{type(failure).__name__}: {failure}"
            known = ("limit", "memory") if "out of memory" in text else ("error", text)
            _send(writer, known)
    finally:
        os._exit(0)


def _send(writer: int, message: object) -> None:
    content = pickle.dumps(message)
    data = HEAD.pack(len(content)) + content
    while data:
        data = data[os.write(writer, data) :]


def _be_silent() -> None:
    """What a library writes when it runs out of memory is not for our readers."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nothing, stream)


def _follow(parent: int) -> None:
    """End when the one that started us has ended."""
    while os.getppid() == parent:
        time.sleep(POLL * 5)
    os._exit(0)


def _limit_memory(budget: Budget) -> None:
    """Let an allocation fail that alone would take more than what is left."""
    if budget.memory is None:
        return
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            size = int(file.read().split()[0]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return
    most = size + max(0, budget.memory - resident_memory()) + SPARE
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard == resource.RLIM_INFINITY or most <= hard:
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))
