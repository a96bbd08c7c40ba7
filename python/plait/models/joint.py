"""Producers and consumers that act together, and the running example of Milestones.

Vander Meulen, Combining Partial Order Reduction with Symbolic Model Checking, 2012, sections 7.5
and 2.1, as texts of its language (`plait.lang.milestones`). Of the first the thesis prints a
description and measurements only; this is the classical solution with semaphores, joint actions and
eight steps of work in each round, which has all printed numbers of states and of images of the
breadth-first search, and the bounds at which bounded model checking finds violations.
"""

from __future__ import annotations

from plait.lang.milestones import parse
from plait.model.types import Model
from plait.models.arguments import check_size, check_variant

VARIANTS = ("flat",)
LEAST, MOST = 1, 1_000
STEPS = 8
"""The steps of work that each process does alone in a round."""


def producers_consumers(n: int = 2, variant: str = "flat") -> Model:
    """Producers and consumers of a bounded buffer, n of each, who act together."""
    check_size(n, LEAST, MOST)
    check_variant(variant, VARIANTS)
    return parse(producers_consumers_text(n), "producers-consumers")


def running_example(variant: str = "flat") -> Model:
    """Two processes and a bit that they share: the running example of Milestones."""
    check_variant(variant, VARIANTS)
    return parse(RUNNING, "running-example")


def producers_consumers_text(n: int) -> str:
    """The text of the model in the language Milestones."""
    work = [f"    [{c}] [step] true : pc := {c + 1};" for c in range(STEPS)]
    rest = [f"    [{c}] [step] true : pc := {(c + 1) % (STEPS + 5)};" for c in range(5, STEPS + 5)]
    return f"""\
// Producers and consumers of a buffer of 6 items, {n} of each. All producers take part in each
// item, and so do all consumers: each works alone for a while, then they act together.
// 7 * 81^n + 12 * 18^n + 24 * 9^n + 20 * 2^n + 20 states for n of each; both formulas are violated.

ACTION
  pWaitEmpty; pEnter; pLeave; pSignalFull; cWaitFull; cEnter; cLeave; cSignalEmpty;
END

VARIABLE
  buffer : 3 := 0;
  empty : 3 := 6;
  full : 3 := 0;
  mutex : 1 := 0;
END

LOCAL Producer
  ACTION step; END
  VARIABLE pc : 4 := 0; END
  CASE
{chr(10).join(work)}
    [8] [pWaitEmpty] true : pc := 9;
    [9] [pEnter] true : pc := 10;
    [10] [step] true : pc := 11;
    [11] [pLeave] true : pc := 12;
    [12] [pSignalFull] true : pc := 0;
  END
  SYNC pWaitEmpty; pEnter; pLeave; pSignalFull; END
END

LOCAL Consumer
  ACTION step; END
  VARIABLE pc : 4 := 0; END
  CASE
    [0] [cWaitFull] true : pc := 1;
    [1] [cEnter] true : pc := 2;
    [2] [step] true : pc := 3;
    [3] [cLeave] true : pc := 4;
    [4] [cSignalEmpty] true : pc := 5;
{chr(10).join(rest)}
  END
  SYNC cWaitFull; cEnter; cLeave; cSignalEmpty; END
END

GLOBAL
  PROC
    prod : Producer[{n}];
    cons : Consumer[{n}];
  END
  CASE
    [pWaitEmpty] empty > 0 : empty := empty - 1;
    [pEnter] mutex == 0 : mutex := 1; buffer := buffer + 1;
    [pLeave] true : mutex := 0;
    [pSignalFull] true : full := full + 1;
    [cWaitFull] full > 0 : full := full - 1;
    [cEnter] mutex == 0 : mutex := 1; buffer := buffer - 1;
    [cLeave] true : mutex := 0;
    [cSignalEmpty] true : empty := empty + 1;
  END
END

LTL
  G (buffer == 0);
  G F (buffer > 1);
END
"""


RUNNING = """\
ACTION Gpp; GE0; xExMy; END
VARIABLE g : 1 := 0; END

LOCAL A
  ACTION Xpp; Zpp; END
  VARIABLE pc : 2 := 0; x : 1 := 0; z : 1 := 0; END
  CASE
    [0] [Xpp] true : pc := 1; x := x + 1;
    [1] [Zpp] true : pc := 2; z := z + 1;
    [2] [xExMy] true :
  END
  SYNC xExMy; END
END

LOCAL B
  ACTION Ypp; YE0; END
  VARIABLE pc : 1 := 0; y : 1 := 0; END
  CASE
    [0] [Ypp] g == 0 : pc := 1; y := y + 1;
    [1] [YE0] g == 0 : pc := 0; y := 0;
    [1] [xExMy] true :
  END
  SYNC xExMy; END
END

GLOBAL
  PROC a : A[1]; b : B[1]; END
  CASE
    [Gpp] a[0].pc == 2 & b[0].pc == 1 & g == 0 : g := g + 1;
    [GE0] a[0].pc == 2 & b[0].pc == 1 & g == 1 : g := 0;
    [xExMy] a[0].pc == 2 & b[0].pc == 1 :
  END
END

CTL AG EF (g == 1); END
LTL F (G g == 1); END
"""
"""The running example, listing 6.1."""
