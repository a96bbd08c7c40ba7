"""Random networks of timed automata: their text, and their meaning written down a second time.

The meaning here keeps every clock as it is up to a value beyond all constants; nothing is said
about which clocks matter where.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from random import Random

MOST = 4
"""More than every constant."""
OPERATORS = {
    "<": int.__lt__,
    "<=": int.__le__,
    ">": int.__gt__,
    ">=": int.__ge__,
    "==": int.__eq__,
}
Test = tuple[str, str, int]
"""A clock or variable, an operator, a constant."""
State = tuple[tuple[int, ...], int, tuple[int, ...]]
"""The locations, the variable, the clocks: the common one, then those of the processes."""


@dataclass(frozen=True)
class Arrow:
    source: int
    target: int
    tests: tuple[Test, ...]
    sync: str
    updates: tuple[tuple[str, int], ...]
    others: tuple[tuple[int, tuple[tuple[str, int], ...]], ...] = ()
    """Other ends of an edge through a branch point, and what is updated on the way there."""


@dataclass(frozen=True)
class Process:
    kinds: tuple[str, ...]
    """For each location `plain`, `urgent` or `commit`."""
    stops: tuple[str, ...]
    """For each location when the process's clock stands still there."""
    invariants: tuple[tuple[Test, ...], ...]
    arrows: tuple[Arrow, ...]


@dataclass(frozen=True)
class Automata:
    processes: tuple[Process, ...]
    channels: dict[str, str] = field(
        default_factory=lambda: {"a": "chan", "u": "urgent chan", "b": "broadcast chan"}
    )
    order: tuple[str, ...] = ()
    """Channels by priority, the last first; `default` is among them."""
    ranked: bool = False
    """A process comes before those that stand before it."""

    def text(self) -> str:
        """The network in Uppaal's language."""
        lines = ["clock y;", "int[0,2] v;"]
        lines += [f"{kind} {name};" for name, kind in self.channels.items()]
        lines += [f"chan priority {' < '.join(self.order)};"] if self.order else []
        for number, process in enumerate(self.processes):
            lines += [f"process P{number}() {{", "  clock x;"]
            states = []
            for i, (tests, stops) in enumerate(zip(process.invariants, process.stops, strict=True)):
                said = [_written(tests, ", ")] if tests else []
                said += [f"x' == ({stops} ? 0 : 1)"] if stops else []
                states.append(f"l{i}" + (f" {{ {', '.join(said)} }}" if said else ""))
            lines.append(f"  state {', '.join(states)};")
            for word in ("commit", "urgent"):
                named = [f"l{i}" for i, kind in enumerate(process.kinds) if kind == word]
                lines += [f"  {word} {', '.join(named)};"] if named else []
            lines.append("  init l0;")
            split = [i for i, a in enumerate(process.arrows) if a.others]
            lines += [f"  branchpoint {', '.join(f'b{i}' for i in split)};"] if split else []
            arrows: list[str] = []
            for i, a in enumerate(process.arrows):
                first = f"l{a.source} -> {f'b{i}' if a.others else f'l{a.target}'} {{"
                first += f" guard {_written(a.tests, ' && ')};" if a.tests else ""
                first += f" sync {a.sync};" if a.sync else ""
                ends = [(a.target, a.updates), *a.others] if a.others else []
                arrows.append(first + ("" if ends else _assigned(a.updates)) + " }")
                arrows += [
                    f"b{i} -> l{target} {{{_assigned(updates)} probability 1; }}"
                    for target, updates in ends
                ]
            lines += ["  trans " + ",\n    ".join(arrows) + ";"] if arrows else []
            lines.append("}")
        names = [f"P{number}" for number in range(len(self.processes))]
        lines.append(f"system {(' < ' if self.ranked else ', ').join(names)};")
        return "\n".join(lines) + "\n"

    @property
    def initial(self) -> State:
        count = len(self.processes)
        return (0,) * count, 0, (0,) * (count + 1)

    def steps(self, state: State) -> Iterator[tuple[bool, State]]:
        """Whether time passes, and the state after."""
        locations, value, clocks = state
        still = [
            {"": False, "true": True, "v > 0": value > 0}[p.stops[at]]
            for p, at in zip(self.processes, locations, strict=True)
        ]
        moved = (c if s else min(c + 1, MOST) for c, s in zip(clocks[1:], still, strict=True))
        later = (locations, value, (min(clocks[0] + 1, MOST), *moved))
        kinds = [p.kinds[at] for p, at in zip(self.processes, locations, strict=True)]
        moves = list(self._together(state))
        urgent = any(arrows[0][1].sync == "u!" for arrows in moves)
        if set(kinds) == {"plain"} and not urgent and self._allowed(later):
            yield True, later
        possible: list[tuple[tuple[int, int], State]] = []
        for arrows in moves:
            committed = "commit" in kinds
            if committed and not any(kinds[number] == "commit" for number, _ in arrows):
                continue
            after = self._taken(state, arrows)
            if self._allowed(after):
                possible.append((self._priority(arrows), after))
        highest = max((priority for priority, _ in possible), default=None)
        yield from ((False, after) for priority, after in possible if priority == highest)

    def _priority(self, arrows: list[tuple[int, Arrow]]) -> tuple[int, int]:
        channel = arrows[0][1].sync[:1]
        named = channel if channel in self.order else "default"
        level = self.order.index(named) if self.order else 0
        return level, max(number for number, _ in arrows) if self.ranked else 0

    def _together(self, state: State) -> Iterator[list[tuple[int, Arrow]]]:
        ready = [
            (number, arrow)
            for number, process in enumerate(self.processes)
            for arrow in process.arrows
            for arrow in _ends(arrow)
            if arrow.source == state[0][number] and self._hold(arrow.tests, number, state)
        ]
        for number, arrow in ready:
            if not arrow.sync:
                yield [(number, arrow)]
            elif arrow.sync in ("a!", "u!"):
                for other, answer in ready:
                    if other != number and answer.sync == arrow.sync[0] + "?":
                        yield [(number, arrow), (other, answer)]
            elif arrow.sync == "b!":
                hearing = [
                    [(n, r) for n, r in ready if n == other and r.sync == "b?"]
                    for other in range(len(self.processes))
                    if other != number
                ]
                for chosen in product(*(ways for ways in hearing if ways)):
                    yield [(number, arrow), *chosen]

    def _hold(self, tests: tuple[Test, ...], number: int, state: State) -> bool:
        _, value, clocks = state
        values = {"v": value, "y": clocks[0], "x": clocks[number + 1]}
        return all(OPERATORS[op](values[name], constant) for name, op, constant in tests)

    def _allowed(self, state: State) -> bool:
        return all(
            self._hold(process.invariants[at], number, state)
            for number, (process, at) in enumerate(zip(self.processes, state[0], strict=True))
        )

    def _taken(self, state: State, arrows: list[tuple[int, Arrow]]) -> State:
        locations, value, clocks = list(state[0]), state[1], list(state[2])
        for number, arrow in arrows:
            locations[number] = arrow.target
            for name, new in arrow.updates:
                if name == "v":
                    value = new
                else:
                    clocks[0 if name == "y" else number + 1] = new
        return tuple(locations), value, tuple(clocks)

    def earliest(self) -> dict[tuple[tuple[int, ...], int], int]:
        """For all locations and values that are reached together the least time."""
        times: dict[State, int] = {}
        layer, now = [self.initial], 0
        while layer:
            later: list[State] = []
            while layer:
                state = layer.pop()
                if state not in times:
                    times[state] = now
                    for passes, after in self.steps(state):
                        (later if passes else layer).append(after)
            layer, now = later, now + 1
        found: dict[tuple[tuple[int, ...], int], int] = {}
        for (locations, value, _), time in times.items():
            key = locations, value
            found[key] = min(time, found.get(key, time))
        return found


def _ends(arrow: Arrow) -> list[Arrow]:
    """One arrow for each way through a branch point."""
    ways = [(arrow.target, arrow.updates), *arrow.others]
    return [replace(arrow, target=target, updates=updates) for target, updates in ways]


def _assigned(updates: tuple[tuple[str, int], ...]) -> str:
    return f" assign {', '.join(f'{n} := {v}' for n, v in updates)};" if updates else ""


def _written(tests: tuple[Test, ...], joint: str) -> str:
    return joint.join(f"{name} {op} {constant}" for name, op, constant in tests)


def random_network(seed: int) -> Automata:
    """Two or three processes of two or three locations, in which something happens."""
    dice = Random(seed)

    def test() -> Test:
        name = dice.choice("xxxyv")
        return name, dice.choice(tuple(OPERATORS)), dice.randrange(MOST if name != "v" else 3)

    def update() -> tuple[str, int]:
        name = dice.choice("xxyvv")
        return name, dice.randrange(3 if name == "v" else 2)

    processes = []
    for _ in range(dice.choice((2, 2, 3))):
        size = dice.choice((2, 3, 3))
        kinds = tuple(dice.choice(("plain",) * 6 + ("urgent", "commit")) for _ in range(size))
        invariants = tuple(
            ((dice.choice("xxy"), dice.choice(("<", "<=")), dice.randrange(1, MOST)),)
            if dice.randrange(4) == 0
            else ()
            for _ in range(size)
        )
        arrows = tuple(
            Arrow(
                i % size,
                dice.randrange(size),
                tuple(test() for _ in range(dice.choice((0, 1, 1, 2)))),
                dice.choice(("", "", "", "", "a!", "a?", "u!", "u?", "b!", "b?")),
                tuple(update() for _ in range(dice.choice((0, 1, 1, 2)))),
                tuple(
                    (dice.randrange(size), tuple(update() for _ in range(dice.choice((0, 1)))))
                    for _ in range(dice.choice((0, 0, 0, 0, 1, 2)))
                ),
            )
            for i in range(2 * size + dice.randrange(3))
        )
        stops = tuple(dice.choice(("", "", "", "true", "v > 0")) for _ in range(size))
        processes.append(Process(kinds, stops, invariants, arrows))
    order = [*dice.sample(("a", "u", "b"), dice.randrange(1, 4)), "default"]
    dice.shuffle(order)
    return Automata(
        tuple(processes),
        order=tuple(order) if dice.randrange(3) == 0 else (),
        ranked=dice.randrange(3) == 0,
    )
