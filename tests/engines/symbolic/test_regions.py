"""Regions: what exploration finds inside a constraint and from a start; traces into them."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from tests.cli.command import Command

from plait.api import System, parse
from plait.errors import InputError, LimitReached
from plait.model.shape import State
from plait.reference import Semantics

GRID = """
gal grid {
  int x = 0 ; int y = 0 ; int kept = 7 ;
  transition right [x < 4] { x = x + 1 ; }
  transition up [y < 4] { y = y + 1 ; }
  transition back [x == 4 && y == 4] { x = 0 ; }
  transition jump [x == 2] { x = 2 + y % 2 ; }
}
"""


def explored(
    semantics: Semantics, start: set[State], inside: Callable[[State], bool]
) -> set[State]:
    """The states that the reference finds."""
    found: set[State] = set()
    queue = [s for s in start if inside(s)]
    while queue:
        state = queue.pop()
        if state not in found:
            found.add(state)
            queue += [s for _, s in semantics.successors(state) if inside(s)]
    return found


@pytest.fixture(scope="module")
def grid() -> System:
    return parse(GRID, "grid")


def test_exploration_stays_inside_a_constraint_and_begins_where_it_is_told(grid: System) -> None:
    """covers: I47, S38"""
    semantics = grid.semantics()
    everything = explored(semantics, {semantics.initial}, lambda s: True)
    assert set(grid.reachable().some(100)) == everything
    inside = explored(semantics, {semantics.initial}, lambda s: s[0] + s[1] < 4)
    found = grid.reachable(constraint="x + y < 4")
    assert set(found.some(100)) == inside
    assert found.count() == len(inside) == 10
    above = {s for s in everything if s[1] == 3}
    from_above = explored(semantics, above, lambda s: True)
    assert set(grid.reachable(start="y == 3").some(100)) == from_above
    # A start outside the constraint is none; the initial state may be outside too.
    both = explored(semantics, above, lambda s: 0 < s[0] < 3)
    assert set(grid.reachable(start="y == 3", constraint="x > 0 && x < 3").some(100)) == both
    assert grid.reachable(constraint="x > 0").count() == 0
    assert not grid.reachable(start="x == 9")
    assert len(grid.reachable().some(3)) == 3


def test_regions_are_sets(grid: System) -> None:
    found = grid.reachable(constraint="x + y < 4")
    low, some = found.owner.where(0), found.owner.initial()
    assert (found | some).count() == found.count()
    assert (found - some).count() == found.count() - 1
    assert (low & some).some(2) == [(0, 0, 7)]


def test_as_many_distinct_shortest_traces_are_found_as_there_are(grid: System) -> None:
    """covers: I43"""
    # To (2, 2) there are C(4, 2) ways of four steps; the useless jumps make none that is as short.
    traces = grid.traces("reachable: x == 2 && y == 2", 100)
    assert len(traces) == 6
    assert {len(t.steps) for t in traces} == {4}
    ways = {tuple(step.event for step in t.steps) for t in traces}
    assert len(ways) == 6
    assert all(sorted(way) == ["right", "right", "up", "up"] for way in ways)
    semantics = grid.semantics()
    for trace in traces:
        for before, after in pairwise(trace.states):
            assert after in [s for _, s in semantics.successors(before)]
    assert len(grid.traces("reachable: x == 2 && y == 2", 4)) == 4
    # To (3, 1) there are four ways; and a jump from (2, 1), to which there are three, is another.
    traces = grid.traces("reachable: x == 3 && y == 1", 99)
    found = {tuple(step.event for step in t.steps) for t in traces}
    assert ("right", "right", "up", "jump") in found
    assert len(traces) == len(found) == 7
    # Several states at the same distance.
    ends = {t.states[-1] for t in grid.traces("never: x + y == 3", 100)}
    assert ends == {(0, 3, 7), (1, 2, 7), (2, 1, 7), (3, 0, 7)}
    assert grid.traces("reachable: x == 0 && y == 0", 5)[0].steps == ()
    assert grid.traces("reachable: x == 9", 5) == []


TWINS = """
gal twins {
  int x = 0 ; array [3] a = (0, 1, 2) ;
  transition one [x < 3] { x = x + 1 ; }
  transition two [x < 3] { x = a[x % 3] + 1 ; }
  transition three [x > 0] { self."some" ; }
  transition less [true] label "some" { x = x - 1 ; }
  transition same [true] label "some" { a[x % 3] = a[x % 3] ; }
}
"""


@pytest.mark.parametrize("text", [GRID, TWINS], ids=["grid", "twins"])
def test_edges_are_pairs_of_states_whatever_leads_from_one_to_the_other(text: str) -> None:
    """covers: I49"""
    semantics = parse(text, "model").semantics()
    graph = semantics.reachable()
    pairs = {(s, t) for s in graph.states for _, t in semantics.successors(s)}
    arcs = sum(len(semantics.successors(s)) for s in graph.states)
    found = parse(text, "model").reachable().owner.edges()
    assert found == len(pairs)
    assert found < arcs


def test_what_is_no_set_of_states_is_refused(grid: System) -> None:
    with pytest.raises(InputError, match="a set of states is asked for"):
        grid.traces("AG EF x == 0", 2)
    with pytest.raises(LimitReached, match="timeout"):
        grid.reachable(timeout=1e-9)
    with pytest.raises(InputError, match="not a positive number of seconds"):
        grid.reachable(timeout=0)


def test_the_command_counts_and_lists(capsys: pytest.CaptureFixture[str], tmp_path: object) -> None:
    """covers: I47, S38"""
    from pathlib import Path

    file = Path(str(tmp_path)) / "grid.gal"
    file.write_text(GRID)
    command = Command(capsys)
    plain = command("states", file, "--constraint", "x + y < 2", "--list", "9", "-q")
    assert plain.status == 0
    lines = plain.out.splitlines()
    assert sorted(lines[:3]) == [
        "x = 0, y = 0, kept = 7",
        "x = 0, y = 1, kept = 7",
        "x = 1, y = 0, kept = 7",
    ]
    assert lines[3].split() == ["states", "3"]
    assert len(command("states", file, "--list", "5", "-q").out.split("kept")) == 6
    for other in (("--engine", "explicit"), ("--store", "tree"), ("--reduction", "ps")):
        wrong = command("states", file, "--list", "5", *other)
        assert wrong.status == 2
        assert "symbolic engine's" in wrong.err
