"""How the explicit engine searches: on how many threads.

Nothing here changes a count, a verdict or the length of a trace.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from plait.errors import error

MOST_THREADS = 1024


@dataclass(frozen=True, slots=True)
class Method:
    """What was asked for; the defaults suit most models."""

    threads: int | None = None
    """None is one for a small search and all that the machine has for a large one."""
    alone: int | None = None
    """How many states one thread finds before others help; None leaves it to the native core."""

    def __post_init__(self) -> None:
        if self.threads is not None and not 1 <= self.threads <= MOST_THREADS:
            raise error(f"{self.threads} threads: there must be 1 to {MOST_THREADS}")

    @property
    def workers(self) -> int:
        """The number of threads to use."""
        return self.threads or min(processors(), MOST_THREADS)


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
