"""Other programs that count the states of the same nets, where they are on PATH.

- its-reach (libITS) reads GAL: a composite with one part a level where the net has levels, and the
  flat net; the better one counts. Nets with reset arcs are left out.
- pnmc (libsdd) reads PNML; in the order of the file, and in its own (FORCE).
- pnml2lts-sym (LTSmin) reads PNML; in the order of the file, and in its own.
- smart (SMART 3) reads its own language, written here: places in the order of the levels, bounds
  declared.
- dining_phils, kanban and slot (examples of MEDDLY) have their model compiled in.

Two of them print how long they searched: its-reach in its table, MEDDLY's examples for the
next-state function and for the set of states.

Each is run as its authors run it for reachability: saturation, one thread. A program that fails or
runs out of time has no figure; one that counts other states than are known ends the benchmark.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from bench.checkers import plain
from bench.measure import Run, run
from plait.lang import load
from plait.lang.gal import print_model as print_gal
from plait.lang.pnml import print_model as print_pnml
from plait.model.net import Net, as_net
from plait.model.types import Model
from plait.models import entry
from plait.models.decomposition import by_levels
from plait.report.numbers import decimal

MEDDLY = {"philosophers": "dining_phils", "kanban": "kanban", "slotted-ring": "slot"}
BOUNDS: dict[str, Callable[[int], int]] = {
    "philosophers": lambda n: 1,
    "slotted-ring": lambda n: 1,
    "round-robin": lambda n: 1,
    "kanban": lambda n: n,
    "fms": lambda n: max(n, 3),
}
"""How many tokens a place can have: SMART wants to know."""


@dataclass(frozen=True)
class Case:
    """A net to count: one of the library in a size, or one of a file (then `size` is 0)."""

    family: str
    size: int
    file: Path | None = None
    states: int = 0
    """How many states a net of a file has."""

    @property
    def name(self) -> str:
        return self.family if self.file is not None else f"{self.family} {self.size}"

    @property
    def known(self) -> int:
        """How many states there are."""
        if self.file is not None:
            return self.states
        states = entry(self.family).states
        count = None if states is None else states(self.size)
        assert count is not None
        return count

    def model(self) -> Model:
        """The net as a model; a library net is flat."""
        if self.file is not None:
            return load(self.file)
        return entry(self.family).model(self.size, "flat")

    def net(self) -> Net:
        """The net itself."""
        net = as_net(self.model())
        assert isinstance(net, Net)
        return net

    def pnml(self, folder: Path) -> Path:
        """The net in a file of this folder."""
        path = folder / f"{self.name.replace(' ', '-')}.pnml"
        if not path.exists():
            path.write_text(print_pnml(self.model()), encoding="utf-8")
        return path


@dataclass(frozen=True)
class Rival:
    """A program, how it is called on a model, and where it prints the number of states."""

    name: str
    commands: Callable[[Case, Path], list[list[str]]]
    count: re.Pattern[str]
    search: tuple[re.Pattern[str], ...] = ()
    """Where it prints the seconds of making its relation and of searching, which are added up."""

    def searched(self, text: str) -> float | None:
        """The seconds of its search as it printed them; None when it does not say."""
        found = [pattern.search(text) for pattern in self.search]
        if not found or not all(found):
            return None
        return sum(float(match[1]) for match in found if match is not None)

    def best(self, case: Case, folder: Path, limit: float) -> tuple[Run, str] | None:
        """The fastest run that came to an end and the number of states it printed."""
        found = []
        for command in self.commands(case, folder):
            made = run(command, folder, limit)
            printed = self.count.search(made.text)
            if made.status == 0 and printed is not None:
                found.append((made, printed[1].replace(",", "")))
        return min(found, key=lambda f: f[0].seconds, default=None)


def same_number(printed: str, count: int) -> bool:
    """Whether a program printed this number, be it only in floating point."""
    mantissa, _, exponent = printed.partition("e")
    whole, _, fraction = mantissa.partition(".")
    exact = decimal(count)
    magnitude = len(whole) - 1 + int(exponent or 0)
    ours, theirs = (int(digits[:5].ljust(5, "0")) for digits in (exact, whole + fraction))
    return magnitude == len(exact) - 1 and abs(ours - theirs) <= 1


def _its(case: Case, folder: Path) -> list[list[str]]:
    net = case.net()
    if any(e.reset for e in net.events):
        return []
    flat = print_gal(replace(case.model(), properties=()))
    (folder / "flat.gal").write_text(plain(flat))
    ways = [["-i", "flat.gal", "-t", "GAL"]]
    if net.units is not None:
        text = plain(print_gal(by_levels(net)))
        # Its grammar wants a label, be it empty.
        text = re.sub(r"^( *synchronization \S+) \{", r'\1 label "" {', text, flags=re.MULTILINE)
        (folder / "levels.gal").write_text(text)
        ways.append(["-i", "levels.gal", "-t", "CGAL"])
    return [["its-reach", "--quiet", *way] for way in ways]


def _pnmc(case: Case, folder: Path) -> list[list[str]]:
    if not case.net().ordinary:
        return []
    base = ["pnmc", "--format", "pnml", case.pnml(folder).name]
    return [base, [*base, "--order-force"]]


def _ltsmin(case: Case, folder: Path) -> list[list[str]]:
    if not case.net().ordinary:
        return []
    sizes = ["--lace-dqsize=1000000", "--sylvan-sizes=22,26,22,26"]
    base = ["pnml2lts-sym", "--lace-workers=1", "--vset=lddmc", *sizes, "--saturation=sat"]
    file = case.pnml(folder).name
    return [[*base, file], [*base, "-rf", file]]


def _smart(case: Case, folder: Path) -> list[list[str]]:
    if case.file is not None or case.family not in BOUNDS:
        return []
    (folder / "net.sm").write_text(smart_text(case.net(), BOUNDS[case.family](case.size)))
    return [["smart", "net.sm"]]


def smart_text(net: Net, bound: int) -> str:
    """An ordinary net in SMART's language."""
    names = [p.name for p in net.places]
    assert net.ordinary
    assert net.units is not None
    lines = ["# ProcessGeneration MEDDLY", "# MeddlyProcessGeneration SATURATION"]
    lines += ["# MeddlyVariableStyle BOUNDED", "pn net := {", f"  place {', '.join(names)};"]
    lines.append(f"  trans {', '.join(e.name for e in net.events)};")
    lines += [f"  bound({name}:{bound});" for name in names]
    lines += [f"  init({p.name}:{p.initial});" for p in net.places if p.initial]
    lines.append(f"  partition({', '.join(p for u in net.units.units for p in u.places)});")
    for e in net.events:
        lines += [f"  arcs({names[p]}:{e.name}:{w});" for p, w in e.pre]
        lines += [f"  arcs({e.name}:{names[p]}:{w});" for p, w in e.post]
    lines += ["  bigint count := num_states;", "};", 'print("states ", net.count, "\\n");', ""]
    return "\n".join(lines)


def _meddly(case: Case, folder: Path) -> list[list[str]]:
    program = None if case.file is not None else MEDDLY.get(case.family)
    if program is None or shutil.which(program) is None:
        return []
    size = f"-n{case.size}" if program == "dining_phils" else str(case.size)
    # The ring's example always prints a number in floating point.
    return [[program, size, "-sat1", *([] if program == "slot" else ["-exact"])]]


RIVALS = (
    Rival(
        "its-reach",
        _its,
        re.compile(r"(?:state count|reachable) ?[:,] ?([\d.]+(?:e\+?\d+)?)"),
        (re.compile(r"^[^,\n]+,[\d.e+]+,([\d.e-]+),\d+,", re.MULTILINE),),
    ),
    Rival(
        "pnmc",
        _pnmc,
        re.compile(r"([\d.]+(?:e\+?\d+)?) state(?:s|\(s\))"),
        tuple(
            re.compile(rf"^{part} +: ([\d.e-]+)s", re.MULTILINE)
            for part in ("firing rule", "rewrite", "state space")
        ),
    ),
    Rival("pnml2lts-sym", _ltsmin, re.compile(r"state space has ([\d.]+(?:e\+?\d+)?)")),
    Rival("smart", _smart, re.compile(r"states ([\d,]+)")),
    Rival(
        "MEDDLY",
        _meddly,
        re.compile(r"(?:Exactly|Approx\.) ([\d.]+(?:e\+?\d+)?)"),
        (
            re.compile(r"Next-state function construction took ([\d.e+-]+) seconds"),
            re.compile(r"Reachability set construction took ([\d.e+-]+) seconds"),
        ),
    ),
)


def present() -> list[Rival]:
    """Those that can be run here."""
    programs = {r.name: [r.name] for r in RIVALS} | {"MEDDLY": list(MEDDLY.values())}
    return [r for r in RIVALS if any(shutil.which(p) for p in programs[r.name])]
