"""What a hunt really compared: counts that can be added up and printed.

A run that compared nothing also finds no difference, so every run says how much it compared and how
varied that was: the sizes of the state spaces, both verdicts of each kind of property, deadlocks,
models that went wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

SIZES = (1, 10, 50, 200, 1000, 5000)
"""Upper limits of the classes of state-space sizes that are printed."""


class Tally(Counter[str]):
    """Counts by name; add them with `update`."""

    def share(self, part: str, whole: str) -> float:
        """`part` as a share of `whole`, between 0 and 1."""
        return self[part] / self[whole] if self[whole] else 0.0

    def size(self, states: int) -> None:
        """Count a state space of that many states."""
        limit = next((s for s in SIZES if states <= s), None)
        self["states > 5000" if limit is None else f"states <= {limit}"] += 1
        self["states over 50"] += states > 50

    def verdict(self, kind: str, verdict: str) -> None:
        """Count a compared verdict."""
        self["verdicts"] += 1
        self[f"verdicts {verdict}"] += 1
        self[f"{kind} {verdict}"] += 1

    def report(self) -> str:
        """The counts as a few lines of text."""
        parts = []
        if self["models"]:
            parts.append(
                f"{self['models']} models compared ({self['models gone wrong']} of them go wrong "
                f"when executed), {self['models too large']} too large and left out"
            )
        if self["models explored"]:
            sizes = [f"states <= {s}" for s in SIZES]
            parts += [
                "by states: " + ", ".join(f"{s[7:]}: {self[s]}" for s in sizes if self[s]),
                f"over 50 states: {self.share('states over 50', 'models explored'):.0%}, "
                f"with a deadlock: {self.share('models with a deadlock', 'models explored'):.0%}",
            ]
        if self["verdicts"]:
            kinds = sorted(k for k in self if k.endswith((" true", " false")) and "verd" not in k)
            parts += [
                f"{self['verdicts']} verdicts compared, "
                f"{self.share('verdicts true', 'verdicts'):.0%} true, "
                f"{self.share('verdicts false', 'verdicts'):.0%} false; {self['bounds']} bounds, "
                f"{self['traces replayed']} traces replayed",
                "by kind: " + ", ".join(f"{k}: {self[k]}" for k in kinds),
            ]
        parts += [f"{self[k]} {k} compared" for k in ("formulas", "pairs") if self[k]]
        features = sorted(k for k in self if k.startswith("with "))
        parts.append("features: " + ", ".join(f"{k[5:]}: {self[k]}" for k in features))
        return "\n".join(parts)


def merged(tallies: list[Mapping[str, int]]) -> Tally:
    """All of them added up."""
    total = Tally()
    for t in tallies:
        total.update(t)
    return total
