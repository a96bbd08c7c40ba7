"""PNML, the interchange format of Petri nets: place/transition nets in and out."""

from plait.lang.pnml.reader import load, parse
from plait.lang.pnml.writer import print_model

__all__ = ["load", "parse", "print_model"]
