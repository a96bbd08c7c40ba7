"""`plait dependency`: how the events of a model depend on each other."""

from __future__ import annotations

import argparse
from typing import Any

from plait import __version__, passes
from plait.cli import options
from plait.cli.output import print_lines, write_json
from plait.cli.status import HOLDS
from plait.engines.dependency import Dependency, Touch, dependency
from plait.report.data import SCHEMA

HELP = "show which events of a model depend on each other"
EXAMPLE = """\
examples:
  plait dependency philosophers.gal
  plait dependency philosophers.gal -D N=5 --json -

In the table, X: the two do not accord where both are enabled (they do not commute, or one disables
the other); e: they do, but one can enable the other; a dot: independent in every state.
"""
MOST_IN_TABLE = 60
"""A table with more columns would be read by nobody."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    options.add_model(parser)
    options.add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Analyse and print."""
    model = options.load_model(arguments)
    found = dependency(passes.flat(model).model)
    if arguments.json is not None:
        write_json(document(model.name, found), arguments.json)
    if arguments.json != "-":
        print_lines(list(lines(found)))
    return HOLDS


def document(model: str, found: Dependency) -> dict[str, Any]:
    """The document of `plait dependency`; related events are numbers in the list of events."""
    return {
        "schema": SCHEMA,
        "model": model,
        "plait": __version__,
        "processes": list(found.processes),
        "events": [
            {
                "event": title,
                "touches": {
                    t.cell: {"effect": t.effect, "amount": t.amount, "values": t.values}
                    | {"reads": t.reads}
                    for t in touches
                },
                "conflict": list(conflict),
                "depend": list(depend),
            }
            for title, touches, conflict, depend in zip(
                found.events, found.touches, found.conflict, found.depend, strict=True
            )
        ],
    }


def lines(found: Dependency) -> list[str]:
    """The events with what they touch, then the table."""
    rows = ["events"]
    for number, (title, touches) in enumerate(zip(found.events, found.touches, strict=True)):
        rows.append(f"  {number:>3} {title}: {', '.join(map(_touch, touches)) or 'nothing'}")
    if found.processes:
        rows += ["", f"program counters: {', '.join(found.processes)}"]
    count = len(found.events)
    pairs = count * (count - 1) // 2
    conflicts = sum(b > a for a, row in enumerate(found.conflict) for b in row)
    dependent = sum(b > a for a, row in enumerate(found.depend) for b in row)
    rows += [
        "",
        f"{pairs} pairs: {pairs - dependent} independent, {dependent - conflicts} where one only "
        f"enables the other, {conflicts} that do not accord",
    ]
    if count <= MOST_IN_TABLE:
        rows += ["", *_table(found)]
    return rows


def _touch(t: Touch) -> str:
    effect = {"keep": "", "add": f" {'+' if (t.amount or 0) > 0 else ''}{t.amount}"}
    effect |= {"set": f" := {t.amount}", "write": " := ?"}
    test = ""
    if t.values is not None:
        spans = [str(a) if a == b else f"{a}..{b}" for a, b in t.values]
        test = f" in {'|'.join(spans)}" if spans else " never"
    return f"{t.cell}{test}{effect[t.effect]}{' read' if t.reads else ''}"


def _table(found: Dependency) -> list[str]:
    count = len(found.events)
    rows = ["     " + " ".join(f"{n % 100:>2}" for n in range(count))]
    for a in range(count):
        conflict, depend = set(found.conflict[a]), set(found.depend[a])
        marks = ["X" if b in conflict else "e" if b in depend else "." for b in range(count)]
        rows.append(f"{a:>4} " + " ".join(f"{m:>2}" for m in marks))
    return rows
