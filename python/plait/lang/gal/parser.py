"""GAL, the Guarded Action Language: from a text to a `Model`.

`load` reads a file and everything it imports; `parse` a text. The result is validated, so what
comes out can be executed. Besides the language of the specification these are accepted:

- a missing guard (true), labels without quotes, `int a = 1, b = 0;`, `True` and `False`, `else if`,
- `->` and `<->` in guards, a guard over parameters on a synchronization,
- any name in quotes, where it is not an identifier: `int "p-1" = 0;`,
- instances of templates, `Pair<Philo> p;`,
- sets: `scalar S [3] of T { ... }` and `circular S [3] of T { ... }`, whose synchronizations call
  `any."l";`, `all."l";` and, in a circular set, `next."l", "m";`,
- `property free [deadlock];`, and the atoms `deadlock` and `enabled("event")` in properties.
"""

from __future__ import annotations

import os

from plait.errors import InputError, Source, Span, error
from plait.hints import TYPE_CHECKING
from plait.lang.expressions import LEXICON
from plait.lang.files import stem
from plait.lang.gal.declarations import Declarations
from plait.lang.gal.properties import Header, read_bodies, read_header
from plait.lang.lexer import PARAMETER, Tokens, tokenize
from plait.model.templates import is_template, resolve_templates
from plait.model.types import ComponentType, Constant, Interface, Model, Range
from plait.model.validate import check, check_properties
from plait.records import dataclass, field, replace

if TYPE_CHECKING:
    from pathlib import Path

SIZE_LIMIT = 256 * 1024**2
"""The largest GAL file that is read, in bytes."""
IMPORT_LIMIT = 50
"""How many files may import each other in a row."""


def load(path: str | Path) -> Model:
    """The model in a GAL file, named after the file."""
    return parse(_read(path, None), stem(path), path)


def parse(text: str, name: str, path: str | Path | None = None, *, validated: bool = True) -> Model:
    """The model that a GAL text describes; `InputError` with everything that is wrong with it.

    Imports are resolved relative to `path`. Without validation only what the grammar and the names
    in properties ask for is checked.
    """
    source = Source(str(path) if path is not None else name, _normal(text), path)
    file = _Files().read(source, path, ())
    model = Model(
        name,
        tuple(file.types),
        _main(file),
        tuple(file.constants),
        tuple(file.ranges),
        tuple(file.interfaces),
    )
    model = resolve_templates(model)
    if validated:
        check(model)
    assert file.tokens is not None
    properties = read_bodies(file.tokens, file.headers, model, strict=True)
    if validated:
        check_properties(model, properties)
    return replace(model, properties=properties)


@dataclass(slots=True)
class _File:
    """What one file declares, together with what it imports."""

    constants: list[Constant] = field(default_factory=list)
    ranges: list[Range] = field(default_factory=list)
    interfaces: list[Interface] = field(default_factory=list)
    types: list[ComponentType] = field(default_factory=list)
    main: str | None = None
    main_span: Span | None = None
    headers: list[Header] = field(default_factory=list)
    tokens: Tokens | None = None


def _main(file: _File) -> str:
    """The name of the main type; a single type is its own."""
    real = [t for t in file.types if not is_template(t)]
    if file.main is not None:
        if all(t.name != file.main for t in real):
            raise error(f"no type named '{file.main}'", file.main_span)
        return file.main
    if len(real) == 1:
        return real[0].name
    assert file.tokens is not None
    if not real:
        raise file.tokens.expected("a type such as 'gal Name { ... }'")
    hint = f"add a line such as 'main {real[-1].name};'"
    raise error("there are several types and no 'main'", real[-1].span, hint)


class _Files:
    """Reads files and their imports, each file once."""

    def __init__(self) -> None:
        self._done: set[str] = set()

    def read(self, source: Source, path: str | Path | None, chain: tuple[str, ...]) -> _File:
        """One file with everything it imports; `chain` leads from the first file to this one."""
        assert source.text is not None
        tokens = tokenize(source, source.text, LEXICON)
        file = _File(tokens=tokens)
        here = os.path.realpath(path) if path is not None else None
        chain = (*chain, here) if here is not None else chain
        while tokens.next == "import":
            self._import(tokens, file, here, chain)
        declarations = Declarations(tokens)
        while tokens.next:
            _declaration(tokens, declarations, file)
        return file

    def _import(
        self, tokens: Tokens, file: _File, here: str | None, chain: tuple[str, ...]
    ) -> None:
        """`import "other.gal";`."""
        tokens.at += 1
        span = tokens.span()
        name = tokens.string("the name of a file in quotes")
        tokens.accept(";")
        target = _imported(name, here, span)
        if target in chain:
            names = " -> ".join(map(os.path.basename, (*chain[chain.index(target) :], target)))
            raise error(f"these files import each other: {names}", span)
        if len(chain) > IMPORT_LIMIT:
            raise error(f"imports are nested deeper than {IMPORT_LIMIT} files", span)
        if target in self._done:
            return
        self._done.add(target)
        source = Source(os.path.basename(target), _normal(_read(target, span)), target)
        other = self.read(source, target, chain)
        file.constants.extend(other.constants)
        file.ranges.extend(other.ranges)
        file.interfaces.extend(other.interfaces)
        file.types.extend(other.types)


def _declaration(tokens: Tokens, declarations: Declarations, file: _File) -> None:
    """One declaration at the top of a file."""
    match tokens.next:
        case "gal" | "GAL":
            file.types.append(declarations.elementary())
        case "composite":
            file.types.append(declarations.composite())
        case "scalar" | "circular":
            file.types.append(declarations.set())
        case "interface":
            file.interfaces.append(declarations.interface())
        case "typedef":
            file.ranges.append(declarations.range())
        case "main":
            if file.main is not None:
                raise tokens.fail("'main' is given twice")
            tokens.at += 1
            file.main, file.main_span = tokens.named("the name of the main type")
            tokens.expect(";", "after the name of the main type")
        case "property":
            file.headers.append(read_header(tokens))
        case "import":
            raise tokens.fail("imports come before everything else")
        case _ if tokens.kind() == PARAMETER:
            file.constants.append(declarations.constant())
            tokens.expect(";", "after the constant")
        case _:
            raise tokens.expected("'gal', 'composite', 'main', 'property' or another declaration")


# --- files ----------------------------------------------------------------------------------------


def _imported(name: str, here: str | None, span: Span) -> str:
    """The file that an import means: in the folder of the importing file or below it."""
    if here is None:
        raise error("this text does not come from a file, so it cannot import one", span)
    if not name or "\0" in name:
        raise error("an import needs the name of a file", span)
    import ntpath  # most files import none

    folder = os.path.dirname(here)
    target = os.path.realpath(os.path.join(folder, name))
    elsewhere = name.startswith(("/", "\\")) or ntpath.splitdrive(name)[0]
    if elsewhere or os.path.commonpath((folder, target)) != folder:
        raise error("only files in this folder or below it can be imported", span)
    return target


def _read(path: str | Path, span: Span | None) -> str:
    """The text of a file: UTF-8, or else Latin-1, in which old models have their comments."""
    try:
        if not os.path.exists(path):
            raise error(f"cannot read {path}: there is no such file", span)
        if not os.path.isfile(path):
            raise error(f"cannot read {path}: it is not an ordinary file", span)
        if os.path.getsize(path) > SIZE_LIMIT:
            size = SIZE_LIMIT // 1024**2
            raise error(f"cannot read {path}: it is larger than {size} MiB", span)
        with open(path, "rb") as file:
            data = file.read()
    except (OSError, ValueError) as failure:
        raise _unreadable(path, failure, span) from None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _unreadable(path: str | Path, failure: Exception, span: Span | None) -> InputError:
    reason = getattr(failure, "strerror", None) or str(failure)
    return error(f"cannot read {path}: {reason}", span)


def _normal(text: str) -> str:
    """The text without a byte-order mark and with line feeds only."""
    text = text.removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
