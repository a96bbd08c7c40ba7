"""Plait: a model checker for concurrent systems."""

__version__ = "0.1.0"
