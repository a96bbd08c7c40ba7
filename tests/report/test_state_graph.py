"""State graphs: what is in them, what is said of what is not, and their three renderings."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conftest import ROOT
from tests.report.drawings import classes, read_svg, texts

import plait as package
from plait.errors import InputError
from plait.records import replace
from plait.report.state_graph import StateGraph

COUNTER = """gal counter { int x = 0; int y = 0;
  transition up [x < 3] { x += 1; }
  transition twice [x < 2] { x += 2; }
  transition also [x == 0] { x = 1; }
  transition idle [x == 1] { x = 1; }
  transition back [x == 2] { x = 0; }
}"""
LIGHTS = """byte n; byte x;
process P { state red, green; init red;
  trans red -> green { guard n == 0; effect n = 1; }, green -> red { effect n = 0; }; }
process Q { state red, green; init red;
  trans red -> green { guard n == 0; effect n = 1; }, green -> red { effect n = 0, x = 1 - x; }; }
system async;"""


def counter(**wanted: object) -> StateGraph:
    return package.parse(COUNTER).graph(**wanted)  # type: ignore[arg-type]


def table(**wanted: object) -> StateGraph:
    found = package.load(ROOT / "examples" / "philosophers.gal", N=4)
    return found.graph(**wanted)  # type: ignore[arg-type]


def test_the_graph_is_the_reachable_one() -> None:
    system = package.load(ROOT / "examples" / "philosophers.gal", N=4)
    whole, graph = system.semantics().reachable(), system.graph()
    assert len(graph.nodes) == len(whole.states) == 34
    drawn = {(a.source, a.target, e) for a in graph.arcs for e in a.events}
    assert drawn == {(s, t, e) for s, row in enumerate(whole.arcs) for e, t in row}
    assert [n.number for n in graph.nodes if n.deadlocks] == whole.deadlocks
    assert [n.number for n in graph.nodes if n.initial] == [0]
    assert graph.partial is None
    assert not any(n.hidden for n in graph.nodes)


def test_events_between_two_states_are_one_arc() -> None:
    graph = counter()
    assert len({(a.source, a.target) for a in graph.arcs}) == len(graph.arcs)
    first = next(a for a in graph.arcs if (a.source, a.target) == (0, 1))
    assert first.events == ("up", "also")


def test_nodes_say_what_tells_states_apart() -> None:
    assert [n.lines for n in counter().nodes][:2] == [("x=0",), ("x=1",)]
    assert counter(show=["y"]).nodes[1].lines == ("y=0",)


def test_processes_are_shown_by_location(tmp_path: Path) -> None:
    file = tmp_path / "lights.dve"
    file.write_text(LIGHTS)
    graph = package.load(file).graph()
    assert graph.nodes[0].lines == ("P@red Q@red", "n=0 x=0")


@pytest.mark.parametrize("limit", [1, 7, 33])
def test_a_cut_is_said_and_every_arc_is_drawn_or_counted(limit: int) -> None:
    whole, graph = table(), table(limit=limit)
    assert len(graph.nodes) == limit
    assert graph.partial == f"the first {limit} states only"
    leaving = {n.number: 0 for n in whole.nodes}
    for arc in whole.arcs:
        leaving[arc.source] += len(arc.events)
    for place, node in enumerate(graph.nodes):
        kept = sum(len(a.events) for a in graph.arcs if a.source == place)
        assert kept + node.hidden == leaving[node.number]
    assert f"partial: {graph.partial}" in texts(read_svg(graph.svg()))
    assert "open" in classes(read_svg(graph.svg()))
    assert "partial" in graph.dot()


def test_a_state_that_is_cut_off_is_no_deadlock() -> None:
    assert not any(n.deadlocks for n in table(limit=5).nodes)
    assert [n.deadlocks for n in table(depth=0).nodes] == [0]


def test_depth_counts_steps() -> None:
    whole = package.load(ROOT / "examples" / "philosophers.gal", N=4).states(depth=2).states
    graph = table(depth=2)
    assert len(graph.nodes) == whole
    assert graph.partial == "the states within 2 steps only"
    assert table(depth=9).partial is None


def test_around_a_state_are_those_before_and_after_it() -> None:
    graph = table(around="left[0] == 1 && left[1] == 1", depth=1)
    centre = next(n for n in graph.nodes if n.centre)
    assert centre.values["left[0]"] == centre.values["left[1]"] == "1"
    whole = table()
    near = {a.source for a in whole.arcs if a.target == centre.number}
    near |= {a.target for a in whole.arcs if a.source == centre.number}
    assert {n.number for n in graph.nodes} == near | {centre.number}
    assert graph.partial is not None
    assert "within 1 step of state" in graph.partial
    assert {n.number for n in table(around=str(centre.number), depth=1).nodes} == {
        n.number for n in graph.nodes
    }


def test_a_trace_is_marked_from_its_beginning_to_its_end() -> None:
    graph = table(trace="free")
    assert sum(n.marked for n in graph.nodes) == 5
    assert sum(a.marked for a in graph.arcs) == 4
    assert any(n.marked and n.deadlocks for n in graph.nodes)
    assert graph.notes[0] == "free: violated, shown by the thick trace of 4 steps"
    assert "hot" in classes(read_svg(graph.svg()))


def test_a_trace_is_shown_whole_however_small_the_limit() -> None:
    graph = table(trace="free", limit=2)
    assert [n.number for n in graph.nodes if n.marked] == [0, 1, 2, 3, 4]
    assert graph.partial is not None
    assert len(table(trace="never: left[0] == 1", depth=0).nodes) == 2


def test_what_holds_has_no_trace_and_says_so() -> None:
    graph = table(trace="neighbours")
    assert not any(n.marked for n in graph.nodes)
    assert graph.notes[0] == "neighbours: holds; there is no trace to show"


def test_a_lasso_is_marked_with_its_loop() -> None:
    system = package.parse("gal g { int x = 0; transition a [x < 2] { x += 1; } "
                           "transition b [x == 2] { x = 1; } }")  # fmt: skip
    graph = system.graph(trace="F (x == 7)")
    assert {(a.source, a.target) for a in graph.arcs if a.marked} == {(0, 1), (1, 2), (2, 1)}


def test_groups_have_all_states_and_arcs_of_their_members() -> None:
    whole, graph = table(), table(group=["left"])
    assert sum(n.states or 0 for n in graph.nodes) == len(whole.nodes)
    key = [tuple(n.values[f"left[{i}]"] for i in range(4)) for n in whole.nodes]
    home = {tuple(n.values.values()): i for i, n in enumerate(graph.nodes)}
    expected = {(home[key[a.source]], home[key[a.target]], e) for a in whole.arcs for e in a.events}
    assert {(a.source, a.target, e) for a in graph.arcs for e in a.events} == expected
    assert sum(n.deadlocks for n in graph.nodes) == 1
    few = table(group=["left"], limit=3)
    assert few.partial == "the first 3 of 16 groups"
    assert all(n.hidden for n in few.nodes)


def test_states_are_grouped_by_the_locations_of_processes(tmp_path: Path) -> None:
    file = tmp_path / "lights.dve"
    file.write_text(LIGHTS)
    graph = package.load(file).graph(group=["processes"])
    assert [n.lines[0] for n in graph.nodes] == ["P@red Q@red", "P@green Q@red", "P@red Q@green"]
    assert [n.states for n in graph.nodes] == [2, 2, 2]
    assert len(package.load(file).graph(group=["P"]).nodes) == 2


def test_components_are_those_that_lead_to_each_other() -> None:
    graph = counter(components=True)
    inside = [n.number for n in graph.nodes if n.component is not None]
    assert [graph.nodes[i].values["x"] for i in inside] == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"show": ["lefd"]}, "--show: the model has no variable named 'lefd'"),
        ({"group": ["processes"]}, "the model has no processes"),
        ({"around": "left[0] == 7"}, "no reachable state satisfies 'left[0] == 7'"),
        ({"around": "99"}, "there is no state 99"),
        ({"around": "1", "trace": "free"}, "not both"),
        ({"limit": 0}, "the limit is less than 1"),
    ],
)
def test_what_makes_no_sense_is_refused(wanted: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as refused:
        table(**wanted)
    assert message in refused.value.render()


def test_names_are_escaped() -> None:
    graph = counter()
    strange = '<b onload="x">&\x07]]>'
    nodes = tuple(replace(n, lines=(strange,), values={strange: strange}) for n in graph.nodes)
    arcs = tuple(replace(a, events=(strange,)) for a in graph.arcs)
    made = replace(graph, name=strange, nodes=nodes, arcs=arcs, partial=strange)
    written = texts(read_svg(made.svg()))
    assert strange.replace("\x07", "\N{REPLACEMENT CHARACTER}") in written


def test_a_state_with_very_many_values_has_a_short_tooltip() -> None:
    system = package.parse(
        "gal g { array[5000] a = (" + ",".join(["0"] * 5000) + ");"
        " transition t [a[0] == 0] { a[0] = 1; } }"
    )
    graph = system.graph()
    assert len(graph.nodes[0].values) == 5000
    assert "and 4900 more" in graph.svg()
    assert len(graph.svg()) < 20_000


def test_one_step_to_very_many_states_ends_with_the_time() -> None:
    bits = " ".join(f"int b{i} = 0;" for i in range(24))
    flips = " ".join(f'self."f{i}";' for i in range(24))
    events = " ".join(
        f'transition {name}{i} [true] label "f{i}" {{ b{i} = {value}; }}'
        for i in range(24)
        for name, value in (("yes", 1), ("no", 0))
    )
    text = f"gal g {{ {bits} transition all [b0 == 0] {{ {flips} }} {events} }}"
    graph = package.parse(text).graph(timeout=1)
    assert graph.stopped == "timeout"
    assert [n.hidden for n in graph.nodes] == [-1]
    assert graph.partial is not None


CHOICE = """MODULE main
VAR a : 0..2; b : boolean;
ASSIGN next(a) := a; next(b) := !b;
SPEC AG a != 2
"""


def test_a_model_may_begin_in_several_states(tmp_path: Path) -> None:
    file = tmp_path / "choice.smv"
    file.write_text(CHOICE)
    system = package.load(file)
    graph = system.graph()
    assert len(graph.nodes) == system.states().states == 6
    assert [n.initial for n in graph.nodes] == [True] * 6
    assert graph.partial is None
    few = system.graph(limit=4)
    assert few.partial == "4 of 6 initial states, and what is near"
    traced = system.graph(trace="never: a = 2")
    assert sum(n.marked for n in traced.nodes) == 1
    assert len(traced.nodes) == 6
