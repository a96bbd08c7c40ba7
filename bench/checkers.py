"""Other programs that answer the formulas of the Model Checking Contest, where they are on PATH.

- verifypn (TAPAAL) reads the contest's nets and its files of formulas. Two of its strategies run
  side by side, one a core, until the first has answered, as in its authors' scripts.
- its-ctl (ITS-tools) reads GAL and formulas of its own, both written here; P/T nets only, since it
  does not unfold coloured ones. Reachability is asked as EF and AG. It runs forward and backward
  side by side.

All formulas go first into one call with a quarter of the time, then each that is left into a call
of its own with an equal share of the rest, much as the authors' scripts for the contest divide the
hour. A program that cannot read a pair of model and examination has no figure for it. Wrong answers
are counted as wrong, not as answers.
"""

from __future__ import annotations

import math
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree import ElementTree

from plait.lang import load
from plait.lang.gal import print_model
from plait.logic.formula import Exists, Forall, Globally, Next, Until
from plait.logic.formula import Finally as Eventually
from plait.logic.mcc import load_properties
from plait.model.expr import And, Compare, Const, Deadlock, Enabled, Formula, Not, Or, Truth, Var
from plait.model.net import Net, as_net
from plait.model.node import Node, fold
from plait.model.text import show

Ask = Callable[[Path, str, Sequence[int], float], dict[str, str]]
"""What a program says of the formulas of a folder's examination with these numbers, by name, in so
many seconds."""
SPACE = "{http://mcc.lip6.fr/}"
REACHABILITY = ("ReachabilityCardinality", "ReachabilityFireability")
CTL = ("CTLCardinality", "CTLFireability")
REACHING = (["-s", "RPFS"], ["-tar", "-s", "RDFS"])
CHECKING = (["-s", "BestFS"], ["-s", "BFS"])
"""Strategies of verifypn: random and heuristic search, trace abstraction, breadth first."""
DIRECTIONS: tuple[list[str], ...] = ([], ["--backward"])
"""Directions of its-ctl: forward where a formula allows it, or always backward."""
LIMITED = ("prlimit", f"--as={4 << 30}", "stdbuf", "-oL")
"""The memory that Plait has too, and output line by line."""
TICK = 0.05
"""How often the programs of a race are looked at, in seconds."""


@dataclass(frozen=True)
class Checker:
    """A program, the examinations it knows, whether it reads coloured nets, and how it is asked."""

    name: str
    examinations: tuple[str, ...]
    coloured: bool
    ask: Ask

    def reads(self, folder: Path, examination: str) -> bool:
        """Whether it can be asked at all."""
        return examination in self.examinations and (self.coloured or "-COL-" not in folder.name)

    def answers(self, folder: Path, examination: str, limit: float) -> tuple[dict[str, str], float]:
        """What it says of each formula in so many seconds, and how many of the clock it took."""
        start = time.monotonic()
        names = formulas(folder / f"{examination}.xml")
        left = list(range(len(names)))
        given = self.ask(folder, examination, left, limit / 4)
        while left := [n for n in left if names[n] not in given]:
            share = (limit - (time.monotonic() - start)) / len(left)
            if share <= 0:
                break
            given |= self.ask(folder, examination, left[:1], share)
            left = left[1:]
        return given, time.monotonic() - start


def formulas(file: Path) -> list[str]:
    """The names of the formulas of a file, in its order."""
    return [e.text or "" for e in ElementTree.parse(file).iter(f"{SPACE}id")]


def race(
    commands: Sequence[list[str]], folder: Path, limit: float, over: Callable[[str], bool]
) -> list[str]:
    """What programs print side by side until one has said enough, or so many seconds are over."""
    with ExitStack() as stack:
        outputs = [stack.enter_context(tempfile.TemporaryFile("w+")) for _ in commands]
        running = [
            subprocess.Popen(
                [*LIMITED, *command], cwd=folder, stdout=out, stderr=subprocess.DEVNULL
            )
            for command, out in zip(commands, outputs, strict=True)
        ]
        end = time.monotonic() + limit
        texts = [""] * len(commands)
        while True:
            alive = any(process.poll() is None for process in running)
            for i, out in enumerate(outputs):
                out.seek(0)
                texts[i] = out.read()
            if not alive or any(map(over, texts)) or time.monotonic() > end:
                break
            time.sleep(TICK)
        for process in running:
            process.kill()
            process.wait()
    return texts


def _verifypn(
    folder: Path, examination: str, numbers: Sequence[int], limit: float
) -> dict[str, str]:
    def answers(text: str) -> dict[str, str]:
        return dict(re.findall(r"^FORMULA (\S+) (TRUE|FALSE|\d+)\b", text, re.MULTILINE))

    chosen = ",".join(str(n + 1) for n in numbers)
    files = [str(folder / "model.pnml"), str(folder / f"{examination}.xml")]
    # By default it simplifies formulas and reduces the net for a minute each.
    shares = ["-q", str(math.ceil(limit / 5)), "-d", str(math.ceil(limit / 12))]
    ways = REACHING if examination in REACHABILITY else CHECKING
    commands = [["verifypn", "-n", *way, *shares, "-x", chosen, *files] for way in ways]
    texts = race(commands, folder, limit, lambda text: len(answers(text)) == len(numbers))
    return {name: value for text in texts for name, value in answers(text).items()}


def _its_ctl(
    folder: Path, examination: str, numbers: Sequence[int], limit: float
) -> dict[str, str]:
    def values(text: str) -> list[str]:
        return re.findall(r"^Formula is (TRUE|FALSE) !", text, re.MULTILINE)

    model = load(folder / "model.pnml")
    asked = load_properties(folder / f"{examination}.xml", model)
    asked = tuple(asked[n] for n in numbers)
    net = as_net(model)
    assert isinstance(net, Net)
    texts = []
    for p in asked:
        assert isinstance(p.body, Formula)
        quantified = {"reachable": f"EF ({its_text(p.body, net)})"}
        quantified["invariant"] = f"AG ({its_text(p.body, net)})"
        texts.append(f"{quantified.get(p.kind, its_text(p.body, net))};\n")
    with tempfile.TemporaryDirectory() as place:
        gal = plain(print_model(replace(model, name="net", properties=())))
        (Path(place) / "net.gal").write_text(gal)
        (Path(place) / "formulas.ctl").write_text("".join(texts))
        command = ["its-ctl", "-i", "net.gal", "-t", "GAL", "-ctl", "formulas.ctl", "--quiet"]
        commands = [[*command, *way] for way in DIRECTIONS]
        found = race(commands, Path(place), limit, lambda text: len(values(text)) == len(asked))
    return {p.name: v for text in found for p, v in zip(asked, values(text), strict=False)}


def plain(text: str) -> str:
    """A text of GAL without quoted names, which its grammar does not have; labels stay quoted."""

    def bare(quoted: re.Match[str]) -> str:
        return quoted[0] if quoted[1] else re.sub(r"\W", "_", quoted[2])

    return re.sub(r'(label |\.)?"([^"]*)"', bare, text)


def its_text(formula: Formula, net: Net) -> str:
    """A CTL formula as its-ctl reads it: what is said of a state in quotes, in GAL."""

    def visit(node: Node, below: list[str]) -> str:
        match node:
            case Truth(value=value):
                return "TRUE" if value else "FALSE"
            case Deadlock():
                return "!(EX (TRUE))"
            case Enabled(events=events):
                return " + ".join(enabled(net, name) for name in events)
            case Compare():
                return f'"{plain(show(node))}"'
            case Not():
                return f"!({below[0]})"
            case And() | Or():
                return (" * " if isinstance(node, And) else " + ").join(f"({b})" for b in below)
            case Forall() | Exists():
                return ("A" if isinstance(node, Forall) else "E") + below[0]
            case Until():
                return f" (({below[0]}) U ({below[1]}))"
            case Next() | Eventually() | Globally():
                letter = {Next: "X", Eventually: "F", Globally: "G"}[type(node)]
                return f"{letter} ({below[0]})"
        # Parts of comparisons are written with these.
        return ""

    return fold(formula, visit)


def enabled(net: Net, name: str) -> str:
    """That an event of a net can happen."""
    (event,) = [e for e in net.events if e.name == name]
    assert not event.inhibitor
    needs: list[Formula] = [Compare(">=", Var(net.places[p].name), Const(w)) for p, w in event.pre]
    return "(" + " * ".join(f'"{plain(show(need))}"' for need in needs or [Truth(True)]) + ")"


CHECKERS = (
    Checker("verifypn", (*REACHABILITY, *CTL, "UpperBounds"), True, _verifypn),
    Checker("its-ctl", (*REACHABILITY, *CTL), False, _its_ctl),
)


def present() -> list[Checker]:
    """Those that can be run here."""
    return [c for c in CHECKERS if shutil.which(c.name)]
