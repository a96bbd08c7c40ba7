"""The tables of the benchmark of reductions."""

from __future__ import annotations

import pytest

from bench import reduction


def test_a_table_has_a_row_for_each_search_of_the_thesis(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Three philosophers: 26 states; the columns are states, arcs, matched, seconds, two shares.

    covers: P74
    """
    reduction._table("philosophers", reduction.philosophers(3))
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    names = ["DFS", "SLEEP", "PS", "PS+SLEEP", "PS+PROV", "PS+SLEEP+PROV"]
    assert [row[1] for row in rows] == names
    figures = {row[1]: row[2:] for row in rows}
    assert figures["DFS"][0] == figures["SLEEP"][0] == "26"
    assert figures["DFS"][4:] == ["100.0", "100.0"]
    for name, found in figures.items():
        assert float(found[4]) == pytest.approx(100 * int(found[0]) / 26, abs=0.06), name
        assert int(found[1]) <= int(figures["DFS"][1])
    assert int(figures["PS+SLEEP"][0]) < 26


def test_a_cache_costs_at_least_the_steps_of_the_search_that_stores_all(
    capsys: pytest.CaptureFixture[str],
) -> None:
    title, search = reduction.SEARCHES[3]
    reduction._cached("philosophers", reduction.philosophers(4), title, search)
    name, algorithm, states, *costs = capsys.readouterr().out.split()
    assert (name, algorithm, len(costs)) == ("philosophers", "PS+SLEEP", len(reduction.SHARES))
    assert int(states) < 80
    assert all(cost == "-" or float(cost) >= 1 for cost in costs)
