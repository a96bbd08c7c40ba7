"""Executes the NuSMV texts that we write, by their definition: all values, all disjuncts.

It knows the few constructs that the writer uses, and nothing of our models.
"""

import re
from itertools import product
from types import CodeType

State = tuple[int, ...]


class Smv:
    """A text: its variables, and its steps as functions of Python."""

    def __init__(self, text: str) -> None:
        declared = re.search(r"VAR\n((?:  \w+ : \d+\.\.\d+;\n)+)", text.replace("IVAR", "INPUT"))
        self.domains: dict[str, range] = {}
        if declared:
            for name, low, high in re.findall(r"(\w+) : (\d+)\.\.(\d+);", declared[1]):
                self.domains[name] = range(int(low), int(high) + 1)
        self.actions = re.search(r"action : \{(.*)\};", text)[1].split(", ")  # type: ignore[index]
        init = re.search(r"INIT\n(.*?)\n\nTRANS", text, re.DOTALL)
        trans = re.search(r"TRANS\n(.*?)\n\n", text + "\n\n", re.DOTALL)
        assert init is not None
        assert trans is not None
        self.fixed = {name: int(value) for name, value in re.findall(r"(\w+) = (\d+)", init[1])}
        self.specs = re.findall(r"^(CTLSPEC|LTLSPEC|INVARSPEC) (.*)$", text, re.MULTILINE)
        self.steps: list[tuple[str, list[CodeType], dict[str, CodeType]]] = []
        for symbol, body in re.findall(
            r"\(action = (\w+) & \(\n(.*?)\n    \)\)", trans[1], re.DOTALL
        ):
            for way in re.split(r"^      (?:\| )?(?=\()", body, flags=re.MULTILINE)[1:]:
                self._way(symbol, way.strip()[1:-1])

    def _way(self, symbol: str, text: str) -> None:
        guards: list[CodeType] = []
        values: dict[str, CodeType] = {}
        for part in text.split("\n         & "):
            found = re.match(r"next\((\w+)\) = (.*)$", part, re.DOTALL)
            if found:
                values[found[1]] = compile(_python(found[2]), text, "eval")
            else:
                guards.append(compile(_python(part), text, "eval"))
        assert set(values) == set(self.domains), "every variable has a next value"
        self.steps.append((symbol, guards, values))

    def initial(self) -> list[State]:
        values = (
            [self.fixed[name]] if name in self.fixed else domain
            for name, domain in self.domains.items()
        )
        return list(product(*values))

    def successors(self, state: State) -> set[tuple[str, State]]:
        values = self._values(state)
        found = set()
        for symbol, guards, after in self.steps:
            if all(eval(g, {}, values) for g in guards):
                new = tuple(int(eval(after[name], {}, values)) for name in self.domains)
                if all(v in d for v, d in zip(new, self.domains.values(), strict=True)):
                    found.add((symbol, new))
        return found

    def reachable(self) -> set[State]:
        seen = set(self.initial())
        waiting = list(seen)
        while waiting:
            for _, successor in self.successors(waiting.pop()):
                if successor not in seen:
                    seen.add(successor)
                    waiting.append(successor)
        return seen

    def _values(self, state: State) -> dict[str, int]:
        return dict(zip(self.domains, state, strict=True))


def _python(text: str) -> str:
    """An expression of NuSMV as one of Python."""
    text = text.replace("(case ", "(1 if (").replace(" : 1; TRUE : 0; esac)", ") else 0)")
    for ours, theirs in (
        ("<->", " == "),
        ("!=", " <NE> "),
        ("!", " not "),
        (" <NE> ", " != "),
        (" & ", " and "),
        (" | ", " or "),
        (" mod ", " % "),
        ("/", "//"),
        ("TRUE", "True"),
        ("FALSE", "False"),
    ):
        text = text.replace(ours, theirs)
    return re.sub(r"(?<![<>=!])=(?!=)", "==", text).replace("\n", " ").strip()
