"""`plait compare`: every method that applies to a property, and a table of what each says."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

from plait import __version__
from plait.cli import engine_options, options
from plait.cli.check import add_properties, chosen
from plait.cli.deadline import deadline
from plait.cli.output import print_lines, write_json
from plait.cli.progress import progress_line
from plait.cli.status import INTERRUPTED, UNKNOWN, status_of
from plait.engines.budget import Budget, Listener
from plait.engines.compared import Row, compared, contradiction, first
from plait.errors import LimitReached
from plait.model.types import Model, Property
from plait.records import replace
from plait.report.answer import Answer
from plait.report.data import SCHEMA, formula_text
from plait.report.numbers import size
from plait.report.text import VERDICTS, question_text, reason_text

HELP = "check properties with every method that applies, and print a table"
EXAMPLE = """\
examples:
  plait compare producers-consumers.mil
  plait compare producers-consumers.mil -f 'G F buffer > 1' --timeout 60
  plait compare philosophers.gal -p free --depth 20 --json table.json
  plait compare producers-consumers.mil --first

--timeout is for each method (default: 10 seconds), since some methods do not end where there is
nothing to find. With --first it is for all methods together. The exit status is that of plait
check, by what any method found.
"""
EACH = 10.0
"""Seconds that a method has unless somebody says otherwise."""
FIGURES = ("k", "pairs", "product_states", "states", "depth")
"""What says best how much a method had to look at: the first that it tells."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    options.add_model(parser)
    add_properties(parser)
    parser.add_argument(
        "--first",
        action="store_true",
        help="run all methods at the same time, and stop when one has an answer",
    )
    engine_options.add_depth(parser)
    options.add_limits(parser)
    options.add_json(parser)
    options.add_net_forms(parser)


def run(arguments: argparse.Namespace) -> int:
    """Compare, and print a table for each property as soon as it is known."""
    with deadline(arguments.timeout):
        model = options.load_model(arguments)
        properties = chosen(model, arguments)
    found: list[tuple[Property, list[Row]]] = []
    interrupted = False
    for p in properties:
        rows: list[Row] = []
        found.append((p, rows))
        try:
            with progress_line(arguments.json == "-") as listen:
                rows.extend(_rows(model, p, arguments, listen))
        except LimitReached:
            pass  # what is not known stays unknown
        except KeyboardInterrupt:
            interrupted = True
        if arguments.json != "-":
            print_lines([*([""] if len(found) > 1 else []), *_table(p, rows)])
        if interrupted or any(_is_interrupted(row) for row in rows):
            interrupted = True
            break
    if arguments.json is not None:
        write_json(_document(model.name, found), arguments.json)
    if interrupted:
        return INTERRUPTED
    if any(contradiction(rows) for _, rows in found):
        return UNKNOWN
    return status_of([_decided(p, rows) for p, rows in found])


def _rows(
    model: Model, p: Property, arguments: argparse.Namespace, listen: Listener | None
) -> Iterator[Row]:
    """What is found out about one property."""
    if arguments.first:
        row = first(model, p, options.budget(arguments), depth=arguments.depth)
        if row is not None:
            yield row
        return

    def limits() -> Budget:
        given = options.budget(arguments)
        return given if given.timeout is not None else Budget(EACH, given.memory)

    yield from compared(model, p, limits, depth=arguments.depth, listen=listen)


def _is_interrupted(row: Row) -> bool:
    return row.answer is not None and row.answer.reason == "interrupted"


def _decided(p: Property, rows: Sequence[Row]) -> Answer:
    """The answer of any method that has one."""
    known = (row.answer for row in rows if row.answer is not None)
    answer = next((a for a in known if a.verdict != "unknown"), None)
    return Answer(p, "unknown", "none") if answer is None else replace(answer, property=p)


def _table(p: Property, rows: Sequence[Row]) -> Iterator[str]:
    yield f"{p.name}: {question_text(p)}"
    cells = [("method", "verdict", "seconds", "memory", "plait check", "looked at")]
    for row in rows:
        answer = row.answer
        if answer is None:
            cells.append((row.way.name, "-", "-", "-", row.way.options, row.refusal or ""))
            continue
        figure = next((f for f in FIGURES if isinstance(answer.stats.get(f), int)), None)
        looked = "" if figure is None else f"{figure} {answer.stats[figure]:,}"
        verdict = VERDICTS[answer.verdict]
        if answer.verdict == "unknown":
            looked = ", ".join(t for t in (reason_text(answer.reason), looked) if t)
        seconds, memory = f"{answer.seconds:.2f}", size(answer.peak_memory_bytes)
        cells.append((row.way.name, verdict, seconds, memory, row.way.options, looked))
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    for line in cells:
        yield "  " + "  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip()
    wrong = contradiction(rows)
    if wrong is not None:
        yield f"  {wrong}"


def _document(model: str, found: Sequence[tuple[Property, Sequence[Row]]]) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "model": model,
        "plait": __version__,
        "properties": [
            {"name": p.name, "formula": formula_text(p), "methods": [_entry(row) for row in rows]}
            for p, rows in found
        ],
    }


def _entry(row: Row) -> dict[str, Any]:
    told: dict[str, Any] = {"method": row.way.name, "options": row.way.options}
    answer = row.answer
    if answer is None:
        return {**told, "verdict": None, "refused": row.refusal}
    return {
        **told,
        "verdict": answer.verdict,
        "reason": answer.reason,
        "seconds": answer.seconds,
        "memory": answer.peak_memory_bytes,
        "replayed": answer.replayed,
        "stats": dict(answer.stats),
    }
