"""What random models are made of: how large, which kinds, which features and how often.

A `Mix` is a set of knobs; the presets below aim at one part of the language each, so that a
later engine (partial order, nets, hierarchy) can be hunted where it lives.
"""

from __future__ import annotations

from typing import Literal

from plait.records import dataclass, replace

Kind = Literal["gal", "composite", "set", "channels", "net"]


@dataclass(frozen=True, slots=True)
class Mix:
    """Weights of the kinds of model, sizes, and how often a feature is used (in per cent)."""

    kinds: tuple[tuple[int, Kind], ...] = (
        (36, "gal"),
        (24, "composite"),
        (10, "set"),
        (16, "channels"),
        (14, "net"),
    )
    cells: int = 6
    """The most cells of an elementary type that stands alone."""
    events: int = 8
    drivers: int = 75
    """How many of the variables have an event of their own that keeps them moving (in per cent)."""
    properties: int = 8
    parameters: int = 30
    constants: int = 40
    arrays: int = 35
    calls: int = 35
    fixpoints: int = 10
    transient: int = 12
    elapse: int = 12
    domains: int = 20
    aborts: int = 5
    undefined: int = 8
    wrap: int = 12
    odd_names: int = 6
    """Names that a printer must escape or that look like something else: keywords, dots."""
    faults: int = 4
    """Models that may go wrong when executed: a fixpoint that oscillates, a value outside its
    domain, a cycle of transient states."""
    temporal: int = 35
    """The share of CTL and LTL among the properties."""


DEFAULT = Mix()
GAL = Mix(kinds=((60, "gal"), (30, "composite"), (10, "set")), domains=0)
COMPOSITES = Mix(kinds=((70, "composite"), (30, "set")))
CHANNELS = Mix(kinds=((1, "channels"),))
NETS = Mix(kinds=((1, "net"),), odd_names=0)
SMALL = replace(DEFAULT, cells=3, events=3, properties=3)
