"""Partial exploration: published figures, what every search keeps, errata, limits."""

from functools import partial as partial_application

import pytest
from tests.cli.command import Command
from tests.engines.partial.programs import SMALL, goal_of, partial, questions, runs, small_models

from plait import _core
from plait.engines import Budget, check, states
from plait.engines.partial.exploration import PartialExploration
from plait.engines.partial.process_model import RULES, ProcessModels
from plait.errors import InputError
from plait.lang.milestones import parse
from plait.logic.parse import parse_formula
from plait.model.expr import Formula, Var
from plait.model.node import nodes
from plait.model.rewritten import flat_type
from plait.model.types import Property
from plait.models import producers_consumers, running_example
from plait.passes import flat
from plait.program import compile_model
from plait.reference import Semantics
from plait.reference.execution import Execution
from plait.reference.two_phase import two_phase
from plait.testing.choices import Seeded
from plait.testing.random_milestones import program

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
