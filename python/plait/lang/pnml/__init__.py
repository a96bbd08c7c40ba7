"""PNML, the interchange format of Petri nets: place/transition nets in and out."""

from plait.lang.pnml.reader import load, load_net, parse, parse_net
from plait.lang.pnml.writer import print_model

__all__ = ["load", "load_net", "parse", "parse_net", "print_model"]
