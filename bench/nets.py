"""The nets of the benchmarks, written once and given to every tool from the same object."""

from __future__ import annotations

from dataclasses import dataclass

from plait.model.arithmetic import INT_MAX
from plait.model.expr import Binary, Compare, Const, Var
from plait.model.stmt import Assign
from plait.model.types import Domain, ElementaryType, Event, Model, Variable


@dataclass(frozen=True)
class Net:
    """Places with their tokens; transitions with what they take and give, one token each."""

    name: str
    places: dict[str, int]
    transitions: dict[str, tuple[list[str], list[str]]]

    def model(self) -> Model:
        """The net for Plait."""
        variables = tuple(
            Variable(p, (Const(tokens),), domain=Domain(0, INT_MAX))
            for p, tokens in self.places.items()
        )
        events = tuple(
            Event(
                name,
                guard=tuple(Compare(">=", Var(p), Const(1)) for p in takes),
                body=tuple(
                    Assign(Var(p), Binary("+", Var(p), Const(gives.count(p) - takes.count(p))))
                    for p in dict.fromkeys(takes + gives)
                    if gives.count(p) != takes.count(p)
                ),
            )
            for name, (takes, gives) in self.transitions.items()
        )
        net = ElementaryType(self.name, events=events, variables=variables)
        return Model(self.name, (net,), self.name)

    def promela(self) -> str:
        """The net for SPIN: one process, one guarded atomic step a transition."""
        number = {p: i for i, p in enumerate(self.places)}
        lines = [f"byte p{i} = {tokens};" for i, tokens in enumerate(self.places.values())]
        lines += ["active proctype net() {", "  do"]
        for takes, gives in self.transitions.values():
            guard = " && ".join(f"p{number[p]} >= 1" for p in takes) or "true"
            effect = [f"p{number[p]}--" for p in takes] + [f"p{number[p]}++" for p in gives]
            lines.append(f"  :: d_step {{ {guard} -> {'; '.join(effect)} }}")
        return "\n".join([*lines, "  od", "}", ""])


def philosophers(n: int) -> Net:
    """Philosophers who take their two forks in any order."""
    places: dict[str, int] = {}
    transitions: dict[str, tuple[list[str], list[str]]] = {}
    for i in range(n):
        k = (i + 1) % n
        places |= {f"idle{i}": 1, f"waitl{i}": 0, f"hasl{i}": 0}
        places |= {f"waitr{i}": 0, f"hasr{i}": 0, f"fork{i}": 1}
        transitions |= {
            f"hungry{i}": ([f"idle{i}"], [f"waitl{i}", f"waitr{i}"]),
            f"left{i}": ([f"waitl{i}", f"fork{i}"], [f"hasl{i}"]),
            f"right{i}": ([f"waitr{i}", f"fork{k}"], [f"hasr{i}"]),
            f"done{i}": ([f"hasl{i}", f"hasr{i}"], [f"idle{i}", f"fork{i}", f"fork{k}"]),
        }
    return Net(f"philosophers {n}", places, transitions)


def kanban(n: int) -> Net:
    """Four production cells with `n` cards each."""
    places: dict[str, int] = {}
    transitions: dict[str, tuple[list[str], list[str]]] = {}
    for c in range(1, 5):
        places |= {f"m{c}": 0, f"back{c}": 0, f"kan{c}": n, f"out{c}": 0}
        transitions |= {
            f"ok{c}": ([f"m{c}"], [f"out{c}"]),
            f"bad{c}": ([f"m{c}"], [f"back{c}"]),
            f"redo{c}": ([f"back{c}"], [f"m{c}"]),
        }
    transitions |= {
        "in": (["kan1"], ["m1"]),
        "split": (["out1", "kan2", "kan3"], ["kan1", "m2", "m3"]),
        "join": (["out2", "out3", "kan4"], ["kan2", "kan3", "m4"]),
        "out": (["out4"], ["kan4"]),
    }
    return Net(f"kanban {n}", places, transitions)


def fms(n: int) -> Net:
    """A flexible manufacturing system with `n` parts of each kind and 3, 1 and 2 machines."""
    first = ["P1", "P1wM1", "P1M1", "P1d", "P1s", "P1wP2"]
    second = ["P2", "P2wM2", "P2M2", "P2d", "P2s", "P2wP1"]
    third = ["P3", "P3M2", "P3s"]
    joined = ["P12", "P12wM3", "P12M3", "P12s"]
    places = dict.fromkeys([*first, *second, *third, *joined], 0)
    places |= {"P1": n, "P2": n, "P3": n, "M1": 3, "M2": 1, "M3": 2}
    return Net(
        f"fms {n}",
        places,
        {
            "tP1": (["P1"], ["P1wM1"]),
            "tM1": (["P1wM1", "M1"], ["P1M1"]),
            "tP1M1": (["P1M1"], ["P1d", "M1"]),
            "tP1e": (["P1d"], ["P1s"]),
            "tP1s": (["P1s"], ["P1"]),
            "tP1j": (["P1d"], ["P1wP2"]),
            "tP2": (["P2"], ["P2wM2"]),
            "tM2": (["P2wM2", "M2"], ["P2M2"]),
            "tP2M2": (["P2M2"], ["P2d", "M2"]),
            "tP2e": (["P2d"], ["P2s"]),
            "tP2s": (["P2s"], ["P2"]),
            "tP2j": (["P2d"], ["P2wP1"]),
            "tP3": (["P3"], ["P3M2"]),
            "tP3M2": (["P3M2", "M2"], ["P3s", "M2"]),
            "tP3s": (["P3s"], ["P3"]),
            "tx": (["P1wP2", "P2wP1"], ["P12"]),
            "tP12": (["P12"], ["P12wM3"]),
            "tM3": (["P12wM3", "M3"], ["P12M3"]),
            "tP12M3": (["P12M3"], ["P12s", "M3"]),
            "tP12s": (["P12s"], ["P1", "P2"]),
        },
    )
