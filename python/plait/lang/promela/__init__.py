"""Promela, the language of SPIN: from a text to a `Model`.

Each process that may exist is named after its proctype and its number: `P_0`; its variables are
`P_0.x`, and `P_0._pc` is where it is. What SPIN checks by default becomes properties: assertions,
and invalid end states; `ltl` blocks are properties too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from plait.errors import Diagnostic, Source
from plait.lang.files import read_text
from plait.lang.promela.claims import cycle_properties, ltl_properties, never_properties
from plait.lang.promela.declarations import Declarations, SystemText
from plait.lang.promela.executable import COUNT
from plait.lang.promela.expressions import mark_conditionals
from plait.lang.promela.numbers import numbers_matter
from plait.lang.promela.preprocess import preprocess
from plait.lang.promela.processes import Processes, plan
from plait.lang.promela.traces import read_trace
from plait.lang.promela.translate import Translation
from plait.model.types import Model
from plait.model.validate import check
from plait.records import replace


def load(path: str | Path) -> Model:
    """The model in a Promela file, named after the file."""
    path = Path(path)
    return parse(read_text(path), path.stem, path)


def parse(
    text: str,
    name: str = "model",
    path: Path | None = None,
    room: int | None = None,
    values: Mapping[str, int] | None = None,
) -> Model:
    """The model that a Promela text describes; a located `InputError` when it does not.

    Where nobody knows beforehand how many processes there can be at once, there is `room` for so
    many, and `Model.larger` has more. `values` are those of macros, whatever the text defines.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    tokens = preprocess(Source(str(path) if path is not None else name, text, path), values)
    mark_conditionals(tokens)
    system = Declarations(tokens).read()
    system.counted = COUNT in tokens.texts
    processes = plan(tokens, system, room)
    translation = Translation(system, processes, name)
    translation.inert = not numbers_matter(tokens, system, processes)
    translation.trace = read_trace(tokens, system)
    translation.properties.extend(never_properties(tokens, system, translation))
    translation.properties.extend(ltl_properties(tokens, system, translation))
    translation.properties.extend(cycle_properties(translation))
    model = translation.model()
    if processes.more is not None:
        model = replace(model, larger=partial(parse, text, name, path, processes.more, values))
    again = partial(parse, text, name, path, room)
    reread = partial(_with_values, again, values or {})
    warnings = (*system.doubts.values(), *_never_run(system, processes))
    model = replace(model, reread=reread, warnings=warnings)
    check(model)
    return model


def _never_run(system: SystemText, processes: Processes) -> Iterator[Diagnostic]:
    """Proctypes that nobody runs: what they say is not read, and what they assert not checked."""
    for proctype in system.proctypes.values():
        if not processes.of(proctype.name):
            message = f"proctype '{proctype.name}' is never run, and nothing in it is checked"
            hint = f"say 'active' before it, or 'run {proctype.name}(...)' in a process"
            yield Diagnostic(message, proctype.span, hint, "warning")


def _with_values(
    again: Callable[[Mapping[str, int]], Model],
    values: Mapping[str, int],
    others: Mapping[str, int],
) -> Model:
    return again({**values, **others})


__all__ = ["load", "parse"]
