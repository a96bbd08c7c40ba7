"""LTL on diagrams: the answers of the reference, and what a limit leaves."""

import pytest
from random_runs import questions

from plait.engines.budget import Budget
from plait.engines.evidence import Evidence
from plait.engines.symbolic_ltl import SymbolicLinear


@pytest.mark.parametrize("with_next", [True, False])
def test_random_formulas_on_random_nets_have_the_answers_of_the_reference(with_next: bool) -> None:
    """Deadlocks, which repeat, and several acceptance sets included."""
    verdicts = {"true": 0, "false": 0}
    ended = several = 0
    for model, asked, expected in questions("diagrams", range(60), with_next=with_next):
        found = SymbolicLinear(Evidence(model)).check(asked, Budget())
        for mine, theirs in zip(found, expected, strict=True):
            assert mine.verdict == theirs.verdict, (mine.property, model)
            verdicts[mine.verdict] += 1
            run = theirs.witness
            ended += run is not None and run.loop == len(run.steps)
            sets = mine.stats["acceptance_sets"]
            several += isinstance(sets, int) and sets > 1
    assert min(verdicts.values()) > 20
    assert ended > 5
    assert several > 5
