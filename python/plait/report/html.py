"""Answers as a web page: a table of the properties, and each witness as a trace to walk along.

The document in the page is the one that `plait check --json` writes, and everything shown is made
of it; the card beside it has the names of values and the source.
"""

from __future__ import annotations

from plait.report.card import answers_card
from plait.report.checked import Checked
from plait.report.data import check_document
from plait.report.page import page
from plait.report.text import check_lines

DOCUMENT = "plait-document"
CARD = "plait-card"


def check_page(run: Checked) -> str:
    """The page of `plait check --html`."""
    card = answers_card(run.system, run.answers) | {"problem": run.problem}
    data = {DOCUMENT: check_document(run.model, run.answers), CARD: card}
    lines = check_lines(run.answers, view=run.view)
    if run.problem is not None:
        lines[:0] = [*run.problem.splitlines(), ""]
    return page(f"{run.model} - Plait", ["report"], data, without_script=lines)


__all__ = ["CARD", "DOCUMENT", "check_page"]
