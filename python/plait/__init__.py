"""Plait: a model checker for concurrent systems.

    import plait

    system = plait.load("philosophers.gal")
    for answer in system.check_all():
        print(answer.property.name, answer.verdict)
    answer = system.check("AG EF (right[0] == 1)")
    if not answer:
        print(answer.witness)

`load` reads a file and `parse` a text. Both return a `System`: `check` answers questions about it,
and `states` counts its states. `plait.model.builder` and `plait.model.net_builder` write models in
Python, and `plait.models` has the benchmark models of the literature.
"""

from __future__ import annotations

from plait.hints import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from plait import models
    from plait.api import System, assert_holds, load, parse
    from plait.errors import InputError, PlaitError, UndecidedError
    from plait.report.answer import Answer, StateSpace, Witness

__all__ = [
    "Answer",
    "InputError",
    "PlaitError",
    "StateSpace",
    "System",
    "UndecidedError",
    "Witness",
    "__version__",
    "assert_holds",
    "load",
    "models",
    "parse",
]

_HOMES = {
    "System": "plait.api",
    "assert_holds": "plait.api",
    "load": "plait.api",
    "parse": "plait.api",
    "InputError": "plait.errors",
    "PlaitError": "plait.errors",
    "UndecidedError": "plait.errors",
    "Answer": "plait.report.answer",
    "StateSpace": "plait.report.answer",
    "Witness": "plait.report.answer",
}


def __getattr__(name: str) -> object:
    """Import the parts when they are first asked for: `import plait.model` needs no engine."""
    from importlib import import_module

    if name == "models":
        return import_module("plait.models")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'plait' has no attribute '{name}'")


def __dir__() -> list[str]:
    """What there is, imported or not: `help(plait)` and completion look here."""
    return sorted({*globals(), *__all__})
