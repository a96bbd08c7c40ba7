"""`plait order`: rankings, and orders that are written and read back."""

import json
from itertools import permutations
from pathlib import Path
from random import Random

import pytest
from tests.cli.command import Command

from plait import passes
from plait.engines import states
from plait.engines.symbolic.order_file import read_order, write_order
from plait.engines.symbolic.orders import Order, Orders
from plait.engines.symbolic.tuning import Tuning
from plait.errors import InputError
from plait.lang.gal import parse
from plait.model.net import Net, NetEvent, Place, as_model
from plait.testing.choices import Seeded
from plait.testing.mix import SMALL
from plait.testing.random_models import model as random_model

TEXT = """gal g {
  int a = 0; int b = 0; int constant = 7; array [2] t = (0, 0);
  transition up [a < 3] { a += 1; t[0] = a; }
  transition down [a > 0 && b < constant] { a -= 1; b = t[0]; t[1] = b; }
}"""


def test_the_ranking_is_shown_and_an_order_is_written_and_used(
    plait: Command, philosophers: Path, tmp_path: Path
) -> None:
    """covers: I120"""
    file = tmp_path / "force.order"
    shown = plait("order", philosophers, "--order", "force", "--write", file)
    assert shown.status == 0
    assert shown.out.splitlines()[0].split()[:3] == ["order", "levels", "score"]
    assert shown.out.splitlines()[1].startswith("force")
    used = plait("states", philosophers, "--engine=symbolic", f"--order=file:{file}", "--json=-")
    named = plait("states", philosophers, "--engine=symbolic", "--order=force", "--json=-")
    one, other = json.loads(used.out), json.loads(named.out)
    assert one["stats"]["order"] == f"file:{file}"
    for figure in ("nodes", "peak_nodes"):
        assert one["stats"][figure] == other["stats"][figure]
    assert one["states"] == other["states"]


def test_all_orders_are_in_the_document(plait: Command, philosophers: Path) -> None:
    found = json.loads(plait("order", philosophers, "--json=-").out)["orders"]
    scores = [order["costs"]["score"] for order in found]
    assert len(found) > 10
    assert scores == sorted(scores)


def test_levels_are_read_from_the_top_and_the_rest_comes_below(tmp_path: Path) -> None:
    """`constant` is removed by the passes; a file may name it all the same."""
    model = parse(TEXT, "g.gal")
    flat = passes.flat(model).model
    file = tmp_path / "mine.order"
    file.write_text("# mine\n\nb 't[1]'\nconstant\na\n#END\nnonsense\n", encoding="utf-8")
    cells = ["a", "b", "t[0]", "t[1]"]
    order = read_order(str(file), model, flat)
    assert [[cells[c] for c in level] for level in order.levels] == [
        ["t[0]"],
        ["a"],
        ["b", "t[1]"],
    ]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("a\nb\nsurplus", "3:1", "no variable named 'surplus' in the model"),
        ("a\nb a", "2:3", "'a' has two places"),
        ("a 'b", "1:1", "a quotation without an end"),
    ],
)
def test_a_wrong_file_is_reported_with_its_place(
    text: str, place: str, message: str, tmp_path: Path
) -> None:
    """covers: I120"""
    model = parse(TEXT, "g.gal")
    file = tmp_path / "wrong.order"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as wrong:
        read_order(str(file), model, passes.flat(model).model)
    assert f"{place}: error: {message}" in wrong.value.render()


def test_a_missing_file_is_an_input_error(plait: Command, philosophers: Path) -> None:
    result = plait("states", philosophers, "--engine=symbolic", "--order=file:/nowhere/x")
    assert result.status == 2
    assert "cannot read /nowhere/x" in result.err


@pytest.mark.parametrize("seed", range(12))
def test_any_order_comes_back_from_its_file(seed: int, tmp_path: Path) -> None:
    made = random_model(Seeded(seed), SMALL)
    flat = passes.flat(made).model
    levels = list(Orders(flat).levels("none"))
    Random(seed).shuffle(levels)
    order = Order("any", tuple(levels), {})
    file = tmp_path / "any.order"
    file.write_text("\n".join(write_order(order, flat)), encoding="utf-8")
    assert read_order(str(file), made, flat).levels == order.levels


def test_every_order_from_a_file_counts_the_same_states(tmp_path: Path) -> None:
    model = parse(TEXT, "g.gal")
    flat = passes.flat(model).model
    expected = states(model, engine="explicit").states
    for levels in permutations(Orders(flat).levels("none")):
        file = tmp_path / "one.order"
        file.write_text("\n".join(write_order(Order("one", levels, {}), flat)), encoding="utf-8")
        found = states(model, engine="symbolic", tuning=Tuning(order=f"file:{file}"))
        assert found.states == expected


def test_names_with_any_characters_come_back_from_a_file(tmp_path: Path) -> None:
    """A place of a net may be called anything, and only a line feed ends a line."""
    names = [
        "a b",
        "#END",
        "it's",
        'q"x',
        "\\",
        "u\u2028x",
        "n\x85x",
        "f\x0cx",
        "two\nlines",
        "r\r",
    ]
    places = tuple(Place(name, int(i == 0)) for i, name in enumerate(names))
    events = tuple(NetEvent(f"t{i}", ((i, 1),), ((i + 1, 1),)) for i in range(len(names) - 1))
    flat = passes.flat(as_model(Net("names", places, events))).model
    order = Orders(flat).ranked()[0]
    file = tmp_path / "names.order"
    file.write_bytes("".join(f"{line}\n" for line in write_order(order, flat)).encode())
    assert read_order(str(file), flat, flat).levels == order.levels
