"""The product of a model and an automaton, both ways of searching it, and what is told of it."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from plait import parse
from plait.automata import Automaton, violating
from plait.automata.files import read_claim
from plait.automata.hoa import write_hoa
from plait.automata.never import write_never
from plait.automata.system import system_automaton
from plait.cli.main import run as plait
from plait.engines import Budget, Reduction, check
from plait.engines.evidence import Evidence
from plait.engines.explicit.linear import LinearTime
from plait.engines.explicit.method import Method
from plait.engines.explicit.reduction import PERSISTENT
from plait.errors import InputError
from plait.lang.promela import parse as parse_promela
from plait.logic.ends import asks_only_where_runs_end
from plait.logic.parse import parse_formula
from plait.model.expr import Formula
from plait.model.types import Model, Property
from plait.reference import Semantics

RING = """
gal ring {
  int x = 0; int odd = 0;
  transition up [x < 20] { x = x + 1; odd = 1 - odd; }
  transition back [x == 20] { x = 3; odd = 1; }
  transition stop [x == 7] { x = 100; }
}
main ring;
"""
FORMULAS = ("G F (odd == 1)", "F (x == 100)", "G (x == 7 -> X (x == 8))", "F G (x == 100)")


def asked(text: str, model: Model) -> Property:
    return parse_formula(text, model, name=text)


@pytest.mark.parametrize("formula", FORMULAS)
def test_components_nested_search_and_a_graph_built_first_say_the_same(formula: str) -> None:
    """covers: A7, A11, A29"""
    model = parse(RING).model
    p = asked(formula, model)
    verdicts = set()
    for method in (Method(), Method(cycles="nested"), Method(build_first=True)):
        [answer] = check(model, [p], engine="explicit", method=method, budget=Budget(60.0, None))
        verdicts.add(answer.verdict)
        nodes, expansions = answer.stats["product_states"], answer.stats["expansions"]
        assert isinstance(nodes, int)
        assert isinstance(expansions, int)
        assert expansions <= (2 if method.cycles == "nested" else 1) * nodes
        assert answer.replayed == (answer.verdict == "false")
        if method.build_first:
            assert answer.stats["states"] == 22
    assert len(verdicts) == 1


@pytest.mark.parametrize("cycles", ["components", "nested"])
def test_an_automaton_without_acceptance_sets_accepts_every_run_that_it_can_read(
    cycles: str,
) -> None:
    """covers: I71"""
    model = parse(RING).model
    for formula, verdict in (("F (x == 50)", "false"), ("F (x == 5)", "true")):
        p = asked(formula, model)
        assert isinstance(p.body, Formula)
        assert violating(p.body).automaton.acceptances == 0
        method = Method(cycles=cycles)
        [answer] = check(model, [p], engine="explicit", method=method, budget=Budget(60.0, None))
        assert answer.verdict == verdict


def test_depth_first_search_gives_the_path_on_its_stack() -> None:
    """covers: A10"""
    model = parse(RING).model
    p = parse_formula("invariant: x != 100", model)
    [answer] = check(
        model,
        [p],
        engine="explicit",
        reduction=Reduction(order="dfs"),
        budget=Budget(60.0, None),
    )
    assert answer.verdict == "false"
    assert answer.replayed
    assert answer.witness is not None
    states = answer.witness.states
    assert len(set(states)) == len(states)
    assert states[-1][0] == 100
    assert [s.event for s in answer.witness.steps] == ["up"] * 7 + ["stop"]


def test_every_formula_is_listed_with_states_arcs_time_and_memory(tmp_path: Path) -> None:
    """covers: A46"""
    model, out = tmp_path / "ring.gal", tmp_path / "out.json"
    model.write_text(RING)
    formulas = [word for f in FORMULAS for word in ("-f", f)]
    assert plait(["check", str(model), *formulas, "--engine", "explicit", "--json", str(out)]) == 1
    listed = json.loads(out.read_text())["results"]
    assert len(listed) == len(FORMULAS)
    for row in listed:
        assert row["verdict"] in ("true", "false")
        assert row["stats"]["product_states"] > 0
        assert row["stats"]["product_arcs"] > 0
        assert row["stats"]["states"] > 0
        assert row["seconds"] >= 0
        assert row["peak_memory_bytes"] > 0


# --- the automaton of a model ---------------------------------------------------------------------


def meets(system: Automaton, claim: Automaton) -> bool:
    """Whether some word is read by the system and accepted by the claim, by plain reachability."""
    start = (0, 0, 0)
    sets = claim.acceptances

    def after(node: tuple[int, int, int]) -> set[tuple[int, int, int]]:
        found = set()
        state, location, level = node
        for a in system.arcs[state]:
            for b in claim.arcs[location]:
                if b.reads(a.positive):
                    next_ = 0 if level == sets else level
                    while next_ < sets and b.marks >> next_ & 1:
                        next_ += 1
                    found.add((a.target, b.target, next_))
        return found

    def reach(node: tuple[int, int, int]) -> set[tuple[int, int, int]]:
        seen: set[tuple[int, int, int]] = set()
        stack = [node]
        while stack:
            new = after(stack.pop()) - seen
            seen |= new
            stack.extend(new)
        return seen

    return any(n in reach(n) for n in reach(start) if n[2] == sets)


@pytest.mark.parametrize("formula", [*FORMULAS, "x == 0", "X (x == 1)", "!(x == 0)"])
def test_the_automaton_of_a_model_reads_the_letters_of_its_runs_from_the_first_state(
    formula: str,
) -> None:
    """covers: A2"""
    model = parse(RING).model
    p = asked(f"ltl: {formula}", model)
    assert isinstance(p.body, Formula)
    semantics = Semantics(model)
    graph = semantics.reachable(1000)
    claim = violating(p.body)

    def holds(condition: Formula, number: int) -> bool:
        return semantics.holds(condition, graph.states[number])

    system = system_automaton(graph, claim.conditions, holds)
    assert len(system.arcs) == 1 + len(graph.states)
    assert [a.target for a in system.arcs[0]] == [1]
    assert all(a.target != 0 for row in system.arcs for a in row)
    verdict = semantics.check(p, graph=graph).verdict
    assert meets(system, claim.automaton) == (verdict == "false")


def test_the_automaton_of_a_model_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """covers: A2"""
    model = tmp_path / "ring.gal"
    model.write_text(RING)
    assert plait(["automaton", str(model), "-f", "F (x == 100)", "--of", "system"]) == 0
    text = capsys.readouterr().out
    assert "States: 23" in text
    assert "State: 0\n[!0] 1\nState: 1\n[!0] 2\n" in text
    assert plait(["automaton", str(model), "-f", "F (x == 100)", "--of", "worlds"]) == 2


# --- deadlocks ------------------------------------------------------------------------------------

ENDS = {
    "F deadlock": True,
    "G !deadlock": True,
    "G F (x == 1 || deadlock)": True,
    "F G (x == 1 && !deadlock)": True,
    "(F deadlock) -> F (x == 1)": True,
    "F (x == 1)": True,
    "deadlock": False,
    "(x == 1) U deadlock": False,
    "F (x == 1 && deadlock)": False,
    "G (x == 1 || deadlock)": False,
    "X deadlock": False,
    "F G (deadlock || enabled(up))": False,
    "(F G (x == 1 || deadlock)) && (G (x == 1 || deadlock))": False,
}


@pytest.mark.parametrize("formula", ENDS)
def test_it_is_known_which_formulas_ask_for_deadlocks_only_at_the_end(formula: str) -> None:
    body = asked(f"ltl: {formula}", parse(RING).model).body
    assert isinstance(body, Formula)
    assert asks_only_where_runs_end(body) == ENDS[formula]


TEMPLATES = (
    "F deadlock",
    "G !deadlock",
    "G F ({p} || deadlock)",
    "F G ({p} && !deadlock)",
    "(F deadlock) -> F {p}",
    "{p} U (F deadlock && {q})",
    "G ({p} -> F (G F (deadlock || {q})))",
    "(G F ({p} || deadlock)) && (F {q})",
)


def ending(choice: random.Random) -> Model:
    """Processes that mostly end."""

    def test() -> str:
        return f"({choice.choice('abc')} == {choice.randrange(2)})"

    def step() -> str:
        bit = choice.choice("abcde")
        given = (f"q!{choice.randrange(2)}", f"q?{bit}", f"{bit} = 1 - {bit}", f"{bit} = 1")
        return choice.choice(given)

    def body() -> str:
        steps = "; ".join(step() for _ in range(choice.randint(1, 3)))
        return f"do :: {steps} :: {test()} -> break od" if choice.randrange(3) == 0 else steps

    count = choice.randint(2, 3)
    processes = (f"active proctype P{i}() {{ {body()}; {step()} }}" for i in range(count))
    return parse_promela("bit a, b, c, d, e; chan q = [1] of { bit };\n" + "\n".join(processes))


def test_reduction_keeps_what_the_end_of_a_run_decides() -> None:
    reduced = compared = 0
    for seed in range(16):
        choice = random.Random(seed)
        model = ending(choice)
        semantics = Semantics(model)
        graph = semantics.reachable(5000)
        questions = []
        for template in choice.sample(TEMPLATES, 3):
            p, q = (f"({choice.choice('abc')} == {choice.randrange(2)})" for _ in range(2))
            questions.append(asked("ltl: " + template.format(p=p, q=q), model))
        reduction = Reduction("stubborn", PERSISTENT[seed % len(PERSISTENT)])
        product = LinearTime(Evidence(model), Budget(60.0, None), reduction=reduction)
        for question, answer in zip(questions, product.check(questions), strict=True):
            expected = semantics.check(question, graph=graph).verdict
            assert answer.verdict == expected, (seed, question.name)
            compared += 1
            reduced += bool(answer.stats.get("reduced_states"))
    assert reduced > compared // 3


def test_a_method_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InputError, match="no cycles by 'magic'"):
        Method(cycles="magic")


# --- conjunctions ---------------------------------------------------------------------------------


def loops(count: int) -> str:
    """Independent counters, each of which somebody may look at."""
    cells = " ".join(f"int c{i} = 0;" for i in range(count))
    events = " ".join(f"transition e{i} [c{i} < 3] {{ c{i} = c{i} + 1; }}" for i in range(count))
    return f"gal loops {{ {cells} {events} }} main loops;"


def test_conjuncts_are_checked_apart_and_see_only_their_own_events() -> None:
    """covers: P62"""
    model = parse(loops(4)).model
    formula = " && ".join(f"F (c{i} == 3)" for i in range(4))
    p = asked(formula, model)
    product = LinearTime(Evidence(model), Budget(60.0, None), reduction=Reduction("stubborn"))
    [apart], [together] = product.check([p]), product._check([p])
    assert apart.verdict == together.verdict == "true"
    assert apart.property == p
    assert apart.stats["conjuncts"] == 4
    assert "each of 4 conjuncts is checked by itself" in apart.notes
    few, many = apart.stats["product_states"], together.stats["product_states"]
    assert isinstance(few, int)
    assert isinstance(many, int)
    assert few < many


def test_a_violated_conjunct_violates_the_conjunction_wherever_it_stands() -> None:
    model = parse(loops(3)).model
    told: list[tuple[int, str]] = []
    product = LinearTime(Evidence(model), Budget(60.0, None), reduction=Reduction("stubborn"))
    questions = [
        asked("F (c0 == 3) && G (c1 < 4) && F (c2 == 7)", model),
        asked("G (c0 < 4 && c1 < 4 && F (c2 == 3))", model),
        asked("G ((c0 < 2) && F (c1 == 3))", model),
        asked("X (c0 == 1) && F (c1 == 3)", model),
    ]
    answers = product.check(questions, lambda i, a: told.append((i, a.verdict)))
    assert [a.verdict for a in answers] == ["false", "true", "false", "false"]
    assert [a.property for a in answers] == questions
    assert sorted(told) == list(enumerate(a.verdict for a in answers))
    for question, answer in zip(questions, answers, strict=True):
        assert answer.replayed == (answer.verdict == "false")
        if answer.witness is not None:
            Semantics(model).confirm(question, answer.witness)


# --- claims ---------------------------------------------------------------------------------------

CLAIMED = ("G F {p}", "F G {p}", "{p} U {q}", "G ({p} -> F {q})", "F ({p} && X {q})", "F {p}")


def test_claims_are_reduced_where_their_arcs_show_that_they_see_no_repetition() -> None:
    """covers: A6, P57"""
    reduced = compared = refused = 0
    for seed in range(16):
        choice = random.Random(seed)
        model = ending(choice)
        semantics = Semantics(model)
        graph = semantics.reachable(5000)
        questions = []
        for template in choice.sample(CLAIMED, 3):
            p, q = (f"({choice.choice('abc')} == {choice.randrange(2)})" for _ in range(2))
            body = asked("ltl: " + template.format(p=p, q=q), model).body
            assert isinstance(body, Formula)
            found = violating(body)
            if choice.randrange(2):
                text = write_hoa(found.automaton, found.conditions, "claim")
            else:
                text = write_never(found.automaton, found.conditions, "claim")
            questions.append(Property(template, "ltl", read_claim(text, model, "claim")))
        reduction = Reduction("stubborn", PERSISTENT[seed % len(PERSISTENT)])
        product = LinearTime(Evidence(model), Budget(60.0, None), reduction=reduction)
        for question, answer in zip(questions, product.check(questions), strict=True):
            assert answer.verdict == semantics.check(question, graph=graph).verdict, seed
            compared += 1
            reduced += bool(answer.stats.get("reduced_states"))
            refused += "no reduction: the formula may tell a state from its repetition" in (
                answer.notes
            )
    assert reduced > compared // 4
    assert refused > 3
