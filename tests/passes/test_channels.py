"""Channels lowered to variables: every operation against the reference, cell by cell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from rewriting import assert_same

from plait.errors import ModelError
from plait.model.builder import ChannelHandle, Elementary, ask, call, when
from plait.model.shape import shape_of
from plait.model.types import CompositeType, Domain, ElementaryType, Instance, Model
from plait.passes import LOWERING, flat
from plait.reference import Semantics

Write = Callable[[Elementary], None]


def model_of(write: Write) -> Model:
    m = Elementary("M")
    write(m)
    type_ = m.build()
    return Model("m", (type_,), "M")


def fifo(m: Elementary) -> None:
    x, y, q = m.variable("x"), m.variable("y"), m.channel("q", 3, 2)
    m.event("put", when=x < 4, do=[q.send(x, x * 2), x.add(1)])
    m.event("get", do=q.receive(y, None))
    m.event("match", when=y > 0, do=q.receive(2, y))


def ordered(m: Elementary) -> None:
    x, y, q = m.variable("x"), m.variable("y"), m.channel("q", 3, 2)
    m.event("put", when=x < 5, do=[x.add(1), q.send(x * 3 % 4, x, ordered=True)])
    m.event("get", do=q.receive(y, None))


def ordered_by_what_it_holds(m: Elementary) -> None:
    """The value looks at the slots that its insertion moves."""
    x, q = m.variable("x"), m.channel("q", 3, 2)
    value = q.poll(1, None, anywhere=True).as_int() * 2
    m.event("put", when=x < 5, do=[q.send(x % 2, value, ordered=True), x.add(1)])
    m.event("get", do=q.receive(None, None))


def anywhere(m: Elementary) -> None:
    x, y, q = m.variable("x"), m.variable("y"), m.channel("q", 3, 2)
    m.event("put", when=x < 4, do=[q.send(x, x % 2), x.add(1)])
    m.event("odd", do=q.receive(y, 1, anywhere=True))
    m.event("first", when=y == 3, do=q.receive(None, None, anywhere=True))


def keep(m: Elementary) -> None:
    x, y, q = m.variable("x"), m.variable("y"), m.channel("q", 2)
    m.event("put", when=x < 3, do=[q.send(x), x.add(1)])
    m.event("peek", do=q.receive(y, keep=True))
    m.event("peek two", do=[q.receive(2, anywhere=True, keep=True), y.set(9)])
    m.event("get", do=q.receive(y))


def questions(m: Elementary) -> None:
    x, y, q = m.variable("x"), m.variable("y"), m.channel("q", 2)
    m.event("put", when=[~q.full, x < 3], do=[q.send(q.length), x.add(1)])
    m.event("look", when=q.poll(1), do=y.set(q.length + 10))
    m.event("search", when=q.poll(1, anywhere=True), do=y.set(q.full.as_int()))
    m.event("get", when=~q.empty, do=q.receive(None))


def arrays(m: Elementary) -> None:
    """An index from the state, also one that runs out of the array."""
    i, y, q = m.variable("i"), m.variable("y"), m.channel("q", 2, 1, size=2)
    m.event("next", when=i < 3, do=i.add(1))
    m.event("back", when=y == 1, do=i.set(-1))
    m.event("put", when=q[0].length < 2, do=q[i].send(i))
    m.event("get", do=q[i].receive(y))
    m.event("full", when=q[i].full, do=y.set(7))
    m.event("not full", when=[~q[i].full, y == 0], do=y.set(q[i].length + 3))
    m.event("poll", when=[~q[i].poll(1), y == 7], do=y.set(8))
    m.event("fixed", when=y == 3, do=q[1].send(5))


def inside(m: Elementary) -> None:
    """Operations that are not first: in a branch, after another, in a called event."""
    x, q, r = m.variable("x"), m.channel("q", 2), m.channel("r", 1)
    m.event("both", when=x < 4, do=[q.send(x), r.send(x), x.add(1)])
    m.event("move", do=when(x > 2, [q.receive(x), call("r")], [r.receive(None)]))
    m.event("r", label="r", do=r.receive(None))


def nothing_in_a_message(m: Elementary) -> None:
    x, q = m.variable("x"), m.channel("q", 2, 0)
    m.event("put", when=x < 5, do=[q.send(), x.add(1)])
    m.event("put in order", when=x < 5, do=[q.send(ordered=True), x.add(2)])
    m.event("get", do=q.receive())


def undefined(m: Elementary) -> None:
    x, y, q = m.variable("x"), m.variable("y"), m.channel("q", 2)
    m.event("put", when=x < 3, do=[q.send(x), x.add(1)])
    m.event("divide", do=q.send(y // x))
    m.event("match", do=q.receive(y // (x - 1)))
    m.event("sorted", do=q.send(y // (x - 2), ordered=True))


def rendezvous(m: Elementary) -> None:
    x, y, z, c = m.variable("x"), m.variable("y"), m.variable("z"), m.channel("c", 0, 2)
    a, b = m.process("A"), m.process("B")
    m.event("ask", when=x < 3, do=[c.send(x, 1), x.add(1)], process=a)
    m.event("ask again", when=x == 1, do=[c.send(x, 2)], process=a)
    m.event("hear", when=y < 2, do=[c.receive(y, 1), z.add(1)], process=b)
    m.event("any", when=z == 1, do=[c.receive(None, z)], process=b)
    m.event("myself", do=c.receive(None, None), process=a)
    m.event("nobody", when=[c.empty, c.full, c.length == 0, ~c.poll(None, None), x == 9])


def exchange(m: Elementary) -> None:
    """What is sent is what was there before anything is bound."""
    x, y, t = m.variable("x", 1), m.variable("y", 2), m.array("t", 3, (1, 2, 0))
    c = m.channel("c", 0, 2)
    m.event("send", do=c.send(x, y))
    m.event("swap", do=c.receive(y, x))
    m.event("turn", do=c.receive(x, t[x]))


def rendezvous_array(m: Elementary) -> None:
    i, j, c = m.variable("i"), m.variable("j"), m.channel("c", 0, 1, size=2)
    m.event("send", when=i < 4, do=[c[i].send(i), i.add(1)])
    m.event("receive", do=c[j].receive(j))
    m.event("step", when=j < 3, do=j.add(1))
    m.event("fixed", do=c[1].receive(None))
    m.event("blocked", when=c[i].full, do=j.set(-1))


WRITES: list[Write] = [
    fifo, ordered, ordered_by_what_it_holds, anywhere, keep, questions, arrays, inside,
    nothing_in_a_message, undefined, rendezvous, exchange, rendezvous_array,
]  # fmt: skip


@pytest.mark.parametrize("write", WRITES, ids=lambda w: w.__name__)
def test_lowered_channels_do_what_channels_do(write: Write) -> None:
    model = model_of(write)
    found = assert_same(model, LOWERING)
    assert_same(model, [flat])
    assert not isinstance(found, str)
    assert len(found[1]) > 1


@pytest.mark.parametrize("write", WRITES, ids=lambda w: w.__name__)
def test_lowered_channels_do_it_in_a_part_of_a_composite_too(write: Write) -> None:
    inner = model_of(write).system
    twice = CompositeType("C", instances=(Instance("a", type="M"), Instance("b", type="M")))
    idle = ElementaryType("Idle")
    one = CompositeType("C", instances=(Instance("a", type="M"), Instance("b", type="Idle")))
    assert_same(Model("m", (inner, idle, one), "C"), LOWERING)
    assert_same(Model("m", (inner, twice), "C"), [flat])


def test_properties_see_the_channels_of_the_main_type() -> None:
    m = Elementary("M")
    questions(m)
    q = ChannelHandle("q")
    asked = (
        ask("full", "reachable", q.full),
        ask("longest", "bounds", q.length * 2 + 1),
        ask("poll", "never", q.poll(1, anywhere=True)),
    )
    assert_same(Model("m", (m.build(),), "M", properties=asked), [flat])


def test_a_joint_event_has_both_names_and_the_process_of_the_sender() -> None:
    new = flat(model_of(rendezvous), reduce=False).model
    titles = {e.title: e.process for e in new.system.events}
    assert titles["ask & hear"] == "A"
    assert "ask & myself" not in titles
    assert "ask" not in titles


def test_the_cells_keep_their_order() -> None:
    model = model_of(arrays)
    assert list(shape_of(flat(model, reduce=False).model).cells()) == [
        name.replace("[", ".").replace("]", "") for name in shape_of(model).cells()
    ]


@pytest.mark.parametrize("domain", [Domain(0, 2), Domain(1, 2), Domain(-5, -1)])
@pytest.mark.parametrize("is_ordered", [False, True])
def test_a_message_outside_the_domain_of_its_field_is_an_error(
    domain: Domain, is_ordered: bool
) -> None:
    """Unused slots hold 0 whatever the domain says; that is no error."""

    def write(m: Elementary) -> None:
        x, y, q = m.variable("x", domain.low), m.variable("y"), m.channel("q", 2)
        m.event("put", when=x <= domain.high, do=[q.send(x, ordered=is_ordered), x.add(1)])
        m.event("get", do=q.receive(y))

    inside_only = _with_domain(model_of(write), domain)
    found = assert_same(inside_only, LOWERING)
    assert not isinstance(found, str)
    assert_same(inside_only, [flat])
    narrow = _with_domain(inside_only, Domain(domain.low, domain.high - 1))
    assert assert_same(narrow, LOWERING) == "model error"
    with pytest.raises(ModelError):
        Semantics(flat(narrow).model).reachable(1000)


def _with_domain(model: Model, domain: Domain) -> Model:
    type_ = model.system
    assert isinstance(type_, ElementaryType)
    channels = tuple(replace(c, fields=(domain,)) for c in type_.channels)
    return replace(model, types=(replace(type_, channels=channels),))
