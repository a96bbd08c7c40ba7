"""Safe and linear events: the published sets, the errata, and persistence by brute force."""

from collections.abc import Iterable
from itertools import product

import pytest

from plait.engines.partial.process_model import RULES, ProcessModels, Rule
from plait.lang.dve import parse as parse_dve
from plait.lang.milestones import parse
from plait.model.rewritten import flat_type
from plait.model.types import Model
from plait.models import producers_consumers, running_example
from plait.passes import flat
from plait.program import compile_model
from plait.reference import Semantics
from plait.reference.execution import Execution
from plait.testing.choices import Seeded
from plait.testing.random_milestones import program


def safe_titles(
    model: Model,
    observed: Iterable[str] = (),
    *,
    linear: bool = False,
    rule: Rule = "local",
    assume_linear: bool = False,
) -> dict[str, set[str]]:
    """The titles of the safe events of each process."""
    made = flat(model, reduce=False).model
    type_ = flat_type(made)
    models = ProcessModels(type_, compile_model(made).shape)
    found = models.safe(observed, linear=linear, rule=rule, assume_linear=assume_linear)
    return {p.name: {type_.events[i].title for i in p.events} for p in found}


def one(commands: str, shared: str = "", rest: str = "", sync: str = "G") -> Model:
    """A model with a process `p[0]` of these commands on the local actions a, b and c."""
    return parse(
        f"ACTION G; END VARIABLE g:2:=0; {shared} END LOCAL P ACTION a; b; c END "
        f"VARIABLE pc:2:=0; x:2:=0; y:2:=0; END CASE {commands} END SYNC {sync} END END "
        f"MAIN PROC p : P[1]; END CASE {rest} END END"
    )


def test_the_safe_actions_of_the_running_example_are_the_published_ones() -> None:
    """covers: M21"""
    for linear in (True, False):
        found = safe_titles(running_example(), linear=linear)
        assert found == {"a[0]": {"a[0].Xpp", "a[0].Zpp"}}


def test_all_steps_of_work_of_producers_and_consumers_are_safe() -> None:
    found = safe_titles(producers_consumers(2), linear=True)
    assert {name: len(titles) for name, titles in found.items()} == {
        "prod[0]": 9,
        "prod[1]": 9,
        "cons[0]": 9,
        "cons[1]": 9,
    }


@pytest.mark.parametrize(
    "command",
    [
        "[0][a] g == 0 : pc := 1;",
        "[0][a] true : pc := 1; g := 1;",
        "[0][a] true : pc := 1; x := g;",
    ],
)
def test_who_touches_a_global_variable_is_not_safe(command: str) -> None:
    """covers: M22"""
    rest = "[G] true : g := g + 1;"
    step = "[1][b] true : pc := 2; x := x + 1; [3][G] true :"
    assert safe_titles(one(f"{command} {step}", rest=rest)) == {"p[0]": {"p[0].b"}}
    assert safe_titles(one(f"[0][a] true : pc := 1; {step}", rest=rest)) == {
        "p[0]": {"p[0].a", "p[0].b"}
    }


def test_what_stands_beside_a_global_or_unsafe_command_is_not_safe() -> None:
    """covers: M23"""
    rest = "[G] true : g := g + 1;"
    beside = one("[0][a] true : x := 1; [0][G] true : [1][b] true : pc := 2;", rest=rest)
    assert safe_titles(beside) == {"p[0]": {"p[0].b"}}
    commands = "[0][a] true : x := 1; [0][c] g == 1 : pc := 1; [1][b] true : pc := 2;"
    unsafe = one(commands, rest=rest, sync="")
    assert safe_titles(unsafe) == {"p[0]": {"p[0].b"}}


def test_an_action_is_safe_everywhere_or_nowhere_and_so_are_its_neighbours() -> None:
    """covers: M24"""
    rest = "[G] true : g := g + 1;"
    made = one(
        "[0][a] true : pc := 1; [1][a] g == 0 : pc := 2; [0][b] true : pc := 2; "
        "[2][b] true : pc := 3; [3][c] true : pc := 0;",
        rest=rest,
        sync="",
    )
    # `a` is unsafe at 1, hence at 0; `b` stands beside it at 0, hence is unsafe at 2 too.
    assert safe_titles(made) == {"p[0]": {"p[0].c"}}
    assert safe_titles(made, rule="exact") == {"p[0]": {"p[0].a", "p[0].b", "p[0].b#2", "p[0].c"}}


def test_a_global_command_that_tests_a_variable_makes_its_writers_unsafe() -> None:
    """covers: M25"""
    text = (
        "ACTION G END VARIABLE g:2:=0; END LOCAL P ACTION a; b END VARIABLE pc:2:=0; x:2:=0; END "
        "CASE [0][a] true : pc := 1; [1][b] true : pc := 2; x := 1; END END "
        "MAIN PROC p : P[1]; END CASE [G] {guard} : g := 1; END END"
    )
    assert safe_titles(parse(text.format(guard="p.x == 0"))) == {"p[0]": {"p[0].a"}}
    # Enabling is harmless: at 1, where `b` is, this command is not enabled.
    assert safe_titles(parse(text.format(guard="p.x == 1 & p.pc == 2"))) == {
        "p[0]": {"p[0].a", "p[0].b"}
    }
    assert safe_titles(parse(text.format(guard="p.pc == 1"))) == {"p[0]": {"p[0].a"}}


def test_events_that_may_be_enabled_together_are_safe_but_not_linear() -> None:
    """covers: M26, M39"""
    overlapping = one("[0][a] x < 2 : pc := 1; [0][b] x > 0 : pc := 2;")
    disjoint = one("[0][a] x < 2 : pc := 1; [0][b] x >= 2 : pc := 2;")
    both = {"p[0]": {"p[0].a", "p[0].b"}}
    assert safe_titles(overlapping) == safe_titles(disjoint) == both
    assert safe_titles(overlapping, linear=True) == {}
    assert safe_titles(disjoint, linear=True) == both
    assert safe_titles(overlapping, linear=True, assume_linear=True) == both


def test_who_writes_what_is_observed_is_not_safe() -> None:
    """covers: M19"""
    assert safe_titles(running_example(), {"a[0].x"}) == {"a[0]": {"a[0].Zpp"}}
    assert safe_titles(running_example(), {"a[0].pc"}) == {}


def test_variables_without_initial_value_leave_events_safe() -> None:
    made = one("[0][a] true : pc := 1; [1][b] x == 0 : pc := 2; y := 1;", shared="h:2;")
    assert safe_titles(made) == {"p[0]": {"p[0].a", "p[0].b"}}


def test_a_choice_of_commands_in_a_joint_action_leaves_other_locations_safe() -> None:
    rest = "[G] true : g := g + 1;"
    made = one(
        "[0][a] true : pc := 1; [1][G] true : pc := 2; [1][G] true : pc := 3; "
        "[2][b] true : pc := 0;",
        rest=rest,
    )
    for rule in RULES:
        assert safe_titles(made, rule=rule) == {"p[0]": {"p[0].a", "p[0].b"}}


def test_processes_of_other_languages_have_safe_events() -> None:
    model = parse_dve(
        "byte g; process P { byte x; state s, t, u; init s; trans s -> t { effect x = x + 1; }, "
        "t -> u { guard g == 0; effect g = 1; }, u -> s { effect g = 0; }; } "
        "process Q { byte x; state s, t; init s; trans s -> t { effect x = 1; }, "
        "t -> s { guard g == 0; }; } system async;"
    )
    assert safe_titles(model, linear=True) == {"P": {"P.s->t"}, "Q": {"Q.s->t"}}


# --- by brute force -------------------------------------------------------------------------------


def commute(run: Execution, a: str, b: str, state: tuple[int, ...]) -> bool:
    """Whether two events, both enabled in a state, are independent there."""
    after_a, after_b = after(run, a, state), after(run, b, state)
    if not after_a or not after_b:
        return True
    ab = {t for s in after_a for t in after(run, b, s)}
    ba = {t for s in after_b for t in after(run, a, s)}
    return bool(ab) and ab == ba


def after(run: Execution, title: str, state: tuple[int, ...]) -> set[tuple[int, ...]]:
    return {s for t, s in run.successors(state) if t == title}


@pytest.mark.parametrize(("seed", "rule"), list(product(range(24), RULES)))
def test_the_enabled_safe_events_of_a_process_are_persistent(seed: int, rule: Rule) -> None:
    """C1 against all paths without them, and nothing that is observed changes.

    covers: M28
    """
    model = parse(program(Seeded(seed), open_values=4, nonlinear=30).text())
    observed = {"g0"}
    safe = safe_titles(model, observed, rule=rule)
    if not safe:
        return
    graph = Semantics(model).reachable()
    if len(graph.states) > 60:
        return
    run = Execution(model)
    place = list(Semantics(model).cells).index("g0")
    for state in graph.states:
        for titles in safe.values():
            ample = {t for t, _ in run.successors(state) if t in titles}
            for title in ample:
                assert all(s[place] == state[place] for s in after(run, title, state))
            if ample:
                seen, waiting = {state}, [state]
                while waiting:
                    here = waiting.pop()
                    for title, successor in run.successors(here):
                        if title in ample:
                            continue
                        assert all(commute(run, title, a, here) for a in ample), (title, ample)
                        assert all(after(run, a, here) for a in ample)
                        if successor not in seen:
                            seen.add(successor)
                            waiting.append(successor)


@pytest.mark.parametrize("seed", range(16))
def test_of_linear_events_one_is_enabled_at_most(seed: int) -> None:
    """covers: M26"""
    model = parse(program(Seeded(seed), nonlinear=40).text())
    safe = safe_titles(model, linear=True, rule="exact")
    run = Execution(model)
    for state in Semantics(model).reachable().states[:300]:
        for titles in safe.values():
            assert sum(t in titles for t, _ in run.successors(state)) <= 1
