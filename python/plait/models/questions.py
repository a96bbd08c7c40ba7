"""CTL over the handles of the builder: the queries of the literature in its own words."""

from __future__ import annotations

from plait.logic.formula import Exists, Finally, Forall, Globally, Until
from plait.model.builder import Bool
from plait.model.expr import Formula
from plait.model.types import Property


def exists_always(name: str, condition: Bool) -> Property:
    """EG: on some path the condition holds for ever."""
    return _ctl(name, Exists(Globally(condition.node)))


def exists_until(name: str, left: Bool, right: Bool) -> Property:
    """E[left U right]: on some path `right` comes, and `left` holds until then."""
    return _ctl(name, Exists(Until(left.node, right.node)))


def exists_finally(name: str, condition: Bool) -> Property:
    """EF: on some path the condition comes."""
    return _ctl(name, Exists(Finally(condition.node)))


def all_finally(name: str, condition: Bool) -> Property:
    """AF: on all paths the condition comes."""
    return _ctl(name, Forall(Finally(condition.node)))


def all_always(name: str, condition: Bool) -> Property:
    """AG: the condition holds in all reachable states."""
    return _ctl(name, Forall(Globally(condition.node)))


def no_deadlock() -> Property:
    """The property `free`: no reachable state is a deadlock."""
    return Property("free", kind="deadlock")


def _ctl(name: str, formula: Formula) -> Property:
    return Property(name, kind="ctl", body=formula)
