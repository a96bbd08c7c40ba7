"""Options of the explicit engine: `--threads`, `--store`."""

import pytest
from tests.cli.command import Command
from tests.conftest import ROOT

from plait.engines.method import STORES

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
        exact = store in ("exact", "tree")
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
