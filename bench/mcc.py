"""The Model Checking Contest's examinations with known answers: which are answered, and rightly?

The models are those beside the project; without them there is nothing to run. They come in an
order that looks random and is always the same, so that however early a run ends its rows are a
fair sample of all; other programs for the same formulas run beside (`bench.checkers`).

`python -m bench mcc > bench/results/mcc.md` renews the table; it takes hours at worst, so it runs
only when it is named. `PLAIT_BENCH_SECONDS` is the limit of a pair, on the clock. There may be
several, ascending: what is answered whole within a short limit needs no longer one, so all pairs
are run with the first, then those not answered whole with the next. `PLAIT_BENCH_EXAMINATIONS` and
`PLAIT_BENCH_FAMILIES` choose among the examinations and the two sets of models;
`PLAIT_BENCH_TOTAL` ends the benchmark after so many seconds with what there is by then;
`PLAIT_BENCH_BEFORE` is a table that was not finished: its rows are taken over. A row goes to
standard error as soon as it is there, and the table at the end to standard output.
"""

from __future__ import annotations

import csv
import hashlib
import os
import sys
import tarfile
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from bench.checkers import Checker, present
from bench.measure import limits, run

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
LIMITS = limits(60)
TOTAL = float(os.environ.get("PLAIT_BENCH_TOTAL", "inf"))
FAMILIES = os.environ.get("PLAIT_BENCH_FAMILIES", "mcc mcc-extra").split()
MEMORY = "4G"
EXAMINATIONS = os.environ.get(
    "PLAIT_BENCH_EXAMINATIONS",
    "StateSpace ReachabilityDeadlock OneSafe StableMarking QuasiLiveness Liveness UpperBounds "
    "ReachabilityCardinality ReachabilityFireability CTLCardinality CTLFireability LTLCardinality "
    "LTLFireability",
).split()
MISTAKEN = {
    ("DrinkVendingMachine-COL-76", "Liveness"),
    ("BART-COL-040", "BART-COL-040-LTLFireability-09"),
}
"""Known answers that are not used, both "false".

The drink vending machine gets back to its initial marking from everywhere, and each transition can
be executed from there with some binding, which is what liveness asks of other coloured nets
(LamportFastMutEx, SafeBus, TokenRing). It is not live when it is unfolded: a binding that takes one
option twice is never enabled.

The trains of BART have nothing to do with each other, and the distance of each falls until it stops
with `TrainStop`, so that this is enabled again and again, which is what the formula asks for; with
two trains all engines say so, and the nets differ in the number of trains only."""
COLUMNS = ("model", "examination", "of", "limit", "right", "wrong", "seconds")


@dataclass(frozen=True)
class Score:
    """How many answers of a program are right and wrong, and the seconds it took."""

    right: int
    wrong: int
    seconds: float

    @property
    def cells(self) -> tuple[str, str, str]:
        return str(self.right), f"**{self.wrong}**" if self.wrong else "", f"{self.seconds:.1f}"


@dataclass(frozen=True)
class Pair:
    """What came of one model and examination."""

    model: str
    examination: str
    asked: int
    limit: float
    plait: Score
    others: tuple[Score | None, ...]
    """Of the other programs; of none that does not know the examination."""
    reason: str

    @property
    def whole(self) -> bool:
        return self.plait.right == self.asked

    @property
    def row(self) -> str:
        theirs = [cell for s in self.others for cell in (s.cells if s else ("-", "", ""))]
        told = (self.model, self.examination, str(self.asked), f"{self.limit:g}")
        return f"| {' | '.join((*told, *self.plait.cells, *theirs, self.reason))} |"


def main() -> None:
    """Print a row a pair, then sums by examination."""
    checkers = present()
    pairs = rows_of(os.environ.get("PLAIT_BENCH_BEFORE"), len(checkers))
    deadline = time.monotonic() + TOTAL
    order = asked()
    with tempfile.TemporaryDirectory() as place:
        for limit in LIMITS:
            for family, model, examination, answers in order:
                before = pairs.get((model, examination))
                if before and (before.whole or before.limit >= limit):
                    continue
                if time.monotonic() > deadline:
                    break
                folder = unpacked(family, model, Path(place))
                pair = measured(folder, examination, answers, checkers, limit)
                pairs[model, examination] = pair
                print(pair.row, file=sys.stderr, flush=True)
    found = [pairs[p[1:3]] for p in order if p[1:3] in pairs]
    columns = [*COLUMNS, *(c for o in checkers for c in (o.name, "wrong", "seconds")), "why not"]
    print("|", " | ".join(columns), "|")
    print("|", " | ".join("---" for _ in columns), "|")
    for pair in found:
        print(pair.row)
    print(f"\n{summary(found, checkers)}")


def asked() -> list[tuple[str, str, str, dict[str, str]]]:
    """The pairs, each with its family and its known answers, in an order without a meaning."""
    pairs = [
        (family, model, examination, answers)
        for family in FAMILIES
        for (model, examination), answers in known(family).items()
        if examination in EXAMINATIONS
    ]
    return sorted(pairs, key=lambda p: hashlib.sha256(f"{p[1]} {p[2]}".encode()).digest())


def known(family: str) -> dict[tuple[str, str], dict[str, str]]:
    """The known answers of a family by model and examination."""
    answers: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    file = DATA / family / "expected.csv"
    if file.is_file():
        with file.open() as rows:
            for row in csv.DictReader(rows):
                key = row["model"], row["examination"]
                if (row["model"], row["property_id"]) not in MISTAKEN:
                    answers[key][row["property_id"]] = row["expected"]
    return answers


def rows_of(file: str | None, others: int) -> dict[tuple[str, str], Pair]:
    """The rows of a table with so many other programs, by model and examination."""
    pairs: dict[tuple[str, str], Pair] = {}
    if not file:
        return pairs
    for line in Path(file).read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != len(COLUMNS) + 3 * others + 1 or not cells[2].isdigit():
            continue
        scores = [score(cells[i : i + 3]) for i in range(4, len(cells) - 1, 3)]
        plait, *theirs = scores
        assert plait is not None
        model, examination, of, limit = cells[:4]
        pairs[model, examination] = Pair(
            model, examination, int(of), float(limit), plait, tuple(theirs), cells[-1]
        )
    return pairs


def score(cells: list[str]) -> Score | None:
    """The score that is written in three cells."""
    right, wrong, seconds = cells
    return None if right == "-" else Score(int(right), int(wrong.strip("*") or 0), float(seconds))


def unpacked(family: str, model: str, place: Path) -> Path:
    """The folder of a model; those of the second set are in archives."""
    if family == "mcc":
        return DATA / family / model
    folder = place / model
    if not folder.is_dir():
        with tarfile.open(DATA / family / f"{model}.tgz") as archive:
            archive.extractall(place, filter="data")
    return folder


def measured(
    folder: Path, examination: str, answers: dict[str, str], checkers: list[Checker], limit: float
) -> Pair:
    """Run one examination, and the other programs on it, and compare all with what is known."""
    command = [
        sys.executable, "-m", "plait", "mcc", examination, str(folder),
        "--timeout", str(limit), "--memory", MEMORY,
    ]  # fmt: skip
    start = time.monotonic()
    done = run(command, folder, 2 * limit + 60)
    seconds = time.monotonic() - start
    given: dict[str, str] = {}
    for line in done.text.splitlines():
        words = line.split()
        if len(words) > 2 and words[0] in ("FORMULA", "STATE_SPACE"):
            given[words[1]] = words[2]
    ours = compared(given, answers, seconds)
    reason = "" if ours.right + ours.wrong == len(answers) else why_not(done.status, done.text)
    others = []
    for checker in checkers:
        theirs = None
        if checker.reads(folder, examination):
            said, took = checker.answers(folder, examination, limit)
            theirs = compared(said, answers, took)
        others.append(theirs)
    return Pair(folder.name, examination, len(answers), limit, ours, tuple(others), reason)


def compared(given: dict[str, str], answers: dict[str, str], seconds: float) -> Score:
    """How many of the known answers were given, and how many others."""
    said = {
        name: given[name]
        for name in answers
        if given.get(name, "CANNOT_COMPUTE") != "CANNOT_COMPUTE"
    }
    right = sum(value == answers[name] for name, value in said.items())
    return Score(right, len(said) - right, seconds)


def why_not(status: int, text: str) -> str:
    """Why something stayed unanswered, as far as the run says so."""
    if status < 0:
        return f"ended by signal {-status}"
    told = [line for line in text.splitlines() if line.startswith(("CANNOT_COMPUTE ", "plait:"))]
    return told[0] if told else "out of time or memory"


def summary(pairs: list[Pair], checkers: list[Checker]) -> str:
    """How many answers each program has by examination; of the others, where they know it."""
    columns = ["examination", "pairs", "whole", "formulas", "right", "wrong"]
    columns += [c for o in checkers for c in (f"formulas {o.name} can read", "right", "wrong")]
    lines = [f"| {' | '.join(columns)} |", f"| {' | '.join('---' for _ in columns)} |"]
    for examination in [*EXAMINATIONS, "all"]:
        of = [p for p in pairs if examination in (p.examination, "all")]
        if not of:
            continue
        whole = sum(p.whole for p in of)
        cells = [examination, len(of), whole, *sums([(p.asked, p.plait) for p in of])]
        for i in range(len(checkers)):
            cells += sums([(p.asked, theirs) for p in of if (theirs := p.others[i])])
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join([*lines, "", f"At most {LIMITS[-1]:g} s and {MEMORY} a pair."])


def sums(scores: list[tuple[int, Score]]) -> list[int]:
    """How many formulas there are, right answers and wrong ones."""
    return [
        sum(asked for asked, _ in scores),
        sum(score.right for _, score in scores),
        sum(score.wrong for _, score in scores),
    ]


__all__ = ["main"]
