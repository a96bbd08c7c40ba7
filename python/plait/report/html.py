"""Answers as a web page: a table of the properties, and each witness as a trace to walk along.

The document in the page is the one that `plait check --json` writes, and everything shown is made
of it; the card beside it has the names of values and the source.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.hints import Any
from plait.report.card import answers_card
from plait.report.checked import Checked
from plait.report.data import check_document
from plait.report.page import page
from plait.report.sweep import sweep_document
from plait.report.text import check_lines

DOCUMENT = "plait-document"
CARDS = "plait-cards"


def check_page(run: Checked) -> str:
    """The page of `plait check --html`."""
    return _page(run.model, check_document(run.model, run.answers), [run])


def sweep_page(name: str, runs: Sequence[Checked], interrupted: bool) -> str:
    """The page of all runs of a sweep."""
    return _page(name, sweep_document(name, runs, interrupted), runs)


def _page(name: str, document: dict[str, Any], runs: Sequence[Checked]) -> str:
    cards = [answers_card(r.system, r.answers) | {"problem": r.problem} for r in runs]
    lines = [line for run in runs for line in _lines(run)]
    data = {DOCUMENT: document, CARDS: cards}
    return page(f"{name} - Plait", ["report"], data, without_script=lines)


def _lines(run: Checked) -> list[str]:
    problem = [] if run.problem is None else [*run.problem.splitlines(), ""]
    values = [", ".join(f"{name}={value}" for name, value in run.values), ""]
    return [
        *(values if run.values else []),
        *problem,
        *check_lines(run.answers, view=run.view, seconds=run.seconds),
        "",
    ]


__all__ = ["CARDS", "DOCUMENT", "check_page", "sweep_page"]
