"""The symbolic engine where work is done beside the diagrams: limits hold there too.

Each of these models once took for ever, whatever the budget was; so what fails here, hangs.
"""

import pytest

from plait import System, _core, parse
from plait.engines import Budget, check, states
from plait.engines.prepared import Prepared, prepare
from plait.engines.symbolic.engine import Symbolic
from plait.engines.symbolic.orders import Merge
from plait.engines.symbolic.tuning import Locals, Strategy, Tuning
from plait.errors import LimitReached
from plait.logic.parse import parse_formula
from plait.model.expr import Compare, Const, Var


def test_an_event_with_very_many_projections_ends_when_time_is_up() -> None:
    """A fixpoint is executed once for each of the values of what it reads, here 2^40."""
    cells = range(40)
    system = parse(
        "gal g {"
        + "".join(f" int x{i};" for i in cells)
        + " transition all [true] { fixpoint {"
        + "".join(f" if (x{i} == 2) {{ x{i} = 0; }}" for i in cells)
        + " } }"
        + "".join(f" transition t{i} [x{i} == 0] {{ x{i} = 1; }}" for i in cells)
        + " }"
    )
    space = states(system.model, engine="symbolic", budget=Budget(timeout=1.0, memory=2**30))
    assert (space.complete, space.reason) == (False, "timeout")


def test_one_very_long_fixpoint_ends_when_time_is_up() -> None:
    """31^6 states inside a single event."""
    system = parse("""
    gal g {
      array [6] a; int go; typedef r = 0 .. 5;
      transition t [go == 0] { go = 1; fixpoint { self."more"; } }
      transition one (r $i) [a[$i] < 30] label "more" { a[$i] = a[$i] + 1; }
      transition none [true] label "more" { }
    }""")
    space = states(system.model, engine="symbolic", budget=Budget(timeout=1.0))
    assert (space.complete, space.reason) == (False, "timeout")


def choices(bits: int) -> System:
    """A step that chooses a number bit by bit, by calls that two events answer."""
    numbers = range(bits)
    return parse(
        "gal g { int w; int done; transition step [done == 0] { "
        + " ".join(f'self."bit{i}";' for i in numbers)
        + " done = 1; }"
        + "".join(
            f' transition a{i} [true] label "bit{i}" {{ }}'
            f' transition b{i} [true] label "bit{i}" {{ w = w + {1 << i}; }}'
            for i in numbers
        )
        + " }"
    )


def test_a_chain_of_choices_at_one_variable_is_no_quadratic_work() -> None:
    """What one edge becomes is a list of 2^15 labels; it was copied for each of them."""
    space = states(choices(15).model, engine="symbolic", budget=Budget(memory=2**30))
    assert (space.states, space.max_value) == (2**15 + 1, 2**15 - 1)


def test_a_chain_of_very_many_choices_ends_when_time_is_up() -> None:
    space = states(choices(30).model, engine="symbolic", budget=Budget(timeout=1.0, memory=2**30))
    assert (space.complete, space.reason) == (False, "timeout")


@pytest.mark.parametrize("depth", [3, 14])
def test_nested_equivalences_of_enabled_events_are_no_exponential_work(depth: int) -> None:
    formula = 'enabled("t")'
    for i in range(depth):
        operator = "||" if i % 3 else "&&"
        side = f'(x > {i % 20} {operator} enabled("u") {operator} {formula})'
        formula = f'({side} <-> enabled("{"tu"[i % 2]}"))'
    system = parse(f"""
    gal g {{
      int x;
      transition t [x < 30] {{ x = x + 1; }}
      transition u [20 / (x - 7) > 2 && x % 3 == 0] {{ x = x + 2; }}
    }}
    property p [never] : {formula};
    property q [invariant] : {formula};
    property r [reachable] : !{formula};
    """)
    assert outcomes(system, "symbolic") == outcomes(system, "explicit")


def outcomes(system: System, engine: str) -> list[tuple[str, int | None]]:
    found = check(system.model, engine=engine)
    return [(a.verdict, None if a.witness is None else len(a.witness.steps)) for a in found]


def diagrams(text: str) -> tuple[Prepared, _core.Symbolic, _core.StateSet]:
    prepared = prepare(parse(text).model)
    program = prepared.compiled.program
    core = _core.Symbolic(program, [[cell] for cell in range(len(program.initial()))])
    return prepared, core, core.reach()


def test_a_set_of_other_diagrams_is_refused() -> None:
    """Its nodes would mean something else there, or nothing at all."""
    _, small, _ = diagrams("gal g { int x; transition t [x < 1] { x = x + 1; } }")
    large, core, foreign = diagrams("gal h { int x; transition t [x < 99] { x = x * 2 + 1; } }")
    program = large.compiled.program
    condition, number = program.deadlock(), program.load(0)
    for ask in (
        lambda: small.count(foreign),
        lambda: small.cell_bounds(foreign),
        lambda: small.sum_bounds(foreign),
        lambda: small.trace(foreign),
        lambda: small.pick(foreign, 1),
        lambda: small.size(foreign),
        lambda: small.select(program, foreign, condition),
        lambda: small.extrema(program, foreign, number),
        lambda: small.predecessors(foreign),
        lambda: small.eventually(foreign, foreign),
        lambda: small.invariantly(foreign, foreign),
        lambda: small.union(foreign, foreign),
        lambda: small.intersection(foreign, foreign),
        lambda: small.difference(foreign, foreign),
        lambda: small.holds_initially(foreign),
    ):
        with pytest.raises(ValueError, match="the set is of other diagrams"):
            ask()
    assert core.count(foreign) == 8


def test_an_expression_of_another_program_is_refused() -> None:
    _, small, own = diagrams("gal g { int x; transition t [x < 1] { x = x + 1; } }")
    large, _, _ = diagrams("gal h { int x; int y; transition t [x < 9] { x = x + 1; y = x; } }")
    program = large.compiled.program
    with pytest.raises(ValueError, match="the expression is of another program"):
        small.select(program, own, program.deadlock())
    with pytest.raises(ValueError, match="the expression is of another program"):
        small.extrema(program, own, program.load(1))


@pytest.mark.parametrize("locals_", ["on-the-fly", "pregenerated"])
@pytest.mark.parametrize("merge", ["auto", "none"])
def test_folded_events_do_not_overflow_where_no_state_is(locals_: Locals, merge: Merge) -> None:
    """Two tokens on q would let v go on for ever, and only among the local states of {q, r} there
    are two: p has one to give. What is folded into t is executed in reachable states alone."""
    system = parse("""
    gal folded {
      int p = 1; int q = 0; int r = 0;
      transition t [p >= 1] { p -= 1; q += 1; }
      transition u [q == 1] { q -= 1; p += 1; }
      transition v [q == 2] { r += 1; }
      TRANSIENT = q == 2;
    }""")
    tuning = Tuning(locals=locals_, merge=merge)
    space = states(system.model, engine="symbolic", tuning=tuning)
    assert (space.complete, space.states, space.max_value) == (True, 2, 1)


@pytest.mark.parametrize("strategy", ["saturation", "partial"])
def test_making_ready_for_fair_paths_and_partial_exploration_ends_when_time_is_up(
    strategy: Strategy,
) -> None:
    events = "".join(f"transition t{i} [x == {i}] {{ x = {i + 1}; }}\n" for i in range(600))
    model = parse(f"gal steps {{ int x = 0; {events} }}", "steps.gal").model
    asked = [parse_formula("EF x == 2", model)]
    tuning = Tuning(strategy=strategy)
    fair = [] if strategy == "partial" else [Compare("==", Var("x"), Const(1))]
    with pytest.raises(LimitReached, match="timeout"):
        Symbolic(model, tuning=tuning, fair=fair).check(asked, Budget(0.0))
