"""Reductions that lost an error elsewhere, by name (T3): each answer is that of the full search.

LTL on DatabaseWithMutex-PT-02 and on the smaller iprotocol is in `test_published_ltl`.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from plait.engines import Budget, Method, Reduction, check, states
from plait.engines.evidence import Evidence
from plait.engines.explicit.linear import LinearTime
from plait.lang.gal import parse
from plait.lang.promela import parse as parse_promela
from plait.logic.parse import parse_formula

SAFE = (
    Reduction(),
    Reduction("sleep", order="dfs"),
    *(Reduction("ps+prov", name) for name in ("conflicts", "overman", "stubborn", "guards")),
    Reduction("ps+prov", order="dfs"),
    Reduction("ps+sleep+prov", order="dfs"),
    Reduction("stubborn"),
    Reduction("auto"),
)
"""Presets for assertions."""
RUN_AND_ACTIVE = """
init { run f() }

active proctype f() { assert(_pid == 1) }
"""


@pytest.mark.parametrize("reduction", SAFE, ids=str)
def test_an_assertion_about_the_number_of_a_process_waits_for_the_others(
    reduction: Reduction,
) -> None:
    """Spin#78: two processes, one active and one run; whether the second is number 1 or 2 depends
    on whether the first has ended; a reduction that lets the first run alone never sees number 2.
    """
    model = parse_promela(RUN_AND_ACTIVE, "pids")
    answers = check(model, model.properties, engine="explicit", reduction=reduction)
    wrong = [a for a in answers if a.verdict == "false"]
    assert [a.property.name for a in wrong] == ["assertion at line 4 of f"]
    assert all(a.replayed for a in wrong)
    assert all(a.verdict != "unknown" for a in answers)


def test_a_process_takes_the_number_of_an_active_one_that_has_ended() -> None:
    """The same text has 11 states in SPIN, without its reduction; and 16 with another proctype."""
    assert states(parse_promela(RUN_AND_ACTIVE, "pids"), engine="explicit").states == 11
    other = "init { run g() } active proctype f() { skip } proctype g() { assert(_pid > 0); skip }"
    assert states(parse_promela(other, "pids"), engine="explicit").states == 16


def test_several_threads_find_it_as_well() -> None:
    model = parse_promela(RUN_AND_ACTIVE, "pids")
    for preset in ("none", "ps+prov"):
        method = Method(threads=2, alone=0)
        reduction = Reduction(preset, order="dfs")
        answers = check(
            model, model.properties, engine="explicit", reduction=reduction, method=method
        )
        wrong = [a.property.name for a in answers if a.verdict == "false"]
        assert wrong == ["assertion at line 4 of f"]


@pytest.mark.parametrize("reduction", ["none", "stubborn"])
def test_the_cycle_of_the_largest_iprotocol_is_found_with_and_without_reduction(
    reduction: str, data: Path
) -> None:
    """ltsmin#222 on iprotocol.6 itself, in Promela: `<>[] !consume`."""
    text = (data / "promela" / "beem-its" / "iprotocol.6.pml").read_text()
    model = parse_promela(text + "\nltl lost { <> [] !(Consumer@consume) }\n", "iprotocol")
    asked = [p for p in model.properties if p.name == "lost"]
    product = LinearTime(Evidence(model), Budget(timeout=120), reduction=Reduction(reduction))
    (answer,) = product.check(asked)
    assert (answer.verdict, answer.replayed) == ("false", True)


FORMULAS = (
    "F G p == 0",
    "G F p == 1",
    "F p == 1",
    "G (p == 1 -> F p == 0)",
    "F (p == 1 && F (p == 0 && F G p == 1))",
    "G (p == 0 || F G p == 1)",
    "(p == 0 U p == 1) || G p == 0",
    "G F p == 0 && G F p == 1",
)
EDGES = ((0, 0), (0, 1), (1, 0), (1, 1))


def _cyclic_pairs(count: int) -> list[str]:
    """Pairs of processes with two places each, every choice of their edges; one may change `p`.

    The least program on which the algorithm of 1996 is wrong has this form (Siegel, CAV 2019): an
    independent cycle beside a process whose visible step one location of the automaton waits for.
    """
    choices = [c for size in (1, 2, 3) for c in itertools.combinations(EDGES, size) if (0, 1) in c]
    texts = []
    for first, second in itertools.product(choices, choices):
        for visible in ((1,), (0, 1), (1, 0)):
            lines = ["gal pair { int a = 0; int b = 0; int p = 0;"]
            for process, edges in (("a", first), ("b", second)):
                for start, end in edges:
                    shown = f"p = {visible[end % len(visible)]};" if process == "b" else ""
                    lines.append(
                        f"transition {process}{start}{end} [{process} == {start}]"
                        f" {{ {process} = {end}; {shown} }}"
                    )
            texts.append("\n".join([*lines, "} main pair;"]))
    return texts[:: max(1, len(texts) // count)]


def _compare(texts: list[str]) -> int:
    compared = 0
    for text in texts:
        model = parse(text, "pair")
        asked = [parse_formula(f"ltl: {f}", model) for f in FORMULAS]
        full, reduced = (
            LinearTime(Evidence(model), Budget(), reduction=Reduction(name)).check(asked)
            for name in ("none", "stubborn")
        )
        verdicts = [a.verdict for a in full]
        assert [a.verdict for a in reduced] == verdicts, text
        assert all(a.replayed for a in reduced if a.verdict == "false")
        compared += len(verdicts)
    return compared


def test_small_cyclic_programs_have_the_same_answers_under_reduction() -> None:
    """The scope in which Siegel's counterexamples were found, a sample of it."""
    assert _compare(_cyclic_pairs(12)) >= 90


@pytest.mark.soak
def test_all_small_cyclic_programs_have_the_same_answers_under_reduction() -> None:
    assert _compare(_cyclic_pairs(10**6)) > 1000
