"""The input language of NuSMV: from a text to a `Model`.

Modules are unfolded into one system (`instances`), expressions get their meaning (`evaluate`), and
the synchronous step becomes statements one after the other (`steps`). A variable `x` of a part `p`
is `p.x` in the model. Formulas about the model are read in the same language.
"""

from __future__ import annotations

from pathlib import Path

from plait.errors import Source
from plait.lang.files import read_text
from plait.lang.smv.declarations import read_modules
from plait.lang.smv.flatten import Flat
from plait.lang.smv.instances import System
from plait.lang.smv.properties import Properties, kind_of, read_formula
from plait.lang.smv.translate import translate
from plait.model.types import Model, Property, PropertyKind
from plait.model.validate import check
from plait.records import dataclass, replace


def load(path: str | Path) -> Model:
    """The model in a file, named after the file."""
    path = Path(path)
    return parse(read_text(path), path.stem, path)


def parse(text: str, name: str = "model", path: Path | None = None) -> Model:
    """The model that a text describes; a located `InputError` when it does not."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    model, _ = _translated(text, name, path)
    check(model)
    return replace(model, formulas=Formulas(text, name))


def _translated(text: str, name: str, path: Path | None) -> tuple[Model, Properties]:
    source = Source(str(path) if path is not None else name, text, path)
    return translate(Flat(System(read_modules(source, text))), name)


@dataclass(frozen=True, slots=True)
class Formulas:
    """Reads formulas about the model of a text."""

    text: str
    name: str

    def read(self, text: str, name: str, source: str, kind: PropertyKind | None) -> Property:
        """The property that a text states, in the words of `main`."""
        if text.strip() in ("deadlock", "deadlock:", "deadlock: deadlock"):
            return Property(name, "deadlock")
        found = read_formula(Source(source, text), text)
        _, properties = _translated(self.text, self.name, None)
        main = properties.flat.system.main
        asked = kind or found.kind or kind_of(found.formula)
        made = properties.property(name, asked, found.formula, main, found.span)
        return replace(made, text=found.text)


__all__ = ["load", "parse"]
