"""Random SMV texts: small types, all kinds of assignments and constraints, modules, processes."""

from __future__ import annotations

from random import Random

TYPES = {
    "boolean": ["FALSE", "TRUE"],
    "0..2": ["0", "1", "2"],
    "{red, green}": ["red", "green"],
    "{1, 3, green, off}": ["1", "3", "green", "off"],
}
TYPICAL = list(TYPES)
MOST_STATES = 36


class Texts:
    """Makes one text."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.types: dict[str, str] = {}
        """The types of what may be read here, by name."""
        self.processes = random.random() < 0.25

    def text(self) -> str:
        r = self.random
        lines = ["MODULE main"]
        size = 1
        variables: dict[str, tuple[str, str]] = {}
        for name in ("x", "y", "z")[: r.randint(1, 3)]:
            type_ = r.choice(TYPICAL[:3] if r.random() < 0.8 else TYPICAL)
            if size * len(TYPES[type_]) > MOST_STATES:
                break
            size *= len(TYPES[type_])
            section = "FROZENVAR" if r.random() < 0.12 else "VAR"
            variables[name] = section, type_
        inputs = {"i": r.choice(TYPICAL)} if r.random() < 0.3 else {}
        part = r.random() < 0.4 and size <= 18
        for name, (section, type_) in variables.items():
            lines.append(f"{section} {name} : {type_};")
            self.types[name] = type_
        for name, type_ in inputs.items():
            lines.append(f"IVAR {name} : {type_};")
        declared = [t for _, t in variables.values()] + list(inputs.values())
        known = {v for t in [*declared, "0..2", "boolean"] for v in TYPES[t]}
        target = r.choice(list(variables))
        if part or self.processes:
            keyword = "process " if self.processes else ""
            lines.append(f"VAR p : {keyword}cell({target}, {self.condition(1)});")
            if r.random() < 0.3:
                lines.append(f"VAR q : {keyword}cell({target}, {self.condition(0)});")
            self.types["p.b"] = "boolean"
        if r.random() < 0.4:
            type_ = r.choice(TYPICAL)
            if not set(TYPES[type_]) <= known:
                type_ = "boolean"
            lines.append(f"DEFINE d := {self.value(type_, 2)};")
            self.types["d"] = type_
        outer = dict(self.types)
        shared = self.processes or ((part) and r.random() < 0.5)
        lines += self.assigns(
            variables, inputs, {target} if shared and part and not self.processes else set()
        )
        lines += self.constraints(inputs)
        self.types = outer
        lines += [self.specification() for _ in range(r.randint(1, 3))]
        if part or self.processes:
            lines += self.cell(target, variables[target], shared)
        return "\n".join(lines) + "\n"

    def cell(self, target: str, declared: tuple[str, str], shared: bool) -> list[str]:
        """A module with a Boolean of its own, which may assign what it is given."""
        r = self.random
        section, type_ = declared
        self.types = {"b": "boolean", "a": type_, "c": "boolean"}
        lines = ["MODULE cell(a, c)", "VAR b : boolean;", "ASSIGN"]
        if r.random() < 0.7:
            lines.append(f"init(b) := {r.choice(['TRUE', 'FALSE', 'c', '{TRUE, FALSE}'])};")
        if r.random() < 0.8:
            lines.append(f"next(b) := {self.choice('boolean', 2)};")
        if shared and self.processes and section == "VAR":
            lines.append(f"next(a) := {self.choice(type_, 2)};")
        if self.processes and r.random() < 0.6:
            lines.append(
                r.choice(["FAIRNESS running", f"FAIRNESS running & ({self.condition(1)})"])
            )
        return lines

    # --- assignments and constraints --------------------------------------------------------------

    def assigns(
        self, variables: dict[str, tuple[str, str]], inputs: dict[str, str], skipped: set[str]
    ) -> list[str]:
        r = self.random
        lines = ["ASSIGN"]
        readable = dict(self.types)
        earlier: dict[str, str] = {}
        now: list[str] = []
        for name, (section, type_) in variables.items():
            if name in skipped:
                continue
            how = r.random()
            if how < 0.12 and section == "VAR" and not self.processes:
                # Only of variables before it: nothing leads back.
                self.types = dict(earlier)
                lines.append(f"{name} := {self.choice(type_, 1)};")
                now.append(name)
                earlier[name] = type_
                continue
            if r.random() < 0.7:
                self.types = dict(earlier)
                lines.append(f"init({name}) := {self.choice(type_, 0)};")
            if section == "VAR" and how < 0.8:
                self.types = {**readable, **inputs}
                self.types |= {f"next({n})": t for n, t in earlier.items() if r.random() < 0.2}
                lines.append(f"next({name}) := {self.choice(type_, 2)};")
            earlier[name] = type_
        self.types = readable
        return lines if len(lines) > 1 else []

    def constraints(self, inputs: dict[str, str]) -> list[str]:
        r = self.random
        lines = []
        readable = dict(self.types)
        if r.random() < 0.3:
            lines.append(f"INIT {self.condition(1)}")
        if r.random() < 0.2:
            lines.append(f"INVAR {self.condition(2)};")
        stepwise = {
            **readable,
            **inputs,
            **{f"next({n})": t for n, t in readable.items()},
        }
        for _ in range(2):
            if r.random() < 0.35:
                self.types = stepwise
                lines.append(f"TRANS {self.relation()}")
        self.types = {**readable, **inputs}
        while r.random() < 0.3:
            lines.append(f"{r.choice(['FAIRNESS', 'JUSTICE'])} {self.condition(1)}")
        if r.random() < 0.1:
            lines.append(f"COMPASSION ({self.condition(0)}, {self.condition(1)})")
        self.types = readable
        return lines

    def relation(self) -> str:
        """A relation as people write them: an equation, a case, or any condition."""
        r = self.random
        name = r.choice([n for n in self.types if n.startswith("next(")])
        type_ = self.types[name]
        how = r.random()
        now = {n: t for n, t in self.types.items() if not n.startswith("next(")}
        if how < 0.7:
            everything, self.types = self.types, now
            if how < 0.25:
                found = f"{name} = ({self.value(type_, 2)})"
            elif how < 0.45:
                found = f"{name} in ({self.choice(type_, 1)})"
            else:
                one, other = self.value(type_, 1), self.value(type_, 1)
                found = f"({self.condition(1)} & {name} = ({one})) | {name} = ({other})"
            self.types = everything
            return found
        return self.condition(2)

    # --- expressions ------------------------------------------------------------------------------

    def choice(self, type_: str, depth: int) -> str:
        """A value or a set of values, to be assigned."""
        r = self.random
        how = r.random()
        if how < 0.25:
            return f"{{{self.value(type_, 0)}, {self.value(type_, depth)}}}"
        if how < 0.35 and type_ == "0..2":
            return r.choice(["0..2", "1..2"])
        if how < 0.4:
            return f"({self.value(type_, 0)}) union ({self.value(type_, 0)})"
        if how < 0.75 and depth > 0:
            first, last = self.choice(type_, depth - 1), self.choice(type_, depth - 1)
            return f"case {self.condition(1)} : {first}; TRUE : {last}; esac"
        return self.value(type_, depth)

    def value(self, type_: str, depth: int) -> str:
        r = self.random
        if type_ == "boolean" and r.random() < 0.7:
            return self.condition(depth)
        names = [n for n, t in self.types.items() if t == type_]
        how = r.random()
        if type_ == "0..2" and depth > 0 and how < 0.35:
            a, b = self.value(type_, depth - 1), self.value(type_, depth - 1)
            form = r.choice(
                [
                    *("({a} + {b}) mod 3", "max({a}, {b})", "min({a}, {b})", "abs({a} - {b})"),
                    *("({a} * {b}) mod 3", "(({a} + 2) - {b}) mod 3", "({a} + {b}) / 2"),
                    *("2 - {a}", "toint({a} < {b})", "count({a} = 1, {b} = 1)"),
                ]
            )
            return form.format(a=f"({a})", b=f"({b})")
        if depth > 0 and how < 0.55:
            a, b = self.value(type_, depth - 1), self.value(type_, depth - 1)
            if r.random() < 0.5:
                return f"({self.condition(depth - 1)} ? {a} : {b})"
            return f"(case {self.condition(depth - 1)} : {a}; TRUE : {b}; esac)"
        if names and how < 0.9:
            return r.choice(names)
        return r.choice(TYPES[type_])

    def condition(self, depth: int) -> str:
        r = self.random
        if depth > 0 and r.random() < 0.5:
            a, b = self.condition(depth - 1), self.condition(depth - 1)
            operator = r.choice(["&", "|", "xor", "->", "<->", "="])
            return f"(({a}) {operator} ({b}))" if r.random() < 0.8 else f"!({a})"
        type_ = r.choice([*(self.types.values()), "boolean"])
        if type_ == TYPICAL[3] and r.random() < 0.3:
            # A number that stands beside symbols is compared with any number.
            return f"({self.value(type_, 0)}) {r.choice(['=', '!='])} ({self.value('0..2', 1)})"
        if type_ == "boolean":
            names = [n for n, t in self.types.items() if t == "boolean"]
            return r.choice([*names, *names, "TRUE", "FALSE"])
        a, b = self.value(type_, max(0, depth - 1)), self.value(type_, 0)
        if type_ == "0..2" and r.random() < 0.4:
            return f"({a}) {r.choice(['<', '<=', '>', '>='])} ({b})"
        if r.random() < 0.25:
            return f"({a}) in {{{b}, {self.value(type_, 0)}}}"
        return f"({a}) {r.choice(['=', '!='])} ({b})"

    # --- specifications ---------------------------------------------------------------------------

    def specification(self) -> str:
        how = self.random.random()
        if how < 0.5:
            return f"SPEC {self.ctl(3)}"
        if how < 0.85:
            return f"LTLSPEC {self.ltl(2)}"
        return f"INVARSPEC {self.condition(2)}"

    def ctl(self, depth: int) -> str:
        r = self.random
        if depth == 0:
            return f"({self.condition(1)})"
        how = r.random()
        if how < 0.55:
            return f"{r.choice(['EX', 'AX', 'EF', 'AF', 'EG', 'AG'])} {self.ctl(depth - 1)}"
        if how < 0.75:
            return f"{r.choice('AE')} [ {self.ctl(depth - 1)} U {self.ctl(depth - 1)} ]"
        if how < 0.85:
            return f"!{self.ctl(depth - 1)}"
        return f"({self.ctl(depth - 1)} {r.choice(['&', '|', '->'])} {self.ctl(depth - 1)})"

    def ltl(self, depth: int) -> str:
        r = self.random
        if depth == 0:
            return f"({self.condition(1)})"
        how = r.random()
        if how < 0.6:
            return f"{r.choice('XFG')} {self.ltl(depth - 1)}"
        if how < 0.8:
            return f"({self.ltl(depth - 1)} {r.choice('UV')} {self.ltl(depth - 1)})"
        return f"({self.ltl(depth - 1)} {r.choice(['&', '|', '->'])} {self.ltl(depth - 1)})"


def random_text(seed: int) -> str:
    """The text of a seed."""
    return Texts(Random(seed)).text()
