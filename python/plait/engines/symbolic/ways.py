"""The names of the ways in which CTL is computed on diagrams; see `ctl_ways` and `ctl`.

They stand here so that whoever only counts states need not import what computes them.
"""

from __future__ import annotations

from typing import Literal, get_args

CtlWay = Literal["auto", "backward", "forward", "saturation"]
CTL_WAYS: tuple[CtlWay, ...] = get_args(CtlWay)
AlwaysWay = Literal["traditional", "cycles"]
ALWAYS_WAYS: tuple[AlwaysWay, ...] = get_args(AlwaysWay)
