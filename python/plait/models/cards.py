"""Kanban: four production cells whose parts carry cards.

Tilgner, Takahashi, Ciardo: SNS 1.0: synchronized network solver (1996); Siminiceanu, Structural
Model Checking (2003), appendix B.4; `Kanban` of the Model Checking Contest. Cell s has n cards, and
places for parts being made, sent back, and done:

    tin1: pkan1 -> pm1      for every s:  tredo: pm -> pback   tok: pm -> pout   tback: pback -> pm
    tin23: pout1 + pkan2 + pkan3 -> pkan1 + pm2 + pm3
    tout2: pout2 + pout3 + pkan4 -> pkan2 + pkan3 + pm4          tout4: pout4 -> pkan4

C(n+3, 3)^2 times the sum over k <= n of C(k+2, 2)^2 states, no deadlock; the farthest are 14n
events away. One cell a level, C(n+3, 3) local states.
"""

from __future__ import annotations

from plait.model.arithmetic import INT_MAX
from plait.model.net_builder import NetBuilder
from plait.model.types import Model
from plait.models.arguments import check_size, check_variant
from plait.models.decomposition import by_levels
from plait.models.questions import no_deadlock

VARIANTS = ("flat", "composite")
LEAST, MOST = 0, INT_MAX


def kanban(n: int = 3, variant: str = "flat") -> Model:
    """Four production cells with n cards each."""
    check_size(n, LEAST, MOST)
    check_variant(variant, VARIANTS)
    net = NetBuilder("kanban")
    cells = {s: net.places(f"{{}}{s}", pm=0, pback=0, pkan=n, pout=0) for s in range(1, 5)}
    made, _, cards, done = ({s: places[k] for s, places in cells.items()} for k in range(4))
    net.event("tin1", [cards[1]], [made[1]])
    for s, (pm, pback, _pkan, pout) in cells.items():
        net.event(f"tredo{s}", [pm], [pback])
        net.event(f"tok{s}", [pm], [pout])
        net.event(f"tback{s}", [pback], [pm])
    net.event("tin23", [done[1], cards[2], cards[3]], [cards[1], made[2], made[3]])
    net.event("tout2", [done[2], done[3], cards[4]], [cards[2], cards[3], made[4]])
    net.event("tout4", [done[4]], [cards[4]])
    for s, places in cells.items():
        net.level(f"cell_{s}", places)
    asked = [no_deadlock()]
    return net.model(asked) if variant == "flat" else by_levels(net.net(), asked)
