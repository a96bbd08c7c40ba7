"""The slotted ring: a protocol of local networks whose nodes pass slots around.

Pastor, Roig, Cortadella, Badia: Petri net analysis using Boolean manipulation (1994); Siminiceanu,
Structural Model Checking (2003), appendix B.3. Node i reads the slot of its neighbour j = i + 1:

    used:  C + G_j -> A + F_j              free:  C + E_j -> B + F_j
    other: A -> D      owner: A -> B       go: B -> H      write: B -> D
    give:  H + F -> C + E                  put:   D + F -> C + G

The sum over h of C(n, h)^2 4^h 2^(n-h) states, no deadlock; a level has one node, 15 local states.
"""

from __future__ import annotations

from plait.model.builder import (
    Bool,
    Cell,
    Component,
    Composite,
    Elementary,
    Part,
    ScalarSet,
    next_call,
    parameter,
    system,
)
from plait.model.net_builder import NetBuilder
from plait.model.types import Model, Property
from plait.models.arguments import check_size, check_variant
from plait.models.questions import exists_always, exists_until, no_deadlock

VARIANTS = ("flat", "composite", "circular")
LEAST, MOST = 1, 100_000
START = {"A": 0, "B": 0, "C": 1, "D": 0, "E": 1, "F": 0, "G": 0, "H": 0}
LOCAL = {"other": ("A", "D"), "owner": ("A", "B"), "go": ("B", "H"), "write": ("B", "D")}
JOINED = {"give": ("HF", "CE"), "put": ("DF", "CG")}
SHARED = {"used": ("C", "A", "G"), "free": ("C", "B", "E")}
"""What a node takes and gives when its neighbour gives F for that place."""


def slotted_ring(n: int = 5, variant: str = "flat") -> Model:
    """The slotted ring, a protocol of local networks."""
    check_size(n, LEAST, MOST)
    check_variant(variant, VARIANTS)
    if variant == "flat":
        return _flat(n)
    return _composite(n) if variant == "composite" else _circular(n)


def _questions(nodes: list[dict[str, Cell]]) -> list[Property]:
    """The queries of tables 5.1 and 5.2; a node is "ag" when its places A and G have a token."""

    def at(node: int, places: str) -> Bool:
        first, second = (nodes[node]["p" + p] >= 1 for p in places)
        return first & second

    asked = [no_deadlock(), exists_always("never_hg", ~at(0, "HG"))]
    if len(nodes) > 1:
        asked.append(exists_until("ag_before_bf", ~at(1, "BF"), at(0, "AG")))
    return asked


def _flat(n: int) -> Model:
    net = NetBuilder("slotted_ring")
    nodes = [{p: net.place(f"p{p}_{i}", tokens) for p, tokens in START.items()} for i in range(n)]
    for i, node in enumerate(nodes):
        k = (i + 1) % n
        for name, (taken, given, slot) in SHARED.items():
            # The listing numbers these two by the neighbour.
            net.event(f"{name}_{k}", [node[taken], nodes[k][slot]], [node[given], nodes[k]["F"]])
        for name, (taken, given) in (LOCAL | JOINED).items():
            net.event(f"{name}_{i}", [node[p] for p in taken], [node[p] for p in given])
    for i, node in enumerate(nodes):
        net.level(f"node_{i}", node.values())
    return net.model(_questions([{f"p{p}": c for p, c in node.items()} for node in nodes[:2]]))


def _node() -> Elementary:
    node = Elementary("node")
    p = {name: node.variable(f"p{name}", tokens) for name, tokens in START.items()}

    def event(name: str, taken: str, given: str, label: str | None = None) -> None:
        change = [p[t].add(-1) for t in taken] + [p[g].add(1) for g in given]
        node.event(name, when=[p[t] >= 1 for t in taken], do=change, label=label)

    for name, (taken, given) in (LOCAL | JOINED).items():
        event(name, taken, given)
    for name, (taken, given, slot) in SHARED.items():
        event(f"{name}_read", taken, given, f"{name}_read")
        event(f"{name}_slot", slot, "F", f"{name}_slot")
    return node


def _composite(n: int) -> Model:
    """An array of nodes, with one synchronisation a pair of neighbours."""
    node = _node()
    ring = Composite("slotted_ring")
    size = ring.constant("N", n)
    every = ring.range("nodes", 0, size - 1)
    nodes = ring.instance("node", node, size)
    i = parameter("i")
    for name in SHARED:
        calls = [nodes[i].call(f"{name}_read"), nodes[(i + 1) % size].call(f"{name}_slot")]
        ring.event(name, parameters={"i": every}, do=calls)
    return _closed(ring, node, nodes, n)


def _circular(n: int) -> Model:
    """A circular set: the nodes have no numbers, only neighbours."""
    node = _node()
    ring = ScalarSet("slotted_ring", element=node, size=n, circular=True)
    for name in SHARED:
        ring.event(name, do=next_call(f"{name}_read", f"{name}_slot"))
    return _closed(ring, node, Part("item"), n)


def _closed(ring: Component, node: Elementary, nodes: Part, n: int) -> Model:
    observed = [{f"p{p}": getattr(nodes[i], f"p{p}") for p in START} for i in range(min(n, 2))]
    return system(ring, node, properties=_questions(observed))
