"""The naive reduced searches on the systems of Godefroid's thesis, and traces by definition."""

from collections.abc import Sequence
from itertools import product

import pytest

from plait.errors import InputError
from plait.reference.lfcs import System, Transition, Use
from plait.reference.objects import boolean, fifo, fifo_table, semaphore
from plait.reference.reduced import ReducedSearch, Run
from plait.reference.traces import TraceAutomaton, members, members_from, normal_form, runs

PARTS = [
    (persistent, sleep, proviso)
    for persistent, sleep, proviso in product(
        (None, "conflicts", "overman"), (False, True), (False, True)
    )
    if persistent is not None or not proviso
]


def search(
    system: System, persistent: str | None = None, *, sleep: bool = False, proviso: bool = False
) -> Run:
    relations = system.relations()
    found = ReducedSearch(
        system, relations, system.local, persistent=persistent, sleep=sleep, proviso=proviso
    )
    return found.depth_first()


def writes(process: str, *steps: tuple[int, str, int, int]) -> list[Transition]:
    """Steps of a process: from, variable, value, to."""
    return [
        Transition(f"{process}{i}", {process: (a, b)}, (Use(x, "Write", v),))
        for i, (a, x, v, b) in enumerate(steps)
    ]


def variables(*names: str) -> dict[str, tuple]:  # type: ignore[type-arg]
    return {name: (boolean(), 0) for name in names}


def philosophers(count: int) -> System:
    """The philosophers of section 2.3, with semaphores for forks."""
    moves = []
    for i in range(count):
        p, left, right = f"p{i}", f"f{i}", f"f{(i + 1) % count}"
        moves += [
            Transition(f"a{i}", {p: (0, 1)}, (Use(left, "P"),)),
            Transition(f"b{i}", {p: (1, 2)}, (Use(right, "P"),)),
            Transition(f"c{i}", {p: (2, 3)}, (Use(left, "V"),)),
            Transition(f"d{i}", {p: (3, 0)}, (Use(right, "V"),)),
        ]
    forks = {f"f{i}": (semaphore(1), 1) for i in range(count)}
    return System({f"p{i}": 0 for i in range(count)}, forks, moves)


@pytest.mark.parametrize(("count", "states"), [(2, 8), (3, 26), (4, 80)])
def test_a_type_of_object_is_known_to_every_search_by_its_operations_alone(
    count: int, states: int
) -> None:
    """covers: P9, P1"""
    system = philosophers(count)
    whole = search(system)
    assert (len(whole.slept), len(whole.deadlocks)) == (states, 1)
    for persistent, sleep, proviso in PARTS:
        found = search(system, persistent, sleep=sleep, proviso=proviso)
        assert found.deadlocks == whole.deadlocks
        assert proviso <= (found.executed == whole.executed)
        if persistent is None:
            assert found.slept.keys() == whole.slept.keys()


def test_a_transition_that_uses_an_object_after_changing_it_is_refused() -> None:
    """covers: P3"""
    uses = (Use("x", "Write", 1), Use("x", "Read"))
    with pytest.raises(InputError, match="uses x after it has changed it"):
        System({"A": 0}, variables("x"), [Transition("t", {"A": (0, 1)}, uses)])
    System({"A": 0}, variables("x"), [Transition("t", {"A": (0, 1)}, uses[::-1])])


def test_an_operation_that_is_not_defined_disables_its_transition() -> None:
    """covers: P4"""
    system = System(
        {"A": 0, "B": 0},
        {"q": (fifo(1), ())},
        [
            Transition("send", {"A": (0, 0)}, (Use("q", "Send", 1),)),
            Transition("receive", {"B": (0, 0)}, (Use("q", "Receive"),)),
        ],
    )
    assert len(search(system).slept) == 2
    assert not system.execute(system.moves[1], system.initial)


def test_a_rendezvous_moves_all_its_processes_at_once_when_all_are_ready() -> None:
    """covers: P5"""
    meet = Transition("meet", {"A": (1, 2), "B": (0, 1)})
    system = System({"A": 0, "B": 0}, {}, [Transition("go", {"A": (0, 1)}), meet])
    assert system.execute(meet, (0, 0)) == []
    assert system.execute(meet, (1, 0)) == [(2, 1)]
    assert list(search(system).slept) == [(0, 0), (1, 0), (2, 1)]


def test_transitions_with_overlapping_guards_are_each_executed() -> None:
    """covers: P6"""
    system = System(
        {"A": 0}, variables("x"), writes("A", (0, "x", 0, 1), (0, "x", 1, 1), (0, "x", 1, 2))
    )
    assert search(system).executed == {0, 1, 2}
    assert len(search(system).slept) == 4


def two_counters() -> System:
    """Example 5.5: two processes that have nothing to do with each other."""
    steps = (0, "x", 1, 1), (1, "x", 0, 2)
    others = (0, "y", 1, 1), (1, "y", 0, 2)
    moves = [*writes("A", *steps), *writes("B", *others)]
    return System({"A": 0, "B": 0}, variables("x", "y"), moves)


def crossing() -> System:
    """Example 5.1: each process writes what the other one writes."""
    a, b = ((0, "x", 0, 1), (1, "y", 0, 2)), ((0, "y", 1, 1), (1, "x", 1, 2))
    return System({"A": 0, "B": 0}, variables("x", "y"), [*writes("A", *a), *writes("B", *b)])


def test_sleep_sets_alone_execute_what_the_thesis_says() -> None:
    """covers: P32"""
    whole, slept = search(two_counters()), search(two_counters(), sleep=True)
    assert (len(whole.slept), len(whole.arcs)) == (9, 12)
    assert (len(slept.slept), len(slept.arcs), slept.matched) == (9, 8, 0)
    whole, slept = search(crossing()), search(crossing(), sleep=True)
    assert (len(whole.slept), len(whole.arcs)) == (13, 14)
    assert (len(slept.slept), len(slept.arcs)) == (13, 12)


def test_a_visit_with_fewer_sleeping_events_executes_just_what_wakes_up() -> None:
    """covers: P34"""
    again = 0
    for system in (philosophers(3), philosophers(4)):
        for persistent in (None, "overman"):
            run = search(system, persistent, sleep=True)
            stored: dict[tuple[object, ...], frozenset[int]] = {}
            for visit in run.visits:
                if visit.again:
                    again += 1
                    assert set(visit.executed) == stored[visit.state] - visit.asleep
                    assert visit.executed
                    stored[visit.state] &= visit.asleep
                else:
                    stored[visit.state] = visit.asleep
            assert all(run.slept[s] <= asleep for s, asleep in stored.items())
    assert again


def test_sleep_sets_stay_empty_where_all_events_of_a_set_depend_on_each_other() -> None:
    """covers: P36"""
    a = writes("A", (0, "x", 0, 1), (1, "x", 1, 2))
    b = writes("B", (0, "x", 1, 1), (1, "x", 0, 2))
    system = System({"A": 0, "B": 0}, variables("x"), [*a, *b])
    for persistent in (None, "overman"):
        run = search(system, persistent, sleep=True)
        assert set(run.slept.values()) == {frozenset()}
        assert len(run.arcs) == len(search(system, persistent).arcs)


IGNORING = System(
    {"A": 0, "B": 0},
    variables("x", "y"),
    [*writes("A", (0, "x", 1, 1), (1, "x", 0, 0)), *writes("B", (0, "y", 1, 1))],
)


def test_a_state_on_the_stack_is_visited_again_only_after_it_was_left() -> None:
    """covers: P44"""
    assert len(search(IGNORING, "overman").slept) == 2
    delayed = 0
    for system in (IGNORING, philosophers(2), philosophers(3), philosophers(4)):
        run = search(system, "overman", sleep=True, proviso=True)
        for visit in run.visits:
            assert visit.state not in visit.stacked
            delayed += visit.again
        # Without the delay it would be entered while it is there.
        both = search(system, "overman", sleep=True)
        delayed += any(v.state in v.stacked for v in both.visits)
        assert run.executed == search(system).executed
    assert delayed
    run = search(IGNORING, "overman", sleep=True, proviso=True)
    assert (len(run.slept), len(run.arcs)) in {(3, 3), (4, 4)}


# --- traces ---------------------------------------------------------------------------------------


def related(*pairs: tuple[int, int]) -> object:
    return lambda a, b: a == b or (a, b) in pairs or (b, a) in pairs


def test_the_trace_of_a_sequence_has_the_members_of_the_example() -> None:
    """covers: P18 (section 2.7)"""
    dependent = related((1, 2), (1, 3))
    assert members((1, 2, 3, 1), dependent) == {(1, 2, 3, 1), (1, 3, 2, 1)}  # type: ignore[arg-type]
    assert members((2, 3, 2), related()) == {(2, 3, 2), (3, 2, 2), (2, 2, 3)}  # type: ignore[arg-type]
    forms = {normal_form(w, dependent) for w in members((1, 2, 3, 1), dependent)}  # type: ignore[arg-type]
    assert forms == {(1, 2, 3, 1)}


def test_neighbours_are_exchanged_only_where_they_are_independent_in_that_state() -> None:
    """covers: P18 (conditional)"""
    # A send (0) and a receive (1) on a queue of two, from a queue with one message.
    table = fifo_table(2)
    names = ("Send", "Receive")
    found = members_from(
        (0, 1, 1),
        (7,),
        lambda q, e: (*q, 7) if e == 0 else q[1:],
        lambda q, a, b: table(names[a], names[b], q),
    )
    assert found == {(0, 1, 1), (1, 0, 1)}


def graph(run: Run) -> list[list[tuple[int, int]]]:
    """The arcs that were executed, by number of state."""
    number = {state: n for n, state in enumerate(run.slept)}
    arcs: list[list[tuple[int, int]]] = [[] for _ in number]
    for source, event, target in run.arcs:
        arcs[number[source]].append((event, number[target]))
    return arcs


@pytest.mark.parametrize(
    "system", [IGNORING, two_counters(), crossing(), philosophers(2), philosophers(3)]
)
@pytest.mark.parametrize("sleep", [False, True])
def test_with_the_proviso_every_run_is_a_prefix_of_a_trace(system: System, sleep: bool) -> None:
    """covers: P51"""
    depend = system.relations().depend
    whole = graph(search(system))
    for persistent in ("conflicts", "overman"):
        reduced = graph(search(system, persistent, sleep=sleep, proviso=True))
        automaton = TraceAutomaton(reduced, lambda a, b: b in depend[a])
        assert automaton.missing(whole, 7) is None


def test_without_the_proviso_a_run_may_be_missing() -> None:
    depend = IGNORING.relations().depend
    reduced = TraceAutomaton(graph(search(IGNORING, "overman")), lambda a, b: b in depend[a])
    found = reduced.missing(graph(search(IGNORING)), 3)
    assert found is not None
    assert 2 in found


def test_runs_are_maximal_up_to_the_length() -> None:
    arcs: Sequence[Sequence[tuple[int, int]]] = [[(0, 1), (1, 2)], [(1, 3)], [(0, 3)], []]
    assert sorted(runs(arcs, 9)) == [(0, 1), (1, 0)]
    assert sorted(runs(arcs, 1)) == [(0,), (1,)]
