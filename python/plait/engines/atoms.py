"""A net made ready once for all questions that are made of the same conditions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager

from plait.engines.prepared import KINDS, Prepared, prepare_anew, shared
from plait.logic.nnf import nnf
from plait.logic.walk import fold_formula, is_atom, subformulas
from plait.model.expr import Formula, Not, Truth
from plait.model.plain import plain_of
from plait.model.types import Model, Property
from plait.records import replace
from plait.scoped import scoped


class Atoms:
    """A net made ready for all questions that are made of some conditions.

    Each atom goes through the passes as a property of its own, and a question is put together from
    what has become of its atoms. The passes keep what an atom is in each state, so it does not
    matter what is made of it; a model whose atoms may be undefined is none for this.
    """

    def __init__(self, model: Model, conditions: Iterable[Formula]) -> None:
        self.model = model
        atoms = (f for condition in conditions for f in _atoms(condition))
        self._atoms = list(dict.fromkeys(atoms))
        self._made: tuple[Prepared, dict[Formula, Formula]] | None = None

    def prepared(self, properties: Sequence[Property]) -> Prepared | None:
        """The net ready for these properties; None if they are made of something else."""
        prepared, flat = self._ready()
        if prepared.rewritten.net is None:
            return None
        asked = []
        for p in properties:
            if isinstance(p.body, Formula) and p.kind in KINDS:
                body = _put(p.body, flat)
                if body is None:
                    return None
                p = replace(p, body=body)
            elif p.kind != "deadlock":
                return None
            asked.append(p)
        model = replace(prepared.rewritten.model, properties=tuple(asked))
        return replace(prepared, rewritten=replace(prepared.rewritten, model=model))

    def _ready(self) -> tuple[Prepared, dict[Formula, Formula]]:
        if self._made is None:
            asked = [Property(f"atom {i}", "reachable", f) for i, f in enumerate(self._atoms)]
            prepared = prepare_anew(self.model, asked)
            rewritten = replace(prepared.rewritten, net=prepared.net)
            bodies = (p.body for p in prepared.properties)
            made = zip(self._atoms, bodies, strict=True)
            flat = {f: body for f, body in made if isinstance(body, Formula)}
            self._made = replace(prepared, rewritten=rewritten), flat
        return self._made


def prepared_for(model: Model, conditions: Iterable[Formula]) -> AbstractContextManager[None]:
    """Whoever asks in this block about these conditions, or what is made of them, finds it ready.

    For a model that takes long to be made ready, as a net does whose colours were unfolded, and
    many engines that ask about parts of the same formulas. The conditions must always be defined.
    """
    atoms = None if plain_of(model) is not None else Atoms(model, conditions)
    return scoped(shared, atoms)


def _atoms(condition: Formula) -> Iterator[Formula]:
    """The atoms of a condition, without the negations before them."""
    for f in subformulas(nnf(condition)):
        if is_atom(f) and not isinstance(f, Truth):
            yield f


def _put(condition: Formula, flat: dict[Formula, Formula]) -> Formula | None:
    """The condition with what has become of its atoms, or of their opposites; None without that."""

    def visit(f: Formula, below: list[Formula | None]) -> Formula | None:
        if below:
            known = [g for g in below if g is not None]
            return f.with_children(known) if len(known) == len(below) else None
        if isinstance(f, Truth) or f in flat:
            return flat.get(f, f)
        opposite = flat.get(nnf(Not(f)))
        return None if opposite is None else nnf(Not(opposite))

    return fold_formula(nnf(condition), visit)
