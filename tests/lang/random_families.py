"""Random Promela texts in which processes run others, end, and leave their numbers to them.

Every text is finite: nobody is run in a loop, values are taken modulo 3, queues hold one message or
two. The processes share `x`, `y` and two queues; they may wait for each other for ever, fail, be
wrong about an index, or borrow a channel. A few texts ask for the numbers of processes, and a few
lack what the reductions of ends and of runs must look at: so every condition of
`plait.lang.promela.numbers` is met on both of its sides.
"""

from __future__ import annotations

import random

HEAD = """\
chan q = [1] of { byte };
chan r = [2] of { byte };
byte x, y;
byte a[2];
"""
LENDER = """\
active proctype O() {{ chan own = [1] of {{ byte }}; {steps} }}
"""
BORROWED = ("empty(p)", "nempty(p)", "p?x", "p!1")
NUMBERED = ("assert(_pid < 3)", "x = _pid", "_nr_pr > 2", "x = run C(1); x = x % 3")
"""Statements that can tell who has ended."""


class Families:
    """Texts drawn from one source of chance."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.own = chance.random() < 0.15
        """Some processes own a channel."""
        self.numbered = chance.random() < 0.1
        self.mixed = chance.random() < 0.1
        """`timeout` stands inside larger conditions."""
        self.meeting = chance.random() < 0.15
        """There is a rendezvous."""
        self.lending = chance.random() < 0.2
        """One that starts at once lends its channel, which is gone with it."""

    def text(self) -> str:
        """A whole text: `init` or two active processes run children, which may run others."""
        head = HEAD + ("chan c = [0] of { byte };\n" if self.meeting else "")
        if self.lending:
            head += "chan lent = [1] of { chan };\n"
        leaf = self._proctype("C", "byte v", [])
        middle = self._proctype("B", "byte v", ["C"])
        upper = self._proctype("A", "", ["B", "C"])
        return head + leaf + middle + upper + self._first() + self._lender()

    def _lender(self) -> str:
        if not self.lending:
            return ""
        steps = ["own!1", "lent!own", self._plain(False)]
        self.chance.shuffle(steps)
        return LENDER.format(steps="; ".join(steps))

    def _first(self) -> str:
        chance = self.chance
        if chance.random() < 0.6:
            return f"init {{ {self._body(['A', 'B', 'C'], chance.randint(2, 4))} }}\n"
        count = chance.choice((1, 2))
        body = self._body(["A", "B", "C"], chance.randint(1, 3))
        return f"active [{count}] proctype Z() {{ byte v; {body} }}\n"

    def _proctype(self, name: str, parameters: str, children: list[str]) -> str:
        body = self._body(children, self.chance.randint(1, 3), local=bool(parameters))
        own = "chan mine = [1] of { byte }; " if self.own and self.chance.random() < 0.4 else ""
        if self.lending and self.chance.random() < 0.4:
            own += f"chan p; lent?p; {self.chance.choice(BORROWED)}; "
        return f"proctype {name}({parameters}) {{ {own}{body} }}\n"

    def _body(self, children: list[str], length: int, local: bool = False) -> str:
        steps = [self._step(children, local, 2) for _ in range(length)]
        if children and not any("run" in step for step in steps):
            steps.insert(self.chance.randint(0, length), self._run(children))
        end = self.chance.random()
        if end < 0.06:
            steps[-1] = f"end: {steps[-1]}"
        return "; ".join(steps)

    def _step(self, children: list[str], local: bool, depth: int) -> str:
        chance = self.chance
        roll = chance.random()
        if children and roll < (0.6 if len(children) == 3 else 0.3):
            return self._run(children)
        if depth and roll < 0.4:
            options = [
                f":: {self._guard(local)} -> {self._step([], local, depth - 1)}"
                for _ in range(chance.choice((1, 2)))
            ]
            if chance.random() < 0.4:
                options.append(f":: else -> {self._plain(local)}")
            return f"if {' '.join(options)} fi"
        if depth and roll < 0.5:
            kind = chance.choice(("atomic", "atomic", "d_step"))
            runs = children if kind == "atomic" and chance.random() < 0.5 else []
            inside = [self._step(runs, local, 0), self._plain(local)]
            chance.shuffle(inside)
            return f"{kind} {{ {'; '.join(inside)} }}"
        if roll < 0.6:
            return self._guard(local)
        return self._plain(local)

    def _run(self, children: list[str]) -> str:
        name = self.chance.choice(children)
        value = self.chance.choice(("0", "1", "2", "x"))
        return f"run {name}({'' if name == 'A' else value})"

    def _plain(self, local: bool) -> str:
        chance = self.chance
        if self.numbered and chance.random() < 0.3:
            return chance.choice(NUMBERED[:2])
        roll = chance.random()
        name = chance.choice("xy")
        if roll < 0.2:
            return f"assert({name} != {chance.randint(0, 2)})"
        if roll < 0.4:
            queue = chance.choice("qr" + "c" * self.meeting)
            return f"{queue}!{chance.choice((0, 1, name))}"
        if roll < 0.5:
            return f"{chance.choice('qr' + 'c' * self.meeting)}?{name}"
        if roll < 0.55:
            return f"a[{name}] = 1"
        if roll < 0.6:
            return "skip"
        value = chance.choice(["0", "1", "2", f"({name}+1)%3", *["v"] * local])
        return f"{name} = {value}"

    def _guard(self, local: bool) -> str:
        chance = self.chance
        roll = chance.random()
        if self.numbered and roll < 0.1:
            return NUMBERED[2]
        if self.mixed and roll < 0.3:
            return chance.choice(("!timeout", "(timeout || x == 1)", "(!timeout && y == 0)"))
        if roll < 0.15:
            return chance.choice(("timeout", "timeout && x == 0"))
        if roll < 0.4:
            return chance.choice(("empty(q)", "nempty(r)", "full(r)", "nfull(q)", "q?[1]"))
        name = chance.choice("xxyy" + "v" * local)
        return f"{name} {chance.choice(('==', '!=', '<'))} {chance.randint(0, 2)}"


def family(seed: int) -> str:
    """The text of a number."""
    return Families(random.Random(f"family {seed}")).text()
