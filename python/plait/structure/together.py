"""Which values places may have together: a relation, and the check that it holds for ever.

A *fact* is that a place has a value, or at least `top` tokens, its greatest value. Facts are
numbered place by place, and sets of them are the bits of an integer. A relation that says of each
fact which others may be true together with it is right of every reachable marking if

- it has all pairs of the initial marking, and
- whatever an event leads to is in it: let two facts be in the relation before the event, and for
  each of the places that the event takes from a sufficient value that is in the relation with both,
  and for each two of these places two such values that are in the relation with each other; then
  what becomes of the two facts is in the relation, too.

That is induction over runs: the pairs of a marking in which the event occurs are all in the
relation, so what the second line asks for is so. `holds` checks both lines as they stand, once for
each event. Where the relation came from does not matter (`plait.structure.pairs`).
"""

from __future__ import annotations

from collections.abc import Iterator

from plait.model.net import Net, NetEvent, Row
from plait.records import dataclass


def bits(mask: int) -> Iterator[int]:
    """The numbers of the bits, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


@dataclass(frozen=True, slots=True)
class Move:
    """What an event needs and changes, by place."""

    pre: Row
    needs: dict[int, int]
    change: dict[int, int]


def _move(event: NetEvent) -> Move:
    return Move(event.pre, dict(event.pre), dict(event.change))


class Together:
    """The facts of a net without inhibitor and reset arcs, and for each those it may be true with.

    A fact is related to itself if it may be true, and never to another value of its place.
    """

    def __init__(self, net: Net, tops: list[int]) -> None:
        """No event needs more of a place than its top."""
        self.net = net
        self.tops = tops
        self.offsets: list[int] = []
        self.places: list[int] = []
        """The place of each fact."""
        for place, top in enumerate(tops):
            self.offsets.append(len(self.places))
            self.places.extend([place] * (top + 1))
        self.size = len(self.places)
        self.rows = [0] * self.size
        self.moves = [_move(event) for event in net.events]

    def number(self, place: int, tokens: int) -> int:
        """The number of the fact that the place has so many tokens."""
        return self.offsets[place] + min(tokens, self.tops[place])

    def field(self, place: int) -> int:
        """All facts of a place."""
        return ((1 << self.tops[place] + 1) - 1) << self.offsets[place]

    def enough(self, place: int, needed: int) -> int:
        """The facts that say that a place has as many tokens as are needed."""
        few = (1 << min(needed, self.tops[place])) - 1
        return self.field(place) & ~(few << self.offsets[place])

    def values(self, place: int, facts: int) -> list[tuple[int, int]]:
        """The values of a place in a set of facts, ascending, each with its bit."""
        offset = self.offsets[place]
        return [(f - offset, 1 << f) for f in bits(facts & self.field(place))]

    def beside(self, facts: int) -> int:
        """What may be true together with one of the facts."""
        found = 0
        for fact in bits(facts):
            found |= self.rows[fact]
        return found

    # --- the check --------------------------------------------------------------------------------

    def holds(self) -> bool:
        """Whether the relation is right of every reachable marking, by induction."""
        first = 0
        for place, tokens in enumerate(self.net.initial):
            first |= 1 << self.number(place, tokens)
        if any(first & ~self.rows[fact] for fact in bits(first)):
            return False
        return all(self._kept_by(move) for move in self.moves)

    def _kept_by(self, move: Move) -> bool:
        """Whether what the event leads to from pairs of the relation is in it."""
        for place, needed in move.pre:
            reach = self.beside(self.enough(place, needed))
            if any(not reach & self.enough(other, least) for other, least in move.pre):
                return True  # it never occurs
        still = ~sum(self.field(place) for place in move.change)
        for place in move.change:
            for fact in bits(self.enough(place, move.needs.get(place, 0))):
                beside = self.rows[fact]
                for other, needed in move.pre:
                    beside &= self.beside(self.rows[fact] & self.enough(other, needed))
                for then in self._becomes(move, fact):
                    row = self.rows[then]
                    if beside and beside & still & ~row:
                        return False
                    for other in bits(beside & ~still & ~self.field(place)):
                        if any(not row >> g & 1 for g in self._becomes(move, other)):
                            return False
                    if beside and not row >> then & 1:
                        return False
        return True

    def _becomes(self, move: Move, fact: int) -> list[int]:
        """The facts of its place, one of which is true after the event."""
        place = self.places[fact]
        top, offset = self.tops[place], self.offsets[place]
        tokens = fact - offset + move.change.get(place, 0)
        if fact - offset < top:
            return [offset + min(tokens, top)]
        # It had at least `top`, so it has at least `tokens` now.
        return [offset + value for value in range(min(tokens, top), top + 1)]


__all__ = ["Move", "Together", "bits"]
