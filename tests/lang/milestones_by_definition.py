"""Programs of the language Milestones, executed as section 6.3 of the thesis defines them.

Nothing here is shared with our parser and our models but the data of the generator: widths, the
choice of commands of all who take part in an action, simultaneous assignment, initial states.
"""

from collections.abc import Iterator
from itertools import product

from plait.testing.random_milestones import Command, Program, Term

State = tuple[int, ...]


class Judge:
    """The transition system of a program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.widths: dict[str, int] = {n: bits for n, (bits, _) in program.variables.items()}
        self.initial: dict[str, int | None] = {n: v for n, (_, v) in program.variables.items()}
        for name, kind, size in program.processes:
            for k in range(size):
                for v, (bits, value) in kind.variables.items():
                    self.widths[f"{name}[{k}].{v}"] = bits
                    self.initial[f"{name}[{k}].{v}"] = value
        self.names = list(self.widths)

    def initial_states(self) -> list[State]:
        values = (
            range(2 ** self.widths[n]) if self.initial[n] is None else [self.initial[n]]
            for n in self.names
        )
        return [tuple(state) for state in product(*values)]  # type: ignore[arg-type]

    def steps(self, state: State) -> Iterator[tuple[str, State]]:
        """The actions that are possible, with their successors."""
        values = dict(zip(self.names, state, strict=True))
        for name, kind, size in self.program.processes:
            for k in range(size):
                for action in kind.actions:
                    for c in self._possible(kind.commands, action, values, f"{name}[{k}]."):
                        chosen = [(c, f"{name}[{k}].")]
                        yield f"{name}[{k}].{action}", self._after(values, chosen)
        for action in self.program.actions:
            offers = [[(c, "") for c in self._possible(self.program.commands, action, values, "")]]
            for name, kind, size in self.program.processes:
                if action in kind.sync:
                    for k in range(size):
                        own = f"{name}[{k}]."
                        possible = self._possible(kind.commands, action, values, own)
                        offers.append([(c, own) for c in possible])
            for choice in product(*offers):
                yield action, self._after(values, list(choice))

    def reachable(self) -> set[State]:
        seen = set(self.initial_states())
        waiting = list(seen)
        while waiting:
            for _, successor in self.steps(waiting.pop()):
                if successor not in seen:
                    seen.add(successor)
                    waiting.append(successor)
        return seen

    def holds(self, condition: Term, state: State, own: str = "") -> bool:
        return self._holds(condition, dict(zip(self.names, state, strict=True)), own)

    def _possible(
        self, commands: list[Command], action: str, values: dict[str, int], own: str
    ) -> Iterator[Command]:
        for c in commands:
            here = c.location is None or values[f"{own}pc"] == c.location
            if c.action == action and here and self._holds(c.guard, values, own):
                yield c

    def _after(self, values: dict[str, int], chosen: list[tuple[Command, str]]) -> State:
        after = dict(values)
        for c, own in chosen:
            for target, value in c.assignments:
                place = self._name(target, own)
                width = self._width(value, own)
                after[place] = self._value(value, values, own, width) % 2 ** self.widths[place]
        return tuple(after[n] for n in self.names)

    def _name(self, name: str, own: str) -> str:
        return own + name if own + name in self.widths else name

    def _width(self, term: Term, own: str) -> int:
        op, left, right = term
        if op == "const":
            return max(1, int(left).bit_length())  # type: ignore[arg-type]
        if op == "var":
            return self.widths[self._name(str(left), own)]
        return max(self._width(left, own), self._width(right, own))  # type: ignore[arg-type]

    def _value(self, term: Term, values: dict[str, int], own: str, width: int) -> int:
        op, left, right = term
        if op == "const":
            return int(left)  # type: ignore[arg-type]
        if op == "var":
            return values[self._name(str(left), own)]
        a = self._value(left, values, own, width)  # type: ignore[arg-type]
        b = self._value(right, values, own, width)  # type: ignore[arg-type]
        return applied(op, a, b, width)

    def _holds(self, term: Term, values: dict[str, int], own: str) -> bool:
        op, left, right = term
        if op == "truth":
            return left == "true"
        assert isinstance(left, tuple)
        if op == "!":
            return not self._holds(left, values, own)
        assert right is not None
        if op in ("&", "|", "->", "<->"):
            a, b = self._holds(left, values, own), self._holds(right, values, own)
            return {"&": a and b, "|": a or b, "->": not a or b, "<->": a == b}[op]
        width = max(self._width(left, own), self._width(right, own))
        a_, b_ = self._value(left, values, own, width), self._value(right, values, own, width)
        return compare(op, a_, b_)


def applied(op: str, a: int, b: int, width: int) -> int:
    """An operation on so many bits, as tables of bit-vectors say."""
    if op == "/":
        return 2**width - 1 if b == 0 else a // b
    if op == "%":
        return a if b == 0 else a % b
    return {"+": a + b, "-": a - b, "*": a * b}[op] % 2**width


def compare(op: str, a: int, b: int) -> bool:
    return {"==": a == b, "!=": a != b, "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b}[op]
