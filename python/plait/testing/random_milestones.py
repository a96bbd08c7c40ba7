"""Random programs of the language Milestones, as data and as text.

The data are what a judge of the language needs to execute a program by its definition, without our
parser and our models. Processes favour long runs of local commands, which is what reductions live
on; global actions, shared variables and commands without order between them come in between.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.records import dataclass, field
from plait.testing.choices import Choices

Term = tuple[str, "int | str | Term", "Term | None"]
"""`("const", 3, None)`, `("var", "a[0].x", None)` or `("+", term, term)`; conditions alike."""
ARITHMETIC = ("+", "-", "*", "/", "%")
COMPARISONS = ("==", "!=", "<", ">", "<=", ">=")
CONNECTIVES = ("&", "|", "->", "<->")


@dataclass(frozen=True, slots=True)
class Command:
    """`location` is None for a global command; targets and values are in the terms of who acts."""

    location: int | None
    action: str
    guard: Term
    assignments: tuple[tuple[str, Term], ...]


@dataclass(slots=True)
class Kind:
    """A process type: its variables with bits and initial values."""

    name: str
    variables: dict[str, tuple[int, int | None]]
    actions: list[str]
    commands: list[Command] = field(default_factory=list)
    sync: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Program:
    """A whole program; `processes` are names, types and numbers."""

    variables: dict[str, tuple[int, int | None]]
    actions: list[str]
    kinds: list[Kind]
    processes: list[tuple[str, Kind, int]]
    commands: list[Command] = field(default_factory=list)

    def text(self, ctl: tuple[str, ...] = (), ltl: tuple[str, ...] = ()) -> str:
        """The program in the spelling of the thesis's listing."""
        lines = [f"ACTION {' '.join(f'{a};' for a in self.actions)} END"]
        lines += [_variables(self.variables)]
        for kind in self.kinds:
            lines += [f"LOCAL {kind.name}", f"ACTION {'; '.join(kind.actions)} END"]
            lines += [_variables(kind.variables), "CASE"]
            lines += [_command(c) for c in kind.commands]
            lines += ["END", f"SYNC {'; '.join(kind.sync)} END", "END"]
        processes = " ".join(f"{n} : {k.name}[{size}];" for n, k, size in self.processes)
        lines += ["GLOBAL", f"PROC {processes} END", "CASE"]
        lines += [_command(c) for c in self.commands]
        lines += ["END", "END"]
        for word, formulas in (("CTL", ctl), ("LTL", ltl)):
            if formulas:
                lines += [word, *(f"{f};" for f in formulas), "END"]
        return "\n".join(lines) + "\n"


def _variables(variables: dict[str, tuple[int, int | None]]) -> str:
    shown = (
        f"{name} : {bits}{'' if value is None else f' := {value}'};"
        for name, (bits, value) in variables.items()
    )
    return f"VARIABLE {' '.join(shown)} END"


def _command(c: Command) -> str:
    location = "" if c.location is None else f"[{c.location}] "
    body = " ".join(f"{target} := {show(value)};" for target, value in c.assignments)
    return f"  {location}[{c.action}] {show(c.guard)} : {body}"


def show(term: Term) -> str:
    """A term with all its parentheses."""
    op, left, right = term
    if op in ("const", "var", "truth"):
        return str(left)
    assert isinstance(left, tuple)
    if op == "!":
        return f"!({show(left)})"
    assert right is not None
    return f"({show(left)} {op} {show(right)})"


class _Writer:
    def __init__(
        self, choices: Choices, open_values: int, nonlinear: int, operations: Sequence[str]
    ) -> None:
        self.choices = choices
        self.operations = operations
        self.open_values = open_values
        self.nonlinear = nonlinear

    def variable(self) -> tuple[int, int | None]:
        c = self.choices
        bits = c.weighted([(4, 1), (3, 2), (1, 3)])
        return bits, None if c.chance(self.open_values) else c.integer(0, 2**bits - 1)

    def term(self, names: list[str], depth: int = 2) -> Term:
        c = self.choices
        if depth and c.chance(45):
            return (
                c.pick(self.operations),
                self.term(names, depth - 1),
                self.term(names, depth - 1),
            )
        if names and c.chance(65):
            return ("var", c.pick(names), None)
        return ("const", c.integer(0, 4), None)

    def condition(self, names: list[str], depth: int = 1) -> Term:
        c = self.choices
        if not names or c.chance(30):
            return ("truth", "true", None)
        if depth and c.chance(25):
            left = self.condition(names, depth - 1)
            return (c.pick(CONNECTIVES), left, self.condition(names, depth - 1))
        if depth and c.chance(10):
            return ("!", self.condition(names, depth - 1), None)
        if c.chance(50):
            return (
                c.pick(COMPARISONS),
                ("var", c.pick(names), None),
                ("const", c.integer(0, 2), None),
            )
        return (c.pick(COMPARISONS), self.term(names, 1), self.term(names, 1))

    def assignments(self, targets: list[str], names: list[str]) -> tuple[tuple[str, Term], ...]:
        chosen = self.choices.some(targets, 0, 2)
        return tuple((target, self.term(names)) for target in chosen)

    def kind(self, name: str, shared: list[str], actions: list[str]) -> Kind:
        """A process type whose counter mostly goes on from one command to the next."""
        c = self.choices
        bits = c.integer(1, 2)
        own = {"pc": (bits, 0 if not c.chance(self.open_values) else None)}
        own |= {f"{name.lower()}{i}": self.variable() for i in range(c.integer(0, 2))}
        kind = Kind(name, own, [f"{name.lower()}_{i}" for i in range(c.integer(1, 3))])
        kind.sync = c.some(actions, 0, 2)
        mine = [v for v in own if v != "pc"]
        for location in range(2**bits):
            for _ in range(1 + c.chance(self.nonlinear)):
                kind.commands.append(self._local(kind, location, mine, shared))
        for action in kind.sync:
            for location in c.some(list(range(2**bits)), 1, 2):
                guard = self.condition(mine)
                body = self.assignments(mine, [*mine, "pc"])
                following = (("pc", ("const", (location + 1) % 2**bits, None)),)
                kind.commands.append(Command(location, action, guard, (*following, *body)))
        return kind

    def _local(self, kind: Kind, location: int, mine: list[str], shared: list[str]) -> Command:
        c = self.choices
        known = [*mine, "pc", *(shared if c.chance(30) else [])]
        targets = [*mine, *(shared if c.chance(25) else [])]
        bits = kind.variables["pc"][0]
        following = (location + 1) % 2**bits if not c.chance(20) else c.integer(0, 2**bits - 1)
        body = self.assignments(targets, known)
        moved = () if c.chance(8) else (("pc", ("const", following, None)),)
        guard = self.condition(known) if c.chance(40) else ("truth", "true", None)
        return Command(location, c.pick(kind.actions), guard, (*moved, *body))


def program(
    choices: Choices,
    *,
    open_values: int = 8,
    nonlinear: int = 15,
    operations: Sequence[str] = ARITHMETIC,
) -> Program:
    """A program; `open_values` and `nonlinear` are chances in per cent.

    The first is that of a variable without initial value, the second that of a second command at a
    value of the counter. `operations` are those of its arithmetic.
    """
    c, writer = choices, _Writer(choices, open_values, nonlinear, operations)
    shared = {f"g{i}": writer.variable() for i in range(c.integer(1, 2))}
    actions = [f"G{i}" for i in range(c.integer(0, 3))]
    kinds = [writer.kind(f"K{i}", list(shared), actions) for i in range(c.integer(1, 2))]
    processes = [(f"p{i}", kind, 1 + c.chance(35)) for i, kind in enumerate(kinds)]
    found = Program(shared, actions, kinds, processes)
    locals_ = [
        f"{name}[{k}].{v}"
        for name, kind, size in processes
        for k in range(size)
        for v in kind.variables
    ]
    for action in actions:
        for _ in range(c.weighted([(1, 0), (6, 1), (2, 2)])):
            known = [*shared, *(c.some(locals_, 1, 2) if c.chance(50) else [])]
            body = writer.assignments(list(shared), known)
            found.commands.append(Command(None, action, writer.condition(known), body))
    return found


__all__ = ["Command", "Kind", "Program", "Term", "program", "show"]
