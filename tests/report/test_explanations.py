"""What is said about the last state of a witness, also of a formula that is nested deeply."""

from plait.lang.gal import parse
from plait.logic.parse import parse_formula
from plait.model.expr import Formula
from plait.model.node import nodes
from plait.model.shape import State
from plait.reference import Semantics
from plait.report.answer import Branch, Step, Witness
from plait.report.explain import explain

MODEL = "gal g { int x = 2; int z; transition t [x < 2] { x += 1; } }\n"
DEEP = 1_000


class Counting(Semantics):
    """The semantics, with the nodes counted that are evaluated."""

    evaluated = 0

    def truth(self, formula: Formula, state: State) -> bool | None:
        self.evaluated += sum(1 for _ in nodes(formula))
        return super().truth(formula, state)


def explanation(text: str) -> tuple[list[str], float]:
    """The lines about a formula that holds at first, and how often each node was evaluated."""
    model = parse(MODEL, "g.gal")
    asked = parse_formula(f"reachable: {text}", model)
    assert isinstance(asked.body, Formula)
    semantics = Counting(model)
    lines = explain(semantics, asked, Witness(semantics.initial, ()))
    return lines, semantics.evaluated / sum(1 for _ in nodes(asked.body))


def test_an_explanation_evaluates_each_part_of_a_nested_formula_once() -> None:
    text = "x == 2"
    for _ in range(DEEP):
        text = f"x < 7 && (x == 9 && x / z > 0 || {text})"
    lines, often = explanation(text)
    assert often <= 1
    assert lines == [
        "in the last state this is true:",
        *["  x < 7   (x = 2)"] * DEEP,
        "  x == 2   (x = 2)",
    ]


def test_of_a_disjunction_the_first_part_that_is_true_is_told() -> None:
    told = ["in the last state this is true:", "  x == 2   (x = 2)"]
    assert explanation("1 / z == 1 || (x == 3 || x == 2) || x > 0")[0] == told
    assert explanation("!(1 / z == 1) || x == 2")[0] == told


def test_what_would_fill_the_screen_is_cut() -> None:
    many = " + ".join(f"a[{i}]" for i in range(300))
    model = parse("gal g { array [300] a; transition t [a[0] < 1] { a[0] = 1; } }", "g.gal")
    asked = parse_formula(f"reachable: {many} == 1", model)
    semantics = Semantics(model)
    state = (1, *[0] * 299)
    step = Step("t", state)
    _, line = explain(semantics, asked, Witness(semantics.initial, (step,)))
    assert line.startswith("  a[0] + a[1] + ")
    assert "...   (a[0] = 1, a[1] = 0, " in line
    assert line.endswith("a[39] = 0, and 260 more)")
    nested = f"{'EX (' * 300}a[0] == 1{')' * 300}"
    shown = parse_formula(nested, model).body
    assert isinstance(shown, Formula)
    branch = Branch(0, Witness(semantics.initial, (step,), shows=shown))
    tree = Witness(semantics.initial, (step,), branches=(branch,))
    assert all(len(row) < 600 for row in tree.show().splitlines())
    assert "in state 0 this holds: EX EX EX " in tree.show()
