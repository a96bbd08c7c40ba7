"""What `plait check` says about a Promela text besides verdicts; formulas as SPIN reads them."""

from __future__ import annotations

import pytest

from plait import engines
from plait.engines.budget import Budget
from plait.errors import ModelError
from plait.lang.promela import parse
from plait.report.answer import Answer

UNREACHED = """
byte x, y;
chan c = [0] of { byte };
active [2] proctype P() {
  atomic { x = 1;
    if
    :: x == 1 -> skip
    :: x == 2 -> y = 1;
         y = 2
    fi };
  if :: x == 3 ->
     x = 4
  :: else
  fi;
  c!1;
  x = 7
}
active proctype Q() { byte z;
  c?z;
  c?z;
  if
  :: c?2 ->
     z = 3
  :: z == 1 ->
     d_step { z = 4; if :: z == 4
        :: else ->
           z = 5 fi }
  fi
}
"""
POWERS = {
    "[] p U q": "([] p) U q",
    "[] p && q": "([] p) && q",
    "<> p -> q": "(<> p) -> q",
    "p -> q -> r": "(p -> q) -> r",
    "p U q U r": "(p U q) U r",
    "p && q U r": "p && (q U r)",
    "p U q && r": "(p U q) && r",
    "!p U q": "(!p) U q",
    "p || q U r && s": "p || ((q U r) && s)",
    "p U [] q": "p U ([] q)",
    "p -> <> q U r": "p -> ((<> q) U r)",
    "p <-> q -> r": "(p <-> q) -> r",
    "[] <> p U q": "([] <> p) U q",
    "!<> p && q": "(!<> p) && q",
    "p U q W r": "(p U q) W r",
}
"""Formulas, and how `spin -a` prints them."""


def asked(text: str) -> list[Answer]:
    model = parse(text)
    return engines.check(model, budget=Budget(60.0, None))


def test_statements_that_nobody_executes_are_told_by_their_lines() -> None:
    notes = {note for a in asked(UNREACHED) for note in a.notes}
    assert notes == {
        "unreached in proctype P: lines 8, 9, 11, 12",
        "unreached in proctype Q: lines 22, 23, 26, 27",
    }


def test_a_search_that_stops_early_says_nothing_about_unreached_code() -> None:
    text = "byte x; active proctype P() { assert(x == 1); x = 2;\nx == 3;\nx = 4 }"
    model = parse(text)
    [answer] = engines.check(model, [model.properties[0]], budget=Budget(60.0, None))
    assert answer.verdict == "false"
    assert answer.notes == ()


@pytest.mark.parametrize("formula", POWERS)
def test_operators_of_formulas_bind_as_in_spin(formula: str) -> None:
    def body(text: str) -> object:
        start = "bool p, q, r, s; active proctype P() { p = 1 }"
        return parse(f"{start} ltl f {{ {text} }}").property("f").body

    assert body(formula) == body(POWERS[formula])
    assert body(formula) != body("p")


def test_cycles_are_asked_only_by_name() -> None:
    text = "byte x; active proctype P() { do :: accept: x = 1; progress: x = 0 od }"
    assert {a.property.name for a in asked(text)} == {"invalid end state"}
    model = parse(text)
    cycle = [model.property("acceptance cycle"), model.property("non-progress cycle")]
    answers = engines.check(model, cycle, budget=Budget(60.0, None))
    assert [a.verdict for a in answers] == ["false", "true"]
    assert answers[0].witness is not None
    assert answers[0].replayed


def test_what_a_block_does_deep_inside_a_loop_counts_as_reached() -> None:
    """Four choices in a row are calls of calls; only the line that no choice leads to is named."""
    options = "".join(f":: taken[{i}] == 0 -> taken[{i}] = n\n" for i in range(4))
    text = f"""byte n;
byte taken[5];
proctype last() {{ skip }}
init {{
  atomic {{
    n = 1;
    do
    :: n <= 4 -> if
{options}      :: n > 7 -> taken[4] = 1
      fi; n++
    :: n > 4 -> break
    od;
    run last()
  }}
}}
"""
    answers = engines.check(parse(text), engine="explicit")
    notes = {note for a in answers for note in a.notes if "unreached" in note}
    assert notes == {"unreached in init: line 13"}


def test_a_formula_may_be_an_operand_of_and_and_or_of_bits() -> None:
    """As truth values; beside numbers these are the operators of C."""
    text = """
    byte n = 2;
    active proctype P() { n = 5; n = 1 }
    ltl both { (n == 2) & X (n == 5 | (n & 4) == 4) }
    ltl either { [] (n == 2) | <> (n == 1) }
    ltl wrong { (n == 2) & X (n == 2) }
    """
    found = {a.property.name: a.verdict for a in engines.check(parse(text))}
    assert (found["both"], found["either"], found["wrong"]) == ("true", "true", "false")


@pytest.mark.parametrize("block", ["atomic", "d_step"])
def test_a_block_that_is_never_left_is_named_with_its_process(block: str) -> None:
    loop = f"{block} {{ y = 1; do :: x = 1 - x od }}"
    model = parse(f"byte x, y;\nactive proctype P() {{ x = 1;\n  {loop} }}")
    with pytest.raises(ModelError, match="process P_0 never leaves the block") as failure:
        engines.check(model, model.properties, budget=Budget(60.0, None))
    span = failure.value.diagnostics[0].span
    assert span is not None
    assert span.line == 3
