"""What a program asks of a net: numbers of states and arcs, and sets of states.

A set is kept as the operations that make it (`plait.logic.set_queries`); it is computed when its
size, its members or a comparison is asked for, on diagrams of the net with the levels of its
partition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plait.engines import states
from plait.engines.budget import Budget
from plait.engines.symbolic.regions import Regions, within_limits
from plait.engines.symbolic.state_sets import StateSets, value_of
from plait.engines.symbolic.state_sets import Value as SetValue
from plait.errors import LimitReached, Span, error
from plait.lang.smart.options import Options
from plait.lang.smart.spn import NetBody
from plait.lang.smart.values import StateSet, Value, type_of
from plait.logic.set_queries import ARITY, CONSTANTS, ENDS, Operation, Query
from plait.model.expr import Formula, Truth
from plait.model.shape import shape_of
from plait.model.types import Property
from plait.model.validate import check
from plait.records import replace
from plait.report.answer import StateSpace
from plait.report.numbers import decimal

_NOWHERE: Span | None = None
_PRESENT = {"initial": "initialstate"}
_PAST = {"Y": "Xbar", "P": "Fbar", "H": "Gbar", "S": "Ubar"}
ALIASES = {**_PRESENT, **{path + old: path + new for path in "EA" for old, new in _PAST.items()}}
"""Names of version 3: `EY` (yesterday) is `EXbar`, `EP` (past), `EH` (history) and `ES` (since)."""
NAMES = (*ARITY, *CONSTANTS, "potential", *ALIASES)
"""The functions of sets of states."""


class Measures:
    """The measures of one net."""

    def __init__(
        self, body: NetBody, options: Options, budget: Budget, write: Callable[[str], None]
    ) -> None:
        self._model = body.model()
        check(self._model)
        self._options = options
        self._budget = budget
        self._write = write
        self._order = body.order if body.levels else None
        self._conditions: dict[str, Formula] = {}
        self._sets: StateSets | None = None
        self._space: StateSpace | None = None

    def count(self, name: str, show: bool, span: Span | None) -> int:
        """`num_states` and `num_arcs`; with `show` the states are listed, too."""
        if self._space is None:
            engine, tuning = self._options.search
            if self._order is not None and engine == "symbolic":
                tuning = replace(tuning, order=self._order)
            self._space = states(self._model, engine=engine, tuning=tuning, budget=self._budget)
        space = self._space
        found = space.states if name == "num_states" else space.arcs
        if not space.complete or found is None:
            raise LimitReached(space.reason or "memory")
        if show:
            self.set_function("printset", [self._set((_operation("name", "reachable"),))], span)
        return found

    def set_function(self, name: str, given: list[Value], span: Span | None) -> Value:
        """A function of sets of states."""
        name = ALIASES.get(name, name)
        if name in CONSTANTS and not given:
            return self._set((_operation("name", name),))
        if name == "potential":
            if len(given) != 1 or not isinstance(given[0], bool | Formula):
                raise error("potential has a condition", span)
            condition = Truth(given[0]) if isinstance(given[0], bool) else given[0]
            text = f"condition {len(self._conditions)}"
            for known, formula in self._conditions.items():
                if formula == condition:
                    text = known
            if text not in self._conditions:
                self._conditions[text] = condition
                self._sets = None
            return self._set((_operation("condition", text),))
        sets = [v for v in given if isinstance(v, StateSet)]
        if any(s.net is not self for s in sets):
            raise error("these are sets of states of different nets", span)
        if name not in ARITY or len(sets) != len(given) or len(sets) != ARITY[name]:
            types = ", ".join(type_of(v) for v in given)
            raise error(f"there is no '{name}' for ({types})", span)
        operations = tuple(op for s in sets for op in s.operations)
        query = Query(name, (*operations, _operation("function", name)))
        if name not in ENDS:
            return self._set(query.operations)
        found = self._ended(query)
        for state in found.members or ():
            self._write("{ " + " ".join(self._marked(state)) + " }\n")
        return found.value

    def shown(self, of: StateSet) -> str:
        """The members of a set, as many as `MaxPrintedItems` says."""
        query = Query("printset", (*of.operations, _operation("function", "printset")))
        members = self._ended(query).members or ()
        rest = ["..."] if len(members) < self._ended(_card(of)).value else []
        return "{" + ", ".join([f"[{', '.join(self._marked(m))}]" for m in members] + rest) + "}"

    def _set(self, operations: tuple[Operation, ...]) -> StateSet:
        return StateSet(operations, self)

    def _marked(self, state: Sequence[int]) -> list[str]:
        """The places of a marking that have tokens, with how many."""
        places = zip(shape_of(self._model).cells(), state, strict=True)
        safe = self._options.safe
        return [n if safe and v == 1 else f"{n}:{decimal(v)}" for n, v in places if v]

    def _ended(self, query: Query) -> SetValue:
        def answer() -> SetValue:
            if self._sets is None:
                asked = [Property(t, "reachable", f) for t, f in self._conditions.items()]
                _, tuning = self._options.search
                if self._order is not None:
                    tuning = replace(tuning, order=self._order)
                regions = Regions(self._model, asked, budget=self._budget, tuning=tuning)
                where = {text: regions.where(i).states for i, text in enumerate(self._conditions)}
                self._sets = StateSets(regions, where)
            return value_of(self._sets, query, self._options.most)

        return within_limits(answer)


def _card(of: StateSet) -> Query:
    return Query("card", (*of.operations, _operation("function", "card")))


def _operation(kind: str, text: str) -> Operation:
    return Operation(kind, text, _NOWHERE)  # type: ignore[arg-type]


__all__ = ["NAMES", "Measures"]
