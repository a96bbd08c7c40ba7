"""The reference: what a model means, executed naively, in the plainest Python.

It is the oracle that every engine is held against, and the judge that replays every witness on the
original model. It executes hierarchy, parameters, channels and transient states directly and shares
no pass with the engines. Read `execution` for what a step is, `expressions` for what a condition
means, `ctl` and `ltl` for what a formula means.

    semantics = Semantics(model)
    semantics.successors(semantics.initial)
    semantics.check(model.property("safe"), limit=100_000)
"""

from plait.reference.components import Component, Copy, Frame, Move
from plait.reference.explain import Explanation, Reason
from plait.reference.graph import Graph
from plait.reference.replay import Blocked, ReplayError
from plait.reference.semantics import Semantics

__all__ = [
    "Blocked",
    "Component",
    "Copy",
    "Explanation",
    "Frame",
    "Graph",
    "Move",
    "Reason",
    "ReplayError",
    "Semantics",
]
