"""T14 and T16 for the solver's process: stopped by memory, time or a signal it is soon gone."""

import json
import signal
from pathlib import Path

import pytest
from tests.hostile.child import honest, run

HARD = """gal g { int x = 1; int y = 3; int z;
  transition a [true] { x = x * y + z; z = z ^ x; }
  transition b [x % 7 == 3] { y = y * x * x + 5; }
  transition c [y / 3 > z] { z = z * 1103515245 + 12345; } }
property hit [reachable] : x * x * x + y * z == 123456789 && x > y && y > z && z > 1000;
"""
WIDE = """gal g { array [2000] a; int i; int j; typedef r = 0 .. 9;
  transition t (r $k) [true] { a[i] = a[j] + $k; i = (i * 7 + $k) % 2000; j = (j + i) % 2000; } }
property far [reachable] : a[17] == 45 && a[1999] == 54;
"""


def check(path: Path, *options: str) -> list[str | Path]:
    return ["check", path, "--engine", "bounded", "--json", "-", *options]


@pytest.mark.parametrize(("text", "delay"), [(HARD, 2.0), (WIDE, 1.0)])
def test_a_signal_ends_the_solver_too(text: str, delay: float, tmp_path: Path) -> None:
    model = tmp_path / "model.gal"
    model.write_text(text)
    result = run(check(model), signal_after=(delay, signal.SIGINT))
    assert result.status == 130, result.err
    assert "Traceback" not in result.err
    assert result.seconds - delay < 4.0, "two seconds, and as many for a loaded machine"


def test_time_ends_the_solver_and_what_it_knows_is_told(tmp_path: Path) -> None:
    model = tmp_path / "model.gal"
    model.write_text(HARD)
    result = run(check(model, "--timeout", "2"))
    honest(result)
    assert result.status == 3
    assert result.seconds < 8.0, "start-up, and a loaded machine"
    (answer,) = json.loads(result.out)["results"]
    assert (answer["verdict"], answer["reason"]) == ("unknown", "timeout")


def test_memory_ends_the_solver(tmp_path: Path) -> None:
    model = tmp_path / "model.gal"
    model.write_text(WIDE)
    result = run(check(model, "--memory", "80M"))
    honest(result)
    assert result.status == 3
    (answer,) = json.loads(result.out)["results"]
    assert (answer["verdict"], answer["reason"]) == ("unknown", "memory")
    assert result.peak <= 80e6 * 1.1 + 64e6
