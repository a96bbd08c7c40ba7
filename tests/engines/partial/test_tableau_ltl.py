"""LTL by tableau, forward, backward and partially explored: judged by the reference."""

import random
from functools import cache

import pytest

from plait.automata.elementary import TOP, Tableau
from plait.engines import Budget, Tuning, check, states
from plait.engines.evidence import Evidence
from plait.engines.partial.engine import PartialEngine, Run
from plait.engines.partial.exploration import PartialExploration
from plait.engines.partial.ltl import TableauLinear
from plait.engines.prepared import prepare
from plait.engines.symbolic.engine import Symbolic
from plait.engines.symbolic.tableau import Pairs, TableauProduct
from plait.engines.symbolic.tuning import LtlWay, PartialTuning
from plait.errors import InputError
from plait.lang.gal import parse as parse_gal
from plait.lang.milestones import parse
from plait.logic.parse import parse_formula
from plait.model.expr import Formula
from plait.model.types import Model, Property
from plait.models import producers_consumers, running_example
from plait.reference import Semantics
from plait.testing.choices import Seeded
from plait.testing.random_milestones import program

WAYS: tuple[LtlWay, ...] = ("tableau", "tableau-backward")
FORMS = (
    "G F ({p})",
    "F G ({p})",
    "({p}) U ({q})",
    "G (({p}) -> F ({q}))",
    "F ({p})",
    "F (({p}) && F ({q}))",
    "({p}) R ({q})",
    "(G F ({p})) -> (G F ({q}))",
    "G (({p}) W ({q}))",
    "F (({p}) M ({q}))",
    "(({p}) U ({q})) || G ({p})",
    "{p}",
    "(G F ({p})) && (F G ({q}))",
)


def methods(variant: int = 1, rule: str = "local") -> list[Tuning]:
    """FWD, BWD, evalLTLX and evalLTLX(BWD)."""
    reduced = PartialTuning(variant=variant, rule=rule)
    plainly = [Tuning(ltl=way) for way in WAYS]
    return [*plainly, *(Tuning(strategy="partial", ltl=way, partial=reduced) for way in WAYS)]


@cache
def models(nonlinear: int = 15) -> tuple[Model, ...]:
    """Random programs that are small enough to be judged, and not too small to be reduced."""
    found = []
    for seed in range(40):
        model = parse(program(Seeded(seed), open_values=3, nonlinear=nonlinear).text())
        if 12 <= states(model, budget=Budget(states=121)).states <= 120:
            found.append(model)
    return tuple(found)


def questions(model: Model, seed: int, count: int) -> list[Property]:
    dice = random.Random(seed)
    names = [n for n in Semantics(model).cells if n.startswith(("g", "p"))]
    found = []
    for number in range(count):
        p, q = (f"{dice.choice(names)} == {dice.randrange(2)}" for _ in range(2))
        text = FORMS[(seed + number) % len(FORMS)].format(p=p, q=q)
        found.append(parse_formula(f"ltl: {text}", model, name=f"f{number}"))
    return found


class Explored:
    """The product of a model and a formula, partially explored, for one who looks inside."""

    def __init__(self, model: Model, asked: Property, kind: type[TableauProduct]) -> None:
        assert isinstance(asked.body, Formula)
        tableau = Tableau(asked.body)
        leaves = [Property(f"c{i}", "reachable", c) for i, c in enumerate(tableau.conditions)]
        prepared = prepare(model, leaves)
        bodies = [p.body for p in prepared.properties if isinstance(p.body, Formula)]
        made = dict(zip(tableau.conditions, bodies, strict=True))
        engine = PartialEngine(Symbolic(model, tuning=Tuning(strategy="partial")))
        run = Run(engine, prepared, made, Budget(), None)
        self.run = run
        self.product = kind(run.core, run.free, tableau, run.select, run.dead)
        self.start = self.product.begins(run.core.initial())
        explore = PartialExploration(self.product, run.free, run.safe("ltl", bodies))
        self.visited = explore(self.start, self.product.matching)
        self.inside = self.product.matching(self.visited)


# --- verdicts -------------------------------------------------------------------------------------


def test_all_methods_have_the_verdicts_of_the_reference() -> None:
    """covers: M65"""
    smaller = 0
    for number, model in enumerate(models()[:12]):
        asked = questions(model, 2 * number, 2)
        expected = [Semantics(model).check(p).verdict for p in asked]
        pairs = []
        for tuning in methods(1 + number % 3, ("local", "exact")[number % 2]):
            answers = check(model, asked, engine="symbolic", tuning=tuning)
            assert [a.verdict for a in answers] == expected, (number, tuning)
            for answer in answers:
                assert answer.replayed == (answer.verdict == "false")
            pairs.append([a.stats["pairs"] for a in answers])
        smaller += sum(a < b for a, b in zip(pairs[2], pairs[0], strict=True))
    assert smaller >= 3, "some of them were reduced"


def test_events_that_are_safe_but_not_linear_may_go_first() -> None:
    """covers: M67"""
    met = 0
    for number, model in enumerate(models(nonlinear=60)):
        asked = [p for p in questions(model, 100 + number, 3) if p.body is not None]
        run = Explored(model, asked[0], TableauProduct).run
        free = run.process_models.safe((), linear=False)
        if free == run.process_models.safe((), linear=True) or met == 3:
            continue
        met += 1
        expected = [Semantics(model).check(p).verdict for p in asked]
        answers = check(model, asked, tuning=Tuning(strategy="partial"))
        assert [a.verdict for a in answers] == expected
    assert met == 3


def test_forward_and_backward_hulls_are_empty_together() -> None:
    """covers: M68"""
    texts = ("G F ({p})", "F G ({p})", "({p}) U ({q})", "G (({p}) -> F ({q}))")
    texts += ("(G F ({p})) -> (G F ({q}))", "(F G ({p})) -> (G F ({q}))")
    empty = 0
    for number, model in enumerate(models()[:4]):
        names = [n for n in Semantics(model).cells if n.startswith(("g", "p"))]
        p, q = f"{names[0]} == {number % 2}", f"{names[-1]} == 0"
        for text in texts:
            asked = parse_formula(f"ltl: {text.format(p=p, q=q)}", model)
            found = Explored(model, asked, TableauProduct)
            forward = found.product.forward(found.inside)
            found.run.core.explore("saturation")
            backward = found.product.backward(found.inside)
            assert bool(forward) == bool(backward)
            assert bool(forward) == (Semantics(model).check(asked).verdict == "false")
            empty += not forward
    assert 4 <= empty <= 20


class MismatchesAreFair(TableauProduct):
    """What the printed algorithm comes to: pairs that do not match count like others."""

    def fair(self, pairs: Pairs, until: int) -> Pairs:
        top = Pairs({TOP: pairs.of[TOP]}) if TOP in pairs.of else Pairs({})
        return self.union(super().fair(pairs, until), top)


def test_pairs_that_do_not_match_make_no_cycle() -> None:
    """Without the restriction a property that holds would be refuted by a path that is none.

    covers: M66
    """
    model = producers_consumers(1)
    asked = parse_formula("ltl: G ((buffer == 1) -> F ((buffer != 1) || (mutex == 0)))", model)
    found = Explored(model, asked, MismatchesAreFair)
    assert TOP in found.visited.of
    assert found.product.forward(found.visited), "the trap is there"
    assert not found.product.forward(found.inside)
    for tuning in methods():
        assert check(model, [asked], engine="symbolic", tuning=tuning)[0].verdict == "true"


class WithoutTop(TableauProduct):
    """The product with a tableau that is not total: what leads nowhere is dropped."""

    def image(self, pairs: Pairs, events: object) -> Pairs:
        return self.matching(super().image(pairs, events))  # type: ignore[arg-type]


def test_a_total_tableau_has_the_same_verdicts() -> None:
    """covers: M63"""
    tops = 0
    for number, model in enumerate(models()[:4]):
        names = [n for n in Semantics(model).cells if n.startswith(("g", "p"))]
        p = f"({names[number % len(names)]} == {number % 2})"
        asked = parse_formula(f"ltl: (F {p}) && (F !{p})", model)
        total = Explored(model, asked, TableauProduct)
        assert total.product.tableau.successors(0) == []
        other = Explored(model, asked, WithoutTop)
        verdict = bool(total.product.forward(total.inside))
        assert verdict == bool(other.product.forward(other.inside))
        assert verdict == (Semantics(model).check(asked).verdict == "false")
        tops += TOP in total.visited.of
        assert TOP not in other.visited.of
    assert tops


def test_without_untils_an_endless_path_is_still_needed() -> None:
    """covers: M64"""
    model = parse_gal("gal g { int x; transition up [x < 4] { x += 1; } }", "m")
    asked = parse_formula("ltl: x == 1", model)
    found = Explored(model, asked, TableauProduct)
    assert found.product.tableau.untils == []
    product, core = found.product, found.run.core
    assert product.count(found.inside) == 5
    # The path goes on to the deadlock, which repeats; without it there is none.
    ends = product.enabled(found.inside, found.run.free)
    assert product.count(ends) == 4
    assert not product.forward(ends)
    assert core.count(product.forward(found.inside).of[0]) == 1
    for tuning in methods():
        (answer,) = check(model, [asked], engine="symbolic", tuning=tuning)
        assert (answer.verdict, answer.stats["fairness_sets"]) == ("false", 0)
        assert answer.witness is not None
        assert (len(answer.witness.steps), answer.witness.loop) == (4, 4)


def test_x_is_decided_by_all_states_and_refused_by_a_reduction() -> None:
    """covers: M69"""
    model = running_example()
    for text, expected in (("G ((g == 0) -> X (g == 0))", "false"), ("G X (g < 2)", "true")):
        asked = parse_formula(f"ltl: {text}", model)
        for tuning in methods()[:2]:
            (answer,) = check(model, [asked], engine="symbolic", tuning=tuning)
            assert (answer.verdict, answer.replayed) == (expected, expected == "false")
        for tuning in methods()[2:]:
            with pytest.raises(InputError, match="tells states apart"):
                check(model, [asked], tuning=tuning)


def test_the_running_example_and_its_figures() -> None:
    model = running_example()
    for tuning in methods():
        (answer,) = check(model, model.properties[1:], engine="symbolic", tuning=tuning)
        assert (answer.verdict, answer.replayed) == ("false", True)
        assert answer.stats["fairness_sets"] == 2
        assert answer.stats["tableau_states"] == 4


def test_partial_exploration_sees_few_of_the_pairs() -> None:
    """So the lasso that bounded runs need hundreds of steps for is found soon."""
    model = producers_consumers(4)
    (answer,) = check(model, model.properties[1:], tuning=Tuning(strategy="partial"))
    assert (answer.verdict, answer.replayed) == ("false", True)
    assert isinstance(answer.stats["pairs"], int)
    assert answer.stats["pairs"] < 10_000


def test_what_has_no_tableau_is_said_to_have_none() -> None:
    model = parse_gal("gal g { int x; transition up [x < 4] { x += 1; } }", "m")
    text = " || ".join(f"F G (x == {i})" for i in range(6))
    (answer,) = check(
        model, [parse_formula(f"ltl: {text}", model)], engine="symbolic", tuning=methods()[0]
    )
    assert answer.verdict == "unknown"
    assert answer.reason == "a tableau of 2^12 states is too large"


def test_a_stop_in_the_middle_is_no_answer() -> None:
    model = producers_consumers(9)
    asked = [parse_formula("ltl: G F (buffer > 1)", model)]
    engine = TableauLinear(Evidence(model), Tuning(strategy="partial"))
    (answer,) = engine.check(asked, Budget(timeout=0.001))
    assert (answer.verdict, answer.reason) == ("unknown", "timeout")
