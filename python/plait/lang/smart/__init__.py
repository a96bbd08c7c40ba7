"""SMART's language: programs that define functions, nets and measures, and print.

(Ciardo, Miner: "SMART: Simulation and Markovian analyzer for reliability and timing", 1996; the
language as in Siminiceanu, "Structural model checking", 2003, appendix A.) `plait smart FILE` runs
a program; `program(text).model("net", 3)` gives the model of a net that it defines.
"""

from __future__ import annotations

from pathlib import Path

from plait.engines.budget import Budget
from plait.errors import Source
from plait.lang.files import read_text
from plait.lang.lexer import tokenize
from plait.lang.smart.evaluator import Program
from plait.lang.smart.syntax import LEXICON, read


def load(path: str | Path, budget: Budget | None = None) -> Program:
    """The program in a file."""
    path = Path(path)
    return program(read_text(path), str(path), budget)


def program(text: str, name: str = "program", budget: Budget | None = None) -> Program:
    """The program of a text; a located `InputError` when it is not one. `run` gives its output."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    source = Source(name, text)
    return Program(read(tokenize(source, text, LEXICON)), budget or Budget())


__all__ = ["Program", "load", "program"]
