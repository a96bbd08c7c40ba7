"""What the user should know besides the answer: the same sentences from every engine."""

from __future__ import annotations

from collections.abc import Iterable


def undefined_steps(counts: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    """Warnings about steps that an undefined operation swallowed, by the title of the event."""
    return tuple(
        f"event {title}: {count} step{'s' if count > 1 else ''} left out, where an operation "
        "is undefined (division by zero, an index outside its array, a shift beyond 31)"
        for title, count in counts
        if count
    )
