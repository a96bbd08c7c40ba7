"""How the explicit engine searches: on how many threads, in what form it stores states, and whether
it compiles events and writes checkpoints.

The number of threads, the exact stores and compiled events change no count, no verdict and no
length of a trace. The approximate stores may miss states: what they find is true, with a trace that
is replayed, but what they do not find stays unknown.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal, get_args

from plait.engines.budget import Budget, resident_memory
from plait.engines.checkpoint import Checkpoint
from plait.errors import error

MOST_THREADS = 1024
Store = Literal["exact", "tree", "hash-compact", "bitstate"]
STORES: tuple[Store, ...] = get_args(Store)
LEAST_BITS = 2**16
DEFAULT_BITS = 2**27
"""Bytes of a bitstate store, at least and without a limit of memory."""
Successors = Literal["auto", "interpreted", "compiled"]
SUCCESSORS: tuple[Successors, ...] = get_args(Successors)


@dataclass(frozen=True, slots=True)
class Method:
    """What was asked for; the defaults suit most models."""

    threads: int | None = None
    """None is one for a small search and all that the machine has for a large one."""
    alone: int | None = None
    """How many states one thread finds before others help; None leaves it to the native core."""
    store: str = "exact"
    fingerprint: int = 64
    """Bits of a fingerprint in the store `hash-compact`."""
    hashes: int = 3
    """Bits that a state sets in the store `bitstate`."""
    successors: str = "auto"
    """Compiled events, interpreted ones, or interpreted until the search turns out to be long."""
    checkpoint: Checkpoint | None = None

    def __post_init__(self) -> None:
        if self.threads is not None:
            _within(self.threads, 1, MOST_THREADS, "threads")
        _within(self.fingerprint, 8, 64, "bits of a fingerprint")
        _within(self.hashes, 1, 32, "hash functions")
        if self.store not in STORES:
            raise error(f"no store '{self.store}'", hint=f"there are: {', '.join(STORES)}")
        if self.successors not in SUCCESSORS:
            known = ", ".join(SUCCESSORS)
            raise error(f"no successors '{self.successors}' here", hint=f"there are: {known}")

    @property
    def workers(self) -> int:
        """The number of threads to use."""
        return self.threads or min(processors(), MOST_THREADS)

    @property
    def is_approximate(self) -> bool:
        """Whether states may be missed."""
        return self.store in ("hash-compact", "bitstate")

    @property
    def needs_explicit(self) -> bool:
        """Whether only the explicit engine can do what was asked."""
        return self.store != "exact" or self.checkpoint is not None

    def bit_bytes(self, budget: Budget) -> int:
        """The size of a bitstate store: half of what the limit leaves, the rest is for the states
        that wait to be expanded."""
        if budget.memory is None:
            return DEFAULT_BITS
        return max(LEAST_BITS, (budget.memory - resident_memory()) // 2)


def _within(value: int, least: int, most: int, what: str) -> None:
    if not least <= value <= most:
        raise error(f"{value} {what}: there must be {least} to {most}")


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
