"""Random functions on numbers, arrays and structures: their text, and a plain interpreter.

The interpreter walks over the program as it was made, with variables in Python's lists and
dictionaries, parameters by reference as such objects themselves, and loops that loop; nothing is
unrolled, substituted or joined.
"""

from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import Any

State = dict[str, Any]
GLOBALS = """
typedef struct { int[0,4] n; bool b; } item;
int[-8,8] v, w;
int[0,4] a[3];
item s[2];
"""
Expr = tuple[Any, ...]
"""`("number", 3)`, `("name", "v")`, `("cell", place, index)`, `("field", place, "n")`, ..."""


class ReturnedError(Exception):
    """A function returns."""


@dataclass
class Function:
    name: str
    parameters: list[tuple[str, str]]
    """Kinds, in which `NAME` stands for the name, and names."""
    body: list[Any]
    pure: bool


@dataclass
class Program:
    functions: dict[str, Function] = field(default_factory=dict)
    edges: list[tuple[Expr, list[Any]]] = field(default_factory=list)
    """Guards and updates."""

    def text(self) -> str:
        """The program in Uppaal's language."""
        lines = [GLOBALS]
        for f in self.functions.values():
            given = ", ".join(kind.replace("NAME", name) for kind, name in f.parameters)
            lines += [f"int {f.name}({given}) {{", *_block(f.body, "  "), "}"]
        edges = [
            f"l -> l {{ guard {_text(guard)}; assign {', '.join(_simple(c) for c in update)}; }}"
            for guard, update in self.edges
        ]
        body = "state l; init l; trans " + ",\n  ".join(edges) + ";"
        return "\n".join([*lines, f"process P() {{ {body} }}", "system P;", ""])

    def successors(self, state: State) -> list[State]:
        found = []
        for guard, update in self.edges:
            if Run(self, deepcopy(state)).value(guard, {}):
                after = deepcopy(state)
                run = Run(self, after)
                for command in update:
                    run.command(command, {})
                found.append(after)
        return found


class Run:
    """Executes commands on a state; `own` holds the variables of a function."""

    def __init__(self, program: Program, state: State) -> None:
        self.program = program
        self.state = state

    def place(self, e: Expr, own: State) -> tuple[Any, Any]:
        """What holds a variable, and under which key."""
        match e:
            case ("name", name) if name in own:
                return own[name] if isinstance(own[name], tuple) else (own, name)
            case ("name", name):
                return self.state, name
            case ("cell", inner, index):
                return self.read(inner, own), self.value(index, own)
            case ("field", inner, name):
                return self.read(inner, own), name
        raise AssertionError(e)

    def read(self, e: Expr, own: State) -> Any:
        holder, key = self.place(e, own)
        assert not isinstance(holder, list) or 0 <= key < len(holder)
        return holder[key]

    def value(self, e: Expr, own: State) -> int:
        match e:
            case ("number", number):
                return number
            case ("name" | "cell" | "field", *_):
                return int(self.read(e, own))
            case ("late", target, by):
                holder, key = self.place(target, own)
                holder[key] += by
                return holder[key] - by
            case ("?", test, left, right):
                return self.value(left if self.value(test, own) else right, own)
            case ("call", name, arguments):
                return self.call(self.program.functions[name], arguments, own)
            case ("&&", left, right):
                return int(bool(self.value(left, own)) and bool(self.value(right, own)))
            case ("||", left, right):
                return int(bool(self.value(left, own)) or bool(self.value(right, own)))
            case (op, left, right):
                x, y = self.value(left, own), self.value(right, own)
                match op:
                    case "+":
                        return x + y
                    case "-":
                        return x - y
                    case "%":
                        return abs(x) % y * (1 if x >= 0 else -1)
                    case "<?":
                        return min(x, y)
                    case ">?":
                        return max(x, y)
                    case "<":
                        return int(x < y)
                    case "==":
                        return int(x == y)
        raise AssertionError(e)

    def call(self, f: Function, arguments: list[Expr], own: State) -> int:
        inner: State = {}
        for (kind, name), argument in zip(f.parameters, arguments, strict=True):
            if kind == "int NAME":
                inner[name] = self.value(argument, own)
            elif "&" in kind:
                inner[name] = self.place(argument, own)
            else:
                inner[name] = deepcopy(self.read(argument, own))
        try:
            for command in f.body:
                self.command(command, inner)
        except ReturnedError as end:
            return end.args[0]
        raise AssertionError(f.name)

    def command(self, c: Any, own: State) -> None:
        match c:
            case ("declare", "int", name, value):
                own[name] = self.value(value, own)
            case ("declare", "array", name, _):
                own[name] = [0, 0, 0]
            case ("declare", "item", name, _):
                own[name] = {"n": 0, "b": 0}
            case ("=", target, value):
                holder, key = self.place(target, own)
                new = self.value(value, own)
                assert not isinstance(holder, list) or 0 <= key < len(holder)
                holder[key] = new
            case ("copy", target, source):
                self.read(target, own).update(self.read(source, own))
            case ("do", e):
                self.value(e, own)
            case ("if", test, then, otherwise):
                for one in then if self.value(test, own) else otherwise:
                    self.command(one, own)
            case ("each", name, count, body):
                for number in range(count):
                    own[name] = number
                    for one in body:
                        self.command(one, own)
                own.pop(name)
            case ("while", test, body):
                while self.value(test, own):
                    for one in body:
                        self.command(one, own)
            case ("return", value):
                raise ReturnedError(self.value(value, own))
            case _:
                raise AssertionError(c)


# --- text -----------------------------------------------------------------------------------------


def _text(e: Expr) -> str:
    match e:
        case ("number", number):
            return str(number)
        case ("name", name):
            return str(name)
        case ("cell", inner, index):
            return f"{_text(inner)}[{_text(index)}]"
        case ("field", inner, name):
            return f"{_text(inner)}.{name}"
        case ("late", target, by):
            return f"{_text(target)}{'++' if by > 0 else '--'}"
        case ("?", test, left, right):
            return f"({_text(test)} ? {_text(left)} : {_text(right)})"
        case ("call", name, arguments):
            return f"{name}({', '.join(map(_text, arguments))})"
        case (op, left, right):
            return f"({_text(left)} {op} {_text(right)})"
    raise AssertionError(e)


def _simple(c: Any) -> str:
    match c:
        case ("=" | "copy", target, value):
            return f"{_text(target)} = {_text(value)}"
        case ("do", e):
            return _text(e)
    raise AssertionError(c)


def _block(body: list[Any], indent: str) -> list[str]:
    lines: list[str] = []
    for c in body:
        match c:
            case ("declare", "int", name, value):
                lines.append(f"{indent}int {name} = {_text(value)};")
            case ("declare", kind, name, _):
                shape = "int[0,4] NAME[3]" if kind == "array" else "item NAME"
                lines.append(f"{indent}{shape.replace('NAME', name)};")
            case ("if", test, then, otherwise):
                lines += [f"{indent}if ({_text(test)}) {{", *_block(then, indent + "  ")]
                lines += [f"{indent}}} else {{", *_block(otherwise, indent + "  "), f"{indent}}}"]
            case ("each", name, count, inner):
                lines.append(f"{indent}for ({name} : int[0,{count - 1}]) {{")
                lines += [*_block(inner, indent + "  "), f"{indent}}}"]
            case ("while", test, inner):
                lines.append(f"{indent}while ({_text(test)}) {{")
                lines += [*_block(inner, indent + "  "), f"{indent}}}"]
            case ("return", value):
                lines.append(f"{indent}return {_text(value)};")
            case _:
                lines.append(f"{indent}{_simple(c)};")
    return lines


# --- dice -----------------------------------------------------------------------------------------


@dataclass
class Names:
    """What may be used at a place of the program."""

    numbers: list[Expr]
    """Places that hold a number of -8 .. 8, or any small one."""
    arrays: list[Expr]
    items: list[Expr]
    changes: bool
    """Whether more than the function's own variables may be changed, and `x++` used."""
    mine: frozenset[str] = frozenset()

    def changeable(self, places: list[Expr]) -> list[Expr]:
        return [p for p in places if self.changes or _root(p) in self.mine]


def _root(e: Expr) -> str:
    return e[1] if e[0] == "name" else _root(e[1])


KINDS = ("int NAME", "int[-8,8] &NAME", "int[0,4] NAME[3]", "int[0,4] &NAME[3]", "item NAME")
KINDS += ("item &NAME",)


class Maker:
    def __init__(self, seed: int) -> None:
        self.dice = Random(seed)
        self.program = Program()

    def make(self) -> Program:
        for number in range(self.dice.choice((2, 3, 3))):
            self.function(f"f{number}", pure=number == 0 or self.dice.random() < 0.2)
        for _ in range(3):
            names = self.globals(False)
            guard = self.test(names, 2)
            names = self.globals(True)
            update = [self.effect(names, 2) for _ in range(self.dice.choice((0, 1)))]
            result = self.call(self.dice.choice([*self.program.functions.values()]), names, 1)
            update.append(("=", ("name", self.dice.choice("vw")), ("%", result, ("number", 9))))
            self.program.edges.append((guard, update))
        return self.program

    def globals(self, changes: bool) -> Names:
        return Names(
            [("name", "v"), ("name", "w")],
            [("name", "a")],
            [("cell", ("name", "s"), ("number", i)) for i in (0, 1)],
            changes,
        )

    def function(self, name: str, pure: bool) -> None:
        names = self.globals(not pure)
        parameters = []
        for number in range(self.dice.choice((0, 1, 1, 2))):
            kind = self.dice.choice(KINDS)
            own = f"p{number}"
            parameters.append((kind, own))
            places = names.items if "item" in kind else names.arrays if "[3]" in kind else None
            (names.numbers if places is None else places).append(("name", own))
            if "&" not in kind:
                names.mine |= {own}
        body: list[Any] = []
        for number in range(self.dice.choice((1, 2))):
            kind = self.dice.choice(("int", "int", "array", "item"))
            value = self.dice.choice(names.numbers) if kind == "int" else None
            body.append(("declare", kind, f"x{number}", value))
            place = ("name", f"x{number}")
            {"int": names.numbers, "array": names.arrays, "item": names.items}[kind].append(place)
            names.mine |= {f"x{number}"}
        if not pure:
            body.append(self.effect(self.globals(True), 1))
        body += self.block(names, 3)
        own = [n for n in names.numbers if n[1] in names.mine]
        result = self.dice.choice(own) if own and not pure else self.number(names, 2)
        body.append(("return", result))
        self.program.functions[name] = Function(name, parameters, body, pure)

    def block(self, names: Names, depth: int) -> list[Any]:
        found: list[Any] = []
        for _ in range(self.dice.choice((1, 2, 3))):
            found.append(self.command(names, depth))
            if found[-1][0] == "return":
                break
        return found

    def command(self, names: Names, depth: int) -> Any:
        roll = self.dice.random()
        if depth and roll < 0.3:
            otherwise = self.block(names, depth - 1) if self.dice.random() < 0.5 else []
            return "if", self.test(names, 1), self.block(names, depth - 1), otherwise
        if depth and roll < 0.45:
            name = f"i{depth}"
            inner = Names(
                [*names.numbers, ("name", name)],
                names.arrays,
                names.items,
                names.changes,
                names.mine,
            )
            # Nobody changes what a loop counts with.
            return "each", name, self.dice.choice((2, 3)), self.block(inner, depth - 1)
        if depth and roll < 0.55:
            return self.counting(names, depth)
        if depth < 3 and roll < 0.65:
            return "return", self.number(names, 1)
        return self.effect(names, 1)

    def counting(self, names: Names, depth: int) -> Any:
        """A loop whose end depends on the state, but is bounded by a range."""
        bound = ("field", ("cell", ("name", "s"), ("number", 0)), "n")
        name = f"k{depth}"
        inner = Names(
            [*names.numbers, ("name", name)], names.arrays, names.items, False, names.mine
        )
        body = [*self.block(inner, 0), ("do", ("late", ("name", name), 1))]
        loop = ("while", ("<", ("name", name), bound), body)
        return "if", ("number", 1), [("declare", "int", name, ("number", 0)), loop], []

    def effect(self, names: Names, depth: int) -> Any:
        """An assignment, or a call for what it does."""
        numbers = [
            *names.changeable([n for n in names.numbers if n[1][0] not in "ik"]),
            *[("field", i, self.dice.choice("nb")) for i in names.changeable(names.items)],
            *[("cell", a, self.index(names, 0)) for a in names.changeable(names.arrays)],
        ]
        roll = self.dice.random()
        wholes = names.changeable(names.items)
        if wholes and roll < 0.15:
            return "copy", self.dice.choice(wholes), self.dice.choice(names.items)
        calls = [f for f in self.program.functions.values() if names.changes]
        if calls and roll < (0.7 if depth == 2 else 0.3):
            return "do", self.call(self.dice.choice(calls), names, depth)
        if not numbers:
            return "do", ("number", 0)
        target = self.dice.choice(numbers)
        value = self.number(names, depth)
        if target[0] == "name":
            return "=", target, ("%", value, ("number", 9))
        if target[0] == "field" and target[2] == "b":
            return "=", target, self.test(names, depth)
        return "=", target, self.small(value)

    def small(self, value: Expr, size: int = 5) -> Expr:
        there = ("number", size)
        return ("%", ("+", ("%", value, there), there), there)

    def index(self, names: Names, depth: int) -> Expr:
        if self.dice.random() < 0.5:
            return ("number", self.dice.randrange(3))
        return self.small(self.number(names, depth), 3)

    def number(self, names: Names, depth: int) -> Expr:
        roll = self.dice.random()
        if depth == 0 or roll < 0.35:
            places = [
                *names.numbers,
                *[("field", i, "n") for i in names.items],
                *[("cell", a, ("number", self.dice.randrange(3))) for a in names.arrays],
            ]
            if self.dice.random() < 0.3:
                return ("number", self.dice.randrange(-3, 4))
            return self.dice.choice(places)
        if roll < 0.45:
            return ("cell", self.dice.choice(names.arrays), self.index(names, depth - 1))
        if roll < 0.55:
            sides = self.number(names, depth - 1), self.number(names, depth - 1)
            return ("?", self.test(names, depth - 1), *sides)
        calls = [f for f in self.program.functions.values() if f.pure or names.changes]
        if roll < 0.7 and calls:
            return self.call(self.dice.choice(calls), names, depth - 1)
        left, right = self.number(names, depth - 1), self.number(names, depth - 1)
        small = ("%", left, ("number", 7)), ("%", right, ("number", 7))
        return (self.dice.choice(("+", "-", "<?", ">?")), *small)

    def call(self, f: Function, names: Names, depth: int) -> Expr:
        """A call; what is given by reference is what may be changed, or read by a pure function."""
        arguments: list[Expr] = []
        for kind, _ in f.parameters:
            if kind == "int NAME":
                arguments.append(("%", self.number(names, depth), ("number", 9)))
            elif kind == "int[-8,8] &NAME":
                arguments.append(("name", self.dice.choice("vw")))
            elif "[3]" in kind:
                arguments.append(self.dice.choice(names.arrays))
            else:
                arguments.append(self.dice.choice(names.items))
        return ("call", f.name, arguments)

    def test(self, names: Names, depth: int) -> Expr:
        roll = self.dice.random()
        if depth and roll < 0.3:
            sides = self.test(names, depth - 1), self.test(names, depth - 1)
            return (self.dice.choice(("&&", "||")), *sides)
        if roll < 0.4:
            return ("field", self.dice.choice(names.items), "b")
        less = self.dice.choice(("<", "=="))
        return (less, self.number(names, depth), self.number(names, min(depth, 1)))


def random_state(dice: Random) -> State:
    """Any state at all."""
    items = [{"n": dice.randrange(5), "b": dice.randrange(2)} for _ in range(2)]
    numbers = {"v": dice.randrange(-8, 9), "w": dice.randrange(-8, 9)}
    return {**numbers, "a": [dice.randrange(5) for _ in range(3)], "s": items}


def cells(state: State) -> tuple[int, ...]:
    """The state as the model has it: each field of the structures is an array."""
    fields = [int(item[name]) for name in "nb" for item in state["s"]]
    return (state["v"], state["w"], *state["a"], *fields)


def random_program(seed: int) -> Program:
    """Two or three functions and edges that use them."""
    return Maker(seed).make()
