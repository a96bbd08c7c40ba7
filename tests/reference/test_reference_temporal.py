"""CTL and LTL on small graphs, against definitions that are written down a second time here.

A random graph becomes a model with one variable, the number of the state, so the whole chain is
tested: model, reachable graph, formula, witness, replay.
"""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Iterator

import pytest
from reference_models import ask, cmp, eq, event, gal, integer, op, put, system, var

from plait.errors import InputError
from plait.logic.formula import (
    Exists,
    Finally,
    Forall,
    Globally,
    Next,
    Release,
    StrongRelease,
    Temporal,
    Until,
    WeakUntil,
)
from plait.model.expr import FALSE, TRUE, And, Deadlock, Enabled, Formula, Iff, Implies, Not, Or
from plait.model.shape import State
from plait.reference import Semantics
from plait.report.answer import Step, Witness

UNARY = (Next, Finally, Globally)
BINARY = (Until, WeakUntil, Release, StrongRelease)
X = var("x")


def among(*numbers: int) -> Formula:
    """The state is one of these."""
    return Or(tuple(eq("x", n) for n in numbers))


def graph_model(successors: list[list[int]]) -> Semantics:
    """A model whose states are the numbers of the list, from 0."""
    events = [
        event(f"e{a}_{b}", eq("x", a), put("x", b))
        for a, after in enumerate(successors)
        for b in after
    ]
    return system(gal("g", [integer("x")], *events))


def random_graph(choice: random.Random, size: int) -> list[list[int]]:
    return [
        sorted({choice.randrange(size) for _ in range(choice.choice((0, 1, 1, 2, 2)))})
        for _ in range(size)
    ]


def random_atom(choice: random.Random, size: int) -> Formula:
    kind = choice.randrange(10)
    if kind == 0:
        return choice.choice((TRUE, FALSE, Deadlock()))
    if kind == 1:
        return Enabled((f"e{choice.randrange(size)}_{choice.randrange(size)}",))
    if kind == 2:
        # Undefined in one state: dividing by the distance to it.
        return cmp(op(1, "/", op(X, "-", choice.randrange(size))), "==", choice.choice((0, 1)))
    return among(*(n for n in range(size) if choice.random() < 0.5))


def random_formula(choice: random.Random, size: int, depth: int, quantified: bool) -> Formula:
    def sub() -> Formula:
        return random_formula(choice, size, depth - 1, quantified)

    kind = choice.randrange(8) if depth else 7
    if kind == 7:
        return random_atom(choice, size)
    if kind == 0:
        return Not(sub())
    if kind == 1:
        return choice.choice((And, Or))((sub(), sub()))
    if kind == 2:
        return choice.choice((Implies, Iff))(sub(), sub())
    unary = kind <= 4
    path: Temporal = choice.choice(UNARY)(sub()) if unary else choice.choice(BINARY)(sub(), sub())
    return choice.choice((Forall, Exists))(path) if quantified else path


# --- CTL: every maximal path looked at, up to the length at which paths repeat themselves ---------


def maximal_paths(
    successors: list[list[int]], start: int
) -> Iterator[tuple[list[int], int | None]]:
    """All paths from a state, cut where they come back to one of their states.

    A path is its states and the place to which it goes back, None if it ends in a deadlock. Every
    CTL path formula that some maximal path satisfies is satisfied by one of these, because it can
    leave out what lies between two visits of a state.
    """
    stack = [[start]]
    while stack:
        path = stack.pop()
        if not successors[path[-1]]:
            yield path, None
        for n in successors[path[-1]]:
            if n in path:
                yield path, path.index(n)
            else:
                stack.append([*path, n])


def satisfies(path: list[int], loop: int | None, operator: type, f: set[int], g: set[int]) -> bool:
    """A path formula over sets of states on one path, straight from the definitions."""
    word = path if loop is None else path + path[loop:] * 2
    if operator is Next:
        after = word[1:2]
        return bool(after) and after[0] in f
    if operator is Finally:
        return any(n in f for n in word)
    if operator is Globally:
        return all(n in f for n in word)
    until = any(n in g and all(m in f for m in word[:i]) for i, n in enumerate(word))
    if operator is Until:
        return until
    if operator is WeakUntil:
        return until or all(n in f for n in word)
    released = any(n in f and all(m in g for m in word[: i + 1]) for i, n in enumerate(word))
    if operator is StrongRelease:
        return released
    return released or all(n in g for n in word)


def by_paths(semantics: Semantics, successors: list[list[int]], formula: Formula) -> set[int]:
    """The states where a CTL formula holds; a second evaluation, recursive and by paths.

    An atom under an even number of negations holds where it is true, one under an odd number fails
    to hold where it is false: undefined atoms are false once negations are at the atoms.
    """
    everything = set(range(len(successors)))

    def where(f: Formula, positive: bool) -> set[int]:
        """Where the formula, or its negation, holds."""
        match f:
            case Not(operand=operand):
                return where(operand, not positive)
            case And(operands=operands) | Or(operands=operands):
                sets = [where(g, positive) for g in operands]
                every = isinstance(f, And) == positive
                return {n for n in everything if (all if every else any)(n in s for s in sets)}
            case Implies(left=left, right=right):
                return where(Or((Not(left), right)), positive)
            case Iff(left=left, right=right):
                both = where(left, True) & where(right, positive)
                return both | where(left, False) & where(right, not positive)
            case Forall(operand=path) | Exists(operand=path):
                return quantified(f, path, positive)
            case _:
                return {n for n in everything if semantics.truth(f, (n,)) is positive}

    def quantified(f: Formula, path: Formula, positive: bool) -> set[int]:
        """Negation pushed inward: the dual quantifier over the complement of the path formula.

        The path formula is taken over the complements of where its negated operands hold.
        """
        below = path.children()
        sets = [where(g, positive) for g in below if isinstance(g, Formula)]
        if not positive:
            sets = [everything - s for s in sets]
        universal = isinstance(f, Forall) == positive
        found = set()
        for n in everything:
            results = []
            for states, loop in maximal_paths(successors, n):
                if (
                    isinstance(path, Next)
                    and isinstance(f, Forall)
                    and len(states) == 1
                    and loop is None
                ):
                    # A X is content at a deadlock, where no path has a next state.
                    results.append(positive)
                else:
                    truth = satisfies(states, loop, type(path), sets[0], sets[-1])
                    results.append(truth == positive)
            if (all if universal else any)(results):
                found.add(n)
        return found

    return where(formula, True)


@pytest.mark.parametrize("seed", range(300))
def test_ctl_agrees_with_looking_at_every_path(seed: int) -> None:
    """covers: I52"""
    choice = random.Random(seed)
    size = choice.randint(1, 5)
    successors = random_graph(choice, size)
    semantics = graph_model(successors)
    graph = semantics.reachable()
    for _ in range(3):
        formula = random_formula(choice, size, depth=3, quantified=True)
        expected = 0 in by_paths(semantics, successors, formula)
        answer = semantics.check(ask("ctl", formula), graph=graph)
        assert answer.verdict == ("true" if expected else "false"), formula
        if answer.witness is not None:
            semantics.replay(answer.witness)


@pytest.mark.parametrize("seed", range(100))
def test_dual_ctl_operators_are_complements(seed: int) -> None:
    choice = random.Random(seed)
    size = choice.randint(1, 6)
    semantics = graph_model(random_graph(choice, size))
    graph = semantics.reachable()
    f, g = (among(*(n for n in range(size) if choice.random() < 0.6)) for _ in range(2))

    def holds(formula: Formula, textbook: bool) -> bool:
        return (
            semantics.check(ask("ctl", formula), graph=graph, textbook=textbook).verdict == "true"
        )

    for textbook in (False, True):
        pairs: list[tuple[Formula, Formula]] = [
            (Forall(Next(f)), Exists(Next(Not(f)))),
            (Forall(Finally(f)), Exists(Globally(Not(f)))),
            (Forall(Globally(f)), Exists(Finally(Not(f)))),
            (Forall(Until(f, g)), Exists(Release(Not(f), Not(g)))),
            (Forall(Release(f, g)), Exists(Until(Not(f), Not(g)))),
            (Forall(WeakUntil(f, g)), Exists(StrongRelease(Not(f), Not(g)))),
            (Forall(StrongRelease(f, g)), Exists(WeakUntil(Not(f), Not(g)))),
        ]
        for universal, existential in pairs:
            assert holds(universal, textbook) != holds(existential, textbook)
            assert holds(Not(universal), textbook) == holds(existential, textbook)
        no_way_round = Or((Exists(Until(Not(g), And((Not(f), Not(g))))), Exists(Globally(Not(g)))))
        assert holds(Forall(Until(f, g)), textbook) != holds(no_way_round, textbook)


def test_a_deadlock_decides_temporal_operators_by_the_convention() -> None:
    """At a deadlock EX is false, AX true, and the others ask what is asked of the last state.

    covers: I54
    """
    semantics = graph_model([[]])
    here, elsewhere = eq("x", 0), eq("x", 1)

    def holds(formula: Formula, textbook: bool = False) -> bool:
        return semantics.check(ask("ctl", formula), textbook=textbook).verdict == "true"

    assert not holds(Exists(Next(TRUE)))
    assert holds(Forall(Next(FALSE)))
    for quantifier in (Forall, Exists):
        for operator in (Finally, Globally):
            assert holds(quantifier(operator(here)))
            assert not holds(quantifier(operator(elsewhere)))
        assert holds(quantifier(Until(elsewhere, here)))
        assert not holds(quantifier(Until(here, elsewhere)))
        assert holds(quantifier(WeakUntil(here, elsewhere)))
        assert holds(quantifier(Release(elsewhere, here)))
        assert not holds(quantifier(StrongRelease(elsewhere, here)))
    assert holds(Forall(Finally(elsewhere)), textbook=True)
    assert not holds(Exists(Globally(here)), textbook=True)
    assert holds(Exists(Finally(here)), textbook=True)
    assert holds(Forall(Globally(here)), textbook=True)


@pytest.mark.parametrize("seed", range(60))
def test_ag_ex_true_is_freedom_from_deadlock(seed: int) -> None:
    """covers: I56"""
    choice = random.Random(seed)
    semantics = graph_model(random_graph(choice, choice.randint(1, 6)))
    asked = [ask("ctl", Forall(Globally(Exists(Next(TRUE))))), ask("deadlock")]
    verdicts = {semantics.check(p).verdict for p in asked}
    assert verdicts == {"false" if semantics.deadlocks() else "true"}


@pytest.mark.parametrize("operator", [*UNARY, *BINARY])
@pytest.mark.parametrize("seed", range(25))
def test_a_witness_of_a_ctl_operator_is_a_path_that_shows_it(operator: type, seed: int) -> None:
    choice = random.Random(seed)
    size = choice.randint(2, 6)
    semantics = graph_model(random_graph(choice, size))
    sets = [{n for n in range(size) if choice.random() < 0.6} for _ in range(2)]
    operands = [among(*s) for s in sets][: 1 if operator in UNARY else 2]
    for quantifier, wanted in ((Exists, "true"), (Forall, "false")):
        answer = semantics.check(ask("ctl", quantifier(operator(*operands))))
        assert (answer.witness is not None) == (answer.verdict == wanted)
        if answer.witness is None:
            continue
        semantics.replay(answer.witness)
        if quantifier is Exists:
            path = [state[0] for state in answer.witness.states]
            assert satisfies(path, None, operator, sets[0], sets[-1] if operands[1:] else sets[0])


# --- LTL ------------------------------------------------------------------------------------------


def lassos(successors: list[list[int]], length: int) -> Iterator[Witness]:
    """All lassos of a graph with at most so many steps; a deadlock repeats itself."""
    stack = [[0]]
    while stack:
        path = stack.pop()
        after = successors[path[-1]]
        if not after:
            yield as_witness(path, len(path) - 1)
        for n in after:
            longer = [*path, n]
            yield from (as_witness(longer, i) for i, m in enumerate(path) if m == n)
            if len(path) < length:
                stack.append(longer)


def as_witness(path: list[int], loop: int) -> Witness:
    steps = tuple(Step(f"e{a}_{b}", (b,)) for a, b in itertools.pairwise(path))
    return Witness((path[0],), steps, loop)


def on_word(semantics: Semantics, formula: Formula, word: list[State], loop: int) -> bool:
    """The truth of an LTL formula on a lasso by the definitions, a third time.

    Every operator looks at the suffixes from here on; a word with n places has n suffixes, and all
    of them are met within n steps.
    """
    size = len(word)

    def after(i: int) -> list[int]:
        """The places from i on, each once, in order."""
        seen = [i]
        while (n := seen[-1] + 1 if seen[-1] + 1 < size else loop) not in seen:
            seen.append(n)
        return seen

    def until(f: Formula, g: Formula, i: int, positive: bool, weak: bool) -> bool:
        for j in after(i):
            if at(g, j, positive):
                return True
            if not at(f, j, positive):
                return False
        return weak

    def release(f: Formula, g: Formula, i: int, positive: bool, weak: bool) -> bool:
        for j in after(i):
            if not at(g, j, positive):
                return False
            if at(f, j, positive):
                return True
        return weak

    @functools.cache
    def at(f: Formula, i: int, positive: bool) -> bool:
        match f:
            case Not(operand=operand):
                return at(operand, i, not positive)
            case And(operands=operands) | Or(operands=operands):
                every = isinstance(f, And) == positive
                return (all if every else any)(at(g, i, positive) for g in operands)
            case Implies(left=left, right=right):
                return at(Or((Not(left), right)), i, positive)
            case Iff(left=left, right=right):
                same = at(left, i, True) and at(right, i, positive)
                return same or (at(left, i, False) and at(right, i, not positive))
            case Next(operand=g):
                return at(g, i + 1 if i + 1 < size else loop, positive)
            case Finally(operand=g) | Globally(operand=g):
                some = isinstance(f, Finally) == positive
                return (any if some else all)(at(g, j, positive) for j in after(i))
            case Until(left=left, right=right) | WeakUntil(left=left, right=right):
                weak = isinstance(f, WeakUntil)
                if positive:
                    return until(left, right, i, True, weak)
                return release(left, right, i, False, not weak)
            case Release(left=left, right=right) | StrongRelease(left=left, right=right):
                weak = isinstance(f, Release)
                if positive:
                    return release(left, right, i, True, weak)
                return until(left, right, i, False, not weak)
            case _:
                return semantics.truth(f, word[i]) is positive

    return at(formula, 0, True)


LASSO_SEEDS = [
    *range(150),
    *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(150, 300)),
]


@pytest.mark.parametrize("seed", LASSO_SEEDS)
def test_ltl_agrees_with_looking_at_every_lasso(seed: int) -> None:
    """True: no lasso up to a bound violates it. False: the lasso that is given does."""
    choice = random.Random(seed)
    size = choice.randint(1, 4)
    successors = random_graph(choice, size)
    semantics = graph_model(successors)
    graph = semantics.reachable()
    runs = list(itertools.islice(lassos(successors, 6), 150))
    for _ in range(3):
        formula = random_formula(choice, size, depth=3, quantified=False)
        answer = semantics.check(ask("ltl", formula), graph=graph)
        for run in runs:
            direct = semantics.holds_on_lasso(formula, run)
            states = list(run.states if run.loop == len(run.steps) else run.states[:-1])
            assert direct == on_word(semantics, formula, states, run.loop or 0), formula
            assert direct or answer.verdict == "false", formula
        if answer.verdict == "false":
            assert answer.witness is not None
            semantics.confirm(answer.property, answer.witness)
        else:
            assert answer.witness is None


@pytest.mark.parametrize("seed", range(150))
def test_a_false_ltl_formula_is_violated_by_a_short_lasso_already(seed: int) -> None:
    """The other half: whatever is said to be false is false on an enumerated lasso too."""
    choice = random.Random(1000 + seed)
    successors = random_graph(choice, 3)
    semantics = graph_model(successors)
    runs = list(lassos(successors, 7))
    formula = random_formula(choice, 3, depth=2, quantified=False)
    violated = any(not semantics.holds_on_lasso(formula, run) for run in runs)
    assert semantics.check(ask("ltl", formula)).verdict == ("false" if violated else "true")


def test_a_deadlock_repeats_for_ever_in_ltl() -> None:
    """covers: I70"""
    semantics = graph_model([[1], []])
    assert semantics.check(ask("ltl", Finally(Globally(eq("x", 1))))).verdict == "true"
    assert semantics.check(ask("ltl", Next(Next(Next(eq("x", 1)))))).verdict == "true"
    answer = semantics.check(ask("ltl", Globally(Finally(eq("x", 0)))))
    assert answer.verdict == "false"
    assert answer.witness == Witness((0,), (Step("e0_1", (1,)),), loop=1)


def test_an_undefined_atom_is_false_negated_or_not() -> None:
    semantics = graph_model([[1], [0]])
    undefined = cmp(op(1, "/", X), "==", 1)
    for kind, always in (("ltl", Globally), ("ctl", lambda f: Forall(Globally(f)))):
        for f in (undefined, Not(undefined)):
            assert semantics.check(ask(kind, always(f))).verdict == "false"
            assert semantics.check(ask(kind, Not(always(f)))).verdict == (
                "true" if isinstance(f, Not) else "false"
            )
    witness = semantics.check(ask("ltl", Globally(undefined))).witness
    assert witness is not None
    assert not semantics.holds_on_lasso(Globally(undefined), witness)


def test_a_formula_of_the_wrong_logic_is_refused() -> None:
    semantics = graph_model([[0]])
    with pytest.raises(InputError, match="CTL needs A or E directly before it"):
        semantics.check(ask("ctl", Globally(TRUE)))
    with pytest.raises(InputError, match="an LTL formula has none"):
        semantics.check(ask("ltl", Exists(Globally(TRUE))))
    with pytest.raises(InputError, match="no meaning in a single state"):
        semantics.check(ask("invariant", Globally(TRUE)))


def test_deep_temporal_formulas_do_not_exhaust_the_stack() -> None:
    semantics = graph_model([[0]])
    ctl: Formula = eq("x", 0)
    ltl: Formula = eq("x", 0)
    for _ in range(2_000):
        ctl = Not(Exists(Next(ctl)))
        ltl = Not(Next(ltl))
    assert semantics.check(ask("ctl", ctl)).verdict == "true"
    assert semantics.check(ask("ltl", ltl)).verdict == "true"
