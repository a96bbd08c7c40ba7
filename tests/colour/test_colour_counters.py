"""A coloured net whose objects are counted answers as the net does, with one state for an orbit."""

from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from tests.cli.command import Command
from tests.colour.nets import (
    DOT,
    arc,
    const,
    document,
    enumeration,
    every,
    net,
    op,
    place,
    product,
    times,
    transition,
    var,
    variable,
)
from tests.colour.random_coloured import DECLARED, SORTS, marked_places, verdicts

from plait.colour.choice import fewest_states
from plait.colour.counters import NoObjects, counted
from plait.colour.net import ColouredNet
from plait.colour.objects import Candidates
from plait.colour.unfold import TooLarge, unfold
from plait.engines import Budget, check, states
from plait.logic.folding import Vocabulary
from plait.logic.formula import Exists, Finally, Forall, Globally
from plait.model.expr import Compare, Const, Not
from plait.model.shape import shape_of
from plait.model.types import Model, Property
from plait.reference.execution import Execution
from plait.reference.graph import reachable

C_TERMS = [*map(var, "xxxyy"), const("C1")]
F_TERMS = [*map(var, "zzz"), const("F0")]
GUARDS = [
    "",
    "",
    op("lessthan", var("x"), const("C1")),
    op("inequality", var("x"), var("y")),
    op("equality", var("x"), var("y")),
    op("or", op("equality", var("x"), var("y")), op("equality", var("z"), const("F0"))),
    op("and", op("inequality", var("y"), const("C2")), op("inequality", var("x"), var("y"))),
]


def terms(sort: str) -> st.SearchStrategy[str]:
    """A bag of one summand."""
    if sort == "CF":
        pair = st.tuples(st.sampled_from(C_TERMS), st.sampled_from(F_TERMS))
        return pair.map(lambda both: op("tuple", *both))
    return st.sampled_from({"C": C_TERMS, "F": F_TERMS, "dot": [DOT]}[sort])


@st.composite
def nets(draw: st.DrawFn) -> ColouredNet:
    """A net whose events never add tokens, in which some colours are objects."""
    parts = draw(marked_places())
    for number in range(draw(st.integers(1, 3))):
        name = f"t{number}"
        parts.append(transition(name, draw(st.sampled_from(GUARDS))))
        taken = 0
        for kind in draw(st.lists(st.sampled_from("iioot"), min_size=2, max_size=5)):
            where = draw(st.sampled_from(sorted(SORTS)))
            bag, count = draw(terms(SORTS[where])), draw(st.sampled_from((1, 1, 1, 1, 1, 2)))
            bag = bag if count == 1 else times(count, bag)
            if kind == "o" and count <= taken:
                taken -= count
                parts.append(arc(name, where, bag))
            else:
                taken += 0 if kind == "t" else count
                parts.append(arc(where, name, bag, "test" if kind == "t" else ""))
    return net(DECLARED, *parts)


@settings(
    max_examples=35,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.filter_too_much],
)
@given(nets())
def test_random_nets_and_their_counted_forms_have_the_same_answers(found: ColouredNet) -> None:
    """covers: I75"""
    try:
        smaller = counted(found)
    except TooLarge:
        assume(False)
    model = unfold(found)
    assume(states(model, budget=Budget(states=400)).complete)
    assert verdicts(model) == verdicts(smaller)


CLIENTS = [
    enumeration("C", 4),
    enumeration("F", 2, "finite"),
    product("CF", "C", "F"),
    *(variable(v, "C") for v in "xy"),
    variable("f", "F"),
]


def sharing(first: str = every("C")) -> ColouredNet:
    """Clients ask for one of two forks, hand it to each other, and may lose it; one never does."""
    return net(
        CLIENTS,
        place("idle", "C", first),
        place("waits", "C"),
        place("has", "CF"),
        place("forks", "F", every("F")),
        transition("ask"),
        arc("idle", "ask", var("x")),
        arc("ask", "waits", var("x")),
        transition("take"),
        arc("waits", "take", var("x")),
        arc("forks", "take", var("f")),
        arc("take", "has", op("tuple", var("x"), var("f"))),
        transition("hand", op("inequality", var("x"), var("y"))),
        arc("has", "hand", op("tuple", var("x"), var("f"))),
        arc("waits", "hand", var("y")),
        arc("hand", "has", op("tuple", var("y"), var("f"))),
        arc("hand", "idle", var("x")),
        transition("lose", op("inequality", var("x"), const("C3"))),
        arc("has", "lose", op("tuple", var("x"), var("f"))),
        arc("lose", "idle", var("x")),
    )


def orbits(model: Model, alike: int) -> int:
    """The reachable markings of an unfolded net up to permutations of so many clients."""
    cells = [name.split("_") for name in shape_of(model).cells()]
    renamings = [
        {str(i): str(o) for i, o in enumerate(order)} for order in permutations(range(alike))
    ]

    def least(state: tuple[int, ...]) -> list[tuple[str, ...]]:
        tokens = [c for c, count in zip(cells, state, strict=True) for _ in range(count)]
        return min(
            sorted((p, c if p == "forks" else new.get(c, c), *rest) for p, c, *rest in tokens)
            for new in renamings
        )

    return len({tuple(least(state)) for state in reachable(Execution(model)).states})


def test_a_counted_net_has_a_state_for_each_orbit() -> None:
    """Three clients are alike, the fourth never loses a fork; all are marked alike, or not.

    covers: I75
    """
    for first in (every("C"), op("add", const("C0"), const("C1"))):
        found = sharing(first)
        whole, small = unfold(found), counted(found)
        count = states(small).states
        assert count == orbits(whole, 3)
        assert count is not None
        assert count < (states(whole).states or 0) / 1.5


def test_objects_are_parted_by_constants_in_guards() -> None:
    candidates = Candidates(sharing())
    classes = {candidates.groups.basic(g).name: candidates.classes[g] for g in candidates.best}
    assert classes == {"C": [0, 0, 0, 1], "F": [0, 0]}


def test_what_nobody_asks_an_object_for_is_forgotten() -> None:
    """A client remembers a room, which nothing ever looks at again."""
    found = net(
        CLIENTS,
        place("out", "C", every("C")),
        place("in", "CF"),
        place("keys", "C", every("C")),
        transition("enter"),
        arc("out", "enter", var("x")),
        arc("keys", "enter", var("x")),
        arc("enter", "in", op("tuple", var("x"), var("f"))),
        transition("leave"),
        arc("in", "leave", op("tuple", var("x"), var("f"))),
        arc("leave", "out", var("x")),
        arc("leave", "keys", var("x")),
    )
    small = counted(found)
    assert states(unfold(found)).states == 3**4
    assert states(small).states == 5, "how many are in"
    (bound,) = check(small, [Property("b", "bounds", Vocabulary(small).tokens(("in", "keys")))])
    assert bound.value == 4


def test_a_step_that_changes_only_what_is_forgotten_is_a_step() -> None:
    """Who turns in a room, which nobody looks at, need never leave it."""
    found = net(
        [*CLIENTS, variable("g", "F")],
        place("out", "C", every("C")),
        place("in", "CF"),
        transition("enter"),
        arc("out", "enter", var("x")),
        arc("enter", "in", op("tuple", var("x"), const("F0"))),
        transition("turn"),
        arc("in", "turn", op("tuple", var("x"), var("f"))),
        arc("turn", "in", op("tuple", var("x"), var("g"))),
        transition("leave"),
        arc("in", "leave", op("tuple", var("x"), var("f"))),
        arc("leave", "out", var("x")),
    )
    assert states(counted(found)).states == 5, "how many are in"
    for model in (unfold(found), counted(found)):
        someone = Compare(">=", Vocabulary(model).tokens(("out",)), Const(1))
        asked = [
            Property("again", "ltl", Globally(Finally(someone))),
            Property("always", "ctl", Forall(Finally(someone))),
            Property("stay", "ctl", Exists(Finally(Exists(Globally(Not(someone)))))),
        ]
        for engine in ("auto", "explicit", "reference"):
            answers = check(model, asked, engine=engine)
            assert [a.verdict for a in answers] == ["false", "true", "true"]


def most(found: ColouredNet, name: str) -> list[object]:
    """The bound of a place, in the net and in its counted form."""
    values: list[object] = []
    for model in (unfold(found), counted(found)):
        asked = Property("b", "bounds", Vocabulary(model).tokens((name,)))
        values += [a.value for a in check(model, [asked])]
    return values


def test_local_states_with_another_future_stay_apart() -> None:
    """What was chosen in the first step is asked for in the second, by the event itself."""
    first = op("add", *(op("tuple", const(f"C{i}"), const(f"F{i}")) for i in (0, 1)))
    found = net(
        CLIENTS,
        place("chosen", "CF", first),
        place("kept", "CF"),
        place("done", "C"),
        transition("keep"),
        arc("chosen", "keep", op("tuple", var("x"), var("f"))),
        arc("keep", "kept", op("tuple", var("x"), var("f"))),
        transition("use"),
        arc("kept", "use", op("tuple", var("x"), const("F0"))),
        arc("use", "done", var("x")),
    )
    assert most(found, "done") == [1, 1]


def test_local_states_that_need_other_tokens_stay_apart() -> None:
    """One client chose the fork that there is, the other one that which never is there."""
    chosen = [op("tuple", const(f"C{i}"), const(f"F{i}")) for i in (0, 1)]
    found = net(
        CLIENTS,
        place("chosen", "CF", op("add", *chosen)),
        place("forks", "F", times(5, const("F0"))),
        place("done", "C"),
        transition("use"),
        arc("chosen", "use", op("tuple", var("x"), var("f"))),
        arc("forks", "use", var("f")),
        arc("use", "done", var("x")),
        transition("back"),
        arc("done", "back", var("x")),
        arc("back", "chosen", op("tuple", var("x"), const("F0"))),
        arc("back", "forks", const("F0")),
        transition("never"),
        arc("done", "never", times(2, var("x"))),
        arc("never", "forks", const("F1")),
    )
    assert most(found, "done") == [1, 1]


def test_an_object_that_an_arc_names_is_one_of_its_own() -> None:
    found = net(
        CLIENTS,
        place("idle", "C", every("C")),
        place("seen", "C"),
        place("done", "C"),
        transition("see"),
        arc("idle", "see", var("x")),
        arc("see", "seen", var("x")),
        transition("end"),
        arc("seen", "end", const("C1")),
        arc("end", "done", const("C1")),
    )
    assert most(found, "done") == [1, 1]


NONE = {
    "a successor": [arc("p", "t", var("x")), arc("t", "q", op("successor", var("x")))],
    "a token of every colour": [arc("q", "t", var("x")), arc("t", "q", every("C"))],
    "variables in an order": [arc("q", "t", var("y"))],
    "an inhibitor": [arc("q", "t", var("x"), "inhibitor")],
    "places without a bound": [arc("t", "p", op("add", var("x"), var("x")))],
    "two in one place": [
        place("w", "CC"),
        arc("t", "w", op("tuple", var("x"), var("y"))),
        transition("u"),
        arc("w", "u", op("tuple", var("y"), var("x"))),
        arc("u", "p", var("x")),
    ],
}


@pytest.mark.parametrize("case", ["nothing", *NONE])
def test_there_are_no_objects_with(case: str) -> None:
    guard = op("lessthan", var("x"), var("y")) if "order" in case else ""
    found = net(
        [enumeration("C", 3), product("CC", "C", "C"), variable("x", "C"), variable("y", "C")],
        place("p", "C", every("C")),
        place("q", "C", every("C")),
        transition("t", guard),
        arc("p", "t", var("x")),
        *([arc("q", "t", var("x"))] if case == "nothing" else NONE[case]),
    )
    if case == "nothing":
        assert states(counted(found)).states == 4
        return
    with pytest.raises(NoObjects):
        counted(found)


def test_the_contest_is_answered_where_clients_are_many(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three hundred clients that hand keys to each other: 90,000 bindings, and some 10^140 states.

    covers: I75
    """
    data = document(
        [enumeration("C", 300), variable("x", "C"), variable("y", "C")],
        place("idle", "C", every("C")),
        place("asks", "C"),
        place("key", "C", const("C7")),
        transition("hand", op("inequality", var("x"), var("y"))),
        arc("key", "hand", var("x")),
        arc("asks", "hand", var("y")),
        arc("idle", "hand", var("x")),
        arc("hand", "key", var("y")),
        arc("hand", "idle", op("add", var("x"), var("y"))),
        transition("ask"),
        arc("idle", "ask", var("x")),
        arc("ask", "asks", var("x")),
    )
    (tmp_path / "model.pnml").write_bytes(data)
    plait = Command(capsys)
    for examination, answer in (("ReachabilityDeadlock", "TRUE"), ("Liveness", "FALSE")):
        done = plait("mcc", examination, tmp_path)
        assert done.out.startswith(f"FORMULA {examination} {answer}")
    counted_states = plait("states", tmp_path / "model.pnml", "--colours", "counted")
    assert counted_states.out.startswith("states          600\n")


def test_a_net_is_unfolded_where_there_is_no_time_to_count() -> None:
    found = sharing()
    with pytest.raises(NoObjects):
        counted(found, seconds=0.0)
    assert fewest_states(found, 0.0) == unfold(found)
    assert fewest_states(found, 1000.0) == counted(found, 3)


def test_states_of_the_contest_are_not_orbits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = document(
        [enumeration("C", 3), variable("x", "C")],
        place("p", "C", every("C")),
        place("q", "C"),
        transition("t"),
        arc("p", "t", var("x")),
        arc("q", "t", var("x")),
    )
    (tmp_path / "model.pnml").write_bytes(data)
    done = Command(capsys)("mcc", "StateSpace", tmp_path, "--colours", "counted")
    assert done.status == 2
    assert "orbits" in done.err
