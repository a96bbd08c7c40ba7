"""`plait dependency`: how the events of a model depend on each other."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from plait import __version__, passes
from plait.cli import options
from plait.cli.output import print_lines, write_json
from plait.cli.status import HOLDS
from plait.engines.explicit.dependency import Dependency, Touch, dependency
from plait.errors import error
from plait.model.arithmetic import INT_MAX, INT_MIN
from plait.model.findings import did_you_mean
from plait.model.shape import shape_of
from plait.model.types import Model
from plait.report.data import SCHEMA

HELP = "show which events of a model depend on each other"
EXAMPLE = """\
examples:
  plait dependency philosophers.gal
  plait dependency philosophers.gal -D N=5 --json -
  plait dependency philosophers.gal --at "left[0]=1" --at "fork[0]=0"

In the table, X means that two events do not accord where both are enabled (they do not commute, or
one disables the other); e, that they accord, but one can enable the other; a dot, that they are
independent in every state. With --at the table is about one state, the initial one with these
changes, and X means dependent there.
"""
MOST_NAMED = 8
"""Cells that a hint names."""
MOST_IN_TABLE = 60
"""A table with more columns would be read by nobody."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    options.add_model(parser)
    options.add_json(parser)
    parser.add_argument(
        "--at",
        metavar="CELL=VALUE",
        action="append",
        default=[],
        help="ask about one state: the initial one with this value; may be repeated",
    )
    options.add_net_forms(parser)


def run(arguments: argparse.Namespace) -> int:
    """Analyse and print."""
    model = options.load_model(arguments)
    flat = passes.flat(model).model
    found = dependency(flat, _state(flat, arguments.at) if arguments.at else None)
    if arguments.json is not None:
        write_json(document(model.name, found), arguments.json)
    if arguments.json != "-":
        print_lines(list(lines(found)))
    return HOLDS


def _state(flat: Model, changes: Sequence[str]) -> list[int]:
    """The initial state with some values changed."""
    shape = shape_of(flat)
    cells, state = list(shape.cells()), list(shape.initial())
    for change in changes:
        name, sign, value = change.rpartition("=")
        if not sign or not re.fullmatch(r"[+-]?[0-9]{1,10}", value):
            raise error(f"'{change}' is not CELL=VALUE")
        if name not in cells:
            some = f"there are: {', '.join(cells[:MOST_NAMED])}"
            more = f", and {len(cells) - MOST_NAMED} more" if len(cells) > MOST_NAMED else ""
            hint = did_you_mean(name, cells) or f"{some}{more}"
            raise error(f"no cell '{name}' that can change", hint=hint)
        if not INT_MIN <= int(value) <= INT_MAX:
            raise error(f"'{value}' is not a 32-bit integer")
        state[cells.index(name)] = int(value)
    return state


def document(model: str, found: Dependency) -> dict[str, Any]:
    """The document of `plait dependency`; related events are numbers in the list of events.

    Events of one title are told apart by `variant`, which counts from 1.
    """
    return {
        "schema": SCHEMA,
        "model": model,
        "plait": __version__,
        "processes": list(found.processes),
        "events": [
            {
                "event": title,
                "variant": variant,
                "touches": {
                    t.cell: {"effect": t.effect, "amount": t.amount, "values": t.values}
                    | {"reads": t.reads}
                    for t in touches
                },
                "conflict": list(conflict),
                "depend": list(depend),
            }
            | ({} if found.here is None else {"here": list(found.here[number])})
            for number, (title, (variant, _), touches, conflict, depend) in enumerate(
                zip(
                    found.events,
                    found.variants,
                    found.touches,
                    found.conflict,
                    found.depend,
                    strict=True,
                )
            )
        ],
    }


def lines(found: Dependency) -> list[str]:
    """The events with what they touch, then the table."""
    rows = ["events"]
    listed = zip(found.events, found.variants, found.touches, strict=True)
    for number, (title, (variant, of), touches) in enumerate(listed):
        which = f" ({variant} of {of})" if of > 1 else ""
        rows.append(f"  {number:>3} {title}{which}: {', '.join(map(_touch, touches)) or 'nothing'}")
    if found.processes:
        rows += ["", f"program counters: {', '.join(found.processes)}"]
    count = len(found.events)
    if found.here is not None:
        dependent = sum(b > a for a, row in enumerate(found.here) for b in row)
        rows += ["", f"in this state {dependent} of {count * (count - 1) // 2} pairs are dependent"]
        return [*rows, "", *_table(found)] if count <= MOST_IN_TABLE else rows
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
    effect |= {"set": f" := {t.amount}", "write": " := ?", "reflect": f" := {t.amount} - it"}
    test = "" if t.values is None else _test(t.values)
    return f"{t.cell}{test}{effect[t.effect]}{' read' if t.reads else ''}"


def _test(values: Sequence[Sequence[int]]) -> str:
    """The values for which an event may happen; of all but a few, these few."""
    if not values:
        return " never"
    if values[0][0] == INT_MIN and values[-1][1] == INT_MAX:
        left_out = [(below[1] + 1, above[0] - 1) for below, above in pairwise(values)]
        return f" not in {_spans(left_out)}" if left_out else ""
    return f" in {_spans(values)}"


def _spans(values: Sequence[Sequence[int]]) -> str:
    """`0|3..5|7..`: numbers and intervals, without the ends of what a cell can hold."""
    ends = {INT_MIN: "", INT_MAX: ""}
    return "|".join(
        str(low) if low == high else f"{ends.get(low, low)}..{ends.get(high, high)}"
        for low, high in values
    )


def _table(found: Dependency) -> list[str]:
    count = len(found.events)
    rows = ["     " + " ".join(f"{n % 100:>2}" for n in range(count))]
    for a in range(count):
        conflict, depend = set(found.conflict[a]), set(found.depend[a])
        if found.here is not None:
            conflict = depend = set(found.here[a])
        marks = ["X" if b in conflict else "e" if b in depend else "." for b in range(count)]
        rows.append(f"{a:>4} " + " ".join(f"{m:>2}" for m in marks))
    return rows
