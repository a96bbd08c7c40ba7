"""Messages through queues: for each receive, the send that it belongs to.

What a step adds to a queue is sent, what it takes away is received, and of every message in a queue
it is remembered who sent it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from plait.records import dataclass
from plait.report.answer import Witness

Sent = tuple[int, str]
"""The step (from 0) in which a message was sent, and by whom."""
Senders = list[Sent | None]
"""For each message in a queue; None where it was there from the beginning."""


@dataclass(frozen=True, slots=True)
class Queued:
    """A message by the steps (from 0) that send and receive it; what stays has no receiver."""

    text: str
    sent: int
    source: str
    arrived: int | None = None
    target: str | None = None


def queued(witness: Witness, movers: Callable[[int], Sequence[str]]) -> Iterator[Queued]:
    """The messages of a trace: those that are received, and of each queue those that stay.

    `movers` says who moves in a step: the first of them sends, the last receives.
    """
    view, states = witness.view, witness.states
    for item in () if view is None else view.queues.values():
        senders: Senders = [None] * len(item.messages(states[0]))
        for row, (before, after) in enumerate(pairwise(states)):
            end = item.offset + item.cells
            if before[item.offset : end] == after[item.offset : end]:
                continue
            old, new = item.messages(before), item.messages(after)
            taken, added, kept = _difference(old, new, senders)
            for text, sent in taken:
                if sent is not None and sent[1] != movers(row)[-1]:
                    yield Queued(f"{item.name} {text}", *sent, row, movers(row)[-1])
            senders = [(row, movers(row)[0]) if i in added else s for i, s in enumerate(kept)]
        for text, sent in zip(item.messages(states[-1]), senders, strict=True):
            if sent is not None:
                yield Queued(f"{item.name} {text}", *sent)


def _difference(
    old: list[str], new: list[str], senders: Senders
) -> tuple[list[tuple[str, Sent | None]], set[int], Senders]:
    """What was taken, the places of what was added, and the senders of what is there now."""
    if old == new:
        return [], set(), senders
    if len(new) == len(old) - 1:  # one taken, perhaps from the middle
        for i in range(len(old)):
            if old[:i] + old[i + 1 :] == new:
                return [(old[i], senders[i])], set(), senders[:i] + senders[i + 1 :]
    if len(new) == len(old) + 1:  # one added, perhaps sorted in
        for i in range(len(new) - 1, -1, -1):
            if new[:i] + new[i + 1 :] == old:
                return [], {i}, [*senders[:i], None, *senders[i:]]
    # Several in one step: some from the front, then some to the end.
    count = next(k for k in range(len(old) + 1) if old[k:] == new[: len(old) - k])
    taken = list(zip(old[:count], senders[:count], strict=True))
    left = len(old) - count
    return taken, set(range(left, len(new))), senders[count:] + [None] * (len(new) - left)


__all__ = ["Queued", "queued"]
