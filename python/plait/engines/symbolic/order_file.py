"""Variable orders in files: one level a line, the top one first.

    #TYPE philosophers
    philosopher[0].state
    fork[0] fork[1]
    #END

The names are those that traces show, quoted as in a shell where they hold blanks; those on one line
share a level. Other lines that begin with `#` are comments. A cell that the passes have removed may
stand in a file, and cells that a file does not name come below all others, in declared order, so
that an order outlives small changes of its model. A name that the model does not have is an error.
A file of groups in JSON (`plait.lang.parts`) is an order, too: a level for each name, in the order
of the file. Either kind of file says how a model is cut into parts, by its lines or groups.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from plait.engines.symbolic.orders import LARGEST_LEVEL, Levels, Order
from plait.errors import Source, Span, error
from plait.lang import parts
from plait.lang.files import read_text
from plait.model.shape import shape_of
from plait.model.types import Model
from plait.passes.decompose import Part
from plait.records import replace

LONGEST_NAME = 20
"""The most lines of a name."""


def write_order(order: Order, flat: Model) -> Iterator[str]:
    """The lines of a file with this order of a flat model."""
    names = [_quoted(name) for name in shape_of(flat).cells()]
    yield f"#TYPE {flat.name}"
    for level in reversed(order.levels):
        yield " ".join(names[cell] for cell in level)
    yield "#END"


def read_order(path: str, model: Model, flat: Model) -> Order:
    """The order in a file; `flat` is what the passes made of the model."""
    numbers = {name: number for number, name in enumerate(shape_of(flat).cells())}
    known = numbers.keys() | set(shape_of(model).cells())
    if _is_json(path):
        listed = [(name,) for name in parts.load(path, known).names()]
        return replace(order_of(listed, flat), name=f"file:{path}")
    source = Source(path, read_text(Path(path)))
    placed: dict[int, int] = {}
    levels: list[tuple[int, ...]] = []
    for line, names in _lines(source):
        level = []
        for name in names:
            if name not in known:
                raise error(f"no variable named '{name}' in the model", _span(source, line, name))
            if name not in numbers:
                continue
            cell = numbers[name]
            if cell in placed:
                hint = f"it stands in line {placed[cell]} already"
                raise error(f"'{name}' has two places", _span(source, line, name), hint)
            placed[cell] = line
            level.append(cell)
        if len(level) > LARGEST_LEVEL:
            message = f"at most {LARGEST_LEVEL} variables share a level"
            raise error(message, _span(source, line, names[0]))
        if level:
            levels.append(tuple(level))
    levels.extend((cell,) for cell in numbers.values() if cell not in placed)
    return Order(f"file:{path}", _bottom_first(levels), {})


def order_of(levels: Sequence[Sequence[str]], flat: Model) -> Order:
    """The order with these variables on its levels, top first; all others below, each by itself."""
    numbers = {name: number for number, name in enumerate(shape_of(flat).cells())}
    cells = [tuple(numbers.pop(n) for n in level if n in numbers) for level in levels]
    cells += [(cell,) for cell in numbers.values()]
    return Order("given", _bottom_first([level for level in cells if level]), {})


def parts_in_file(path: str, model: Model, flat: Model) -> Part:
    """How a file cuts a flat model into parts: the groups of JSON, or a part for each line."""
    names = list(shape_of(flat).cells())
    if _is_json(path):
        return parts.load(path, {*names, *shape_of(model).cells()}, flat.name).part()
    levels = enumerate(reversed(read_order(path, model, flat).levels))
    lines = (Part(f"part{k}", tuple(names[c] for c in level)) for k, level in levels)
    return Part(flat.name, (), tuple(lines))


def _is_json(path: str) -> bool:
    return path.lower().endswith(".json")


def _quoted(name: str) -> str:
    plain = name and not any(c.isspace() or c in "'\"\\" for c in name) and name[0] != "#"
    return name if plain else shlex.quote(name)


def _bottom_first(levels: list[tuple[int, ...]]) -> Levels:
    return tuple(reversed(levels))


def _lines(source: Source) -> Iterator[tuple[int, list[str]]]:
    """The names in each line, up to `#END`."""
    assert source.text is not None
    # Only a line feed ends a line: a name may hold what else Python takes for an end.
    lines = source.text.split("\n")
    number = 0
    while number < len(lines):
        first, line = number + 1, lines[number].removesuffix("\r")
        number += 1
        if line.startswith("#END"):
            return
        if line.startswith("#"):
            continue
        names = _names(line)
        while names is None and number < min(first + LONGEST_NAME, len(lines)):
            line, number = f"{line}\n{lines[number]}", number + 1
            names = _names(line)
        if names is None:
            raise error("a quotation without an end", Span(source, first, 1))
        if names:
            yield first, names


def _names(line: str) -> list[str] | None:
    """The names in a line; None when a quotation does not end there."""
    if not any(c in line for c in "'\"\\"):
        return line.split()
    try:
        return shlex.split(line)
    except ValueError:
        return None


def _span(source: Source, number: int, name: str) -> Span:
    line = source.line(number) or ""
    return Span(source, number, max(line.find(name), 0) + 1, len(name))
