"""The explicit engine: one search for many properties, limits, runtime errors, the Python face."""

import pytest

import plait
from plait import _core
from plait.engines import Budget, check, states
from plait.engines.request import Request
from plait.engines.rounds import FIRST_STATES, WIDE
from plait.engines.safety import as_safety
from plait.engines.search import Search
from plait.errors import LimitReached, ModelError
from plait.lang.gal import parse
from plait.lang.pnml import parse as parse_pnml
from plait.lang.pnml import print_model as print_pnml
from plait.logic.parse import parse_formula
from plait.model.arithmetic import INT_MAX
from plait.model.builder import Elementary, ask, system
from plait.models import entry

LONG = """
gal long {
  int x = 0;
  transition up [x < 100000] { x += 1; }
}
property near [reachable] : x == 10;
property nearer [never] : x == 5;
"""


def test_the_search_ends_when_all_properties_are_decided() -> None:
    """covers: I50"""
    model = parse(LONG, "long")
    answers = check(model)
    assert [a.verdict for a in answers] == ["true", "false"]
    assert all(a.stats["states"] < 1000 for a in answers)  # type: ignore[operator]


def test_traces_carry_whole_states_and_are_shortest() -> None:
    """covers: I42, I44"""
    answers = check(parse(LONG, "long"))
    witness = answers[0].witness
    assert witness is not None
    assert [s[0] for s in witness.states] == list(range(11))


def test_a_limit_of_states_ends_in_unknown() -> None:
    model = parse(LONG, "long")
    asked = parse_formula("reachable: x == 99999", model)
    (answer,) = check(model, [asked], budget=Budget(states=1000))
    assert (answer.verdict, answer.reason) == ("unknown", "states")


@pytest.mark.parametrize(
    ("formula", "kind"),
    [
        ("AG (x <= 3)", "invariant"),
        ("EF (x == 3)", "reachable"),
        ("!EF (x == 3)", "invariant"),
        ("!AG (x <= 3)", "reachable"),
        ("G (x <= 3)", "invariant"),
        ("!F (x == 3)", "invariant"),
        ("AF (x == 3)", None),
        ("AG EF (x == 3)", None),
        ("F (x == 3)", None),
    ],
)
def test_safety_questions_in_disguise_are_recognised(formula: str, kind: str | None) -> None:
    asked = parse_formula(formula, parse(LONG, "long"))
    safety = as_safety(asked)
    assert (safety.kind if safety else None) == kind


def test_a_value_outside_its_domain_is_an_error_of_the_model() -> None:
    c = Elementary("c")
    x = c.variable("x", 0, domain=(0, 2))
    c.event("up", do=x.set(x + 1))
    with pytest.raises(
        ModelError, match=r"event up assigns to x a value outside its domain 0\.\.2"
    ):
        states(system(c))
    (answer,) = check(system(c), [ask("p", "reachable", x == 2)])
    assert answer.verdict == "true"


def test_a_place_that_leaves_the_integers_is_a_limit_of_ours() -> None:
    c = Elementary("c")
    x = c.variable("x", 1, domain=(0, INT_MAX))
    c.event("double", do=x.set(x + x))
    asked = [ask("p", "bounds", x)]
    (answer,) = check(system(c), asked)
    assert answer.verdict == "unknown"
    assert answer.reason == "x leaves the 32-bit integers (event double)"
    with pytest.raises(LimitReached):
        states(system(c))


def test_an_error_names_the_cell_of_the_original_model() -> None:
    from plait.model.builder import Composite

    part = Elementary("part")
    part.variable("fixed", 3)
    x = part.variable("x", 0, domain=(0, 2))
    part.event("up", do=x.set(x + 1))
    pair = Composite("pair")
    pair.instance("p", part, size=2)
    with pytest.raises(ModelError, match=r"event p\[0\].up assigns to p\[0\]:x a value"):
        states(system(pair, part))


def test_undefined_steps_are_told() -> None:
    """covers: I34"""
    model = parse(
        "gal g { int x = 2; int y; transition down [x > 0] { x -= 1; }"
        " transition divide [!(6 / x == 0) && y == 0] { y = 6 / x; }"
        " transition bad [x == 0] { y = 1 / x; } }",
        "g",
    )
    space = states(model)
    assert space.notes == (
        "event bad: 3 steps left out, where an operation is undefined (division by zero, an index "
        "outside its array, a shift beyond 31)",
    )
    (answer,) = check(model, [parse_formula('never: x == 0 && y == 0 && enabled("divide")', model)])
    assert answer.verdict == "true"


def test_the_python_face() -> None:
    """covers: I148"""
    system_ = plait.parse(LONG, "long")
    assert [p.name for p in system_] == ["near", "nearer"]
    answer = system_.check("x <= 3")
    assert answer.verdict == "false"
    assert answer.witness is not None
    assert answer.witness.show().splitlines()[-1].endswith("x: 3 → 4")
    assert system_.check("near").verdict == "true"
    assert system_.states().states == 100_001
    assert system_.check("AG EF (x == 100000)", timeout=60).verdict == "true"
    assert "<System long: 2 properties>" in repr(system_)
    assert "near" in system_._repr_html_()


def test_two_threads_may_check_at_once() -> None:
    from concurrent.futures import ThreadPoolExecutor

    system_ = plait.parse(LONG, "long")
    with ThreadPoolExecutor(2) as pool:
        counts = list(pool.map(lambda _: system_.states().states, range(4)))
    assert counts == [100_001] * 4


def test_a_turn_of_the_explicit_search_has_fewer_states_where_they_are_wide() -> None:
    def turn(number: int, cells: int) -> int | None:
        cell = "int x; transition t [x == 0] { x = 1; }"
        text = (
            cell if cells == 1 else f"array [{cells}] a; transition t [a[0] == 0] {{ a[0] = 1; }}"
        )
        search = Search(parse(f"gal g {{ {text} }}", "g.gal"), Request())
        budgets = [budget.states for _, budget in search.rounds.round(number, ("explicit",))]
        return budgets[0] if budgets else None

    assert turn(1, 1) == turn(1, WIDE) == FIRST_STATES
    assert turn(1, 2 * WIDE) == FIRST_STATES // 2


def test_diagrams_come_first_where_a_net_has_many_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plait.engines.rounds.TOO_WIDE", 20)

    def first(philosophers: int) -> str:
        text = print_pnml(entry("philosophers").model(philosophers, "flat"))
        net = parse_pnml(text.encode(), "table.pnml")
        return next(Search(net, Request()).rounds.stages())[0]

    assert first(3) == "explicit"
    assert first(10) == "symbolic"
    cells = parse("gal g { array [100] a; transition t [a[0] == 0] { a[0] = 1; } }", "g.gal")
    assert next(Search(cells, Request()).rounds.stages())[0] == "explicit"


class Counting:
    """What a search found, and how often it was asked for all of some kind."""

    def __init__(self, found: _core.Exploration) -> None:
        self.found = found
        self.asked: list[str] = []

    def __getattr__(self, name: str) -> object:
        self.asked.append(name)
        return getattr(self.found, name)


def test_the_answers_of_a_search_are_copied_once(monkeypatch: pytest.MonkeyPatch) -> None:
    explore, searches = _core.explore, []

    def counted(*args: object, **options: object) -> Counting:
        searches.append(Counting(explore(*args, **options)))  # type: ignore[arg-type]
        return searches[-1]

    monkeypatch.setattr(_core, "explore", counted)
    text = "int a = 0; int b = 0; transition t [a < 1] {a = 1;} transition u [b < 1] {b = 1;}"
    model = parse(f"gal g {{ {text} }} main g;", "g")
    asked = [parse_formula(f"reachable: {text}", model) for text in ("a == 1", "a > b", "b == 1")]
    asked += [parse_formula(f"bounds: {name}", model) for name in "ab"]
    answers = Search(model, Request("explicit")).check(asked)
    assert all(a.verdict == "true" for a in answers)
    (search,) = searches
    assert search.asked.count("goals") == 1
    assert search.asked.count("bounds") == 1
    assert search.asked.count("trace") == 2  # one state decides two of them
