"""Other programs that answer the formulas of the Model Checking Contest, where they are on PATH.

- verifypn (TAPAAL) reads the contest's nets and its files of formulas. All formulas go first into
  one call with a quarter of the time, then each that is left into a call of its own with an equal
  share of the rest, much as its authors' scripts for the contest divide the hour.

A program that does not know an examination has no figure for it. Its wrong answers are counted as
wrong, not as answers.
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from bench.measure import run

ANSWER = re.compile(r"^FORMULA (\S+) (TRUE|FALSE|\d+)\b", re.MULTILINE)
VERIFYPN = (
    "ReachabilityCardinality", "ReachabilityFireability", "CTLCardinality", "CTLFireability",
    "UpperBounds",
)  # fmt: skip


@dataclass(frozen=True)
class Checker:
    """A program: the examinations it knows, and its command for some formulas, by their numbers."""

    name: str
    examinations: tuple[str, ...]
    command: Callable[[Path, str, Sequence[int]], list[str]]

    def answers(self, folder: Path, examination: str, limit: float) -> tuple[dict[str, str], float]:
        """What it says of each formula in so many seconds of the clock, and how many it took."""
        start = time.monotonic()
        names = formulas(folder / f"{examination}.xml")
        left = list(range(len(names)))
        given = self._run(folder, examination, left, limit / 4)
        while left := [n for n in left if names[n] not in given]:
            share = (limit - (time.monotonic() - start)) / len(left)
            if share <= 0:
                break
            given |= self._run(folder, examination, left[:1], share)
            left = left[1:]
        return given, time.monotonic() - start

    def _run(
        self, folder: Path, examination: str, numbers: Sequence[int], limit: float
    ) -> dict[str, str]:
        # Line by line, or what it said before its time was over would be lost.
        command = ["stdbuf", "-oL", *self.command(folder, examination, numbers)]
        return dict(ANSWER.findall(run(command, folder, limit).text))


def formulas(file: Path) -> list[str]:
    """The names of the formulas of a file, in its order."""
    space = "{http://mcc.lip6.fr/}"
    return [e.text or "" for e in ElementTree.parse(file).iter(f"{space}id")]


def _verifypn(folder: Path, examination: str, numbers: Sequence[int]) -> list[str]:
    chosen = ",".join(str(n + 1) for n in numbers)
    files = [str(folder / "model.pnml"), str(folder / f"{examination}.xml")]
    return ["verifypn", "-n", "-x", chosen, *files]


CHECKERS = (Checker("verifypn", VERIFYPN, _verifypn),)


def present() -> list[Checker]:
    """Those that can be run here."""
    return [c for c in CHECKERS if shutil.which(c.name)]
