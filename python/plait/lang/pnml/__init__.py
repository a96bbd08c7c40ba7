"""PNML, the interchange format of Petri nets: place/transition nets in and out.

Plain nets are read natively (`native`), all others, and whatever is wrong, in Python (`reader`).
"""

from __future__ import annotations

from plait.colour.forms import Form
from plait.hints import TYPE_CHECKING
from plait.lang.pnml import native

if TYPE_CHECKING:
    from pathlib import Path

    from plait.colour.net import ColouredNet
    from plait.model.types import Model

__all__ = ["load", "load_net", "parse", "parse_net", "print_model"]


def load(path: str | Path, form: Form = "auto") -> Model:
    """The net in a file; `InputError` says where and why it cannot be had.

    `form` says what becomes of a coloured net.
    """
    plain = native.load(path)
    if plain is not None:
        return plain
    from pathlib import Path

    from plait.lang.pnml import reader

    return reader.load(Path(path), form)


def parse(data: bytes, name: str, form: Form = "auto") -> Model:
    """The net in a document held in memory; `name` stands in messages for the file's."""
    plain = native.parse(data, name)
    if plain is not None:
        return plain
    from plait.lang.pnml import reader

    return reader.parse(data, name, form)


def load_net(path: str | Path) -> Model | ColouredNet:
    """The net in a file as it is there: a coloured one with its colours."""
    plain = native.load(path)
    if plain is not None:
        return plain
    from pathlib import Path

    from plait.lang.pnml import reader

    return reader.load_net(Path(path))


def parse_net(data: bytes, name: str) -> Model | ColouredNet:
    """The net in a document held in memory, a coloured one with its colours."""
    plain = native.parse(data, name)
    if plain is not None:
        return plain
    from plait.lang.pnml import reader

    return reader.parse_net(data, name)


def print_model(model: Model) -> str:
    """The net as PNML; see `plait.lang.pnml.writer`, which reading does not need."""
    from plait.lang.pnml import writer

    return writer.print_model(model)
