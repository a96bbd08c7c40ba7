"""CTL on diagrams: every way to compute an operator gives the same set, and the published ones.

Verdicts of whole formulas on random models are compared in `tests/differential`.
"""

from dataclasses import replace
from functools import cache
from random import Random

import pytest

from plait import _core, parse
from plait.engines import Budget, check
from plait.engines.prepared import Prepared, prepare
from plait.engines.symbolic.ctl import PathFormula, SymbolicLabelling
from plait.engines.symbolic.ctl_ways import decide
from plait.engines.symbolic.reach import reach
from plait.engines.symbolic.tuning import ALWAYS_WAYS, CTL_WAYS, Tuning
from plait.errors import LimitReached
from plait.logic.formula import Exists
from plait.logic.nnf import nnf
from plait.logic.parse import parse_formula
from plait.model.expr import And, Enabled, Formula, Not, Or
from plait.model.net import Net, NetEvent, Place, as_model
from plait.model.types import Property
from plait.models import entry
from plait.reference import Semantics
from plait.reference.ctl import Labelling
from plait.testing.choices import Seeded
from plait.testing.mix import DEFAULT
from plait.testing.random_formulas import Formulas
from plait.testing.random_models import model as random_model
from plait.testing.random_models import observed

UNTIL_WAYS = ("traditional", "classified", "classified-stay", "constrained")
NETS = replace(DEFAULT, kinds=((1, "net"),), properties=0)
GENERAL = replace(DEFAULT, kinds=((1, "gal"),), properties=0)


def on_diagrams(prepared: Prepared, tuning: Tuning | None = None) -> SymbolicLabelling:
    """A model on diagrams, its states computed."""
    diagrams = reach(prepared, tuning or Tuning(), Budget())
    return SymbolicLabelling(prepared.compiled, diagrams.core, diagrams.reached)


def count(labelling: SymbolicLabelling, states: _core.StateSet) -> int:
    return labelling.core.count(states)


@pytest.mark.parametrize("mix", [NETS, GENERAL], ids=["nets", "programs"])
@pytest.mark.parametrize("first", range(0, 60, 20))
def test_every_way_to_compute_until_and_always_gives_the_same_set(mix, first: int) -> None:
    """covers: S65, S66, S67, S71, S72, S73, S81"""
    compared = nets = 0
    for seed in range(first, first + 20):
        model = random_model(Seeded(seed), mix)
        semantics = Semantics(model)
        try:
            graph = semantics.reachable(400)
        except Exception:
            continue  # too large, or it goes wrong when it is executed
        explicit = Labelling(graph, semantics._atoms(graph))
        made = Formulas(Seeded(seed), observed(model))
        stay, goal = made.state(1), made.state(1)
        asked = [Property("p", kind="reachable", body=f) for f in (stay, goal)]
        prepared = prepare(model, asked)
        # Half of them with garbage collected all the time.
        labelling = on_diagrams(prepared, Tuning(strict=1 if seed % 2 else None))
        core = labelling.core
        p, q = (labelling.states(f.body) for f in prepared.properties)  # type: ignore[arg-type]
        e_p, e_q = explicit.states(stay), explicit.states(goal)
        assert (core.count(p), core.count(q)) == (len(e_p), len(e_q))
        untils = [core.eventually(p, q, way=way) for way in UNTIL_WAYS]
        assert all(u == untils[0] for u in untils), (seed, stay, goal)
        assert core.count(untils[0]) == len(explicit._eventually(False, e_p, e_q))
        since = [core.eventually(p, q, way=way, forward=True) for way in UNTIL_WAYS]
        assert all(s == since[0] for s in since), (seed, stay, goal)
        assert core.count(since[0]) == len(_since(explicit, e_p, e_q))
        for maximal in (True, False):
            always = [core.invariantly(p, q, way=way, maximal=maximal) for way in ALWAYS_WAYS]
            assert always[0] == always[1], (seed, stay, goal, maximal)
            textbook = Labelling(graph, explicit.holds, textbook=not maximal)
            assert core.count(always[0]) == len(textbook._invariantly(False, e_p, e_q))
        before = {n for n in explicit.all if set(explicit.successors[n]) & e_p}
        after = {m for n in e_p for m in explicit.successors[n]}
        assert core.count(core.predecessors(p)) == len(before)
        assert core.count(core.successors(p)) == len(after)
        past = core.with_endless_past(p)
        assert core.count(past) == len(_endless_past(explicit, e_p))
        compared += bool(p) and bool(q)
        nets += core.is_net
    assert compared >= 5
    assert nets >= 15 or mix is GENERAL


def _since(explicit: Labelling, stay: frozenset[int], start: frozenset[int]) -> set[int]:
    found, queue = set(start), list(start)
    while queue:
        for m in explicit.successors[queue.pop()]:
            if m in stay and m not in found:
                found.add(m)
                queue.append(m)
    return found


def _endless_past(explicit: Labelling, stay: frozenset[int]) -> set[int]:
    left = set(stay)
    while True:
        kept = {m for n in left for m in explicit.successors[n]} & left
        if kept == left:
            return left
        left = kept


PUBLISHED = [
    ("philosophers", "first_before_second", {5: 984, 10: 1346266, 20: 2504730781958}),
    ("philosophers", "starvation", {5: 1214, 10: 1664074}),
    ("slotted-ring", "ag_before_bf", {4: 4260, 5: 44876, 10: 6971592192}),
    ("slotted-ring", "never_hg", {5: 52416, 10: 8054366976}),
    ("round-robin", "send_before_load", {5: 220, 8: 2624, 10: 12800}),
    ("fms", "a_machine_until_all_finished", {2: 3444, 3: 48090}),
    ("fms", "never_all_finished", {2: 3443, 3: 48589}),
    ("leader", "elected_without_preference", {3: 391, 4: 5275}),
    ("leader", "never_elected", {3: 777, 4: 11395, 5: 150579}),
]


@cache
def library(name: str, n: int) -> SymbolicLabelling:
    """A net of the literature with the levels that its source gives."""
    model = entry(name).model(n, "flat")
    return on_diagrams(prepare(model, model.properties), Tuning(merge="units", order="declared"))


def query(name: str, n: int, asked: str) -> PathFormula:
    body = entry(name).model(n, "flat").property(asked).body
    assert isinstance(body, Formula)
    formula = nnf(body)
    assert isinstance(formula, Exists)
    return library(name, n).path(formula.operand)


@pytest.mark.parametrize(
    ("name", "asked", "n", "size"),
    [(m, q, n, s) for m, q, sizes in PUBLISHED for n, s in sizes.items()],
)
def test_the_published_queries_hold_in_the_published_numbers_of_states(
    name: str, asked: str, n: int, size: int
) -> None:
    """covers: S80"""
    core, path = library(name, n).core, query(name, n, asked)
    if len(path.operands) == 2:
        found = [core.eventually(*path.operands, way=way) for way in UNTIL_WAYS]
    else:
        nothing = library(name, n).nothing
        ways = ALWAYS_WAYS if size < 20_000 else ALWAYS_WAYS[:1]
        found = [core.invariantly(path.operands[0], nothing, way=w, maximal=False) for w in ways]
    assert {core.count(f) for f in found} == {size}


@pytest.mark.parametrize(("n", "steps", "passes"), [(3, 43, 21), (4, 62, 37), (5, 81, 51)])
def test_the_rounds_of_until_on_the_leader_election_are_the_published_ones(
    n: int, steps: int, passes: int
) -> None:
    """covers: S70"""
    core, path = library("leader", n).core, query("leader", n, "elected_without_preference")
    core.eventually(*path.operands, way="traditional")
    assert core.fixpoint_rounds == steps
    core.eventually(*path.operands, way="classified")
    assert core.fixpoint_rounds == passes


@pytest.mark.parametrize(("n", "rounds"), [(3, 14), (4, 18), (5, 22)])
def test_the_rounds_of_always_on_the_leader_election_are_the_published_ones(
    n: int, rounds: int
) -> None:
    core, path = library("leader", n).core, query("leader", n, "never_elected")
    core.invariantly(path.operands[0], library("leader", n).nothing, maximal=False)
    assert core.fixpoint_rounds == rounds


def test_events_are_classified_by_what_they_can_do_to_the_filter() -> None:
    """covers: S68, S69"""
    labelling = library("philosophers", 5)
    core, path = labelling.core, query("philosophers", 5, "first_before_second")
    assert core.classified(*path.operands) == (1, 19, 0)
    # With p true everywhere no event is unsafe, and one saturation finds everything.
    assert core.classified(labelling.all, path.operands[1])[2] == 0
    core.eventually(labelling.all, path.operands[1], way="classified")
    assert core.fixpoint_rounds == 1
    leader = query("leader", 3, "elected_without_preference")
    dead, safe, others = library("leader", 3).core.classified(*leader.operands)
    assert dead + safe + others == 3**2 + 13 * 3
    assert others > 0


CHAIN = """
gal chain {
  int x = 0; int y = 0;
  transition up [x < 20] { x = x + 1; }
  transition back [x == 20 && y == 0] { x = 15; y = 1; }
  transition rest [y == 1 && x == 17] { y = 1; }
}
main chain;
"""


def test_a_formula_is_asked_forward_as_far_as_it_goes() -> None:
    """The shape of p6 of the thesis needs nothing backward; `AG EF p` its inner part only.

    covers: M53, M54, I53
    """
    system = parse(CHAIN)
    ask = "ctl: EF (x == 3 && E (x < 9) U (x == 7 && E (x < 12) U (x == 11)))"
    (answer,) = check(system.model, [parse_formula(ask, system.model)], engine="symbolic")
    assert answer.verdict == "true"
    (form,) = answer.stats["forward"]  # type: ignore[misc]
    assert form.startswith("FwdU(FwdU(FwdU(Init, true) * x == 3, x < 9) * x == 7, x < 12) *")
    (answer,) = check(
        system.model, [parse_formula("ctl: AG EF x == 17", system.model)], engine="symbolic"
    )
    assert answer.verdict == "false"
    assert answer.stats["forward"] == ["FwdU(Init, true) * !(EF (x == 17)) != 0"]
    split = "ctl: EF (x == 30 || EX x == 4) && EF x == 2"
    (answer,) = check(system.model, [parse_formula(split, system.model)], engine="symbolic")
    assert answer.verdict == "true"
    assert len(answer.stats["forward"]) >= 3  # type: ignore[arg-type]


@pytest.mark.parametrize("way", CTL_WAYS)
def test_what_is_decided_early_is_not_computed_further(way: str) -> None:
    """A conjunction ends with the first operand that fails, a fixpoint with the initial state."""
    system = parse(
        CHAIN.replace("rest [y == 1 && x == 17] { y = 1; }", "again [y == 1] { x = 0; }")
    )
    labelling = on_diagrams(prepare(system.model))
    asked = parse_formula("ctl: EX x == 5 && EG EF AG AF x == 20", system.model).body
    assert isinstance(asked, Formula)
    assert not decide(labelling, asked, way).holds  # type: ignore[arg-type]
    # Only what the first operand needs was computed.
    assert len(labelling._known) <= 1
    near = labelling.states(parse_formula("reachable: x == 1", system.model).body)  # type: ignore[arg-type]
    labelling.core.eventually(labelling.all, near, way="traditional", decide=True)
    assert labelling.core.fixpoint_rounds == 2
    labelling.core.eventually(labelling.all, near, way="traditional")
    assert labelling.core.fixpoint_rounds > 2


def test_equal_subformulas_are_computed_once() -> None:
    """covers: S82"""
    labelling = on_diagrams(prepare(parse(CHAIN).model))
    model = parse(CHAIN).model
    for text in ("EG EF x == 17 || EX EF x == 17", "AX !EF (x == 17)"):
        labelling.states(parse_formula(f"ctl: {text}", model).body)  # type: ignore[arg-type]
    operators = sorted(path.operator.__name__ for path in labelling._known)
    assert operators == ["Finally", "Globally", "Next"]


@pytest.mark.parametrize("way", CTL_WAYS)
def test_an_undefined_atom_holds_neither_plain_nor_negated(way: str) -> None:
    """What does not hold on all paths need not fail on one: the negation may be undefined too."""
    model = parse("gal g { int x = 0; transition t { x = 1 - x; } } main g;").model
    labelling = on_diagrams(prepare(model))
    for text in ("AG 1 / x == 1", "!AG 1 / x == 1", "AX EX !(1 / x == 1)", "!AF AG 2 / x == 1"):
        body = parse_formula(f"ctl: {text}", model).body
        assert isinstance(body, Formula)
        (expected,) = check(model, [Property("p", kind="ctl", body=body)], engine="reference")
        holds = decide(labelling, body, way).holds  # type: ignore[arg-type]
        assert ("true" if holds else "false") == expected.verdict, text


def test_deadlocks_end_paths_where_x_asks_and_stay_where_g_asks() -> None:
    """covers: S74, I56"""
    model = parse("gal g { int x = 0; transition t [x < 2] { x = x + 1; } } main g;").model
    labelling = on_diagrams(prepare(model))

    def size(text: str) -> int:
        body = parse_formula(f"ctl: {text}", model).body
        assert isinstance(body, Formula)
        return count(labelling, labelling.states(body))

    assert size("EX true") == 2
    assert size("AX false") == 1
    assert size("EG true") == 3
    assert size("AF x == 5") == 0
    assert size("AG EX true") == 0
    everything = labelling.all
    textbook = labelling.core.invariantly(everything, labelling.nothing, maximal=False)
    assert count(labelling, textbook) == 0


def junction_of_events(random: Random, events: list[str], depth: int) -> Formula:
    """Which events are enabled, in conjunctions and disjunctions, with and without negation."""
    if depth == 0 or random.random() < 0.2:
        asked = Enabled(tuple(random.sample(events, random.randint(1, min(3, len(events))))))
        return Not(asked) if random.random() < 0.4 else asked
    parts = [junction_of_events(random, events, depth - 1) for _ in range(random.randint(2, 4))]
    made: Formula = random.choice([And, Or])(tuple(parts))
    return Not(made) if random.random() < 0.2 else made


def test_states_where_some_of_many_events_are_enabled_are_those_of_the_reference() -> None:
    """Tests of both sides: inhibitor arcs ask for few tokens, others for many."""
    some = 0
    for seed in range(25):
        random = Random(f"events {seed}")
        places = tuple(Place(f"p{i}", random.randint(0, 2)) for i in range(4))
        events = []
        for number in range(5):
            one, other, third = random.sample(range(4), 3)
            inhibitor = ((third, random.randint(1, 3)),) if random.random() < 0.5 else ()
            arcs = ((one, random.randint(1, 2)),), ((other, random.randint(1, 2)),)
            events.append(NetEvent(f"t{number}", *arcs, inhibitor=inhibitor))
        model = as_model(Net("tests", places, tuple(events)))
        semantics = Semantics(model)
        try:
            graph = semantics.reachable(300)
        except LimitReached:
            continue
        names = [e.name for e in events]
        asked = [junction_of_events(random, names, 2) for _ in range(6)]
        prepared = prepare(model, [Property(f"{i}", "reachable", f) for i, f in enumerate(asked)])
        labelling = on_diagrams(prepared)
        for f, p in zip(asked, prepared.properties, strict=True):
            assert isinstance(p.body, Formula)
            holds = sum(semantics.holds(f, state) for state in graph.states)
            assert count(labelling, labelling.states(p.body)) == holds, (model, f)
            some += 0 < holds < len(graph.states)
    assert some > 30
