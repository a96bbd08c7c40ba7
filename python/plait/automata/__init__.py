"""Automata for linear time: from an LTL formula, or a never claim, to a small Büchi automaton.

| module | job |
|---|---|
| `propositions` | the conditions on states that a formula is about, numbered |
| `terms` | formulas in positive form, each stored once, simplified as they are made |
| `tableau` | one formula unfolded into the arcs of an automaton |
| `automaton` | generalised Büchi automata with acceptance on arcs |
| `components` | strongly connected components |
| `simplify` | smaller automata with the same language |
| `stutter` | whether an automaton cannot tell a state from its repetition |
| `translate` | all of that in a row |
| `system` | the automaton of a model |
| `claims` | automata that were read, as never claims |
| `hoa`, `never` | the Hanoi format and never claims, read and written |
| `files` | which of them a file is; pictures for dot |
"""

from plait.automata.automaton import Arc, Automaton
from plait.automata.translate import TooLarge, of_claim, satisfying, violating

__all__ = ["Arc", "Automaton", "TooLarge", "of_claim", "satisfying", "violating"]
