"""The sessions of the tutorial: its commands, the files they need, and what they print."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from literate import Block, blocks

import plait

ROOT = Path(__file__).resolve().parents[2]
TUTORIAL = ROOT / "docs" / "tutorial.md"
MEASURED = re.compile(r" *(\d+\.\d+ s\b|\d+(\.\d+)? (kB|MB|GB)\b|\d+ bits a state)")
"""Seconds and sizes, which differ from run to run or from one version to the next, and so does how
far in they stand in a column."""


def sessions() -> Iterator[tuple[str, Block]]:
    """Each command of the tutorial with the block of its output."""
    waiting: Block | None = None
    for _, block in blocks(TUTORIAL):
        if block.language == "sh":
            waiting = block
        elif block.language == "text" and waiting is not None:
            yield waiting.text.strip(), block
            waiting = None


def prepare(folder: Path) -> Path:
    """Put into a folder what a reader of the tutorial would have there."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    for _, block in blocks(TUTORIAL):
        if "file" in block.settings:
            (folder / block.settings["file"]).write_text(block.text, encoding="utf-8")
    return folder


def run(command: str, folder: Path) -> tuple[str, int]:
    """What a command prints, and its exit status."""
    program, *arguments = shlex.split(command)
    assert program == "plait"
    done = subprocess.run(
        [sys.executable, "-m", "plait", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(plait.__file__).parents[1])},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    return done.stdout + done.stderr, done.returncode


def stable(text: str) -> str:
    """The text without measured figures."""
    return MEASURED.sub("#", text).rstrip()
