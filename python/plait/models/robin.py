"""Round-robin mutual exclusion: n processes hand a turn around and share one resource.

Graf, Steffen: Compositional minimization of finite state systems (1990); Siminiceanu, Structural
Model Checking (2003), appendix B.6. Process i hands the turn to j = i + 1:

    task:   Res + pask -> R + pok          tbuf:   R + bufidle -> buffull + Res
    t1load: buffull + pok -> bufidle + psend     t2load: buffull + pload -> bufidle + pwait
    t1send: pok + pwait_j -> pload + pask_j      t2send: psend + pwait_j -> pwait + pask_j

9 n 2^(n-2) states from three processes on, no deadlock; the farthest are 8n - 6 events away. The
bottom level holds the resource and who has it, every other one a process: 10 local states by
itself, of which 7 are reachable in the ring.
"""

from __future__ import annotations

from plait.model.builder import Bool
from plait.model.expr import TRUE
from plait.model.net_builder import NetBuilder
from plait.model.types import Model
from plait.models.arguments import check_size, check_variant
from plait.models.decomposition import by_levels
from plait.models.questions import exists_always, exists_until, no_deadlock

VARIANTS = ("flat", "composite")
LEAST, MOST = 2, 100_000


def round_robin(n: int = 5, variant: str = "flat") -> Model:
    """Round-robin mutual exclusion of n processes."""
    check_size(n, LEAST, MOST)
    check_variant(variant, VARIANTS)
    net = NetBuilder("round_robin")
    resource = net.place("Res", 1)
    held = [net.place(f"R_{i}") for i in range(n)]
    processes = []
    for i in range(n):
        turn = int(i == 0)
        start = {"pwait": 1 - turn, "pask": turn}
        places = net.places(f"{{}}_{i}", bufidle=1, buffull=0, **start, pok=0, pload=0, psend=0)
        processes.append(places)
    for i, (bufidle, buffull, pwait, pask, pok, pload, psend) in enumerate(processes):
        _, _, next_wait, next_ask, *_ = processes[(i + 1) % n]
        net.event(f"task_{i}", [resource, pask], [held[i], pok])
        net.event(f"tbuf_{i}", [held[i], bufidle], [buffull, resource])
        net.event(f"t1load_{i}", [buffull, pok], [bufidle, psend])
        net.event(f"t2load_{i}", [buffull, pload], [bufidle, pwait])
        net.event(f"t1send_{i}", [pok, next_wait], [pload, next_ask])
        net.event(f"t2send_{i}", [psend, next_wait], [pwait, next_ask])
    net.level("resource", [resource, *held])
    for i, places in enumerate(processes):
        net.level(f"process_{i}", places)
    # Tables 5.1 and 5.2.
    asked = [
        no_deadlock(),
        exists_always("cycles", Bool(TRUE)),
        exists_until("send_before_load", ~(processes[1][5] >= 1), processes[0][6] >= 1),
    ]
    return net.model(asked) if variant == "flat" else by_levels(net.net(), asked)
