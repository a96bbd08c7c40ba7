"""Model files as tests, in runs of pytest of their own."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import pytest
from tests.conftest import ROOT

pytest_plugins = ["pytester"]

COUNTER = """\
gal counter {
  int x = 0;
  transition up [x < 3] { x += 1; }
}
property low [never] : x > 3;
property small [invariant] : x < 3;
property range [bounds] : x;
property known [atom] : x == 1;
"""
STUCK = "byte x; process P { state a; init a; trans a -> a { guard x < 1; effect x = 1; }; }\n"
LARGE = """\
gal large {
  array[30] a;
  typedef I = 0..29;
  transition t(I $i) [a[$i] < 1000] { a[$i] += 1; a[($i + 7) % 30] += a[$i] % 3; }
}
property far [never] : a[0] == 999 && a[13] == 777;
"""


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest_inprocess("-p", "plait.pytest_plugin", *arguments)


@pytest.fixture
def counter(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makefile(".gal", counter=COUNTER)
    return pytester


def test_each_property_is_a_test(counter: pytest.Pytester) -> None:
    result = run(counter, "--plait", "-v")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        ["counter.gal::low PASSED*", "counter.gal::small FAILED*", "counter.gal::range PASSED*"]
    )


def test_a_violation_fails_with_its_trace_and_nothing_else(counter: pytest.Pytester) -> None:
    result = run(counter, "--plait")
    result.stdout.fnmatch_lines(
        [
            "*_ small _*",
            "small is violated: a trace of 3 steps, replayed on the model",
            "    0  initial state",
            "    1  up             line 3  x: 0 → 1",
            "  in the last state this is not true:",
            "    x < 3   (x = 3)",
            "FAILED counter.gal::small - *small is violated*",
        ]
    )
    result.stdout.no_fnmatch_line("*pytest_plugin*")


def test_nothing_is_collected_unasked(counter: pytest.Pytester) -> None:
    run(counter).assert_outcomes()
    run(counter, "counter.gal").assert_outcomes()


def test_a_setting_chooses_the_files(counter: pytest.Pytester) -> None:
    counter.mkdir("models")
    (counter.path / "models" / "stuck.dve").write_text(STUCK + "system async;")
    (counter.path / "models" / "other.dve").write_text("no model at all")
    counter.makeini("[pytest]\nplait_files = models/st*.dve")
    result = run(counter, "-v")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["models/stuck.dve::deadlock FAILED*"])
    counter.makeini("[pytest]\nplait_files = c*.gal stuck.dve")
    run(counter).assert_outcomes(passed=2, failed=2)


def test_one_property_can_be_chosen(counter: pytest.Pytester) -> None:
    run(counter, "--plait", "counter.gal::low").assert_outcomes(passed=1)
    run(counter, "--plait", "-k", "range").assert_outcomes(passed=1, deselected=2)


def test_what_is_unknown_fails_with_its_reason(pytester: pytest.Pytester) -> None:
    pytester.makefile(".gal", large=LARGE)
    result = run(pytester, "--plait", "--plait-timeout", "0.3")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["far is unknown: out of time"])
    pytester.makeini("[pytest]\nplait_timeout = 0.3")
    run(pytester, "--plait").assert_outcomes(failed=1)


@pytest.mark.parametrize("wrong", ["0", "soon"])
def test_a_limit_that_is_none_is_refused(wrong: str, counter: pytest.Pytester) -> None:
    counter.makeini(f"[pytest]\nplait_timeout = {wrong}")
    result = run(counter, "--plait")
    result.stdout.fnmatch_lines(["*plait_timeout is not a positive number of seconds*"])


def test_a_wrong_model_is_an_error_with_its_place(pytester: pytest.Pytester) -> None:
    pytester.makefile(".gal", wrong="gal g { int x = ; }")
    result = run(pytester, "--plait")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*wrong.gal:1:17: error: *", "1 | gal g { int x = ; }", "*^*"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_reports_know_bounds_and_counterexamples(counter: pytest.Pytester) -> None:
    report = counter.path / "report.xml"
    run(counter, "--plait", "--junitxml", str(report))
    text = report.read_text()
    assert '<property name="bounds" value="0..3"' in text
    assert '<property name="counterexample"' in text


def test_reports_know_what_holds_in_vain(pytester: pytest.Pytester) -> None:
    text = COUNTER + "property vain [invariant] : x == 9 -> x == 8;\n"
    pytester.makefile(".gal", counter=text)
    run(pytester, "--plait", "--junitxml=report.xml", "-k", "vain").assert_outcomes(
        passed=1, deselected=3
    )
    report = (pytester.path / "report.xml").read_text()
    note = "vain holds vacuously: its premise is true in no reachable state: x == 9"
    assert f'<property name="note" value="{note}" />' in report


def test_other_tests_run_as_ever(counter: pytest.Pytester) -> None:
    counter.makepyfile(
        """
        import plait
        import pytest

        def test_holds():
            system = plait.load("counter.gal")
            assert plait.assert_holds(system, "low").verdict == "true"
            plait.assert_holds(system, "AG EF x == 3")

        def test_does_not():
            with pytest.raises(AssertionError, match="a trace of 3 steps"):
                plait.assert_holds(plait.load("counter.gal"), "small")

        def test_is_unknown():
            system = plait.load("counter.gal")
            with pytest.raises(TypeError, match="asks for a number"):
                plait.assert_holds(system, "range")
        """
    )
    run(counter, "--plait").assert_outcomes(passed=5, failed=1)


def test_whoever_has_it_installed_imports_no_engine() -> None:
    code = (
        "import pytest, sys; before = set(sys.modules); import plait.pytest_plugin;"
        "print(*(set(sys.modules) - before))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ours = {name for name in found.stdout.split() if name.startswith("plait")}
    assert ours == {"plait", "plait.hints", "plait.pytest_plugin"}


def test_it_is_known_to_pytest_by_the_name_of_its_module() -> None:
    """So that loading it by `-p` where it is installed is no clash."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    found = project["entry-points"]["pytest11"]
    assert found == {"plait.pytest_plugin": "plait.pytest_plugin"}
