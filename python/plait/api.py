"""The Python interface: load or build a system, check properties, look at the answers.

>>> import plait
>>> table = plait.load("philosophers.gal", N=4)     # doctest: +SKIP
>>> table.check("AG EF (right[0] == 1)").verdict    # doctest: +SKIP
'false'
>>> table.states().states                           # doctest: +SKIP
34
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from plait import engines, lang
from plait.engines.budget import Budget, Listener
from plait.engines.nets.tokens import doubt_sums
from plait.engines.symbolic.regions import Region, Regions
from plait.engines.symbolic.tuning import Tuning
from plait.engines.vacuity import premises, with_vacuity
from plait.errors import InputError, error, printable
from plait.hints import TYPE_CHECKING
from plait.logic.parse import parse_expression, parse_formula
from plait.model.expr import Formula
from plait.model.findings import did_you_mean
from plait.model.room import ensure_room_for, with_room
from plait.model.shape import Shape, shape_of
from plait.model.types import CompositeType, ElementaryType, Model, Property
from plait.model.validate import check_properties
from plait.reference import Semantics
from plait.report.answer import Answer, Answers, StateSpace, Witness
from plait.report.view import StateView

if TYPE_CHECKING:
    from plait.report.picture import Picture
    from plait.report.state_graph import StateGraph


MOST_NAMES = 20
"""How many names a hint lists."""


class System:
    """A model with the questions that can be asked of it: check, count, draw.

    `plait.load` and `plait.parse` return one; `System(model)` takes a model from a builder. A
    system is immutable, may be shared by threads, and iterates over its properties. Most methods
    take `timeout` in seconds and `memory` in bytes, and `listen`, which is called with the
    progress of the work.
    """

    def __init__(self, model: Model, *, net: bool = False) -> None:
        """With `net`, sums of places are unbounded: one that leaves the integers is unknown."""
        if not isinstance(model, Model):
            hint = "builders make one: system(...), and the method model() of a NetBuilder"
            raise error(f"a System has a Model, not {_kind(model)}", hint=hint)
        self.model = model
        self._net = net

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.model.name

    @property
    def properties(self) -> tuple[Property, ...]:
        """The properties that the model itself declares."""
        return self.model.properties

    @property
    def shape(self) -> Shape:
        """The cells of a state."""
        return shape_of(self.model)

    def check(
        self,
        question: str | Property,
        *,
        engine: str = "auto",
        timeout: float | None = None,
        memory: int | None = None,
        listen: Listener | None = None,
        weak: bool = False,
    ) -> Answer:
        """Check one property: its name, a formula as text, or a `Property`.

        `engine` is one of `"auto"`, `"explicit"`, `"symbolic"`, `"bounded"` and `"reference"`.
        With `weak`, LTL considers only runs that are weakly fair to processes and parts.
        """
        budget = _budget(timeout, memory)
        said = self._said(question)

        def ask(model: Model) -> list[Answer]:
            asked = System(model)._property(said)
            if asked.kind == "atom":
                message = "an atom only names a condition; there is nothing to check"
                raise error(message, asked.span)
            found = engines.check(
                model, [asked], engine=engine, budget=budget, listen=listen, weak=weak
            )
            return self._noted(model, found, engine, budget)

        return with_room(self.model, ask)[0]

    def check_all(
        self,
        *,
        engine: str = "auto",
        timeout: float | None = None,
        memory: int | None = None,
        listen: Listener | None = None,
    ) -> Answers:
        """Check all properties of the model, in order."""
        budget = _budget(timeout, memory)

        def ask(model: Model) -> list[Answer]:
            found = engines.check(model, engine=engine, budget=budget, listen=listen)
            return self._noted(model, found, engine, budget)

        return Answers(with_room(self.model, ask))

    def states(
        self,
        *,
        engine: str = "auto",
        timeout: float | None = None,
        memory: int | None = None,
        listen: Listener | None = None,
        depth: int | None = None,
    ) -> StateSpace:
        """Count the reachable states, or with `depth` those within so many steps."""
        if depth is not None:
            _check_natural("depth", depth)
        budget = _budget(timeout, memory)
        return with_room(
            self.model,
            lambda model: engines.states(
                model, engine=engine, budget=budget, listen=listen, depth=depth
            ),
        )

    def reachable(
        self,
        *,
        start: str | None = None,
        constraint: str | None = None,
        timeout: float | None = None,
        memory: int | None = None,
        listen: Listener | None = None,
    ) -> Region:
        """The reachable states as a set: to count, to list, and to find traces to.

        Exploration begins in the reachable states where the condition `start` holds (by default
        in the initial state), and never leaves the states where `constraint` holds.
        """
        texts = {"start": start, "constraint": constraint}
        asked = {name: text for name, text in texts.items() if text is not None}
        for name, text in asked.items():
            _check_text(f"'{name}'", text)
        conditions = [parse_formula(t, self.model, kind="reachable") for t in asked.values()]
        numbers = {name: i for i, name in enumerate(asked)}
        budget = _budget(timeout, memory)
        regions = Regions(self.model, conditions, budget=budget, listen=listen)
        return regions.explored(**numbers)

    def traces(
        self,
        question: str | Property,
        limit: int,
        *,
        timeout: float | None = None,
        memory: int | None = None,
        listen: Listener | None = None,
    ) -> list[Witness]:
        """At most `limit` different shortest traces that decide a safety property."""
        _check_natural("limit", limit)
        asked = self._property(question)
        budget = _budget(timeout, memory)
        regions = Regions(self.model, [asked], budget=budget, listen=listen)
        return regions.where(0).traces(limit)

    def along(self, witness: Witness | Answer, expression: str) -> list[int | bool | None]:
        """The value of an expression in each state of a trace, without checking again.

        The trace of an answer is that of its witness. A condition gives booleans and any other
        expression integers; None means undefined.
        """
        if isinstance(witness, Answer) and witness.witness is not None:
            witness = witness.witness
        if not isinstance(witness, Witness):
            raise error(f"there is no trace in {_kind(witness)}")
        _check_text("an expression", expression)
        system = self._of_size(len(witness.initial))
        asked = parse_expression(expression, system)
        rules = Semantics(system)
        if isinstance(asked, Formula):
            return [rules.truth(asked, state) for state in witness.states]
        return [rules.value(asked, state) for state in witness.states]

    def _of_size(self, cells: int) -> Model:
        """The model with so much room that its states have so many cells."""
        model = self.model
        while (width := shape_of(model).width) != cells:
            if model.larger is None or width > cells:
                raise error(f"the trace is not one of {model.name}: its states are of another kind")
            model = model.larger()
        return model

    def graph(
        self,
        *,
        limit: int = 300,
        depth: int | None = None,
        around: str | None = None,
        trace: str | Witness | None = None,
        group: Sequence[str] = (),
        show: Sequence[str] = (),
        components: bool = False,
        timeout: float | None = None,
        memory: int | None = None,
    ) -> StateGraph:
        """The reachable states as a graph to look at, or a part of it.

        `limit` is the greatest number of nodes and `depth` the greatest distance. `around` is a
        condition, for the first state where it holds, or the number of a state. `trace` is a
        property, a formula or a witness. States that agree on the variables, arrays, parts or
        processes in `group` are one node. Nodes show the values of those in `show`. With
        `components`, states that lead to each other have one colour.
        """
        from plait.engines.state_graph import Wanted, state_graph

        _check_natural("limit", limit, 1)
        if depth is not None:
            _check_natural("depth", depth)
        wanted = Wanted(limit, depth, around, trace, tuple(group), tuple(show), components)
        budget = _budget(timeout, memory)
        return with_room(self.model, lambda model: state_graph(model, wanted, budget))

    def picture(self) -> Picture:
        """The model as a drawing: a net, the programs of processes, or what events touch."""
        from plait.report.model_picture import model_picture

        return model_picture(self.model)

    def automaton(self, formula: str) -> Picture:
        """The Büchi automaton of the runs that violate an LTL formula, as a drawing."""
        from plait.automata import violating
        from plait.report.automaton_picture import automaton_picture

        asked = self._property(formula)
        if asked.kind == "invariant" and asked not in self.properties:
            asked = self._property(f"ltl: {formula}")
        if asked.kind != "ltl" or not isinstance(asked.body, Formula):
            raise error(f"'{asked.name}' is {asked.kind}, and only LTL has automata", asked.span)
        found = violating(asked.body)
        return automaton_picture(found.automaton, found.conditions, f"violations of {asked.name}")

    def semantics(self) -> Semantics:
        """The reference semantics, to walk through the system state by state."""
        return Semantics(self.model)

    def _noted(
        self, model: Model, found: list[Answer], engine: str, budget: Budget
    ) -> list[Answer]:
        """The answers, with notes on properties that hold vacuously."""
        answers = self._doubted(found)
        if not any(a.verdict == "true" and premises(a.property) for a in answers):
            return answers

        def ask(some: Sequence[Property], limits: Budget) -> list[Answer]:
            tuning = Tuning(witnesses=False)
            return self._doubted(
                engines.check(model, some, engine=engine, budget=limits, tuning=tuning)
            )

        return with_vacuity(answers, budget, ask, StateView(shape_of(model)).with_names)

    def _doubted(self, answers: list[Answer]) -> list[Answer]:
        return doubt_sums(answers) if self._net else answers

    def _property(self, question: str | Property) -> Property:
        """What is asked, known to speak of this model."""
        if isinstance(question, Property):
            check_properties(self.model, [question])
            return question
        _check_text("a question", question)
        ensure_room_for(self.model, question)
        for p in self.properties:
            if p.name == question:
                return p
        try:
            return parse_formula(question, self.model)
        except InputError as wrong:
            hint = self._other_name(question)
            if hint is None:
                raise
            raise error(f"there is no property '{question}'", None, hint) from wrong

    def _other_name(self, question: str) -> str | None:
        """The properties that may have been meant, where a question is a name, not a formula."""
        if not all(c.isalnum() or c in "_ .#-" for c in question):
            return None
        names = [p.name for p in self.properties]
        meant = did_you_mean(question, names)
        if meant or not names or not question.isidentifier() or question in self.shape.variables:
            return meant
        return f"there are: {', '.join(names[:MOST_NAMES])}"

    def _said(self, question: str | Property) -> str | Property:
        """What to ask in any room: properties of the system speak of more where there is more."""
        own = isinstance(question, Property) and any(question is p for p in self.properties)
        return question.name if isinstance(question, Property) and own else question

    def __iter__(self) -> Iterator[Property]:
        return iter(self.properties)

    def __repr__(self) -> str:
        count = len(self.properties)
        return f"<System {self.name}: {count} propert{'y' if count == 1 else 'ies'}>"

    def _repr_html_(self) -> str:
        from plait.report.notebook import system_html
        from plait.report.text import question_text

        asked = ((p.name, question_text(p)) for p in self.properties if p.kind != "atom")
        return system_html(self.name, self._facts(), asked, self._small_picture())

    def _facts(self) -> list[str]:
        """What the model has, in numbers."""
        system = self.model.system
        if isinstance(system, ElementaryType) and system.plain is not None:
            counts = {"places": len(system.plain.names), "events": len(system.plain.titles)}
        elif isinstance(system, ElementaryType):
            counts = {"variables": len(system.variables), "channels": len(system.channels)}
            counts |= {"processes": len(system.processes), "events": len(system.events)}
        else:
            parts = len(system.instances) if isinstance(system, CompositeType) else 0
            counts = {"parts": parts, "events": len(system.events)}
        return [f"{name}: {count}" for name, count in counts.items() if count]

    def _small_picture(self) -> Picture | None:
        """How the model looks, unless it is large."""
        from plait.report.model_picture import model_picture_of
        from plait.report.notebook import SMALL

        system = self.model.system
        plain = system.plain if isinstance(system, ElementaryType) else None
        large = len(system.events if plain is None else plain.titles) > SMALL
        return None if large else model_picture_of(self.model)


def load(path: str | Path, **constants: int) -> System:
    """Read a model from a file; its language follows from the ending of the file.

    Keyword arguments override parameters of the model: `load("philosophers.gal", N=5)`. A file
    that is wrong raises `InputError`.
    """
    if not isinstance(path, str | os.PathLike):
        raise error(f"the name of a file is a text or a Path, not {_kind(path)}")
    model = _with(lang.load(path), constants)
    return System(model, net=lang.language_of(Path(path)) in lang.NETS)


def parse(text: str, name: str = "model", language: str = "gal", **constants: int) -> System:
    """Read a model from a text in a `language`: `gal`, `promela`, `dve`, `pnml`, ...

    Keyword arguments override parameters of the model. A text that is wrong raises `InputError`.
    """
    _check_text("a model", text)
    model = _with(lang.parse(text, name, language), constants)
    return System(model, net=language in lang.NETS)


def assert_holds(
    system: System,
    question: str | Property,
    *,
    engine: str = "auto",
    timeout: float | None = None,
    memory: int | None = None,
) -> Answer:
    """For tests: check a property, and return the answer if it holds.

    A violated property raises `AssertionError` with the trace, an unknown one `UndecidedError`.
    """
    __tracebackhide__ = True
    answer = system.check(question, engine=engine, timeout=timeout, memory=memory)
    if not answer:
        from plait.report.text import finding_lines

        raise AssertionError("\n".join(map(printable, finding_lines(answer))))
    return answer


def _budget(timeout: float | None, memory: int | None) -> Budget:
    """The limits, if they are numbers of seconds and of bytes."""
    limits = (("timeout", timeout, "seconds"), ("memory", memory, "bytes"))
    for name, value, unit in limits:
        if value is not None and not (isinstance(value, int | float) and value > 0):
            raise error(f"the {name} is not a positive number of {unit}: {value!r}")
    return Budget(timeout, memory)


def _kind(value: object) -> str:
    """What a value is, in a message."""
    return "None" if value is None else f"'{type(value).__name__}'"


def _check_text(what: str, value: object) -> None:
    if not isinstance(value, str):
        raise error(f"{what} is given as text, not as {_kind(value)}")


def _check_natural(name: str, value: int, least: int = 0) -> None:
    if not isinstance(value, int):
        raise error(f"the {name} is not a whole number: {value!r}")
    if value < least:
        raise error(f"the {name} is less than {least}: {value}")


def _with(model: Model, constants: dict[str, int]) -> Model:
    """The model with other values of its parameters, if they make sense."""
    if not constants:
        return model
    from plait.model.validate import check

    for name, value in constants.items():
        if not isinstance(value, int):
            raise error(f"the value of '{name}' is not an integer: {value!r}")
    changed = model.with_constants(constants)
    check(changed)
    return changed
