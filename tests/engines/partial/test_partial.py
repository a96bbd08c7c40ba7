"""Partial exploration: published figures, errata, and every answer against the reference."""

from collections.abc import Iterator
from functools import cache
from functools import partial as partial_application
from itertools import product

import pytest
from tests.cli.command import Command

from plait import _core
from plait.engines import Budget, Tuning, check, states
from plait.engines.formulas import prepare_formulas
from plait.engines.partial.engine import PartialEngine, Run
from plait.engines.partial.exploration import PartialExploration
from plait.engines.partial.process_model import RULES, ProcessModels
from plait.engines.symbolic.engine import Symbolic
from plait.engines.symbolic.tuning import LTL_WAYS, PartialTuning
from plait.errors import InputError
from plait.lang.milestones import parse
from plait.logic.parse import parse_formula
from plait.model.expr import Formula, Var
from plait.model.node import nodes
from plait.model.rewritten import flat_type
from plait.model.types import Model, Property
from plait.models import producers_consumers, running_example
from plait.passes import flat
from plait.program import compile_model
from plait.reference import Semantics
from plait.reference.execution import Execution
from plait.reference.two_phase import two_phase
from plait.testing.choices import Choices, Seeded
from plait.testing.random_milestones import program

SMALL = 120
"""The most states of a model that the reference judges here."""


def partial(
    variant: int = 1, keep: str | None = None, rule: str = "local", order: str = "auto"
) -> Tuning:
    return Tuning(strategy="partial", order=order, partial=PartialTuning(variant, keep, rule))


def runs(model: Model, *goals: str) -> Run:
    """A model in diagrams, for one who explores by hand."""
    asked = [parse_formula(f"reachable: {goal}", model) for goal in goals]
    prepared, conditions = prepare_formulas(model, asked)
    engine = PartialEngine(Symbolic(model, tuning=partial()))
    return Run(engine, prepared, conditions, Budget(), None)


def goal_of(run: Run) -> Formula:
    """The first goal, in terms of the flat model."""
    body = run.prepared.properties[0].body
    assert isinstance(body, Formula)
    return body


@cache
def small_models() -> tuple[Model, ...]:
    """Random programs that are small enough to be judged, and not too small to be reduced."""
    found = []
    for seed in range(80):
        model = parse(program(Seeded(seed), open_values=3, nonlinear=15).text())
        size = states(model, budget=Budget(states=SMALL + 1)).states
        if 12 <= size <= SMALL:
            found.append(model)
    return tuple(found)


# --- published figures ----------------------------------------------------------------------------


@pytest.mark.parametrize("variant", [1, 2, 3])
def test_the_running_example_is_reduced_to_five_states(variant: int) -> None:
    """covers: M34"""
    assert states(running_example(), tuning=partial(variant)).states == 5


@pytest.mark.parametrize(
    ("m", "found", "images"), [(1, 459, 453), (2, 835, 914), (3, 1_211, 1_373), (4, 1_587, 1_832)]
)
def test_producers_first_take_the_published_images(m: int, found: int, images: int) -> None:
    """covers: M33, M48"""
    space = states(producers_consumers(m), tuning=partial())
    assert (space.states, space.stats["images"], space.deadlocks) == (found, images, 0)


@pytest.mark.parametrize(("m", "images"), [(1, 448), (2, 909)])
def test_consumers_first_take_fewer_images(m: int, images: int) -> None:
    """covers: M33"""
    run = runs(producers_consumers(m))
    explore = run.exploration("ctl", ())
    reversed_ = sorted(explore.processes, key=lambda p: p.name.startswith("prod"))
    explore.processes = reversed_
    found = explore(run.core.initial())
    assert (run.core.count(found), explore.figures.images) == ({1: 459, 2: 835}[m], images)


def test_the_frontiers_of_the_reduced_search_are_smaller() -> None:
    """covers: M99"""
    run = runs(producers_consumers(4))
    core, events = run.core, run.free
    explore = run.exploration("ctl", ())
    reduced = explore(core.initial())
    visited = frontier = core.initial()
    sizes = []
    while frontier:
        frontier = core.difference(core.image(frontier, events), visited)
        visited = core.union(visited, frontier)
        sizes.append(core.size(frontier))
    shown = explore.figures.shown()
    mean = shown["mean_frontier_nodes"]
    assert isinstance(mean, float)
    assert mean < sum(sizes) / len(sizes)
    assert core.size(reduced) > core.size(visited)
    assert core.count(reduced) < core.count(visited)


# --- properties of every model --------------------------------------------------------------------


@pytest.mark.parametrize("variant", [1, 2, 3])
def test_the_reduced_states_are_reachable_ones_and_have_the_initial_one(variant: int) -> None:
    """covers: M35"""
    for model in small_models()[:12]:
        run = runs(model)
        explore = run.exploration("ctl", ())
        explore.variant = variant  # type: ignore[assignment]
        start = run.core.initial()
        found = explore(start)
        run.core.explore("saturation")
        assert not run.core.difference(found, run.core.reach())
        assert not run.core.difference(start, found)


def test_without_safe_events_all_states_are_found() -> None:
    """covers: M36"""
    for model in small_models()[:12]:
        run = runs(model, "g0 == 0")
        core = run.core
        explore = PartialExploration(core, run.free, [])
        found = explore(core.initial())
        core.explore("saturation")
        assert found == core.reach()
        stay = core.select(run.compiled.program, found, run.compiled.formula(goal_of(run)))
        inside = explore(core.initial(), partial_application(core.intersection, stay))
        start = core.intersection(core.initial(), stay)
        forward = core.eventually(stay, start, forward=True)
        ends = core.union(core.initial(), core.image(forward, run.free))
        assert inside == core.union(forward, ends)


def test_deadlocks_are_found_where_there_are_some_and_only_there() -> None:
    """covers: M38, M47, M97"""
    asked = Property("deadlock", "deadlock")
    verdicts = set()
    for number in range(24):
        model = parse(program(Seeded(200 + number), open_values=3, nonlinear=15).text())
        if states(model, budget=Budget(states=SMALL + 1)).states > SMALL:
            continue
        dead = bool(Semantics(model).reachable().deadlocks)
        rule = RULES[number % 2]
        (answer,) = check(model, [asked], tuning=partial(1 + number // 2 % 3, rule=rule))
        assert answer.verdict == ("false" if dead else "true")
        assert (answer.witness is not None) == dead
        found = states(model, tuning=partial(1 + number % 3, "deadlocks", rule))
        assert bool(found.deadlocks) == dead
        verdicts.add(dead)
    assert verdicts == {True, False}


class _Formulas:
    """Random CTL without X over the variables of a program."""

    def __init__(self, choices: Choices, model: Model) -> None:
        self.choices = choices
        names = list(Semantics(model).cells)
        self.names = [n for n in names if n.startswith("g")] * 3 + [
            n for n in names if not n.startswith(("init", "old"))
        ]

    def formula(self, depth: int) -> str:
        c = self.choices
        if depth == 0 or c.chance(15):
            name = c.pick(self.names)
            return f"{name} {c.pick(['==', '!=', '>'])} {c.integer(0, 2)}"
        a, b = self.formula(depth - 1), self.formula(depth - 1)
        return c.pick(
            [
                f"EF ({a})",
                f"EG ({a})",
                f"AG ({a})",
                f"AF ({a})",
                f"E[({a}) U ({b})]",
                f"A[({a}) U ({b})]",
                f"(({a}) && ({b}))",
                f"(({a}) || ({b}))",
                f"!({a})",
            ]
        )


def questions(model: Model, seed: int, count: int) -> Iterator[Property]:
    writer = _Formulas(Seeded(seed), model)
    for number in range(count):
        yield parse_formula(f"ctl: {writer.formula(3)}", model, name=f"q{number}")


@pytest.mark.parametrize(("variant", "rule"), list(product([1, 2, 3], RULES)))
def test_formulas_without_next_have_the_verdicts_of_the_reference(variant: int, rule: str) -> None:
    """covers: M37, M51, M59, M60"""
    seen, reduced = set(), 0
    for number, model in enumerate(small_models()[variant - 1 :: 3]):
        asked = list(questions(model, 10 * number + variant, 3))
        semantics = Semantics(model)
        answers = check(model, asked, engine="symbolic", tuning=partial(variant, rule=rule))
        for answer in answers:
            expected = semantics.check(answer.property).verdict
            assert answer.verdict == expected, (model.name, number, answer.property.body)
            seen.add(answer.verdict)
            reduced += bool(answer.stats.get("safe_events"))
    assert seen == {"true", "false"}
    assert reduced > 2, "the reduction was at work"


@pytest.mark.soak
@pytest.mark.parametrize("block", range(20))
def test_many_more_programs_have_the_verdicts_of_the_reference(block: int) -> None:
    for seed in range(10_000 + 100 * block, 10_100 + 100 * block):
        model = parse(program(Seeded(seed), open_values=2, nonlinear=20).text())
        if not 8 <= states(model, budget=Budget(states=300)).states < 300:
            continue
        asked = [*questions(model, seed, 4), Property("deadlock", "deadlock")]
        semantics = Semantics(model)
        tuning = partial(1 + seed % 3, rule=RULES[seed // 3 % 2])
        for answer in check(model, asked, engine="symbolic", tuning=tuning):
            expected = semantics.check(answer.property).verdict
            assert answer.verdict == expected, (seed, answer.property.body)


OPERATORS = ("EX {}", "EF {}", "EG {}", "E[{} U {}]", "AX {}", "AF {}", "AG {}", "A[{} U {}]")


def test_every_operator_has_one_verdict_backward_and_forward() -> None:
    """covers: M50, M51"""
    for number, model in enumerate(small_models()[:8]):
        a, b = (f"{n} == {number % 2}" for n in ("g0", "p0[0].pc"))
        inner = OPERATORS[number % 8].format(f"({b})", f"({a})")
        texts = [*(o.format(f"({a})", f"({b})") for o in OPERATORS), f"AG ({a} -> {inner})"]
        asked = [parse_formula(f"ctl: {text}", model) for text in texts]
        expected = [Semantics(model).check(p).verdict for p in asked]
        for way in ("backward", "forward"):
            tuning = Tuning(ctl=way, witnesses=False)  # type: ignore[arg-type]
            answers = check(model, asked, engine="symbolic", tuning=tuning)
            assert [answer.verdict for answer in answers] == expected
        kept = [i for i, text in enumerate(texts) if "X" not in text]
        answers = check(model, [asked[i] for i in kept], engine="symbolic", tuning=partial())
        assert [answer.verdict for answer in answers] == [expected[i] for i in kept]


def test_linear_time_has_one_verdict_by_every_method() -> None:
    """covers: M61"""
    model = running_example()
    asked = model.properties[1:]
    for engine in ("auto", "explicit", "reference", "bounded"):
        assert check(model, asked, engine=engine)[0].verdict == "false"
    for way in LTL_WAYS:
        assert check(model, asked, engine="symbolic", tuning=Tuning(ltl=way))[0].verdict == "false"
    for engine in ("symbolic", "bounded"):
        (answer,) = check(model, asked, engine=engine, tuning=partial())
        assert (answer.verdict, answer.replayed) == ("false", True)


def test_infinite_paths_alone_may_count() -> None:
    tuning = partial()
    for number, model in enumerate(small_models()[:10]):
        asked = list(questions(model, 7_000 + number, 3))
        ours = check(model, asked, engine="symbolic", tuning=tuning, infinite=True)
        theirs = check(model, asked, engine="reference", infinite=True)
        assert [a.verdict for a in ours] == [a.verdict for a in theirs]


def test_reachability_and_bounds_have_the_answers_of_the_reference() -> None:
    """covers: M104"""
    for number, model in enumerate(small_models()[:12]):
        names = [n for n in Semantics(model).cells if n.startswith(("g", "p"))]
        name = names[number % len(names)]
        asked = [
            parse_formula(f"reachable: {name} == 1", model, name="r"),
            parse_formula(f"never: {name} > 1 && {names[0]} == 0", model, name="n"),
            parse_formula(f"invariant: {name} + {names[-1]} < 3", model, name="i"),
            parse_formula(f"bounds: {name} - {names[0]}", model, name="b"),
        ]
        semantics = Semantics(model)
        tuning = partial(1 + number % 3, rule=RULES[number % 2])
        saturated = check(model, asked, engine="symbolic")
        for answer, other in zip(
            check(model, asked, engine="symbolic", tuning=tuning), saturated, strict=True
        ):
            expected = semantics.check(answer.property)
            assert (answer.verdict, answer.value) == (other.verdict, other.value)
            assert answer.verdict == expected.verdict
            assert answer.value == expected.value
            if answer.verdict == ("true" if answer.property.kind == "reachable" else "false"):
                assert answer.witness is not None


def test_improviso_reaches_the_same_observed_values() -> None:
    """covers: M46"""
    for model in small_models()[:16]:
        run = runs(model, "g0 == 1")
        explore = run.exploration("ltl", (goal_of(run),))
        found = explore.improviso(run.core.initial())
        condition = run.compiled.formula(goal_of(run))
        run.core.explore("saturation")
        every = run.core.reach()
        program_ = run.compiled.program
        assert not run.core.difference(found, every)
        ours = run.core.select(program_, found, condition)
        assert bool(ours) == bool(run.core.select(program_, every, condition))
        assert bool(run.dead(found)) == bool(run.dead(every))


def test_two_phase_and_partial_exploration_keep_the_same_verdicts() -> None:
    """covers: M45"""
    smaller = 0
    for number, model in enumerate(small_models()[:10]):
        semantics = Semantics(model)
        for asked in questions(model, 300 + number, 2):
            seen = {n.name for n in nodes(asked.body) if isinstance(n, Var)}  # type: ignore[arg-type]
            made = flat(model, reduce=False).model
            events = flat_type(made).events
            models = ProcessModels(flat_type(made), compile_model(made).shape)
            safe = [{events[i].title for i in p.events} for p in models.safe(seen, linear=True)]
            graph = two_phase(Execution(model), safe)
            smaller += len(graph.states) < len(semantics.reachable().states)
            expected = semantics.check(asked).verdict
            assert semantics.check(asked, graph=graph).verdict == expected
            (answer,) = check(model, [asked], engine="symbolic", tuning=partial())
            assert answer.verdict == expected
    assert smaller > 1


# --- the errata -----------------------------------------------------------------------------------

CYCLE = (
    "ACTION go END VARIABLE g:1:=0; END LOCAL P ACTION in; there; back END VARIABLE pc:2:=2; END "
    "CASE [2][in] true : pc := 0; [0][there] true : pc := 1; [1][back] true : pc := 0; END END "
    "MAIN PROC p : P[1]; END CASE [go] g == 0 : g := 1; END END"
)


def test_a_safe_cycle_entered_from_outside_ends_every_phase_and_hides_nothing() -> None:
    """covers: M43, M44"""
    model = parse(CYCLE)
    assert states(model).states == 6
    seen = parse_formula("EF g == 1", model)
    for variant in (1, 2, 3):
        space = states(model, tuning=partial(variant))
        assert 3 <= space.states <= 6
        (answer,) = check(model, [seen], engine="symbolic", tuning=partial(variant))
        assert answer.verdict == "true"
    run = runs(model)
    found = run.exploration("ltl", ()).improviso(run.core.initial())
    assert run.core.count(found) >= 4


def test_a_process_without_a_safe_step_is_handed_on() -> None:
    """Of a frontier only what a process can move is expanded by it."""
    text = CYCLE.replace("[1][back] true : pc := 0;", "")
    model = parse(text)
    for variant in (1, 2, 3):
        space = states(model, tuning=partial(variant, "deadlocks"))
        assert space.deadlocks == 1


# --- CTL ------------------------------------------------------------------------------------------


def answer_of(model: Model, text: str, tuning: Tuning | None = None, **more: object) -> object:
    formula = parse_formula(text, model)
    return check(model, [formula], engine="symbolic", tuning=tuning or partial(), **more)[0]  # type: ignore[arg-type]


def test_the_formula_of_the_running_example_holds_in_every_way() -> None:
    """covers: M49, M53"""
    model = running_example()
    asked = model.properties[0]
    for tuning in (
        Tuning(ctl="backward"),
        Tuning(ctl="forward"),
        partial(1),
        partial(2),
        partial(3),
    ):
        (answer,) = check(model, [asked], engine="symbolic", tuning=tuning)
        assert answer.verdict == "true"
    assert answer.stats["forward"] == ["PE(Init, true) * !(EF (g == 1)) != 0"]
    assert answer.stats["backward"] is True
    assert answer.stats["explorations"] == 1


def test_nested_untils_are_explored_forward_all_of_them() -> None:
    """The shape of property p6 of the thesis.

    covers: M52
    """
    model = producers_consumers(1)
    text = "!(EF (buffer == 1 && E[!(full == 2) U (full == 2 && E[!(mutex == 0) U empty == 0])]))"
    (answer,) = check(model, [parse_formula(text, model)], engine="symbolic", tuning=partial())
    assert answer.verdict == check(model, [parse_formula(text, model)])[0].verdict
    assert answer.stats["explorations"] == 3
    assert answer.stats["backward"] is False
    assert len(answer.stats["forward"]) == 1  # type: ignore[arg-type]


def test_disjunctions_split_and_answers_to_requests_are_endless_paths() -> None:
    """covers: M54, M55"""
    model = producers_consumers(1)
    (answer,) = check(
        model,
        [parse_formula("AG (buffer == 1 -> AF buffer == 0)", model)],
        engine="symbolic",
        tuning=partial(),
    )
    assert answer.verdict == "false"
    assert answer.stats["forward"] == [
        "EH(PE(PE(Init, true) * !(buffer != 1), !(buffer == 0)) * !(buffer == 0)) != 0"
    ]
    assert answer.stats["backward"] is False
    (split,) = check(
        model,
        [parse_formula("EF (EG buffer == 7 || E[buffer < 2 U buffer == 2])", model)],
        engine="symbolic",
        tuning=partial(),
    )
    assert (split.verdict, split.stats["explorations"]) == ("true", 3)


def test_several_initial_states_must_all_satisfy_a_formula() -> None:
    """The first step is taken by all events, so that its X costs no reduction.

    covers: M56
    """
    model = parse(
        "ACTION a END VARIABLE x:1; y:1:=0; END MAIN PROC END CASE [a] x == 1 : y := 1; END END "
        "CTL x == 0; EF y == 1; AG (y == 0 | x == 1); E[y == 0 U y == 1] | AG y == 0; END"
    )
    answers = check(model, engine="symbolic", tuning=partial())
    assert [a.verdict for a in answers] == ["false", "false", "true", "true"]


@pytest.mark.parametrize(
    "text", ["EF EX g == 1", "AG (g == 0 -> AX g == 1)", "E[EX g == 0 U g == 1]"]
)
def test_a_next_that_counts_steps_is_refused_and_explained(text: str) -> None:
    """covers: M57"""
    model = running_example()
    with pytest.raises(InputError, match="tells states apart that partial exploration") as raised:
        answer_of(model, text)
    assert raised.value.diagnostics[0].hint is not None
    assert "--ctl forward" in raised.value.diagnostics[0].hint


def test_outermost_steps_are_taken_in_full() -> None:
    for text in ("EX a[0].x == 1", "AX (b[0].y == 1 || a[0].x == 1)", "AX EX EF g == 1"):
        model = running_example()
        formula = parse_formula(text, model)
        (answer,) = check(model, [formula], engine="symbolic", tuning=partial())
        assert answer.verdict == Semantics(model).check(formula).verdict


def test_events_that_are_not_linear_are_for_linear_time_only() -> None:
    """covers: M39, M58"""
    model = parse(
        "ACTION go END VARIABLE g:2:=0; END LOCAL P ACTION a; b END VARIABLE pc:2:=0; END "
        "CASE [0][a] true : pc := 1; [0][b] true : pc := 2; END END "
        "MAIN PROC p : P[2]; END CASE [go] p[0].pc == 1 & p[1].pc == 2 : g := 1; END END"
    )
    ctl = states(model, tuning=partial(keep="ctl"))
    ltl = states(model, tuning=partial(keep="ltl"))
    assert (ctl.stats["safe_events"], ltl.stats["safe_events"]) == (0, 4)
    assert ctl.states == states(model).states > ltl.states
    assert states(model, tuning=partial(keep="deadlocks")).stats["safe_events"] == 4


def test_that_events_are_linear_may_be_assumed_and_is_told() -> None:
    """covers: M27"""
    model = parse(
        "VARIABLE g:1:=0; END LOCAL P ACTION a; b END VARIABLE pc:2:=0; END "
        "CASE [0][a] true : pc := 1; [0][b] true : pc := 2; END END "
        "MAIN PROC p : P[2]; END CASE END END"
    )
    tuning = Tuning(strategy="partial", partial=PartialTuning(assume_linear=True))
    space = states(model, tuning=tuning)
    assert space.stats["safe_events"] == 4
    assert any("assumed, not checked" in note for note in space.notes)
    (answer,) = check(model, [parse_formula("EF g == 1", model)], tuning=tuning)
    assert any("assumed, not checked" in note for note in answer.notes)


# --- limits and other engines ---------------------------------------------------------------------


def test_it_belongs_to_the_symbolic_engine() -> None:
    model = running_example()
    with pytest.raises(InputError, match="has no strategy 'partial'"):
        states(model, engine="explicit", tuning=partial())
    fair = parse_formula("reachable: g == 0", model).body
    assert isinstance(fair, Formula)
    with pytest.raises(InputError, match="knows no fairness"):
        check(model, model.properties[:1], tuning=partial(), fair=[fair])


def test_time_that_is_over_is_told() -> None:
    """covers: M96"""
    model = producers_consumers(8)
    asked = [parse_formula("EF buffer == 6", model)]

    space = states(model, tuning=partial(), budget=Budget(timeout=0.001))
    assert (space.complete, space.reason) == (False, "timeout")
    (answer,) = check(model, asked, tuning=partial(), budget=Budget(timeout=0.001))
    assert (answer.verdict, answer.reason) == ("unknown", "timeout")


def test_progress_is_told_after_each_image() -> None:
    """covers: M42"""
    moments = []
    space = states(producers_consumers(1), tuning=partial(), listen=moments.append)
    told = [m for m in moments if m.phase == "partial"]
    assert len(told) == space.stats["images"]
    assert all(m.nodes > 0 for m in told)
    assert max(m.states for m in told) > 1


def test_a_run_tells_what_it_took() -> None:
    """Events stand for the nodes of relations, which are no diagrams here.

    covers: M40
    """
    space = states(producers_consumers(2), tuning=partial())
    assert space.seconds > 0
    shown = space.stats
    assert (shown["states"], shown["images"]) == (835, 914)
    assert (shown["events"], shown["safe_events"]) == (4 * 9 + 8, 4 * 9)
    assert shown["greatest_process_events"] == 9
    mean, most = shown["mean_frontier_nodes"], shown["greatest_frontier_nodes"]
    assert isinstance(mean, float)
    assert isinstance(most, int)
    assert 0 < mean <= most
    final = shown["final_nodes"]
    assert isinstance(final, int)
    assert final > 0


def test_sets_of_other_diagrams_are_refused() -> None:
    one, other = runs(running_example()), runs(running_example())
    with pytest.raises(ValueError, match="other diagrams"):
        one.core.image(other.core.initial(), one.free)
    with pytest.raises(ValueError, match="other diagrams"):
        one.core.enabled(other.core.initial(), one.free)
    assert isinstance(one.core, _core.Symbolic)


def test_the_commands_take_the_options(
    capsys: pytest.CaptureFixture[str], tmp_path: object
) -> None:
    command = Command(capsys)
    path = str(tmp_path) + "/cycle.mil"
    with open(path, "w", encoding="utf-8") as file:
        file.write(CYCLE)
    told = command("states", path, "--strategy", "partial", "--variant", "2", "--keep", "ltl")
    assert told.status == 0
    answered = command("check", path, "-f", "EF g == 1", "--strategy", "partial", "--safe", "exact")
    assert answered.status == 0
    refused = command("check", path, "-f", "EF EX g == 1", "--strategy", "partial")
    assert refused.status == 2
    assert "X in" in refused.err
