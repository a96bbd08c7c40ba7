"""What formulas are where runs end: in each deadlock, before it, and where every run has one."""

from collections import Counter
from itertools import product
from random import Random

import pytest
from tests.engines.test_simplified import BINARY, UNARY, Kind, cases, formula, spelled

from plait.engines.budget import Budget
from plait.engines.nets.facts import Facts
from plait.engines.simplified import check_simplified, simpler
from plait.logic.at_end import ended, suffices, where_runs_end
from plait.logic.formula import Exists, Finally, Forall, Globally
from plait.logic.nnf import nnf
from plait.logic.parse import parse_formula
from plait.logic.single_path import shown_by_a_path
from plait.logic.walk import subformulas
from plait.model.expr import (
    FALSE,
    TRUE,
    And,
    Compare,
    Const,
    Deadlock,
    Enabled,
    Formula,
    Iff,
    Implies,
    Not,
    Truth,
    Var,
)
from plait.model.net import Net, NetEvent, Place, as_model
from plait.model.types import Model, Property
from plait.reference import Semantics
from plait.report.answer import Answer
from plait.structure.certificate import takes_away


def always(model: Model, kind: Kind, claim: Formula) -> bool:
    body: Formula = Globally(claim)
    body = Forall(body) if kind == "ctl" else body
    return Semantics(model).check(Property("always", kind=kind, body=body)).verdict == "true"


@pytest.mark.parametrize("kind", ["ctl", "ltl"])
def test_in_a_deadlock_a_formula_is_what_it_becomes_there(kind: Kind) -> None:
    asked: Counter[str] = Counter()
    for random, net in cases(f"ended {kind}", 60):
        model = as_model(net)
        body = nnf(formula(random, net, kind, 3))
        there = ended(body, linear=kind == "ltl")[id(body)]
        assert not any(isinstance(f, Enabled | Deadlock) for f in subformulas(there))
        assert always(model, kind, Implies(Deadlock(), Iff(body, there))), (net, body)
        asked["constant" if isinstance(there, Truth) else "condition"] += 1
    assert min(asked.values()) > 10


@pytest.mark.parametrize("operator", [*UNARY, *BINARY])
def test_each_operator_in_a_deadlock(operator: type[Formula]) -> None:
    """In a net that ends at once, for all values of the operands."""
    p, q = (Compare(">=", Var(name), Const(1)) for name in "pq")
    path = operator(*(p, q)[: 1 if operator in UNARY else 2])
    stuck = NetEvent("t", ((2, 1),), ())
    for first, second in product((0, 1), repeat=2):
        model = as_model(Net("end", (Place("p", first), Place("q", second), Place("r")), (stuck,)))
        semantics = Semantics(model)
        bodies: list[tuple[Kind, Formula]]
        bodies = [("ltl", path), ("ctl", Forall(path)), ("ctl", Exists(path))]
        for kind, body in bodies:
            there = ended(body, linear=kind == "ltl")[id(body)]
            answer = semantics.check(Property("here", kind=kind, body=body))
            holds = semantics.holds(there, (first, second, 0))
            assert (answer.verdict == "true") == holds, (kind, body, first, second)


def test_a_state_that_satisfies_what_suffices_satisfies_the_formula() -> None:
    asked = 0
    for random, net in cases("suffices", 100):
        body = nnf(formula(random, net, "ctl", 3))
        enough = suffices(body)[id(body)]
        assert always(as_model(net), "ctl", Implies(enough, body)), (net, body)
        asked += not isinstance(enough, Truth)
    assert asked > 30


def ending_net(random: Random) -> Net:
    """Every event takes more than it puts: no run is longer than there are tokens."""
    places = tuple(Place(f"p{i}", random.choice([0, 1, 2, 3])) for i in range(4))
    events = []
    for number in range(random.randint(2, 4)):
        one, other, third = random.sample(range(4), 3)
        taken = tuple(sorted(((one, 1), (other, 1))))
        events.append(NetEvent(f"t{number}", taken, random.choice([(), ((third, 1),)])))
    return Net("ending", places, tuple(events))


@pytest.mark.parametrize("kind", ["ctl", "ltl"])
def test_where_every_run_ends_what_follows_is_so(kind: Kind) -> None:
    known: Counter[bool] = Counter()
    for seed in range(60):
        random = Random(f"ending {kind} {seed}")
        net = ending_net(random)
        model = as_model(net)
        for _ in range(3):
            body = nnf(formula(random, net, kind, 3))
            values = where_runs_end(body, linear=kind == "ltl")
            for f in subformulas(body):
                if id(f) in values:
                    value = values[id(f)]
                    assert always(model, kind, f if value else Not(f)), (net, f)
                    known[value] += 1
    assert min(known[True], known[False]) > 10


def test_weights_show_that_every_run_ends_and_only_where_each_does() -> None:
    shown: Counter[bool] = Counter()
    nets = [net for _, net in cases("ends", 60)]
    nets += [ending_net(Random(f"ends {seed}")) for seed in range(20)]
    for net in nets:
        ends = Facts(as_model(net)).every_run_ends(Budget(300.0))
        shown[ends] += 1
        # In a run without end something is enabled for ever.
        p = Property("for ever", kind="ctl", body=Exists(Globally(Not(Deadlock()))))
        if ends:
            assert Semantics(as_model(net)).check(p).verdict == "false", net
    assert min(shown[True], shown[False]) > 10


def test_weights_that_an_event_keeps_or_that_are_negative_show_no_end() -> None:
    places = (Place("a", 3), Place("b", 0))
    net = Net("moves", places, (NetEvent("t", ((0, 1),), ((1, 1),)),))
    assert takes_away(net, {0: 2, 1: 1}, range(1))
    assert takes_away(net, {0: 1}, range(1))
    assert not takes_away(net, {0: 1, 1: 1}, range(1))
    assert not takes_away(net, {0: -1, 1: -2}, range(1))
    back = NetEvent("u", ((1, 1),), ((0, 1),))
    assert not takes_away(Net("around", places, (*net.events, back)), {0: 1}, range(2))


def test_formulas_of_a_net_whose_runs_end_are_decided_without_a_search() -> None:
    """Tokens on a line of places move on until none can: 3^30 markings and more."""
    places = tuple(Place(f"p{i}", 2) for i in range(30))
    events = tuple(NetEvent(f"t{i}", ((i, 1),), ((i + 1, 1),)) for i in range(29))
    model = as_model(Net("line", places, events))
    texts = {
        "E F A X false": True,
        "A G E X true": False,
        "A F (A G (!enabled(t3)))": True,
        "E G (enabled(t1) || enabled(t5))": False,
        "A G ((E F enabled(t1)) && p3 >= 0)": False,
    }
    asked = [parse_formula(text, model, name=text) for text in texts]
    bodies = simpler(model, asked, Budget(300.0))
    assert dict(zip(texts, bodies, strict=True)) == {
        text: TRUE if value else FALSE for text, value in texts.items()
    }


def test_a_path_on_which_the_formula_for_it_holds_shows_a_ctl_formula() -> None:
    verdicts: Counter[str] = Counter()
    for random, net in cases("shown", 250):
        semantics = Semantics(as_model(net))
        body = nnf(formula(random, net, "ctl", 3))
        path = shown_by_a_path(body)
        if path is None:
            continue
        none = semantics.check(Property("none", kind="ltl", body=nnf(Not(path)))).verdict
        shown = semantics.check(Property("shown", kind="ctl", body=body)).verdict
        if none == "false":
            assert shown == "true", (net, body)
        forms = {type(f) for f in subformulas(body) if isinstance(f, Exists | Forall)}
        kind = "E only" if forms == {Exists} else "A" if forms else "neither"
        verdicts[f"{kind}, path: {none == 'false'}, holds: {shown == 'true'}"] += 1
    for kind in ("E only", "A"):
        assert verdicts[f"{kind}, path: True, holds: True"] > 10, verdicts
        assert verdicts[f"{kind}, path: False, holds: False"] > 5, verdicts


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("E F ((E F (p)) && (E F (q)))", "F ((F (p)) && (F (q)))"),
        ("E G (E F (p))", "G (F (p))"),
        ("E[(E F (p)) U q]", "(F (p)) U q"),
        ("A F (E G (p))", "G (p)"),
        ("A[(E F (p)) R (E G (q))]", "((F (p)) && (G (q))) || (deadlock && q)"),
        ("E F (p && (A X (q)))", "F (p && deadlock)"),
        ("E X (A G (p))", "!deadlock && X (deadlock && p)"),
    ],
)
def test_a_path_must_satisfy(text: str, path: str) -> None:
    assert shown_by_a_path(nnf(spelled(text)[1])) == nnf(spelled(path)[1])


def test_a_deadlock_decides_nested_formulas_that_nobody_else_is_asked() -> None:
    """Tokens go around for ever or are taken away one by one: not every run ends, but some do."""
    places = tuple(Place(f"p{i}", 1) for i in range(20))
    take = [NetEvent(f"t{i}", ((i, 1),), ()) for i in range(20)]
    move = [NetEvent(f"u{i}", ((i, 1),), (((i + 1) % 20, 1),)) for i in range(20)]
    model = as_model(Net("round", places, (*take, *move)))
    assert not Facts(model).every_run_ends(Budget(300.0))
    texts = {"A G E F enabled(t0)": "false", "E F (A G (p3 == 0 && !enabled(u5)))": "true"}
    asked = [parse_formula(text, model, name=text) for text in texts]

    def ask(some: object, tell: object) -> list[Answer]:
        assert not some
        return []

    found = check_simplified(model, asked, Budget(300.0), ask, None)
    assert {a.property.name: a.verdict for a in found} == texts


def test_what_suffices_for_a_conjunction_is_all_of_what_suffices_for_its_parts() -> None:
    model = as_model(Net("one", (Place("p", 1),), (NetEvent("t", ((0, 1),), ()),)))
    body = parse_formula("E F ((A F p == 1) && (A G p <= 1))", model).body
    assert isinstance(body, Formula)
    normal = nnf(body)
    enough = suffices(normal)[id(normal)]
    assert isinstance(enough, And)
    assert Deadlock() in enough.operands
    assert isinstance(normal, Exists)
    assert isinstance(normal.operand, Finally)
