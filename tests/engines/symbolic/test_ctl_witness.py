"""Witnesses for CTL: trees of paths, each shortest, all replayed, whoever found them."""

import json
from collections import deque
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from plait import parse
from plait.engines import Budget, check
from plait.logic.formula import Exists, Finally, Forall, Globally, Next, Until
from plait.logic.nnf import nnf
from plait.model.expr import Compare, Const, Formula, Var
from plait.model.types import Property
from plait.reference import ReplayError, Semantics
from plait.reference.branches import confirm_branches
from plait.report.answer import Answer, Branch, Witness
from plait.report.data import check_document
from plait.report.text import check_lines
from plait.testing.choices import Seeded
from plait.testing.mix import DEFAULT
from plait.testing.random_formulas import Formulas
from plait.testing.random_models import model as random_model
from plait.testing.random_models import observed

SCHEMA = Path(__file__).parents[3] / "python" / "plait" / "report" / "schema" / "check.json"
ENGINES = ("reference", "symbolic")
EVERYBODY = Exists(Next(Compare(">", Var("x", Const(0)), Const(0))))
MODEL = """
gal w {
  int x = 0; int y = 0;
  transition up [x < 6] { x = x + 1; }
  transition turn [x == 6 && y < 2] { x = 3; y = y + 1; }
  transition spin [x == 4 && y == 1] { y = 1; }
  transition flip [x == 5] { y = 2; }
}
main w;
property nested [ctl] : EF (x == 4 && EG (x >= 3));
property next [ctl] : AG (x != 4 || AX x == 5);
property until [ctl] : E (EX x > 0) U (x == 3 && EX EX x == 5);
property both [ctl] : EX x == 1 && EF (x == 6 && EX x == 3);
property universal [ctl] : AG EF (x == 6);
property mixed [ctl] : EX AG EF (x == 6);
property avoided [ctl] : AF (x == 5 && AG y == 2);
property weak [ctl] : E (x < 5 || EX y == 2) W (x == 40);
"""


def answers(engine: str) -> dict[str, Answer]:
    system = parse(MODEL)
    found = check(system.model, engine=engine)
    assert {a.engine for a in found} == {engine}
    return {a.property.name: a for a in found}


def shape(witness: Witness) -> object:
    """A tree as nested lists: length, loop, and the branches with where they begin."""
    below = [(b.at, shape(b.witness)) for b in witness.branches]
    return (len(witness.steps), witness.loop, below)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_witness_is_a_tree_of_paths(engine: str) -> None:
    """covers: I55, S94"""
    found = answers(engine)
    verdicts = {name: a.verdict for name, a in found.items()}
    false = {"next", "avoided"}
    assert verdicts == {n: "false" if n in false else "true" for n in found}
    shapes = {n: None if a.witness is None else shape(a.witness) for n, a in found.items()}
    assert shapes["nested"] == (4, None, [(4, (3, 2, []))])
    assert shapes["next"] == (8, None, [(8, (1, None, []))])
    one = (1, None, [])
    assert shapes["until"] == (
        3,
        None,
        [(0, one), (1, one), (2, one), (3, (1, None, [(1, one)]))],
    )
    assert shapes["both"] == (0, None, [(0, one), (0, (6, None, [(6, one)]))])
    assert shapes["universal"] is None
    assert shapes["mixed"] == (1, None, [])
    assert shapes["weak"] == (7, 6, [(5, one), (6, one)])
    assert shapes["avoided"] == (9, 8, [(5, (0, None, []))])
    assert all(a.replayed for a in found.values() if a.witness is not None)
    semantics = Semantics(parse(MODEL).model)
    whole = {
        n
        for n, a in found.items()
        if a.witness is not None and confirm_branches(semantics, a.property, a.witness)
    }
    assert set(found) - whole == {"mixed", "universal"}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_tree_is_printed_with_its_branches_further_in(engine: str) -> None:
    lines = check_lines([answers(engine)["next"]])
    text = "\n".join(lines)
    assert "next is violated: a trace of 8 steps with 1 branch, replayed on the model" in text
    at = next(i for i, line in enumerate(lines) if "in state 8" in line)
    assert lines[at].strip() == "in state 8 this does not hold: AX (x == 5)"
    assert lines[at - 1].split()[:2] == ["8", "up"]
    assert lines[at + 1].split() == ["0", "that", "state"]
    assert lines[at + 2].split()[:2] == ["1", "spin"]
    assert lines[at + 2].index("1") > lines[at - 1].index("8")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_tree_as_json_follows_the_published_schema(engine: str) -> None:
    document = json.loads(json.dumps(check_document("w", list(answers(engine).values()))))
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    nested = next(r for r in document["results"] if r["name"] == "nested")["witness"]
    assert nested["shows"] == "EF (x == 4 && EG (x >= 3))"
    (branch,) = nested["branches"]
    assert (branch["at"], branch["loop"], branch["shows"]) == (4, 2, "EG (x >= 3)")
    assert branch["initial"] == {"x": 4, "y": 0}


def distance(
    semantics: Semantics, stay: set[int], goal: set[int], graph, moved: bool
) -> int | None:
    """The length of a shortest path from the initial state, by breadth-first search."""
    if 0 in goal and not moved:
        return 0
    queue, seen = deque([(0, 0)]), set()
    while queue:
        n, steps = queue.popleft()
        if n not in stay:
            continue
        for _, m in graph.arcs[n]:
            if m in goal:
                return steps + 1
            if m not in seen:
                seen.add(m)
                queue.append((m, steps + 1))
    return None


@pytest.mark.parametrize("kind", ["net", "gal"])
@pytest.mark.parametrize("first", range(0, 60, 30))
def test_random_witnesses_are_replayed_and_shortest(kind: str, first: int) -> None:
    """covers: S91"""
    mix = replace(DEFAULT, kinds=((1, kind),), properties=0)
    trees = measured = whole = 0
    for seed in range(first, first + 30):
        model = random_model(Seeded(seed), mix)
        semantics = Semantics(model)
        try:
            graph = semantics.reachable(200)
        except Exception:
            continue  # too large, or it goes wrong when it is executed
        formulas = Formulas(Seeded(seed), observed(model))
        asked = [Property(f"p{i}", kind="ctl", body=formulas.ctl(1 + i % 3)) for i in range(5)]
        for p, *found in zip(asked, *(check(model, asked, engine=e) for e in ENGINES), strict=True):
            by_reference, by_diagrams = found
            if by_diagrams.verdict == "unknown" or by_diagrams.engine != "symbolic":
                continue
            assert by_reference.verdict == by_diagrams.verdict
            shown = [a.witness for a in found]
            assert all(a.replayed for a in found if a.witness is not None), (seed, p)
            assert (shown[0] is None) == (shown[1] is None), (seed, p)
            if shown[0] is None or shown[1] is None or not (shown[1].shows or shown[1].refutes):
                continue  # a plain trace: the question is one of safety
            trees += 1
            values = [confirm_branches(semantics, p, w) for w in shown if w is not None]
            assert values[0] is values[1]
            whole += values[0] is True
            expected = _shortest(semantics, graph, p)
            if expected is not None:
                measured += 1
                assert [len(w.steps) for w in shown if w is not None] == [expected] * 2, (seed, p)
    assert trees >= 10
    assert whole >= 5
    assert measured >= 3


def _shortest(semantics: Semantics, graph, p: Property) -> int | None:
    """How long the path of the outermost operator must be, if it has an end."""
    assert isinstance(p.body, Formula)
    body = nnf(p.body)
    states = lambda f: {  # noqa: E731
        n for n in range(len(graph.states)) if _holds(semantics, graph, f, n)
    }
    everything = set(range(len(graph.states)))
    match body:
        case Exists(operand=Finally(operand=f)) if 0 in states(body):
            return distance(semantics, everything, states(f), graph, False)
        case Exists(operand=Until(left=f, right=g)) if 0 in states(body):
            return distance(semantics, states(f), states(g), graph, False)
        case Exists(operand=Next(operand=f)) if 0 in states(body):
            return distance(semantics, everything, states(f), graph, True)
        case Forall(operand=Globally(operand=f)) if 0 not in states(body):
            return distance(semantics, everything, everything - states(f), graph, False)
    return None


def _holds(semantics: Semantics, graph, f: Formula, n: int) -> bool:
    from plait.reference.ctl import Labelling

    return n in Labelling(graph, semantics._atoms(graph)).states(f)


def test_a_tree_that_was_tampered_with_is_not_believed() -> None:
    semantics = Semantics(parse(MODEL).model)
    found = answers("reference")

    def refused(name: str, witness: Witness, message: str) -> None:
        with pytest.raises(ReplayError, match=message):
            semantics.confirm(found[name].property, witness)

    nested = found["nested"].witness
    assert nested is not None
    (branch,) = nested.branches
    lasso = branch.witness
    refused("nested", replace(nested, initial=(1, 0)), "initial state")
    refused("next", nested, "not one for 'next'")
    refused("nested", replace(nested, branches=(Branch(3, lasso),)), "begin in the state")
    refused("nested", replace(nested, branches=(Branch(9, lasso),)), "does not exist")
    refused("nested", replace(nested, steps=nested.steps[:3], branches=()), "does not show")
    open_lasso = replace(lasso, loop=None)
    refused("nested", replace(nested, branches=(Branch(4, open_lasso),)), "for ever")
    wrong_loop = replace(lasso, loop=0)
    refused("nested", replace(nested, branches=(Branch(4, wrong_loop),)), "not closed")
    step = replace(lasso.steps[0], event="turn")
    other = replace(lasso, steps=(step, *lasso.steps[1:]))
    refused("nested", replace(nested, branches=(Branch(4, other),)), "cannot be executed")
    silent = replace(lasso, shows=None)
    refused("nested", replace(nested, branches=(Branch(4, silent),)), "what it shows")
    # Without the branch it shows a part: nothing false, but not all.
    assert confirm_branches(semantics, found["nested"].property, nested) is True
    bare = replace(nested, branches=())
    assert confirm_branches(semantics, found["nested"].property, bare) is None
    # And what shows the opposite of an answer ends it.
    from plait.engines.evidence import Evidence

    evidence = Evidence(parse(MODEL).model)
    turned = evidence.confirm(replace(found["nested"], verdict="false"))
    assert turned.verdict == "unknown"
    assert "opposite" in (turned.reason or "")


def test_a_tree_that_would_be_large_is_cut_and_says_so() -> None:
    """An operator in each of many states needs as many branches."""
    model = parse(
        "gal c { int x = 0; transition t [x < 90] { x = x + 1; } } main c;"
        "property p [ctl] : E (EX x > 0) U (x == 90);"
    ).model
    for engine in ENGINES:
        (answer,) = check(model, engine=engine)
        assert answer.witness is not None
        assert answer.replayed
        assert len(answer.witness.steps) == 90
        assert 10 < len(answer.witness.branches) < 90
        assert any("too large" in note for note in answer.notes)


def test_a_step_with_too_many_successors_ends_the_trace_and_not_the_command() -> None:
    """One event has 2^40 of them, all in one diagram; whoever replays the step would list them."""
    votes = parse(
        """
        gal votes { typedef voter = 0 .. 39; array [40] x;
          transition yes (voter $i) [x[$i] == 0] label "vote" ($i) { x[$i] = 1; }
          transition no (voter $i) [x[$i] == 0] label "vote" ($i) { x[$i] = 2; }
          transition all [true] { for ($i : voter) { self."vote" ($i); } } }
        """,
        "votes.gal",
    )
    asked, budget = Property("all", "ctl", EVERYBODY), Budget(timeout=4, memory=1 << 30)
    (answer,) = check(votes.model, [asked], engine="symbolic", budget=budget)
    assert answer.verdict == "true"
    assert answer.witness is None
