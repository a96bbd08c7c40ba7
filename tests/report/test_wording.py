"""Reports show a question in the words of who asked it, with the names that stand there."""

import pytest

import plait
from plait import System
from plait.lang import dve, gal, milestones, promela
from plait.lang.gal import parse_properties
from plait.logic.parse import parse_ctl, parse_formula
from plait.model.shape import shape_of
from plait.model.text import show
from plait.model.types import Model, Property
from plait.records import replace
from plait.report.data import check_document, formula_text
from plait.report.text import check_lines
from plait.report.view import StateView

GAL = """
gal counter {
  int x = 0;
  transition t [x < 3] { x = x + 1; }
  predicate big = x > 2;
}
main counter;
property full [atom] : x == 3;
property quoted [never] :
  full  // a comment
  && "big";
property always [ctl] : AG ( !big || full );
property sum [bounds] : x+1;
property free [deadlock] : deadlock;
"""
DVE = """
process P { state a, b; init a; trans a -> b {}, b -> a {}; }
process Q { byte x; state a; init a; trans a -> a { effect x = 1 - x; }; }
system async;
"""
PROMELA = """
#define busy(i) (x == i)
#define idle x == 0
byte x;
active proctype P() { here: do :: x = (x + 1) % 3 od }
ltl often { []<> busy(1) /* again */ &&
  <> (P@here || idle) }
#define CLAIM(name, p) ltl name { [] p }
CLAIM(made, idle)
"""
MILESTONES = """
ACTION a END
VARIABLE g : 1 END
MAIN PROC END CASE [a] g = 0 : g := 1; END END
CTL AG (g=0  ⇒ EF g = 1); EF // once
  g != 0; END
"""


def texts(model: Model) -> dict[str, str]:
    return {p.name: formula_text(p) for p in model.properties}


def test_a_property_of_gal_keeps_its_words_but_for_line_ends_and_comments() -> None:
    assert texts(gal.parse(GAL, "g.gal")) == {
        "full": "x == 3",
        "quoted": 'full && "big"',
        "always": "AG ( !big || full )",
        "sum": "x+1",
        "free": "deadlock",
    }


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("big", "big"),
        ("reachable: big;", "big"),
        (" never :  full\n&& /* twice */ big ; ", "full && big"),
        ("[](big=>full)", "[](big=>full)"),
        ("A[ !big U full ]", "A[ !big U full ]"),
        ("x >= 1 + big", "x >= 1 + big"),
        ("big + full", "big + full"),
        ("deadlock", "deadlock"),
        ("deadlock: deadlock;", "deadlock"),
    ],
)
def test_a_formula_is_shown_without_its_kind_and_its_semicolon(text: str, shown: str) -> None:
    assert formula_text(parse_formula(text, gal.parse(GAL, "g.gal"))) == shown


def test_the_words_are_a_formula_with_the_same_meaning() -> None:
    model = gal.parse(GAL, "g.gal")
    for p in model.properties:
        if p.kind != "atom":
            assert parse_formula(formula_text(p), model, kind=p.kind).body == p.body


def test_files_of_properties_keep_their_words() -> None:
    model = gal.parse(GAL, "g.gal")
    (listed,) = parse_properties("property p [reachable] : big  &&  x > 2", "p.prop", model)
    assert formula_text(listed) == "big && x > 2"
    (its_ctl,) = parse_ctl("#property p\nEF (big *\nfull);", model)
    assert formula_text(its_ctl) == "EF (big * full)"


def test_formulas_of_milestones_keep_their_signs() -> None:
    found = texts(milestones.parse(MILESTONES))
    assert found == {"ctl-1": "AG (g=0 ⇒ EF g = 1)", "ctl-2": "EF g != 0"}


def test_macros_of_promela_stay_what_they_are_called() -> None:
    found = texts(promela.parse(PROMELA))
    assert found["often"] == "[]<> busy(1) && <> (P@here || idle)"


def test_what_a_macro_wrote_is_shown_in_our_words() -> None:
    assert texts(promela.parse(PROMELA))["made"] == "G (x == 0)"


def test_a_property_that_was_never_text_is_shown_in_our_words() -> None:
    model = gal.parse(GAL, "g.gal")
    asked = parse_formula("never: full", model)
    assert formula_text(Property("built", "never", asked.body)) == "x == 3"


@pytest.mark.parametrize("engine", ["auto", "explicit", "symbolic", "bounded"])
@pytest.mark.parametrize(
    "text",
    [
        "never: P.b && Q.x == 1",
        "AG EF P.b",
        "AG !(P.b && Q.x == 1)",
        "F P.b",
        "G !(P.b && Q.x == 1)",
        "E[ P.a U P.b ]",
    ],
)
def test_every_engine_hands_the_words_back(engine: str, text: str) -> None:
    shown = text.removeprefix("never: ")
    answer = System(dve.parse(DVE)).check(text, engine=engine)
    (result,) = check_document("m", [answer])["results"]
    assert result["formula"] == shown
    assert shown in check_lines([answer])[0]


def test_the_line_of_a_property_shows_values_by_their_names() -> None:
    text = """
    mtype = { red, green };
    mtype m = red, a[2] = red;
    active proctype P() { m = green; assert(m != green && a[1] == red) }
    """
    model = promela.parse(text)
    answers = System(model).check_all()
    asked = replace(answers[0], property=replace(answers[0].property, asks=""))
    line = check_lines([asked], view=StateView(shape_of(model)))[0]
    assert "m != green && a[1] == red" in line
    assert "P_0._pc == 4#2" in line
    (result, *_) = check_document("m", answers)["results"]
    assert "m != 1" in result["formula"]


def test_a_question_about_a_message_shows_its_fields_by_their_names() -> None:
    text = """
    mtype = { red, green };
    chan c = [1] of { byte, mtype };
    active proctype P() { c!1,red; c?1,green }
    """
    model = promela.parse(text)
    (answer,) = System(model).check_all()
    assert any("needs c?[1, green]" in line for line in answer.explanation)
    (asked,) = (e.guard for e in model.system.events if e.title == "P_0:4#2")
    view = StateView(shape_of(model))
    assert "c?[1, green]" in [show(view.with_names(part)) for part in asked]


@pytest.mark.parametrize(
    ("question", "headline"),
    [
        ("deadlock", "formula is violated: the system deadlocks in the initial state"),
        ("reachable: x == 0", "formula holds: reached in the initial state"),
        ("x == 1", "formula is violated: in the initial state"),
        ("F (x == 1)", "formula is violated: in the initial state"),
    ],
)
def test_what_the_initial_state_shows_takes_no_steps(question: str, headline: str) -> None:
    stuck = System(gal.parse("gal g { int x = 0; transition t [x == 1] { x = 2; } }", "g"))
    lines = check_lines([stuck.check(question)])
    assert f"{headline}, replayed on the model" in lines


def test_the_line_of_figures_has_the_time_of_all_answers_together() -> None:
    answers = plait.parse("gal g { int x = 0; } property p [never] : x == 1;").check_all()
    assert ", 65.00 s, " in check_lines(answers, seconds=65.0)[-1]
