"""Walks through a model: paths, what can happen where they end, and how long that may take."""

import json
import random
from typing import Any

import pytest
from tests.report.hostile_names import NAMES, hostile

import plait
from plait.app import walk as walks
from plait.app.around import NODES, around
from plait.app.session import CARD, Session
from plait.app.walk import Walk, WalkError
from plait.lang.gal import parse
from plait.lang.promela import parse as parse_promela
from plait.model.types import Model

TABLE = """
typedef seat = 0 .. 2;
gal table { array [3] fork; array [3] left;
  transition take (seat $p) [fork[$p] == 0 && left[$p] == 0] { fork[$p] = 1; left[$p] = 1; }
  transition eat (seat $p) [left[$p] == 1 && fork[($p + 1) % 3] == 0]
  { fork[$p] = 0; left[$p] = 0; }
}
"""
TWO = 'gal two { int x; transition t { x = 1; } transition u { self."c"; } ' + (
    'transition a label "c" { x = 2; } transition b label "c" { x = 3; } }'
)
WIDE = """typedef cells = 0 .. 29;
gal wide { array [30] bit; int n;
 transition all [n < 3] { for ($c : cells) { self."flip"; } n += 1; }
 transition one [n < 3] { n += 1; }
 transition f0 label "flip" { }
 transition f1 (cells $c) label "flip" { bit[$c] = 1 - bit[$c]; }
}"""
FAULTY = """byte a[2]; byte i;
active proctype P() { i = 1; i = 2; a[i] = 1 }
"""
GROWING = """byte n;
active proctype Main() { do :: n < 40 -> n++; run Child() :: else -> break od }
proctype Child() { false }
"""


QUEUED = """chan c = [2] of { byte };
active proctype from() { c!5; c!3 }
active proctype to() { full(c) -> c?5; c?3; false }
"""


def table() -> Model:
    return parse(TABLE, "table.gal")


def test_a_path_leads_to_its_states_and_is_written_as_a_witness() -> None:
    walk = Walk(table())
    path = (("take(0)", 0), ("take(1)", 0))
    assert walk.states(path)[-1] == (1, 1, 0, 1, 1, 0)
    document = walk.document(path)
    assert document["initial"] == {f"{n}[{i}]": 0 for n in ("fork", "left") for i in range(3)}
    assert [s["event"] for s in document["steps"]] == ["take(0)", "take(1)"]
    assert document["steps"][1]["changes"] == {"fork[1]": 1, "left[1]": 1}
    assert document["steps"][1]["place"] == "table.gal:4:14"
    assert walk.document(path, known=1)["steps"] == document["steps"][1:]


def test_a_path_is_the_same_whatever_was_walked_before() -> None:
    model = table()
    walk, chance = Walk(model), random.Random(3)
    for _ in range(60):
        path = Walk(model).random((), chance.randrange(8), chance)
        cut = chance.randrange(len(path) + 1)
        assert walk.states(path[:cut]) == Walk(model).states(path[:cut])
        assert walk.states(path) == Walk(model).states(path)


def test_messages_along_a_path_are_those_of_steps_known_before_too() -> None:
    walk = Walk(parse_promela(QUEUED, "queued.pml"))
    path = walk.random((), 5, random.Random(1))
    whole = walk.moves(path)
    assert whole["movers"] == [["from_0"], ["from_0"], ["to_1"], ["to_1"], ["to_1"]]
    assert [(m["text"], m["from"], m["to"]) for m in whole["messages"]] == [
        ("c 5", 1, 4),
        ("c 3", 2, 5),
    ]
    later = walk.moves(path, known=4)
    assert later == {"movers": whole["movers"][4:], "messages": whole["messages"]}


def test_a_path_that_is_none_is_refused_at_its_step() -> None:
    walk = Walk(table())
    with pytest.raises(WalkError, match=r"step 2: 'take\(0\)' cannot be executed there"):
        walk.states((("take(0)", 0), ("take(0)", 0)))
    with pytest.raises(WalkError, match="step 1: the model has no event 'no'"):
        walk.states((("no", 0),))
    with pytest.raises(WalkError, match="step 1: 't' cannot"):
        Walk(parse(TWO, "two.gal")).states((("t", 1),))
    assert walk.states((("take(2)", 0),))[-1] == (0, 0, 1, 0, 0, 1)


def test_the_states_of_one_event_are_told_apart_by_number() -> None:
    walk = Walk(parse(TWO, "two.gal"))
    enabled = walk.here(())["enabled"]
    shown = [(o["event"], o["number"], o["changes"]["x"]) for o in enabled]
    assert shown == [("t", 0, 1), ("u", 0, 2), ("u", 1, 3)]
    assert walk.states((("u", 1),))[-1] == (3,)


def test_what_can_happen_and_why_the_rest_cannot() -> None:
    walk = Walk(table())
    here = walk.here((("take(0)", 0),))
    assert [o["event"] for o in here["enabled"]] == ["take(1)", "take(2)", "eat(0)"]
    assert here["enabled"][2]["changes"] == {"fork[0]": 0, "left[0]": 0}
    assert (here["count"], here["complete"], here["more"]) == (3, True, 0)
    assert here["blocked"][0] == {
        "event": "eat(1)",
        "process": None,
        "reasons": ["needs left[1] == 1, but left[1] = 0"],
    }
    found = walk.here((("take(0)", 0),), "EAT 0")
    assert [o["event"] for o in found["enabled"]] == ["eat(0)"]
    stuck = walk.here(tuple((f"take({i})", 0) for i in range(3)))
    assert stuck["enabled"] == []
    assert len(stuck["blocked"]) == 6


def test_what_a_process_waits_for_stands_before_where_it_is_not() -> None:
    text = "chan c = [1] of { byte }; active proctype P() { byte x; skip; x = 1; c?x; c!1 }"
    walk = Walk(parse_promela(text, "wait.pml"))
    path = walk.random((), 2, random.Random(1))
    first = walk.here(path)["blocked"][0]
    assert first["reasons"] == ["needs c?[_], but c = []"]


def test_an_event_that_goes_wrong_does_not_hide_the_others() -> None:
    text = """gal g { int x; transition good { x = 1; }
    transition bad { fixpoint { x += 1; } } }"""
    here = Walk(parse(text, "g.gal")).here(())
    assert [o["event"] for o in here["enabled"]] == ["good"]
    assert [f["event"] for f in here["faults"]] == ["bad"]


def test_an_event_with_too_many_successors_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walks, "GLANCE", 0.05)
    walk = Walk(parse(WIDE, "wide.gal"))
    here = walk.here(())
    assert [o["event"] for o in here["enabled"]] == ["one"]
    assert here["faults"] == [{"event": "all", "text": walks.TOO_MANY}]
    assert here["blocked"] is None
    assert walk.random((), 5, random.Random(0)) == (("one", 0),) * 3
    assert len(around(walk, ())["nodes"]) == 3


def test_of_very_many_events_some_are_shown() -> None:
    text = """typedef r = 0 .. 99; gal g { int x; int y;
    transition t (r $i, r $j) [x == 0] { x = $i; y = $j; } }"""
    walk = Walk(parse(text, "g.gal"))
    here = walk.here(())
    assert here["count"] == 10_000
    assert len(here["enabled"]) == walks.SHOWN
    (one,) = walk.here((), "t(77, 33)")["enabled"]
    assert one["changes"] == {"x": 77, "y": 33}
    graph = around(walk, ())
    assert len(graph["nodes"]) == NODES
    assert not graph["complete"]


def test_the_graph_around_a_state_has_paths_to_its_states() -> None:
    walk = Walk(table())
    path = (("take(0)", 0), ("take(1)", 0))
    graph = around(walk, path)
    assert graph["complete"]
    assert graph["nodes"][0]["here"]
    assert graph["nodes"][1]["path"] == [["take(0)", 0]]  # the state before
    states = [walk.states(tuple(map(tuple, n["path"])))[-1] for n in graph["nodes"]]
    assert len(set(states)) == len(states)
    assert {"eat(1)"} == {e for a in graph["arcs"] for e in a["events"] if a["label"] == "eat(1)"}
    assert all(0 <= n["x"] <= graph["width"] and n["y"] >= 0 for n in graph["nodes"])


def test_events_of_processes_are_called_after_their_statements() -> None:
    text = """chan c = [0] of { byte };
    active proctype P() { byte x; do :: c!x; x++ od }
    active proctype Q() { byte y; do :: c?y od }"""
    session = Session(parse_promela(text, "meet.pml"))
    actions = dict(data(session.page(), CARD)["actions"])
    meet, half = "P_0:2 & Q_1:3", "Q_1:3"
    assert (actions[meet], actions[half]) == ("c!x", "c?y")
    first, *_ = around(session.walk, ())["arcs"]
    assert first["label"] == "P_0 & Q_1: c!x"
    blocked = session.questions["here"]({"path": [[meet, 0]]})["blocked"]
    assert {"event": half, "process": "Q_1"}.items() <= blocked[0].items()


def data(page: str, name: str) -> Any:
    return json.loads(page.partition(f'id="{name}">')[2].partition("</script>")[0])


def test_a_walk_goes_on_where_more_processes_start_than_were_expected() -> None:
    model = parse_promela(GROWING, "growing.pml")
    assert model.larger is not None
    session = Session(model)
    room, path = 0, list[list[object]]()
    for _ in range(30):
        found = session.questions["random"]({"path": path, "steps": 20, "seed": 1})
        path, room = found["path"], found["room"]
        if room:
            break
    assert room > 0
    steps = session.questions["walk"]({"path": path})["steps"]
    assert [s["event"] for s in steps] == [event for event, _ in path]


def test_a_trace_that_needed_more_room_can_be_walked() -> None:
    session = Session(parse_promela(GROWING, "growing.pml"))
    found = session.questions["check"]({"question": "never: n == 39"})
    assert found["result"]["verdict"] == "false"
    loaded = session.questions["load"]({"number": found["number"]})
    assert len(loaded["path"]) == len(found["result"]["witness"]["steps"])
    assert loaded["room"] > 0


def test_traces_runs_and_branches_of_properties_can_be_walked() -> None:
    session = Session(table())
    ask = session.questions
    for question, loop in (
        ("deadlock", False),
        ("F left[0] == 1", True),
        ("AG left[0] == 0", False),
    ):
        found = ask["check"]({"question": question})
        witness = found["result"]["witness"]
        loaded = ask["load"]({"number": found["number"], "route": []})
        document = ask["walk"]({"path": loaded["path"]})
        assert document["initial"] == witness["initial"]
        assert document["steps"] == witness["steps"]
        assert loaded["loop"] == witness["loop"]
        assert (loaded["loop"] is not None) == loop
    question = "EF (left[0] == 1 && EX left[1] == 1 && EX left[2] == 1)"
    found = ask["check"]({"question": question})
    tree = found["result"]["witness"]
    for i, branch in enumerate(tree["branches"]):
        path = ask["load"]({"number": found["number"], "route": [i]})["path"]
        steps = ask["walk"]({"path": path})["steps"]
        assert steps == [*tree["steps"][: branch["at"]], *branch["steps"]]
    with pytest.raises(WalkError, match="no such branch"):
        ask["load"]({"number": found["number"], "route": [9]})
    with pytest.raises(WalkError, match="not there any more"):
        ask["load"]({"number": 999})


def test_hostile_names_can_be_walked() -> None:
    walk = Walk(hostile().model)
    path = tuple((f"{name} event", 0) for name in NAMES)
    assert walk.here(path)["enabled"] == []
    assert [s["event"] for s in walk.document(path)["steps"]] == [e for e, _ in path]
    assert around(walk, path[:3])["nodes"]


def test_walks_agree_with_the_reference_on_a_promela_model() -> None:
    model = parse_promela(FAULTY, "faulty.pml")
    system = plait.System(model)
    walk, semantics = Walk(model), system.semantics()
    state, path = semantics.initial, walks.Path()
    while successors := semantics.successors(state):
        found = walk.options(state)
        assert [(o.event, o.state) for o in found.found] == successors
        path = (*path, (found.found[0].event, found.found[0].number))
        state = found.found[0].state
        assert walk.states(path)[-1] == state
