"""Choices inside a reduction: enabling sets, ties, provisos, where sleep sets are kept."""

from dataclasses import replace

import pytest

from plait.engines import Budget, Reduction, check, states
from plait.engines.explicit.dependency import dependency
from plait.engines.explicit.reduction import PERSISTENT, parts_for
from plait.errors import InputError
from plait.lang.gal import parse
from plait.lang.promela import parse as parse_promela
from plait.logic.parse import parse_formula
from plait.model.net_builder import NetBuilder
from plait.model.shape import shape_of
from plait.model.types import Model
from plait.passes import flat
from plait.reference.objects import fifo_table

OPERATIONS = ("Send", "Receive", "Length", "Empty", "Full")


def size(model: Model, reduction: Reduction) -> tuple[int | None, int | None]:
    found = states(model, reduction=reduction, budget=Budget(states=5_000))
    assert found.complete
    return found.states, found.arcs


# --- ties -----------------------------------------------------------------------------------------


def producer_consumer(capacity: int | None) -> Model:
    """One sends while there is room, the other receives while there is something."""
    net = NetBuilder("queue")
    full = net.place("full")
    if capacity is None:
        net.event("send", gives=[full])
        net.event("receive", takes=[full])
    else:
        free = net.place("free", capacity)
        net.event("send", takes=[free], gives=[full])
        net.event("receive", takes=[full], gives=[free])
    return net.model()


@pytest.mark.parametrize("capacity", [2, 1000, None])
@pytest.mark.parametrize("persistent", ["conditional", "guards", "stubborn", "minimal"])
def test_a_queue_without_end_has_two_states_when_stored_successors_are_preferred(
    capacity: int | None, persistent: str
) -> None:
    """covers: P27"""
    model = producer_consumer(capacity)
    for order in ("dfs", "bfs"):
        preferring = Reduction("ps", persistent, order, ties="stored")
        assert size(model, preferring) == (2, 2)
    if capacity == 1000:
        # The other way round the queue is filled first.
        assert size(model, Reduction("ps", persistent, "dfs"))[0] == 1001


# --- sleep sets -----------------------------------------------------------------------------------

CROSSING = """gal crossing { int a = 0; int b = 0; int x = 0; int y = 0;
    transition t1 [a == 0] { x = 0; a = 1; } transition t2 [a == 1] { y = 0; a = 2; }
    transition t3 [b == 0] { y = 1; b = 1; } transition t4 [b == 1] { x = 1; b = 2; } }"""
APART = """gal two { int a = 0; int x = 0; int b = 0; int y = 0;
    transition t1 [a == 0] { x = 1; a = 1; } transition t2 [a == 1] { x = 0; a = 2; }
    transition t3 [b == 0] { y = 1; b = 1; } transition t4 [b == 1] { y = 0; b = 2; } }"""
SAME = """gal same { int a = 0; int b = 0; int x = 0;
    transition t1 [a == 0] { x = 1; a = 1; } transition t2 [a == 1] { x = 2; a = 2; }
    transition t3 [b == 0] { x = 3; b = 1; } transition t4 [b == 1] { x = 4; b = 2; } }"""


@pytest.mark.parametrize("order", ["dfs", "bfs"])
def test_sleep_sets_execute_as_many_events_as_in_the_thesis(order: str) -> None:
    """covers: P32 (examples 5.5 and 5.1)"""
    apart, crossing = parse(APART, "two"), parse(CROSSING, "crossing")
    assert size(apart, Reduction("none", order=order)) == (9, 12)
    assert size(apart, Reduction("sleep", order=order)) == (9, 8)
    assert size(crossing, Reduction("none", order=order)) == (13, 14)
    assert size(crossing, Reduction("sleep", order=order)) == (13, 12)


def test_nothing_sleeps_where_all_events_of_a_set_depend_on_each_other() -> None:
    """covers: P36"""
    model = parse(SAME, "same")
    for preset, plain in (("sleep", "none"), ("ps+sleep", "ps"), ("ps+sleep+prov", "ps+prov")):
        found = states(model, reduction=Reduction(preset, order="dfs"))
        assert found.stats["asleep"] == 0
        assert (found.states, found.arcs) == size(model, Reduction(plain, order="dfs"))
    some = states(parse(APART, "two"), reduction=Reduction("sleep", order="dfs"))
    assert some.stats["asleep"]


def test_sleep_sets_that_are_not_stored_are_for_depth_first_search_of_all_states() -> None:
    """covers: P37"""
    model = parse(CROSSING, "crossing")
    passed = Reduction("sleep", sleep_sets="passed")
    assert size(model, passed) == (13, 12)
    assert parts_for(passed, ["states"]).depth_first
    for refused in (
        Reduction("ps+sleep", sleep_sets="passed"),
        Reduction("ps+sleep+prov", sleep_sets="passed"),
        Reduction("sleep", order="bfs", sleep_sets="passed"),
    ):
        with pytest.raises(InputError, match="not stored"):
            states(model, reduction=refused)


def test_an_event_sleeps_on_where_executing_both_orders_shows_no_difference() -> None:
    """Both store the same value where they meet, which no constant relation can tell."""
    model = parse(
        """gal meet { int a = 0; int b = 0; int x = 0; int y = 0; int z = 0;
        transition t [a == 0] { x = y; a = 1; } transition u [b == 0] { x = z; b = 1; }
        transition v [a == 1 && b == 1 && y == 0] { y = 1; z = 2; } }""",
        "meet",
    )
    for order in ("dfs", "bfs"):
        asleep = Reduction("sleep", order=order)
        assert size(model, asleep) == (5, 5)
        assert size(model, replace(asleep, dependency="conditional")) == (5, 4)
    proviso = parts_for(Reduction("ps+sleep+prov", dependency="conditional"), ["goals"])
    assert not proviso.conditional
    with pytest.raises(InputError):
        Reduction("sleep", dependency="some")


# --- provisos -------------------------------------------------------------------------------------

IGNORING = """gal ignoring { int a = 0; int x = 0; int b = 0; int y = 0;
    transition t1 [a == 0] { x = 1; a = 1; } transition t2 [a == 1] { x = 0; a = 0; }
    transition t3 [b == 0] { y = 1; b = 1; } }"""


def test_the_proviso_of_components_executes_what_a_closed_component_has_put_off() -> None:
    """covers: P50"""
    model = parse(IGNORING, "ignoring")
    asked = parse_formula("never: b == 1", model)
    for persistent in PERSISTENT:
        reduction = Reduction("ps+prov", persistent, proviso="components")
        (answer,) = check(model, [asked], reduction=reduction)
        assert (answer.verdict, answer.replayed) == ("false", True)
        assert any("proviso of components" in note for note in answer.notes)
    # A component that is left anyway needs nothing more, which the stack does not tell.
    left = parse(
        """gal left { int a = 0; int b = 0;
        transition turn [a == 0] { a = 1; } transition back [a == 1] { a = 0; }
        transition leave [a == 1] { a = 2; } transition go [b == 0] { b = 1; } }""",
        "left",
    )
    stack = size(left, Reduction("ps+prov", order="dfs"))
    components = size(left, Reduction("ps+prov", order="dfs", proviso="components"))
    assert components[0] is not None
    assert stack[0] is not None
    assert components[0] <= stack[0]
    for refused in (
        Reduction("ps+sleep+prov", proviso="components"),
        Reduction("ps+prov", order="bfs", proviso="components"),
    ):
        with pytest.raises(InputError):
            states(model, reduction=refused)


def test_the_proviso_of_the_stack_is_refused_in_breadth_first_order() -> None:
    """covers: P52"""
    model = parse(IGNORING, "ignoring")
    with pytest.raises(InputError, match="needs depth-first"):
        states(model, reduction=Reduction("ps+prov", order="bfs", proviso="stack"))
    with pytest.raises(InputError, match="depth-first"):
        states(model, reduction=Reduction("ps+sleep+prov", order="bfs"))
    with pytest.raises(InputError, match="breadth-first"):
        states(model, reduction=Reduction("ps+prov", order="dfs", proviso="queue"))
    # Breadth-first search has a proviso of its own.
    asked = parse_formula("never: b == 1", model)
    for proviso in ("auto", "queue"):
        reduction = Reduction("ps+prov", order="bfs", proviso=proviso)
        assert check(model, [asked], reduction=reduction)[0].verdict == "false"
    with pytest.raises(InputError):
        Reduction("ps", proviso="none")


# --- dependency in a state ------------------------------------------------------------------------


def channel(capacity: int) -> Model:
    """One process for each operation, and two for those that meet themselves."""
    return parse_promela(
        f"""chan q = [{capacity}] of {{ byte }}; byte x, y, l, m;
        active proctype Send() {{ q!1 }} active proctype Send2() {{ q!2 }}
        active proctype Receive() {{ q?x }} active proctype Receive2() {{ q?y }}
        active proctype Length() {{ l = len(q) }} active proctype Length2() {{ m = len(q) }}
        active proctype Empty() {{ empty(q) }} active proctype Empty2() {{ empty(q) }}
        active proctype Full() {{ full(q) }} active proctype Full2() {{ full(q) }}""",
        "channel",
    )


@pytest.mark.parametrize("capacity", [1, 2, 3, 4])
def test_operations_on_a_channel_depend_on_its_length_as_in_the_table_of_the_thesis(
    capacity: int,
) -> None:
    """covers: P11, P16"""
    model = flat(channel(capacity)).model
    shape, table = shape_of(model), fifo_table(capacity)
    cells = list(shape.cells())
    for length in range(capacity + 1):
        state = list(shape.initial())
        state[cells.index("q.length")] = length
        for slot in range(length):
            state[cells.index(f"q.{slot}.0")] = slot + 1
        found = dependency(model, state)
        assert found.here is not None
        steps = [e for e in found.events if not e.endswith("ends")]
        event = {title.split("_")[0]: found.events.index(title) for title in steps}
        for a in OPERATIONS:
            for b in OPERATIONS:
                other = event[b if a != b else f"{b}2"]
                dependent = other in found.here[event[a]]
                assert dependent == table(a, b, (0,) * length), (a, b, length)
                # What is dependent somewhere is so by the constant relation.
                assert not dependent or other in found.depend[event[a]]


def test_two_complements_of_a_boolean_accord_and_nothing_else_that_writes_it_does() -> None:
    """covers: P10, P17"""
    text = """bool b; bool seen, too;
        active proctype Compl() { b = !b } active proctype Compl2() { b = 1 - b }
        active proctype Read() { seen = b } active proctype Read2() { too = b }
        active proctype Write() { b = 1 } active proctype Write2() { b = 0 }"""
    found = dependency(flat(parse_promela(text, "bool")).model)
    event = {t.split("_")[0]: n for n, t in reversed(list(enumerate(found.events)))}
    touches = {t.cell: t for t in found.touches[event["Compl"]]}
    assert (touches["b"].effect, touches["b"].amount, touches["b"].reads) == ("reflect", 1, False)
    independent = {
        (a, b)
        for a in ("Compl", "Read", "Write")
        for b in ("Compl2", "Read2", "Write2")
        if event[b] not in found.conflict[event[a]]
    }
    assert independent == {("Compl", "Compl2"), ("Read", "Read2")}
    model = parse_promela("bool b; active [3] proctype A() { b = !b; b = !b }", "compl")
    plain, reduced = states(model), states(model, reduction=Reduction("ps", check=True))
    assert reduced.deadlocks == plain.deadlocks
    assert (reduced.states or 0) < (plain.states or 0) / 2


def test_dependency_in_a_state_is_asked_for_by_values() -> None:
    """covers: P16"""
    model = flat(parse(CROSSING, "crossing")).model
    always = dependency(model)
    assert always.here is None
    t1, t4 = always.events.index("t1"), always.events.index("t4")
    assert t4 in always.conflict[t1]
    for b, expected in ((0, False), (1, True), (2, False)):
        found = dependency(model, [0, b, 0, 0])
        assert found.here is not None
        assert (t4 in found.here[t1]) == expected
