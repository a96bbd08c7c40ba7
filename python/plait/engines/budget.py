"""What a run may use, and how it says where it is."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Sequence

from plait.errors import LimitReached
from plait.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Progress:
    """A moment of a search, for the progress line."""

    phase: str
    states: int = 0
    depth: int = 0
    frontier: int = 0
    memory: int = 0
    seconds: float = 0.0
    nodes: int = 0
    """Nodes of diagrams; 0 where there are none."""
    collections: int = 0


Listener = Callable[[Progress], None]


Moment = dict[str, float]
"""The figures of a native search, by name."""
OF_STATES = ("states", "depth", "frontier", "memory")
OF_DIAGRAMS = ("nodes", "collections", "memory")
"""What searches of states and computations on diagrams tell."""


def teller(
    phase: str,
    listen: Listener | None,
    budget: Budget,
    figures: Sequence[str] = OF_STATES,
) -> Callable[[Moment], None] | None:
    """What a native search tells its moments, for a listener; of them these figures."""
    if listen is None:
        return None

    def tell(moment: Moment) -> None:
        known = {name: int(moment[name]) for name in figures}
        listen(Progress(phase, seconds=budget.elapsed, **known))

    return tell


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one run; the clock starts when the budget is made."""

    timeout: float | None = None
    memory: int | None = None
    states: int | None = None
    start: float = field(default_factory=time.monotonic)
    whole: Budget | None = None
    """That of the run, if this is for a turn of it: what a turn finds out may be shown in the time
    of the run."""

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.start

    def remaining(self) -> float | None:
        """Seconds left, never negative; None without a timeout."""
        return None if self.timeout is None else max(0.0, self.timeout - self.elapsed)

    def share(self, parts: int) -> Budget:
        """A budget for the first of so many parts; what it leaves is for the others."""
        remaining = self.remaining()
        timeout = None if remaining is None else remaining / parts
        return Budget(timeout, self.memory, self.states)

    def part(self, share: float, unlimited: float) -> float:
        """A share of the seconds left, or so many where there is no limit."""
        remaining = self.remaining()
        return unlimited if remaining is None else remaining * share

    def moment(self, seconds: float, share: float) -> float:
        """So many seconds, but no more than a share of what is left."""
        return min(seconds, self.part(share, seconds))

    def check(self) -> None:
        """Raise `LimitReached` when time or memory is used up."""
        if self.timeout is not None and self.elapsed >= self.timeout:
            raise LimitReached("timeout")
        if self.memory is not None and resident_memory() > self.memory:
            raise LimitReached("memory")


def peak_memory() -> int:
    """The largest resident size of this process so far, in bytes.

    The kernel's resource usage counts what a parent had when it started this process, so it is only
    asked where the process's own high-water mark cannot be read.
    """
    try:
        with open("/proc/self/status", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def forget_peak() -> None:
    """Let the largest resident size begin anew, for a second run of this process.

    Where the kernel cannot, it stays that of all runs so far.
    """
    try:
        with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
            file.write("5")
    except OSError:
        pass


def resident_memory() -> int:
    """The resident size of this process now, in bytes (the peak where it cannot be read)."""
    try:
        with open("/proc/self/statm", encoding="utf-8") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return peak_memory()


def default_memory() -> int | None:
    """Three quarters of what this machine or container has; None where it cannot be known."""
    amounts = []
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            with open(path, encoding="utf-8") as file:
                amounts.append(int(file.read()))
        except (OSError, ValueError):
            continue
    try:
        with open("/proc/meminfo", encoding="utf-8") as file:
            kilobytes = dict(line.split()[:2] for line in file)
        amounts.append(int(kilobytes["MemAvailable:"]) * 1024)
    except (OSError, ValueError, KeyError):
        pass
    return min(amounts) * 3 // 4 if amounts else None
