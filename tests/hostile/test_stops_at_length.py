"""T14 and T16 at length, for every engine: caps of memory, times and signals at random moments.

The explicit searches have their own tests, which also look inside the reading of a model; here are
the engines in which one operation takes for ever: diagrams, the solver's process, the reference,
and the portfolio that runs them.
"""

import random
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.engines.hard import hard
from tests.hostile import test_bounded_stops as solver
from tests.hostile.child import Run, honest, run
from tests.hostile.test_stops import GREEDY, WIDE, document

from plait.lang.gal.printer import print_model

CASES: dict[str, tuple[str, str, Callable[[], str]]] = {
    "diagrams": ("states", "symbolic", lambda: print_model(hard(90, 45).model)),
    "diagrams of wide nodes": ("check", "symbolic", lambda: WIDE),
    "all engines counting": ("states", "auto", lambda: print_model(hard(90, 45).model)),
    "all engines answering": ("check", "auto", lambda: solver.HARD),
    "the solver on products": ("check", "bounded", lambda: solver.HARD),
    "the solver on an array": ("check", "bounded", lambda: solver.WIDE),
    "the reference": ("states", "reference", lambda: GREEDY["philosophers"]),
}
"""What never ends: the command, the engine, the model."""


def stopped(case: str, folder: Path, *options: str, after: tuple[float, int] | None = None) -> Run:
    command, engine, text = CASES[case]
    model = folder / "model.gal"
    model.write_text(text())
    arguments = [command, model, "--engine", engine, *options, "--json", "-"]
    return run(arguments, signal_after=after)


def is_unknown(case: str, result: Run, reason: str) -> None:
    """Nothing was claimed, and the document says why."""
    found = document(result.out, f"{CASES[case][0]}.json")
    if CASES[case][0] == "states":
        assert (found["complete"], found["reason"]) == (False, reason)
    else:
        (answer,) = found["results"]
        assert (answer["verdict"], answer["reason"]) == ("unknown", reason)


@pytest.mark.soak
@pytest.mark.parametrize("megabytes", [64, 128, 256, 512])
@pytest.mark.parametrize("case", CASES)
def test_every_engine_stays_under_its_cap(case: str, megabytes: int, tmp_path: Path) -> None:
    """The cap, a tenth of it and 64 MB are never passed; what is slow to grow has a time."""
    result = stopped(case, tmp_path, "--memory", f"{megabytes}M", "--timeout", "60")
    honest(result)
    assert result.status == 3
    assert result.peak <= (1.1 * megabytes + 64) * 2**20
    told = document(result.out, f"{CASES[case][0]}.json")
    reason = told["reason"] if "reason" in told else told["results"][0]["reason"]
    assert reason in ("memory", "timeout")
    is_unknown(case, result, reason)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("case", CASES)
def test_every_engine_is_gone_soon_after_a_signal(case: str, seed: int, tmp_path: Path) -> None:
    chance = random.Random(f"{case} {seed}")
    delay = chance.uniform(0.15, 6.0)
    number = chance.choice([signal.SIGINT, signal.SIGTERM])
    result = stopped(case, tmp_path, after=(delay, number))
    assert result.status in (130, -number), (result.status, result.err, delay)
    assert "Traceback" not in result.err, (delay, result.err)
    assert result.seconds - delay < 4.0, "two seconds, and as many for a loaded machine"
    if result.out:
        document(result.out, f"{CASES[case][0]}.json")


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("case", CASES)
def test_every_engine_is_gone_soon_after_its_time(case: str, seed: int, tmp_path: Path) -> None:
    seconds = random.Random(f"{case} {seed}").choice([0.05, 0.3, 1.0, 2.0, 4.0])
    result = stopped(case, tmp_path, "--timeout", str(seconds))
    honest(result)
    assert result.status == 3
    assert result.seconds - seconds < 6.0, "start-up, and a loaded machine"
    is_unknown(case, result, "timeout")
