"""Command lines read without `argparse` mean what `argparse` says they mean."""

from __future__ import annotations

import random
from collections.abc import Iterator
from importlib import import_module

import pytest

from plait.cli.main import COMMANDS
from plait.cli.parser import parser
from plait.cli.quick import read
from plait.cli.usage import Parser

VALUES = (
    "auto", "symbolic", "none", "stubborn", "dfs", "walk", "exact", "strict:5", "strict:0", "lazy",
    "blocks:3", "recursive", "machines", "7", "0", "1", "2", "-3", "99999999999999999999", "1.5",
    "2G", "500M", "N=3", "N=x", "a b", "", "-", "--", "é", "٣", "file:x", "m.gal", "--json", "=",
    "none=1", "-x", "@m", "saturation", "local", "ctl", "gal",
)  # fmt: skip


def plain(command: str, words: list[str]) -> dict[str, object] | None:
    found = read(import_module(f"plait.cli.{command}").configure, words)
    return None if found is None else {**vars(found), "command": command}


def judged(command: str, root: Parser, words: list[str]) -> dict[str, object] | None:
    try:
        return vars(root.parse_args([command, *words]))
    except SystemExit:
        return None


def lines(seed: int, flags: list[str]) -> Iterator[list[str]]:
    """Lines with these options, with some values, in all spellings."""
    choose = random.Random(seed)
    for _ in range(300):
        line = ["m.gal"] if choose.random() < 0.8 else []
        for _ in range(choose.randrange(4)):
            flag, value = choose.choice(flags), choose.choice(VALUES)
            option = [[flag, value], [f"{flag}={value}"], [flag], [value], [f"{flag}{value}"]]
            line += choose.choices(option, weights=(12, 4, 2, 1, 1))[0]
        if choose.random() < 0.3:
            choose.shuffle(line)
        yield line


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_read_quickly_is_read_alike(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    root = parser(command)
    known = root._subparsers
    assert known is not None
    choices = known._group_actions[0].choices
    assert choices is not None
    flags = [n for a in dict(choices)[command]._actions for n in a.option_strings]
    accepted = 0
    for line in lines(COMMANDS.index(command), flags):
        found = plain(command, line)
        if found is not None:
            accepted += 1
            assert found == judged(command, root, line), line
    capsys.readouterr()
    # Whose declarations are plain has many plain lines, whose are not has none.
    assert accepted > 20 or plain(command, ["m.gal"]) is None


@pytest.mark.parametrize("command", ["states", "check", "simulate", "dependency", "order"])
def test_plain_lines_are_read_quickly(command: str) -> None:
    line = ["-D", "N=3", "m.gal", "-D", "M=4"]
    found = plain(command, line)
    assert found is not None
    assert found == judged(command, parser(command), line)
    assert found["defines"] == [("N", 3), ("M", 4)]


def test_a_flag_takes_no_value() -> None:
    assert plain("states", ["m.gal", "-q"]) is not None
    assert plain("states", ["m.gal", "--quiet=yes"]) is None
    assert plain("states", ["m.gal", "--help"]) is None


def test_two_minuses_as_a_value_are_left_to_the_other_reader() -> None:
    assert plain("check", ["m.gal", "--fair=-1 < x"]) is not None
    assert plain("check", ["m.gal", "--fair=--"]) is None
