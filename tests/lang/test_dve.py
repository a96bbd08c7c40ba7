"""Reading DVE: what processes, channels and committed states become and do."""

from pathlib import Path

import pytest

from plait import engines
from plait.lang import load as load_any
from plait.lang.dve import load, parse
from plait.logic.parse import parse_formula
from plait.model.expr import Compare, Const, Formula, Hop, Var
from plait.model.shape import shape_of
from plait.model.stmt import Assign, Bind, Receive, Send
from plait.model.types import Channel, Domain, ElementaryType, Event, Model, Process
from plait.reference import Semantics


def process(name: str, states: str, transitions: str, more: str = "") -> str:
    """A process whose first state is initial; `more` stands among its declarations."""
    first = states.split(",", maxsplit=1)[0]
    return f"process {name} {{ {more} state {states}; init {first}; trans {transitions}; }}\n"


def read(*parts: str, system: str = "system async;") -> Model:
    """The model of a text in parts."""
    return parse("".join(parts) + system, "model")


def type_of(model: Model) -> ElementaryType:
    """Its only type."""
    assert isinstance(model.system, ElementaryType)
    return model.system


def event(model: Model, name: str) -> Event:
    """One of its events."""
    return next(e for e in model.system.events if e.name == name)


def counts(model: Model) -> tuple[int, int | None, int | None]:
    """States, arcs and deadlocks, on which the native engine and the reference must agree."""
    native, reference = (engines.states(model, engine=e) for e in ("auto", "reference"))
    assert native.complete
    found = (native.states, native.arcs, native.deadlocks)
    assert found == (reference.states, reference.arcs, reference.deadlocks)
    return found


def last(model: Model, *variables: str) -> set[tuple[int, ...]]:
    """The values of variables in the deadlocks that can be reached."""
    counts(model)
    offsets = [shape_of(model).variables[v].offset for v in variables]
    return {tuple(state[o] for o in offsets) for state in Semantics(model).deadlocks()}


# --- what a text becomes --------------------------------------------------------------------------


def test_processes_become_locations_variables_and_events() -> None:
    model = read(
        "byte x = 3; int a[2] = {1, -1};\n",
        process("P", "s,t", "s -> t { guard x == 3; effect x = 4; }", "byte y;"),
    )
    type_ = type_of(model)
    assert [v.name for v in type_.variables] == ["x", "a", "P.state", "P.y"]
    assert [v.domain for v in type_.variables] == [
        Domain(0, 255),
        Domain(-32768, 32767),
        Domain(0, 1),
        Domain(0, 255),
    ]
    assert type_.processes == (Process("P", "P.state", ("s", "t")),)
    assert type_.events == (
        Event(
            "P.s->t",
            guard=(
                Compare("==", Var("P.state"), Const(0)),
                Compare("==", Var("x"), Const(3)),
            ),
            body=(Assign(Var("x"), Const(4)), Assign(Var("P.state"), Const(1))),
            process="P",
        ),
    )
    assert counts(model) == (2, 1, 1)


def test_channels_stay_channels() -> None:
    model = read(
        "channel c; channel {byte, int} d[2];\n",
        process("P", "s,t", "s -> t { sync c!5; }, s -> s { sync d!{1, 2}; }"),
        process("Q", "s,t", "s -> t { sync c?x; }, s -> s { sync d?{x, y}; }", "byte x; int y;"),
    )
    assert type_of(model).channels == (
        Channel("c", 0, (None,)),
        Channel("d", 2, (Domain(0, 255), Domain(-32768, 32767))),
    )
    sent = event(model, "P.s->t").body[0]
    assert sent == Send(Hop("c"), (Const(5),))
    taken = event(model, "Q.s->s").body[0]
    assert taken == Receive(Hop("d"), (Bind(Var("Q.x")), Bind(Var("Q.y"))))


def test_a_transition_without_a_source_continues_the_one_before() -> None:
    model = read(process("P", "a,b,c", "a -> b {}, -> c {}, b -> c {}, -> a {}"))
    assert [e.name for e in model.system.events] == ["P.a->b", "P.a->c", "P.b->c", "P.b->a"]


def test_transitions_between_the_same_states_have_names_of_their_own() -> None:
    model = read("byte x;", process("P", "a", "a -> a { effect x = 1; }, a -> a { effect x = 1; }"))
    assert [e.name for e in model.system.events] == ["P.a->a", "P.a->a#2"]
    assert counts(model) == (2, 4, 0)


def test_constants_stand_for_their_values() -> None:
    model = read(
        "const byte N = 3; const int T[2] = {7, 8}; byte a[N + 1];\n",
        process("P", "s,t", "s -> t { effect a[K] = N, a[0] = T[1]; }", "const byte K = N - 1;"),
    )
    assert [v.name for v in type_of(model).variables] == ["T", "a", "P.state"]
    final = Semantics(model).deadlocks()
    assert [s[2:6] for s in final] == [(8, 0, 3, 0)]


def test_properties_know_processes_by_their_dotted_names() -> None:
    model = read(process("P", "idle,busy", "idle -> busy { effect x = 7; }", "byte x;"))
    texts = {
        "reachable: P.busy": "true",
        "reachable: P.idle + P.busy > 1": "false",
        "reachable: P.x == 7 && P.busy": "true",
        "invariant: P.state <= 1": "true",
    }
    asked = [parse_formula(text, model) for text in texts]
    assert [a.verdict for a in engines.check(model, asked)] == list(texts.values())


def test_a_trace_shows_lines_and_processes() -> None:
    text = """\
channel c;
process P { state a, b; init a; trans
  a -> b { sync c!; };
}
process Q { state a, b; init a; trans
  a -> b { sync c?; };
}
system async;
"""
    model = parse(text, "two.dve")
    answer = engines.check(model, [parse_formula("never: Q.b", model)])[0]
    assert answer.verdict == "false"
    assert answer.witness is not None
    (step,) = answer.witness.steps
    assert (step.event, step.process, str(step.span)) == ("P.a->b & Q.a->b", "P & Q", "two.dve:3:3")


def test_a_dve_file_is_known_by_its_ending(tmp_path: Path) -> None:
    path = tmp_path / "two.dve"
    path.write_text("\ufeffprocess P { state a; init a; }\r\nsystem async;\r\n", encoding="utf-8")
    assert load_any(path) == load(path)
    assert load(path).name == "two"
    assert counts(load(path)) == (1, 0, 1)


# --- expressions ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("x + y * z", "x + (y * z)"),
        ("x - y - z", "(x - y) - z"),
        ("x << 1 + y", "x << (1 + y)"),
        ("x < y << 1", "x < (y << 1)"),
        ("x == y < z", "x == (y < z)"),
        ("x & y == z", "x & (y == z)"),
        ("x ^ y & z", "x ^ (y & z)"),
        ("x | y ^ z", "x | (y ^ z)"),
        ("x and y | z", "x and (y | z)"),
        ("x or y and z", "x or (y and z)"),
        ("x imply y or z", "x imply (y or z)"),
        ("x imply y imply z", "(x imply y) imply z"),
        ("not x == y", "(not x) == y"),
        ("-x + ~y", "(-x) + (~y)"),
        ("x && y || z", "(x and y) or z"),
        ("P.s + P.t > 1", "((P.s) + (P.t)) > 1"),
        ("x < y < z", "(x < y) < z"),
        ("a[x + 1] % 2", "(a[(x + 1)]) % 2"),
        ("P->v * 2", "(P.v) * 2"),
        ("a + 1", "a[0] + 1"),
    ],
)
def test_operators_bind_as_in_the_language_guide(text: str, meaning: str) -> None:
    assert _guard(text) == _guard(meaning)


def _guard(text: str) -> tuple[Formula, ...]:
    model = read(
        "byte x, y, z, a[9];",
        process("P", "s,t", f"s -> t {{ guard {text}; }}", "byte v;"),
    )
    return model.system.events[0].guard


def test_numbers_are_conditions_and_conditions_are_numbers() -> None:
    model = read(
        "byte x = 2, y;",
        process("P", "s,t", "s -> t { guard x and not y; effect y = (x > 1) + P.s + true; }"),
    )
    assert last(model, "y") == {(3,)}


@pytest.mark.parametrize(
    ("type_", "value", "stored"),
    [
        ("byte", "255 + 1", 0),
        ("byte", "0 - 1", 255),
        ("byte", "x - 2", 255),
        ("byte", "x * 300", 44),
        ("byte", "~x", 254),
        ("int", "32767 + x", -32768),
        ("int", "-32768 - x", 32767),
        ("int", "x * 40000", -25536),
        ("int", "70000 % 65536", 4464),
        ("int", "1 << 15", -32768),
        ("byte", "x << 8", 0),
        ("byte", "(x - 2) & 511", 255),
        ("byte", "(0 - 7) % 4", 253),
        ("byte", "(x - 8) / 2", 253),
    ],
)
def test_assignments_wrap_at_the_size_of_the_type(type_: str, value: str, stored: int) -> None:
    text = process("P", "s,t", f"s -> t {{ effect r = {value}; }}", f"byte x = 1; {type_} r;")
    assert last(read(text), "P.r") == {(stored,)}


def test_initial_values_wrap_and_arrays_take_what_they_need() -> None:
    # Generated models of BEEM give more values than cells: `byte Slot[2] = {1, 0, 0};`.
    model = read("byte a[2] = {1, 0, 9}, b[3] = {256 + 7}, c = -1;", process("P", "s", ""))
    assert shape_of(model).initial() == (1, 0, 7, 0, 0, 255, 0)


@pytest.mark.parametrize(
    ("effect", "masked"),
    [("x = y", False), ("x = (y + 1) % 3", False), ("x = y & z", False), ("x = y + 1", True)],
)
def test_a_mask_is_written_only_where_it_may_matter(effect: str, masked: bool) -> None:
    model = read("byte x, y, z;", process("P", "s,t", f"s -> t {{ effect {effect}; }}"))
    stored = model.system.events[0].body[0]
    assert isinstance(stored, Assign)
    assert stored.value.key() == ("&" if masked else stored.value.key())
    assert (Const(255) in stored.value.children()) == masked


def test_effects_happen_in_order() -> None:
    model = read(
        "byte x = 1, a[3];",
        process("P", "s,t", "s -> t { effect x = x + 1, a[x] = x, x = a[2] * 3; }"),
    )
    assert last(model, "x") == {(6,)}


def test_an_expression_may_be_as_deep_as_it_likes() -> None:
    depth = 20_000
    model = read(
        "byte x;",
        process("P", "s,t", f"s -> t {{ guard {'(' * depth}x == 0{')' * depth}; }}"),
        process("Q", "s,t", f"s -> t {{ effect x = {'not ' * depth}1; }}"),
        process("R", "s,t", f"s -> t {{ effect x = {'1+' * depth}1; }}"),
    )
    # P moves while x is 0; Q leaves 1 in x (an even number of `not`), R 33 (20,001 modulo 256).
    assert engines.states(model).states == 2 + 2 + 2 + 4
    assert engines.states(model).max_value == 33


# --- synchronisation ------------------------------------------------------------------------------


def test_the_value_arrives_before_the_effects_and_the_sender_acts_first() -> None:
    """covers: I135"""
    model = read(
        "channel c; byte order;",
        process("P", "s,t", "s -> t { sync c!order + 5; effect order = Q->x; }"),
        process("Q", "s,t", "s -> t { sync c?x; effect order = order * 10; }", "byte x;"),
    )
    assert last(model, "order", "Q.x") == {(50, 5)}
    assert counts(model) == (2, 1, 1)


def test_every_pair_can_meet_but_no_process_meets_itself() -> None:
    both = "s -> t { sync c!; }, s -> u { sync c?; }"
    model = read("channel c;", *(process(n, "s,t,u", both) for n in ("P", "Q", "R")))
    assert counts(model) == (1 + 6, 6, 6)


def test_values_are_cast_to_what_each_receiver_stores() -> None:
    model = read(
        "channel c;",
        process("P", "s,t", "s -> t { sync c!300; }"),
        process("Q", "s,t", "s -> t { sync c?x; }", "byte x;"),
        process("R", "s,t", "s -> t { sync c?y; }", "int y;"),
    )
    assert last(model, "Q.x", "R.y") == {(44, 0), (0, 300)}


def test_a_typed_channel_casts_what_is_sent() -> None:
    for capacity in (0, 1):
        model = read(
            f"channel {{byte}} c[{capacity}];",
            process("P", "s,t", "s -> t { sync c!300; }"),
            process("Q", "s,t", "s -> t { sync c?y; }", "int y;"),
        )
        assert last(model, "Q.y") == {(44,)}


def test_a_buffered_value_is_cut_to_a_smaller_variable() -> None:
    model = read(
        "channel {int, byte} c[2];",
        process("P", "s,t", "s -> t { sync c!{300, 2}; }"),
        process("Q", "s,t", "s -> t { sync c?{i, a[i % 8]}; }", "byte i; byte a[8];"),
    )
    assert counts(model) == (3, 2, 1)
    assert {state[2:11] for state in Semantics(model).deadlocks()} == {(44, 0, 0, 0, 0, 2, 0, 0, 0)}


def test_a_buffer_blocks_when_it_is_full_and_when_it_is_empty() -> None:
    model = read(
        "channel {byte} c[2];",
        process("P", "s", "s -> s { sync c!1; }"),
        process("Q", "s", "s -> s { sync c?x; }", "byte x;"),
    )
    # The queue holds 0, 1 or 2 messages; x is 0 until the first is taken.
    assert counts(model) == (6, 8, 0)


# --- committed states -----------------------------------------------------------------------------


def test_only_committed_processes_move_while_one_is_committed() -> None:
    """covers: I135"""
    model = read(
        process("P", "a,b", "a -> b {}, b -> a {}", "commit b;"),
        process("Q", "a,b", "a -> b {}, b -> a {}"),
    )
    # Q moves only while P is in a: four states, and from two of them one move only.
    assert counts(model) == (4, 6, 0)


def test_a_committed_process_does_not_meet_an_ordinary_one() -> None:
    parts = (
        "channel c;",
        process("P", "a,b", "a -> b { sync c!; }", "commit a;"),
    )
    ordinary = process("Q", "a,b", "a -> b { sync c?; }")
    committed = process("Q", "a,b", "a -> b { sync c?; }", "commit a;")
    assert counts(read(*parts, ordinary)) == (1, 0, 1)
    assert counts(read(*parts, committed)) == (2, 1, 1)


# --- properties -----------------------------------------------------------------------------------


def test_assertions_are_invariants_of_their_state() -> None:
    loop = "a -> b { guard i < 5; effect i = i + 1; }, b -> a {}"
    said = "byte i; assert a: i < 5, b: i > 0, a: i < 6;"
    model = read(process("P", "a,b", loop, said))
    answers = {a.property.name: a.verdict for a in engines.check(model)}
    assert answers == {"P.a-assert": "false", "P.b-assert": "true", "P.a-assert-2": "true"}


PING = process("P", "a,b", "a -> b {}, b -> a {}")


@pytest.mark.parametrize(
    ("observer", "verdict", "states"),
    [
        # Never (infinitely often in b): accepts when from some point on never b.
        (
            ("q,r", "q -> q {}, q -> r { guard P.a; }, r -> r { guard P.a; }", "accept r;"),
            "true",
            3,
        ),
        (("q,r", "q -> q {}, q -> r { guard P.b; }, r -> q {}", "accept r;"), "false", 3),
        # The guard speaks of the state before the step: P.a holds at first, so the observer leaves.
        (("q,r", "q -> r { guard P.a; }, r -> r {}", "accept r;"), "false", 3),
        (("q,r", "q -> r { guard P.b; }, r -> r {}", "accept r;"), "true", 1),
        (("q", "q -> q {}", ""), "true", 2),
    ],
)
def test_a_property_process_moves_with_every_step(
    observer: tuple[str, str, str], verdict: str, states: int
) -> None:
    states_, transitions, accept = observer
    model = read(
        PING, process("N", states_, transitions, accept), system="system async property N;"
    )
    assert counts(model)[0] == states
    assert engines.check(model)[0].verdict == verdict


def test_a_property_process_goes_on_where_the_system_cannot() -> None:
    end = process("P", "a,b", "a -> b {}")
    stays = "q -> q {}, q -> r { guard P.b; }, r -> r { guard P.b; }"
    observer = process("N", "q,r", stays, "accept r;")
    model = read(end, observer, system="system async property N;")
    (answer,) = engines.check(model)
    assert (answer.property.name, answer.verdict) == ("N", "false")
    # A run that ends because the observer is stuck in an accepting state is not accepted.
    stuck = process("N", "q,r", "q -> q {}, q -> r { guard P.b; }", "accept r;")
    assert engines.check(read(end, stuck, system="system async property N;"))[0].verdict == "true"


def test_a_property_process_watches_a_rendezvous_and_a_buffer() -> None:
    system = (
        "channel c; channel {byte} d[1];",
        process("P", "a,b,e", "a -> b { sync c!1; }, b -> e { sync d!2; }"),
        process("Q", "a,b,e", "a -> b { sync c?x; }, b -> e { sync d?x; }", "byte x;"),
    )
    observer = process(
        "N", "q", "q -> q { effect steps = steps + 1 - (steps == 9); }", "byte steps;"
    )
    model = read(*system, observer, system="system async property N;")
    # Three steps of the system, and then the observer alone: it counts to 9.
    assert counts(model) == (10, 10, 0)


def test_names_of_a_process_hide_those_outside() -> None:
    model = read(
        "byte z = 1;",
        process("Q", "z", ""),
        process("P", "s,t", "s -> t { guard z == 5 and Q == 2; }", "byte z = 5, Q = 2;"),
    )
    assert counts(model) == (2, 1, 1)
