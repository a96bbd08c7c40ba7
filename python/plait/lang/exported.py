"""What texts for other tools have in common: identifiers, and formulas in full parentheses.

NuSMV and SPIN write temporal logic alike but for a few words (`Notation`), and neither knows our
names, nor the operators W and M, which are written out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from plait.errors import error
from plait.logic.formula import (
    Finally,
    Globally,
    Next,
    Release,
    StrongRelease,
    UnaryTemporal,
    Until,
    WeakUntil,
)
from plait.model.expr import And, Implies, Not, Or, Truth
from plait.model.fresh import FreshNames
from plait.model.node import Node
from plait.model.types import Event
from plait.records import dataclass

Pieces = list[str | Node]
"""A node as text, in which its parts stand for themselves."""


@dataclass(frozen=True, slots=True)
class Notation:
    """The words of a tool."""

    tool: str
    true: str
    false: str
    conjunction: str
    disjunction: str
    finally_: str
    globally: str

    def pieces(self, node: Node) -> Pieces:
        """A formula of which only the parts differ from tool to tool; others are refused."""
        conjunction, disjunction = f" {self.conjunction} ", f" {self.disjunction} "
        match node:
            case Truth(value=value):
                return [self.true if value else self.false]
            case Not(operand=a):
                return ["(!", a, ")"]
            case And(operands=parts):
                return _joined(parts, conjunction, self.true)
            case Or(operands=parts):
                return _joined(parts, disjunction, self.false)
            case Implies(left=a, right=b):
                return ["(!", a, disjunction, b, ")"]
            case Next(operand=a) | Finally(operand=a) | Globally(operand=a):
                return [f"({self.operator(node)} ", a, ")"]
            case Until(left=a, right=b):
                return ["(", a, " U ", b, ")"]
            case Release(left=a, right=b):
                return ["(", a, " V ", b, ")"]
            case WeakUntil(left=a, right=b):
                return ["((", a, " U ", b, f"){disjunction}({self.globally} ", a, "))"]
            case StrongRelease(left=a, right=b):
                return ["(", b, " U (", a, conjunction, b, "))"]
        what = type(node).__name__.lower()
        raise error(f"'{what}' cannot be written in {self.tool}", node.span)

    def operator(self, node: UnaryTemporal) -> str:
        """The word of X, F or G."""
        words = {Finally: self.finally_, Globally: self.globally}
        return words.get(type(node), "X")


def show(root: Node, pieces: Callable[[Node], Pieces]) -> str:
    """The text of an expression or formula."""
    out: list[str] = []
    stack: list[str | Node] = [root]
    while stack:
        piece = stack.pop()
        if isinstance(piece, str):
            out.append(piece)
        else:
            stack.extend(reversed(pieces(piece)))
    return "".join(out)


def _joined(parts: Iterable[Node], joint: str, none: str) -> Pieces:
    found: Pieces = ["("]
    for part in parts:
        if len(found) > 1:
            found.append(joint)
        found.append(part)
    return [*found, ")"] if len(found) > 1 else [none]


def action_of(event: Event) -> str:
    """The action of an event: several commands of one are numbered."""
    return event.title.partition("#")[0]


def identifiers(names: Iterable[str], taken: Iterable[str]) -> dict[str, str]:
    """Names as identifiers, different ones for different names: `a[0].pc` is `a_0_pc`."""
    found: dict[str, str] = {}
    made = FreshNames(taken, numbered="{}_{}")
    for name in names:
        if name not in found:
            plainly = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_") or "v"
            found[name] = made.fresh(f"v_{plainly}" if plainly[0].isdigit() else plainly)
    return found


__all__ = ["Notation", "Pieces", "action_of", "identifiers", "show"]
