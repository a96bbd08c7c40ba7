"""How diagrams are built: the choices and their names (see `plait check --help`).

Whoever only carries choices about, as the command line does, imports no engine for it.
"""

from __future__ import annotations

from plait.hints import TYPE_CHECKING, Literal, get_args
from plait.records import dataclass, replace

if TYPE_CHECKING:
    from plait.engines.symbolic.orders import Merge
    from plait.model.grouping import Grouping

Strategy = Literal[
    "saturation", "rounds", "forwarding", "chaining", "chaining-all", "bfs", "bfs-all"
]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
AUTO: Literal["auto"] = "auto"
"""Saturation and saturation in rounds, by turns (`attempts`)."""
PARTIAL: Literal["partial"] = "partial"
"""The strategy that does not find all states: partial exploration (`partial`)."""
Locals = Literal["on-the-fly", "pregenerated"]
LOCALS: tuple[Locals, ...] = get_args(Locals)
CtlWay = Literal["auto", "backward", "forward", "saturation"]
"""How CTL is computed (`ctl_ways`)."""
CTL_WAYS: tuple[CtlWay, ...] = get_args(CtlWay)
AlwaysWay = Literal["traditional", "cycles"]
"""How E G is computed (`ctl`)."""
ALWAYS_WAYS: tuple[AlwaysWay, ...] = get_args(AlwaysWay)
LtlWay = Literal[
    "backward",
    "el",
    "owcty",
    "slap",
    "slap-fst",
    "slap-fsa",
    "bcz",
    "sog",
    "sop",
    "tgta",
    "tableau",
    "tableau-backward",
]
"""How LTL is computed: backward from what is accepted (`ltl`), as a forward hull (`hull`), as a
graph of sets of states (`hybrids`, `observation`), with a testing automaton (`testing_hull`), or
with a tableau and cycles sought in one of two directions (`tableau`)."""
LTL_WAYS: tuple[LtlWay, ...] = get_args(LtlWay)
STUTTERING_WAYS: tuple[LtlWay, ...] = ("sog", "sop", "tgta")
"""Those that do not count how often a state is repeated: no formula with X may be asked."""
TABLEAU_WAYS: tuple[LtlWay, ...] = ("tableau", "tableau-backward")


@dataclass(frozen=True, slots=True)
class PartialTuning:
    """How partial exploration works (`plait.engines.partial.exploration`)."""

    variant: int = 1
    """Which states of a frontier a process expands: 1, 2 or 3."""
    keep: str | None = None
    """What `states` shall keep: ctl, ltl or deadlocks; a property says it itself."""
    rule: str = "local"
    """Which events are safe: `local` ones, or `exact` by what may happen meanwhile."""
    assume_linear: bool = False
    """Take it for granted that no two safe events of a process are enabled together."""
    ahead: int = 8
    """How many safe events in a row each process does in a cycle of the bounded engine."""


@dataclass(frozen=True, slots=True)
class Tuning:
    """How diagrams are built; none of it changes an answer."""

    strategy: Strategy | Literal["auto", "partial"] = AUTO
    partial: PartialTuning = PartialTuning()
    order: str | tuple[tuple[str, ...], ...] = "auto"
    """The name of a variable order (see `plait.engines.symbolic.orders`), `file:PATH` for one in a
    file, or `auto` for the best ranked; or the names of the variables of each level, top first."""
    merge: Merge = "auto"
    """Which cells share a level."""
    grouping: Grouping | None = None
    """Keep the hierarchy of the model, with its sets grouped so; None: only when it is vast."""
    parts: str | None = None
    """A file that says how to cut the model into parts, whose hierarchy is then kept."""
    locals: Locals = "on-the-fly"
    strict: int | None = None
    """Collect garbage after so many new nodes; None: when memory runs short."""
    ctl: CtlWay | Literal["local"] = "auto"
    """CTL: backward step by step or by saturation, or forward as far as the formula allows; or not
    on diagrams but `local`, on explicit states."""
    always: AlwaysWay = "traditional"
    """E G: states without a successor inside are taken away, or cycles are looked for."""
    ltl: LtlWay = "backward"
    """LTL: by components of the automaton from the last to the first, or by an older way."""
    witnesses: bool = True
    """Look for paths that show why a property holds or does not."""

    @property
    def way(self) -> CtlWay:
        """How CTL is computed on diagrams."""
        return "auto" if self.ctl == "local" else self.ctl

    @property
    def plain(self) -> bool:
        """Whether nothing was asked about how all states are found.

        How formulas are answered, or how partial exploration would work, is not about that.
        """
        mine = replace(self, partial=PartialTuning(), ctl="auto", always="traditional")
        return replace(mine, ltl="backward", witnesses=True) == Tuning()
