"""Partial-order reduction beside SPIN's, text by text: a table of ratios.

For each Promela text the states that SPIN's verifier stores with its reduction, and those that
Plait stores: both depth-first, both with a proviso, both in search of failing assertions and
invalid end states to the end (`-c0`), claims left out. SPIN is told to count what we count: `-o1
-o2 -o3` turns off its removal of unused variables and the merging of statements, which change what
a state is. Where we store more, SPIN is asked again for a reduction that it vouches
for itself: with `-DGLOB_ALPHA` (the end of a process is seen by others: its number is free again)
and, where it says that the `xr` and `xs` of a text do not hold and so its reduction is invalid,
without these. Texts that one of the two does not read or does not search in `SECONDS` are named at
the end.

`python -m bench beside-spin`. The texts are those of the folder PLAIT_BENCH_PROMELA, by default
`promela` of the shared data, whose names match PLAIT_BENCH_TEXTS (`spin/*` and one size of each
model of BEEM); PLAIT_BENCH_SECONDS is the longest that one search may take.
"""

from __future__ import annotations

import fnmatch
import math
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.measure import limits
from plait.engines import Budget, Reduction
from plait.engines.explicit.engine import Explicit
from plait.engines.explicit.method import Method
from plait.engines.prepared import KINDS
from plait.errors import InputError, LimitReached
from plait.lang import load
from plait.model.types import Model

PROMELA = Path(__file__).resolve().parents[2] / "shared" / "data" / "promela"
TEXTS = "spin/* beem-its/*.1"
SECONDS = limits(20)[0]
"""The longest that one search may take."""
SUFFIXES = (".pml", ".prom", ".promela", ".pm")
INVALID = "partial order reduction invalid"
CLAIMED = re.compile(r"^\s*x[rs]\s+\w+(\s*,\s*\w+)*\s*;?\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Row:
    """The states of a text that are stored with reduction."""

    name: str
    spin: int
    plait: int
    sound: int | None = None
    """SPIN's, when it is told to be careful; asked only where we store more."""

    @property
    def ratio(self) -> float:
        """Our states for one of SPIN's."""
        return self.plait / self.spin

    def __str__(self) -> str:
        careful = "" if self.sound is None else f"{self.sound:,}"
        cells = (self.name, f"{self.spin:,}", careful, f"{self.plait:,}", f"{self.ratio:.2f}")
        return "| " + " | ".join(cells) + " |"


def main() -> None:
    """Print the table, the mean, and the texts that are not in it."""
    if shutil.which("spin") is None or shutil.which("cc") is None:
        print("spin or cc is not on PATH: no comparison with SPIN's reduction")
        return
    print("| text | SPIN | SPIN, careful | Plait | ratio |\n| --- | --- | --- | --- | --- |")
    rows: list[Row] = []
    left: list[str] = []
    folder = Path(os.environ.get("PLAIT_BENCH_PROMELA", PROMELA))
    for name, path in _texts(folder, os.environ.get("PLAIT_BENCH_TEXTS", TEXTS).split()):
        row = compared(name, path)
        if isinstance(row, Row):
            rows.append(row)
            print(row, flush=True)
        else:
            left.append(f"{name} ({row})")
    if not rows:
        raise SystemExit(f"no texts in {folder}")
    mean = math.exp(sum(math.log(row.ratio) for row in rows) / len(rows))
    print(f"| geometric mean of {len(rows)} | | | | {mean:.2f} |\n")
    more = [row.name for row in rows if row.ratio > 1]
    print(f"more states than SPIN ({len(more)}): {'; '.join(more) or 'none'}")
    print(f"not compared ({len(left)}): {'; '.join(left) or 'none'}")


def compared(name: str, path: Path) -> Row | str:
    """The row of a text, or why there is none."""
    spin, valid = _pan(path)
    if spin is None:
        return "SPIN gives no number"
    try:
        kept = kept_states(load(path))
    except (InputError, LimitReached) as refusal:
        return str(refusal).splitlines()[0]
    if isinstance(kept, str):
        return f"Plait: {kept}"
    if kept <= spin:
        return Row(name, spin, kept)
    with tempfile.TemporaryDirectory() as folder:
        text = path if valid else _without_claims(path, Path(folder))
        careful, _ = _pan(text, "-DGLOB_ALPHA")
    return Row(name, spin, kept, careful)


def kept_states(model: Model) -> int | str:
    """The states that are kept in search of all that a verifier looks for, or why nobody knows."""
    asked = [p for p in model.properties if p.kind in KINDS]
    engine = Explicit(
        model, reduction=Reduction("ps+prov", order="dfs"), method=Method(exhaustive=True)
    )
    answers = engine.check(asked, Budget(timeout=SECONDS))
    figures = answers[0].stats
    if not figures.get("complete"):
        return next((a.reason for a in answers if a.reason), "not complete")
    return int(str(figures["states"]))


def _texts(folder: Path, patterns: Sequence[str]) -> Iterator[tuple[str, Path]]:
    for path in sorted(p for p in folder.rglob("*") if p.suffix in SUFFIXES):
        name = str(path.relative_to(folder).with_suffix(""))
        if any(fnmatch.fnmatch(name, pattern) for pattern in patterns):
            yield name, path


def _without_claims(path: Path, folder: Path) -> Path:
    """A copy that claims no channel for a process, beside copies of what it may include."""
    for file in (path, *path.parent.glob("*.h")):
        text = file.read_text(encoding="utf-8", errors="replace")
        (folder / file.name).write_text(CLAIMED.sub("", text), encoding="utf-8")
    return folder / path.name


def _pan(path: Path, *flags: str) -> tuple[int | None, bool]:
    """The states that SPIN's verifier stores when it gets to the end, and whether it is content."""
    commands = (
        ["spin", "-o1", "-o2", "-o3", "-a", str(path.resolve())],
        ["cc", "-DSAFETY", "-DNOCLAIM", "-DVECTORSZ=8192", "-w", *flags, "-o", "pan", "pan.c"],
        ["./pan", "-E", "-c0", "-m3000000"],
    )
    with tempfile.TemporaryDirectory() as folder:
        text = ""
        for command in commands:
            try:
                done = subprocess.run(
                    command,
                    cwd=folder,
                    capture_output=True,
                    text=True,
                    errors="replace",
                    timeout=10 * SECONDS if command[0] == "cc" else SECONDS,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return None, True
            text = done.stdout
            if done.returncode and command[0] != "./pan":
                return None, True  # one of them does not read it
    stored = re.search(r"(\d+) states, stored", text)
    cut_short = "Search not completed" in text or "max search depth too small" in text
    valid = INVALID not in text
    return (None if stored is None or cut_short else int(stored[1])), valid
