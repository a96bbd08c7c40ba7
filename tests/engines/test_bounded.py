"""The bounded engine: runs, proofs by induction, what it refuses, and the check of its proofs."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import z3

from plait import engines
from plait.engines.bounded import Bounded
from plait.engines.budget import Budget
from plait.engines.evidence import Evidence
from plait.engines.prepared import prepare
from plait.errors import ModelError
from plait.lang.gal import parse as parse_gal
from plait.logic.parse import parse_formula
from plait.model.expr import Deadlock
from plait.model.types import Domain, ElementaryType, Model
from plait.report.answer import Answer
from plait.smt import solver
from plait.smt.certificate import Checker
from plait.smt.induction import Induction, Proof
from plait.smt.relation import Relation
from plait.smt.terms import Terms, Unsupported


def parse(text: str) -> Model:
    return parse_gal(text, "model")


def bounded(text: str, depth: int = 10, *, alone: bool = False) -> dict[str, Answer]:
    model = parse(text)
    asked = [p for p in model.properties if p.kind != "bounds"]
    engine = Bounded(model, Evidence(model), depth, alone=alone)
    return {a.property.name: a for a in engine.check(asked, Budget())}


COUNTER = """gal g { int x = 2147483645; transition up [true] { x += 1; } }
property low [reachable] : x == -2147483648;
property rises [invariant] : x > 2147483640;
property minus [never] : x == -1;
"""


def test_a_counter_wraps_around_where_the_integers_end() -> None:
    found = bounded(COUNTER, 4)
    assert (found["low"].verdict, found["low"].replayed) == ("true", True)
    assert found["low"].witness is not None
    assert [s.state for s in found["low"].witness.steps][-2:] == [(2**31 - 1,), (-(2**31),)]
    assert found["rises"].verdict == "false", "x > ... is no invariant, though it grows"
    assert found["minus"].verdict == "unknown"
    assert found["minus"].reason == "no violation in runs of up to 4 steps, and no proof"


def test_no_induction_takes_a_counter_for_an_integer_without_end() -> None:
    """`x >= 0` is preserved by x += 1 for integers, and not for those of 32 bits."""
    found = bounded(
        """gal g { int x; int y = 1; transition up [true] { x += 1; }
             transition twice [y < 5] { y = y * 2; } }
           property "not negative" [invariant] : x >= 0;
           property even [invariant] : y == 1 || y % 2 == 0;"""
    )
    assert found["not negative"].verdict == "unknown"
    assert found["even"].verdict == "true"


def test_a_proof_says_how_deep_the_induction_is() -> None:
    """To 7 one comes from 5, from 3, from 1, and to 1 from nowhere."""
    found = bounded(
        """gal g { int x; transition a [x < 4] { x = x + 2; } transition b [x >= 4] { x = 0; }
             transition c [x == 5] { x = 7; } transition d [x == 3] { x = 5; } }
           property seven [never] : x == 7;"""
    )
    answer = found["seven"]
    assert (answer.verdict, answer.engine) == ("true", "k-induction")
    assert answer.stats["k"] == 4
    assert answer.notes == ("seven: k-induction, k = 4",)


def test_a_state_that_no_shortest_run_repeats_is_excluded() -> None:
    """Without that, runs that stay in x = 3 for ever are a counterexample of every depth."""
    found = bounded(
        """gal g { int x; int y; transition a [x == 0] { x = 1; } transition b [x == 1] { x = 0; }
             transition stay [x == 3] { y = 1 - y; } transition bad [x == 3] { x = 4; } }
           property four [never] : x == 4;"""
    )
    assert (found["four"].verdict, found["four"].engine) == ("true", "k-induction")


def test_a_model_whose_runs_all_end_is_exhausted() -> None:
    found = bounded(
        """gal g { array [3] a; int s; typedef r = 0 .. 2;
             transition t (r $i) [a[$i] == 0] { a[$i] = 1; s = s * 3 + $i; } }
           property sum [never] : s == 4 || s == 26;"""
    )
    assert (found["sum"].verdict, found["sum"].engine) == ("true", "bounded")
    assert found["sum"].notes == ("sum: every run ends within 3 steps",)


def narrow(text: str, name: str, domain: Domain) -> Model:
    """The model with a domain for one of its variables, which GAL has no words for."""
    model = parse(text)
    system = model.system
    assert isinstance(system, ElementaryType)
    variables = (replace(v, domain=domain) if v.name == name else v for v in system.variables)
    return replace(model, types=(replace(system, variables=tuple(variables)),))


FAILING = """gal g { int x; int y; transition up [x < 9] { x += 1; }
  transition f [y < 2] { y += 1; } }
property p [never] : y == 20;"""


def test_a_value_outside_its_domain_is_told_as_by_the_search() -> None:
    model = narrow(FAILING, "x", Domain(0, 3))
    with pytest.raises(ModelError) as meant:
        engines.check(model, engine="explicit")
    with pytest.raises(ModelError) as found:
        Bounded(model, Evidence(model), 10, alone=False).check(model.properties, Budget())
    assert "0..3" in str(found.value)
    assert "0..3" in str(meant.value)


def test_nothing_is_proved_of_a_model_that_may_fail_later() -> None:
    """That y is never 20 is plain, but the model is wrong, three steps deeper than it is seen."""
    model = narrow(FAILING, "x", Domain(0, 3))
    (answer,) = Bounded(model, Evidence(model), 1, alone=False).check(model.properties, Budget())
    assert answer.verdict == "unknown"


UNDEFINED = """gal g { int d = 3; array [3] t = (5, 6, 7); int v;
  transition divide [d > 0 - 2] { v = 12 / d; d -= 1; v = 0; }
  transition index [d < 0] { t[d + 1] = 9; }
  transition skip [12 / d == 4 || d == 3] { v = 1; }
}
property nine [reachable] : t[0] == 9;
property five [never] : 12 / d == 100 || d < 0 - 1;
property defined [invariant] : 12 / d != 100;
property stuck [deadlock];
"""


def test_what_is_undefined_is_as_the_reference_has_it() -> None:
    model = parse(UNDEFINED)
    meant = {a.property.name: a.verdict for a in engines.check(model, engine="reference")}
    found = bounded(UNDEFINED, 4)
    assert meant == {"nine": "false", "five": "true", "defined": "false", "stuck": "false"}
    assert {n: a.verdict for n, a in found.items()} == meant


def test_an_undefined_choice_takes_neither_branch() -> None:
    text = """gal g { int d = 1; int v; transition down [d > -1] { d -= 1; }
      transition choose [v == 0 && d == 0] { if (1 / d == 1) { v = 1; } else { v = 2; } } }
    property chosen [reachable] : v == 1 || v == 2;"""
    assert bounded(text)["chosen"].verdict == "false"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("gal g { int x; transition t [x == 0] { fixpoint { x = 1; } } }", "fixpoint"),
        (
            "gal g { array [100000] a; int i; transition t [true] { a[i] = i; i = i + 1; } }",
            "too large",
        ),
        ("gal g { int x; int y; transition t [true] { x = x ** y; y = x + 3; } }", "power"),
    ],
)
def test_what_is_not_for_this_engine_is_refused_with_the_reason(text: str, reason: str) -> None:
    found = bounded(text + "\nproperty p [deadlock];")
    assert found["p"].verdict == "unknown"
    assert reason in (found["p"].reason or "")


def test_temporal_properties_and_bounds_stay_unknown() -> None:
    model = parse(COUNTER + "property b [bounds] : x;\nproperty c [ctl] : AF x == 0;")
    asked = [model.property("b"), model.property("c")]
    answers = engines.check(model, asked, engine="bounded", depth=1)
    assert [a.verdict for a in answers] == ["unknown", "unknown"]
    assert all(
        "bounded engine" in (a.reason or "") or "this engine" in (a.reason or "") for a in answers
    )


ENDLESS = """gal g { array [8] c; int y; typedef r = 0 .. 7;
  transition t (r $i) [true] { c[$i] += 1; }
  transition u [y < 5] { y += 2; } transition v [y == 6] { y = 0; } }
property seven [never] : y == 7;
property six [reachable] : y == 6 && c[0] == 3;
property moves [deadlock];
"""


def test_auto_lets_induction_answer_where_no_search_comes_to_an_end() -> None:
    model = parse(ENDLESS)
    answers = {a.property.name: a for a in engines.check(model, budget=Budget(120.0))}
    assert {n: a.verdict for n, a in answers.items()} == dict.fromkeys(answers, "true")
    assert answers["seven"].engine == answers["moves"].engine == "k-induction"


# --- the certificate ------------------------------------------------------------------------------

Accepts = Callable[[Proof], bool]
CLIMB = """gal g { int x; transition a [x < 8] { x = x + 2; } transition b [x >= 8] { x = 0; } }
property five [never] : x == 5;
property twelve [never] : x == 12;
property four [never] : x == 4;
"""


def checker(text: str, change: Callable[[Relation], None] = lambda relation: None) -> Accepts:
    model = parse(text)
    prepared = prepare(model, model.properties)
    relation = Relation(prepared.rewritten.model, prepared.compiled.titled, narrow=False)
    change(relation)
    return Checker(relation, prepared.properties, lambda: None).accepts


def test_the_checker_accepts_proofs_and_only_proofs() -> None:
    accepts = checker(CLIMB)
    assert accepts(Proof(1, 0)), "the ranges exclude it"
    assert not accepts(Proof(0, 1)), "5 comes from 3, which is in the range"
    assert accepts(Proof(0, 3)), "3 from 1, and 1 from nowhere"
    assert not accepts(Proof(2, 5)), "4 is reachable"


def test_the_checker_does_not_take_the_ranges_for_granted() -> None:
    def tamper(relation: Relation) -> None:
        relation.ranges[0] = (0, 4)

    assert not checker(CLIMB, tamper)(Proof(0, 3))
    assert not checker(CLIMB, tamper)(Proof(1, 0))


def test_the_checker_needs_the_base() -> None:
    """From x = 1 on there is no way to 0, but it is where the system begins."""
    text = """gal g { int x; transition a [x < 3] { x = x + 1; } }
        property zero [never] : x == 0;"""
    assert not checker(text)(Proof(0, 1))


def test_the_base_goes_as_deep_as_the_step() -> None:
    """A run of just two steps begins in the initial state, which the step may leave out."""
    text = """gal g { int x; transition a [x < 3] { x = x + 1; } }
        property two [never] : x == 2;"""
    assert not checker(text)(Proof(0, 2, away=(0,)))


def test_a_wrong_proof_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Should everything agree on a wrong proof, a short search still finds it out."""
    monkeypatch.setattr(Induction, "prove", lambda self, number, seconds: Proof(number, 0))
    monkeypatch.setattr(Checker, "accepts", lambda self, proof: True)
    found = bounded(CLIMB, 1)
    assert found["four"].verdict == "unknown"
    assert "internal error" in (found["four"].reason or "")


# --- its process ----------------------------------------------------------------------------------


def test_the_solver_works_in_a_process_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "m.gal"
    path.write_text(COUNTER)
    script = (
        "import sys; from plait import engines; from plait.lang import load;"
        f"a = engines.check(load({str(path)!r}), engine='bounded', depth=4);"
        "print(*(b.verdict for b in a), 'z3' in sys.modules)"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("true false unknown False\n", "")


def test_a_solver_that_dies_is_an_unknown_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def die(*_: object, **__: object) -> None:
        os._exit(3)

    monkeypatch.setattr("plait.smt.relation.Relation.goal", die)
    found = bounded(COUNTER, 2, alone=True)
    assert {a.reason for a in found.values()} == {"the solver ended unexpectedly"}


def test_a_failure_of_the_solver_is_told_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("what is this?")

    monkeypatch.setattr("plait.smt.relation.Relation.goal", fail)
    found = bounded(COUNTER, 2, alone=True)
    assert {a.reason for a in found.values()} == {"ValueError: what is this?"}


def test_a_power_is_computed_where_it_can_be() -> None:
    found = bounded(
        """gal g { int x = 3; int y; transition t [y < 4] { x = x ** 3; y = y + 1; }
             transition u [y == 2 && 3 ** y == 9] { x = 0 - 1; } }
           property cube [reachable] : x == 27;
           property one [reachable] : x == 0 - 1;""",
        3,
    )
    assert {a.verdict for a in found.values()} == {"true"}


def test_a_question_of_five_thousand_terms_is_answered() -> None:
    """Sums of any number of terms: nothing here recurses over them."""
    total = " + ".join(["x"] * 5_000)
    found = bounded(
        "gal g { int x; transition t [x < 2] { x += 1; } }\n"
        f"property sum [reachable] : {total} == 15000;",
        3,
    )
    assert found["sum"].verdict == "false"


def test_deep_parentheses_of_conditions_are_no_matter() -> None:
    formula = "x == 5"
    for _ in range(500):
        formula = f"!(!({formula} && x >= 0) || x == 7)"
    model = parse("gal g { int x; transition t [x < 2] { x += 1; } }")
    asked = parse_formula(f"never: {formula}", model, name="deep")
    (found,) = Bounded(model, Evidence(model), 4, alone=False).check([asked], Budget())
    assert (found.verdict, found.engine) == ("true", "k-induction")


def test_a_relation_refuses_what_asks_for_events_in_a_guard() -> None:
    with pytest.raises(Unsupported, match="which events are possible"):
        Terms({}, lambda: None).condition(Deadlock(), [])


def test_a_solver_that_was_stopped_begins_anew_with_all_that_was_added(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Z3 may have been stopped while it took a term in, and would never know of it."""

    class Forgetful:
        def add(self, *_terms: object) -> None:
            pass

        def check(self, *_assumptions: object) -> object:
            return z3.unknown

    made: list[object] = [z3.SolverFor("QF_FD"), Forgetful()]
    monkeypatch.setattr(solver, "_new", made.pop)
    x = z3.BitVec("x", 4)
    finite = solver.FiniteSolver()
    finite.add(x == 1, z3.UGE(x, 1))
    assert finite.check() == z3.unknown
    assert finite.check() == z3.sat
    assert finite.model().eval(x).as_long() == 1
    finite.add(x == 2)
    assert finite.check() == z3.unsat
