"""`--symmetry` on the command line, for models of several languages."""

from pathlib import Path

import pytest
from tests.cli.command import Command

PROMELA = """
byte holder = 255; byte inside;
active [3] proctype P() {
  do
  :: atomic { holder == 255 -> holder = _pid }; inside++; inside--; holder = 255
  od
}
"""
GAL = "gal g { array [3] a = (0, 1, 0); transition t [a[0] == 0] { a[0] = 1; } }"


@pytest.mark.parametrize("engine", ["explicit", "symbolic"])
def test_processes_of_one_program_are_an_orbit_and_the_one_that_holds_is_renumbered(
    engine: str, plait: Command, tmp_path: Path
) -> None:
    """covers: I76"""
    path = tmp_path / "lock.pml"
    path.write_text(PROMELA)
    found = plait("states", path, "--symmetry", "auto", "--engine", engine)
    assert found.status == 0
    assert "4 canonical states stand for 10 states" in found.out
    asked = ["-f", "ltl: G inside <= 1", "-f", "ltl: G inside == 0"]
    found = plait("check", path, "--symmetry", "scalar", "--engine", engine, *asked)
    assert found.status == 1
    assert "replayed on the model" in found.out
    assert "on the quotient by P and what refers to them: scalar set of 3" in found.out


def test_a_model_without_symmetry_is_refused_and_says_why(plait: Command, tmp_path: Path) -> None:
    path = tmp_path / "odd.gal"
    path.write_text(GAL)
    found = plait("states", path, "--symmetry", "auto")
    assert found.status == 2
    assert "no symmetry of the model was found" in found.err


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["--reduction", "sleep"], "without --reduction"),
        (["--depth", "3"], "counts all states"),
    ],
)
def test_what_does_not_go_with_symmetry_is_refused(
    extra: list[str], message: str, plait: Command, tmp_path: Path
) -> None:
    path = tmp_path / "lock.pml"
    path.write_text(PROMELA)
    found = plait("states", path, "--symmetry", "auto", *extra)
    assert found.status == 2
    assert message in found.err


def test_what_a_quotient_is_not_asked_with_is_refused_and_not_ignored(
    plait: Command, philosophers: Path
) -> None:
    line = ("check", philosophers, "--symmetry", "auto", "-p", "free")
    for options in (
        ("--engine", "bounded"),
        ("--depth", "3"),
        ("--repeated",),
        ("--fairness", "weak"),
    ):
        found = plait(*line, *options)
        assert (found.status, found.out) == (2, ""), options
        assert "--symmetry" in found.err
    line = ("states", philosophers, "--symmetry", "auto")
    for options in (("--store", "bitstate"), ("--cache", "5"), ("--search", "walk"),
                    ("--strategy", "partial")):  # fmt: skip
        found = plait(*line, *options)
        assert (found.status, found.out) == (2, ""), options
        assert "a search of its own" in found.err
    assert plait(*line, "--threads", "2", "--memory", "1G").status == 0
