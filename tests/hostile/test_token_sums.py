"""Sums of places that leave the 32-bit integers: in a net they have no end, so there is no answer.

A bound that wrapped around would be a wrong answer with a clean face.
"""

import json
from pathlib import Path

import pytest
from tests.cli.command import Command
from tests.hostile.nets import net

MOST = 2**31 - 1


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """Two places that hold 2^31 tokens together."""
    path = tmp_path / "net.pnml"
    path.write_text(net({"p": MOST, "q": 1}, ["t"], [("q", "t"), ("t", "q")]))
    return path


@pytest.mark.parametrize("engine", ["auto", "reference"])
@pytest.mark.parametrize(
    "question",
    [
        "bounds: p + q",
        "reachable: p + q < 0",
        "never: p + q < 0",
        "p + q >= 0",
        "X (p + q < 0)",
        "AX EX (p + q < 0)",
        "bounds: p + p",
        "bounds: p + p * q",
        "bounds: p << q",
        "reachable: q + 2147483647 < 0",
        "AX (3 - p - q - q > 0)",
        "p + q <= 2147483647",
        "never: p + q > 2147483647",
    ],
)
def test_a_sum_beyond_the_integers_is_unknown(
    plait: Command, large: Path, question: str, engine: str
) -> None:
    result = plait("check", large, "-f", question, "--engine", engine, "--json", "-")
    assert result.status == 3
    (answer,) = json.loads(result.out)["results"]
    assert (answer["verdict"], answer["value"], answer["witness"]) == ("unknown", None, None)
    assert answer["reason"] == "a number of the question leaves the 32-bit integers"
    assert "max" not in answer["stats"]


@pytest.mark.parametrize("question", ["bounds: p", "p >= q", "EX (p == 2147483647)", "deadlock"])
def test_a_question_without_a_sum_is_answered(plait: Command, large: Path, question: str) -> None:
    assert plait("check", large, "-f", question).status == 0


@pytest.mark.parametrize("question", ["p / 2 > 0", "(p & 1) == q", "bounds: p % 7", "p >> q > 1"])
def test_what_makes_numbers_smaller_is_answered(plait: Command, large: Path, question: str) -> None:
    assert plait("check", large, "-f", question).status == 0


def test_products_count_their_factors(plait: Command, tmp_path: Path) -> None:
    """Two factors of 2000 fit, three do not, whether they are tokens or constants."""
    path = tmp_path / "net.pnml"
    path.write_text(net({"p": 2000, "q": 0}, ["t"], [("p", "t"), ("t", "q"), ("q", "t")]))
    small = ["bounds: p * p", "bounds: p * 1000000", "p * (q + 3) >= 0", "p ** 2 > 0"]
    large = ["bounds: p * p * p", "p * 1500000 > 0", "EX p * p * 1000 < 0", "p ** 3 > 0"]
    formulas = [word for text in (*small, *large) for word in ("-f", text)]
    answers = json.loads(plait("check", path, *formulas, "--json", "-").out)["results"]
    assert [a["verdict"] for a in answers] == ["true"] * 4 + ["unknown"] * 4


def test_a_sum_that_fits_is_answered(plait: Command, tmp_path: Path) -> None:
    path = tmp_path / "net.pnml"
    path.write_text(net({"p": MOST - 1, "q": 1}, ["t"], [("q", "t"), ("t", "p")]))
    result = plait("check", path, "-f", "bounds: p + q", "-f", "AX (p + q == 2147483647)")
    assert result.status == 0
    assert "2147483647..2147483647" in result.out


def test_a_place_that_overflows_is_unknown_for_every_question(
    plait: Command, tmp_path: Path
) -> None:
    path = tmp_path / "net.pnml"
    path.write_text(net({"p": 1, "q": MOST}, ["t"], [("p", "t"), ("t", "q")]))
    result = plait("check", path, "-f", "bounds: q", "-f", "EX q > 0", "--json", "-")
    assert result.status == 3
    answers = json.loads(result.out)["results"]
    assert {a["verdict"] for a in answers} == {"unknown"}
    assert all("leaves the 32-bit integers" in a["reason"] for a in answers)


@pytest.mark.parametrize("question", ["q <= 2147483647", "never: q > 2147483647", "AG q < 0 - 1"])
def test_that_places_stay_within_the_integers_is_a_question(
    plait: Command, tmp_path: Path, question: str
) -> None:
    path = tmp_path / "net.pnml"
    path.write_text(net({"p": MOST, "q": MOST}, ["t"], [("p", "t"), ("t", "q")]))
    result = plait("check", path, "-f", question, "--timeout", "2", "--json", "-")
    (answer,) = json.loads(result.out)["results"]
    assert answer["verdict"] != "true"


def test_what_is_decided_before_a_place_overflows_is_answered(
    plait: Command, tmp_path: Path
) -> None:
    path = tmp_path / "net.pnml"
    arcs = [("p", "t"), ("t", "r"), ("r", "u"), ("u", "q")]
    path.write_text(net({"p": 1, "q": MOST, "r": 0}, ["t", "u"], arcs))
    asked = ["reachable: q == 0", "reachable: r == 1", "never: p == 0", "bounds: q"]
    formulas = [word for text in asked for word in ("-f", text)]
    result = plait("check", path, *formulas, "--engine", "explicit", "--json", "-")
    answers = json.loads(result.out)["results"]
    assert [a["verdict"] for a in answers] == ["unknown", "true", "false", "unknown"]
    assert all("leaves the 32-bit integers" in answers[i]["reason"] for i in (0, 3))
    assert all(answers[i]["replayed"] for i in (1, 2))
