"""Several threads, one result (T10): counts, verdicts and traces over threads and repetitions."""

import json
from pathlib import Path

import pytest
from tests.cli.command import start, wait_until_busy
from tests.conftest import ROOT

from plait.engines import Budget, Method, check, states
from plait.errors import InputError
from plait.lang import load
from plait.model.types import Model, Property
from plait.report.answer import Answer

PHILOSOPHERS = ROOT / "examples" / "philosophers.gal"


def philosophers(n: int) -> Model:
    return load(PHILOSOPHERS).with_constants({"N": n})


def figures(model: Model, method: Method) -> dict[str, object]:
    space = states(model, engine="explicit", method=method)
    left_out = ("store_bytes", "compiled_events", "compiled_bytes", "compile_seconds")
    return {"complete": space.complete} | {
        name: value for name, value in space.stats.items() if name not in left_out
    }


@pytest.mark.parametrize("n", [3, 8])
def test_figures_do_not_depend_on_the_threads(n: int) -> None:
    model = philosophers(n)
    expected = figures(model, Method(threads=1))
    for threads in (2, 3, 8) * 4:
        assert figures(model, Method(threads=threads, alone=0)) == expected
    assert figures(model, Method()) == expected


def test_the_same_trace_is_found_on_any_number_of_threads() -> None:
    model = philosophers(8)
    asked = [Property("deadlock", kind="deadlock"), *model.properties]

    def answers(method: Method) -> list[tuple[object, ...]]:
        found = check(model, asked, engine="explicit", method=method)
        return [(a.verdict, a.witness, a.replayed) for a in found if _searched(a)]

    expected = answers(Method(threads=1))
    assert any(witness for _, witness, _ in expected)
    for threads in (2, 3) * 5:
        assert answers(Method(threads=threads, alone=0)) == expected


def _searched(answer: Answer) -> bool:
    return answer.engine == "explicit"


def test_a_limit_of_memory_or_time_stops_all_threads() -> None:
    model = philosophers(24)
    method = Method(threads=2, alone=1000)
    space = states(model, engine="explicit", method=method, budget=Budget(timeout=0.5))
    assert (space.complete, space.reason) == (False, "timeout")
    space = states(model, engine="explicit", method=method, budget=Budget(states=100_000))
    assert (space.states, space.reason) == (100_000, "states")


def test_control_c_stops_all_threads(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    process = start(
        "states", PHILOSOPHERS, "-D", "N=24", "--engine", "explicit", "--threads", "3",
        "--json", file,
    )  # fmt: skip
    wait_until_busy(process)
    process.send_signal(2)
    process.communicate(timeout=20)
    assert process.returncode == 130
    assert json.loads(file.read_text())["reason"] == "interrupted"


@pytest.mark.parametrize("threads", [0, -1, 10**6])
def test_a_senseless_number_of_threads_is_refused(threads: int) -> None:
    with pytest.raises(InputError, match="threads"):
        Method(threads=threads)
