"""Time Petri nets as models: the table of intervals, both kinds of memory, essential states."""

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.time.timed_nets import space, timed_nets

from plait.api import System
from plait.lang.tina import parse
from plait.logic.parse import parse_formula
from plait.model.builder import Composite, Elementary, system
from plait.reference import Semantics
from plait.time.classes import class_graph
from plait.time.encoding import as_model, as_type
from plait.time.net import Interval, TimedArc, TimedEvent, TimedNet, TimedPlace
from plait.time.timing import CLOCKS, STEPS, Clocks, Timing

RANDOM = settings(
    max_examples=50, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
TRAIN = """net train
tr App : App far -> close
tr enter [3,5] close -> on
tr leave [2,4] on -> left
tr Exit : Exit [0,0] left -> far
pl far (1)
"""
GATE = """net gate
tr down : Close open -> closing
tr again : Close opening -> closing
tr shut [1,2] closing -> closed
tr up : Open closed -> opening
tr lift [1,2] opening -> open
pl open (1)
"""


def one(interval: Interval) -> TimedNet:
    """A transition that moves the only token."""
    arcs = (TimedArc("in", (0,)), TimedArc("out", (1,)))
    return TimedNet(
        "one", (TimedPlace("p", 1), TimedPlace("q")), (TimedEvent("t", interval, arcs),)
    )


def test_clocks_are_there_only_where_they_are_needed() -> None:
    """covers: I125"""
    model = as_model(parse(TRAIN))
    names = [v.name for v in model.system.variables]  # type: ignore[attr-defined]
    assert names == ["far", "close", "on", "left", "enter.clock", "leave.clock"]
    labels = {e.name: e.label and e.label.name for e in model.system.events}
    assert labels == dict.fromkeys(("App", "enter", "leave", "Exit")) | {"elapse": "elapse"}
    open_labels = {e.name: e.label and e.label.name for e in as_type(parse(TRAIN)).events}
    assert open_labels == labels | {"App": "App", "Exit": "Exit"}


@pytest.mark.parametrize(
    ("interval", "states", "arcs"),
    [
        # Nothing passes before it fires; afterwards time goes on.
        (Interval(0, 0), 2, 2),
        # It waits 0 to 3 units: four states, then one; three units, four firings, time afterwards.
        (Interval(1, 3), 5, 3 + 3 + 1),
        # After two units the clock stands still, and time goes on all the same.
        (Interval(2, None), 4, 2 + 1 + 1 + 1),
        (Interval(0, None), 2, 1 + 1 + 1),
    ],
)
def test_time_passes_as_each_kind_of_interval_allows(
    interval: Interval, states: int, arcs: int
) -> None:
    """covers: I126"""
    counted = System(as_model(one(interval))).states(engine="explicit")
    assert (counted.states, counted.arcs, counted.deadlocks) == (states, arcs, 0)


def test_the_train_its_gate_and_two_trains_with_a_controlled_gate() -> None:
    """covers: I127, I89"""
    train, gate = as_type(parse(TRAIN)), as_type(parse(GATE))
    alone = System(as_model(parse(TRAIN))).states()
    assert (alone.states, alone.arcs) == (13, 18)

    crossing = Composite("crossing")
    t, g = crossing.instance("t", "train"), crossing.instance("g", "gate")
    crossing.event("arrive", do=[t.call("App"), g.call("Close")])
    crossing.event("leave", do=[t.call("Exit"), g.call("Open")])
    crossing.timed()
    assert System(system(crossing, train, gate)).states().states == 18

    counter = Elementary("counter")
    n = counter.variable("n")
    counter.event("inc", do=n.add(1), label="inc")
    counter.event("dec", when=n > 0, do=n.add(-1), label="dec")
    counter.event("iszero", when=n == 0, label="iszero")
    counter.event("notzero", when=n > 0, label="notzero")
    controlled = Composite("controlled")
    c, g = controlled.instance("c", counter), controlled.instance("g", "gate")
    bodies = {
        "enterfirst": ("Close", [c.call("iszero"), c.call("inc"), g.call("Close")]),
        "enterother": ("Close", [c.call("notzero"), c.call("inc")]),
        "leavelast": ("Open", [c.call("dec"), c.call("iszero"), g.call("Open")]),
        "leaveother": ("Open", [c.call("dec"), c.call("notzero")]),
        "elapse": ("elapse", [g.call("elapse")]),
    }
    for name, (label, body) in bodies.items():
        controlled.event(name, do=body, label=label)
    two = Composite("two")
    trains = [two.instance(f"t{i}", "train") for i in range(2)]
    gate_part = two.instance("g", controlled)
    for i, t in enumerate(trains):
        two.event(f"arrive{i}", do=[t.call("App"), gate_part.call("Close")])
        two.event(f"leave{i}", do=[t.call("Exit"), gate_part.call("Open")])
    two.timed()
    model = system(two, train, gate, counter, controlled)
    for engine in ("explicit", "symbolic"):
        assert System(model).states(engine=engine).states == 187


@RANDOM
@given(timed_nets(), st.sampled_from(CLOCKS))
def test_states_and_steps_are_those_of_the_definition(net: TimedNet, clocks: Clocks) -> None:
    """Inhibitor, read, reset and hyper-arcs and both policies of memory, against markings and
    clocks written down directly.

    covers: I128, I129
    """
    try:
        states, arcs = space(net, clocks, 300)
    except OverflowError:
        assume(False)
    counted = System(as_model(net, Timing("unit", clocks))).states(engine="explicit")
    assert (counted.states, counted.arcs) == (len(states), len(arcs))


def test_the_two_policies_of_memory_differ_where_a_token_is_put_back() -> None:
    """The second transition needs the token that the first takes and puts back: it starts anew only
    where the marking between counts. covers: I129"""
    text = "tr a [1,1] p q -> p r\ntr b [2,2] p -> done\npl p (1)\npl q (1)\n"
    net = parse(text)
    late = "reachable: done == 1 && r == 1"
    when: dict[str, int] = {}
    for clocks in CLOCKS:
        model = as_model(net, Timing("unit", clocks))
        answer = System(model).check(late)
        assert answer.witness is not None
        when[clocks] = sum(step.event == "elapse" for step in answer.witness.steps)
    assert when == {"intermediate": 3, "atomic": 2}


@RANDOM
@given(timed_nets())
def test_essential_states_reach_the_same_markings_and_are_no_more(net: TimedNet) -> None:
    """Also those of dense time, by state classes. covers: I130"""
    try:
        states, _ = space(net, "intermediate", 300)
    except OverflowError:
        assume(False)
    size = len(net.places)
    seen: dict[str, set[tuple[int, ...]]] = {}
    counts: dict[str, int] = {}
    for steps in STEPS:
        reached = Semantics(as_model(net, Timing(steps))).reachable().states
        counts[steps] = len(reached)
        seen[steps] = {state[:size] for state in reached}
    assert seen["unit"] == seen["essential"] == {marking for marking, _ in states}
    assert seen["unit"] == class_graph(net).markings
    assert counts["essential"] <= counts["unit"]


def test_a_timelock_is_a_state_in_which_only_time_passes() -> None:
    """covers: I57"""
    net = parse("tr t [1,2] p -> q\npl p (1)\n")
    model = System(as_model(net))
    found = model.check("reachable: timelock")
    assert found.verdict == "true"
    assert found.witness is not None
    assert [step.event for step in found.witness.steps] == ["elapse", "t"]
    # Time may pass for ever without a step of the train; where time is fair, it does not.
    train = parse(TRAIN)
    asked = "AF (close == 1)"
    assert System(as_model(train)).check(asked).verdict == "false"
    assert System(as_model(train, Timing("essential"))).check(asked).verdict == "true"
    assert System(as_model(train)).check("never: timelock").verdict == "true"


def test_priorities_hold_a_transition_back_where_another_can_fire() -> None:
    text = "tr a [1,3] p -> q\ntr b [2,3] p -> r\npl p (1)\n"
    assert System(as_model(parse(text))).check("reachable: r == 1").verdict == "true"
    ruled = System(as_model(parse(text + "pr a > b\n")))
    assert ruled.check("reachable: r == 1").verdict == "false"
    # It does not where the other has not waited long enough.
    text = text.replace("[1,3]", "[3,3]") + "pr a > b\n"
    assert System(as_model(parse(text))).check("reachable: r == 1").verdict == "true"


def test_places_may_be_called_like_events_and_clocks() -> None:
    names = "tr elapse [1,2] {elapse.clock} -> wait\ntr wait [0,1] wait ->\npl {elapse.clock} (1)\n"
    model = as_model(parse(names.replace("tr wait", "tr w")))
    asked = parse_formula("reachable: wait == 1", model)
    assert System(model).check(asked).verdict == "true"
    assert System(model).states().states == 1 + 2 + 2 + 1


def test_a_choice_of_places_takes_no_name_from_another_transition() -> None:
    moves = (TimedArc("in", (0, 1)), TimedArc("out", (2,)))
    back = (TimedArc("in", (2,)), TimedArc("out", (0,)))
    events = (TimedEvent("t", Interval(), moves), TimedEvent("t.1", Interval(), back))
    net = TimedNet("net", (TimedPlace("p", 1), TimedPlace("q", 1), TimedPlace("r")), events)
    model = as_model(net)
    names = [e.name for e in model.system.events]
    assert names == ["t.1~2", "t.2", "t.1", "elapse"]
    assert Semantics(model).check(parse_formula("reachable: r == 2", model)).verdict == "true"
