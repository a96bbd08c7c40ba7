"""Sets of reachable states and what leads to and from them: the values of `logic.set_queries`.

The operators of the past are those of the future on reversed arcs. So E[f Ubar g] has the states to
which a path inside f leads from g; and EGbar f those at which an endless path inside f ends, or one
that begins in a state without predecessors, which is a deadlock of the reversed graph. A operators
are duals of E operators in both directions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from plait.engines.budget import Budget, Listener
from plait.engines.symbolic.ctl import States
from plait.engines.symbolic.regions import Region, Regions, within_limits
from plait.engines.symbolic.tuning import Tuning
from plait.errors import error
from plait.logic.parse import parse_formula
from plait.logic.set_queries import Operation, Query
from plait.model.expr import Formula
from plait.model.shape import State
from plait.model.types import Model, Property
from plait.records import dataclass


@dataclass(frozen=True, slots=True)
class Value:
    """The value of a query: a set by its number of states, a number, or a truth value.

    `members` are the states that `printset` lists, of the original model.
    """

    query: Query
    value: int | bool
    is_set: bool = False
    members: tuple[State, ...] | None = None


def evaluate(
    model: Model,
    queries: Sequence[Query],
    budget: Budget,
    *,
    tuning: Tuning | None = None,
    listen: Listener | None = None,
    infinite: bool = False,
    most: int = 20,
) -> list[Value]:
    """The values of queries about a model, in order.

    With `infinite`, paths that end in a deadlock do not count, nor those that begin in a state
    without predecessors. `printset` lists at most so many states.
    """
    conditions: dict[str, Formula] = {}
    for op in (op for q in queries for op in q.operations if op.kind == "condition"):
        if op.text not in conditions:
            conditions[op.text] = _condition(model, op)
    asked = [Property(f"condition {i}", "reachable", f) for i, f in enumerate(conditions.values())]
    regions = Regions(model, asked, budget=budget, tuning=tuning, listen=listen)
    where = {text: regions.where(i).states for i, text in enumerate(conditions)}
    sets = within_limits(lambda: StateSets(regions, where, maximal=not infinite))
    return within_limits(lambda: [value_of(sets, q, most) for q in queries])


def _condition(model: Model, op: Operation) -> Formula:
    body = parse_formula(op.text, model, source="<condition>", kind="reachable").body
    if not isinstance(body, Formula):
        raise error("a condition was expected", op.span)
    return body


def value_of(sets: StateSets, query: Query, most: int) -> Value:
    """The value of a query; `printset` lists at most so many states."""
    *before, last = query.operations
    stack: list[States] = []
    for op in before:
        sets.apply(op, stack)
    core = sets.core
    if last.text == "card" and last.kind == "function":
        return Value(query, core.count(stack.pop()))
    if last.text == "printset" and last.kind == "function":
        listed = Region(sets.owner, stack.pop())
        return Value(query, bool(listed), members=tuple(sorted(listed.some(most))))
    if last.text in ("includes", "equal", "neq") and last.kind == "function":
        b, a = stack.pop(), stack.pop()
        same = a == b
        contained = not core.difference(b, a)
        return Value(query, {"includes": contained, "equal": same, "neq": not same}[last.text])
    sets.apply(last, stack)
    states = stack.pop()
    if query.name is not None:
        sets.named[query.name] = states
    return Value(query, core.count(states), is_set=True)


class StateSets:
    """Functions of sets of reachable states."""

    def __init__(
        self, owner: Regions, conditions: Mapping[str, States], *, maximal: bool = True
    ) -> None:
        """`conditions` has the states where conditions hold, by their texts.

        If paths are `maximal`, one that cannot go on counts, forward and backward.
        """
        self.owner, self.conditions, self.maximal = owner, conditions, maximal
        self.core, self.all = owner.core, owner.all.states
        self.nothing = self.core.difference(self.all, self.all)
        self.named: dict[str, States] = {
            "reachable": self.all,
            "nostates": self.nothing,
            "initialstate": self.core.initial(),
        }

    def apply(self, op: Operation, stack: list[States]) -> None:
        """Put an operand on the stack, or a function of what is there in its place."""
        if op.kind == "condition":
            stack.append(self.conditions[op.text])
        elif op.kind == "name":
            stack.append(self.named[op.text])
        elif op.text in self.binary:
            b, a = stack.pop(), stack.pop()
            stack.append(self.binary[op.text](a, b))
        else:
            stack.append(self.unary[op.text](stack.pop()))

    def complement(self, p: States) -> States:
        """What is reachable and not in a set."""
        return self.core.difference(self.all, p)

    def until(self, p: States, q: States, past: bool = False) -> States:
        """E[p U q]."""
        return self.core.eventually(p, q, forward=past)

    def always(self, p: States, past: bool = False) -> States:
        """EG p."""
        core = self.core
        if not past:
            return core.invariantly(p, self.nothing, maximal=self.maximal)
        endless = core.with_endless_past(p)
        if not self.maximal:
            return endless
        sources = self.complement(core.successors(self.all))
        return core.union(endless, core.eventually(p, core.intersection(p, sources), forward=True))

    def all_until(self, p: States, q: States, past: bool = False) -> States:
        """A[p U q]: no path avoids q until p fails too, and none avoids it for ever."""
        not_q = self.complement(q)
        fails = self.until(not_q, self.core.intersection(not_q, self.complement(p)), past)
        return self.complement(self.core.union(fails, self.always(not_q, past)))

    def _dual(self, some: Callable[[States], States]) -> Callable[[States], States]:
        """What holds on all paths where the other does not hold on some."""
        return lambda p: self.complement(some(self.complement(p)))

    @property
    def unary(self) -> dict[str, Callable[[States], States]]:
        """The functions of one set."""
        core, every = self.core, self.all
        found: dict[str, Callable[[States], States]] = {"complement": self.complement}
        for past, bar in ((False, ""), (True, "bar")):
            step = core.successors if past else core.predecessors

            def ef(p: States, past: bool = past) -> States:
                return self.until(every, p, past)

            def eg(p: States, past: bool = past) -> States:
                return self.always(p, past)

            for name, some, dual in (("X", step, step), ("F", ef, eg), ("G", eg, ef)):
                found[f"E{name}{bar}"] = some
                found[f"A{name}{bar}"] = self._dual(dual)
        return found | {
            "prev": found["EX"],
            "next": found["EXbar"],
            "backward": found["EF"],
            "forward": found["EFbar"],
            "addprev": lambda p: core.union(p, core.predecessors(p)),
            "addnext": lambda p: core.union(p, core.successors(p)),
        }

    @property
    def binary(self) -> dict[str, Callable[[States, States], States]]:
        """The functions of two sets."""
        core = self.core
        return {
            "union": core.union,
            "intersection": core.intersection,
            "difference": core.difference,
            "EU": self.until,
            "EUbar": lambda p, q: self.until(p, q, past=True),
            "AU": self.all_until,
            "AUbar": lambda p, q: self.all_until(p, q, past=True),
        }


__all__ = ["StateSets", "Value", "evaluate", "value_of"]
