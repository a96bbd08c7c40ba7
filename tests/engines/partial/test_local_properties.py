"""Local properties on a breadth-first reduced graph: AReduce of Alur, Brayton and others (1997)."""

from plait.engines import Budget, check, states
from plait.engines.explicit.reduction import Reduction
from plait.lang.milestones import parse
from plait.logic.parse import parse_formula
from plait.models import producers_consumers
from plait.reference import Semantics
from plait.testing.choices import Seeded
from plait.testing.random_milestones import program

AREDUCE = Reduction("ps+prov", order="bfs", proviso="queue")
"""Breadth-first: persistent sets, one of whose events leads to a state not expanded yet."""


def test_what_globals_and_one_process_reach_is_decided_breadth_first() -> None:
    """Every combination of a global and of a counter of a process, reached or not.

    covers: M102
    """
    smaller = 0
    verdicts: list[str] = []
    for seed in range(40):
        model = parse(program(Seeded(seed), open_values=3, nonlinear=15).text())
        space = states(model, budget=Budget(states=121))
        if not 12 <= space.states <= 120:
            continue
        asked = [
            parse_formula(f"reachable: g0 == {g} && p0[0].pc == {c}", model, name=f"{g} {c}")
            for g in range(2)
            for c in range(2)
        ]
        answers = check(model, asked, engine="explicit", reduction=AREDUCE)
        expected = [Semantics(model).check(p).verdict for p in asked]
        assert [a.verdict for a in answers] == expected, seed
        verdicts += expected
        for a in answers:
            assert a.replayed == (a.verdict == "true")
            seen = a.stats.get("states")
            smaller += a.verdict == "false" and isinstance(seen, int) and seen < space.states
    assert smaller >= 3, "some were decided on fewer states"
    assert {"true", "false"} == set(verdicts)


def test_a_local_property_of_producers_takes_few_states() -> None:
    """covers: M102"""
    model = producers_consumers(2)
    asked = parse_formula("never: mutex == 0 && prod[0].pc == 11", model)
    (whole,) = check(model, [asked], engine="explicit")
    (less,) = check(model, [asked], engine="explicit", reduction=AREDUCE)
    assert whole.verdict == less.verdict == "true"
    assert isinstance(less.stats["states"], int)
    assert less.stats["states"] < 51_859 // 4
