"""Seeds in blocks, so that the workers of a parallel run share a hunt; and the size of a soak."""

import os
from collections.abc import Callable

import pytest

from plait.testing.tally import Tally

Record = Callable[[str, object], None]
SOAK = int(os.environ.get("PLAIT_SOAK", "20000"))
"""How many models the largest hunt of a soak looks at, and the others in proportion.

As it is, all of them together take about an hour on two cores; `PLAIT_SOAK=100000 make soak` is for
a release.
"""
SOAK_FIRST = int(os.environ.get("PLAIT_SOAK_FIRST", "1000000"))
"""The first seed of a soak run: another one each night finds other models."""


def blocks(first: int, count: int, size: int) -> pytest.MarkDecorator:
    """A parametrisation by ranges of seeds."""
    ranges = [range(s, min(s + size, first + count)) for s in range(first, first + count, size)]
    return pytest.mark.parametrize(
        "seeds", ranges, ids=[f"{r.start}..{r.stop - 1}" for r in ranges]
    )


def no_failures(failures: list[object], tally: Tally, record_property: Record) -> None:
    """Hand the counts to the summary, and fail with the text of every failure."""
    record_property("tally", dict(tally))
    assert not failures, "\n\n".join(map(str, failures))
