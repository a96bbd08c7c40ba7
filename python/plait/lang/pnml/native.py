"""Reading the PNML that most tools write, natively.

The native reader (`plait._core.PlainNet`, crate `plait-net`) knows place/transition nets with
ordinary and test arcs and the units of NUPN, in well-formed UTF-8. It gives the model that the
reader in Python gives, many times faster, or declines: whatever is wrong, coloured or rare is read
by `plait.lang.pnml.reader`, which understands everything and says what is wrong and where. That
one stays for symmetric nets and for its messages, and is the judge of this one in the tests.
"""

from __future__ import annotations

import os
from functools import partial

from plait._core import PlainNet
from plait.errors import InputError, Source, Span, error
from plait.hints import TYPE_CHECKING
from plait.lang.files import stem
from plait.model.plain import Plain
from plait.model.types import Model, Units

if TYPE_CHECKING:
    from pathlib import Path

_Position = tuple[int, int]


def load(path: str | Path) -> Model | None:
    """The net in a file, or None when it is not plain."""
    if not os.path.isfile(path):
        return None  # what can be read only once is not tried
    core = PlainNet.load(path)
    return None if core is None else _model(core, Source(str(path), path=path), stem(path))


def parse(data: bytes, name: str) -> Model | None:
    """The net in a document held in memory, or None when it is not plain."""
    core = PlainNet.parse(data)
    if core is None:
        return None
    text = data.decode("utf-8").replace("\r\n", "\n")
    return _model(core, Source(name, text), stem(name))


def _model(core: PlainNet, source: Source, default_name: str) -> Model:
    name = core.name or default_name
    units = partial(_units, core, source)
    return Model(name, (Plain(core, source, name, units).type(),), name)


def _units(core: PlainNet, source: Source) -> Units | None:
    section = core.section()
    if section is None:
        return None
    from plait.lang.pnml.nupn import UnitsReader  # who counts states needs no objects of them

    reader = UnitsReader(_Places(source))
    reader.take(section)
    return reader.units(core.place_names())


class _Places:
    """Where things stand in a file that was read."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def position(self) -> _Position:
        """The beginning: nothing is being read."""
        return 1, 1

    def span(self, position: _Position | None = None) -> Span:
        """The span at a place."""
        return Span(self._source, *(position or (1, 1)))

    def error(self, message: str, position: _Position | None = None) -> InputError:
        """An error at a place."""
        return error(message, self.span(position))
