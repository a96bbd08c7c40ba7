"""Networks of timed automata in Uppaal's textual format (`.xta`, `.ta`), on discrete time.

(Larsen, Pettersson, Yi: "Uppaal in a nutshell", 1997; the language is that of Uppaal's manual, as
far as docs/languages/xta.md says.) Templates with parameters become processes; the variable `v` of
the process `P` is `P.v` in the model, and `P.s` is the condition that it is in the location `s`.
"""

from __future__ import annotations

from pathlib import Path

from plait.errors import Source
from plait.hints import cast
from plait.lang.files import read_text
from plait.lang.lexer import tokenize
from plait.lang.xta.automata import read_automata
from plait.lang.xta.expressions import LEXICON
from plait.lang.xta.initial import check_initial
from plait.lang.xta.system import read_network
from plait.lang.xta.translate import translate
from plait.model.expr import Formula
from plait.model.types import Model
from plait.model.validate import check
from plait.records import replace


def load(path: str | Path, queries: Path | None = None) -> Model:
    """The model in a file, named after the file; with `queries`, those of that file (`.q`) are its
    properties."""
    path = Path(path)
    return parse(read_text(path), path.stem, path, queries)


def parse(
    text: str, name: str = "model", path: Path | None = None, asked_in: Path | None = None
) -> Model:
    """The model that a text describes; a located `InputError` when it does not."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    source = Source(str(path) if path is not None else name, text, path)
    if text.lstrip("\ufeff \t\n").startswith("<"):
        from plait.lang.xta.document import read_document

        tokens, queries = read_document(source, text)
    else:
        tokens, queries = tokenize(source, text, LEXICON), []
    if asked_in is not None:
        from plait.lang.xta.queries import queries_in

        queries = queries_in(Source(str(asked_in), read_text(asked_in), asked_in))
    network = read_network(tokens)
    automata = read_automata(tokens, network)
    if not queries:
        model = translate(network, automata, name)
    else:
        from plait.lang.xta.queries import read_queries, settled

        asked, passed = read_queries(queries, network, automata, strict=asked_in is not None)
        model = translate(network, automata, name, [cast(Formula, p.body) for p in asked])
        found = tuple(settled(p, model) for p in asked)
        model = replace(model, properties=found, warnings=(*model.warnings, *passed))
    check_initial(model, automata)
    check(model)
    return model


__all__ = ["load", "parse"]
