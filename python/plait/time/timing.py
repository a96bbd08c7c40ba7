"""How time passes in the model of a time Petri net (see `plait.time.encoding`)."""

from __future__ import annotations

from plait.hints import Literal, get_args
from plait.records import dataclass

Steps = Literal["unit", "essential"]
Clocks = Literal["intermediate", "atomic"]
STEPS: tuple[Steps, ...] = get_args(Steps)
CLOCKS: tuple[Clocks, ...] = get_args(Clocks)


@dataclass(frozen=True, slots=True)
class Timing:
    """What a step is, and which clocks go on when a transition fires."""

    steps: Steps = "unit"
    """`unit`: one unit of time passes, or a transition fires. `essential`: a transition fires after
    any time that may pass; only the states right after firings are looked at."""
    clocks: Clocks = "intermediate"
    """Which transitions count as enabled all along when one fires: those that are so in the
    marking from which tokens are taken but none put yet (`intermediate`, as Tina and Romeo have
    it), or in the markings before and after (`atomic`)."""


__all__ = ["CLOCKS", "STEPS", "Clocks", "Steps", "Timing"]
