"""Temporal formulas made simpler: random nets and formulas, against the reference."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise, product
from random import Random
from typing import Literal

import pytest
from tests.structure.random_ordinary import markings, ordinary_net

from plait.engines import Budget, Tuning, check
from plait.engines.nets import facts
from plait.engines.nets.facts import Facts
from plait.engines.simplified import check_simplified, is_simplified, simpler
from plait.lang.gal import parse
from plait.lang.pnml import parse as parse_pnml
from plait.lang.pnml import print_model as print_pnml
from plait.logic.approximate import needs, stays
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
from plait.logic.temporal_rules import initially, simplified
from plait.logic.walk import subformulas
from plait.model.expr import (
    FALSE,
    TRUE,
    And,
    Binary,
    Compare,
    Const,
    Deadlock,
    Enabled,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Truth,
    Var,
)
from plait.model.net import Net, NetEvent, Place, as_model
from plait.model.types import Model, Property
from plait.records import replace
from plait.reference import Semantics
from plait.report.answer import Answer
from plait.structure import equation
from plait.structure.programme import Programmes

Kind = Literal["ctl", "ltl"]
UNARY = (Next, Finally, Globally)
BINARY = (Until, WeakUntil, Release, StrongRelease)


@pytest.fixture(autouse=True)
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Walks end by their steps, never by the time that is given."""
    monkeypatch.setattr("plait.engines.nets.facts.MOST_STEPS", 3_000)


def formula(random: Random, net: Net, kind: Kind, depth: int) -> Formula:
    """A formula with every operator, and with constants now and then."""
    if depth == 0 or random.random() < 0.1:
        place = Var(random.choice(net.places).name)
        event = random.choice(net.events).name
        return random.choice(
            [
                Compare(random.choice([">=", "<=", "=="]), place, Const(random.randint(0, 3))),
                Enabled((event,)),
                Truth(random.random() < 0.5),
                Deadlock(),
                Compare(">=", place, Const(0)),
            ]
        )
    parts = [formula(random, net, kind, depth - 1) for _ in range(2)]
    how = random.random()
    if how < 0.3:
        return random.choice([And, Or])(tuple(parts))
    if how < 0.4:
        return Not(parts[0])
    operator = random.choice([*UNARY, Finally, Globally, *BINARY])
    path: Formula = operator(*parts[: 1 if operator in UNARY else 2])
    return random.choice([Forall, Exists])(path) if kind == "ctl" else path


def cases(name: str, count: int) -> list[tuple[Random, Net]]:
    """Nets with few markings."""
    found = []
    for seed in range(count):
        random = Random(f"{name} {seed}")
        net = ordinary_net(random, places=4, events=4)
        if markings(net, 60) is not None:
            found.append((random, net))
    return found


def always_the_same(model: Model, kind: Kind, one: Formula, other: Formula) -> bool:
    """Whether two formulas agree in all reachable states."""
    same: Formula = Globally(Iff(one, other))
    body = Forall(same) if kind == "ctl" else same
    return Semantics(model).check(Property("same", kind=kind, body=body)).verdict == "true"


@pytest.mark.parametrize("kind", ["ctl", "ltl"])
def test_a_simplified_formula_means_the_same_in_every_state(kind: Kind) -> None:
    changed = 0
    for random, net in cases(f"rules {kind}", 40):
        model = as_model(net)
        for _ in range(4):
            body = nnf(formula(random, net, kind, 3))
            found = simplified(body, linear=kind == "ltl")
            changed += found != body
            assert always_the_same(model, kind, body, found), (net, body)
    assert changed > 40


NESTED = {
    "A F E F (p)": "E F (p)",
    "E F A F (p)": "E F (p)",
    "E[(q) U E F (p)]": "E F (p)",
    "A[(q) U E F (p)]": "E F (p)",
    "A[(q) U A F (p)]": "A F (p)",
    "A G E G (p)": "A G (p)",
    "E G A G (p)": "A G (p)",
    "A F (q || E F (p))": "E F (p) || A F (q)",
    "E G (q && A G (p))": "A G (p) && E G (q)",
    "E F (p || q)": "E F (p) || E F (q)",
    "A G (p && q)": "A G (p) && A G (q)",
    "E[true U p]": "E F (p)",
    "A[p U false]": "false",
    "E X false": "false",
    "A X true": "true",
    "A X false": "A X false",
    "E X ((A G !(p)) && (E F (p)))": "false",
    "A X ((A G !(p)) || (E F (p)))": "true",
    "A F (p && (!(p) || E G (q)))": "A F (p && E G (q))",
    "E G (p || (p && E X (q)) || (!(p) && A X (q)))": "E G (p || A X (q))",
    "G F G (p)": "F G (p)",
    "X true": "true",
    "E F E X (p)": "E X E F (p)",
    "A G A X (p)": "A X A G (p)",
    "A G A X E X true": "A X A G E X true",
    "E F A X false": "E F A X false",
    "E F E X A F (p)": "E X E F (p)",
    "E[(E X true || q) U p]": "E F (p)",
    "A[(E X true) U p]": "A F (p)",
    "A[(A X false && q) R p]": "A G (p)",
    "E[(A X false) R p]": "E G (p)",
    "(A X false) && (E F (p))": "(A X false) && (p)",
    "(A G (p)) && (q) && (A X false)": "(p) && (q) && (A X false)",
    "(A X false) && (E X (p))": "false",
    "(A X false) && (A X (p)) && (E[(p) R (q)])": "(A X false) && (q)",
    "(A G (p)) || (E X true)": "(p) || (E X true)",
    "(E X (p)) || (E X true) || (E[(p) W (q)])": "(E X true) || (p) || (q)",
}


MODEL = as_model(Net("two", (Place("x", 1), Place("y", 1)), (NetEvent("t", ((0, 1),), ()),)))


def spelled(text: str) -> tuple[Kind, Formula]:
    text = text.replace("p", "(x == 1)").replace("q", "(y == 1)")
    kind: Kind = "ctl" if any(letter in text for letter in "AE") else "ltl"
    body = parse_formula(text, MODEL).body
    assert isinstance(body, Formula)
    return kind, body


def few_atoms(random: Random, kind: Kind, depth: int) -> Formula:
    """A formula of two conditions, so that they meet again and again."""
    if depth == 0 or random.random() < 0.1:
        atom = Compare(">=", Var(random.choice(["x", "y"])), Const(1))
        return Not(atom) if random.random() < 0.5 else atom
    parts = [few_atoms(random, kind, depth - 1) for _ in range(2)]
    if random.random() < 0.7:
        return random.choice([And, Or])(tuple(parts))
    path: Formula = random.choice(UNARY)(parts[0])
    return random.choice([Forall, Exists])(path) if kind == "ctl" else path


@pytest.mark.parametrize("kind", ["ctl", "ltl"])
def test_what_a_junction_says_by_itself_is_put_into_its_parts(kind: Kind) -> None:
    places = (Place("x", 1), Place("y", 1), Place("z", 0))
    events = (
        NetEvent("t", ((0, 1),), ((1, 1),)),
        NetEvent("u", ((1, 1),), ((0, 1),)),
        NetEvent("v", ((0, 1), (1, 1)), ((2, 1),)),
        NetEvent("w", ((2, 1),), ((0, 1),)),
        NetEvent("end", ((0, 1),), ()),
    )
    model = as_model(Net("two", places, events))
    shorter = 0
    for seed in range(150):
        body = nnf(few_atoms(Random(f"few {kind} {seed}"), kind, 4))
        found = simplified(body, linear=kind == "ltl")
        assert always_the_same(model, kind, body, found), body
        shorter += len(list(subformulas(found))) < len(list(subformulas(body))) / 2
    assert shorter > 10


def test_beside_a_deadlock_formulas_mean_what_they_are_there() -> None:
    shorter = 0
    for random, net in cases("deadlocks", 30):
        model = as_model(net)
        for _ in range(4):
            part = nnf(formula(random, net, "ctl", 3))
            for body in (And((part, Forall(Next(FALSE)))), Or((Exists(Next(TRUE)), part))):
                found = simplified(body)
                assert always_the_same(model, "ctl", body, found), (net, body)
                shorter += len(list(subformulas(found))) < len(list(subformulas(body)))
    assert shorter > 40


@pytest.mark.parametrize("text", NESTED)
def test_nested_operators_become(text: str) -> None:
    kind, body = spelled(text)
    assert simplified(nnf(body), linear=kind == "ltl") == nnf(spelled(NESTED[text])[1])


@pytest.mark.parametrize("kind", ["ctl", "ltl"])
def test_what_a_formula_needs_is_true_where_it_holds_and_where_it_does_not(kind: Kind) -> None:
    asked = 0
    for random, net in cases(f"needs {kind}", 50):
        model = as_model(net)
        body = nnf(formula(random, net, kind, 3))
        need = needs(body)[id(body)]
        claim: Formula = Globally(And((Implies(body, need.holds), Or((body, need.fails)))))
        claim = Forall(claim) if kind == "ctl" else claim
        answer = Semantics(model).check(Property("needed", kind=kind, body=claim))
        assert answer.verdict == "true", (net, body)
        asked += need.holds != TRUE or need.fails != TRUE
    assert asked > 20


def test_facts_are_true_of_all_reachable_markings() -> None:
    shown = 0
    for random, net in cases("facts", 30):
        reached = markings(net, 60)
        assert reached is not None
        semantics = Semantics(as_model(net))
        conditions = [formula(random, net, "ctl", 0) for _ in range(5)]
        conditions += [And((f, g)) for f, g in pairwise(conditions)]
        seen = Facts(as_model(net)).look(conditions, Budget(300.0))
        for f, known in zip(conditions, seen, strict=True):
            holds = [semantics.holds(f, marking) for marking in reached]
            assert known.initially in (None, holds[0])
            assert not (known.never and any(holds)), (net, f)
            shown += known.never
    assert shown > 10


@pytest.mark.parametrize("kind", ["ctl", "ltl"])
def test_operators_are_others_where_no_path_stays(kind: Kind) -> None:
    """What `stays` says of each operator, where all paths leave for the reference, or some do."""
    seen: Counter[str] = Counter()
    for random, net in cases(f"stays {kind}", 120):
        model = as_model(net)
        body = nnf(formula(random, net, kind, 3))
        for stay in stays(body, linear=kind == "ltl"):
            outside = nnf(Not(stay.where))
            leaves = Property("left", kind="ltl", body=Globally(Finally(outside)))
            if stay.by_some:
                leaves = replace(
                    leaves, kind="ctl", body=Forall(Globally(Exists(Finally(outside))))
                )
            if Semantics(model).check(leaves).verdict == "false":
                continue
            if isinstance(stay.otherwise, bool):
                value = stay.otherwise
                known = {stay.operator: value}
                found = simplified(body, lambda f: known.get(id(f)), linear=kind == "ltl")  # noqa: B023
            else:
                instead = {stay.operator: stay.otherwise}
                found = simplified(body, linear=kind == "ltl", instead=instead)
            assert always_the_same(model, kind, body, found), (net, body, stay)
            seen[f"{stay.otherwise} {stay.by_some}"] += 1
    assert len(seen) == (8 if kind == "ctl" else 4), seen
    assert min(seen.values()) > 1, seen


def test_binary_operators_are_weak_or_strong_where_no_path_stays_before_the_end() -> None:
    a, b = (Compare(">=", Var(name), Const(1)) for name in ("a", "b"))
    not_a, not_b = nnf(Not(a)), nnf(Not(b))
    expected = {
        (Forall, Until): (And((a, not_b)), WeakUntil),
        (Exists, WeakUntil): (And((a, not_b)), Until),
        (Forall, StrongRelease): (And((not_a, b)), Release),
        (Exists, Release): (And((not_a, b)), StrongRelease),
    }
    for some, how in product((Forall, Exists), BINARY):
        found = [(s.where, s.otherwise) for s in stays(some(how(a, b)))]
        known = expected.get((some, how))
        assert found == ([] if known is None else [known])


def test_what_is_always_left_every_run_leaves() -> None:
    shown = 0
    for random, net in cases("left", 40):
        model = as_model(net)
        conditions = [formula(random, net, "ltl", 0) for _ in range(5)]
        conditions += [And((f, g)) for f, g in pairwise(conditions)]
        found = Facts(model).always_left(conditions, Budget(300.0))
        for f, left in zip(conditions, found, strict=True):
            again = Property("again", kind="ltl", body=Globally(Finally(nnf(Not(f)))))
            assert not left or Semantics(model).check(again).verdict == "true", (net, f)
            shown += left
    assert shown > 20


def test_what_is_sometimes_left_some_run_leaves_from_everywhere() -> None:
    shown = 0
    for random, net in cases("sometimes", 40):
        model = as_model(net)
        conditions = [formula(random, net, "ctl", 0) for _ in range(5)]
        conditions += [And((f, g)) for f, g in pairwise(conditions)]
        conditions += [Or((f, g)) for f, g in pairwise(conditions)]
        found = Facts(model).sometimes_left(conditions, Budget(300.0))
        for f, left in zip(conditions, found, strict=True):
            body = Forall(Globally(Exists(Finally(nnf(Not(f))))))
            once = Property("once", kind="ctl", body=body)
            assert not left or Semantics(model).check(once).verdict == "true", (net, f)
            shown += left and not isinstance(f, Truth)
    assert shown > 20


@pytest.mark.parametrize("idle", [False, True])
def test_who_does_nothing_may_stay(idle: bool) -> None:
    """An event without effect matters to no reachable state, and to what runs stay in."""
    there = NetEvent("there", ((0, 1),), ((1, 1),))
    back = NetEvent("back", ((1, 1),), ((0, 1),))
    nothing = (NetEvent("nothing", ((0, 1),), ((0, 1),)),) if idle else ()
    model = as_model(Net("pair", (Place("p", 1), Place("q", 0)), (there, back, *nothing)))
    home = parse_formula("p >= 1", model).body
    assert isinstance(home, Formula)
    assert Facts(model).always_left([home], Budget(300.0)) == [not idle]
    for text in ("A F (q >= 1)", "G F q >= 1"):
        asked = [parse_formula(text, model)]
        for engine in ("auto", "reference"):
            assert check(model, asked, engine=engine)[0].verdict == ("false" if idle else "true")


def test_formulas_that_ask_for_a_run_which_no_net_has_are_decided_without_a_search() -> None:
    """Two rings of twenty places that share an event: whatever goes on, all goes on."""
    places = tuple(Place(f"p{i}", int(i % 20 == 0)) for i in range(40))
    events = [
        NetEvent(f"t{i}", ((i, 1),), ((i + 1 if (i + 1) % 20 else i - 19, 1),))
        for i in range(40)
        if i % 20
    ]
    both = NetEvent("both", ((0, 1), (20, 1)), ((1, 1), (21, 1)))
    model = as_model(Net("rings", places, (both, *events)))
    ctl = {
        "A F (p5 >= 1)": True,
        "E F (E G (p7 >= 1))": False,
        "A G (A F enabled(t33))": True,
        "E X (E G (p0 == 0))": False,
    }
    ltl = {"G F p12 == 1": True, "F G p3 == 0": False, "(p0 == 1) U (X F p20 == 1)": True}
    asked = [parse_formula(text, model, name=text) for text in ctl]
    asked += [parse_formula(f"ltl: {text}", model, name=text) for text in ltl]
    found = simpler(model, asked, Budget(300.0))
    assert dict(zip([*ctl, *ltl], found, strict=True)) == {
        text: TRUE if value else FALSE for text, value in (ctl | ltl).items()
    }


def test_initially_a_step_before_what_is_not_yet_true_is_left_out() -> None:
    """And in general what `initially` says is as true at first as the formula."""
    changed = steps = 0
    for random, net in cases("initially", 60):
        semantics = Semantics(as_model(net))
        first = semantics.initial
        for _ in range(3):
            inner = nnf(formula(random, net, "ctl", 2))
            how = random.choice(["E F", "A G", "E F E X", "none"])
            body = {
                "E F": Exists(Next(Exists(Finally(inner)))),
                "A G": Forall(Next(Forall(Globally(inner)))),
                "E F E X": Exists(Finally(Exists(Next(inner)))),
                "none": inner,
            }[how]
            body = simplified(nnf(body))
            found = initially(body, lambda f: semantics.holds(f, first))  # noqa: B023
            verdicts = [
                semantics.check(Property("first", kind="ctl", body=f)).verdict
                for f in (body, found)
            ]
            assert verdicts[0] == verdicts[1], (net, body)
            changed += found != body
            without = isinstance(body, Exists | Forall) and isinstance(body.operand, Next)
            steps += without and found == body.operand.operand
    assert min(changed, steps) > 10, (changed, steps)


def asker(model: Model, asked: list[Property]) -> Callable[..., list[Answer]]:
    """The reference, which tells nothing until it is done, and notes what it is asked."""

    def ask(properties: Sequence[Property], tell: Callable[[Answer], None]) -> list[Answer]:
        asked.extend(properties)
        return [Semantics(model).check(p) for p in properties]

    return ask


@pytest.mark.parametrize(("kind", "rounds"), [("ctl", 0), ("ctl", 1), ("ltl", 1)])
def test_simpler_properties_have_the_same_answers(
    kind: Kind, rounds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With walks, which show most formulas that have a path, and without them; not on diagrams."""
    monkeypatch.setattr("plait.engines.simplified.ROUNDS", rounds)
    monkeypatch.setattr("plait.engines.simplified.briefly", lambda *_: None)
    decided = parts = 0
    for random, net in cases(f"simpler {kind}", 30):
        model = as_model(net)
        pairs = [[formula(random, net, kind, 2) for _ in range(2)] for _ in range(4)]
        properties = [
            Property(f"{i}", kind=kind, body=random.choice([And, Or])(tuple(pair)))
            for i, pair in enumerate(pairs)
        ]
        expected = [Semantics(model).check(p).verdict for p in properties]
        asked: list[Property] = []
        told: list[Answer] = []
        ask = asker(model, asked)
        found = check_simplified(model, properties, Budget(1000.0), ask, told.append)
        assert [a.property for a in found] == properties
        assert [a.verdict for a in found] == expected, net
        verdicts = dict(zip(map(id, properties), expected, strict=True))
        assert all(a.verdict == verdicts[id(a.property)] for a in told)
        decided += len(asked) < len(properties)
        parts += any(p.name.endswith(" 2") for p in asked)
    assert decided > 5
    assert parts > 0 or kind == "ltl" or rounds > 0


def test_of_ltl_conjunctions_are_taken_apart_and_disjunctions_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("plait.engines.simplified.briefly", lambda *_: None)
    places = tuple(Place(f"p{i}", int(i == 0)) for i in range(4))
    model = as_model(
        Net(
            "ring",
            places,
            tuple(NetEvent(f"t{i}", ((i, 1),), (((i + 1) % 4, 1),)) for i in range(4)),
        )
    )
    for operator, parts in (("&&", 2), ("||", 1)):
        asked: list[Property] = []
        one, other = "G (p1 == 0 || X p2 == 1)", "G (p2 == 0 || X p3 == 1)"
        p = parse_formula(f"ltl: ({one}) {operator} ({other})", model)
        (found,) = check_simplified(model, [p], Budget(1000.0), asker(model, asked), None)
        assert (found.verdict, len(asked)) == ("true", parts)


def test_an_invariant_of_the_state_equation_decides_nested_formulas() -> None:
    """Two places that share a token for ever: what asks for two tokens is never true."""
    net = Net(
        "exchange",
        (Place("a", 1), Place("b", 0), Place("c", 0)),
        (
            NetEvent("ab", ((0, 1),), ((1, 1),)),
            NetEvent("ba", ((1, 1),), ((0, 1),)),
            NetEvent("grow", ((0, 1),), ((0, 1), (2, 1))),
        ),
    )
    both = And((Compare(">=", Var("a"), Const(1)), Compare(">=", Var("b"), Const(1))))
    nested = Property(
        "nested", kind="ctl", body=Forall(Globally(Exists(Next(Forall(Finally(both))))))
    )
    needing = Property(
        "needing",
        kind="ctl",
        body=Exists(
            Finally(And((both.operands[0], Exists(Globally(And((both.operands[1], nested.body)))))))
        ),
    )
    first, second = simpler(as_model(net), [nested, needing], Budget(1000.0))
    assert not any(f == both for f in subformulas(first))
    assert second == FALSE


def test_the_portfolio_answers_as_the_reference_does_without_witnesses() -> None:
    """Larger than a small graph, so that formulas are made simpler first."""
    cells = tuple(Place(f"p{i}", i % 2) for i in range(26))
    events = tuple(NetEvent(f"t{i}", ((i, 1),), (((i + 2) % 26, 1),)) for i in range(26))
    model = as_model(Net("ring", cells, events))
    texts = {
        "A G E F (p1 >= 1)": "true",
        "A G (p1 <= 13 && E F (p3 >= 2))": "true",
        "E F (p1 >= 14 && A F (p3 >= 1))": "false",
        "(E F p1 >= 2) && (A G p1 <= 5)": "false",
    }
    asked = [parse_formula(text, model, name=text) for text in texts]
    found = check(model, asked, tuning=Tuning(witnesses=False), budget=Budget(300.0))
    assert {a.property.name: a.verdict for a in found} == texts


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("EF (p == 1 && EG (p / q >= 0))", id="no value on the way of a walk"),
        pytest.param("EG (p / r >= 0)", id="no value anywhere"),
        pytest.param("AX EG (p == 1 || q % r >= 0)", id="a value in some states"),
    ],
)
def test_conditions_without_a_value_hold_no_more_than_their_negations(text: str) -> None:
    places = (Place("p", 1), Place("q", 0), Place("r", 0))
    move = NetEvent("a", ((0, 1),), ((1, 1),)), NetEvent("b", ((1, 1),), ((0, 1),))
    stay = NetEvent("c", ((0, 1),), ((0, 1),))
    model = as_model(Net("divided", places, (*move, stay)))
    asked = parse_formula(text, model)

    def ask(some: Sequence[Property], _: Callable[[Answer], None]) -> list[Answer]:
        return check(model, some, engine="reference")

    (expected,) = ask([asked], lambda _: None)
    (found,) = check_simplified(model, [asked], Budget(), ask, None)
    assert found.verdict == expected.verdict == "false"


def test_cells_of_arrays_have_values_where_their_index_is_a_constant() -> None:
    model = parse(
        "gal g { array [2] a; transition t [a[0] < 1] { a[0] = a[0] + 1; } } main g;", "g"
    )
    for text, simple in (("AG AF a[1] == 0", True), ("AG AF a[1] / a[0] == 0", False)):
        assert is_simplified(parse_formula(text, model)) == simple


def test_the_state_equation_of_a_net_is_set_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Programmes] = []

    def programmes(net: Net) -> Programmes:
        made.append(Programmes(net))
        return made[-1]

    for module in (equation, facts):
        monkeypatch.setattr(module, "Programmes", programmes)
    ring = Net(
        "ring",
        (Place("p", 1), Place("q", 0)),
        (NetEvent("t", ((0, 1),), ((1, 1),)), NetEvent("u", ((1, 1),), ((0, 1),))),
    )
    both = And((Compare(">=", Var("p"), Const(1)), Compare(">=", Var("q"), Const(1))))
    known = Facts(parse_pnml(print_pnml(as_model(ring)).encode(), "ring.pnml"))
    assert not known.every_run_ends(Budget(300.0))
    for value in (2, 3):
        more = Compare(">=", Binary("+", Var("p"), Var("q")), Const(value))
        assert known.look([both, more], Budget(300.0))[1].never
    assert len(made) == 1
