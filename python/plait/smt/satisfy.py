"""Whether some values of variables satisfy a condition: a question about expressions alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import z3

from plait.model.expr import Formula, Var
from plait.model.node import nodes
from plait.model.shape import Slot
from plait.smt.make import BITS, Term, constant, equal, some_of
from plait.smt.terms import Terms, Unsupported

SECONDS = 10
"""How long the solver thinks."""


def example(
    condition: Formula, domains: Mapping[str, Collection[int]]
) -> dict[str, int] | str | None:
    """Values under which a condition holds; None when there are none, a reason when nobody knows.

    A domain is a range or a set of numbers.
    """
    names = list(dict.fromkeys(n.name for n in nodes(condition) if isinstance(n, Var)))
    slots = {name: Slot(i, None, None) for i, name in enumerate(names)}
    state = [z3.BitVec(f"v{i}", BITS) for i in range(len(names))]
    solver = z3.SolverFor("QF_FD")
    solver.set("timeout", SECONDS * 1000)
    try:
        solver.add(Terms(slots, lambda: None).condition(condition, state).true)
    except Unsupported as no:
        return str(no)
    for name, term in zip(names, state, strict=True):
        solver.add(_inside(term, domains[name]))
    answer = solver.check()
    if answer == z3.unsat:
        return None
    if answer != z3.sat:
        return "timeout"
    found = solver.model()
    values = (found.eval(term, model_completion=True).as_signed_long() for term in state)
    return dict(zip(names, values, strict=True))


def _inside(term: Term, domain: Collection[int]) -> Term:
    if isinstance(domain, range):
        return z3.And(term >= domain[0], term <= domain[-1])
    return some_of([equal(term, constant(value)) for value in sorted(domain)])
