"""Whether two transition systems are bisimilar, by refining partitions until they are stable.

After Blom and Orzan ("Distributed branching bisimulation reduction of state spaces", 2003): the
signature of a state says which blocks it leads to; states of one block with different signatures
are told apart. For stuttering bisimulations steps inside a block are silent, and a signature says
where silent steps lead at last, and whether they may go on for ever (de Nicola and Vaandrager,
"Three logics for branching bisimulation", 1995).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal, NamedTuple

Kind = Literal["steps", "paths", "moves"]
"""Strong; stuttering, where silence for ever and deadlocks are alike and seen; stuttering."""


class Graph(NamedTuple):
    """A transition system: the label and the successors of each state, the first one initial."""

    labels: Sequence[Hashable]
    successors: Sequence[frozenset[int]]


def bisimilar(one: Graph, other: Graph, kind: Kind) -> bool:
    """Whether the initial states are."""
    shift = len(one.labels)
    after = [*one.successors, *(frozenset(s + shift for s in row) for row in other.successors)]
    if kind != "steps":
        after = [row or frozenset({state}) for state, row in enumerate(after)]
    blocks = _numbered([*one.labels, *other.labels])
    while True:
        signs = _strong(blocks, after) if kind == "steps" else _silent(blocks, after, kind)
        refined = _numbered(list(zip(blocks, signs, strict=True)))
        if max(refined) == max(blocks):
            return blocks[0] == blocks[shift]
        blocks = refined


def _numbered(labels: Sequence[Hashable]) -> list[int]:
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(label, len(numbers)) for label in labels]


def _strong(blocks: list[int], after: Sequence[frozenset[int]]) -> list[Hashable]:
    return [frozenset(blocks[s] for s in row) for row in after]


def _silent(blocks: list[int], after: Sequence[frozenset[int]], kind: Kind) -> list[Hashable]:
    inside = [[s for s in row if blocks[s] == blocks[i]] for i, row in enumerate(after)]
    leaves = [{blocks[s] for s in row if blocks[s] != blocks[i]} for i, row in enumerate(after)]
    endless = [True] * len(after)
    changed = True
    while changed:
        changed = False
        for state, row in enumerate(inside):
            more = leaves[state].union(*(leaves[s] for s in row))
            stays = endless[state] and any(endless[s] for s in row)
            if len(more) > len(leaves[state]) or stays != endless[state]:
                leaves[state], endless[state], changed = more, stays, True
    seen = endless if kind == "paths" else [False] * len(after)
    return [(frozenset(row), stays) for row, stays in zip(leaves, seen, strict=True)]
