"""Partial-order reduction: which preset keeps which answers, and what a property needs.

A preset is a choice of parts: persistent sets, sleep sets, the proviso. What a search must keep
depends on what is asked: all deadlocks, certain goals (each watched by a monitor that takes part in
the dependency), or every state. A preset that keeps less than a property needs is widened to one
that keeps it, and the answer says so; a combination that nobody has proved is refused.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.errors import error
from plait.hints import Literal, get_args
from plait.records import dataclass, replace

Need = Literal["deadlocks", "goals", "states"]
"""What must be kept: each includes the ones before it."""
NEEDS: tuple[Need, ...] = get_args(Need)
Preset = Literal["none", "sleep", "ps", "ps+sleep", "ps+prov", "ps+sleep+prov", "stubborn", "auto"]
PRESETS: tuple[Preset, ...] = get_args(Preset)
Persistent = Literal[
    "conflicts",
    "overman",
    "stubborn",
    "conditional",
    "guards",
    "deletion",
    "weak",
    "conditional-conflicts",
    "conditional-overman",
    "stubborn-first",
    "stubborn-exhaustive",
    "minimal",
]
PERSISTENT: tuple[Persistent, ...] = get_args(Persistent)
Order = Literal["bfs", "dfs"]
ORDERS: tuple[Order, ...] = get_args(Order)
Proviso = Literal["auto", "stack", "queue", "components"]
PROVISOS: tuple[Proviso, ...] = get_args(Proviso)
SleepSets = Literal["stored", "passed"]
SLEEP_SETS: tuple[SleepSets, ...] = get_args(SleepSets)
Ties = Literal["small", "stored"]
TIES: tuple[Ties, ...] = get_args(Ties)
Relation = Literal["constant", "conditional"]
RELATIONS: tuple[Relation, ...] = get_args(Relation)


@dataclass(frozen=True, slots=True)
class Reduction:
    """What was asked for; without an order, the one that suits."""

    preset: str = "none"
    persistent: str = "guards"
    order: str | None = None
    check: bool = False
    """Test claimed independences on every state."""
    proviso: str = "auto"
    """What the proviso asks, where there is one: a successor off the stack (depth-first), one that
    is not expanded (breadth-first), or that nothing is missing in a component that is not left."""
    sleep_sets: str = "stored"
    """`passed`: they are not stored with states, which then are visited once."""
    ties: str = "small"
    """Of equally small persistent sets: the one that brings in the fewest events, or one that leads
    to stored states."""
    dependency: str = "constant"
    """By which relation events stay asleep: one for all states, or that of the state where two
    meet. With the proviso it must be the constant one."""

    def __post_init__(self) -> None:
        for value, known in (
            (self.preset, PRESETS),
            (self.persistent, PERSISTENT),
            (self.order or "bfs", ORDERS),
            (self.proviso, PROVISOS),
            (self.sleep_sets, SLEEP_SETS),
            (self.ties, TIES),
            (self.dependency, RELATIONS),
        ):
            if value not in known:
                raise error(f"no '{value}' here", hint=f"there are: {', '.join(known)}")


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of the search that will run."""

    persistent: str | None = None
    sleep: bool = False
    proviso: bool = False
    depth_first: bool = False
    check: bool = False
    watching: bool = True
    """Persistent sets only watch for events after which nothing is possible."""
    components: bool = False
    unstored: bool = False
    conditional: bool = False
    prefer_stored: bool = False
    notes: tuple[str, ...] = ()

    @property
    def reduces(self) -> bool:
        """Whether anything is left out."""
        return self.persistent is not None or self.sleep

    @property
    def keeps(self) -> Need:
        """The most that is kept."""
        if self.persistent is None:
            return "states"
        return "goals" if self.proviso else "deadlocks"

    @property
    def name(self) -> str:
        """The parts in words."""
        words = [] if self.persistent is None else [f"persistent sets ({self.persistent})"]
        words += ["sleep sets"] if self.sleep else []
        if self.proviso:
            words.append("proviso of components" if self.components else "proviso")
        return ", ".join(words) or "none"


def parts_for(asked: Reduction, needs: Sequence[Need]) -> Parts:
    """The parts that answer properties with these needs."""
    need: Need = "states" if not needs else max(needs, key=NEEDS.index)
    parts = _named(asked, need)
    notes = list(parts.notes)
    if NEEDS.index(parts.keeps) < NEEDS.index(need):
        wider = _widened(parts, need, asked.order)
        notes.append(
            f"reduction widened from {parts.name} to {wider.name}: "
            f"{'all states are' if need == 'states' else 'a condition on states is'} asked for"
        )
        parts = wider
    depth_first = asked.order == "dfs"
    if parts.sleep and parts.proviso:
        if asked.order == "bfs":
            raise error(
                "sleep sets with the proviso need depth-first search",
                hint="use --search dfs, or a reduction without sleep sets",
            )
        depth_first = True
    depth_first |= _needs_depth_first(asked, parts)
    return replace(
        parts,
        depth_first=depth_first,
        check=asked.check,
        components=parts.proviso and asked.proviso == "components",
        unstored=parts.sleep and asked.sleep_sets == "passed",
        conditional=parts.sleep and not parts.proviso and asked.dependency == "conditional",
        prefer_stored=parts.persistent is not None and asked.ties == "stored",
        notes=tuple(notes),
    )


def _needs_depth_first(asked: Reduction, parts: Parts) -> bool:
    """Whether a choice needs depth-first search; what nobody has proved is refused."""
    if parts.proviso and asked.proviso == "queue" and (parts.sleep or asked.order == "dfs"):
        raise error("the proviso of the queue needs breadth-first search without sleep sets")
    by_stack = parts.proviso and asked.proviso in ("stack", "components")
    if by_stack and asked.order == "bfs":
        raise error(
            f"the proviso of the {asked.proviso} needs depth-first search",
            hint="use --search dfs, or --proviso queue",
        )
    if parts.proviso and asked.proviso == "components" and parts.sleep:
        raise error(
            "sleep sets do not go with the proviso of components",
            hint="use --proviso stack, or a reduction without sleep sets",
        )
    passed = parts.sleep and asked.sleep_sets == "passed"
    if passed and (parts.persistent is not None or asked.order == "bfs"):
        raise error(
            "sleep sets that are not stored need depth-first search without persistent sets",
            hint="use --reduction sleep, or --sleep-sets stored",
        )
    return by_stack or passed


def ample_for(asked: Reduction, *, stutters: bool) -> tuple[str | None, tuple[str, ...]]:
    """How ample sets are computed for an LTL property, if at all, and what is to be said of it.

    They need persistent sets that are strong, a proviso and visibility, which they have whatever
    the preset says, and a formula that cannot tell a state from its repetition. Sleep sets leave
    out arcs that a cycle may need.
    """
    words = asked.preset.split("+")
    if asked.preset == "none":
        return None, ()
    if asked.preset == "sleep":
        return None, ("no reduction: sleep sets are not for LTL",)
    if not stutters:
        return None, ("no reduction: the formula may tell a state from its repetition",)
    notes = []
    if "sleep" in words:
        notes.append("reduction without sleep sets, which are not for LTL")
    if asked.persistent == "weak":
        notes.append("weak stubborn sets keep deadlocks only: strong ones are used")
    return "guards" if asked.persistent == "weak" else asked.persistent, tuple(notes)


def _named(asked: Reduction, need: Need) -> Parts:
    preset = asked.preset
    if preset == "auto":
        preset = "none" if need == "states" else "stubborn"
    if preset == "stubborn":
        wide = need != "deadlocks"
        parts = Parts(asked.persistent, proviso=wide)
    elif preset == "none":
        parts = Parts()
    else:
        words = preset.split("+")
        parts = Parts(
            asked.persistent if "ps" in words else None, "sleep" in words, "prov" in words
        )
    if parts.persistent == "weak" and (parts.sleep or parts.proviso):
        note = "weak stubborn sets keep deadlocks only: strong ones are used"
        return replace(parts, persistent="guards", notes=(note,))
    return parts


def _widened(parts: Parts, need: Need, order: str | None) -> Parts:
    if need == "states":
        return replace(parts, persistent=None, proviso=False)
    strong = "guards" if parts.persistent == "weak" else parts.persistent
    return replace(parts, persistent=strong, proviso=True, sleep=parts.sleep and order != "bfs")
