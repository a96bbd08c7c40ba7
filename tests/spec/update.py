"""Write again what the tool prints into the pages; run it, then read the diff.

Messages, canonical forms and the sessions of the tutorial are exact texts; when a wording changes,
this puts the new one in its place. Verdicts and counts (`expect`, `formula`, `values`) are never
touched: they are claims of the author.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from literate import Block, Case, read_page
from sessions import TUTORIAL, prepare, run, sessions, stable

from plait import engines
from plait.errors import InputError
from plait.lang import gal, load
from plait.model.types import Model
from plait.model.validate import validate

PAGES = sorted(Path(__file__).parent.glob("*/*.md"))


def main() -> None:
    """Update all pages."""
    for page in PAGES:
        replace_blocks(page, list(_page_texts(page)))
    with tempfile.TemporaryDirectory() as name:
        folder = prepare(Path(name))
        replace_blocks(TUTORIAL, list(_tutorial_texts(folder)))


def replace_blocks(page: Path, texts: list[tuple[Block, str]]) -> None:
    """Put other texts into blocks of a page, the last block first so that lines stay right."""
    lines = page.read_text(encoding="utf-8").split("\n")
    for block, text in reversed(texts):
        lines[block.line : block.line + len(block.lines)] = text.rstrip("\n").split("\n")
    page.write_text("\n".join(lines), encoding="utf-8")


def _page_texts(page: Path) -> Iterator[tuple[Block, str]]:
    for case in read_page(page):
        for block in case.checks:
            if block.language in ("error", "warning", "printed"):
                with tempfile.TemporaryDirectory() as name:
                    yield block, _printed(case, block.language, Path(name))


def _printed(case: Case, language: str, folder: Path) -> str:
    """What the tool prints about a model, with the bare name of its file."""
    path = case.write(folder)
    try:
        model: Model = load(path)
        if language == "printed":
            return gal.print_model(model)
        if language == "error":
            engines.states(model)
        warnings = [d for d in validate(model) if d.severity == "warning"]
        text = InputError(*warnings).render()
    except InputError as failure:
        text = failure.render()
    return text.replace(f"{path.parent}/", "")


def _tutorial_texts(folder: Path) -> Iterator[tuple[Block, str]]:
    for command, block in sessions():
        output, _ = run(command, folder)
        # A session that differs in measured figures only stays as it is.
        yield block, block.text if stable(output) == stable(block.text) else output


if __name__ == "__main__":
    main()
