"""The language of Milestones (Vander Meulen, 2012): from a text to a `Model`.

Process types with a program counter, instantiated in arrays, over variables of so many bits; they
meet in global actions and share global variables. The variable `v` of the instance `a[0]` is
`a[0].v` in the model, and so are its local actions.
"""

from __future__ import annotations

from pathlib import Path

from plait.errors import Source
from plait.lang.files import read_text
from plait.lang.lexer import tokenize
from plait.lang.milestones.declarations import Declarations
from plait.lang.milestones.expressions import LEXICON
from plait.lang.milestones.translate import translate
from plait.model.types import Model
from plait.model.validate import check


def load(path: str | Path) -> Model:
    """The model in a file, named after the file."""
    path = Path(path)
    return parse(read_text(path), path.stem, path)


def parse(text: str, name: str = "model", path: Path | None = None) -> Model:
    """The model that a text describes; a located `InputError` when it does not."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    source = Source(str(path) if path is not None else name, text, path)
    system = Declarations(tokenize(source, text, LEXICON)).read()
    model = translate(system, name)
    check(model)
    return model


__all__ = ["load", "parse"]
