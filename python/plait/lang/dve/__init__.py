"""DVE, the language of DiVinE and of the BEEM benchmarks: from a text to a `Model`.

Each process has a variable `P.state` for its state, its own variables are `P.x`, and the condition
`P.s` says that it is in state `s`; properties may use all three.
"""

from __future__ import annotations

from pathlib import Path

from plait.errors import Source
from plait.lang.dve.declarations import LEXICON, Declarations, ProcessText, SystemText
from plait.lang.dve.expressions import DveExpressions
from plait.lang.dve.translate import translate
from plait.lang.files import read_text
from plait.lang.lexer import tokenize
from plait.model.expr import IntExpr
from plait.model.types import Model
from plait.model.validate import check


def load(path: str | Path) -> Model:
    """The model in a DVE file, named after the file."""
    path = Path(path)
    return parse(read_text(path), path.stem, path)


def parse(text: str, name: str = "model", path: Path | None = None) -> Model:
    """The model that a DVE text describes; a located `InputError` when it does not."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    source = Source(str(path) if path is not None else name, text, path)
    tokens = tokenize(source, text, LEXICON)

    def constant(system: SystemText, process: ProcessText | None) -> IntExpr:
        return DveExpressions(tokens, system, process).number()

    system = Declarations(tokens, constant).read()
    model = translate(system, tokens, name)
    check(model)
    return model


__all__ = ["load", "parse"]
