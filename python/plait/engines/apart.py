"""Work in a process of its own, within a budget of time and memory, reported item by item.

A solver cannot look at our clock, at our memory or for Ctrl-C. Z3 releases Python's lock while it
works, but may take long between two looks at its own flags, and at the end of memory it may end the
whole process. So it works in a copy of this process (`fork`: the model need not be written out and
read again) that can be killed at any moment. What it found until then has been reported already.

The copy is gone when the iteration ends, whatever ends it. When this process is gone, the copy
notices.
"""

from __future__ import annotations

import io
import os
import pickle
import resource
import select
import signal
import struct
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Generic, TypeVar

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


class Apart(Generic[T]):
    """A process that does `work` and tells the items of it, which must be picklable.

    Objects of `shared` are not written out: a copy of this process has them too, so that the item
    that is taken here has the very same (a formula may be too deep to be written).
    """

    def __init__(
        self, work: Callable[[], Iterator[T]], budget: Budget, shared: Iterable[object] = ()
    ) -> None:
        self._shared = {id(known): known for known in shared}
        self._budget = budget
        self._pending = bytearray()
        self.running = True
        """Whether there may be more to take."""
        self._reader, writer = os.pipe()
        parent = os.getpid()
        with warnings.catch_warnings():
            # The copy runs nothing of what other threads may have been doing.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._child = os.fork()
        if not self._child:
            os.close(self._reader)
            _serve(work, writer, parent, budget, self._shared)
        os.close(writer)

    def take(self, wait: float = 0.0) -> Iterator[T]:
        """The items that are there, or come while we wait for the first of them.

        Raises `LimitReached` when the process met a limit, and `Died` when it ended unexpectedly.
        """
        while self.running:
            ready, _, _ = select.select([self._reader], [], [], wait)
            if not ready:
                return
            more = os.read(self._reader, 1 << 16)
            if not more:
                self.running = False
                raise Died("the solver ended unexpectedly")
            self._pending += more
            complete = False
            for item in self._items():
                complete = True
                yield item
            if complete or not self._pending:
                return
            wait = POLL  # a message that has begun is being written: read it to its end

    def _items(self) -> Iterator[T]:
        """What is in the messages that are complete."""
        while (content := _taken(self._pending)) is not None:
            kind, item = _Reader(io.BytesIO(content), self._shared).load()
            if kind == "item":
                yield item
                continue
            self.running = False
            if kind == "limit":
                raise LimitReached(item)
            if kind == "error":
                raise Died(item)

    def memory(self) -> int:
        """Its resident size; `LimitReached` when it and we have more than the budget together."""
        memory = _resident(self._child)
        if self._budget.memory is not None and memory + resident_memory() > self._budget.memory:
            raise LimitReached("memory")
        return memory

    def close(self) -> None:
        """End the process."""
        if self._child:
            os.close(self._reader)
            os.kill(self._child, signal.SIGKILL)
            os.waitpid(self._child, 0)
            self._child, self.running = 0, False


def apart(
    work: Callable[[], Iterator[T]],
    budget: Budget,
    tick: Callable[[int], None] = lambda memory: None,
    shared: Iterable[object] = (),
) -> Iterator[T]:
    """The items of `work`, done in another process; they must be picklable, but for what is shared.

    Raises `LimitReached` when time or memory is used up, and `Died` when the process did. `tick` is
    called now and then with the memory of that process.
    """
    process = Apart(work, budget, shared)
    try:
        while process.running:
            yield from process.take(POLL)
            memory = process.memory()
            if process.running:
                budget.check()
                tick(memory)
    finally:
        process.close()


# --- this side ------------------------------------------------------------------------------------


def _taken(pending: bytearray) -> bytes | None:
    """The first message, taken off; None while it is not complete."""
    if len(pending) < HEAD.size:
        return None
    (length,) = HEAD.unpack_from(pending)
    end = HEAD.size + length
    if len(pending) < end:
        return None
    message = bytes(pending[HEAD.size : end])
    del pending[:end]
    return message


class _Reader(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, shared: Mapping[int, object]) -> None:
        super().__init__(file)
        self._shared = shared

    def persistent_load(self, pid: int) -> object:
        return self._shared[pid]


class _Writer(pickle.Pickler):
    def __init__(self, file: io.BytesIO, shared: Mapping[int, object]) -> None:
        super().__init__(file)
        self._shared = shared

    def persistent_id(self, obj: object) -> int | None:
        return id(obj) if id(obj) in self._shared else None


def _resident(process: int) -> int:
    try:
        with open(f"/proc/{process}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return 0


# --- the other side -------------------------------------------------------------------------------


def _serve(
    work: Callable[[], Iterator[T]],
    writer: int,
    parent: int,
    budget: Budget,
    shared: Mapping[int, object],
) -> None:
    """Do the work and end; nothing of this process is ever returned to."""

    def send(message: object) -> None:
        file = io.BytesIO()
        _Writer(file, shared).dump(message)
        content = file.getvalue()
        data = HEAD.pack(len(content)) + content
        while data:
            data = data[os.write(writer, data) :]

    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one that started us ends us
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _be_silent()
        threading.Thread(target=_follow, args=(parent,), daemon=True).start()
        _limit_memory(budget)
        try:
            for item in work():
                send(("item", item))
            send(("end", None))
        except MemoryError:
            send(("limit", "memory"))
        except LimitReached as limit:
            send(("limit", limit.reason))
        except Exception as failure:
            text = f"{type(failure).__name__}: {failure}"
            known = ("limit", "memory") if "out of memory" in text else ("error", text)
            send(known)
    finally:
        os._exit(0)


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
