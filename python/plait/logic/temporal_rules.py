"""Simpler temporal formulas that mean the same: constants, nested operators, the initial state.

`simplified` rewrites a CTL or LTL formula in negation normal form by equivalences that hold in
every state of every model, on maximal paths with deadlocks (Bønneland, Dyhr, Jensen, Johannsen,
Srba: "Simplification of CTL Formulae for Efficient Model Checking of Petri Nets", 2018; Emerson,
Halpern 1985):

- constants go up: `F true`, `f U false`, `false R g`, ...; `E X true` and `A X false` stay, since
  they ask for a deadlock;
- of nested operators one remains where the inner one is as good as both: `A F E F f`, `E F A F f`
  and `E (g U E F f)` are `E F f`, `A (g U A F f)` is `A F f`, and dually for `G` and `R`;
- what is as true now as it will ever be goes out: `A F (f or E F g)` is `A F f or E F g`, because
  a state from which `g` is reachable is not reached by one from which it is not;
- a step goes out, too: `E F E X f` is `E X E F f`, which at first is `E F f` unless `f` is true
  then; and dually. On the way to somewhere there is a step, so `E (E X true U f)` is `E F f`;
- `E F` goes into disjunctions and `A G` into conjunctions, where they become questions of their
  own;
- what a conjunction says by itself is true in its disjunctions, and the other way round: `f and
  (not f or g)` is `f and g`, `A G not f and E F f` is false;
- beside `A X false` the rest of a conjunction speaks of a deadlock, where `E X f` is false, and
  `F f` and `G f` are what `f` is; so it does of a disjunction beside `E X true`.

`initially` evaluates what of a formula one state decides. That there is a step, `E X true`, or
none, `A X false`, is a question about one state too (`asks_deadlock`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice

from plait.logic.formula import (
    PATH,
    QUANTIFIERS,
    BinaryTemporal,
    Exists,
    Finally,
    Forall,
    Globally,
    Next,
    Release,
    StrongRelease,
    UnaryTemporal,
    Until,
    WeakUntil,
)
from plait.logic.nnf import nnf
from plait.logic.walk import fold_temporal
from plait.model.expr import FALSE, TRUE, And, Deadlock, Formula, Not, Or, Truth
from plait.model.node import nodes

FLAT = 32
"""Operands of a junction that are taken into one of the same kind."""
COMPARED = 60
"""Nodes of a formula that is compared with others of its junction."""
Valued = Callable[[Formula], bool | None]
"""What is known of a formula: true or false, or None."""


def simplified(
    root: Formula,
    known: Valued = lambda _: None,
    *,
    linear: bool = False,
    instead: Mapping[int, type[BinaryTemporal]] | None = None,
) -> Formula:
    """A formula that means the same in the states of which `known` tells sub-formulas.

    With `linear` it is LTL, where a deadlock repeats, so that there always is a next state. An
    operator that is as good as the one that stands there is put `instead`, by identity.
    """
    instead = instead or {}

    def visit(f: Formula, below: list[Formula]) -> Formula:
        value = known(f)
        if value is not None:
            return Truth(value)
        if not below:
            return f
        if id(f) in instead:
            return combined(instead[id(f)](below[0], below[1]), below)
        if linear and isinstance(f, Next) and isinstance(below[0], Truth):
            return below[0]
        return combined(f, below)

    return fold_temporal(root, visit)


def combined(f: Formula, below: list[Formula]) -> Formula:
    """An operator over simplified operands, simplified."""
    match f:
        case And():
            return conjunction(below)
        case Or():
            return disjunction(below)
        case Exists() | Forall():
            return _quantified(type(f), below[0])
        case Next():
            return Next(below[0])
        case Finally() | Globally():
            return below[0] if isinstance(below[0], Truth) else _unary(type(f), below[0])
        case BinaryTemporal():
            return _binary(f, below[0], below[1])
    return f.with_children(below)


def conjunction(parts: list[Formula]) -> Formula:
    """All of the parts."""
    return _junction(And, parts)


def disjunction(parts: list[Formula]) -> Formula:
    """Some of the parts."""
    return _junction(Or, parts)


def _junction(kind: type[And] | type[Or], parts: list[Formula]) -> Formula:
    unit = kind is And
    kept: dict[int, Formula] = {}
    for part in parts:
        small = isinstance(part, kind) and len(part.operands) <= FLAT
        for f in part.operands if isinstance(part, kind) and small else (part,):
            if not isinstance(f, Truth):
                kept[id(f)] = f
            elif f.value != unit:
                return f
    found = _without_repetition(kind, list(kept.values())) if len(kept) > 1 else [*kept.values()]
    if not found:
        return TRUE if unit else FALSE
    return found[0] if len(found) == 1 else kind(tuple(found))


def _without_repetition(kind: type[And] | type[Or], parts: list[Formula]) -> list[Formula]:
    """The parts of a junction, those of the other kind with what the rest says by itself put in.

    One constant is left where a part says the opposite of another.
    """
    unit = kind is And
    ends = Deadlock() if unit else Not(Deadlock())
    if any(asks_deadlock(f) == ends for f in parts):
        last = [f if asks_deadlock(f) else in_deadlock(f) for f in parts]
        flat = [g for f in last for g in (f.operands if isinstance(f, kind) else (f,))]
        parts = [f for f in flat if not isinstance(f, Truth) or f.value != unit]
    alone = {f for f in parts if not isinstance(f, And | Or) and _is_small(f)}
    if len(parts) > FLAT or not alone:
        return parts
    opposite = {nnf(Not(f)) for f in alone}
    if alone & opposite:
        return [FALSE if unit else TRUE]

    def value(f: Formula, below: list[Formula]) -> Formula:
        if f in alone or f in opposite:
            return Truth((f in alone) == unit)
        return _plain_junction(f, below) if isinstance(f, And | Or) else f

    found: list[Formula] = []
    for part in parts:
        if isinstance(part, And | Or) and _is_small(part):
            part = fold_junctions(part, value)
        if isinstance(part, Truth):
            if part.value != unit:
                return [part]
        elif part not in found:
            found.append(part)
    return found


def _plain_junction(f: And | Or, below: list[Formula]) -> Formula:
    """A junction without the operands that are constants."""
    unit = isinstance(f, And)
    left = [g for g in below if not isinstance(g, Truth)]
    if len(left) < len(below) and any(isinstance(g, Truth) and g.value != unit for g in below):
        return FALSE if unit else TRUE
    if not left:
        return TRUE if unit else FALSE
    return left[0] if len(left) == 1 else f.with_children(left)


def fold_junctions(root: Formula, visit: Callable[[Formula, list[Formula]], Formula]) -> Formula:
    """`visit(formula, results of its operands)` through conjunctions and disjunctions only."""
    stack: list[tuple[Formula, bool]] = [(root, False)]
    done: dict[int, Formula] = {}
    while stack:
        f, expanded = stack.pop()
        if id(f) in done:
            continue
        below = f.operands if isinstance(f, And | Or) else ()
        if expanded or not below:
            done[id(f)] = visit(f, [done[id(g)] for g in below])
        else:
            stack.append((f, True))
            stack.extend((g, False) for g in below)
    return done[id(root)]


def _is_small(f: Formula) -> bool:
    return sum(1 for _ in islice(nodes(f), COMPARED + 1)) <= COMPARED


def _unary(kind: type[UnaryTemporal], f: Formula) -> Formula:
    """`F F f` and `G G f`; `F G F f` and `G F G f` of LTL."""
    if isinstance(f, kind):
        return f
    if isinstance(f, Finally | Globally) and isinstance(f.operand, kind):
        return f
    return kind(f)


def _binary(f: BinaryTemporal, left: Formula, right: Formula) -> Formula:
    l_value = left.value if isinstance(left, Truth) else None
    r_value = right.value if isinstance(right, Truth) else None
    match f:
        case Until() if r_value is not None or l_value is False:
            return right
        case Until() if l_value:
            return _unary(Finally, right)
        case Release() if r_value is not None or l_value:
            return right
        case Release() if l_value is False:
            return _unary(Globally, right)
        case WeakUntil() if l_value or r_value:
            return TRUE
        case WeakUntil() if l_value is False:
            return right
        case WeakUntil() if r_value is False:
            return _unary(Globally, left)
        case StrongRelease() if l_value is False or r_value is False:
            return FALSE
        case StrongRelease() if l_value:
            return right
        case StrongRelease() if r_value:
            return _unary(Finally, left)
    return f.with_children([left, right])


def _quantified(kind: type[UnaryTemporal], path: Formula) -> Formula:
    """`A` or `E` over a simplified path formula, or over what is none any more."""
    assert kind in QUANTIFIERS
    every = kind is Forall
    if not isinstance(path, PATH):
        return path  # the operand of an operator that is gone
    match path:
        case Next(operand=Truth(value=value)) if value == every:
            return path.operand
        case Finally(operand=f) | Until(right=f) if _is(f, Exists, Finally):
            return f  # some way on leads there from here, too
        case Globally(operand=f) | Release(right=f) if _is(f, Forall, Globally):
            return f
        case Until(right=f) if every and _is(f, Forall, Finally):
            return f
        case Release(right=f) if not every and _is(f, Exists, Globally):
            return f
        case Until(left=f, right=g) if _has(Or, f, Not(Deadlock())):
            return _finally(every, g)  # before somewhere else there is a step
        case Release(left=f, right=g) if _has(And, f, Deadlock()):
            return _globally(every, g)
        case Finally(operand=f):
            return _finally(every, f)
        case Globally(operand=f):
            return _globally(every, f)
    return kind(path)


def _finally(every: bool, f: Formula) -> Formula:
    """`A F f` or `E F f`."""
    if isinstance(f, Or):
        if not every:
            return disjunction([_some_time(g) for g in f.operands])
        now = [g for g in f.operands if _is(g, Exists, Finally)]
        later = [g for g in f.operands if not _is(g, Exists, Finally)]
        if now and later:
            rest = disjunction(later)
            return disjunction(
                [*now, rest if _is(rest, Forall, Finally) else Forall(Finally(rest))]
            )
        return disjunction(now) if now else Forall(Finally(f))
    if every:
        return f if _is(f, Forall, Finally) else Forall(Finally(f))
    return _some_time(f)


def _some_time(f: Formula) -> Formula:
    """`E F f`."""
    if _is(f, Exists, Finally):
        return f
    if isinstance(f, Forall) and isinstance(f.operand, Finally):
        return Exists(f.operand)
    if isinstance(f, Exists) and isinstance(f.operand, Next) and not asks_deadlock(f):
        return Exists(Next(_finally(False, f.operand.operand)))
    return Exists(Finally(f))


def _globally(every: bool, f: Formula) -> Formula:
    """`A G f` or `E G f`."""
    if isinstance(f, And):
        if every:
            return conjunction([_always(g) for g in f.operands])
        now = [g for g in f.operands if _is(g, Forall, Globally)]
        later = [g for g in f.operands if not _is(g, Forall, Globally)]
        if now and later:
            rest = conjunction(later)
            return conjunction(
                [*now, rest if _is(rest, Exists, Globally) else Exists(Globally(rest))]
            )
        return conjunction(now) if now else Exists(Globally(f))
    if not every:
        return f if _is(f, Exists, Globally) else Exists(Globally(f))
    return _always(f)


def _always(f: Formula) -> Formula:
    """`A G f`."""
    if _is(f, Forall, Globally):
        return f
    if isinstance(f, Exists) and isinstance(f.operand, Globally):
        return Forall(f.operand)
    if isinstance(f, Forall) and isinstance(f.operand, Next) and not asks_deadlock(f):
        return Forall(Next(_globally(True, f.operand.operand)))
    return Forall(Globally(f))


def asks_deadlock(f: Formula) -> Formula | None:
    """`E X true` and `A X false` as the conditions on one state that they are."""
    match f:
        case Exists(operand=Next(operand=Truth(value=True))):
            return Not(Deadlock())
        case Forall(operand=Next(operand=Truth(value=False))):
            return Deadlock()
    return None


def of_states(root: Formula) -> Formula:
    """The formula with its questions for a deadlock as conditions."""
    return fold_temporal(
        root, lambda f, below: asks_deadlock(f) or (f.with_children(below) if below else f)
    )


def in_deadlock(root: Formula) -> Formula:
    """What a CTL formula is in a state without a next one; its conditions stay what they are."""
    return fold_temporal(root, lambda f, below: ended(f, below) if below else f)


def ended(f: Formula, below: list[Formula], *, linear: bool = False) -> Formula:
    """What an operator over such formulas is in a state without a next one."""
    match f:
        case And():
            return conjunction(below)
        case Or():
            return disjunction(below)
        case Exists(operand=Next()):
            return FALSE
        case Forall(operand=Next()):
            return TRUE
        case Next() if not linear:
            return FALSE  # the quantifier above looks at it
        case WeakUntil():
            return disjunction(below)
        case StrongRelease():
            return conjunction(below)
        case _:
            return below[-1]


def _has(kind: type[And] | type[Or], f: Formula, condition: Formula) -> bool:
    """Whether a formula is a condition on deadlocks, or a junction of it and others."""
    parts = f.operands if isinstance(f, kind) else (f,)
    return any(condition in (g, asks_deadlock(g)) for g in parts)


def _is(f: Formula, quantifier: type[Formula], path: type[Formula]) -> bool:
    return (
        isinstance(f, Exists | Forall) and isinstance(f, quantifier) and isinstance(f.operand, path)
    )


def initially(root: Formula, known: Valued) -> Formula:
    """The formula as it stands in one state, in which `known` tells state formulas.

    Outside of temporal operators what is known is put in; and an operator is decided where its
    operands, in that state, decide it.
    """
    now: dict[int, Formula] = {}

    def visit(f: Formula, below: list[Formula]) -> Formula:
        now[id(f)] = seen(f, below)
        return now[id(f)]

    def seen(f: Formula, below: list[Formula]) -> Formula:
        condition = asks_deadlock(f) if below else f
        if condition is not None:
            value = known(condition)
            return f if value is None else Truth(value)
        if isinstance(f, And | Or):
            return combined(f, below)
        values = [g.value if isinstance(g, Truth) else None for g in below]
        decided = _decided(f, values, below)
        return without_a_step(f) if decided is None else decided

    def without_a_step(f: Formula) -> Formula:
        """`E X E F g` where `g` is false now and `A X A G g` where it is true, without the X."""
        match f:
            case Exists(operand=Next(operand=Exists(operand=Finally(operand=g)) as later)):
                return later if now[id(g)] == FALSE else f
            case Forall(operand=Next(operand=Forall(operand=Globally(operand=g)) as later)):
                return later if now[id(g)] == TRUE else f
        return f

    return fold_temporal(root, visit)


def _decided(f: Formula, values: list[bool | None], below: list[Formula]) -> Formula | None:
    """What an operator is here, where the values that its operands have here tell it."""
    last = values[-1]
    match f:
        case Exists() | Forall():
            return None if last is None else below[0]
        case Finally():
            return TRUE if last else None
        case Globally():
            return FALSE if last is False else None
        case Until():
            if last:
                return TRUE
            return FALSE if values[0] is False and last is False else None
        case WeakUntil():
            if last:
                return TRUE
            return FALSE if values[0] is False and last is False else None
        case Release() | StrongRelease():
            if last is False:
                return FALSE
            return TRUE if values[0] and last else None
    return None


__all__ = [
    "Valued",
    "asks_deadlock",
    "combined",
    "conjunction",
    "disjunction",
    "ended",
    "in_deadlock",
    "initially",
    "of_states",
    "simplified",
]
