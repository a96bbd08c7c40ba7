"""Linear time by bounded runs: the published bounds, the schedule, and the reference as a judge."""

import json
import random
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
import z3
from tests.cli.command import Command

from plait.engines import Budget, Tuning, check, states
from plait.engines.bounded_linear import BoundedLinear
from plait.engines.evidence import Evidence
from plait.engines.prepared import prepare
from plait.engines.symbolic.tuning import PartialTuning
from plait.errors import InputError, ModelError
from plait.lang.gal import parse as parse_gal
from plait.lang.milestones import parse
from plait.logic.parse import parse_formula
from plait.model.types import Domain, ElementaryType, Model, Property
from plait.models import producers_consumers, running_example
from plait.reference import Semantics
from plait.report.answer import Answer
from plait.smt.relation import Relation
from plait.smt.schedule import Schedule
from plait.smt.scheduled import ScheduledRun
from plait.testing.choices import Seeded
from plait.testing.random_milestones import program

EXAMPLES = Path(__file__).parents[2] / "examples" / "milestones"
FIRST = {1: 35, 2: 45, 3: 52, 4: 51, 5: 63, 6: 75, 7: 87, 8: 66, 9: 74}
AGAIN = {1: 95, 2: 135, 3: 169, 4: 187, 5: 231, 6: 275, 7: 319, 8: 297, 9: 333}


def ask(
    model: Model,
    asked: Property,
    depth: int | None = None,
    *,
    ahead: int | None = None,
    rule: str = "local",
) -> Answer:
    """One property, with the solver in this process."""
    engine = BoundedLinear(Evidence(model), depth, ahead=ahead, rule=rule, alone=False)
    (answer,) = engine.check([asked], Budget())
    return answer


def asked(model: Model, text: str) -> Property:
    return parse_formula(text, model)


# --- published bounds -----------------------------------------------------------------------------


@pytest.mark.parametrize("m", [1, pytest.param(2, marks=pytest.mark.soak)])
def test_bounded_model_checking_finds_a_lasso_at_the_published_bound(m: int) -> None:
    """covers: M72"""
    model = producers_consumers(m)
    again = model.properties[1]
    below = ask(model, again, 18 * m + 7)
    assert (below.verdict, below.stats["k"]) == ("unknown", 18 * m + 7)
    assert below.reason == f"no violation in runs of up to {18 * m + 7} steps"
    there = ask(model, again)
    assert (there.verdict, there.replayed, there.stats["k"]) == ("false", True, 18 * m + 8)
    assert there.witness is not None
    assert (len(there.witness.steps), there.witness.loop is not None) == (18 * m + 8, True)


def some(quick: tuple[int, ...]) -> list[object]:
    return [n if n in quick else pytest.param(n, marks=pytest.mark.soak) for n in range(1, 10)]


@pytest.mark.parametrize("n", some((1, 4, 8)))
def test_partial_exploration_finds_the_first_item_at_the_published_bounds(n: int) -> None:
    """covers: M73"""
    model = producers_consumers(2)
    found = ask(model, model.properties[0], ahead=n)
    assert (found.verdict, found.replayed, found.stats["k"]) == ("false", True, FIRST[n])
    assert found.stats["cycles"] == FIRST[n] // (4 * n + 1)


@pytest.mark.parametrize("n", some((8,)))
def test_partial_exploration_finds_a_lasso_at_the_published_bounds(n: int) -> None:
    """covers: M74"""
    model = producers_consumers(2)
    found = ask(model, model.properties[1], ahead=n)
    assert (found.verdict, found.replayed, found.stats["k"]) == ("false", True, AGAIN[n])
    assert found.stats["cycles"] == AGAIN[n] // (4 * n + 1)


@pytest.mark.parametrize("m", [1, *(pytest.param(m, marks=pytest.mark.soak) for m in (3, 5, 7))])
def test_the_bounds_grow_with_the_processes_as_published(m: int) -> None:
    """covers: M75"""
    model = producers_consumers(m)
    found = [ask(model, p, ahead=8).stats["k"] for p in model.properties]
    assert found == [2 * (16 * m + 1), 9 * (16 * m + 1)]


# --- the schedule ---------------------------------------------------------------------------------


def test_the_relation_of_a_step_is_that_of_the_definition() -> None:
    """covers: M78"""
    for m, n in ((0, 0), (1, 1), (1, 3), (3, 1), (2, 4)):
        schedule = Schedule(m, n)
        c = m * n + 1
        assert schedule.cycle == c
        for d in range(4 * c):
            expected = None if d % c == m * n else (d % c) // n
            assert schedule.process(d) == expected, (m, n, d)
        assert list(schedule.bounds(2 * c + 1)) == [0, c, 2 * c, 2 * c + 1]
    late = Schedule(2, 3, first=2)
    assert [late.process(d) for d in range(9)] == [None, None, 0, 0, 0, 1, 1, 1, None]
    assert [late.last_full(k) for k in (0, 1, 2, 5, 8, 9)] == [None, 0, 1, 1, 1, 8]


def test_a_process_that_cannot_go_ahead_idles_and_nothing_changes() -> None:
    """A producer works for eight steps; the next two of the schedule leave the whole state.

    covers: M77, M78
    """
    model = producers_consumers(1)
    prepared = prepare(model)
    relation = Relation(prepared.rewritten.model, prepared.compiled.titled)
    titles = prepared.compiled.titles
    safe = [
        [i for i, title in enumerate(titles) if title.startswith(f"{who}[0].step")]
        for who in ("prod", "cons")
    ]
    run = ScheduledRun(relation, z3.SolverFor("QF_FD"), Schedule(2, 10), safe)
    while run.steps < 21:
        run.extend()
    assert run.solver.check() == z3.sat
    trace, places = run.trace(21)
    assert places[:11] == [*range(9), 8, 8]
    assert places[20] == 8, "the consumer has nothing to do yet"
    assert trace[8][1] != trace[7][1]
    for d, (before, after) in enumerate(pairwise(places)):
        process = run.schedule.process(d)
        if after > before and process is not None:
            assert trace[after][0] in safe[process]
    idle = [run.states[8], run.states[10], run.states[20]]
    model_ = run.solver.model()
    values = [[model_.eval(c, model_completion=True) for c in state] for state in idle]
    assert values[0] == values[1] == values[2]


TOGGLE = """
VARIABLE g : 2 := 0; END
LOCAL A
  ACTION a0; a1; END
  VARIABLE pc : 1 := {start}; END
  CASE {commands} END
END
LOCAL B
  ACTION b0; b1; END
  VARIABLE pc : 1 := 0; END
  CASE [0] [b0] true : pc := 1; g := 1; [1] [b1] true : pc := 0; g := 0; END
END
GLOBAL PROC a : A[1]; b : B[1]; END CASE END END
LTL F (g == 1); END
"""


def test_a_loop_without_a_step_of_all_events_is_not_accepted() -> None:
    """covers: M79"""
    waiting = "[0] [a0] true : pc := 1; [1] [a1] g == 1 : pc := 0;"
    stuck = parse(TOGGLE.format(start=1, commands=waiting))
    (prop,) = stuck.properties
    assert Semantics(stuck).check(prop).verdict == "true"
    # Three idle steps of `a` come back to the first state, and are no run.
    for depth in (3, 4, 7, 12):
        answer = ask(stuck, prop, depth, ahead=3)
        assert (answer.verdict, answer.stats["processes"]) == ("unknown", 1)
    spinning = "[0] [a0] true : pc := 1; [1] [a1] true : pc := 0;"
    free = parse(TOGGLE.format(start=0, commands=spinning))
    (prop,) = free.properties
    # `a` comes back after two steps, and puts `b` off; with a step of all events it is a run.
    assert ask(free, prop, 2, ahead=2).verdict == "unknown"
    found = ask(free, prop, 6, ahead=2)
    assert (found.verdict, found.replayed) == ("false", True)


def test_nothing_ahead_is_bounded_model_checking() -> None:
    """covers: M76"""
    producers = producers_consumers(1)
    for model, prop in (
        (running_example(), running_example().properties[1]),
        (producers, asked(producers, "ltl: F G (buffer == 0)")),
    ):
        plainly, none = ask(model, prop), ask(model, prop, ahead=0)
        assert (none.stats["cycle"], none.stats["processes"]) == (1, 0)
        assert none.stats["k"] == none.stats["cycles"] == plainly.stats["k"]
        assert none.verdict == plainly.verdict == "false"


# --- answers --------------------------------------------------------------------------------------

FORMS = (
    "G F ({p})",
    "F G ({p})",
    "({p}) U ({q})",
    "G (({p}) -> F ({q}))",
    "F ({p})",
    "G ({p})",
    "({p}) R ({q})",
    "(G F ({p})) -> (G F ({q}))",
    "G (({p}) W ({q}))",
    "F (({p}) M ({q}))",
)


@cache
def judged(count: int) -> tuple[tuple[Model, Property, Answer], ...]:
    """Random programs and formulas, with the answers of the reference."""
    found: list[tuple[Model, Property, Answer]] = []
    seed = 0
    while len(found) < count:
        seed += 1
        text = program(Seeded(seed), open_values=3, nonlinear=15, operations=("+", "-")).text()
        model = parse(text)
        if not 6 <= states(model, budget=Budget(states=61)).states <= 60:
            continue
        semantics, dice = Semantics(model), random.Random(seed)
        names = [n for n in semantics.cells if n.startswith(("g", "p"))]
        p, q = (f"{dice.choice(names)} == {dice.randrange(2)}" for _ in range(2))
        prop = asked(model, "ltl: " + FORMS[seed % len(FORMS)].format(p=p, q=q))
        found.append((model, prop, semantics.check(prop)))
    return tuple(found)


def steps_of(answer: Answer) -> int:
    """The steps that a bounded run needs for the lasso of the reference."""
    assert answer.witness is not None
    steps = len(answer.witness.steps)
    return steps + (answer.witness.loop == steps)


def test_random_models_have_the_answers_of_the_reference() -> None:
    """What holds is never refuted, and what does not is refuted within the steps that it takes.

    covers: M80, M82
    """
    violated = reduced = 0
    for model, prop, expected in judged(16):
        holds = expected.verdict == "true"
        steps = 3 if holds else steps_of(expected)
        if steps > 9:
            continue
        violated += not holds
        explored = check(model, [prop], tuning=Tuning(strategy="partial"))[0]
        assert explored.verdict == expected.verdict
        for ahead, rule in ((None, "local"), (1, "local"), (2, "exact")):
            depth = steps if ahead is None else (steps + 2) * (1 + 3 * ahead)
            answer = ask(model, prop, depth, ahead=ahead, rule=rule)
            assert answer.verdict == ("unknown" if holds else "false"), prop.body
            reduced += answer.stats["processes"] != 0
            if not holds:
                assert answer.replayed, "the reference has seen the run violate the property"
                assert answer.witness is not None
                assert len(answer.witness.steps) == answer.stats["depth"]
    assert violated >= 6
    assert reduced >= 6


def test_safety_and_deadlocks_are_asked_under_a_schedule_too() -> None:
    model = producers_consumers(1)
    for text, verdict in (
        ("reachable: buffer == 1", "true"),
        ("never: full == 1", "false"),
        ("invariant: mutex == 0", "false"),
        ("ctl: EF (mutex == 1)", "true"),
        ("ctl: AG (mutex == 0)", "false"),
    ):
        answer = ask(model, asked(model, text), ahead=8)
        assert (answer.verdict, answer.replayed) == (verdict, True), text
    (free,) = check(
        model, [Property("d", "deadlock")], engine="bounded", tuning=partial(8), depth=34
    )
    assert free.verdict == "unknown"
    text = "gal g { int x; transition up [x < 3] { x += 1; } }"
    dead = ask(parse_gal(text, "m"), Property("d", "deadlock"), ahead=2)
    assert (dead.verdict, dead.replayed) == ("false", True)
    assert dead.witness is not None
    assert len(dead.witness.steps) == 3


def partial(ahead: int) -> Tuning:
    return Tuning(strategy="partial", partial=PartialTuning(ahead=ahead))


def test_a_deadlock_repeats_for_ever() -> None:
    model = parse_gal("gal g { int x; transition up [x < 2] { x += 1; } }", "m")
    found = ask(model, asked(model, "ltl: G F (x == 0)"), 5)
    assert (found.verdict, found.replayed) == ("false", True)
    assert found.witness is not None
    assert (len(found.witness.steps), found.witness.loop) == (2, 2)
    assert ask(model, asked(model, "ltl: F G (x == 2)"), 6).verdict == "unknown"


def test_a_run_that_cannot_but_violate_is_completed() -> None:
    """The first state decides it; what is shown is a run, to be replayed."""
    model = producers_consumers(1)
    found = ask(model, asked(model, "ltl: (buffer == 1) U (mutex == 1)"), 0)
    assert (found.verdict, found.replayed, found.stats["k"]) == ("false", True, 0)
    growing = parse_gal("gal g { int x; transition up [true] { x += 1; } }", "m")
    answer = ask(growing, asked(growing, "ltl: (x == 1) U (x == 5)"), 3)
    assert answer.verdict == "unknown"
    assert answer.reason is not None
    assert answer.reason.startswith("all runs that begin like one of 0 steps violate it")


def test_x_is_for_plain_runs_but_for_the_head_of_a_formula() -> None:
    model = running_example()
    later = asked(model, "ltl: G ((g == 0) -> X (g == 0))")
    assert ask(model, later, 10).verdict == "false"
    with pytest.raises(InputError, match="counts steps"):
        ask(model, later, 10, ahead=2)
    text = program(Seeded(5), open_values=100, operations=("+", "-")).text(ltl=("G F (g0 == 0)",))
    many = parse(text)
    (prop,) = many.properties
    expected = Semantics(many).check(prop).verdict
    found = ask(many, prop, 9, ahead=1).verdict
    assert found == {"false": "false", "true": "unknown"}[expected]


DEEP = """
VARIABLE g : 8 := 0; END
LOCAL A
  ACTION work; tell; END
  VARIABLE pc : 2 := 0; END
  CASE
    [0] [work] true : pc := 1; [1] [work] true : pc := 2; [2] [work] true : pc := 3;
    [3] [tell] true : pc := 0; g := g + 1;
  END
END
GLOBAL PROC a : A[3]; END CASE END END
LTL G (g != 200); END
"""


def test_shallow_errors_of_large_models_are_found_and_deep_ones_have_a_bound() -> None:
    """covers: M83"""
    large = producers_consumers(4)  # 3 * 10^8 states
    shallow = ask(large, large.properties[0], ahead=8)
    assert (shallow.verdict, shallow.replayed, shallow.stats["cycles"]) == ("false", True, 2)
    deep = parse(DEEP)
    (answer,) = check(deep, engine="bounded", tuning=partial(3), depth=60)
    assert answer.verdict == "unknown"
    assert answer.reason == "no violation in runs of up to 60 steps"


def test_every_run_tells_its_bound_cycles_time_and_the_memory_of_the_solver() -> None:
    """covers: M84"""
    model = producers_consumers(1)
    for prop, depth in ((model.properties[0], None), (model.properties[1], 40)):
        answer = ask(model, prop, depth, ahead=8)
        stats = answer.stats
        assert (stats["k"], stats["cycles"], stats["cycle"]) == (
            (34, 2, 17) if depth is None else (40, 3, 17)
        )
        assert (stats["processes"], stats["ahead"]) == (2, 8)
        assert isinstance(stats["search_seconds"], float)
        assert stats["search_seconds"] > 0
        assert isinstance(stats["solver_megabytes"], float)
        assert stats["solver_megabytes"] > 1
        assert answer.seconds >= stats["search_seconds"] > 0


def test_a_value_outside_its_domain_is_an_error_and_not_an_answer() -> None:
    model = parse_gal("gal g { int x; int y; transition up [true] { x += 1; } }", "m")
    assert isinstance(model.system, ElementaryType)
    x, y = model.system.variables
    system = replace(model.system, variables=(replace(x, domain=Domain(0, 3)), y))
    narrow = replace(model, types=(system,))
    holding = asked(narrow, "ltl: G F (y == 0)")
    assert ask(narrow, holding, 2).verdict == "unknown"
    with pytest.raises(ModelError, match=r"outside its domain 0\.\.3"):
        ask(narrow, holding, 5)


def test_what_is_not_for_bounded_runs_is_said_to_be_so() -> None:
    model = running_example()
    (branching,) = check(model, model.properties[:1], engine="bounded", tuning=partial(2))
    assert branching.reason == "the bounded engine does not check ctl properties"
    with pytest.raises(InputError, match="has no strategy 'partial'"):
        check(model, engine="explicit", tuning=partial(2))


def test_the_command_line_explores_partially_in_bounded_runs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = ["check", "--engine", "bounded", "--strategy", "partial", "--ahead", "4", "--json", "-"]
    done = Command(capsys)(*line, EXAMPLES / "producers-consumers.mil", "-p", "ltl-1")
    assert done.status == 1
    (answer,) = json.loads(done.out)["results"]
    assert (answer["verdict"], answer["stats"]["k"]) == ("false", 51)


# --- several events in one step -------------------------------------------------------------------


def together(model: Model, asked: Property, depth: int | None = None) -> Answer:
    engine = BoundedLinear(Evidence(model), depth, together=True, alone=False)
    (answer,) = engine.check([asked], Budget())
    return answer


def test_events_that_do_not_meet_happen_in_one_step() -> None:
    """Of the running example `Xpp` and `Ypp` happen together: three steps instead of four.

    covers: M105
    """
    model = running_example()
    goal = asked(model, "reachable: g == 1 && a[0].x == 1 && a[0].z == 1 && b[0].y == 1")
    alone = ask(model, goal, ahead=0)
    found = together(model, goal)
    assert (alone.stats["k"], found.stats["k"]) == (4, 3)
    for answer in (alone, found):
        assert (answer.verdict, answer.replayed) == ("true", True)
        assert answer.witness is not None
        # What meets nobody may happen beside the others, as the solver likes.
        assert len(answer.witness.steps) >= 4, "one after the other it is a run of single steps"
    assert together(model, goal, 2).verdict == "unknown"


def test_steps_together_reach_what_single_steps_reach_and_no_later() -> None:
    """covers: M105"""
    fewer = 0
    for number, (model, _, _) in enumerate(judged(9)):
        semantics = Semantics(model)
        graph = semantics.reachable()
        state = graph.states[(7 * number) % len(graph.states)]
        cells = zip(semantics.cells, state, strict=True)
        text = " && ".join(f"{n} == {v}" for n, v in cells if n.startswith(("g", "p")))
        goal = asked(model, f"reachable: {text}")
        single = ask(model, goal, 7, ahead=0)
        joint = together(model, goal, 7)
        if single.verdict == "unknown":
            continue
        assert (joint.verdict, joint.replayed) == ("true", True)
        assert isinstance(joint.stats["k"], int)
        assert isinstance(single.stats["k"], int)
        assert joint.stats["k"] <= single.stats["k"]
        fewer += joint.stats["k"] < single.stats["k"]
    assert fewer >= 1


@pytest.mark.parametrize(
    "events",
    [
        "transition a [z == 0] { z = 1; x = 1; } transition b [z == 0] { z = 1; y = 1; }",
        "transition a [y == 0] { x = 1; } transition b [x == 0] { y = 1; }",
    ],
    ids=["both write one cell", "each asks for what the other writes"],
)
def test_events_that_meet_do_not_happen_together(events: str) -> None:
    """covers: M105"""
    model = parse_gal(f"gal g {{ int x; int y; int z; {events} }}", "m")
    answer = together(model, asked(model, "reachable: x == 1 && y == 1"), 3)
    assert answer.reason == "no state reached in runs of up to 3 steps"
    assert together(model, asked(model, "reachable: x == 1"), 3).verdict == "true"


def test_what_sees_every_state_is_not_asked_of_steps_together() -> None:
    model = running_example()
    (answer,) = check(model, model.properties[1:], engine="bounded", together=True)
    assert answer.verdict == "unknown"
    assert answer.reason == "a run in which events happen together shows not all of its states"
    with pytest.raises(InputError, match="in bounded runs only"):
        check(model, model.properties[1:], together=True)
