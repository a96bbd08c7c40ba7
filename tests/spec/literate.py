"""Literate tests: Markdown pages whose models are executed and whose answers are checked.

A page is prose with fenced blocks. A block whose language is `gal`, `pnml` or `promela` is a model
and starts a *case*, named by the heading above it; the blocks below it say what must come out:

- `expect`: one expectation a line: `states 3`, `arcs 5`, `deadlocks 0`, `max_value 3`, `max_sum 4`,
  `free: true`, `b: 0..5` (a bounds property), `b: undefined`, `trace p: up, up, reset` (the events
  of a shortest trace) and `left out crash: 1` (steps that an undefined operation swallowed).
  Constants after the word `expect` override those of the model: `expect N=4`.
- `formula`: lines `AG EF x == 0  => true`, read as on the command line (`plait check -f`);
  `formula textbook` asks the reference for CTL over infinite paths only.
- `bounded`: lines `safe: k-induction, k = 3`, `p: false after 4 steps`, `q: unknown`: what the
  bounded engine says, with `depth=6` after the word within so many steps.
- `values`: lines `7 / -2  => -3` or `1 / 0  => undefined`: an expression in the initial state.
- `error`: the diagnostics of a wrong model, exactly as the command line prints them.
- `warning`: the same for a model that is accepted with a warning.
- `printed`: the model as `plait convert --to gal` prints it.

A block `gal file=lib.gal` is not a case but a file beside the model that follows it, for imports.
Blocks in other languages (`sh`, `text`, ...) are prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

LANGUAGES = ("gal", "pnml", "promela")
CHECKS = ("expect", "formula", "bounded", "values", "error", "warning", "printed")
FENCE = re.compile(r"^(?P<fence>`{3,})(?P<info>.*)$")
HEADING = re.compile(r"^#+\s+(?P<title>.*?)\s*$")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, the words after it, its lines, and where it begins."""

    language: str
    arguments: tuple[str, ...]
    lines: tuple[str, ...]
    line: int

    @property
    def text(self) -> str:
        """The block as it would stand in a file of its own."""
        return "".join(f"{line}\n" for line in self.lines)

    @property
    def settings(self) -> dict[str, str]:
        """The `name=value` words after the language."""
        return {name: value for name, _, value in (a.partition("=") for a in self.arguments)}

    def statements(self) -> Iterator[tuple[int, str]]:
        """The lines that say something, with their place in the page; `#` begins a comment."""
        for number, line in enumerate(self.lines, start=self.line + 1):
            if line.strip() and not line.startswith("#"):
                yield number, line.strip()


@dataclass(frozen=True, slots=True)
class Case:
    """A model of a page, the files beside it, and what is said about it."""

    page: Path
    heading: str
    model: Block
    files: Mapping[str, str]
    checks: tuple[Block, ...]

    @property
    def place(self) -> str:
        """Page and line, for messages."""
        return f"{self.page.name}:{self.model.line}"

    def of(self, language: str) -> list[Block]:
        """The checks of one kind."""
        return [b for b in self.checks if b.language == language]

    def write(self, folder: Path) -> Path:
        """Write the model and the files beside it; gives the path of the model."""
        for name, text in self.files.items():
            (folder / name).write_text(text, encoding="utf-8")
        path = folder / f"model.{self.model.language}"
        path.write_text(self.model.text, encoding="utf-8")
        return path


class PageError(Exception):
    """A page that cannot be read as a test: the page is wrong, not the tool."""


def read_page(path: Path) -> list[Case]:
    """The cases of a page, in order."""
    cases: list[Case] = []
    files: dict[str, str] = {}
    for heading, block in blocks(path):
        if block.language in LANGUAGES and "file" in block.settings:
            files[block.settings["file"]] = block.text
        elif block.language in LANGUAGES:
            cases.append(Case(path, heading, block, files, ()))
            files = {}
        elif block.language in CHECKS:
            if not cases:
                raise PageError(f"{path.name}:{block.line}: this block follows no model")
            last = cases[-1]
            checks = (*last.checks, block)
            cases[-1] = Case(path, last.heading, last.model, last.files, checks)
    for case in cases:
        if not case.checks:
            raise PageError(f"{case.place}: nothing is said about this model")
    return cases


def names(cases: list[Case]) -> list[str]:
    """A name for each case, from its page and heading; a repeated heading gets a number."""
    seen: dict[str, int] = {}
    result = []
    for case in cases:
        slug = re.sub(r"[^a-z0-9]+", "-", case.heading.lower()).strip("-")
        name = f"{case.page.stem}/{slug}"
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return result


def blocks(path: Path) -> Iterator[tuple[str, Block]]:
    """Every fenced block with the heading above it."""
    heading = path.stem
    opened: tuple[int, str, str] | None = None
    lines: list[str] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        fence = FENCE.match(line)
        if opened is None:
            if fence is not None:
                opened = (number, fence["fence"], fence["info"])
                lines = []
            elif (title := HEADING.match(line)) is not None:
                heading = title["title"]
        elif fence is not None and fence["fence"] == opened[1] and not fence["info"].strip():
            language, *arguments = opened[2].split() or [""]
            yield heading, Block(language, tuple(arguments), tuple(lines), opened[0])
            opened = None
        else:
            lines.append(line)
    if opened is not None:
        raise PageError(f"{path.name}:{opened[0]}: this block is never closed")
