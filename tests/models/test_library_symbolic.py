"""Every count of the dissertation's tables, found by the symbolic engine.

What takes seconds each is left to `make soak`.
"""

import pytest
from tests.models.published import ARCS, agrees, deadlocks, rows

from plait.engines import Budget, states
from plait.models import ENTRIES

IN_A_MOMENT = {
    "philosophers": 200,
    "slotted-ring": 50,
    "round-robin": 100,
    "fms": 100,
    "kanban": 50,
    "leader": 6,
}
"""The greatest sizes that need no patience."""
PRINTED: dict[tuple[str, int], set[str]] = {}
for _table, _model, _n, _digits in rows():
    PRINTED.setdefault((_model, _n), set()).add(_digits)
SMALL = sorted(k for k in PRINTED if k[1] <= IN_A_MOMENT[k[0]])
LARGE = sorted(k for k in PRINTED if k[1] > IN_A_MOMENT[k[0]])


def counts_as_printed(model: str, n: int) -> None:
    entry = ENTRIES[model]
    space = states(entry.model(n), engine="symbolic", budget=Budget(timeout=600))
    assert space.complete
    assert entry.states is not None
    assert space.states == entry.states(n)
    assert all(agrees(space.states, digits) for digits in PRINTED[model, n])


@pytest.mark.parametrize(("model", "n"), SMALL)
def test_diagrams_have_the_published_number_of_states(model: str, n: int) -> None:
    counts_as_printed(model, n)


@pytest.mark.soak
@pytest.mark.parametrize(("model", "n"), LARGE)
def test_large_diagrams_have_the_published_number_of_states(model: str, n: int) -> None:
    """covers: S98, S99, S100, S101, S102, S103"""
    counts_as_printed(model, n)


@pytest.mark.parametrize(
    ("model", "n"), [(m, n) for m, sizes in ARCS.items() for n in sizes], ids=str
)
def test_diagrams_have_the_published_arcs_and_deadlocks(model: str, n: int) -> None:
    space = states(ENTRIES[model].model(n), engine="symbolic")
    assert (space.arcs, space.deadlocks) == (ARCS[model][n], deadlocks(model, n))


def test_an_event_that_joins_two_levels_is_not_torn_apart() -> None:
    """covers: S9

    Each half of the swap alone would allow (0, 0) and (1, 1).
    """
    space = states(ENTRIES["swap"].model(), engine="symbolic")
    assert (space.states, space.arcs, space.deadlocks) == (2, 2, 0)


@pytest.mark.parametrize(
    ("model", "n"),
    [
        ("philosophers", 20),
        ("doubled-philosophers", 5),
        ("contest-philosophers", 30),
        ("slotted-ring", 8),
        ("round-robin", 8),
        ("fms", 4),
        ("kanban", 5),
        ("leader", 3),
        ("voters", 100),
        ("producer-consumer", 20),
        ("fork-join", 20),
        ("three-places", 50),
        ("two-places", 50),
    ],
)
def test_every_variant_is_one_diagram(model: str, n: int) -> None:
    entry = ENTRIES[model]
    assert entry.states is not None
    for variant in entry.variants:
        space = states(entry.model(n, variant), engine="symbolic")
        assert space.states == entry.states(n), variant
