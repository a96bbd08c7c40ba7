"""What random coloured nets share: sorts, places with tokens, and what is asked of them."""

from hypothesis import strategies as st
from tests.colour.nets import (
    DOT,
    const,
    enumeration,
    every,
    op,
    place,
    product,
    times,
    variable,
)

from plait.engines import check
from plait.logic.examinations import GLOBAL
from plait.logic.folding import Vocabulary
from plait.logic.formula import Exists, Finally, Forall, Globally, Next, Until
from plait.model.expr import And, Compare, Const, Formula, Not
from plait.model.types import Model, Property

DECLARED = [
    enumeration("C", 3),
    enumeration("F", 2, "finite"),
    product("CF", "C", "F"),
    *(variable(name, "C") for name in ("x", "y")),
    variable("z", "F"),
]
SORTS = {"p": "C", "q": "C", "r": "CF", "s": "F", "d": "dot"}
"""The places and their sorts."""
INITIAL = {
    "p": [every("C"), op("add", times(2, const("C0")), const("C2"))],
    "q": [const("C1"), ""],
    "r": [op("tuple", every("C"), const("F1")), op("tuple", const("C0"), every("F")), ""],
    "s": [every("F"), times(2, const("F1"))],
    "d": [DOT, ""],
}


@st.composite
def marked_places(draw: st.DrawFn) -> list[str]:
    """The places, each with one of its markings."""
    return [place(n, sort, draw(st.sampled_from(INITIAL[n]))) for n, sort in SORTS.items()]


def questions(model: Model) -> list[Property]:
    """Temporal formulas, bounds and examinations that every form of the net understands."""
    known = Vocabulary(model)
    can = [known.fireable((e.name,)) for e in known.events]
    first, last = can[0], can[-1]
    few: list[Formula] = [Compare("<=", known.tokens((p,)), Const(1)) for p in SORTS]
    ctl = [
        Forall(Globally(Exists(Finally(first)))),
        Exists(Globally(Not(last))),
        Exists(Next(And((few[0], Forall(Next(few[1])))))),
        Forall(Until(first, few[0])),
        Exists(Until(few[2], And((last, few[3])))),
        Forall(Finally(Forall(Globally(Not(first))))),
    ]
    ltl = [Globally(Finally(first)), Next(Until(few[0], last)), Finally(Globally(few[3]))]
    return [
        *(Property(f"ctl {i}", kind="ctl", body=f) for i, f in enumerate(ctl)),
        *(Property(f"ltl {i}", kind="ltl", body=f) for i, f in enumerate(ltl)),
        *(Property(f"max {p}", kind="bounds", body=known.tokens((p,))) for p in SORTS),
        Property("deadlock", kind="deadlock"),
        *(p for kind in GLOBAL.values() for p in kind.properties(model)),
    ]


def verdicts(model: Model) -> list[tuple[str, str, object]]:
    """What the reference answers to them."""
    answers = check(model, questions(model), engine="reference")
    return [(a.property.name, a.verdict, a.value) for a in answers]
