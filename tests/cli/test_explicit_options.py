"""Options of the explicit engine: `--threads`, `--store`."""

import re

import pytest
from tests.cli.command import Command
from tests.conftest import ROOT

from plait.engines.explicit.method import STORES

PHILOSOPHERS = ROOT / "examples" / "philosophers.gal"


def test_the_command_says_what_an_approximate_search_has_shown(plait: Command) -> None:
    for store in STORES:
        result = plait("check", PHILOSOPHERS, "-D", "N=4", "-f", "deadlock", "--store", store)
        assert result.status == 1
        assert "replayed on the model" in result.out
        result = plait(
            "check", PHILOSOPHERS, "-D", "N=4", "-f", "left[0] <= 1", "--store", store,
            "--fingerprint", "12",
        )  # fmt: skip
        exact = store in ("exact", "tree", "automaton")
        assert result.status == (0 if exact else 3)
        assert ("approximate search: no violation in" in result.out) == (not exact)
        result = plait("states", PHILOSOPHERS, "-D", "N=4", "--store", store)
        assert result.status == (0 if exact else 3)
        assert ("at least" in result.out) == (not exact)


@pytest.mark.parametrize(
    "wrong",
    [
        ("--store", "magic"),
        ("--fingerprint", "7"),
        ("--fingerprint", "65"),
        ("--hashes", "0"),
        ("--threads", "0"),
        ("--threads", "1000000"),
    ],
)
def test_senseless_values_are_refused(plait: Command, wrong: tuple[str, str]) -> None:
    assert plait("states", PHILOSOPHERS, *wrong).status == 2


def test_other_searches_are_chosen_on_the_command_line(plait: Command) -> None:
    ask = ("check", PHILOSOPHERS, "-D", "N=4", "-f", "deadlock")
    for search in (
        ("--search", "deepening"),
        ("--search", "walk", "--seed", "5"),
        ("--cache", "500"),
    ):
        result = plait(*ask, *search)
        assert result.status == 1
        assert "replayed on the model" in result.out
    result = plait("check", PHILOSOPHERS, "-D", "N=4", "-f", "left[0] <= 1", "--search", "walk")
    assert result.status == 3
    assert re.search(r"random walks: no violation in [1-9][0-9,]* steps", result.out)
    assert plait("states", PHILOSOPHERS, "--search", "walk").status == 2
