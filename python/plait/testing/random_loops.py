"""Random Promela texts with loops inside `atomic` and `d_step`.

Each block begins with a global counter, so that there are few of them in a run, and its loops count
up to bounds that are constants or depend on data. Indexes may leave their array, options may be
open together, and a block may have to wait in its middle.
"""

from __future__ import annotations

from plait.testing.choices import Choices

ROUNDS = 3
"""How many blocks are executed in a run."""


def loops(choices: Choices) -> str:
    """The text of one or two processes."""
    writer = _Writer(choices)
    count = choices.integer(1, 2)
    processes = "\n".join(writer.process(p) for p in range(count))
    return f"byte a[3], x, y, left = {ROUNDS};\n{processes}\n"


class _Writer:
    def __init__(self, choices: Choices) -> None:
        self.choices = choices

    def process(self, number: int) -> str:
        """A process that executes one of its blocks again and again."""
        options = [self._block() for _ in range(self.choices.integer(1, 2))]
        body = "\n".join(options)
        return f"active proctype P{number}() {{ byte i, j; do\n{body}\nod }}"

    def _block(self) -> str:
        kind = self.choices.pick(["d_step", "atomic"])
        body = "; ".join(self._statement(kind, 2) for _ in range(self.choices.integer(1, 3)))
        return f":: {kind} {{ left > 0 -> left--; {body} }}"

    def _statement(self, kind: str, depth: int) -> str:
        c = self.choices
        if depth == 0 or c.chance(45):
            return self._assignment()
        inner = "; ".join(self._statement(kind, depth - 1) for _ in range(c.integer(1, 2)))
        if c.chance(65):
            counter = "ij"[2 - depth]
            if c.chance(50):
                return f"for ({counter} : 0 .. {self._bound()}) {{ {inner} }}"
            more = f"{counter} < {self._bound()} -> {inner}; {counter}++"
            return f"{counter} = 0; do :: {more} :: else -> break od"
        if kind == "atomic" and c.chance(25):
            return f"if :: {inner} :: {self._condition()} -> {self._assignment()} fi"
        other = c.pick(["else", f"else -> {self._assignment()}"])
        return f"if :: {self._condition()} -> {inner} :: {other} fi"

    def _bound(self) -> str:
        return self.choices.pick(["1", "2", "x", "y", "(x + y) % 3", "a[1]"])

    def _condition(self) -> str:
        c = self.choices
        left = c.pick(["x", "y", "i", "j", "a[i % 3]", "a[x % 3]"])
        return f"{left} {c.pick(['==', '<', '!='])} {c.integer(0, 2)}"

    def _assignment(self) -> str:
        c = self.choices
        index = c.weighted([(6, c.pick(["0", "i % 3", "(x + j) % 3"])), (1, "x")])
        target = c.pick(["x", "y", f"a[{index}]"])
        read = c.pick(["x", "y", "i", "a[j % 3]", "a[2]", "left"])
        return f"{target} = ({read} + {c.pick(['1', 'i', 'j', 'y'])}) % 4"
