"""Tina's and Romeo's nets: what is read, what is refused and where, what is written back."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from tests.time.timed_nets import timed_nets

from plait.errors import InputError
from plait.lang import language_of, load, load_timed, romeo, tina
from plait.time.encoding import as_model
from plait.time.net import Interval, TimedArc, TimedNet
from plait.time.timing import Timing

RANDOM = settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
TEXT = """# a comment
net {all of it}
tr t1 : go [1,w[ p1*2 p2?3
   p3?-1 -> {a place} p1*1K   # goes on here
tr t2 -> p2
pl p1 : named (2) t2 -> t1*3
pl p2 (1K)
lb t2 come
lb p2 nothing
pr t1 > t2
nt note 0 {some text}
"""


def test_every_word_of_the_textual_format_is_read() -> None:
    net = tina.parse(TEXT)
    names = {p.name: p.initial for p in net.places}
    assert net.name == "all of it"
    assert names == {"p1": 2, "p2": 1000, "p3": 0, "a place": 0}
    number = {p.name: i for i, p in enumerate(net.places)}
    first, second = net.events
    assert (first.label, first.interval) == ("go", Interval(1, None))
    assert (second.label, second.interval) == ("come", Interval(0, None))
    assert first.arcs == (
        TimedArc("in", (number["p1"],), 2),
        TimedArc("test", (number["p2"],), 3),
        TimedArc("inhibitor", (number["p3"],), 1),
        TimedArc("out", (number["a place"],), 1),
        TimedArc("out", (number["p1"],), 1000),
        TimedArc("in", (number["p1"],), 3),
    )
    assert second.arcs == (TimedArc("out", (number["p2"],)), TimedArc("out", (number["p1"],)))
    assert net.priorities == ((0, 1),)
    assert net.warnings == ()


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("tr t [1,2 p -> q", "expected '[' or ']', found 'p'", 1, 11),
        ("tr t [3,2] p -> q", "nothing lies in this interval", 1, 6),
        ("tr t ]1,2[ p -> q", "nothing lies in this interval", 1, 6),
        ("tr t [1,w] p -> q", "without end is written [a,w[", 1, 6),
        ("tr t p", "expected '->', found the end of the description", 1, 6),
        ("\ntr t p!1 -> q", "stopwatch arcs are not read", 2, 7),
        ("pl p (x)", "expected a number of tokens, found 'x'", 1, 7),
        ("tr t p ->\npl t (1)", "'t' is a transition already", 2, 4),
        ("what is this", "expected one of lb, net, nt, pl, pr, tr", 1, 1),
        ("tr t p ->\npr t > u", "'u' is not a transition", 2, 8),
        ("tr t p ->\npr t > t", "'t' has priority over itself", 1, 4),
        ("tr t p ->\ntr u p ->\npr t > u\npr u > t", "'t' has priority over itself", 1, 4),
        ("tr t p?-0 ->", "never lets anything happen", 1, 6),
        ("lb p q", "neither a place nor a transition", 1, 4),
    ],
)
def test_a_mistake_is_shown_where_it_is(text: str, message: str, line: int, column: int) -> None:
    with pytest.raises(InputError) as raised:
        tina.parse(text)
    (found,) = raised.value.diagnostics
    assert message in found.message
    assert found.span is not None
    assert (found.span.line, found.span.column) == (line, column)


def test_strict_bounds_become_the_next_integers_with_a_warning() -> None:
    """covers: I132"""
    net = tina.parse("tr t ]1,4[ p -> q\ntr u ]0,w[ p -> q\npl p (1)\n")
    assert [e.interval for e in net.events] == [Interval(2, 3), Interval(1, None)]
    assert [w.message for w in net.warnings] == [
        "time is discrete: the strict bounds are read as [2,3]",
        "time is discrete: the strict bounds are read as [1,w[",
    ]
    assert all(w.severity == "warning" and w.span is not None for w in net.warnings)


NDR = """p 100.0 50.0 p1 1 n
p 1.0 2.0 {p 2} 0 n label e
t 10.0 20.0 t1 0 w n
t 10.0 20.0 t2 c 5 6 n named w
e p1 t1 1 n
e t1 0.5 55.0 {p 2} 0.25 30.0 2 n
e {p 2} t2 ?2 n
e p1 t2 ?-3 n
h drawn
"""


CELL = """p 1.0 1.0 free 1 n
p 1.0 1.0 busy 0 n
t 1.0 1.0 take n 0 w n in e
t 1.0 1.0 give c 1 4 n out e
e free take 1 n
e take busy 1 n
e busy give 1 n
e give free 1 n
h cell
"""


def _script(folder: Path, text: str) -> TimedNet:
    (folder / "parts").mkdir(exist_ok=True)
    (folder / "parts" / "cell.ndr").write_text(CELL)
    file = folder / "made.tpn"
    file.write_text(text)
    return tina.load(file)


def test_a_script_fuses_transitions_of_the_same_label(tmp_path: Path) -> None:
    net = _script(
        tmp_path,
        "# a buffer of two cells\nload parts/cell.ndr\nren mid/out\n"
        "load parts/cell.ndr\nren mid/in\npl busy : kept (1)\nsync 2\nren /in\n",
    )
    assert net.name == "(1.cell | 2.cell)"
    assert {p.name: p.initial for p in net.places} == {
        "1.free": 1,
        "1.busy": 0,
        "2.free": 1,
        "2.busy": 1,
    }
    by_name = {e.name: e for e in net.events}
    assert {(e.name, e.label) for e in net.events} == {
        ("1.give|2.take", "mid"),
        ("1.take", None),
        ("2.give", "out"),
    }
    joint = by_name["1.give|2.take"]
    assert joint.interval == Interval(1, 4)
    names = [(a.kind, net.places[a.places[0]].name) for a in joint.arcs]
    assert names == [("in", "1.busy"), ("out", "1.free"), ("in", "2.free"), ("out", "2.busy")]


def test_a_script_chains_nets_at_places_and_copies_them(tmp_path: Path) -> None:
    cell = "net c\npl a : in (0)\npl b : out\ntr t a -> b\n"
    net = _script(tmp_path, f"{cell}dup 2\nren 1/out\nchain 2\nmerge 2\n")
    # the copy on top has `b` renamed, so that only `a` is shared in the chain
    assert {p.name for p in net.places} == {"1.a", "1.b", "2.1.a|2.a", "2.1.b", "2.2.b"}
    assert [e.name for e in net.events] == ["1.t", "2.1.t", "2.2.t"]
    chained = next(p for p in net.places if "|" in p.name)
    assert chained.label == "in"


def test_several_transitions_of_a_label_are_fused_in_every_choice(tmp_path: Path) -> None:
    net = _script(
        tmp_path,
        "tr a : x p -> q\ntr b : x q -> p\npr a > b\nnew\ntr c : x [2,3] r -> r\nsync 2\n",
    )
    assert [(e.name, str(e.interval)) for e in net.events] == [
        ("1.a|2.c", "[2,3]"),
        ("1.b|2.c", "[2,3]"),
    ]
    assert net.priorities == ((0, 1),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sync 2\n", "there are 1 nets, not 2"),
        ("dup x\n", "expected a number of nets, found 'x'"),
        ("dup 999999999\n", "more than 100000 nets"),
        ("ren a\n", "labels are renamed by NEW/OLD"),
        ("new now\n", "this is not how 'new' is used"),
        ("source made.tpn\n", "reads itself"),
        ("load nothing.net\n", "cannot read"),
        ("tr a : x [0,1] p ->\nnew\ntr b : x [2,3] q ->\nsync 2\n", "no time is in the intervals"),
        ("pl a : x (1)\nnew\npl b : x (1)\nchain 2\n", "have tokens"),
        ("pl a : x\npl c : x\nnew\npl b : x\nchain 2\n", "several places of the label 'x'"),
        ('place "i" init 1;\n', "expected one of lb, net"),
    ],
)
def test_a_mistake_in_a_script_is_told(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        _script(tmp_path, text)
    assert message in raised.value.diagnostics[0].message


def test_an_edge_between_transitions_is_a_priority_and_a_minus_a_strict_bound() -> None:
    net = tina.parse(
        "# drawn\np 1 1 p 1 n\nt 1 1 a s -1 -4 n\nt 1 1 b 0 w n\ne a b 1 n\n"
        "e p a 1 n\ne p b 1 n\nh n\n",
        form="graphical",
    )
    assert net.priorities == ((0, 1),)
    assert net.events[0].interval == Interval(2, 3)


def test_the_graphical_format_is_read() -> None:
    net = tina.parse(NDR, form="graphical")
    assert net.name == "drawn"
    assert [(p.name, p.initial) for p in net.places] == [("p1", 1), ("p 2", 0)]
    assert [(e.name, e.interval, e.label) for e in net.events] == [
        ("t1", Interval(0, None), None),
        ("t2", Interval(5, 6), "named"),
    ]
    assert net.events[0].arcs == (TimedArc("in", (0,)), TimedArc("out", (1,), 2))
    assert net.events[1].arcs == (TimedArc("test", (1,), 2), TimedArc("inhibitor", (0,), 3))
    for text, message in (
        ("p 1 2 p\n", "ends too early"),
        ("x\n", "'x' begins nothing"),
        ("p 1 2 p 0 n\nt 1 2 t a b n\n", "the earliest and the latest time"),
        ("p 1 2 p 0 n\np 1 2 q 0 n\ne p q 1 n\n", "between a place and a transition"),
        ("p 1 2 p 0 n\nt 1 2 t 0 w n\ne p t !1 n\n", "stopwatch"),
    ):
        with pytest.raises(InputError) as raised:
            tina.parse(text, form="graphical")
        assert message in raised.value.diagnostics[0].message


@RANDOM
@given(timed_nets(choices=False))
def test_romeo_keeps_every_net_and_tina_all_but_resets(net: TimedNet) -> None:
    """covers: I137"""
    assert romeo.parse(romeo.print_net(net).encode()) == net
    if any(arc.kind == "reset" for event in net.events for arc in event.arcs):
        with pytest.raises(InputError, match="Tina has no such arcs"):
            tina.print_net(net)
    else:
        # Tina names places where arcs do; in which order they come changes nothing.
        again = tina.parse(tina.print_net(net))
        assert {p.name: p.initial for p in again.places} == {p.name: p.initial for p in net.places}
        assert [drawn(again, i) for i in range(len(net.events))] == [
            drawn(net, i) for i in range(len(net.events))
        ]


def drawn(net: TimedNet, number: int) -> object:
    """An event by the names of its places; incoming arcs come first."""
    event = net.events[number]
    arcs = [
        (arc.kind == "out", arc.kind, net.places[arc.places[0]].name, arc.weight)
        for arc in event.arcs
    ]
    return event.name, event.interval, sorted(arcs)


ROMEO = """<?xml version="1.0" encoding="UTF-8" ?>
<TPN name="x">
  <place id="1" label="p" initialMarking="1"><graphics/><scheduling gamma="0" omega="0"/></place>
  <place id="7" label="q" initialMarking="0"/>
  <transition id="1" label="go" eft="1" lft="infini"/>
  <transition id="2" label="go" eft="2" lft="3" lft_param="a"><graphics/></transition>
  <arc place="1" transition="1" type="PlaceTransition" weight="1"/>
  <arc place="7" transition="1" type="TransitionPlace" weight="2"/>
  <arc place="7" transition="2" type="flush" weight="1"/>
  <arc place="1" transition="2" type="logicalInhibitor" weight="1"/>
  <arc place="7" transition="2" type="read" weight="2"/>
  <preferences/>
</TPN>
"""


def test_romeos_arcs_and_repeated_labels_are_read(tmp_path: Path) -> None:
    file = tmp_path / "x.xml"
    file.write_text(ROMEO)
    assert language_of(file) == "romeo"
    net = load_timed(file)
    assert [arc.kind for arc in net.events[1].arcs] == ["reset", "inhibitor", "test"]
    assert [w.message for w in net.warnings] == ["the parameter 'a' is read as 3"]
    assert [e.name for e in as_model(net).system.events] == ["go", "go~2", "elapse"]
    assert load(file, timing=Timing("essential")).system.events[-1].name == "wait"


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('gamma="0"', 'gamma="2"', "processors are not read"),
        ('type="flush"', 'type="timedInhibitor"', "arcs of type 'timedInhibitor' are not read"),
        ('eft="1"', 'eft="-1"', "'-1' is not a number that 'eft' can be"),
        ('eft="1" ', "", "the attribute 'eft' is missing"),
        ('place="7" transition="1"', 'place="9" transition="1"', "there is no place 9"),
    ],
)
def test_what_romeo_has_and_discrete_time_has_not_is_refused(
    before: str, after: str, message: str
) -> None:
    with pytest.raises(InputError) as raised:
        romeo.parse(ROMEO.replace(before, after, 1).encode())
    (found,) = raised.value.diagnostics
    assert message in found.message
    assert found.span is not None
