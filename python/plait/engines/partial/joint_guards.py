"""Whether conditions can hold in one state, reachable or not: of guards of events, mostly.

Most pairs are refuted by two constants that one variable would have to equal. What is left is asked
of the solver, over all values of the variables; a question that takes it too long counts as
satisfiable, which is what those who ask here may always assume.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.model.expr import Compare, Const, Formula, Var, conjuncts
from plait.model.node import nodes
from plait.model.shape import Shape
from plait.passes.usage import Cell, cell_of

MILLISECONDS = 1_000
"""What the solver may take for one question."""


def equalities(guard: Sequence[Formula]) -> dict[Cell, int]:
    """The cells that a guard wants to equal a constant; of two constants the last."""
    return dict(_equalities(guard))


def _equalities(guard: Sequence[Formula]) -> list[tuple[Cell, int]]:
    found = []
    for part in guard:
        for conjunct in conjuncts(part):
            if isinstance(conjunct, Compare) and conjunct.op == "==":
                for side, value in (
                    (conjunct.left, conjunct.right),
                    (conjunct.right, conjunct.left),
                ):
                    if isinstance(side, Var) and isinstance(value, Const):
                        cell = cell_of(side)
                        if cell is not None:
                            found.append((cell, value.value))
    return found


class JointGuards:
    """Asks about guards of one flat model."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self._known: dict[tuple[int, ...], bool] = {}
        self._kept: list[Sequence[Formula]] = []

    def satisfiable(self, guard: Sequence[Formula]) -> bool:
        """Whether all parts of a guard can hold in one state."""
        wanted: dict[Cell, int] = {}
        for cell, value in _equalities(guard):
            if wanted.setdefault(cell, value) != value:
                return False
        key = tuple(sorted({id(part) for part in guard}))
        if key not in self._known:
            # The parts are kept, so that no other part ever has the identity of one of them.
            self._kept.append(guard)
            self._known[key] = self._ask(guard)
        return self._known[key]

    def _ask(self, guard: Sequence[Formula]) -> bool:
        import z3  # few models need it

        from plait.smt.terms import Terms, Unsupported

        names = {n.name for part in guard for n in nodes(part) if isinstance(n, Var)}
        if not names:
            return True
        cells = list(self.shape.cells())
        state = [z3.BitVec(cell, 32) for cell in cells]
        domains = list(self.shape.domains())
        terms = Terms(dict(self.shape.variables), lambda: None)
        solver = z3.Solver()
        solver.set("timeout", MILLISECONDS)
        try:
            for part in guard:
                solver.add(terms.condition(part, state).true)
        except Unsupported:
            return True
        for name in names:
            for at in self.shape.variables[name].cells:
                domain = domains[at]
                if domain is not None:
                    solver.add(state[at] >= domain.low, state[at] <= domain.high)
        return bool(solver.check() != z3.unsat)
