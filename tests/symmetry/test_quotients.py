"""The quotient by symmetries has the answers of the model, whichever engine is asked."""

from collections import Counter
from pathlib import Path

import pytest
from tests.structure.random_ordinary import markings
from tests.symmetry.random_symmetric import LOCAL, MOST, condition, subjects

from plait.engines import check, states
from plait.engines.budget import Budget
from plait.engines.symbolic.orbits import Orbits
from plait.engines.symbolic.tuning import Tuning
from plait.engines.symmetric import check_symmetric, symmetric_states
from plait.errors import InputError, LimitReached
from plait.lang import load
from plait.lang.gal import parse
from plait.logic.formula import Exists, Finally, Forall, Globally, Until
from plait.logic.parse import parse_formula
from plait.model.expr import Binary, Compare, Const, Formula, IntExpr, Not, Var
from plait.model.net import as_model
from plait.model.types import Model, Property
from plait.models.dining import philosophers
from plait.models.voting import voters
from plait.passes import flat
from plait.symmetry.digest import Digests, SymmetryTest
from plait.symmetry.find import Candidate, Symmetry, counted, symmetries
from plait.symmetry.group import Permutation
from plait.symmetry.quotient import quotient
from plait.symmetry.tuning import SymmetryTuning


def questions(a: Formula, b: Formula) -> list[Property]:
    """Properties of all kinds about conditions that are symmetric."""
    return [
        Property("reach", "reachable", a),
        Property("invariant", "invariant", b),
        Property("never", "never", b),
        Property("deadlock", "deadlock"),
        Property("eventually", "ltl", Finally(a)),
        Property("again", "ltl", Not(Globally(Finally(b)))),
        Property("until", "ltl", Until(a, b)),
        Property("always", "ltl", Globally(b)),
        Property("branching", "ctl", Forall(Globally(Exists(Finally(a))))),
    ]


@pytest.mark.parametrize("ring", [False, True])
@pytest.mark.parametrize("engine", ["explicit", "symbolic"])
def test_random_symmetric_nets_keep_all_answers(engine: str, ring: bool) -> None:
    """Runs that are shown are runs of the net: the reference replayed them.

    covers: I75
    """
    verdicts: Counter[str] = Counter()
    shown = rings = 0
    for seed, (random, parts, net) in enumerate(subjects("quotient", 6, ring=ring)):
        model = as_model(net)
        asked = questions(*(condition(random, net, parts) for _ in range(2)))
        full = check(model, asked, engine="reference")
        for mine, theirs in zip(check_symmetric(model, asked, engine=engine), full, strict=True):
            told = (seed, theirs.property.name, mine.reason)
            assert mine.verdict == theirs.verdict, told
            assert mine.witness is None or mine.replayed, told
            if theirs.witness is not None and mine.property.kind != "ctl":
                assert mine.witness is not None, told
                shown += 1
            verdicts[mine.verdict] += 1
        space = symmetric_states(model, engine=engine)
        known = states(model, engine="explicit")
        assert space.stats["states_of_the_orbits"] == known.states
        rings += "circular" in space.notes[0]
    assert min(verdicts["true"], verdicts["false"]) > 10
    assert shown > 10
    assert bool(rings) == ring


def test_there_is_one_state_for_each_reachable_orbit() -> None:
    """covers: I75"""
    compared = 0
    for _, parts, net in subjects("orbits", 8, ring=False):
        reached = markings(net, MOST)
        assert reached is not None
        # Parts that are exchanged: their places as a bag of tuples, beside the common ones.
        own = LOCAL * parts
        orbits = {
            (tuple(sorted(m[i : i + LOCAL] for i in range(0, own, LOCAL))), m[own:])
            for m in map(tuple, reached)
        }
        space = symmetric_states(as_model(net))
        if "scalar" in space.notes[0] and len(space.notes) == 2:
            assert space.states == space.stats["orbits"] == len(orbits)
            compared += 1
    assert compared > 3


def test_any_set_of_symmetries_gives_a_correct_reduction() -> None:
    """One rotation alone, or exchanges of some neighbours only: more states, the same answers.

    covers: I74
    """
    model = philosophers(4)
    flat_model = flat(model).model
    (ring,) = symmetries(flat_model).symmetries
    known = states(model, engine="explicit")
    assert known.states == 322
    counts = []
    for elements in (ring.elements, ring.elements[:1], ring.elements[1:2]):
        reduced = states(quotient(flat_model, elements), engine="explicit")
        orbits = Orbits(flat_model, elements, Tuning(), Budget())
        assert orbits.core.count(orbits.states) == reduced.states
        assert orbits.core.count(orbits.closure(orbits.states)) <= 322
        assert bool(reduced.deadlocks) == bool(known.deadlocks)
        assert reduced.states is not None
        counts.append(reduced.states)
    assert counts[0] == 87
    assert counts[0] < counts[1] < 322
    assert counts[0] < counts[2] < 322


LOCKS = """
typedef id = 0 .. 3;
gal locks {
  int holder = -1;
  int last = -1;
  array [4] wants = (0, 0, 0, 0);
  transition want (id $i) [wants[$i] == 0] { wants[$i] = 1; }
  transition take (id $i) [holder == -1 && wants[$i] == 1 && last != $i] {
    holder = $i;
  }
  transition free [holder != -1] {
    wants[holder] = 0;
    last = holder;
    holder = -1;
  }
}
"""


SHUFFLED = """
gal parts {{
  {declared}
  transition up_1 [x_1 < 2] {{ x_1 += 1; }}
  transition up_2 [x_2 < 2] {{ x_2 += 1; }}
  transition up_3 [x_3 < 2] {{ x_3 += 1; }}
  transition on_1 [x_1 == 2 && y_1 < 2] {{ y_1 += 1; }}
  transition on_2 [x_2 == 2 && y_2 < 2] {{ y_2 += 1; }}
  transition on_3 [x_3 == 2 && y_3 < 2] {{ y_3 += 1; }}
}}
"""


@pytest.mark.parametrize(
    ("names", "orbits"),
    [
        ("x_1 x_2 x_3 y_1 y_2 y_3", 35),
        ("x_2 x_1 x_3 y_2 y_1 y_3", 35),
        ("x_2 x_1 x_3 y_1 y_2 y_3", 0),
        ("y_3 x_1 y_1 x_3 x_2 y_2", 0),
    ],
)
@pytest.mark.parametrize("engine", ["explicit", "symbolic"])
def test_the_order_in_which_parts_are_declared_does_not_matter(
    engine: str, names: str, orbits: int, tmp_path: Path
) -> None:
    """Parts with 5 values each: 125 states in 35 orbits, some of which keep several states where
    families are not declared in the same order (0 says that as many as there are)."""
    text = SHUFFLED.format(declared=" ".join(f"int {name};" for name in names.split()))
    space = symmetric_states(read(text, tmp_path), engine=engine)
    assert space.states is not None
    assert space.stats["states_of_the_orbits"] == 125
    assert space.stats.get("orbits", 35) == 35
    assert space.states == orbits if orbits else space.states > 35


def within(array: str, size: int) -> IntExpr:
    """The sum of an array."""
    total: IntExpr = Var(array, Const(0))
    for i in range(1, size):
        total = Binary("+", total, Var(array, Const(i)))
    return total


def read(text: str, tmp_path: Path) -> Model:
    path = tmp_path / "model.gal"
    path.write_text(text)
    return load(path)


@pytest.mark.parametrize("engine", ["explicit", "symbolic"])
def test_who_holds_a_lock_is_renumbered_with_those_who_want_it(engine: str, tmp_path: Path) -> None:
    """References are found, kept right by each step, and told right in a run of the model.

    covers: I76
    """
    model = read(LOCKS, tmp_path)
    (found,) = symmetries(flat(model).model).symmetries
    assert found.kind == "scalar"
    assert len(found.parts.references) == 2
    space = symmetric_states(model, engine=engine)
    known = states(model, engine="explicit")
    assert space.stats["states_of_the_orbits"] == known.states
    assert space.states is not None
    assert known.states is not None
    assert space.states * 4 < known.states
    texts = [
        "EF (holder != -1 && last != -1)",
        "AG (last == -1)",
        "ltl: F holder == -1 && G F last == -1",
    ]
    asked = [parse_formula(t, model) for t in texts]
    full = check(model, asked, engine="reference")
    for mine, theirs in zip(check_symmetric(model, asked, engine=engine), full, strict=True):
        assert mine.verdict == theirs.verdict, mine.reason
    violated = Property("never", "never", Compare("!=", Var("last"), Const(-1)))
    (answer,) = check_symmetric(model, [violated], engine=engine)
    assert answer.verdict == "false"
    assert answer.replayed


def test_named_references_are_used_and_others_refused(tmp_path: Path) -> None:
    model = read(LOCKS, tmp_path)
    wanted = SymmetryTuning(references=("holder", "last"))
    assert symmetric_states(model, wanted).states == symmetric_states(model).states
    with pytest.raises(InputError, match="no symmetry"):
        symmetric_states(model, SymmetryTuning(references=("holder",)))
    with pytest.raises(InputError, match="'nobody'"):
        symmetric_states(model, SymmetryTuning(references=("nobody",)))


def test_a_reference_that_is_compared_otherwise_than_for_equality_is_none(tmp_path: Path) -> None:
    model = read(
        LOCKS.replace("transition free [holder != -1]", "transition free [last < holder]"), tmp_path
    )
    with pytest.raises(InputError, match="no symmetry"):
        symmetric_states(model, SymmetryTuning(references=("holder", "last")))


@pytest.mark.parametrize("engine", ["explicit", "symbolic"])
def test_a_run_whose_states_were_rotated_is_turned_back(engine: str, tmp_path: Path) -> None:
    """Something goes around a ring of three and grows: canonical states are rotated by one."""
    events = "".join(
        f"""
        transition begin{i} [a[0] + a[1] + a[2] == 0] {{ a[{i}] = 1; }}
        transition pass{i} [a[{i}] == 1 && a[{(i + 1) % 3}] == 0] {{ a[{(i + 1) % 3}] = 3; }}
        transition grow{i} [a[{i}] >= 3 && a[{i}] < 6] {{ a[{i}] = a[{i}] + 1; }}
        transition turn{i} [a[{i}] == 6] {{ a[{i}] = 0; a[{(i + 1) % 3}] = 7; }}
        """
        for i in range(3)
    )
    model = read(f"gal ring {{ array [3] a = (0, 0, 0); {events} }}", tmp_path)
    asked = Property("never", "never", Compare("==", within("a", 3), Const(11)))
    (answer,) = check_symmetric(model, [asked], engine=engine)
    assert answer.verdict == "false", answer.reason
    assert answer.replayed
    assert "circular set of 3" in answer.notes[0]


def test_an_orbit_with_several_canonical_states_counts_once() -> None:
    """The rows and the columns of two by two cells: they move the same ones.

    covers: I74
    """
    found = []
    for families in (((0, 2), (1, 3)), ((0, 1), (2, 3))):
        parts = Candidate("lines", (0, 1), families)
        found.append(Symmetry("scalar", parts, tuple(parts.exchanges(4))))
    assert counted(found, [(0, 1, 1, 0), (1, 0, 0, 1), (0, 0, 0, 1)]) == (2, 6)
    assert counted(found[:1], [(0, 1, 1, 0), (0, 0, 1, 1)]) == (2, 4)


def test_a_property_that_tells_parts_apart_is_refused() -> None:
    """One voter by name; the sum of all is no one's."""
    model = voters(3, "flat")
    first = Property("first", "reachable", Compare("==", Var("decided_0"), Const(1)))
    everyone = parse_formula("EF decided_0 + decided_2 + decided_1 == 3", model)
    found = check_symmetric(model, [first, everyone])
    assert found[0].verdict == "unknown"
    assert "tells parts apart" in (found[0].reason or "")
    assert found[1].verdict == "true"


@pytest.mark.parametrize(
    "broken",
    [
        "array [3] a = (0, 0, 1);",
        "array [3] a = (0, 0, 0); transition odd [a[1] == 0] { a[1] = 1; }",
        "array [3] a = (0, 0, 0); transition up (n $i) [a[$i] < $i] { a[$i] = a[$i] + 1; }",
        "array [3] a = (0, 0, 0); transition x [a[0] <= a[1]] { a[2] = 1; }",
        "array [3] a = (0, 0, 0); int x = 0; transition y [x < 3] { a[x] = 1; x = x + 1; }",
        """array [3] a = (0, 0, 0);
        transition x0 [a[0] < a[1]] { a[2] = 1; }
        transition x1 [a[1] < a[2]] { a[0] = 1; }
        transition x2 [a[0] < a[2]] { a[1] = 1; }""",
        """array [3] a = (0, 0, 0); int x = 0;
        transition f [x == 0] { a[1] = 1; fixpoint { if (x < 2) { x = x + 1; } } }""",
        """array [3] a = (0, 0, 0); int x = 0;
        transition f [x == 0] { fixpoint { if (x < 2) { x = x + 1; a[1] = 1; } } }""",
    ],
)
def test_what_tells_parts_apart_in_the_model_is_no_symmetry(broken: str, tmp_path: Path) -> None:
    alike = "transition z (n $i) [a[$i] == 0] { a[$i] = 2; }"
    text = f"typedef n = 0 .. 2; gal g {{ {broken} {alike} }}"
    with pytest.raises(InputError, match="no symmetry"):
        symmetric_states(read(text, tmp_path))


def test_order_of_terms_and_of_assignments_does_not_matter(tmp_path: Path) -> None:
    """Sums and conjunctions turned around, and assignments that do not read each other."""
    text = """
    gal g {
      array [3] a = (0, 0, 0); int x = 0; int y = 0;
      transition all [a[0] + a[1] + a[2] == x && a[2] < 2 && a[0] < 2 && 2 > a[1]] {
        a[1] = a[1] + 1; a[0] = a[0] + 1; x = a[0] * a[1] * a[2]; a[2] = a[2] + 1;
      }
      transition b0 [a[0] == 1] { a[0] = 0; y = 1; }
      transition b1 [a[1] == 1] { y = 1; a[1] = 0; }
      transition b2 [1 == a[2]] { a[2] = 0; y = 1; }
    }
    """
    model = read(text, tmp_path)
    # `x` is the product before the last cell grows: that tells the last one apart.
    with pytest.raises(InputError):
        symmetric_states(model)
    same = read(
        text.replace(
            "x = a[0] * a[1] * a[2]; a[2] = a[2] + 1;", "a[2] = a[2] + 1; x = a[2] * a[0] * a[1];"
        ),
        tmp_path,
    )
    assert symmetric_states(same).stats["states_of_the_orbits"] == states(same).states


def test_only_one_kind_is_used_when_it_is_asked_for() -> None:
    model = voters(4)
    assert symmetric_states(model).states == 5
    ring = symmetric_states(model, SymmetryTuning("circular"))
    assert ring.states == 6
    assert ring.stats["states_of_the_orbits"] == 16
    with pytest.raises(InputError):
        symmetric_states(philosophers(3), SymmetryTuning("scalar"))


def test_every_element_of_a_symmetry_is_one() -> None:
    """Only two permutations are tried; they generate the others."""
    for model in (voters(4), philosophers(4)):
        flat_model = flat(model).model
        (found,) = symmetries(flat_model).symmetries
        assert len(found.elements) == 3
        test = SymmetryTest(flat_model)
        assert all(test.why_none(g) is None for g in found.elements)


def test_what_is_too_deep_to_be_looked_into_is_like_nothing_else() -> None:
    """Not even like what another permutation makes of the same event."""
    body = "if (z == 0) { " * 150
    text = f"""gal g {{
      int z = 0; int x0 = 0; int x1 = 0;
      transition t [z == 0] {{ {body} self."a"; {"}" * 150} }}
      transition a [true] label "a" {{ {body} x0 = 1; x1 = 2; {"}" * 150} }}
    }} main g;"""
    flat_model = flat(parse(text, "g.gal"), reduce=False).model
    digests = Digests(flat_model)
    plain = digests.events()
    # In the same place of memory, as may happen where one is made after the other is gone.
    digests.__init__(flat_model, Permutation((0, 2, 1)))  # type: ignore[misc]
    assert plain != digests.events()


def test_names_with_very_long_numbers_are_no_parts() -> None:
    long = "9" * 5_000
    text = f"gal g {{ int x{long} = 0; int x0 = 0; int x1 = 0; }} main g;"
    (found,) = symmetries(flat(parse(text, "g.gal"), reduce=False).model).symmetries
    assert found.parts.numbers == (0, 1)


def test_references_may_be_told_by_an_iterator(tmp_path: Path) -> None:
    flat_model = flat(read(LOCKS, tmp_path)).model
    (found,) = symmetries(flat_model, iter(["holder", "last"])).symmetries
    assert len(found.parts.references) == 2


def test_the_search_for_symmetries_keeps_the_time() -> None:
    model = philosophers(30)
    with pytest.raises(LimitReached):
        symmetric_states(model, budget=Budget(timeout=0.0))
