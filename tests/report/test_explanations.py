"""What is said about the last state of a witness, also of a formula that is nested deeply."""

from plait.lang.gal import parse
from plait.logic.parse import parse_formula
from plait.model.expr import Formula
from plait.model.node import nodes
from plait.model.shape import State
from plait.reference import Semantics
from plait.report.answer import Witness
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
