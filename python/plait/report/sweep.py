"""Runs of one model with different parameters, side by side: a table, and one document.

The growth of a row is its number of states divided by that of the row before, where both are known
and nothing but the last parameter differs: what the next value will cost can be read off it.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait import __version__
from plait.hints import Any
from plait.records import dataclass
from plait.report.answer import StateSpace
from plait.report.checked import Checked
from plait.report.data import SCHEMA, check_document, states_document
from plait.report.numbers import brief, size
from plait.report.text import VERDICTS, finding_lines, notes, reason_text, verdict_text

WIDEST = 60
"""Verdicts of all properties stand in columns of their own where these are no wider together."""
Values = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Counted:
    """The state space of a model with these parameters, or why it has none."""

    values: Values
    space: StateSpace | None = None
    problem: str | None = None


def sweep_document(
    model: str, runs: Sequence[Checked] | Sequence[Counted], interrupted: bool
) -> dict[str, Any]:
    """Of each run its parameters, and the document that it would have written alone."""
    return {
        "schema": SCHEMA,
        "model": model,
        "plait": __version__,
        "interrupted": interrupted,
        "runs": [
            {
                "values": dict(run.values),
                "problem": run.problem,
                "document": _document(model, run),
            }
            for run in runs
        ],
    }


def _document(model: str, run: Checked | Counted) -> dict[str, Any] | None:
    if isinstance(run, Counted):
        return None if run.space is None else states_document(model, run.space)
    return None if run.problem and not run.answers else check_document(run.model, run.answers)


def states_table(runs: Sequence[Counted]) -> list[str]:
    """A row for each run of `plait states`."""
    spaces = [run.space for run in runs]
    values = [run.values for run in runs]
    growths = _growths(values, [s.states if s is not None and s.complete else None for s in spaces])
    rows = [["states", "growth", "arcs", "deadlocks", "time", "memory", ""]]
    for run, growth in zip(runs, growths, strict=True):
        s = run.space
        if s is None:
            rows.append([*[""] * 6, _short(run.problem)])
            continue
        about = "" if s.complete else "at least "
        states = f"about {s.magnitude}" if s.states is None else about + brief(s.states)
        arcs, deadlocks = ("" if n is None else brief(n) for n in (s.arcs, s.deadlocks))
        why = "" if s.reason is None else reason_text(s.reason)
        memory = size(s.peak_memory_bytes)
        rows.append([states, growth, arcs, deadlocks, f"{s.seconds:.2f} s", memory, why])
    told = dict.fromkeys(f"note: {note}" for s in spaces if s is not None for note in s.notes)
    return [*_table(values, rows), *told]


def check_table(runs: Sequence[Checked]) -> list[str]:
    """A row for each run of `plait check`."""
    names = list(dict.fromkeys(a.property.name for run in runs for a in run.answers))
    verdicts = [{a.property.name: verdict_text(a) for a in run.answers} for run in runs]
    widths = [max(len(v.get(n, "")) for v in (*verdicts, {n: n})) for n in names]
    apart = sum(widths) + 2 * len(widths) <= WIDEST
    sizes = [_looked_at(run) for run in runs]
    whole = [size if complete else None for size, complete in sizes]
    growths = _growths([run.values for run in runs], whole)
    rows = [[*(names if apart else ["verdicts"]), "states", "growth", "time", "memory", ""]]
    for run, said, (seen, complete), growth in zip(runs, verdicts, sizes, growths, strict=True):
        cells = [said.get(n, "-") for n in names] if apart else [_counts(run)]
        used = ["", ""]
        if run.answers:
            memory = size(max(a.peak_memory_bytes for a in run.answers))
            took = max(a.seconds for a in run.answers) if run.seconds is None else run.seconds
            used = [f"{took:.2f} s", memory]
        looked = "" if seen is None else ("" if complete else "at least ") + brief(seen)
        rows.append([*cells, looked, growth, *used, _short(run.problem)])
    return _table([run.values for run in runs], rows)


def first_findings(runs: Sequence[Checked], *, full: bool = False) -> list[str]:
    """Of each violated property the first run that shows it, and the notes of all runs."""
    lines: list[str] = []
    shown: set[str] = set()
    for run in runs:
        for a in run.answers:
            if a.verdict == "false" and a.property.name not in shown:
                shown.add(a.property.name)
                lines += ["", f"with {values_text(run.values)}:", *finding_lines(a, full=full)]
    told = notes([a for run in runs for a in run.answers])
    return [*lines, *(["", *told] if told else [])]


def values_text(values: Values) -> str:
    """Parameters and their values, as a line says them."""
    return ", ".join(f"{name} = {value}" for name, value in values)


def _short(problem: str | None) -> str:
    """What is wrong, in the words of its first line."""
    first = (problem or "").partition("\n")[0]
    return first.partition("error: ")[2] or first


def _looked_at(run: Checked) -> tuple[int | None, bool]:
    """The most states that were seen for a property, and whether there are no others."""
    found = [
        (n, a.property.kind != "ltl" and a.stats.get("complete") is not False)
        for a in run.answers
        if isinstance(n := a.stats.get("states"), int)
    ]
    return max(found, default=(None, False))


def _counts(run: Checked) -> str:
    counts = {word: sum(a.verdict == v for a in run.answers) for v, word in VERDICTS.items()}
    return ", ".join(f"{n} {word}" for word, n in counts.items() if n)


def _growths(values: Sequence[Values], sizes: Sequence[int | None]) -> list[str]:
    found = [""] if sizes else []
    for i in range(1, len(sizes)):
        before, after = sizes[i - 1], sizes[i]
        alike = values[i - 1][:-1] == values[i][:-1]
        found.append(_ratio(before, after) if before and after and alike else "")
    return found


def _ratio(before: int, after: int) -> str:
    try:
        return f"{after / before:.2f}"
    except OverflowError:
        return ""


def _table(values: Sequence[Values], rows: Sequence[Sequence[str]]) -> list[str]:
    """The rows below their head, with the parameters before them; all but the last to the right."""
    head = [name for name, _ in values[0]] if values else []
    told = [head, *([str(value) for _, value in point] for point in values)]
    cells = [[*parameters, *row] for parameters, row in zip(told, rows, strict=True)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    return ["  ".join(_padded(line, widths)).rstrip() for line in cells]


def _padded(line: Sequence[str], widths: Sequence[int]) -> list[str]:
    *left, last = zip(line, widths, strict=True)
    return [*(c.rjust(w) for c, w in left), last[0]]


__all__ = [
    "Counted",
    "check_table",
    "first_findings",
    "states_table",
    "sweep_document",
    "values_text",
]
