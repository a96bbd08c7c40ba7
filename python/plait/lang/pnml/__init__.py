"""PNML, the interchange format of Petri nets: place/transition nets in and out."""

from plait.lang.pnml.reader import load, parse

__all__ = ["load", "parse"]
