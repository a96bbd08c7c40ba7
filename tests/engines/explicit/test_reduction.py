"""Partial-order reduction: known numbers, what presets keep, and what is refused or widened."""

from dataclasses import replace

import pytest
from bench.reduction import philosophers

from plait.cli.dependency import document, lines
from plait.engines import Budget, Reduction, check, states
from plait.engines.explicit.dependency import dependency
from plait.engines.explicit.needs import need_of
from plait.engines.explicit.reduction import ORDERS, PERSISTENT, Parts, parts_for
from plait.engines.explicit.trace_automaton import trace_automaton
from plait.errors import InputError
from plait.lang.gal import parse as parse_gal
from plait.lang.promela import parse as parse_promela
from plait.logic.parse import parse_formula
from plait.model.types import Domain, ElementaryType, Model, Property
from plait.passes import flat
from plait.report.answer import StateSpace

DEADLOCK = Property("deadlock", kind="deadlock")


def parse(text: str) -> Model:
    return parse_gal(text, "model")


def size(model: Model, *reduction: str) -> tuple[int, int | None]:
    space = states(model, reduction=Reduction(*reduction))
    assert space.complete
    return space.states, space.arcs


FIGURES = {
    # n: plain, persistent sets by Algorithm 2, with sleep sets
    2: ((8, 10), (8, 10), (8, 9)),
    3: ((26, 51), (20, 30), (18, 23)),
    4: ((80, 212), (48, 76), (39, 54)),
    5: ((242, 805), (102, 165), (78, 112)),
    6: ((728, 2910), (205, 336), (151, 222)),
    7: ((2186, 10199), (394, 651), (279, 414)),
    8: ((6560, 34984), (736, 1224), (497, 740)),
}


@pytest.mark.parametrize("count", FIGURES)
def test_philosophers_have_the_numbers_of_states_and_arcs_of_the_specification(count: int) -> None:
    """covers: P1, P2, P39, P73"""
    model = philosophers(count)
    plain, persistent, both = FIGURES[count]
    assert size(model, "none", "guards", "dfs") == plain == size(model)
    assert size(model, "ps", "overman", "dfs") == persistent
    assert size(model, "ps+sleep", "overman", "dfs") == both
    sleep = states(model, reduction=Reduction("sleep", order="dfs"))
    assert sleep.states == plain[0]
    assert sleep.arcs is not None
    assert sleep.arcs <= plain[1]
    assert sleep.deadlocks == 1
    # The finer algorithms leave out more.
    for persistent_name in ("stubborn", "conditional", "guards", "deletion", "weak"):
        found = states(model, reduction=Reduction("ps", persistent_name, "dfs"))
        assert found.states <= persistent[0]
        assert found.deadlocks == 1


def test_independent_processes_are_explored_once_under_sleep_sets() -> None:
    """Ex 5.5: 9 states, 12 arcs, of which sleep sets execute 8."""
    model = parse("""gal two { int a = 0; int x = 0; int b = 0; int y = 0;
        transition t1 [a == 0] { x = 1; a = 1; } transition t2 [a == 1] { x = 0; a = 2; }
        transition t3 [b == 0] { y = 1; b = 1; } transition t4 [b == 1] { y = 0; b = 2; } }""")
    assert size(model) == (9, 12)
    assert size(model, "sleep", "guards", "dfs") == (9, 8)
    assert size(model, "sleep", "guards", "bfs") == (9, 8)
    assert size(model, "ps", "guards", "dfs") == (5, 4)


IGNORING = """gal ignoring { int a = 0; int x = 0; int b = 0; int y = 0;
    transition t1 [a == 0] { x = 1; a = 1; } transition t2 [a == 1] { x = 0; a = 0; }
    transition t3 [b == 0] { y = 1; b = 1; } }"""


def test_an_event_that_persistent_sets_put_off_for_ever_is_reached_with_the_proviso() -> None:
    """covers: P41"""
    model = parse(IGNORING)
    assert size(model) == (4, 6)
    assert size(model, "ps", "guards", "dfs")[0] == 2
    asked = parse_formula("never: b == 1", model, name="local")
    for preset in ("ps", "ps+sleep", "ps+prov", "ps+sleep+prov", "stubborn", "auto"):
        for persistent in PERSISTENT:
            (answer,) = check(model, [asked], reduction=Reduction(preset, persistent))
            assert answer.verdict == "false"
            assert answer.replayed


def test_a_self_loop_does_not_satisfy_the_proviso() -> None:
    """covers: P43"""
    model = parse("""gal loop { int b = 0; int n = 0;
        transition stay [true] { n = n; } transition go [b == 0] { b = 1; } }""")
    for order in ORDERS:
        (answer,) = check(
            model,
            [parse_formula("never: b == 1", model)],
            reduction=Reduction("ps+prov", order=order),
        )
        assert answer.verdict == "false"


def producer_consumer(capacity: int) -> Model:
    return parse(f"""gal queue {{ int n = 0;
        transition send [n < {capacity}] {{ n = n + 1; }}
        transition receive [n > 0] {{ n = n - 1; }} }}""")


def test_a_send_and_a_receive_accord_where_both_are_possible() -> None:
    model = producer_consumer(5)
    assert size(model) == (6, 10)
    found = states(model, reduction=Reduction("ps"))
    assert found.states <= 6
    assert found.deadlocks == 0
    assert found.stats["reduced_states"]


def test_the_preset_is_widened_to_what_a_property_needs() -> None:
    """covers: P15 (sleep sets with the proviso: a constant relation)"""
    goal, all_states = "goals", "states"
    assert parts_for(Reduction("ps"), ["deadlocks"]) == Parts("guards")
    widened = parts_for(Reduction("ps"), ["deadlocks", goal])
    assert widened.proviso
    assert widened.persistent == "guards"
    assert "widened" in widened.notes[0]
    assert parts_for(Reduction("ps+prov"), [all_states]).persistent is None
    assert parts_for(Reduction("stubborn"), [goal]).proviso
    assert not parts_for(Reduction("stubborn"), ["deadlocks"]).proviso
    assert parts_for(Reduction("auto"), [all_states]) == Parts()
    assert parts_for(Reduction("ps+sleep+prov"), [goal]).depth_first
    with pytest.raises(InputError, match="depth-first"):
        parts_for(Reduction("ps+sleep+prov", order="bfs"), [goal])
    assert parts_for(Reduction("ps+prov", "weak"), [goal]).persistent == "guards"
    with pytest.raises(InputError):
        Reduction("some")


def test_what_a_property_needs_is_seen_from_its_formula() -> None:
    model = parse(IGNORING)

    def need(text: str) -> str:
        return need_of(parse_formula(text, model))

    assert need("deadlock") == "deadlocks"
    assert need("never: deadlock && x == 1") == "deadlocks"
    assert need("invariant: !(deadlock && x == 1)") == "deadlocks"
    assert need("never: x == 1 || deadlock") == "states"
    assert need("invariant: x == 1") == "goals"
    assert need('reachable: enabled("t1")') == "states"
    assert need('never: deadlock && enabled("t1")') == "states"
    assert need("bounds: x") == "states"


def test_a_value_outside_its_domain_is_found_under_every_reduction() -> None:
    """An error of the model is no deadlock: the proviso goes on by itself, and a note says so."""
    model = _bounded()
    for preset in ("sleep", "ps", "ps+sleep", "ps+prov", "ps+sleep+prov", "stubborn"):
        with pytest.raises(InputError, match="outside its domain"):
            states(model, reduction=Reduction(preset))


def test_an_error_on_the_way_through_a_body_is_found_by_every_algorithm() -> None:
    """Both events store 0 in the end, but one of them only if the other has come before."""
    model = parse("""gal g { int x = 7; int a = 0; int b = 0;
        transition f [a == 0] { x = 0; a = 1; }
        transition e [b == 0] { x = x + 5; x = 0; b = 1; } }""")
    model = _within(model, "x", Domain(0, 10))
    for preset in ("sleep", "ps", "ps+sleep", "ps+prov", "ps+sleep+prov", "stubborn"):
        for persistent in PERSISTENT:
            with pytest.raises(InputError, match="outside its domain"):
                states(model, reduction=Reduction(preset, persistent))


def _bounded() -> Model:
    return _within(parse(IGNORING), "y", Domain(0, 0))


def _within(model: Model, name: str, domain: Domain) -> Model:
    type_ = model.types[0]
    assert isinstance(type_, ElementaryType)
    variables = tuple(replace(v, domain=domain) if v.name == name else v for v in type_.variables)
    return replace(model, types=(replace(type_, variables=variables),))


def test_the_report_says_what_was_left_out() -> None:
    """covers: P40"""
    space: StateSpace = states(philosophers(4), reduction=Reduction("ps", "overman", "dfs"))
    assert space.stats["matched"] == 76 - 47
    assert space.stats["depth"]
    assert space.peak_memory_bytes
    assert space.seconds
    assert any("persistent sets (overman)" in note for note in space.notes)
    (answer,) = check(philosophers(4), [DEADLOCK], reduction=Reduction("stubborn"))
    assert answer.verdict == "false"
    assert answer.replayed
    assert any(note.startswith("reduction:") for note in answer.notes)


def test_independences_are_tested_on_request() -> None:
    space = states(philosophers(4), reduction=Reduction("none", check=True))
    assert space.states == 80
    tested = space.stats["tested_independences"]
    assert isinstance(tested, int)
    assert tested > 80


def test_a_budget_stops_a_reduced_search() -> None:
    for order in ORDERS:
        space = states(
            philosophers(6), reduction=Reduction("sleep", order=order), budget=Budget(states=100)
        )
        assert not space.complete
        assert space.reason == "states"


def related(model: Model, first: str, second: str) -> bool:
    found = dependency(flat(model).model)
    a, b = found.events.index(first), found.events.index(second)
    return b in found.conflict[a]


def test_events_that_use_a_channel_only_as_a_queue_accord_when_one_sends_and_one_receives() -> None:
    text = """chan q = [3] of { byte }; byte x, y;
        active proctype A() { q!1; q!2 } active proctype B() { q?x; q?y }
        active proctype C() { q!3 }"""
    model = parse_promela(text, "queue")
    assert not related(model, "A_0:2", "B_1:2")
    assert related(model, "A_0:2", "C_2:3")
    full, reduced = states(model), states(model, reduction=Reduction("ps", check=True))
    assert reduced.deadlocks == full.deadlocks
    assert reduced.states < full.states


def test_an_event_outside_atomic_is_a_straight_line_that_reductions_see_into() -> None:
    text = """byte x, y; active proctype A() { atomic { x++; x++ }; x++ }
        active proctype B() { y++; y++; y++ }
        byte z; active proctype C() { z++; z++; z++ }"""
    model = parse_promela(text, "atomic")
    assert not related(model, "B_1:2", "C_2:3")
    full, reduced = states(model), states(model, reduction=Reduction("ps", check=True))
    assert reduced.deadlocks == full.deadlocks == 1
    assert reduced.arcs is not None
    assert full.arcs is not None
    assert reduced.arcs < full.arcs


BLOCKS = """
chan c = [0] of { bit };
byte done;
active [2] proctype Client() { atomic { done < 2; c!1; done++ } }
active [2] proctype Server() { atomic { c?1; done = done } }
"""


def test_events_of_one_title_are_told_apart() -> None:
    model = parse_promela(BLOCKS, "blocks")
    found = dependency(flat(model).model)
    places = [n for n, title in enumerate(found.events) if title == "Client_0:4"]
    assert [found.variants[n] for n in places] == [(1, 3), (2, 3), (3, 3)]
    shown = lines(found)
    assert len(set(shown[1 : len(found.events) + 1])) == len(found.events)
    assert all(f" Client_0:4 ({k} of 3): " in shown[n + 1] for k, n in enumerate(places, start=1))
    assert [document("m", found)["events"][n]["variant"] for n in places] == [1, 2, 3]
    alone = found.events.index("Server_2 ends")
    assert " Server_2 ends: " in shown[alone + 1]


def test_a_run_is_represented_by_any_event_of_its_titles() -> None:
    graph = trace_automaton(parse_promela(BLOCKS, "blocks"))
    titles = graph.dependency.events
    first = {titles[event] for event, _ in graph.arcs[0]}
    assert "Client_0:4" in first
    assert all(graph.represents([title]) for title in first)
