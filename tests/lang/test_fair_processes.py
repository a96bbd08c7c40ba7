"""Weak fairness to processes and parts: textbook cases, SPIN's `pan -a -f`, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from spin import AVAILABLE, Spin

from plait.api import System
from plait.cli.main import run as plait
from plait.engines import Budget, Reduction, check
from plait.engines.explicit.method import Method
from plait.engines.explicit.reduction import PERSISTENT
from plait.errors import InputError
from plait.lang.dve import parse as parse_dve
from plait.lang.gal import parse as parse_gal
from plait.lang.promela import parse as parse_promela
from plait.logic.parse import parse_formula
from plait.model.types import Model, Property
from plait.reference import ReplayError, Semantics
from plait.report.answer import Answer, Witness

STARVING = """
byte x, y;
active proctype Loop() { do :: x = 1 - x od }
active proctype Once() { y = 1 }
ltl f { <> (y == 1) }
"""
"""`Once` is ready for ever; only an unfair run never executes it."""
BLINKING = """
byte x, y;
active proctype Loop() { do :: x = 1 - x od }
active proctype Wait() { x == 1 -> y = 1 }
ltl f { <> (y == 1) }
"""
"""`Wait` is ready again and again, but not for ever: weak fairness owes it nothing."""
PETERSON = """
bool want[2]; byte turn, critical;
active [2] proctype P() {
  do
  :: want[_pid] = true; turn = 1 - _pid;
     (!want[1 - _pid] || turn == _pid);
     critical = _pid + 1; critical = 0; want[_pid] = false
  od
}
ltl f { [] (want[0] -> <> (critical == 1)) }
"""
RESTING = """
byte x; bool go;
active proctype A() { do :: !go -> skip :: go -> x = 1 od }
active proctype B() { go = true }
ltl f { <> [] (x == 1) }
"""
QUEUE = """
chan c = [1] of { byte }; byte got, other;
active proctype S() { do :: c!1 :: c!2 od }
active proctype R() { do :: c?got od }
active proctype T() { do :: other = 1 - other od }
ltl f { [] <> (got == 1) }
ltl g { <> (got != 0) }
"""
LABELLED = """
byte x;
active proctype A() { do :: x == 0 :: x == 1 od }
active proctype B() { x = 1 }
never { do :: skip :: x == 0 -> break od; accept_never: do :: x == 0 od }
"""
TEXTS = {
    # text: property: (verdict of any run, verdict of fair runs)
    STARVING: {"f": ("false", "true")},
    BLINKING: {"f": ("false", "false")},
    PETERSON: {"f": ("false", "true")},
    RESTING: {"f": ("false", "true")},
    QUEUE: {"f": ("false", "false"), "g": ("false", "true")},
    LABELLED: {"never claim": ("false", "true")},
}
TWO_LOOPS = """
byte a, b, z;
active proctype A() { do :: a = 1 - a od }
active proctype B() { do :: b = 1 - b od }
ltl f { <> (z == 1) }
"""
"""Two independent loops: a run is fair only when both turn."""


def fair(model: Model, p: Property, **options: object) -> Answer:
    [answer] = check(model, [p], budget=Budget(60.0, None), weak=True, **options)  # type: ignore[arg-type]
    return answer


def ltl(model: Model) -> list[Property]:
    return [p for p in model.properties if p.kind == "ltl" and not p.optional]


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
@pytest.mark.parametrize("engine", ["reference", "explicit", "nested", "ample"])
def test_unfair_runs_do_not_count_and_fair_ones_do(text: str, engine: str) -> None:
    """covers: A15, A16, A17, P61"""
    model = parse_promela(text)
    options: dict[str, object] = {"engine": "explicit"}
    if engine == "reference":
        options = {"engine": "reference"}
    elif engine == "nested":
        options["method"] = Method(cycles="nested")
    elif engine == "ample":
        options["reduction"] = Reduction("stubborn")
    for p in ltl(model):
        any_run, fair_run = TEXTS[text][p.name]
        [unfair] = check(model, [p], budget=Budget(60.0, None), **options)  # type: ignore[arg-type]
        assert unfair.verdict == any_run
        answer = fair(model, p, **options)
        assert answer.verdict == fair_run
        assert answer.replayed == (fair_run == "false")


@pytest.mark.soak
@pytest.mark.skipif(not AVAILABLE, reason="no spin")
@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_spin_says_the_same_with_and_without_fairness(text: str, tmp_path: Path) -> None:
    (tmp_path / "text.pml").write_text(text)
    folder = tmp_path / "spin"
    folder.mkdir()
    spin = Spin(tmp_path / "text.pml", folder)
    for name, verdicts in TEXTS[text].items():
        chosen = () if name == "never claim" else ("-N", name)
        for flags, verdict in zip([("-a",), ("-a", "-f")], verdicts, strict=True):
            found = spin.run(*flags, "-E", "-A", *chosen)
            assert found.complete or found.errors
            assert ("true" if not found.errors else "false") == verdict, (name, flags)


def test_a_run_that_is_shown_starves_nobody_and_has_no_null_steps() -> None:
    """covers: A18"""
    model = parse_promela(BLINKING)
    [p] = ltl(model)
    semantics = Semantics(model)
    for options in ({"engine": "explicit"}, {"engine": "reference"}):
        witness = fair(model, p, **options).witness
        assert witness is not None
        assert witness.loop is not None
        semantics.replay(witness)
        assert semantics.movers.starved(witness) == ()
        assert all(semantics.knows(step.event) for step in witness.steps)
        cycle = witness.steps[witness.loop :]
        assert {semantics.event(s.event).process for s in cycle} == {"Loop_0"}


def test_a_run_that_starves_somebody_is_told_from_one_that_does_not() -> None:
    model = parse_promela(STARVING)
    [p] = ltl(model)
    semantics = Semantics(model)
    [unfair] = check(model, [p], budget=Budget(60.0, None))
    assert unfair.witness is not None
    assert semantics.movers.starved(unfair.witness) == ("Once_1",)
    semantics.confirm(p, unfair.witness)
    with pytest.raises(ReplayError, match="starves Once_1"):
        semantics.confirm(p, unfair.witness, weak=True)


@pytest.mark.parametrize("cycles", ["components", "nested"])
def test_two_independent_loops_turn_together_also_where_the_graph_is_reduced(cycles: str) -> None:
    """covers: P63"""
    model = parse_promela(TWO_LOOPS)
    [p] = ltl(model)
    answer = fair(
        model, p, engine="explicit", reduction=Reduction("stubborn"), method=Method(cycles=cycles)
    )
    assert answer.verdict == "false"
    assert answer.replayed
    assert answer.stats["reduced_states"]
    witness = answer.witness
    assert witness is not None
    cycle = witness.steps[witness.loop :]
    assert {step.process for step in cycle} == {"A_0", "B_1"}


@pytest.mark.parametrize("count", [1, 3, 6])
def test_fairness_multiplies_states_by_no_more_than_the_copies(count: int) -> None:
    """covers: A14"""
    loops = "\n".join(
        f"active proctype P{i}() {{ do :: x[{i}] = 1 - x[{i}] od }}" for i in range(count)
    )
    model = parse_promela(f"bit x[{count}]; byte z;\n{loops}\nltl f {{ <> [] (z == 0) }}")
    [p] = ltl(model)
    for cycles, factor in (("components", 1), ("nested", count + 2)):
        method = Method(cycles=cycles)
        [plain] = check(model, [p], engine="explicit", method=method, budget=Budget(60.0, None))
        answer = fair(model, p, engine="explicit", method=method)
        assert answer.verdict == plain.verdict == "true"
        assert answer.stats["fair_to"] == count
        found, unfair = answer.stats["product_states"], plain.stats["product_states"]
        assert isinstance(found, int)
        assert isinstance(unfair, int)
        assert found <= factor * unfair


TAKING_TURNS = """
bit u = 1, v = 1, z;
active proctype A() { do :: u = 0; u = 1 od }
active proctype B() { do :: v = 0; v = 1 od }
active proctype C() { do :: atomic { u == 1 -> z = 1 } :: atomic { v == 1 -> z = 1 } od }
ltl f { <> (z == 1) }
"""
"""`C` is not ready only where both bits are 0, to which independent events lead in any order."""


@pytest.mark.parametrize("persistent", PERSISTENT)
def test_events_that_decide_whether_another_process_is_ready_are_seen(persistent: str) -> None:
    """Without that, `u = 1` could be executed before `v = 0` for ever.

    covers: P63
    """
    model = parse_promela(TAKING_TURNS)
    [p] = ltl(model)
    assert fair(model, p, engine="reference").verdict == "false"
    reduction = Reduction("stubborn", persistent)
    answer = fair(model, p, engine="explicit", reduction=reduction)
    assert answer.verdict == "false"
    assert answer.replayed


COMPOSITION = """
gal Worker {
  int at = 0;
  transition work [at == 0] label "work" { at = 1; }
  transition rest [at == 1] { at = 0; }
}
gal Lonely {
  int done = 0;
  transition finish [done == 0] { done = 1; }
  transition spin [done == 1] { done = 1; }
}
composite Pair {
  Worker a; Worker b; Lonely c;
  synchronization both { a."work"; b."work"; }
}
main Pair;
"""


def test_parts_of_a_composite_are_treated_fairly() -> None:
    model = parse_gal(COMPOSITION, "pair")
    movers = Semantics(model).movers
    assert movers.names == ("a", "b", "c")
    assert movers.of["both"] == {0, 1}
    assert movers.of["b.rest"] == {1}
    assert movers.of["c.finish"] == {2}
    for formula, any_run, fair_run in (
        ("F (c:done == 1)", "false", "true"),
        ("G (a:at == 1 -> F (a:at == 0))", "false", "true"),
        ("G F (a:at == 1 && b:at == 0)", "false", "false"),
    ):
        p = parse_formula(formula, model)
        for engine in ("explicit", "reference"):
            [unfair] = check(model, [p], engine=engine, budget=Budget(60.0, None))
            assert unfair.verdict == any_run, formula
            answer = fair(model, p, engine=engine)
            assert answer.verdict == fair_run, formula
            assert answer.replayed == (fair_run == "false")


def test_an_event_that_may_be_of_one_part_or_of_another_is_refused_where_it_stands() -> None:
    text = (
        'gal W { int at = 0; transition t [at < 9] label "t" { at = at + 1; } }\n'
        'scalar Ws [3] of W { synchronization one { any."t"; } }\nmain Ws;'
    )
    model = parse_gal(text, "ws")
    with pytest.raises(
        InputError, match=r"'one' may be a move of 'item\[0\]' or of 'item\[1\]'"
    ) as wrong:
        fair(model, parse_formula("F false", model))
    span = wrong.value.diagnostics[0].span
    assert span is not None
    assert span.line == 2


def test_processes_of_dve_are_treated_fairly_and_the_python_face_asks_for_it() -> None:
    text = """byte x, y;
process A { state a; init a; trans a -> a { effect x = 1 - x; }; }
process B { state b, c; init b; trans b -> c { effect y = 1; }; }
system async;"""
    system = System(parse_dve(text, "pair"))
    for engine in ("explicit", "reference"):
        assert system.check("F (y == 1)", engine=engine).verdict == "false"
        assert system.check("F (y == 1)", engine=engine, weak=True).verdict == "true"
    answer = system.check("F (x == 1 && y == 0)", weak=True)
    assert answer.verdict == "false"
    assert answer.replayed


def test_fairness_is_refused_where_nobody_moves_and_for_ctl() -> None:
    model = parse_gal("gal g { int x = 0; transition t { x = 1 - x; } } main g;", "g")
    with pytest.raises(InputError, match="no processes and no parts"):
        fair(model, parse_formula("F (x == 1)", model))
    processes = parse_promela(STARVING)
    with pytest.raises(InputError, match="weak fairness is for LTL"):
        fair(processes, parse_formula("AF (y == 1)", processes))


def test_more_processes_than_acceptance_sets_are_left_to_the_reference(tmp_path: Path) -> None:
    text = "byte x;\nactive [70] proctype P() { do :: x = 0 od }\nltl f { <> (x == 1) }"
    model = parse_promela(text)
    [p] = ltl(model)
    answer = fair(model, p, engine="explicit")
    assert answer.verdict == "unknown"
    assert answer.reason is not None
    assert "fairness to 70 processes" in answer.reason
    assert fair(model, p).verdict == "false"


def test_an_atomic_block_that_hands_over_the_control_moves_who_gets_it() -> None:
    text = """
byte x, n, idle;
chan c = [0] of { byte };
active proctype S() { do :: atomic { x = 1 - x; c!1 } od }
active proctype R() { byte v; do :: c?v; n = 1 - n :: idle = 1 - idle od }
ltl f { <> (idle == 1) }
"""
    model = parse_promela(text)
    [p] = ltl(model)
    semantics = Semantics(model)
    for options in ({"engine": "explicit"}, {"engine": "reference"}):
        answer = fair(model, p, **options)
        assert answer.verdict == "false"
        assert isinstance(answer.witness, Witness)
        assert semantics.movers.starved(answer.witness) == ()


def test_the_command_line_takes_fairness(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "starving.pml"
    file.write_text(STARVING)
    assert plait(["check", str(file), "-p", "f", "-q"]) == 1
    assert plait(["check", str(file), "-p", "f", "-q", "--fairness", "weak"]) == 0
    assert plait(["check", str(file), "-p", "f", "-q", "--fairness", "weak", "--cross-check"]) == 0
    assert plait(["check", str(file), "-p", "f", "--fairness", "strong"]) == 2
    capsys.readouterr()
