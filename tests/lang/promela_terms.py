"""What the statements of random Promela programs are made of: cells, values, conditions, messages.

Where SPIN itself is wrong or counts what nobody can tell apart, nothing is drawn that shows it; the
comments say what that is.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

Lines = list[str]


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel by the name it has here, with the types of its fields."""

    name: str
    fields: tuple[str, ...]
    capacity: int | None
    """Nothing where it is a variable that may hold channels of several capacities."""


@dataclass
class Proctype:
    """What the others know about a proctype."""

    name: str
    copies: int = 0
    """How many are active from the start."""
    parameters: tuple[str, ...] = ()
    labels: list[str] = field(default_factory=list)


class Terms:
    """Terms drawn from one source of chance, in terms of what is known where they stand."""

    def __init__(self, chance: random.Random, features: set[str]) -> None:
        self.chance = chance
        self.on = features
        self.shared: Lines = []
        """Cells outside processes; `{}` stands for an index, here and below."""
        self.targets: Lines = []
        """Cells that can be assigned to."""
        self.narrow: set[str] = {"o.t", "x", "y"}
        """Those that may be too small for a byte."""
        self.indices: Lines = []
        self.symbols: Lines = []
        self.channels: list[Channel] = []
        self.mine: list[Channel] = []
        """Channels that one process knows."""
        self.proctypes: list[Proctype] = []
        self.proctype = Proctype("")
        self.still = False
        """Whether this is inside `d_step`."""
        self.formula = False

    # Messages

    def _handle(self) -> str:
        """A channel of bytes."""
        return self._indexed(self.chance.choice(self._of_bytes()).name)

    def _of_bytes(self) -> list[Channel]:
        return [c for c in self.channels + self.mine if c.fields == ("byte",)]

    def _io(self, buffered: bool) -> str:
        """A message is sent or received; only through buffered channels inside `d_step`."""
        chance = self.chance
        among = self.channels + self.mine
        if buffered:
            among = [c for c in among if c.capacity]
        if not among:
            return "skip"
        c = chance.choice(among)
        name = self._indexed(c.name)
        if chance.random() < 0.45:
            message = [self._sent(f) for f in c.fields]
            if "sorted" in self.on and c.capacity and chance.random() < 0.5:
                # SPIN compares what is not yet cut to the type.
                message = [
                    f"({e}) & 3" if f == "byte" else e
                    for e, f in zip(message, c.fields, strict=True)
                ]
                return f"{name}!!{', '.join(message)}"
            return f"{name}!{', '.join(message)}"
        pattern = self._pattern(c)
        if any(k in pattern for k in self.indices):
            # SPIN computes the index again after each field that it has received.
            name = c.name.format(self.chance.choice("01"))
        sign = "??" if "random" in self.on and c.capacity and chance.random() < 0.4 else "?"
        if c.capacity and "copy" in self.on and chance.random() < 0.3:
            return f"{name}{sign}<{pattern}>"
        if c.capacity and "poll" in self.on and chance.random() < 0.2:
            return f"{name}{sign}[{pattern}]"
        return f"{name}{sign}{pattern}"

    def _pattern(self, channel: Channel) -> str:
        """What is received; SPIN refuses a variable that comes twice."""
        found: Lines = []
        for kind in channel.fields:
            one = self._received(kind)
            found.append("_" if one in found else one)
        return ", ".join(found)

    def _sent(self, kind: str) -> str:
        if kind == "chan":
            return self._handle()
        if kind == "mtype":
            return self.chance.choice(self.symbols)
        # SPIN has a byte for a bit in a message.
        return self._condition(0) if kind == "bit" else self._value(1)

    def _received(self, kind: str) -> str:
        roll = self.chance.random()
        if roll < 0.15:
            return "_"
        if kind == "chan":
            return "h" if any(c.name == "h" for c in self.mine) else "_"
        if kind == "mtype" and roll < 0.6:
            return self._sent(kind)
        if roll < 0.22:
            return str(self.chance.randint(0, 2))
        if roll < 0.35 and "eval" in self.on:
            return f"eval({self._value(1)})"
        # SPIN puts back what fitted into the variable, not what was received.
        wide = [t for t in self.targets if t not in self.narrow]
        return self._cell(wide) if wide else "_"

    # Expressions

    def _indexed(self, name: str) -> str:
        return name.format(self._index()) if "{}" in name else name

    def _index(self) -> str:
        if not self.indices or self.chance.random() < 0.4:
            return self.chance.choice("01")
        name = self.chance.choice(self.indices)
        return self.chance.choice((f"{name} & 1", f"({name} == 1)", f"(1 - ({name} & 1))"))

    def _cell(self, among: list[str]) -> str:
        return self._indexed(self.chance.choice(among))

    def _value(self, depth: int) -> str:
        chance = self.chance
        roll = chance.random()
        if depth == 0 or roll < 0.5:
            if chance.random() < 0.5:
                return self._cell(self.targets)
            leaves = ["0", "1", "2", *self.symbols]
            leaves += ["TWO"] * ("constants" in self.on)
            leaves += ["_pid"] * 2 * ("pid" in self.on and bool(self.proctypes))
            leaves += ["_nr_pr"] * ("count" in self.on)
            leaves += ["_last"] * ("last" in self.on)
            return chance.choice(leaves)
        one, two = self._value(depth - 1), self._value(depth - 1)
        if roll < 0.8:
            return f"({one} {chance.choice(('+', '-', '*', '&', '|', '^', '+', '+'))} {two})"
        if roll < 0.84:
            return f"({one} {chance.choice(('<<', '>>'))} {chance.choice('12')})"
        if roll < 0.88:
            return f"({one} {chance.choice('/%')} {chance.choice('23')})"
        if roll < 0.92 and not self.formula:
            return f"({self._condition(0)} -> {one} : {two})"
        if roll < 0.96:
            return f"{chance.choice('-~!')}({one})"
        buffered = [c for c in self.channels if c.capacity]
        return f"len({self._indexed(chance.choice(buffered).name)})" if buffered else one

    def _test(self) -> str:
        """What may stand alone, or beside `&&`: also whether a channel is full."""
        buffered = [c for c in self.channels + self.mine if c.capacity]
        if not buffered or not self.proctypes or self.chance.random() < 0.75:
            return self._condition(2)
        name = self._indexed(self.chance.choice(buffered).name)
        asked = f"{self.chance.choice(('full', 'empty', 'nfull', 'nempty'))}({name})"
        if self.chance.random() < 0.6:
            return asked
        return f"{asked} {self.chance.choice(('&&', '||'))} {self._condition(1)}"

    def _condition(self, depth: int) -> str:
        chance = self.chance
        roll = chance.random()
        if depth and roll < 0.2:
            sign = chance.choice(("&&", "||"))
            return f"({self._condition(depth - 1)} {sign} {self._condition(depth - 1)})"
        if depth and roll < 0.25:
            return f"!({self._condition(depth - 1)})"
        buffered = [c for c in self.channels + self.mine if c.capacity]
        if "poll" in self.on and buffered and roll < 0.4 and self.proctypes:
            c = chance.choice(buffered)
            sign = "??" if chance.random() < 0.4 else "?"
            return f"{self._indexed(c.name)}{sign}[{self._pattern(c)}]"
        if "remote" in self.on and roll < 0.5 and not self.still and (far := self._remote()):
            return far
        one = self._cell(self.targets)
        sign = chance.choice(("==", "!=", "!=", "<", ">", "<=", "<=", ">="))
        return f"({one} {sign} {self._value(1) if roll < 0.7 else chance.choice('0112')})"

    def _remote(self) -> str:
        """A question about a process above, if there is one that is there from the start."""
        first, among = 0, []
        for p in reversed(self.proctypes):
            if p is self.proctype:
                break
            if p.copies == 1 and p.name != "init":
                for name in (p.name, f"{p.name}[{first}]"):
                    among += [f"{name}@{label}" for label in p.labels]
                    among.append(f"({name}:v == 1)")
            first += p.copies
        return self.chance.choice(among) if among else ""
