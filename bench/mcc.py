"""The Model Checking Contest's examinations with known answers: which are answered, and rightly?

The models are those beside the project; without them there is nothing to run.
`python -m bench mcc > bench/results/mcc.md` renews the table; it takes hours at worst, so it runs
only when it is named. `PLAIT_BENCH_SECONDS` is the limit of a run, `PLAIT_BENCH_EXAMINATIONS` and
`PLAIT_BENCH_FAMILIES` choose among the examinations and the two sets of models,
`PLAIT_BENCH_TOTAL` ends the benchmark after so many seconds with what there is by then.
"""

from __future__ import annotations

import csv
import os
import sys
import tarfile
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.measure import run

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
LIMIT = float(os.environ.get("PLAIT_BENCH_SECONDS", "60"))
TOTAL = float(os.environ.get("PLAIT_BENCH_TOTAL", "inf"))
FAMILIES = os.environ.get("PLAIT_BENCH_FAMILIES", "mcc mcc-extra").split()
MEMORY = "4G"
EXAMINATIONS = os.environ.get(
    "PLAIT_BENCH_EXAMINATIONS",
    "StateSpace ReachabilityDeadlock OneSafe StableMarking QuasiLiveness Liveness UpperBounds "
    "ReachabilityCardinality ReachabilityFireability CTLCardinality CTLFireability LTLCardinality "
    "LTLFireability",
).split()
COLUMNS = ("model", "examination", "answered", "right", "of", "seconds", "why not")


@dataclass(frozen=True)
class Pair:
    """What came of one model and examination."""

    model: str
    examination: str
    asked: int
    answered: int
    right: int
    seconds: float
    reason: str

    @property
    def row(self) -> str:
        cells = (
            self.model,
            self.examination,
            str(self.answered),
            str(self.right) + (" **WRONG**" if self.right < self.answered else ""),
            str(self.asked),
            f"{self.seconds:.1f}",
            self.reason,
        )
        return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print a summary by examination after the table of pairs with something unanswered."""
    pairs: list[Pair] = []
    start = time.monotonic()
    print("|", " | ".join(COLUMNS), "|")
    print("|", " | ".join("---" for _ in COLUMNS), "|")
    with tempfile.TemporaryDirectory() as place:
        for examination in EXAMINATIONS:
            for family in FAMILIES:
                for model, answers in known(family, examination):
                    if time.monotonic() - start > TOTAL:
                        break
                    folder = unpacked(family, model, Path(place))
                    pairs.append(measured(folder, model, examination, answers))
                    print(pairs[-1].row, flush=True)
    print(f"\n{summary(pairs)}")


def known(family: str, examination: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The models of a family with the known answers of an examination."""
    file = DATA / family / "expected.csv"
    if not file.is_file():
        return
    answers: dict[str, dict[str, str]] = defaultdict(dict)
    with file.open() as rows:
        for row in csv.DictReader(rows):
            if row["examination"] == examination:
                answers[row["model"]][row["property_id"]] = row["expected"]
    yield from sorted(answers.items())


def unpacked(family: str, model: str, place: Path) -> Path:
    """The folder of a model; those of the second set are in archives."""
    if family == "mcc":
        return DATA / family / model
    folder = place / model
    if not folder.is_dir():
        with tarfile.open(DATA / family / f"{model}.tgz") as archive:
            archive.extractall(place, filter="data")
    return folder


def measured(folder: Path, model: str, examination: str, answers: dict[str, str]) -> Pair:
    """Run one examination and compare every line with what is known."""
    command = [
        sys.executable, "-m", "plait", "mcc", examination, str(folder),
        "--timeout", str(LIMIT), "--memory", MEMORY,
    ]  # fmt: skip
    start = time.monotonic()
    done = run(command, folder, 2 * LIMIT + 60)
    seconds = time.monotonic() - start
    given: dict[str, str] = {}
    for line in done.text.splitlines():
        words = line.split()
        if len(words) > 2 and words[0] in ("FORMULA", "STATE_SPACE"):
            given[words[1]] = words[2]
    given = {name: value for name, value in given.items() if value != "CANNOT_COMPUTE"}
    answered = {name for name in answers if name in given}
    right = {name for name in answered if given[name] == answers[name]}
    missing = len(answers) - len(answered)
    reason = "" if not missing else why_not(done.status, done.text)
    return Pair(model, examination, len(answers), len(answered), len(right), seconds, reason)


def why_not(status: int, text: str) -> str:
    """Why something stayed unanswered, as far as the run says so."""
    if status < 0:
        return f"ended by signal {-status}"
    told = [line for line in text.splitlines() if line.startswith(("CANNOT_COMPUTE ", "plait:"))]
    return told[0] if told else "out of time or memory"


def summary(pairs: list[Pair]) -> str:
    """How many are answered and right, by examination."""
    lines = ["| examination | pairs | whole | formulas | answered | wrong |"]
    lines.append("| --- | --- | --- | --- | --- | --- |")
    for examination in [*EXAMINATIONS, "all"]:
        of = [p for p in pairs if examination in (p.examination, "all")]
        if not of:
            continue
        whole = sum(p.answered == p.asked for p in of)
        asked, answered = sum(p.asked for p in of), sum(p.answered for p in of)
        wrong = answered - sum(p.right for p in of)
        lines.append(f"| {examination} | {len(of)} | {whole} | {asked} | {answered} | {wrong} |")
    limit = f"At most {LIMIT:.0f} s and {MEMORY} a pair."
    return "\n".join([*lines, "", limit])


__all__ = ["main"]
