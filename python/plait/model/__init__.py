"""The semantic core: what every language is translated to and every engine starts from."""

from plait.model.expr import *  # noqa: F403
from plait.model.node import Node, fold, nodes, rewrite
from plait.model.shape import Shape, State, evaluate_constant, shape_of
from plait.model.stmt import *  # noqa: F403
from plait.model.types import *  # noqa: F403

__all__ = ["Node", "Shape", "State", "evaluate_constant", "fold", "nodes", "rewrite", "shape_of"]
