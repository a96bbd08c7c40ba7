"""LTL against the published answers of the Model Checking Contest, on the native product.

Formulas that are safety in disguise go the same way here. Every run that is found is replayed.
"""

from pathlib import Path

import pytest
from tests.conftest import DATA
from tests.engines.test_published import published, spaces

from plait.engines import Budget, Reduction
from plait.engines.evidence import Evidence
from plait.engines.explicit.linear import LinearTime
from plait.lang import load
from plait.logic.mcc import load_properties
from plait.logic.parse import parse_formula

EXAMINATIONS = ("LTLCardinality", "LTLFireability")
QUICK = [
    "DatabaseWithMutex-PT-02",
    "LamportFastMutEx-COL-2",
    "Philosophers-PT-000005",
]


def agree(model: str, reduction: str) -> None:
    """No answer is wrong, and there is one for each formula."""
    folder = DATA / "mcc" / model
    net = load(folder / "model.pnml")
    compared = 0
    for examination in EXAMINATIONS:
        asked = [p for p in load_properties(folder / f"{examination}.xml", net) if p.kind == "ltl"]
        product = LinearTime(Evidence(net), Budget(), reduction=Reduction(reduction))
        expected = published("mcc")[model, examination]
        for answer in product.check(asked):
            name = answer.property.name
            assert answer.verdict.upper() == expected.get(name, answer.verdict.upper()), name
            assert answer.replayed == (answer.verdict == "false")
            compared += name in expected
    assert compared > 20


@pytest.mark.parametrize("reduction", ["none", "stubborn"])
@pytest.mark.parametrize("model", [m for m in spaces("mcc", 0, 10_000) if m in QUICK])
def test_the_contest_agrees_on_ltl(model: str, reduction: str) -> None:
    """DatabaseWithMutex-PT-02 under reduction is the case of ltsmin#169 (T3)."""
    agree(model, reduction)


@pytest.mark.soak
@pytest.mark.parametrize("reduction", ["none", "stubborn"])
@pytest.mark.parametrize("model", spaces("mcc", 0, 100_000))
def test_the_contest_agrees_on_ltl_of_every_smaller_net(model: str, reduction: str) -> None:
    agree(model, reduction)


@pytest.mark.parametrize("reduction", ["none", "stubborn"])
def test_the_cycle_of_iprotocol_is_found_with_and_without_reduction(
    reduction: str, data: Path
) -> None:
    """The case of ltsmin#222: `<>[] !consume`, whose counterexample a reduction lost (T3)."""
    model = load(data / "beem-dve" / "dve" / "iprotocol.1.dve")
    asked = [
        parse_formula(f"ltl: {formula}", model)
        for formula in ("F G !(Consumer.consume)", "G F Consumer.consume", "F Consumer.consume")
    ]
    product = LinearTime(Evidence(model), Budget(), reduction=Reduction(reduction))
    answers = product.check(asked)
    assert [a.verdict for a in answers] == ["false"] * 3
    assert all(a.replayed for a in answers)
    assert all(("reduced_states" in a.stats) == (reduction != "none") for a in answers)
