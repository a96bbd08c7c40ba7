"""A turn that ends with a verdict still shows the way there, in the time of the whole run."""

import pytest

import plait
from plait.engines.budget import Budget
from plait.engines.evidence import Evidence
from plait.engines.prepared import prepare
from plait.engines.request import Request
from plait.engines.rounds import Rounds
from plait.engines.symbolic.engine import Symbolic
from plait.engines.symbolic.reach import Diagrams

TEXT = """
gal g { int x = 0; int y = 0;
  transition a [x < 4] { x = x + 1; }
  transition b [y < 4] { y = y + 1; } }
property full [never] : x == 4 && y == 4;
"""


@pytest.mark.parametrize("whole", [Budget(), Budget(timeout=1000.0)])
def test_a_trace_has_the_time_of_the_run(whole: Budget, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Budget] = []
    limit = Diagrams.limit

    def seen(self: Diagrams, budget: Budget) -> None:
        given.append(budget)
        limit(self, budget)

    monkeypatch.setattr(Diagrams, "limit", seen)
    model = plait.parse(TEXT).model
    engine = Symbolic(model, Evidence(model))
    (answer,) = engine.check(model.properties, Budget(timeout=10.0, memory=1 << 30, whole=whole))
    assert answer.witness is not None
    assert len(answer.witness.steps) == 8
    assert given[-1].timeout == 20.0
    assert given[-1].memory == 1 << 30


def test_turns_know_the_run_that_they_belong_to() -> None:
    model = plait.parse(TEXT).model
    run = Budget(timeout=100.0)
    rounds = Rounds(model, Request(budget=run), lambda: prepare(model, ()))
    turns = dict(rounds.round(1, ["symbolic"]))
    assert turns["symbolic"].whole is run
