"""CTL on reduced nets: with reductions and without, the answers are the same."""

from dataclasses import replace
from random import Random

import pytest
from tests.structure.random_ordinary import markings, ordinary_net

from plait.engines import Budget, check
from plait.engines.evidence import Evidence
from plait.engines.nets.reduced_ctl import ReducedCtl, keeps_for
from plait.logic.formula import (
    Exists,
    Finally,
    Forall,
    Globally,
    Next,
    Release,
    StrongRelease,
    Until,
    WeakUntil,
)
from plait.logic.nnf import nnf
from plait.logic.parse import parse_formula
from plait.model.expr import And, Compare, Const, Formula, Not, Or, Var
from plait.model.net import Net, NetEvent, Place, as_model
from plait.model.types import Property
from plait.reference import Semantics
from plait.reference.branches import confirm_branches
from plait.structure.reductions import Keeps, reduce

KEPT: tuple[Keeps, ...] = ("markings", "paths")
BLIND = [(Exists, Finally), (Forall, Globally), (Exists, Until), (Forall, WeakUntil)]
FOR_EVER = [
    (Exists, Globally),
    (Forall, Finally),
    (Forall, Until),
    (Exists, WeakUntil),
    (Exists, Release),
    (Forall, StrongRelease),
]
OPERATORS: dict[Keeps, list[tuple[type, type]]] = {
    "moves": [*BLIND, (Exists, StrongRelease), (Forall, Release)],
    "paths": [*BLIND, *FOR_EVER, *FOR_EVER],
    "steps": [*BLIND, *FOR_EVER, (Exists, Next), (Forall, Next)],
}


def formula(random: Random, places: list[str], keeps: Keeps, depth: int = 3) -> Formula:
    """A formula of the class about these places."""
    if depth == 0 or random.random() < 0.15:
        return Compare(
            random.choice([">=", "=="]), Var(random.choice(places)), Const(random.randint(0, 2))
        )
    parts = [formula(random, places, keeps, depth - 1) for _ in range(2)]
    kind = random.random()
    if kind < 0.2:
        return And(tuple(parts))
    if kind < 0.4:
        return Or(tuple(parts))
    quantifier, operator = random.choice(OPERATORS[keeps])
    if operator in (Next, Finally, Globally):
        parts = parts[:1]
    made: Formula = quantifier(operator(*parts))
    return made


def split(random: Random, net: Net) -> Net:
    """The net with places put into some events: what agglomeration takes out, and what it must not.

    After the new place there may be a choice; before it the first half may take what others want.
    """
    places, events = list(net.places), []
    for e in net.events:
        kind = random.random()
        if kind < 0.25 or not e.pre:
            events.append(e)
            continue
        p = len(places)
        places.append(Place(f"q{p}"))
        if kind < 0.65:
            events.append(NetEvent(f"{e.name}h", e.pre, ((p, 1),)))
            events.append(NetEvent(f"{e.name}f", ((p, 1),), e.post))
            if random.random() < 0.5:
                other = random.choice(net.events).post
                events.append(NetEvent(f"{e.name}g", ((p, 1),), other))
        else:
            first, rest = e.pre[:1], e.pre[1:]
            events.append(NetEvent(f"{e.name}h", first, ((p, 1),)))
            events.append(NetEvent(f"{e.name}f", (*rest, (p, 1)), e.post))
    return Net(net.name, tuple(places), tuple(events))


@pytest.mark.parametrize("keeps", ["moves", "paths", "steps"])
def test_reductions_change_no_answer(keeps: Keeps) -> None:
    """Random nets, random formulas of each class; half of them negated.

    What shows an answer there is replayed on the net, and shows what the reference would show.
    """
    answered = paths = shown = whole = loops = branches = 0
    verdicts = set()
    for seed in range(110):
        random = Random(f"ctl {keeps} {seed}")
        small = ordinary_net(random, places=4, events=4)
        net = split(random, small)
        if markings(net, 120) is None:
            continue
        places = [p.name for p in random.sample(small.places, min(2, len(small.places)))]
        bodies = [formula(random, places, keeps) for _ in range(4)]
        bodies = [Not(b) if random.random() < 0.5 else b for b in bodies]
        properties = [Property(f"p{i}", kind="ctl", body=b) for i, b in enumerate(bodies)]
        model = as_model(net, tuple(properties))
        reduced = ReducedCtl(Evidence(model)).check(properties, Budget())
        plain = check(model, engine="reference")
        semantics = Semantics(model)
        for mine, theirs in zip(reduced, plain, strict=True):
            assert "internal" not in (mine.reason or ""), (seed, mine.reason, net)
            if mine.verdict == "unknown":
                continue
            assert mine.verdict == theirs.verdict, (seed, mine.property.body, net)
            answered += 1
            verdicts.add(mine.verdict)
            paths += keeps_for(nnf(mine.property.body)) == keeps  # type: ignore[arg-type]
            if mine.witness is None:
                assert theirs.witness is None, (seed, mine.property.body, net)
                continue
            assert mine.replayed
            shown += 1
            whole += confirm_branches(semantics, mine.property, mine.witness) is True
            loops += mine.witness.loop is not None
            branches += bool(mine.witness.branches)
    assert answered > 60
    assert paths > 30
    assert shown > 30
    assert whole > shown / 2
    assert branches > 5
    assert loops > 3 or keeps == "moves"
    assert verdicts == {"true", "false"}


@pytest.mark.parametrize(
    ("text", "keeps"),
    [
        ("AG EF a >= 1", "moves"),
        ("!E (a == 0) U (a == 1 && AG a < 2)", "moves"),
        ("AG AF a >= 1", "paths"),
        ("EF EG a == 0", "paths"),
        ("!AF a >= 1", "paths"),
        ("A (a == 0) R (a < 2)", "moves"),
        ("E (a == 0) R (a < 2)", "paths"),
        ("AG EX a >= 1", "steps"),
    ],
)
def test_what_must_be_kept_depends_on_the_formula(text: str, keeps: Keeps) -> None:
    model = as_model(Net("n", (Place("a", 1),), (NetEvent("t", ((0, 1),)),)))
    body = parse_formula(text, model).body
    assert isinstance(body, Formula)
    assert keeps_for(nnf(body)) == keeps
    assert keeps_for(nnf(body), infinite=True) == "steps"


def answered(net: Net, text: str) -> str:
    """The verdict on the net reduced, which must be that of the net if there is one."""
    model = as_model(net)
    question = [parse_formula(text, model)]
    (found,) = ReducedCtl(Evidence(model)).check(question, Budget())
    (expected,) = check(model, question, engine="reference")
    assert found.verdict in ("unknown", expected.verdict)
    return found.verdict


ROUND = Net(
    "round",
    (Place("a", 1_500_000_000), *(Place(name, int(name in "xc")) for name in "xyzcde")),
    (
        NetEvent("t", ((0, 1), (1, 1)), ((2, 1),)),
        NetEvent("u", ((2, 1),), ((3, 1),)),
        NetEvent("v", ((3, 1),), ((0, 1), (1, 1))),
        NetEvent("w", ((4, 1),), ((5, 1),)),
    ),
)
"""Many tokens on a place, and events beside it that a reduction takes out."""


def test_an_inequality_with_both_sides_on_one_does_not_wrap_around() -> None:
    assert answered(ROUND, "AG EF a >= 1000") == "true"
    assert answered(ROUND, "AG EF a + 5 >= 0 - a") != "false"


def test_a_condition_that_is_not_linear_is_left_to_others() -> None:
    net = replace(ROUND, places=(Place("a", 3), *ROUND.places[1:]))
    assert answered(net, "AG EF a * x == 3") == "unknown"
    assert answered(net, "AG EF (a & 1) == 1") == "unknown"


def test_a_choice_is_not_agglomerated_where_branching_time_sees_it() -> None:
    """After h, both d and e can be reached; with h agglomerated only one of them could."""
    net = Net(
        "choice",
        tuple(Place(name, int(name == "a")) for name in "apbcde"),
        (
            NetEvent("h", ((0, 1),), ((1, 1),)),
            NetEvent("f", ((1, 1),), ((2, 1),)),
            NetEvent("g", ((1, 1),), ((3, 1),)),
            NetEvent("f2", ((2, 1),), ((4, 1),)),
            NetEvent("g2", ((3, 1),), ((5, 1),)),
        ),
    )
    left = {k: {p.name for p in reduce(net, [0, 4, 5], keeps=k).net.places} for k in KEPT}
    assert "p" not in left["markings"]
    assert "p" in left["paths"]
    assert answered(net, "EF (a == 0 && EF d == 1 && EF e == 1)") != "false"


def test_an_event_that_takes_what_others_want_is_not_delayed() -> None:
    """h takes the token that u needs; delayed until f, which never comes, it would not."""
    net = Net(
        "conflict",
        (Place("q", 1), Place("p"), Place("r"), Place("s"), Place("v"), Place("w", 1)),
        (
            NetEvent("h", ((0, 1),), ((1, 1),)),
            NetEvent("f", ((1, 1), (2, 1)), ((3, 1),)),
            NetEvent("u", ((0, 1),), ((4, 1),)),
            NetEvent("r", ((4, 1), (5, 1)), ((2, 1), (4, 1))),
        ),
    )
    assert len(reduce(net, [4], keeps="markings").net.events) < len(net.events)
    assert answered(net, "EG v == 0") != "false"


def test_steps_are_counted_where_there_is_an_x() -> None:
    """Three steps from a to b, two of which may be taken together where nobody counts."""
    net = Net(
        "chain",
        (Place("a", 1), Place("p"), Place("c"), Place("b")),
        tuple(NetEvent(f"t{i}", ((i, 1),), ((i + 1, 1),)) for i in range(3)),
    )
    assert len(reduce(net, [0, 3], keeps="paths").net.events) < 3
    assert len(reduce(net, [0, 3], keeps="steps").net.events) == 3


def test_what_runs_beside_for_ever_is_cut_off_only_where_nobody_can_tell() -> None:
    """A token that may move, beside one that goes round: AF needs the one that goes round."""
    net = Net(
        "beside",
        (Place("a", 1), Place("b"), Place("x", 1), Place("y")),
        (
            NetEvent("move", ((0, 1),), ((1, 1),)),
            NetEvent("go", ((2, 1),), ((3, 1),)),
            NetEvent("back", ((3, 1),), ((2, 1),)),
        ),
    )
    model = as_model(net)
    asked = [parse_formula(t, model, name=t) for t in ("AF b == 1", "AG EF b == 1")]
    found = ReducedCtl(Evidence(model)).check(asked, Budget())
    assert found[0].verdict in ("false", "unknown")
    assert found[1].verdict == "true"
    assert found[1].stats["reduced_events"] == 1
    assert [a.verdict for a in check(model, asked)] == ["false", "true"]


def long_chain(length: int, loop: bool) -> Net:
    """A token that goes through many places in a row, and perhaps round; another that decides."""
    places = [Place("start", 1), *(Place(f"c{i}") for i in range(length)), Place("end")]
    events = [NetEvent(f"t{i}", ((i, 1),), ((i + 1, 1),)) for i in range(length + 1)]
    if loop:
        events.append(NetEvent("round", ((length + 1, 1),), ((0, 1),)))
    return Net("chain", tuple(places), tuple(events))


def test_the_paths_of_a_reduced_net_are_told_of_the_net() -> None:
    """Thirty events that the reduced net takes in one step; a cycle, a deadlock and a branch.

    covers: S94
    """
    for loop, text in [
        (False, "EF (end == 1 && EG end == 1)"),
        (True, "EF (end == 1 && EF (start == 1 && EG end < 2))"),
        (True, "E (start + end <= 1) U (end == 1 && E (end < 2) W (start == 5))"),
    ]:
        model = as_model(long_chain(30, loop))
        question = [parse_formula(text, model)]
        (answer,) = ReducedCtl(Evidence(model)).check(question, Budget())
        assert answer.verdict == "true"
        assert int(str(answer.stats["reduced_events"])) < 5
        assert answer.witness is not None
        assert answer.replayed
        assert len(answer.witness.steps) >= 30
        assert confirm_branches(Semantics(model), question[0], answer.witness) is True


def test_what_only_grows_has_no_cycle_to_show_and_a_note_says_so() -> None:
    """The reduced net forgets the counter; the net never comes back to a marking."""
    net = Net(
        "counting",
        (Place("a", 1), Place("b"), Place("count")),
        (
            NetEvent("there", ((0, 1),), ((1, 1), (2, 1))),
            NetEvent("back", ((1, 1),), ((0, 1),)),
        ),
    )
    model = as_model(net)
    (answer,) = ReducedCtl(Evidence(model)).check([parse_formula("EG a <= 1", model)], Budget())
    assert answer.verdict in ("true", "unknown")
    if answer.verdict == "true":
        assert answer.witness is None
        assert any("some places only grow" in note for note in answer.notes)


def test_who_wants_no_witness_gets_none() -> None:
    model = as_model(long_chain(30, True))
    question = [parse_formula("EF end == 1", model), parse_formula("EG start < 2", model)]
    quiet = ReducedCtl(Evidence(model, shows_runs=False)).check(question, Budget())
    assert [a.verdict for a in quiet] == ["true", "true"]
    assert [a.witness for a in quiet] == [None, None]
