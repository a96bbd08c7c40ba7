"""The progress line: on the standard error, and only when that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from plait.engines.budget import Listener, Progress
from plait.report.numbers import size


@contextmanager
def progress_line(quiet: bool = False) -> Iterator[Listener | None]:
    """A listener that keeps one line up to date, or None; the line is wiped at the end."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    try:
        yield lambda moment: _write(f"\r\x1b[K{describe(moment)}")
    finally:
        _write("\r\x1b[K")


def describe(moment: Progress) -> str:
    """`explicit: 1,234,567 states, 850,000/s, depth 23, 412 MB, 12 s`, or in terms of nodes.

    Where neither is known, the time and the memory show that it goes on.
    """
    if moment.nodes:
        parts = [f"{moment.nodes:,} nodes"]
        if moment.collections:
            times = "s" if moment.collections > 1 else ""
            parts.append(f"{moment.collections:,} collection{times}")
        parts += [size(moment.memory), f"{moment.seconds:.0f} s"]
        return f"{moment.phase}: {', '.join(parts)}"
    if not moment.states:
        return f"{moment.phase}: {size(moment.memory)}, {moment.seconds:.0f} s"
    rate = moment.states / moment.seconds if moment.seconds > 0 else 0.0
    parts = [
        f"{moment.states:,} states",
        f"{rate:,.0f}/s",
        f"depth {moment.depth}",
        f"{moment.frontier:,} waiting",
        size(moment.memory),
        f"{moment.seconds:.0f} s",
    ]
    return f"{moment.phase}: {', '.join(parts)}"


def _write(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        pass
