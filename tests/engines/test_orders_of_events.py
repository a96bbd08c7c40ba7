"""LTL of processes in `auto`: either order of the events and a reduction have moments in turn."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import plait
from plait.engines import linear
from plait.engines.budget import Budget
from plait.engines.evidence import Evidence
from plait.engines.explicit.linear import LinearTime
from plait.engines.explicit.reduction import Reduction
from plait.engines.prepared import Prepared, prepare
from plait.lang import promela
from plait.model.types import Model, Property
from plait.records import replace
from plait.report.answer import Answer

TEXT = """
byte n;
active proctype Counts() { do :: n < 200 -> n++ :: n == 200 -> n = 0 od }
active proctype Waits() { do :: n == 0 -> skip od }
ltl moves { [] <> n == 1 }
ltl steps { [] (n == 7 -> X (n == 7 || n == 8)) }
"""
Check = Callable[..., list[Answer]]


def way(product: LinearTime) -> str:
    if product.backwards:
        return "turned"
    return "whole" if product.reduction == Reduction() else "reduced"


def asked(
    monkeypatch: pytest.MonkeyPatch, name: str, answering: str | None
) -> tuple[list[str], Answer]:
    """In which ways the property is asked, and the answer, if only one way comes to one in time."""
    system = plait.System(promela.parse(TEXT, "m"))
    property_ = next(p for p in system.properties if p.name == name)
    ways: list[str] = []
    check: Check = LinearTime.check

    def late(self: LinearTime, properties: list[Property], tell: object = None) -> list[Answer]:
        ways.append(way(self))
        found = check(self, properties)
        if way(self) == answering:
            return found
        return [replace(a, verdict="unknown", reason="timeout", witness=None) for a in found]

    monkeypatch.setattr(LinearTime, "check", late)
    product = LinearTime(Evidence(system.model), Budget(60))
    (answer,) = linear._in_turns([property_], product, lambda _i, _a: None)
    return ways, answer


@pytest.mark.parametrize(
    ("answering", "ways"),
    [
        ("whole", ["whole"]),
        ("reduced", ["whole", "reduced"]),
        ("turned", ["whole", "reduced", "turned"]),
        (None, ["whole", "reduced", "turned"] * 2 + ["reduced", "whole"]),
    ],
)
def test_what_one_way_does_not_find_in_its_moment_another_may(
    monkeypatch: pytest.MonkeyPatch, answering: str | None, ways: list[str]
) -> None:
    found, answer = asked(monkeypatch, "moves", answering)
    assert found == ways
    assert answer.verdict == ("unknown" if answering is None else "false")
    if answering is not None:
        assert answer.replayed
        assert answer.witness is not None
        assert answer.witness.loop is not None


def test_a_reduction_that_leaves_nothing_out_has_no_second_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found, answer = asked(monkeypatch, "steps", None)
    assert found == ["whole", "reduced", "turned", "whole", "turned", "whole"]
    assert answer.reason == "timeout"


def test_the_model_is_made_ready_once_for_all_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Model] = []

    def counted(model: Model, properties: list[Property], budget: Budget) -> Prepared:
        made.append(model)
        return prepare(model, properties, budget)

    monkeypatch.setattr("plait.engines.explicit.linear.prepare", counted)
    asked(monkeypatch, "moves", None)
    assert len(made) == 1
