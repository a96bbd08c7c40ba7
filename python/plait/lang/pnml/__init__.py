"""PNML, the interchange format of Petri nets: place/transition nets in and out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.lang.pnml.reader import load, load_net, parse, parse_net

if TYPE_CHECKING:
    from plait.model.types import Model

__all__ = ["load", "load_net", "parse", "parse_net", "print_model"]


def print_model(model: Model) -> str:
    """The net as PNML; see `plait.lang.pnml.writer`, which reading does not need."""
    from plait.lang.pnml import writer

    return writer.print_model(model)
