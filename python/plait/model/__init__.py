"""The semantic core: what every language is translated to and every engine starts from."""

from plait.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from plait.model.expr import *  # noqa: F403
    from plait.model.node import Node, fold, nodes, rewrite
    from plait.model.shape import Shape, State, evaluate_constant, shape_of
    from plait.model.stmt import *  # noqa: F403
    from plait.model.types import *  # noqa: F403

__all__ = ["Node", "Shape", "State", "evaluate_constant", "fold", "nodes", "rewrite", "shape_of"]

_HOMES = ("types", "expr", "stmt", "node", "shape")


def __getattr__(name: str) -> object:
    """Import the parts when they are first asked for: who counts states needs no expressions."""
    from importlib import import_module

    if not name.startswith("_"):
        for home in _HOMES:
            part = import_module(f"plait.model.{home}")
            if hasattr(part, name):
                return getattr(part, name)
    raise AttributeError(f"module 'plait.model' has no attribute '{name}'")
