"""Options of a program (`# Name value`): how nets are explored, how fixed points are found.

`StateStorage` chooses a search by the names of SMART: trees and hash tables of explicit states, and
four ways to build diagrams. `PNMarkingStyle` says how markings are printed, of which a safe one
does without numbers. Those of version 3 that say how its own algorithms work, what they report and
how they solve equations are passed over. The others are named here: `Epsilon`, `Criterion`
(relative or absolute), `Update` (immediate, or sweep: at the end of one), `Levels` (up or down:
where the levels of a `partition` without numbers go), `MaxPrintedItems`.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from plait.engines.symbolic.tuning import Tuning
from plait.errors import Span, error
from plait.model.findings import did_you_mean

STORAGE: Mapping[str, tuple[str, Tuning]] = {
    **dict.fromkeys(("AVL", "SPLAY", "HASHING"), ("explicit", Tuning())),
    "MDD_LOCAL_PREGEN": ("symbolic", Tuning(strategy="bfs", locals="pregenerated")),
    "MDD_FORWARDING_PREGEN": ("symbolic", Tuning(strategy="forwarding", locals="pregenerated")),
    "MDD_SATURATION_PREGEN": ("symbolic", Tuning(locals="pregenerated")),
    "MDD_SATURATION": ("symbolic", Tuning()),
}
_WORDS = {
    "StateStorage": tuple(STORAGE),
    "Criterion": ("relative", "absolute"),
    "Update": ("immediate", "sweep"),
    "Levels": ("up", "down"),
    "PNMarkingStyle": ("SPARSE", "SAFE", "INDEXED", "VECTOR"),
}
_PASSED_OVER = (
    "BatchAddSize",
    "ConvergePrecision",
    "Debug",
    "DisplayGraphNodeNames",
    "EVMStateStyle",
    "GraphDisplayStyle",
    "IndexPrecision",
    "MCSolver",
    "MatrixStyle",
    "MaxIters",
    "MinIters",
    "OutputThousandSeparator",
    "Precision",
    "ProcessGeneration",
    "Relaxation",
    "RemoveVanishing",
    "Report",
    "ReportRealFormat",
    "ReportThousandSeparator",
    "StackSize",
    "StateDisplayOrder",
    "StatesetPrintIndexes",
    "UseBatchRemoval",
    "UseCurrent",
    "VariableOrdering",
    "Warning",
)
_FAMILIES = ("Meddly", "Explicit")
"""Beginnings of more names that are passed over."""


class Options:
    """The options, as they are set so far."""

    def __init__(self) -> None:
        self._words = {name: words[0] for name, words in _WORDS.items()}
        self._words["StateStorage"] = "MDD_SATURATION"
        self._epsilon = 1e-5
        self.most = 20

    def set(self, name: str, value: str, span: Span) -> None:
        """Set an option."""
        if name in _WORDS:
            if value not in _WORDS[name]:
                known = ", ".join(_WORDS[name])
                raise error(f"{name} is one of {known}, not '{value}'", span)
            self._words[name] = value
        elif name == "Epsilon":
            try:
                self._epsilon = float(value)
            except ValueError:
                self._epsilon = -1
            if not (isfinite(self._epsilon) and self._epsilon > 0):
                raise error(f"'{value}' is not a positive number", span)
        elif name == "MaxPrintedItems":
            if not (value.isascii() and value.isdigit() and len(value) < 10):
                raise error(f"'{value}' is not a number of items", span)
            self.most = int(value)
        elif name not in _PASSED_OVER and not name.startswith(_FAMILIES):
            hint = did_you_mean(name, (*_WORDS, "Epsilon", "MaxPrintedItems"))
            raise error(f"there is no option '{name}'", span, hint)

    @property
    def search(self) -> tuple[str, Tuning]:
        """The engine that counts, and how diagrams are built."""
        return STORAGE[self._words["StateStorage"]]

    @property
    def immediate(self) -> bool:
        """Whether a value of a fixed point is used as soon as it is there."""
        return self._words["Update"] == "immediate"

    @property
    def safe(self) -> bool:
        """Whether a marking names a place with one token without a number."""
        return self._words["PNMarkingStyle"] == "SAFE"

    @property
    def downward(self) -> bool:
        """Whether levels without numbers are numbered downward."""
        return self._words["Levels"] == "down"

    def near(self, one: object, other: object, span: Span | None) -> bool:
        """Whether two values of a fixed point are the same."""
        if not isinstance(one, int | float) or not isinstance(other, int | float):
            return one == other
        if isinstance(other, float) and not isfinite(other):
            raise error("the fixed point runs away", span)
        # Divided, since a whole number may be too large to be multiplied by a real one.
        scale = max(abs(one), abs(other)) if self._words["Criterion"] == "relative" else 1
        return one == other or abs(one - other) / scale < self._epsilon


__all__ = ["Options"]
