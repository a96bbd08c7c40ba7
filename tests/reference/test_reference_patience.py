"""The reference gives up within one execution, too: a single event may lead to countless states."""

from __future__ import annotations

import pytest

from plait.engines import Budget, states
from plait.errors import LimitReached
from plait.lang.gal import parse
from plait.model.watch import EVERY, watched_by
from plait.reference import Semantics

BITS = 16
TEXT = f"""typedef all = 0 .. {BITS - 1};
gal g {{ array [{BITS}] a;
  transition t [a[0] == 0] {{ for ($i : all) {{ self."set"($i); }} }}
  transition low (all $i) [true] label "set"($i) {{ a[$i] = 1; }}
  transition high (all $i) [true] label "set"($i) {{ a[$i] = 2; }}
}}
"""


def test_whoever_watches_can_end_one_execution() -> None:
    def enough() -> None:
        raise LimitReached("enough")

    semantics = Semantics(parse(TEXT, "g"))
    with watched_by(enough), pytest.raises(LimitReached, match="enough"):
        semantics.successors(semantics.initial)
    assert semantics.effort == EVERY


def test_time_ends_one_execution_of_the_reference() -> None:
    """covers: T16"""
    found = states(parse(TEXT, "g"), engine="reference", budget=Budget(timeout=0.2))
    assert (found.complete, found.reason) == (False, "timeout")
