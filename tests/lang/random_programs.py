"""Random whole Promela programs: types, structures, channels, blocks, `run`, jumps, claims.

Each text has some of the features only, drawn anew: what is rare among all texts is frequent among
those that have it. Every statement stands in lines of its own, so that a text can be made smaller
by leaving out lines. Most texts are finite and small: values are cut to few, but loops may go on
for ever.

`random_promela` has texts in which `unless`, rendezvous and `else` meet more closely.
"""

from __future__ import annotations

import random

from tests.lang.promela_steps import Place, Steps
from tests.lang.promela_terms import Channel, Lines, Proctype

FEATURES = (
    *("types", "wrap", "arrays", "structures", "mtypes", "constants"),
    *("rendezvous", "sorted", "random", "poll", "copy", "eval", "handles", "messages", "local"),
    *(
        "for",
        "select",
        "else",
        "timeout",
        "goto",
        "unless",
        "atomic",
        "d_step",
        "inline",
        "declare",
    ),
    *("run", "provided", "pid", "count", "last", "several", "assert", "labels", "remote", "step"),
    *("ltl", "never", "deep"),
)
TYPES = (
    "bit",
    "bool",
    "byte",
    "short",
    "int",
    "unsigned {} : 2",
    "unsigned {} : 3",
    "pid",
    "mtype",
)


class Programs(Steps):
    """Texts drawn from one source of chance."""

    def __init__(self, chance: random.Random) -> None:
        rare = ("ltl", "never")
        super().__init__(
            chance, {f for f in FEATURES if chance.random() < (0.2 if f in rare else 0.4)}
        )
        self.inlines, self.runnable, self.jumps, self.names = [], [], [], 0

    def text(self) -> str:
        """The text; one for each object."""
        head = self._globals() + self._declared_channels()
        head += self._inlines() if "inline" in self.on else []
        bodies = self._processes()
        return "\n".join(head + bodies + self._claims()) + "\n"

    # What is declared outside processes

    def _globals(self) -> Lines:
        chance, lines = self.chance, []
        if "mtypes" in self.on:
            lines += ["mtype = { red, green, blue };"]
            self.symbols += ["red", "green", "blue"]
            if chance.random() < 0.4:
                lines += [
                    "mtype = { black };",
                    "mtype:kind = { one, two };",
                    "mtype:kind mk = two;",
                ]
                self.symbols.append("black")
                self.on.add("kinds")
        if "constants" in self.on:
            lines.append("#define TWO 2")
        for k in range(chance.randint(2, 4)):
            lines.append(self._variable(f"g{k}"))
            self.shared.append(f"g{k}")
        if "arrays" in self.on:
            type_ = chance.choice(("byte", "short", "int"))
            given = chance.choice(("", "", " = 1", " = { 1, 2 }"))
            lines.append(f"{type_} a[2]{given};")
            self.shared += ["a[0]", "a[1]", "a[{}]"]
        if "structures" in self.on:
            lines += [
                "typedef In { byte v; byte w[2] };",
                "typedef Out { In p[2]; short s; bit t };",
            ]
            lines += ["Out o;", "In n[2];"]
            self.shared += ["o.s", "o.t", "o.p[{}].v", "o.p[1].w[{}]", "n[{}].v", "n[0].w[{}]"]
        return lines

    def _variable(self, name: str, initial: bool = True) -> str:
        chance = self.chance
        kinds = TYPES if "types" in self.on else ("byte", "byte", "bit")
        type_ = chance.choice(kinds if self.symbols else [t for t in kinds if t != "mtype"])
        self.narrow.discard(name)
        if type_ not in ("byte", "short", "int", "pid"):
            self.narrow.add(name)
        declared = type_.format(name) if "{" in type_ else f"{type_} {name}"
        if initial and chance.random() < 0.3:
            value = chance.choice(self.symbols) if type_ == "mtype" else chance.choice("012")
            declared += f" = {value}"
        return declared + ";"

    def _declared_channels(self) -> Lines:
        chance, lines = self.chance, []
        for k in range(chance.randint(1, 3)):
            fields = chance.choice((("byte",), ("byte",), ("byte", "bit"), ("byte", "byte")))
            if self.symbols and chance.random() < 0.4:
                fields = ("mtype", "byte")
            if "messages" in self.on and chance.random() < 0.5:
                fields = chance.choice((("chan",), ("byte", "chan")))
            capacity = chance.choice((0, 0, 1, 2) if "rendezvous" in self.on else (1, 1, 2, 3))
            name, shown = f"q{k}", f"q{k}"
            if chance.random() < 0.25:
                shown, name = f"q{k}[2]", f"q{k}[{{}}]"
            lines.append(f"chan {shown} = [{capacity}] of {{ {', '.join(fields)} }};")
            self.channels.append(Channel(name, fields, capacity))
        if self.on & {"handles", "messages", "run"} and not self._of_bytes():
            capacity = chance.choice((0, 1, 2))
            lines.append(f"chan plain = [{capacity}] of {{ byte }};")
            self.channels.append(Channel("plain", ("byte",), capacity))
        return lines

    def _inlines(self) -> Lines:
        self.targets = ["x", "y"]
        self.symbols, symbols = [], self.symbols
        lines: Lines = []
        for k in range(self.chance.randint(1, 2)):
            body = self._sequence(Place(1, block="inline"), self.chance.randint(1, 3))
            lines += [f"inline f{k}(x, y) {{", *body, "}"]
            self.inlines.append(f"f{k}")
        self.symbols = symbols
        return lines

    # Processes

    def _processes(self) -> Lines:
        chance = self.chance
        count = chance.choice((2, 2, 3))
        for k in range(count):
            self.proctypes.append(Proctype(f"P{k}"))
        if "run" in self.on:
            for p in self.proctypes[1:]:
                if chance.random() < 0.7:
                    p.parameters = chance.choice(((), ("byte",), ("byte", "chan"), ("chan",)))
                    self.runnable.append(p)
        for p in self.proctypes:
            if p not in self.runnable:
                p.copies = 2 if "several" in self.on and chance.random() < 0.3 else 1
        if "run" in self.on and chance.random() < 0.3:
            self.proctypes[0].name = "init"
            self.proctypes[0].copies = 1
        lines: Lines = []
        for p in reversed(self.proctypes):  # what is run comes first, with its labels
            lines += self._process(p)
        if chance.random() < 0.6:
            lines += self._environment()
        return lines

    def _environment(self) -> Lines:
        """A process that sends and receives, for ever or a few times, so that the others go on."""
        lines = [
            "active proctype E() {",
            "byte k;",
            *(["end:"] if self.chance.random() < 0.7 else []),
            "do",
        ]
        few = self.chance.random() < 0.7
        for c in self.channels:
            name = c.name.format(self.chance.choice("01"))
            constants = {"chan": "0", "mtype": "red"}
            sent = ", ".join(constants.get(f, self.chance.choice("012")) for f in c.fields)
            if "chan" not in c.fields and self.chance.random() < 0.7:
                lines += [f":: k < {self.chance.randint(1, 2)} ->", f"{name}!{sent};", "k++"]
            lines += [
                ":: k < 3 ->" if few else "::",
                f"{name}?{', '.join('_' for _ in c.fields)};",
                *(["k++"] if few else []),
            ]
        return [*lines, "od", "}"]

    def _process(self, p: Proctype) -> Lines:
        chance = self.chance
        self.proctype, self.names = p, 0
        numbers, self.mine = ["v", "w"], []
        lines = [self._variable("v"), self._variable("w")]
        header = "active proctype" if p.copies == 1 else f"active [{p.copies}] proctype"
        if not p.copies:
            header = "proctype"
        formal: Lines = []
        for k, kind in enumerate(p.parameters):
            formal.append(f"{kind} p{k}")
            if kind == "byte":
                numbers.append(f"p{k}")
            else:
                self.mine.append(Channel(f"p{k}", ("byte",), None))
        if "handles" in self.on or ("messages" in self.on and chance.random() < 0.6):
            start = self._handle()
            lines.append(
                f"chan h = {start};" if start[-1] != "]" and chance.random() < 0.5 else "chan h;"
            )
            if "=" not in lines[-1]:
                lines.append(f"h = {start};")
            self.mine.append(Channel("h", ("byte",), None))
        if "local" in self.on and chance.random() < 0.6:
            capacity = chance.choice((0, 1, 2))
            lines.insert(0, f"chan own = [{capacity}] of {{ byte }};")
            self.mine.append(Channel("own", ("byte",), capacity))
        if "structures" in self.on and chance.random() < 0.5:
            lines.insert(0, "In m;")
            numbers += ["m.v", "m.w[{}]"]
        if "arrays" in self.on and chance.random() < 0.4:
            lines.insert(0, "byte b[2];")
            numbers += ["b[{}]", "b[1]"]
        self.targets = numbers + self.shared * 2
        self.indices = [
            "v",
            *(["_pid"] if "pid" in self.on else []),
            *[g for g in self.shared if g[0] == "g"],
        ]
        self.jumps: Lines = []
        body = self._sequence(Place(3 if "deep" in self.on else 2), chance.randint(2, 4))
        # No label begins an option or a block.
        pairs = zip(["", *body], body, strict=False)
        body = [x for y, x in pairs if not (x.endswith("_:") and (y == "::" or y.endswith("{")))]
        if self.jumps:
            body = self._with_labels(body)
        if "last" in self.on and p is self.proctypes[0]:
            body.append("_last < 9;")  # SPIN keeps it in the state wherever it is named
        provided = ""
        if "provided" in self.on and chance.random() < 0.5:
            provided = (
                f" provided ({chance.choice(self.shared).format(0)} != {chance.randint(0, 2)})"
            )
        if p.name == "init":
            return ["init {", *lines, *body, "}"]
        return [f"{header} {p.name}({'; '.join(formal)}){provided} {{", *lines, *body, "}"]

    def _with_labels(self, body: Lines) -> Lines:
        """The labels that are jumped to, each in front of some statement."""
        for label in self.jumps:
            where = self._starts(body)
            at = self.chance.choice(where)
            body = [*body[:at], f"{label}:", *body[at:]]
            self.proctype.labels.append(label)
        return body

    def _starts(self, body: Lines) -> list[int]:
        """Where a statement begins, neither an option nor a block, and not inside `d_step`."""
        found: list[int] = []
        opened: Lines = []
        for k, (before, line) in enumerate(zip(["", *body], body, strict=False)):
            if line.startswith("}"):
                opened.pop()
            first = before in ("::", "if", "do") or before.endswith(("->", ":", "{"))
            later = line.startswith(("::", "fi", "od", "}", "chan", "byte"))
            if not first and not later and "d_step {" not in opened:
                found.append(k)
            if line.endswith("{"):
                opened.append(line)
        return found or [len(body)]

    # Claims

    def _claims(self) -> Lines:
        chance = self.chance
        self.formula, self.mine, self.proctype = True, [], Proctype("")
        self.targets, self.indices = self.shared, []
        self.on -= {"pid", "poll", "constants", "count"}
        lines: Lines = []
        if "ltl" in self.on:
            for k in range(chance.randint(1, 2)):
                lines.append(f"ltl l{k} {{ {self._formula(2)} }}")
        elif "never" in self.on:
            lines += self._never()
        return lines

    def _atom(self) -> str:
        roll = self.chance.random()
        if roll < 0.2 and (far := self._remote()):
            return f"({far})"
        if roll < 0.25 and all(c.capacity for c in self.channels):
            return f"(enabled({self.chance.randint(0, 1)}))"
        if roll < 0.3:
            return "(timeout)" if self.chance.random() < 0.2 else "(_last == 1)"
        if roll < 0.33:
            return "(np_)"
        return f"({self._condition(0)})"

    def _formula(self, depth: int) -> str:
        if depth == 0 or self.chance.random() < 0.1:
            return self._atom()
        sign = self.chance.choice(("[]", "<>", "!", "&&", "||", "->", "U", "W", "V"))
        if sign in ("[]", "<>", "!"):
            return f"({sign} {self._formula(depth - 1)})"
        return f"({self._formula(depth - 1)} {sign} {self._formula(depth - 1)})"

    def _never(self) -> Lines:
        chance = self.chance
        lines = ["never {"]
        for k in range(3):
            lines += [f"{chance.choice(('accept_', 'T', 'T'))}{k}:" if k == 0 else f"N{k}:"]
            if k and chance.random() < 0.5:
                lines[-1] = f"N{k}:\naccept_{k}:"
            lines += ["if"]
            for _ in range(chance.randint(1, 2)):
                lines += [
                    f":: {chance.choice(('true', self._atom(), self._atom()))} ->",
                    f"goto N{chance.randint(1, 2)}",
                ]
            if chance.random() < 0.3:
                lines += [":: else ->", f"goto N{chance.randint(1, 2)}"]
            lines += ["fi;"]
        return [*lines, "}"]
