"""Terms of Z3 made without the checks of its Python interface, which cost more than the terms.

Who calls these sees to it that the sorts fit: conditions where conditions are wanted, and
bit-vectors of the same size on both sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import z3

Term = Any
"""A term of Z3, whose Python interface has no types."""
BITS = 32
_CONTEXT = z3.main_ctx()
_REF = _CONTEXT.ref()
TRUE = z3.BoolVal(True)
FALSE = z3.BoolVal(False)


@lru_cache(maxsize=4096)
def constant(value: int) -> Term:
    """The 32-bit term of an integer."""
    return z3.BitVecVal(value, BITS)


def all_of(parts: Sequence[Term]) -> Term:
    """The conjunction."""
    if len(parts) < 2:
        return parts[0] if parts else TRUE
    return z3.BoolRef(z3.Z3_mk_and(_REF, len(parts), _array(parts)), _CONTEXT)


def some_of(parts: Sequence[Term]) -> Term:
    """The disjunction."""
    if len(parts) < 2:
        return parts[0] if parts else FALSE
    return z3.BoolRef(z3.Z3_mk_or(_REF, len(parts), _array(parts)), _CONTEXT)


def equal(a: Term, b: Term) -> Term:
    """That two terms of one sort are equal."""
    return z3.BoolRef(z3.Z3_mk_eq(_REF, a.ast, b.ast), _CONTEXT)


def negation(a: Term) -> Term:
    """That a condition does not hold."""
    return z3.BoolRef(z3.Z3_mk_not(_REF, a.ast), _CONTEXT)


def choice(condition: Term, then: Term, otherwise: Term) -> Term:
    """One of two bit-vectors."""
    made = z3.Z3_mk_ite(_REF, condition.ast, then.ast, otherwise.ast)
    return z3.BitVecRef(made, _CONTEXT)


def _array(parts: Sequence[Term]) -> Any:
    found = (z3.Ast * len(parts))()
    for i, part in enumerate(parts):
        found[i] = part.ast
    return found
