"""State classes: figures of Tina and Romeo, and the least times of discrete time."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from tests.time.timed_nets import State, space, steps, timed_nets

from plait.engines.budget import Budget
from plait.errors import InputError, LimitReached
from plait.lang import load_timed
from plait.lang.tina import parse
from plait.logic.parse import parse_formula
from plait.model.builder import Elementary, system, when
from plait.model.expr import Formula
from plait.model.types import Model
from plait.time.classes import class_graph
from plait.time.duration import earliest
from plait.time.encoding import as_model
from plait.time.net import TimedNet

ABP = """# Alternating bits: what is lost is sent again after five or six units.
net abp
tr t1 p1 -> p2 p9
tr t2 [5,6] p2 -> p2 p9
tr t3 [0,1] p2 p10 -> p3
tr t4 p3 -> p4 p11
tr t5 [5,6] p4 -> p4 p11
tr t6 [0,1] p4 p12 -> p1
tr t7 [0,1] p5 p9 -> p6
tr t8 [0,2] p6 -> p7 p10
tr t9 [0,1] p7 p9 -> p6
tr t10 [0,1] p7 p11 -> p8
tr t11 [0,2] p8 -> p5 p12
tr t12 [0,1] p5 p11 -> p8
tr t13 [0,1] p9 ->
tr t14 [0,1] p10 ->
tr t15 [0,1] p11 ->
tr t16 [0,1] p12 ->
pl p1 (1)
pl p5 (1)
"""


def test_the_alternating_bit_protocol_has_the_published_classes() -> None:
    graph = class_graph(parse(ABP))
    assert (len(graph.classes), graph.arc_count, graph.dead) == (16, 22, 0)


@pytest.mark.parametrize(
    ("file", "classes", "arcs"),
    [
        ("tina/abp.net", 16, 22),
        ("tina/abp.ndr", 16, 22),
        ("romeo/abitpro.xml", 16, 22),
        # The figures that Tina prints for the trains of its manual.
        ("romeo/train1.xml", 11, 14),
    ],
)
def test_the_files_of_tina_and_romeo_have_the_classes_they_say(
    data: Path, file: str, classes: int, arcs: int
) -> None:
    graph = class_graph(load_timed(data / "tpn" / file))
    assert (len(graph.classes), graph.arc_count) == (classes, arcs)


def test_what_is_endless_or_has_priorities_is_refused() -> None:
    endless = parse("tr t p -> p q\npl p (1)\n")
    with pytest.raises(LimitReached):
        class_graph(endless, Budget(0.2, None))
    with pytest.raises(LimitReached, match="memory"):
        class_graph(endless, Budget(None, memory=1))
    with pytest.raises(InputError, match="priorities"):
        class_graph(parse("tr a p ->\ntr b p ->\npl p (1)\npr a > b\n"))


# --- the least time -------------------------------------------------------------------------------


def condition(text: str, model: Model) -> Formula:
    body = parse_formula(text, model, kind="reachable").body
    assert isinstance(body, Formula)
    return body


@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(timed_nets())
def test_the_least_time_is_that_of_a_search_by_layers_of_time(net: TimedNet) -> None:
    """covers: I51"""
    try:
        states, _ = space(net, "intermediate", 150)
    except OverflowError:
        assume(False)
    first = tuple(p.initial for p in net.places), (0,) * len(net.events)
    times: dict[State, int] = {}
    layer, now = [first], 0
    while layer:
        later: list[State] = []
        while layer:
            state = layer.pop()
            if state not in times:
                times[state] = now
                for number, _, after in steps(net, state, "intermediate"):
                    (later if number < 0 else layer).append(after)
        layer, now = later, now + 1
    assert set(times) == states
    latest = max(states, key=lambda s: (times[s], s))
    model = as_model(net)
    names = [p.name for p in net.places]
    text = " && ".join(f"{n} == {v}" for n, v in zip(names, latest[0], strict=True))
    expected = min(times[s] for s in states if s[0] == latest[0])
    found = earliest(model, condition(text, model), engine="explicit")
    assert found.time == expected
    assert found.answer.witness is not None
    assert sum(step.event == "elapse" for step in found.answer.witness.steps) == expected


def test_what_cannot_be_has_no_least_time_and_what_has_no_time_is_refused() -> None:
    model = as_model(parse("tr t [2,3] p -> q\npl p (1)\n"))
    never = earliest(model, condition("p + q == 2", model))
    assert never.time is None
    assert never.answer.verdict == "false"
    assert earliest(model, condition("q == 1", model)).time == 2

    counter = Elementary("counter")
    x = counter.variable("now")
    counter.event("up", when=x < 3, do=when(x < 3, x.add(1)))
    with pytest.raises(InputError, match="no time passes in 'counter'"):
        earliest(system(counter), condition("now == 3", system(counter)))
    timed = Elementary("timed")
    x = timed.variable("now")
    timed.event("elapse", when=x < 7, do=x.add(1), label="elapse")
    model = system(timed)
    assert earliest(model, condition("now == 6", model)).time == 6
