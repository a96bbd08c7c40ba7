"""`plait order`: the variable orders that the symbolic engine chooses from."""

from __future__ import annotations

import argparse
from typing import Any

from plait import __version__, passes
from plait.cli import options
from plait.cli.output import print_lines, write_json, write_text
from plait.cli.status import HOLDS
from plait.engines.symbolic.attempts import named_order
from plait.engines.symbolic.order_file import write_order
from plait.engines.symbolic.orders import MERGES, Order, Orders
from plait.report.data import SCHEMA

HELP = "rank the variable orders of a model, or write one to a file"
EXAMPLE = """\
examples:
  plait order philosophers.gal
  plait order philosophers.gal --order force --write philosophers.order
  plait states philosophers.gal --engine symbolic --order file:philosophers.order

Small figures are good: spans is the sum, over all events, of the levels between the lowest and the
highest that the event touches; tops is the sum of the highest; score is what the engine ranks by.
"""
MOST_SHOWN = 20
"""Rows of the ranking that are printed; `--json` gives all of them."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    options.add_model(parser)
    parser.add_argument(
        "--order", metavar="NAME", help="the order to write (default: the first of the ranking)"
    )
    parser.add_argument(
        "--merge",
        choices=MERGES,
        default="auto",
        help="which cells share a level (default: auto)",
    )
    parser.add_argument("--write", metavar="FILE", help="write the order to a file")
    options.add_json(parser)
    options.add_net_forms(parser)


def run(arguments: argparse.Namespace) -> int:
    """Rank, print, and write."""
    model = options.load_model(arguments)
    rewritten = passes.flat(model)
    orders = Orders(rewritten.model, rewritten.net)
    ranked = orders.ranked(arguments.merge)
    chosen = arguments.order and named_order(orders, arguments.order, arguments.merge)
    if arguments.write is not None:
        text = "".join(f"{line}\n" for line in write_order(chosen or ranked[0], rewritten.model))
        write_text(text, arguments.write)
    if arguments.json is not None:
        write_json(document(model.name, ranked), arguments.json)
    if arguments.json != "-":
        print_lines(lines([chosen] if chosen else ranked))
    return HOLDS


def document(model: str, ranked: list[Order]) -> dict[str, Any]:
    """The document of `plait order`, best order first."""
    return {
        "schema": SCHEMA,
        "model": model,
        "plait": __version__,
        "orders": [
            {"order": order.name, "levels": len(order.levels), "costs": dict(order.costs)}
            for order in ranked
        ],
    }


def lines(ranked: list[Order]) -> list[str]:
    """The ranking as a table."""
    shown = ranked[:MOST_SHOWN]
    width = max(len(order.name) for order in shown)
    figures = list(shown[0].costs)
    rows = ["  ".join(["order".ljust(width), "levels", *(f"{name:>12}" for name in figures)])]
    for order in shown:
        costs = (f"{order.costs[name]:>12.6g}" for name in figures)
        rows.append("  ".join([order.name.ljust(width), f"{len(order.levels):>6}", *costs]))
    if len(ranked) > len(shown):
        rows.append(f"and {len(ranked) - len(shown)} more")
    return rows
