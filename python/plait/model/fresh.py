"""Fresh names: a wish is granted as it is, or with a number behind it when it is taken."""

from __future__ import annotations

from collections.abc import Iterable

READABLE = "{}~{}"
"""How names are numbered that people see, as those of an unfolded net: `p~2`."""


class FreshNames:
    """Gives out names, none of them twice."""

    def __init__(self, taken: Iterable[str] = (), numbered: str = "{}_{}x") -> None:
        self.taken = set(taken)
        self._numbered = numbered
        self._next: dict[str, int] = {}

    def fresh(self, wish: str) -> str:
        """A name that nobody has, as near to the wish as may be; it is taken from now on."""
        name = wish
        if name in self.taken:
            number = self._next.get(wish, 2)
            while (name := self._numbered.format(wish, number)) in self.taken:
                number += 1
            self._next[wish] = number + 1
        self.taken.add(name)
        return name
