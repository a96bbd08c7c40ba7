"""Printing GAL: what it looks like, and that it reads back as the same model."""

from dataclasses import replace

import pytest

from plait import passes
from plait.engines import check, states
from plait.errors import InputError
from plait.lang.gal import parse, print_model
from plait.model.expr import (
    And,
    Binary,
    Compare,
    Const,
    Formula,
    Hop,
    Length,
    Not,
    Or,
    Truth,
    Unary,
    Var,
)
from plait.model.stmt import Assign, Fixpoint, If, InstanceCall, Send, Settle, Statement
from plait.model.stmt import Call as SelfCall
from plait.model.types import (
    Channel,
    CompositeType,
    Domain,
    ElementaryType,
    Event,
    Instance,
    Label,
    Model,
    Process,
    Property,
    TypeParameter,
    Variable,
)
from plait.testing.choices import Seeded
from plait.testing.mix import GAL
from plait.testing.random_models import model as random_model

ONE = Const(1)
x = Var("x")
p, q = Compare("==", x, ONE), Compare("<", x, ONE)


def of(*events: Event, **more: object) -> Model:
    type_ = ElementaryType("T", events=events, variables=(Variable("x"),))
    return Model("m", (replace(type_, **more),), "T")  # type: ignore[arg-type]


def doing(*body: Statement) -> Model:
    called = Event("l", label=Label("l"))
    return of(Event("t", body=body), called)


TEXT = """\
$N = 3;
typedef ids = 0 .. $N - 1;

/** A worker */
gal Worker($K = 1) {
  typedef own = 0 .. $K;
  int busy = 0;
  hotbit(ids) int place;
  array [3] seen = (0, 1, -2);
  predicate idle = busy == 0;

  transition start [busy == 0 && (place > 0 || seen[0] == 1)] {
    busy = 1;
    place += 1;
    seen[place] -= seen[0] * 2;
    self."note"(2);
  }

  /** Writes it down */
  transition note(ids $i) [$i != 0] label "note"($i) {
    if (seen[$i] > 0) {
      abort;
    } else {
      for ($j : own) {
        seen[$j] = $i;
      }
    }
    fixpoint {
      self."drop";
    }
  }

  transition drop [true] label "drop" {
  }
  TRANSIENT = busy == 7;
}

composite Team {
  Worker boss($K = 0);
  Worker[2] w;

  synchronization meet(ids $i) [$i < 2] label "meet" {
    boss."drop";
    w[$i]."note"($i);
  }
}

scalar Teams [2] of Team {

  synchronization all_meet {
    all."meet";
    any."meet";
  }
}

main Teams;

property quiet [invariant] : item[0]:boss:busy == 0;

property turns [ctl] : AG (item[0]:boss:busy == 1 -> AF (item[0]:boss:busy == 0));

property until [ctl] : E item[1]:boss:busy == 0 U item[1]:boss:busy == 1;

property live [ltl] : (G F (item[0]:boss:busy == 0) && F deadlock);

property most [bounds] : item[0]:boss:busy + item[1]:boss:busy;

property free [deadlock];
"""


def test_the_text_is_what_a_person_would_write() -> None:
    assert print_model(parse(TEXT, "m")) == TEXT


@pytest.mark.parametrize(
    "guard",
    [
        (),
        (p,),
        (p, q),
        (Truth(True),),
        (Truth(True), p),
        (And((p, q)),),
        (And((p, q)), p),
        (Truth(False),),
        (Or((p, q)), And((q, p)), Not(p)),
        (And((Truth(True), p)),),
    ],
)
def test_every_guard_reads_back_exactly(guard: tuple[Formula, ...]) -> None:
    model = of(Event("t", guard))
    assert parse(print_model(model), "m") == model


@pytest.mark.parametrize(
    "value",
    [
        Binary("+", x, ONE),
        Binary("-", x, Const(-1)),
        Binary("-", ONE, x),
        Binary("+", Binary("+", x, ONE), x),
        Binary("-", Unary("-", x), Unary("-", Const(3))),
        Binary("**", Const(-2), Binary("**", x, x)),
        Const(-(2**31)),
    ],
)
def test_every_assignment_reads_back_exactly(value: Binary | Const) -> None:
    model = doing(Assign(x, value))
    assert parse(print_model(model), "m") == model


def test_increments_are_printed_as_such() -> None:
    text = print_model(doing(Assign(x, Binary("+", x, ONE)), Assign(x, Binary("-", ONE, x))))
    assert "x += 1;" in text
    assert "x = 1 - x;" in text


def test_settling_is_printed_as_a_fixpoint() -> None:
    model = doing(Settle(p, "l"))
    written = doing(Fixpoint((If(p, (SelfCall("l"),)),)))
    assert parse(print_model(model), "m") == written


@pytest.mark.parametrize("name", ["if", "self", "A", "true", "gal", "p-1", "a.b", "é", "", "a\nb"])
def test_every_name_reads_back(name: str) -> None:
    variable = ElementaryType(
        name or "T",
        variables=(Variable(name),),
        events=(Event(name, (Compare("==", Var(name), ONE),), (Assign(Var(name), ONE),)),),
    )
    labelled = replace(variable, name="L", events=(Event("e", label=Label("x" + name)),))
    whole = CompositeType(
        "C",
        instances=(Instance(name, "L"), Instance("other", variable.name)),
        events=(Event("s", body=(InstanceCall(Hop(name), "x" + name),)),),
    )
    asked = Property(name, "reachable", Compare("==", Var(name, None, (Hop("other"),)), ONE))
    model = Model("m", (variable, labelled, whole), "C", properties=(asked,))
    assert parse(print_model(model), "m") == model


def test_channels_are_refused_and_other_information_is_left_out() -> None:
    channel = Channel("c", 1, (None,))
    with pytest.raises(InputError, match="channel 'c' cannot be written in GAL"):
        print_model(of(channels=(channel,)))
    send = Send(Hop("c"), (Length(Hop("c")),))
    with pytest.raises(InputError, match="a send cannot be written in GAL"):
        print_model(doing(send))
    informed = of(
        Event("t", process="P"),
        variables=(Variable("x", domain=Domain(0, 3)),),
        processes=(Process("P"),),
    )
    assert parse(print_model(informed), "m") == of(Event("t"))


def test_a_type_parameter_that_would_be_read_as_an_interface_is_refused() -> None:
    parameters = (TypeParameter("T", ("I",)), TypeParameter("U"))
    model = Model("m", (CompositeType("C", type_parameters=parameters),), "C")
    with pytest.raises(InputError, match="'U' needs an interface"):
        print_model(model)


def test_random_models_read_back() -> None:
    """Without validation: random models hold constant indexes out of range on purpose."""
    for seed in range(300):
        model = random_model(Seeded(seed), GAL)
        assert parse(print_model(model), model.name, validated=False) == model, seed


def test_a_flat_model_reads_back_with_what_it_asks_of_its_events() -> None:
    """Of events that a pass renamed, took apart by their parameters, or left out."""
    text = """
    typedef few = 0 .. 1;
    gal Part { int x; transition t(few $i) [x == $i] { x = $i + 1; } transition gone [false] {} }
    composite Whole { Part p; Part q; }
    main Whole;
    property first [reachable] : enabled("p.t(1)") && !enabled("q.t(1)");
    property either [ctl] : AG (enabled("p.t") || p.x == 2);
    property dead [never] : enabled("p.gone");
    """
    model = parse(text, "whole.gal")
    flat = passes.flat(model, reduce=False).model
    again = parse(print_model(flat), "again.gal")
    verdicts = [a.verdict for a in check(again)]
    assert verdicts == [a.verdict for a in check(model)] == ["true", "true", "true"]


def test_a_call_that_nobody_answers_is_printed_as_what_it_is() -> None:
    call = Event("t", (), (SelfCall("nobody"),))
    model = Model("m", (ElementaryType("m", events=(call,)),), "m")
    assert "abort;" in print_model(model)
    assert states(parse(print_model(model), "again.gal")).deadlocks == 1
