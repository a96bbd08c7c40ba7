"""Files that hold no model, or more of one than anybody wrote by hand (T20)."""

import os
from pathlib import Path

from tests.cli.command import Command


def test_what_is_no_ordinary_file_is_refused_at_once(plait: Command, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.gal"
    os.mkfifo(pipe)
    sparse = tmp_path / "sparse.gal"
    with sparse.open("wb") as file:
        file.truncate(5 * 2**30)
    loop = tmp_path / "loop.gal"
    loop.symlink_to(loop)
    messages = {
        tmp_path: "it is a folder",
        tmp_path / "missing.gal": "No such file or directory",
        pipe: "it is not an ordinary file",
        Path("/dev/zero"): "it is not an ordinary file",
        sparse: "it is larger than 2 GiB",
        loop: "Too many levels of symbolic links",
    }
    for path, message in messages.items():
        result = plait("check", path)
        assert (result.status, result.out) == (2, "")
        assert result.err == f"error: cannot read {path}: {message}\n"


def test_a_file_of_no_language_is_read_as_gal_and_its_errors_say_so(
    plait: Command, tmp_path: Path
) -> None:
    file = tmp_path / "model.txt"
    file.write_text("MODULE main\n")
    result = plait("check", file)
    assert result.status == 2
    first, *_, why, known = result.err.splitlines()
    assert first.startswith(f"{file}:1:1: error: ")
    assert why == f"warning: {file} was read as GAL, since its name ends as those of no language do"
    assert ".pnml, .prom, .promela, .sm, .smv, .ta" in known
    file.write_text("gal g { int x; }")
    assert plait("states", file).status == 0


def test_a_file_named_as_one_of_another_language_is_told(plait: Command, tmp_path: Path) -> None:
    net = tmp_path / "net.gal"
    net.write_text("<pnml/>")
    told = plait("check", net).err.splitlines()
    assert told[-2] == f"warning: {net} looks like XML, but its name ends in .gal"
    assert told[-1] == "  the name of a net in PNML ends in .pnml"
    text = tmp_path / "text.pnml"
    text.write_text("gal g { int x; }")
    told = plait("check", text).err.splitlines()
    assert told[-2] == f"warning: {text} does not look like XML, but its name ends in .pnml"
    text.write_text("<pnml>")
    assert "warning" not in plait("check", text).err
    text.write_text("")
    assert "warning" not in plait("check", text).err


def test_who_pipes_a_model_or_checks_a_program_is_told_what_to_do(
    plait: Command, tmp_path: Path
) -> None:
    piped = plait("check", "-")
    assert piped.status == 2
    assert "there is no reading from a pipe" in piped.err
    program = tmp_path / "sample.sm"
    program.write_text("print(1);")
    checked = plait("check", program)
    assert checked.status == 2
    assert "plait smart runs it" in checked.err


def test_a_name_as_long_as_a_file_is_cut_in_messages(plait: Command, tmp_path: Path) -> None:
    model = tmp_path / "long.gal"
    model.write_text(f"gal g {{ int x; transition t [{'y' * 100_000} == 0] {{ x = 1; }} }}")
    result = plait("check", model)
    assert result.status == 2
    assert "undeclared variable 'yyy" in result.err
    assert len(result.err) < 1_000


def test_a_hundred_thousand_levels_are_answered(plait: Command, tmp_path: Path) -> None:
    """T20: parentheses, negations, a sum and a conjunction of a hundred thousand parts."""
    n = 100_000
    total = " + ".join(["x"] * n)
    both = " && ".join(["x <= 1"] * n)
    file = tmp_path / "deep.gal"
    file.write_text(
        f"gal g {{ int x = 0; int y = 0;\n"
        f"transition a [{'!' * n}{'(' * n}x == 0{')' * n}] {{ x = 1; }}\n"
        f"transition b [{both}] {{ y = {total}; x = 0; }}\n"
        f"}}\nproperty p [bounds] : y;\n"
    )
    result = plait("check", file, "-q")
    assert result.status == 0
    assert "0..100000" in result.out
