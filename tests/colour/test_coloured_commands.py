"""The commands on coloured nets."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.colour.nets import (
    DOT,
    arc,
    const,
    document,
    enumeration,
    every,
    op,
    place,
    product,
    transition,
    var,
    variable,
)


def plait(*arguments: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "plait", *arguments], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three variables draw from one place; one examination asks for tokens and transitions."""
    data = document(
        [enumeration("O", 4), *(variable(v, "O") for v in "abc")],
        place("box", "O", every("O")),
        place("sold", "dot"),
        transition("t"),
        transition("dead", op("inequality", var("a"), var("a"))),
        arc("box", "t", op("add", var("a"), var("b"), var("c"))),
        arc("t", "sold", DOT),
        arc("box", "dead", var("a")),
    )
    (tmp_path / "model.pnml").write_bytes(data)
    atoms = {
        "lost": "<tokens-count><place>box</place></tokens-count>",
        "sold": "<tokens-count><place>sold</place></tokens-count>",
    }
    formulas = "".join(
        f"<property><id>{name}</id><formula><exists-path><finally><integer-le>"
        f"<integer-constant>{least}</integer-constant>{atoms[name]}"
        "</integer-le></finally></exists-path></formula></property>"
        for name, least in (("lost", 5), ("sold", 1))
    ) + (
        "<property><id>fire</id><formula><exists-path><finally><is-fireable>"
        "<transition>dead</transition></is-fireable></finally></exists-path></formula></property>"
    )
    file = tmp_path / "ReachabilityCardinality.xml"
    file.write_text(f"<property-set>{formulas}</property-set>")
    return tmp_path


@pytest.mark.parametrize("form", ["auto", "unfolded", "parametric", "separated"])
def test_an_examination_has_one_answer_in_every_form(folder: Path, form: str) -> None:
    status, out, _ = plait("mcc", "ReachabilityCardinality", str(folder), "--colours", form)
    assert status == 0
    found = {line.split()[1]: line.split()[2] for line in out.splitlines()}
    assert found == {"lost": "FALSE", "sold": "TRUE", "fire": "FALSE"}
    assert "FORMULA lost FALSE TECHNIQUES SKELETON" in out
    assert "FORMULA sold TRUE TECHNIQUES SKELETON" not in out


@pytest.mark.parametrize(("form", "lines"), [("auto", 4), ("parametric", 4), ("separated", 3)])
def test_the_state_space_is_that_of_the_unfolded_net(folder: Path, form: str, lines: int) -> None:
    status, out, _ = plait("mcc", "StateSpace", str(folder), "--colours", form)
    assert status == 0
    assert "STATE_SPACE STATES 5 " in out
    assert "STATE_SPACE MAX_TOKEN_IN_PLACE 1 " in out
    assert ("STATE_SPACE TRANSITIONS 24 " in out) == (form != "separated")
    assert len(out.splitlines()) == lines


def test_examinations_without_a_file_speak_of_coloured_places(folder: Path) -> None:
    expected = {
        "OneSafe": "FALSE",
        "StableMarking": "FALSE",
        "QuasiLiveness": "FALSE",
        "Liveness": "FALSE",
        "ReachabilityDeadlock": "TRUE",
    }
    for examination, verdict in expected.items():
        status, out, _ = plait("mcc", examination, str(folder))
        assert status == 0
        assert out.startswith(f"FORMULA {examination} {verdict} ")


def test_converting_to_gal_shows_the_parametric_form(folder: Path) -> None:
    """covers: I110"""
    model = str(folder / "model.pnml")
    status, out, _ = plait("convert", model, "--to", "gal")
    assert status == 0
    assert "transition t(O $a, O $b, O $c)" in out
    status, separated, _ = plait("convert", model, "--to", "gal", "--colours", "separated")
    assert status == 0
    assert 'self."t_a"' in separated
    status, unfolded, _ = plait("convert", model, "--to", "gal", "--colours", "unfolded")
    assert status == 0
    assert "box_3" in unfolded


@pytest.mark.parametrize("form", ["auto", "unfolded", "parametric", "separated"])
def test_a_transition_without_bindings_is_not_live(tmp_path: Path, form: str) -> None:
    """The others go round for ever, and siphons and traps see nothing but them."""
    data = document(
        [enumeration("O", 2), variable("a", "O")],
        place("p", "O", every("O")),
        place("q", "O"),
        transition("go"),
        transition("back"),
        transition("dead", op("inequality", var("a"), var("a"))),
        arc("p", "go", var("a")),
        arc("go", "q", var("a")),
        arc("q", "back", var("a")),
        arc("back", "p", var("a")),
        arc("p", "dead", var("a")),
        arc("dead", "p", var("a")),
    )
    (tmp_path / "model.pnml").write_bytes(data)
    for examination in ("QuasiLiveness", "Liveness"):
        status, out, _ = plait("mcc", examination, str(tmp_path), "--colours", form)
        assert status == 0
        assert out.startswith(f"FORMULA {examination} FALSE ")


@pytest.mark.parametrize(
    ("examination", "said"),
    [
        ("StateSpace", "CANNOT_COMPUTE"),
        ("ReachabilityDeadlock", "FORMULA ReachabilityDeadlock CANNOT_COMPUTE"),
    ],
)
def test_a_net_that_is_too_large_in_all_forms_is_no_wrong_input(
    tmp_path: Path, examination: str, said: str
) -> None:
    data = document(
        [
            enumeration("B", 1000),
            product("B3", "B", "B", "B"),
            *(variable(v, "B") for v in "xyz"),
        ],
        place("p", "B3", op("tuple", const("B0"), const("B0"), const("B0"))),
        transition("t"),
        arc("p", "t", op("tuple", var("x"), var("y"), var("z"))),
        arc("t", "p", op("tuple", op("successor", var("x")), var("y"), var("z"))),
        arc("t", "p", op("tuple", var("x"), op("successor", var("y")), var("z"))),
        arc("t", "p", op("tuple", var("x"), var("y"), op("successor", var("z")))),
    )
    (tmp_path / "model.pnml").write_bytes(data)
    status, out, err = plait("mcc", examination, str(tmp_path))
    assert (status, out.splitlines()) == (3, [said])
    assert "error" not in err


def test_transitions_without_bindings_leave_other_conditions_their_facts(tmp_path: Path) -> None:
    """In the skeleton two dead transitions are two conditions, in the net both are `false`."""
    data = document(
        [enumeration("C", 2), variable("x", "C")],
        place("p", "C", every("C")),
        place("never", "C"),
        *(transition(name) for name in ("t", "one", "two")),
        arc("p", "t", var("x")),
        arc("t", "p", var("x")),
        arc("never", "one", var("x")),
        arc("never", "two", var("x")),
    )
    (tmp_path / "model.pnml").write_bytes(data)

    def fireable(name: str) -> str:
        return f"<is-fireable><transition>{name}</transition></is-fireable>"

    marked = (
        "<exists-path><globally><integer-le><integer-constant>1</integer-constant>"
        "<tokens-count><place>p</place></tokens-count></integer-le></globally></exists-path>"
    )
    reached = "<exists-path><finally>{}</finally></exists-path>"
    until = "<exists-path><until><before>{}</before><reach>{}</reach></until></exists-path>"
    formulas = {
        "two": reached.format(fireable("one")) + reached.format(fireable("two")) + marked,
        "until": until.format(fireable("one"), fireable("two")) + marked,
        "none": reached.format(fireable("one")) + until.format(fireable("two"), fireable("one")),
    }
    properties = "".join(
        f"<property><id>{name}</id><formula><disjunction>{parts}</disjunction></formula></property>"
        for name, parts in formulas.items()
    )
    file = tmp_path / "CTLFireability.xml"
    file.write_text(f"<property-set>{properties}</property-set>")
    status, out, _ = plait("mcc", "CTLFireability", str(tmp_path))
    found = {line.split()[1]: line.split()[2] for line in out.splitlines()}
    assert (status, found) == (0, {"two": "TRUE", "until": "TRUE", "none": "FALSE"})
