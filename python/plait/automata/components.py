"""Strongly connected components: Tarjan's algorithm with an explicit stack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def components(after: Sequence[Sequence[int]], start: int = 0) -> Iterator[list[int]]:
    """The components of what can be reached from `start`, each after all that it leads to."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    open_: list[int] = []
    is_open: set[int] = set()
    calls: list[tuple[int, Iterator[int]]] = []

    def enter(node: int) -> None:
        index[node] = low[node] = len(index)
        open_.append(node)
        is_open.add(node)
        calls.append((node, iter(after[node])))

    if after:
        enter(start)
    while calls:
        node, targets = calls[-1]
        for target in targets:
            if target not in index:
                enter(target)
                break
            if target in is_open:
                low[node] = min(low[node], index[target])
        else:
            calls.pop()
            if calls:
                parent = calls[-1][0]
                low[parent] = min(low[parent], low[node])
            if low[node] == index[node]:
                at = _place(open_, node)
                component = open_[at:]
                del open_[at:]
                is_open.difference_update(component)
                yield component


def _place(stack: Sequence[int], node: int) -> int:
    at = len(stack) - 1
    while stack[at] != node:
        at -= 1
    return at
