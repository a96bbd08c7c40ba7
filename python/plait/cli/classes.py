"""`plait classes`: the state class graph of a time Petri net, in dense time."""

from __future__ import annotations

import argparse
from typing import Any

from plait import __version__
from plait.cli import options
from plait.cli.deadline import deadline
from plait.cli.output import print_lines, write_json, write_text
from plait.cli.status import HOLDS, INTERRUPTED, STOPS, UNKNOWN, reason_of
from plait.errors import error
from plait.lang import TIMED, language_of, load_timed
from plait.lang.files import ensure_readable
from plait.report.data import SCHEMA
from plait.report.numbers import grouped
from plait.report.text import reason_text
from plait.time.classes import ClassGraph, class_graph
from plait.time.net import TimedNet

HELP = "count the state classes of a time Petri net"
EXAMPLE = """\
examples:
  plait classes trains.net
  plait classes trains.net --aut trains.aut

exit status: 0 counted, 2 wrong input, 3 stopped before the end, 130 interrupted
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "model", metavar="MODEL", help="a time Petri net: .net, .ndr or Romeo's .xml"
    )
    parser.add_argument("--aut", metavar="FILE", help="write the graph in Aldebaran's format")
    options.add_limits(parser)
    options.add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Count and print."""
    ensure_readable(arguments.model)
    if language_of(arguments.model) not in TIMED:
        raise error(
            f"{arguments.model} is not a time Petri net: .net, .ndr or Romeo's .xml",
            hint="plait states counts the states of all other models",
        )
    limits = options.budget(arguments)
    try:
        with deadline(arguments.timeout):
            net = load_timed(arguments.model)
            options.warn(net.warnings)
            graph = class_graph(net, limits)
    except STOPS as stop:
        reason = reason_of(stop)
        print_lines([f"unknown: {reason_text(reason)}"])
        return INTERRUPTED if reason == "interrupted" else UNKNOWN
    if arguments.aut is not None:
        write_text(aldebaran(net, graph), arguments.aut)
    if arguments.json is not None:
        write_json(document(net.name, graph), arguments.json)
    if arguments.json != "-" and arguments.aut != "-":
        print_lines(lines(graph))
    return HOLDS


def figures(graph: ClassGraph) -> dict[str, int]:
    """What is counted."""
    return {
        "classes": len(graph.classes),
        "arcs": graph.arc_count,
        "markings": len(graph.markings),
        "dead": graph.dead,
    }


def document(model: str, graph: ClassGraph) -> dict[str, Any]:
    """The document of `plait classes`."""
    return {"schema": SCHEMA, "model": model, "plait": __version__, **figures(graph)}


def lines(graph: ClassGraph) -> list[str]:
    """The figures as a table."""
    return [f"{name:<9} {grouped(value)}" for name, value in figures(graph).items()]


def aldebaran(net: TimedNet, graph: ClassGraph) -> str:
    """The graph as a text: a head, then a line for each arc."""
    arcs = [
        f"({before},{_quoted(net.events[event].name)},{after})"
        for before, found in enumerate(graph.arcs)
        for event, after in found
    ]
    return "\n".join([f"des(0,{graph.arc_count},{len(graph.classes)})", *arcs]) + "\n"


def _quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
