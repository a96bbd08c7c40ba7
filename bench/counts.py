"""Every published number of states of a GAL model or a net: do we find it, and what does it take?

The models are those beside the project, with their answers; without them there is nothing to run.
`python -m bench counts > bench/results/counts.md` renews the table; it takes hours at worst, so it
runs only when it is named. `PLAIT_BENCH_SECONDS` is the limit of a run in seconds of the processor,
`PLAIT_BENCH_ENGINE` the engine, and `PLAIT_BENCH_BEFORE` a table that was not finished: its rows
are taken over, and the run goes on after them. What the engine does not count, `auto` is asked for:
so too whether there is no bound at all, which no set of states can show.
"""

from __future__ import annotations

import csv
import json
import os
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bench.measure import limits, run

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
LIMIT = limits(60)[0]
ENGINE = os.environ.get("PLAIT_BENCH_ENGINE", "symbolic")
MEMORY = "4G"
VERDICTS = ("right", "WRONG", "no bound", "unknown", "refused")
COLUMNS = ("model", "states", "found", "order or way", "seconds", "peak nodes", "MB")


def main() -> None:
    """Print the table, then how many are right."""
    found: Counter[str] = Counter()
    before = rows_of(os.environ.get("PLAIT_BENCH_BEFORE"))
    print("|", " | ".join(COLUMNS), "|")
    print("|", " | ".join("---" for _ in COLUMNS), "|")
    with tempfile.TemporaryDirectory() as place:
        for family in ("gal", "mcc", "mcc-extra"):
            for model, states in published(family):
                known = before.get(model)
                row, verdict = known or measured(family, model, states, Path(place))
                found[verdict] += 1
                print(row, flush=True)
    summary = ", ".join(f"{count} {verdict}" for verdict, count in sorted(found.items()))
    limits = f"at most {LIMIT:.0f} s of the processor and {MEMORY} a model"
    print(f"\nEngine {ENGINE}, {limits}: {summary}.")


def rows_of(file: str | None) -> dict[str, tuple[str, str]]:
    """The rows of a table by model, each with its verdict in a word; none without a file."""
    if not file:
        return {}
    lines = [line for line in Path(file).read_text().splitlines() if line.startswith("| ")]
    rows = {line.split(" | ")[0].removeprefix("| "): line for line in lines}
    found = {model: (row, row.split(" | ")[2].split(" (")[0]) for model, row in rows.items()}
    return {model: known for model, known in found.items() if known[1] in VERDICTS}


def published(family: str) -> Iterator[tuple[str, str]]:
    """The models of a family whose number of states somebody has published."""
    file = DATA / family / "expected.csv"
    if not file.is_file():
        return
    with file.open() as rows:
        answers = {
            row["model"]: row["expected"]
            for row in csv.DictReader(rows)
            if (row["examination"], row["property_id"]) == ("StateSpace", "STATES")
        }
    yield from sorted(answers.items())


def source(family: str, model: str, place: Path) -> Path:
    """The file of a model; the nets of the second set are in archives."""
    if family == "gal":
        return DATA / family / f"{model}.gal"
    if family == "mcc":
        return DATA / family / model / "model.pnml"
    with tarfile.open(DATA / family / f"{model}.tgz") as archive:
        net = archive.extractfile(f"{model}/model.pnml")
        assert net is not None
        file = place / "model.pnml"
        file.write_bytes(net.read())
    return file


def measured(family: str, model: str, states: str, place: Path) -> tuple[str, str]:
    """The row of a model, and the verdict in a word."""
    row, verdict = asked(ENGINE, family, model, states, place)
    if verdict != "unknown" or ENGINE == "auto":
        return row, verdict
    again = asked("auto", family, model, states, place)
    return (row, verdict) if again[1] == "unknown" else again


def asked(engine: str, family: str, model: str, states: str, place: Path) -> tuple[str, str]:
    """The row of a model by one engine, and the verdict in a word."""
    result = place / "result.json"
    result.unlink(missing_ok=True)
    command = [
        sys.executable, "-m", "plait", "states", str(source(family, model, place)),
        "--engine", engine, "--timeout", str(10 * LIMIT), "--memory", MEMORY,
        "--quiet", "--json", str(result),
    ]  # fmt: skip
    done = run(command, place, LIMIT)
    if not result.exists() and done.status < 0:
        return f"| {model} | {states} | unknown (time) | | {done.seconds:.2f} | | |", "unknown"
    if not result.exists():
        return f"| {model} | {states} | refused (status {done.status}) | | | | |", "refused"
    document = json.loads(result.read_text())
    stats, reason = document["stats"], document["reason"]
    if document["complete"]:
        verdict = "right" if document["states"] == states else "WRONG"
    else:
        no_bound = states == "+inf" and str(reason).startswith("unbounded")
        verdict = "no bound" if no_bound else "unknown"
    note = verdict if verdict != "unknown" else f"unknown ({reason})"
    other = {"lumped_places": "lumped", "tokens_scaled_by": "scaled"}
    ways = (way for figure, way in other.items() if figure in stats)
    way = stats.get("order", next(ways, document["engine"]))
    nodes = stats.get("peak_nodes", "")
    return (
        f"| {model} | {states} | {note} | {way} | {done.seconds:.2f} | {nodes} | "
        f"{done.megabytes:.0f} |"
    ), verdict


__all__ = ["main"]
