"""The statements of random Promela programs, each in lines of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from tests.lang.promela_terms import Lines, Proctype, Terms


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement stands."""

    depth: int
    block: str = ""
    """`atomic` or `d_step`."""
    loop: bool = False
    """Whether a `break` belongs to a loop here."""

    def inside(self, **changes: object) -> Place:
        """One level further in."""
        return replace(self, depth=self.depth - 1, **changes)  # type: ignore[arg-type]


class Steps(Terms):
    """Statements drawn from one source of chance."""

    inlines: Lines
    runnable: list[Proctype]
    jumps: Lines
    """The labels that are jumped to."""
    names: int
    """How many names of its own the process has."""

    def _sequence(self, place: Place, length: int) -> Lines:
        return [line for _ in range(length) for line in self._statement(place)]

    def _statement(self, place: Place) -> Lines:
        chance = self.chance
        kinds: list[Callable[[Place], Lines]] = [*[self._assign] * 7, self._wait]
        if place.block != "inline":
            kinds += [self._message] * 4
        if place.depth > 0:
            kinds += [self._choice] * 3
            if place.block not in ("d_step", "inline"):
                kinds += [self._loop] * 2
                for name, made in (("unless", self._unless), ("atomic", self._atomic)):
                    kinds += [made] * 2 * (name in self.on)
                kinds += [self._d_step] * 2 * ("d_step" in self.on)
            if place.block != "inline":
                kinds += [self._for] * ("for" in self.on)
        for name, made in (
            ("select", self._select),
            ("assert", self._assert),
            ("step", self._nothing),
        ):
            kinds += [made] * (name in self.on)
        if place.block != "inline":
            kinds += [self._inline] * 2 * bool(self.inlines)
            kinds += (
                [self._run]
                * 3
                * bool(self.runnable and self.proctype not in self.runnable)
                * (place.block != "d_step")
            )
            kinds += [self._declare] * ("declare" in self.on)
        kinds += [self._break] * (place.loop and place.block != "d_step")
        if place.block not in ("d_step", "inline"):
            kinds += [self._goto] * ("goto" in self.on)
        lines = chance.choice(kinds)(place)
        named = "labels" in self.on and not lines[0].startswith("byte ")
        if place.block in ("", "atomic") and named and chance.random() < 0.15:
            self.names += 1
            label = chance.choice(("end", "accept", "progress", "L")) + f"_{self.names}_"
            self.proctype.labels.append(label)
            lines = [f"{label}:", *lines]
        return lines

    def _assign(self, place: Place) -> Lines:
        target = self._cell(self.targets)
        roll = self.chance.random()
        if "kinds" in self.on and roll < 0.1:
            return [f"mk = {self.chance.choice(('one', 'two'))};"]
        if "wrap" in self.on and roll < 0.3:
            amount = self.chance.choice(("255", "256", "-1", "32767", "65535", "7", "2147483647"))
            return [f"{target} = {self._value(1)} {self.chance.choice('+-*')} {amount};"]
        if roll < 0.15:
            return [f"{target} = {target} % 3 + 1;", f"{target}--;"]
        if roll < 0.25:
            return [f"{target} = 1 - {target};"]
        value = self._value(2)
        return [f"{target} = {value if value.isalnum() else f'({value}) % 3'};"]

    def _wait(self, place: Place) -> Lines:
        return [f"{self._test()};"]

    def _message(self, place: Place) -> Lines:
        return [self._io(place.block == "d_step") + ";"]

    def _nothing(self, place: Place) -> Lines:
        return [self.chance.choice(("skip;", 'printf("here");', "true;", "skip;"))]

    def _assert(self, place: Place) -> Lines:
        return [f"assert({self._condition(1)} || {self._condition(0)});"]

    def _inline(self, place: Place) -> Lines:
        one, two = self._cell(self.targets), self._cell(self.targets)
        return [f"{self.chance.choice(self.inlines)}({one}, {two});"]

    def _declare(self, place: Place) -> Lines:
        self.names += 1
        name = f"d{self.names}"
        return [f"byte {name} = {self._value(0)};", f"{self._cell(self.targets)} = {name};"]

    def _goto(self, place: Place) -> Lines:
        if not self.jumps or self.chance.random() < 0.6:
            self.names += 1
            self.jumps.append(f"J{self.names}")
        jump = f"goto {self.chance.choice(self.jumps)};"
        if self.chance.random() < 0.3:
            return [jump]
        return ["if", f":: {self._condition(1)} ->", jump, ":: else", "fi;"]

    def _break(self, place: Place) -> Lines:
        return ["if", f":: {self._condition(1)} ->", "break", ":: else", "fi;"]

    def _run(self, place: Place) -> Lines:
        p = self.chance.choice(self.runnable)
        actual = [self._value(1) if k == "byte" else self._handle() for k in p.parameters]
        call = f"run {p.name}({', '.join(actual)})"
        if self.chance.random() < 0.3:
            return [f"{self._cell(self.targets)} = {call};"]
        return [f"{call};"]

    def _select(self, place: Place) -> Lines:
        name = self.chance.choice([t for t in self.targets if t.isalnum()])
        if place.block == "inline":
            return self._assign(place)
        high = self.chance.choice(("1", "2", "2", self._value(0)))
        return [f"select ({name} : 0 .. {high});"]

    def _for(self, place: Place) -> Lines:
        name = self.chance.choice(("v", "w", "v", "g0"))
        if place.block == "d_step":
            name = "v"
        body = self._sequence(place.inside(loop=True), 1)
        if "arrays" in self.on and self.chance.random() < 0.4:
            return [f"for ({name} in a) {{", *body, "};"]
        return [f"for ({name} : 0 .. {self.chance.randint(0, 2)}) {{", *body, "};"]

    def _atomic(self, place: Place) -> Lines:
        return self._block("atomic", place)

    def _d_step(self, place: Place) -> Lines:
        return self._block("d_step", place)

    def _block(self, name: str, place: Place) -> Lines:
        loop = place.loop and name == "atomic"
        inner = place.inside(block=name, loop=loop)
        self.still = name == "d_step"  # no questions about other processes in there
        body = self._sequence(inner, self.chance.randint(1, 3))
        if name == "d_step" or self.chance.random() < 0.6:
            # SPIN often takes a `d_step` for blocked that begins with a choice.
            body = [self._guard(inner) + ";", *body]
        self.still = False
        return [f"{name} {{", *body, "};"]

    def _unless(self, place: Place) -> Lines:
        inner = place.inside()
        main = self._sequence(inner, self.chance.randint(1, 3))
        escape = [self._guard(inner) + ";", *self._sequence(inner, self.chance.randint(0, 1))]
        return ["{", *main, "} unless {", *escape, "};"]

    def _choice(self, place: Place) -> Lines:
        inner = place.inside()
        lines = ["if"]
        for _ in range(self.chance.randint(1, 3)):
            lines += self._option(inner)
        if self._has_else(lines):
            lines += [":: else ->", *self._sequence(inner, self.chance.randint(1, 2))]
        elif self.chance.random() < 0.4:
            lines += [":: skip"]
        return [*lines, "fi;"]

    def _option(self, inner: Place) -> Lines:
        if inner.block != "d_step" and self.chance.random() < 0.15:
            return ["::", *self._statement(inner), *self._sequence(inner, 1)]
        return [f":: {self._guard(inner)} ->", *self._sequence(inner, self.chance.randint(1, 2))]

    def _loop(self, place: Place) -> Lines:
        inner = place.inside(loop=True)
        lines = ["do"]
        for _ in range(self.chance.randint(1, 2)):
            lines += self._option(inner)
        lines += [f":: {self._guard(inner)} ->", "break"]
        if self._has_else(lines):
            lines += [":: else ->", "break"]
        return [*lines, "od;"]

    def _has_else(self, lines: Lines) -> bool:
        """SPIN often refuses an `else` beside messages."""
        messages = any("!" in x or "?" in x for x in lines if x.startswith("::"))
        return "else" in self.on and self.chance.random() < (0.1 if messages else 0.6)

    def _guard(self, place: Place) -> str:
        roll = self.chance.random()
        if roll < 0.4 and place.block != "inline":
            return self._io(place.block == "d_step")
        if roll < 0.5 and "timeout" in self.on:
            return self.chance.choice(("timeout", f"timeout && {self._condition(1)}"))
        if roll < 0.6:
            return self.chance.choice(("skip", "true", self._assign(place)[0][:-1]))
        return self._test()
