"""T10: the same verdicts, counts and lengths of traces over threads, hashes and repetitions.

Each run is a process of its own, with its own hashes; in it one thread and two say the same of
every model, breadth-first and depth-first. (How long a trace is that two threads find depth-first
depends on their luck, and is not compared.)
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from tests.conftest import ROOT


def run(first: int, count: int, hash_seed: int) -> list[object]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.differential.vary", str(first), str(count)],
        cwd=ROOT,
        env=dict(os.environ) | {"PYTHONHASHSEED": str(hash_seed)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    words: list[object] = json.loads(done.stdout)
    return words


def vary(first: int, count: int, processes: int) -> None:
    expected = run(first, count, 0)
    assert sum(isinstance(wide, list) for _, wide, _ in expected) > count // 3  # type: ignore[misc]
    for hash_seed in range(1, processes):
        assert run(first, count, hash_seed) == expected


def test_runs_of_few_models_do_not_vary() -> None:
    vary(70_000, 8, 2)


@pytest.mark.soak
@pytest.mark.parametrize("first", range(70_000, 70_200, 20))
def test_runs_of_many_models_do_not_vary(first: int) -> None:
    """200 models in all, each in 20 processes on one thread and on two: 8,000 runs, twice."""
    vary(first, 20, 20)
