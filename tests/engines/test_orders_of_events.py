"""LTL of processes in `auto`: either order of the events has a moment, whoever would move first."""

import pytest

import plait
from plait.engines import linear
from plait.engines.budget import Budget
from plait.engines.evidence import Evidence
from plait.engines.explicit.linear import LinearTime
from plait.lang import promela
from plait.model.types import Property
from plait.report.answer import Answer

TEXT = """
byte n;
active proctype Counts() { do :: n < 200 -> n++ :: n == 200 -> n = 0 od }
active proctype Waits() { do :: n == 0 -> skip od }
ltl moves { [] <> n == 1 }
"""


def test_what_one_order_does_not_find_in_its_moment_the_other_may(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    system = plait.System(promela.parse(TEXT, "m"))
    (asked,) = (p for p in system.properties if p.name == "moves")
    orders: list[str] = []
    check = LinearTime.check

    def late_but_for_the_last_first(
        self: LinearTime, properties: list[Property], tell: object = None
    ) -> list[Answer]:
        first = self.evidence.model.system.events[0]
        orders.append(first.process or "")
        if first.process == "Counts_0":
            return [Answer(p, "unknown", "explicit", reason="timeout") for p in properties]
        return check(self, properties)

    monkeypatch.setattr(LinearTime, "check", late_but_for_the_last_first)
    told: list[Answer] = []
    product = LinearTime(Evidence(system.model), Budget(60))
    (answer,) = linear._reduced_later([asked], product, lambda _, a: told.append(a))
    assert orders == ["Counts_0", "Waits_1"]
    assert answer.verdict == "false"
    assert answer.replayed
    assert answer.witness is not None
    assert answer.witness.loop is not None


def test_an_answer_in_the_first_moment_is_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    system = plait.System(promela.parse(TEXT, "m"))
    (asked,) = (p for p in system.properties if p.name == "moves")
    calls = []
    check = LinearTime.check

    def counted(self: LinearTime, properties: list[Property], tell: object = None) -> list[Answer]:
        calls.append(self.budget)
        return check(self, properties)

    monkeypatch.setattr(LinearTime, "check", counted)
    product = LinearTime(Evidence(system.model), Budget(60))
    (answer,) = linear._reduced_later([asked], product, lambda _i, _a: None)
    assert answer.verdict == "false"
    assert len(calls) == 1
