"""Which symmetries are looked for: what may be chosen, and the names of the choices."""

from __future__ import annotations

from plait.hints import Literal, get_args
from plait.records import dataclass

SymmetryKind = Literal["auto", "scalar", "circular"]
SYMMETRIES: tuple[SymmetryKind, ...] = get_args(SymmetryKind)


@dataclass(frozen=True, slots=True)
class SymmetryTuning:
    """Which symmetries are looked for."""

    kind: SymmetryKind = "auto"
    """All that are found; or only those of scalar sets, or only rotations."""
    references: tuple[str, ...] = ()
    """Variables that hold numbers of parts; without any, those that look like it are tried."""


__all__ = ["SYMMETRIES", "SymmetryKind", "SymmetryTuning"]
