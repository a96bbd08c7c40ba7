"""What is known of every marking of a net, with exact certificates, to make induction succeed.

A box of intervals says little of a net: its places have no bound by themselves. Two kinds of fact
say more. Weights that no event increases (place invariants and sub-invariants) make a weighted sum
that never exceeds its first value. A trap that is marked at first stays marked. Bounds of places
are found first, since they tell how many bits a place needs. Others are learnt from a
counterexample to the induction step: a state that the state equation excludes, or that leaves a
trap empty, is excluded by a fact that excludes many more (`excluding`).

**Invariant.** A fact is used after the checker of certificates (`plait.structure.certificate`)
accepted it in exact integers, and `holds` asks it again for the certificate of a proof. Facts are
about a net whose places go on counting; so they are used only where no place can get to the end of
the integers, or where that is an error anyhow (a declared domain).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import z3

from plait.model.arithmetic import INT_MAX
from plait.model.net import Net, as_net
from plait.model.shape import shape_of
from plait.model.types import Model
from plait.records import dataclass
from plait.smt.make import Term
from plait.structure.certificate import Refutation, initially, is_marked_trap, never_increases
from plait.structure.linear import Atom
from plait.structure.programme import Programmes
from plait.structure.traps import Traps

Places = Sequence[tuple[Term | None, int]]
"""For each place its bit-vector without sign; or None, and the constant that it is."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A sum of places that never exceeds a value; or with `trap`, places that are never all empty.

    `weights` are pairs of a place and a weight, which may be negative.
    """

    weights: tuple[tuple[int, int], ...]
    value: int = 0
    trap: bool = False

    def holds(self, net: Net) -> bool:
        """Whether the checker of certificates accepts it, of this net."""
        if self.trap:
            return is_marked_trap(net, [p for p, _ in self.weights])
        weights = dict(self.weights)
        return initially(net, weights) == self.value and never_increases(net, weights)

    def term(self, places: Places) -> Term:
        """The fact as a condition. Each side has as many bits as it can need: nothing wraps."""
        if self.trap:
            return z3.Or(*(_is_marked(places[p]) for p, _ in self.weights))
        most = sum(abs(w) * _most(places[p]) for p, w in self.weights)
        bits = (most + abs(self.value)).bit_length() + 1
        left, right = (
            z3.BitVecVal(max(0, -self.value), bits),
            z3.BitVecVal(max(0, self.value), bits),
        )
        for p, w in self.weights:
            part = _extended(places[p], bits) * z3.BitVecVal(abs(w), bits)
            left, right = (left + part, right) if w > 0 else (left, right + part)
        return z3.ULE(left, right)


class Facts:
    """The facts about one net, as they are found."""

    def __init__(self, net: Net, bounds: Mapping[int, int], known: Sequence[Fact]) -> None:
        self.net = net
        self.bounds = bounds
        """The most tokens of a place, as the first facts show."""
        self.known = list(known)
        self._traps = Traps(net)
        self._programmes = Programmes(net)

    def bounds_hold(self) -> bool:
        """Whether the bounds follow from facts that the checker of certificates accepts."""
        shown: dict[int, int] = {}
        for fact in self.known:
            if fact.trap or any(w < 0 for _, w in fact.weights) or not fact.holds(self.net):
                continue
            for p, w in fact.weights:
                shown[p] = min(fact.value // w, shown.get(p, fact.value // w))
        return all(shown.get(p, most + 1) <= most for p, most in self.bounds.items())

    def excluding(self, state: Sequence[int], seconds: float | None) -> Fact | None:
        """A fact, now known, that this state contradicts; None when there is none."""
        trap = self._traps.excluding(state)
        if trap is not None:
            return self._learn(Fact(tuple((p, 1) for p, _ in trap.coefficients), trap=True))
        given = [Atom(((p, 1),), tokens) for p, tokens in enumerate(state)]
        given += [Atom(((p, -1),), -tokens) for p, tokens in enumerate(state)]
        found = self._programmes.refute(given, 5.0 if seconds is None else seconds)
        if not isinstance(found, Refutation):
            return None
        weights = tuple((p, w) for p, w in sorted(found.weights.items()) if w)
        if sum(w * state[p] for p, w in weights) <= initially(self.net, dict(weights)):
            return None  # it needs that markings are not negative
        return self._learn(Fact(weights, initially(self.net, dict(weights))))

    def _learn(self, fact: Fact) -> Fact | None:
        if fact in self.known or not fact.holds(self.net):
            return None
        self.known.append(fact)
        return fact


def facts_of(model: Model, seconds: float | None) -> Facts | None:
    """What is known at first of a flat model that is an ordinary net; None of any other."""
    net = as_net(model)
    if not isinstance(net, Net) or not net.ordinary:
        return None
    programmes = Programmes(net)
    if not programmes.available:
        return None
    end = time.monotonic() + (5.0 if seconds is None else seconds)
    known: list[Fact] = []
    bounds: dict[int, int] = {}
    for place in range(len(net.places)):
        left = end - time.monotonic()
        if left <= 0:
            break
        found = None if place in bounds else programmes.bound({place: 1}, left)
        if found is None or any(w < 0 for w in found.weights.values()):
            continue
        weights = {p: w for p, w in found.weights.items() if w}
        total = initially(net, weights)
        known.append(Fact(tuple(sorted(weights.items())), total))
        for p, w in weights.items():
            # No weight is negative, so a place has at most all of the sum.
            bounds[p] = min(total // w, bounds.get(p, total // w))
    if any(domain is None for domain in shape_of(model).domains()):
        every = all(bounds.get(p, INT_MAX + 1) <= INT_MAX for p in range(len(net.places)))
        if not every:
            return None
    return Facts(net, bounds, known)


def _most(place: tuple[Term | None, int]) -> int:
    variable, constant = place
    return constant if variable is None else (1 << int(variable.size())) - 1


def _is_marked(place: tuple[Term | None, int]) -> Term:
    variable, constant = place
    if variable is None:
        return z3.BoolVal(constant > 0)
    return variable != z3.BitVecVal(0, variable.size())


def _extended(place: tuple[Term | None, int], bits: int) -> Term:
    variable, constant = place
    if variable is None:
        return z3.BitVecVal(constant, bits)
    return z3.ZeroExt(bits - int(variable.size()), variable)
