"""Specifications as properties of the model.

NuSMV asks them of all initial states and of fair paths only, and its paths never end. So

- a property of paths begins behind the step that chooses an initial state, where there is one;
- FAIRNESS is what a property of CTL asks of its paths (`Property.fair`), and an assumption of one
  of LTL, and so is COMPASSION there;
- where a step may be impossible, paths that come to an end are no paths: they are not fair.

An invariant is asked of all reachable states, fair or not.
"""

from __future__ import annotations

from plait.errors import Diagnostic, Source, Span
from plait.lang.lexer import END
from plait.lang.smv.declarations import SpecificationText, tokens_of
from plait.lang.smv.evaluate import Logic
from plait.lang.smv.expressions import (
    BINARY_LTL,
    BINARY_PAST,
    UNARY_CTL,
    UNARY_LTL,
    UNARY_PAST,
    Apply,
    Expression,
    SmvExpressions,
)
from plait.lang.smv.flatten import Flat
from plait.lang.smv.instances import Instance
from plait.lang.smv.unsupported import Unsupported
from plait.lang.smv.values import both, collapsed, deterministic, negation, stored
from plait.logic.formula import Exists, Finally, Forall, Globally, Next
from plait.model.expr import (
    TRUE,
    Compare,
    Const,
    Deadlock,
    Formula,
    Implies,
    IntExpr,
    Or,
    Var,
)
from plait.model.node import nodes
from plait.model.types import Property, PropertyKind
from plait.records import dataclass, replace

CHOSEN = "init()"
"""Whether the initial state has been chosen; no variable of a text is called so."""
_KIND: dict[str, PropertyKind] = {
    "SPEC": "ctl",
    "CTLSPEC": "ctl",
    "LTLSPEC": "ltl",
    "INVARSPEC": "invariant",
}
_NAME = {"ctl": "ctl", "ltl": "ltl", "invariant": "invar"}
_CTL = frozenset((*UNARY_CTL, "AU", "EU"))
_LTL = frozenset((*UNARY_LTL, *UNARY_PAST, *BINARY_LTL, *BINARY_PAST))


@dataclass(frozen=True, slots=True)
class Shape:
    """What properties have to know of the model that the text became."""

    chooses: bool
    """A first step chooses the initial state."""
    may_be_empty: bool
    """There may be no initial state at all."""
    total: bool
    """In every state a step is possible."""


@dataclass(frozen=True, slots=True)
class Fairness:
    """What holds again and again on paths, in terms of states."""

    conditions: tuple[Formula, ...]
    compassion: tuple[tuple[Formula, Formula], ...]


class Properties:
    """Makes properties of specifications and of formulas."""

    def __init__(self, flat: Flat, shape: Shape, fairness: Fairness) -> None:
        self.flat = flat
        self.shape = shape
        self.fairness = fairness

    def specified(self) -> tuple[Property, ...]:
        """The specifications of all instances."""
        found: list[Property] = []
        counts: dict[str, int] = {}
        for instance in self.flat.system.instances:
            for text in instance.texts:
                for spec in text.specifications:
                    kind = _KIND.get(spec.kind, "ctl")
                    prefix = _NAME[kind] if spec.kind in _KIND else spec.kind.lower()
                    counts[prefix] = counts.get(prefix, 0) + 1
                    name = instance.full(spec.name or f"{prefix}-{counts[prefix]}")
                    found.append(self._specification(spec, kind, name, instance))
        return tuple(found)

    def _specification(
        self, spec: SpecificationText, kind: PropertyKind, name: str, instance: Instance
    ) -> Property:
        if spec.kind not in _KIND:
            refused = f"{spec.kind} is not supported"
            return Property(name, kind, TRUE, text=spec.text, refused=refused, span=spec.span)
        try:
            made = self.property(name, kind, spec.formula, instance, spec.span)
        except Unsupported as no:
            refused = no.diagnostics[0].message
            return Property(name, kind, TRUE, text=spec.text, refused=refused, span=spec.span)
        return replace(made, text=spec.text)

    # --- properties -------------------------------------------------------------------------------

    def property(
        self,
        name: str,
        kind: PropertyKind,
        formula: Expression,
        instance: Instance,
        span: Span | None,
    ) -> Property:
        """A property of that kind."""
        logic: Logic = "ctl" if kind == "ctl" else "ltl" if kind == "ltl" else "states"
        if kind == "bounds":
            return Property(name, kind, self._number(formula, instance), span=span)
        body = self._condition(formula, instance, logic)
        if kind == "ctl":
            return self._branching(name, body, span)
        if kind == "ltl":
            return Property(name, kind, self._linear(body), span=span)
        begun = Compare("==", Var(CHOSEN), Const(1))
        if self.shape.chooses:
            body = Implies(begun, body) if kind == "invariant" else both(begun, body)
        return Property(name, kind, body, span=span)

    def _branching(self, name: str, body: Formula, span: Span | None) -> Property:
        if self.fairness.compassion:
            message = "COMPASSION is not supported for CTL"
            raise Unsupported(Diagnostic(message, span))
        fair = self.fairness.conditions
        if not self.shape.total:
            fair = (*fair, negation(Deadlock()))
        if self.shape.chooses:
            body = Forall(Next(body, span=span), span=span)
        elif fair:
            # A state from which no path is fair satisfies everything.
            body = Implies(Exists(Globally(TRUE)), body, span=span)
        return Property(name, "ctl", body, fair=fair, span=span)

    def _linear(self, body: Formula) -> Formula:
        assumed: list[Formula] = [Globally(Finally(f)) for f in self.fairness.conditions]
        for often, then in self.fairness.compassion:
            assumed.append(Implies(Globally(Finally(often)), Globally(Finally(then))))
        if not self.shape.total:
            assumed.append(Globally(negation(Deadlock())))
        if assumed:
            body = Implies(both(*assumed), body)
        if self.shape.chooses:
            body = Next(body)
            if self.shape.may_be_empty:
                body = Or((Deadlock(), body))
        return body

    # --- formulas ---------------------------------------------------------------------------------

    def _condition(self, formula: Expression, instance: Instance, logic: Logic) -> Formula:
        evaluator = self.flat.evaluator
        evaluator.logic, evaluator.inputs = logic, False
        try:
            value = evaluator.value(formula, instance)
            self.flat.failures.check(value.failures)
            return evaluator.operators.condition(value)
        finally:
            evaluator.logic, evaluator.inputs = "none", True

    def _number(self, formula: Expression, instance: Instance) -> IntExpr:
        evaluator = self.flat.evaluator
        evaluator.logic, evaluator.inputs = "states", False
        value = deterministic(evaluator.value(formula, instance))
        self.flat.failures.check(value.failures)
        return stored(collapsed(value.tree), lambda name: self.flat.types[name].kind == "boolean")


def kind_of(formula: Expression) -> PropertyKind:
    """CTL where there are its operators, LTL where there are those, else an invariant."""
    operators = {n.operator for n in nodes(formula) if isinstance(n, Apply)}
    if operators & _CTL:
        return "ctl"
    return "ltl" if operators & _LTL else "invariant"


@dataclass(frozen=True, slots=True)
class FormulaText:
    """A formula on its own, perhaps behind its kind, as `reachable: x = 1`."""

    kind: PropertyKind | None
    formula: Expression
    text: str
    span: Span


def read_formula(source: Source, text: str) -> FormulaText:
    """The formula that a text is."""
    tokens = tokens_of(source, text)
    span = tokens.span(0, max(0, len(tokens.texts) - 4))
    kind: PropertyKind | None = None
    for word in ("reachable", "invariant", "never", "bounds", "ctl", "ltl"):
        if tokens.next == word and tokens.peek() == ":":
            kind = word
            tokens.at += 2
    first = tokens.at
    formula = SmvExpressions(tokens).expression()
    words = tokens.wording(first, tokens.at)
    tokens.accept(";")
    if tokens.kind() != END:
        raise tokens.expected("an operator or the end of the formula")
    return FormulaText(kind, formula, words, span)
