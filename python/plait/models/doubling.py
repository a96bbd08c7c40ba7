"""2^n dining philosophers, folded: every level of the hierarchy is two copies of the one below.

Hamez, Thierry-Mieg, Kordon: Hierarchical set decision diagrams and automatic saturation (2008), and
the recursive folding of Thierry-Mieg's habilitation, section I.3.2. `M1 = (P // P)`, `M2 = (M1 //
M1)`, ...: n types describe 2^n philosophers, and a diagram with shared labels represents their
states with a constant number of nodes for each doubling.

A row of philosophers has the labels of its ends: `take` and `put` ask for the right fork of its
first philosopher, `getL` and `rel` move its last. Inside a pair of rows the last of the left one
and the first of the right one are neighbours; only the table closes the ring. The philosophers are
those of `plait.models.dining`: L(3 * 2^n) states, two deadlocks.
"""

from __future__ import annotations

from plait.model.builder import Component, Composite, system
from plait.model.types import Model
from plait.models.arguments import check_size, check_variant
from plait.models.dining import seat
from plait.models.questions import no_deadlock

VARIANTS = ("folded",)
LEAST, MOST = 0, 9_000
"""Types may be nested 10,000 deep."""


def doubled_philosophers(n: int = 3, variant: str = "folded") -> Model:
    """2^n dining philosophers, as pairs of pairs of pairs."""
    check_size(n, LEAST, MOST)
    check_variant(variant, VARIANTS)
    rows: list[Component] = [seat()]
    for k in range(n):
        rows.append(_pair(f"row_{k + 1}", rows[-1]))
    table = Composite("doubled_philosophers")
    row = table.instance("row", rows[-1])
    table.event("GetL", do=[row.call("getL"), row.call("take")])
    table.event("Rel", do=[row.call("rel"), row.call("put")])
    return system(table, *rows, properties=[no_deadlock()])


def _pair(name: str, half: Component) -> Composite:
    pair = Composite(name)
    left, right = pair.instance("left", half), pair.instance("right", half)
    pair.event("GetL", do=[left.call("getL"), right.call("take")])
    pair.event("Rel", do=[left.call("rel"), right.call("put")])
    for label, end in (("take", left), ("put", left), ("getL", right), ("rel", right)):
        pair.event(label, label=label, do=end.call(label))
    return pair
