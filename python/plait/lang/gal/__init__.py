"""GAL, the Guarded Action Language: reading (`load`, `parse`) and printing (`print_model`)."""

from __future__ import annotations

from plait.hints import TYPE_CHECKING
from plait.lang.gal.parser import load, parse
from plait.lang.gal.properties import parse_properties

if TYPE_CHECKING:
    from plait.model.types import Model


def print_model(model: Model) -> str:
    """The text of a model; `InputError` when GAL has no words for a part of it."""
    from plait.lang.gal.printer import print_model as printed  # most models are only read

    return printed(model)


__all__ = ["load", "parse", "parse_properties", "print_model"]
