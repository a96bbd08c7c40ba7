"""The whole system as one: what is assigned to whom by which process, and all constraints.

The assignments of the next value belong to the process whose module makes them, everything else is
in force whoever makes the step.
"""

from __future__ import annotations

from collections.abc import Mapping

from plait.errors import Span, error
from plait.lang.smv.declarations import AssignText
from plait.lang.smv.evaluate import RUNNING, Evaluator, after, before, is_after
from plait.lang.smv.expressions import Expression
from plait.lang.smv.failures import Failures
from plait.lang.smv.instances import Instance, System, Variable
from plait.lang.smv.steps import reads
from plait.lang.smv.types import Type, integer
from plait.lang.smv.values import Value
from plait.model.expr import Formula, Var
from plait.model.node import nodes
from plait.records import dataclass


@dataclass(frozen=True, slots=True)
class Assigned:
    """A value that is assigned, and where."""

    value: Value
    span: Span


class Flat:
    """The assignments and constraints of all instances, in terms of the variables of the whole.

    Initial and current values are in the tense of the state after a step: the initial states are
    what a first step leads to.
    """

    def __init__(self, system: System) -> None:
        self.system = system
        self.evaluator = Evaluator(system)
        self.types = _types(system)
        self.failures = Failures(self.types, self.evaluator.names)
        self.initial: dict[str, Assigned] = {}
        self.current: dict[str, Assigned] = {}
        self.next: dict[int, dict[str, Assigned]] = {i: {} for i in range(len(system.processes))}
        """By the number of the process."""
        self.init: list[Formula] = []
        self.invar: list[Formula] = []
        self.trans: list[Formula] = []
        self.fairness: list[Formula] = []
        self.compassion: list[tuple[Formula, Formula]] = []
        for instance in system.instances:
            for text in instance.texts:
                for assign in text.assigns:
                    self._assign(instance, assign)
        self._check_twice()
        check_circles({**self.initial, **self.current})
        for assigned in self.next.values():
            check_circles({**self.current, **assigned})
        for instance in system.instances:
            for text in instance.texts:
                for constraint in text.constraints:
                    self._constrain(instance, constraint.kind, constraint.conditions)

    @property
    def moving(self) -> set[str]:
        """The variables that some process assigns a next value."""
        return {name for assigned in self.next.values() for name in assigned}

    # --- assignments ------------------------------------------------------------------------------

    def _assign(self, instance: Instance, text: AssignText) -> None:
        variable = self.system.resolve(instance, text.target)
        if not isinstance(variable, Variable):
            raise error("only a variable can be assigned", text.target.span)
        name = variable.name
        if variable.section == "IVAR":
            raise error(f"'{name}' is an input, and cannot be assigned", text.span)
        if variable.section == "FROZENVAR" and text.kind != "init":
            raise error(f"'{name}' is frozen: only its initial value can be assigned", text.span)
        match text.kind:
            case "init":
                table = self.initial
            case "next":
                table = self.next[self.system.processes.index(instance.process)]
            case _:
                table = self.current
        if name in table:
            first = table[name].span.line
            raise error(f"'{name}' is assigned twice, first in line {first}", text.span)
        self.evaluator.inputs = text.kind == "next"
        value = self.evaluator.value(text.value, instance, "now" if text.kind == "next" else "next")
        self.evaluator.inputs = True
        if variable.type.kind == "boolean":
            value = self.evaluator.operators.boolean(value)
        elif value.type.kind == "boolean":
            raise error(f"'{name}' is no Boolean, and a condition is assigned", text.span)
        elif (value.type.kind == "word") != (variable.type.kind == "word"):
            raise error(f"'{name}' is of another type than what is assigned", text.span)
        elif (value.type.bits, value.type.signed) != (variable.type.bits, variable.type.signed):
            raise error(f"'{name}' is a word of another type than what is assigned", text.span)
        self.evaluator.operators.check_beside_symbols([variable.type, value.type], text.span)
        self.failures.check(value.failures)
        self.failures.check_assignment(name, variable.type, value.tree, value.type, text.span)
        table[name] = Assigned(value, text.span)

    def _check_twice(self) -> None:
        """A variable with a current value has no other one."""
        for name, current in self.current.items():
            for table in (self.initial, *self.next.values()):
                if name in table:
                    message = f"'{name}' has a current value, assigned in line {current.span.line}"
                    raise error(f"{message}, and no other", table[name].span)

    # --- constraints ------------------------------------------------------------------------------

    def _constrain(self, instance: Instance, kind: str, conditions: tuple[Expression, ...]) -> None:
        stepwise = kind == "TRANS"
        evaluator = self.evaluator
        fair = kind in ("FAIRNESS", "JUSTICE", "COMPASSION")
        evaluator.inputs = stepwise or fair
        found = []
        for condition in conditions:
            tense = "now" if stepwise or fair else "next"
            value = evaluator.value(condition, instance, tense)  # type: ignore[arg-type]
            self.failures.check(value.failures)
            found.append(evaluator.operators.condition(value))
            if fair:
                self._check_fair(found[-1], condition.span)
        evaluator.inputs = True
        match kind:
            case "INIT":
                self.init += found
            case "INVAR":
                self.invar += found
            case "TRANS":
                self.trans += found
            case "COMPASSION":
                self.compassion.append((found[0], found[1]))
            case _:
                self.fairness += found

    def _check_fair(self, condition: Formula, span: Span | None) -> None:
        """Refuse `next`: fairness is about a state, its inputs and who runs there."""
        if any(isinstance(node, Var) and is_after(node.name) for node in nodes(condition)):
            raise error("'next' cannot stand here", span)


def check_circles(assigned: Mapping[str, Assigned]) -> None:
    """Raise a located error when a value after a step depends on itself."""
    needs = {
        after(name): [other for other in sorted(reads(a.value.tree)) if is_after(other)]
        for name, a in assigned.items()
    }
    done: set[str] = set()
    for name, a in assigned.items():
        path = [after(name)]
        waiting = [iter(needs[after(name)])]
        while waiting:
            other = next(waiting[-1], None)
            if other is None:
                waiting.pop()
                done.add(path.pop())
            elif other in path:
                circle = [*path[path.index(other) :], other]
                shown = " -> ".join(before(n) for n in circle)
                raise error(f"this value depends on itself: {shown}", a.span)
            elif other in needs and other not in done:
                path.append(other)
                waiting.append(iter(needs[other]))


def _types(system: System) -> dict[str, Type]:
    """The types of all variables, of their values after a step, and of the inputs."""
    found: dict[str, Type] = {RUNNING: integer(0, len(system.processes) - 1)}
    for name, variable in system.variables.items():
        found[name] = found[after(name)] = variable.type
    return found
