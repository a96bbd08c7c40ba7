"""How the explicit engine searches: on how many threads, in what form it stores states, and whether
it compiles events and writes checkpoints.

The number of threads, the exact stores and compiled events change no count, no verdict and no
length of a trace; only the trace that several threads find depth-first depends on their luck, and
so does how many states a reduction with the proviso keeps there. The approximate stores may miss
states: what they find is true, with a trace that is replayed, but what they do not find stays
unknown.
"""

from __future__ import annotations

from plait.engines.budget import Budget, resident_memory
from plait.errors import error
from plait.hints import TYPE_CHECKING, Literal, get_args
from plait.records import dataclass

if TYPE_CHECKING:
    from plait.engines.explicit.checkpoint import Checkpoint

MOST_THREADS = 1024
Store = Literal["exact", "tree", "automaton", "hash-compact", "bitstate"]
STORES: tuple[Store, ...] = get_args(Store)
Special = Literal["plain", "deepening", "walk"]
SPECIAL: tuple[Special, ...] = get_args(Special)
LEAST_BITS = 2**16
DEFAULT_BITS = 2**28
"""Bytes of a bitstate store, at least and unless more is asked for."""
INTERVAL = 60.0
"""Seconds between two checkpoints, unless writing one takes longer than a tenth of that."""
Successors = Literal["auto", "interpreted", "compiled"]
SUCCESSORS: tuple[Successors, ...] = get_args(Successors)


Cycles = Literal["components", "nested"]
CYCLES: tuple[Cycles, ...] = get_args(Cycles)


@dataclass(frozen=True, slots=True)
class Method:
    """What was asked for; the defaults suit most models."""

    threads: int | None = None
    """None is one: several pay only where nobody else uses the processors."""
    alone: int | None = None
    """How many states one thread finds before others help; None leaves it to the native core."""
    store: str = "exact"
    fingerprint: int = 64
    """Bits of a fingerprint in the store `hash-compact`."""
    hashes: int = 3
    """Bits that a state sets in the store `bitstate`."""
    all_memory: bool = False
    """The store `bitstate` shall have half of the memory, however much that is."""
    successors: str = "auto"
    """Compiled events, interpreted ones, or interpreted until the search turns out to be long."""
    checkpoint: Checkpoint | None = None
    search: str = "plain"
    """`deepening` or `walk`; `plain` is the order that the reduction has."""
    seed: int = 0
    """The beginning of all randomness of walks."""
    cache: int | None = None
    """Depth-first with room for so many states; 0 is room for the stack alone."""
    cycles: str = "components"
    """How LTL looks for accepting cycles: by strongly connected components, or `nested`."""
    build_first: bool = False
    """LTL: the whole graph of the model before its product with the automaton."""
    exhaustive: bool = False
    """The search goes on when all that is asked is decided, so that its figures can be compared."""

    def __post_init__(self) -> None:
        if self.threads is not None:
            _within(self.threads, 1, MOST_THREADS, "threads")
        _within(self.fingerprint, 8, 64, "bits of a fingerprint")
        _within(self.hashes, 1, 32, "hash functions")
        if self.store not in STORES:
            raise error(f"no store '{self.store}'", hint=f"there are: {', '.join(STORES)}")
        if self.successors not in SUCCESSORS:
            known = ", ".join(SUCCESSORS)
            raise error(f"no successors '{self.successors}' here", hint=f"there are: {known}")
        if self.search not in SPECIAL:
            raise error(f"no search '{self.search}'", hint=f"there are: {', '.join(SPECIAL)}")
        if self.cycles not in CYCLES:
            raise error(f"no cycles by '{self.cycles}'", hint=f"there are: {', '.join(CYCLES)}")
        if self.cache is not None:
            _within(self.cache, 0, 2**31, "states of a cache")
            if self.search != "plain" or self.store != "exact":
                raise error("a cache is for depth-first search with the store exact")
        if not 0 <= self.seed < 2**64:
            raise error(f"{self.seed} is no seed: it must be from 0 to 2^64 - 1")

    @property
    def workers(self) -> int:
        """The number of threads to use."""
        return self.threads or 1

    @property
    def is_approximate(self) -> bool:
        """Whether states may be missed."""
        return self.store in ("hash-compact", "bitstate")

    @property
    def forgets(self) -> bool:
        """Whether the store cannot tell a state by its number once it is expanded."""
        return self.store == "automaton" or self.is_approximate

    @property
    def needs_explicit(self) -> bool:
        """Whether only the explicit engine can do what was asked."""
        return (
            self.store != "exact"
            or self.checkpoint is not None
            or self.search != "plain"
            or self.cache is not None
        )

    @property
    def asks_for_product(self) -> bool:
        """Whether something about the product of LTL was asked for."""
        return self.cycles != "components" or self.build_first

    @property
    def is_special(self) -> bool:
        """Whether states are visited in an order of its own, which nothing else goes with."""
        return self.search != "plain" or self.cache is not None

    def bit_bytes(self, budget: Budget) -> int:
        """The size of a bitstate store: half of what the limit leaves, the rest is for the states
        that wait to be expanded; not all of that unless the limit was asked for."""
        if budget.memory is None:
            return DEFAULT_BITS
        half = (budget.memory - resident_memory()) // 2
        return max(LEAST_BITS, half if self.all_memory else min(half, DEFAULT_BITS))


def _within(value: int, least: int, most: int, what: str) -> None:
    if not least <= value <= most:
        raise error(f"{value} {what}: there must be {least} to {most}")
