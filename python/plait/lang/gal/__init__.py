"""GAL, the Guarded Action Language: reading (`load`, `parse`) and printing (`print_model`)."""

from plait.lang.gal.parser import load, parse
from plait.lang.gal.printer import print_model
from plait.lang.gal.properties import parse_properties

__all__ = ["load", "parse", "parse_properties", "print_model"]
