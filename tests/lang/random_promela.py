"""Random Promela texts in which `unless`, rendezvous, `else`, `atomic` and `timeout` meet.

Every text is finite: values are taken modulo 3, and a queue holds one message. Loops may go on for
ever, processes may block anywhere; `x`, `y` and the three channels are all that they share.
"""

from __future__ import annotations

import random

HEAD = """\
chan c = [0] of { byte };
chan d = [0] of { byte, byte };
chan q = [1] of { byte };
byte x, y;
"""


class Texts:
    """Texts drawn from one source of chance."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.labels = 0
        self.loops = 0
        self.escapes = 0

    def text(self) -> str:
        """A whole text: two or three processes."""
        self.labels = 0
        count = self.chance.choice((2, 2, 3))
        return HEAD + "".join(self._process(k, count) for k in range(count))

    def _process(self, number: int, count: int) -> str:
        label, self.labels = self.labels, self.labels + 1
        steps = self.chance.randint(1, 3 if count == 2 else 2)
        body = self._sequence(steps, 2 if number else 3)
        if self.chance.random() < 0.2:
            body = body + f"; {self._bounded_jump(label)}"
            body = f"L{label}: {body}"
        return f"active proctype P{number}() {{ byte v; {body} }}\n"

    def _bounded_jump(self, label: int) -> str:
        return f"if :: y < 2 -> y++; goto L{label} :: else fi"

    def _sequence(self, length: int, depth: int, guarded: bool = False) -> str:
        steps = [self._step(depth) for _ in range(length)]
        if guarded:
            steps.insert(0, self._guard())
        return "; ".join(steps)

    def _step(self, depth: int) -> str:
        kinds = ["plain"] * 5
        if depth:
            kinds += ["unless"] * 4 + ["if"] * 3 + ["do", "atomic", "atomic", "block"]
        kind = self.chance.choice(kinds)
        if kind == "plain":
            return self._plain()
        if kind == "unless":
            return self._unless(depth - 1)
        if kind in ("if", "do"):
            return self._choice(kind, depth - 1)
        inside = self._sequence(self.chance.randint(1, 3), depth - 1)
        return f"atomic {{ {inside} }}" if kind == "atomic" else f"{{ {inside} }}"

    def _plain(self) -> str:
        if self.chance.random() < 0.45:
            return self._guard()
        name = self.chance.choice("xy")
        value = self.chance.choice(["0", "1", "2", f"({name}+1)%3", "v"])
        return f"{name} = {value}"

    def _guard(self) -> str:
        roll = self.chance.random()
        if roll < 0.3:
            name = self.chance.choice("xxyyv")
            return f"{name} {self.chance.choice(['==', '!=', '<'])} {self.chance.randint(0, 2)}"
        if roll < 0.38:
            return "timeout"
        if roll < 0.45:
            return "skip"
        channel = self.chance.choice("cccddq")
        if self.chance.random() < 0.45:
            return f"{channel}!{self._fields(channel, ('0', '1', '2', 'x', 'v'))}"
        return f"{channel}?{self._fields(channel, ('0', '1', '2', 'x', 'v', 'v', 'eval(y)'))}"

    def _fields(self, channel: str, among: tuple[str, ...]) -> str:
        return ",".join(self.chance.choice(among) for _ in range(2 if channel == "d" else 1))

    def _unless(self, depth: int) -> str:
        main = self._sequence(self.chance.randint(1, 3), depth)
        if depth and self.chance.random() < 0.3:
            escape = self._choice("if", depth - 1)
        else:
            escape = self._guard()
            if self.chance.random() < 0.3:
                escape = f"atomic {{ {escape}; {self._plain()} }}"
        if self.chance.random() < 0.5:
            escape += f"; {self._plain()}"
        return f"{{ {main} }} unless {{ {escape} }}"

    def _choice(self, kind: str, depth: int) -> str:
        options = []
        for _ in range(self.chance.randint(1, 3)):
            if depth and self.chance.random() < 0.2:
                options.append(self._unless(depth - 1))
            else:
                options.append(self._sequence(self.chance.randint(0, 2), depth, guarded=True))
        ends = [self._plain() for _ in range(self.chance.randint(0, 1))]
        if kind == "do":
            options.append("; ".join([self._guard(), *ends, "break"]))
        if self.chance.random() < 0.4:
            options.append("; ".join(["else", *ends, *(["break"] if kind == "do" else [])]))
        return f"{kind} " + " ".join(f":: {option}" for option in options) + f" {kind[::-1]}"
