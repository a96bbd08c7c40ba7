"""The model library: the benchmarks of the literature, in any size, with their exact semantics.

    import plait
    model = plait.models.philosophers(100)
    plait.System(model).states()

Every model is a function of its size and a variant: `flat` is one component, for most models a
place/transition net whose levels (which places belong together) are kept as its units; the others
keep a hierarchy. `ENTRIES` lists them all, with where they come from and how many states they have;
`plait models list` prints it.
"""

from __future__ import annotations

from plait.models.cards import kanban
from plait.models.contest import contest_philosophers
from plait.models.dining import philosophers
from plait.models.doubling import doubled_philosophers
from plait.models.election import leader
from plait.models.factory import fms
from plait.models.figures import fork_join, producer_consumer, swap, three_places, two_places
from plait.models.joint import producers_consumers, running_example
from plait.models.registry import ENTRIES, Entry, Size, entry
from plait.models.ring import slotted_ring
from plait.models.robin import round_robin
from plait.models.runway import runway
from plait.models.voting import voters

__all__ = [
    "ENTRIES",
    "Entry",
    "Size",
    "contest_philosophers",
    "doubled_philosophers",
    "entry",
    "fms",
    "fork_join",
    "kanban",
    "leader",
    "philosophers",
    "producer_consumer",
    "producers_consumers",
    "round_robin",
    "running_example",
    "runway",
    "slotted_ring",
    "swap",
    "three_places",
    "two_places",
    "voters",
]
