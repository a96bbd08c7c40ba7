"""Random models: closed, valid, small, and full of the features that engines get wrong.

`model(Seeded(7))` is always the same model; `model(choices, mix)` takes any source of choices and a
`Mix` that says what models are made of. The state spaces are meant to have between one and a few
thousand states; a model may still be larger, or go wrong when it is executed (a fixpoint that
oscillates, a value outside its domain): the comparison knows both.
"""

from __future__ import annotations

from plait.model.expr import Const, Hop
from plait.model.shape import Shape, shape_of
from plait.model.types import (
    ComponentType,
    Constant,
    ElementaryType,
    Label,
    Model,
    Range,
)
from plait.records import replace
from plait.testing.choices import Choices
from plait.testing.mix import DEFAULT, Mix
from plait.testing.random_channels import channel_system
from plait.testing.random_composites import Written, component_set, composite, written
from plait.testing.random_elementary import (
    RangeInfo,
    draft,
    elementary,
    new_range,
)
from plait.testing.random_expressions import Named, Place
from plait.testing.random_formulas import Formulas, Observed
from plait.testing.random_nets import net


def model(choices: Choices, mix: Mix = DEFAULT, name: str = "random") -> Model:
    """A random model with its properties."""
    kind = choices.weighted(mix.kinds)
    frame = _Frame(choices, mix)
    if kind == "gal":
        main = frame.alone()
    elif kind == "channels":
        main = frame.add(channel_system(choices, mix, "talk", []))
    elif kind == "net":
        main = frame.add(net(choices, "net"))
    else:
        main = frame.hierarchy(kind == "set")
    looked_at = Observed(main.places, main.titles, main.queues)
    properties = Formulas(choices, looked_at).properties(mix.properties, mix.temporal)
    return Model(
        name,
        tuple(frame.types),
        main.type.name,
        tuple(frame.constants),
        tuple(frame.ranges),
        properties=properties,
    )


def observed(made: Model) -> Observed:
    """What properties of any model may look at: its cells that are variables, with small values."""
    places: list[Place] = []
    stack: list[tuple[Shape, tuple[Hop, ...]]] = [(shape_of(made), ())]
    while stack:
        shape, path = stack.pop()
        for name, slot in shape.variables.items():
            if slot.size != 0:
                places.append(Place(name, 0, 3, slot.size, path))
        for part in shape.parts:
            hop = Hop(part.name, None if part.index is None else Const(part.index))
            stack.append((part.shape, (*path, hop)))
    titles = tuple(e.name for e in made.system.events if e.label is None)
    return Observed(tuple(places), titles)


class _Frame:
    """The global declarations and the types written so far."""

    def __init__(self, choices: Choices, mix: Mix) -> None:
        self.choices = choices
        self.mix = mix
        self.types: list[ComponentType] = []
        self.constants: list[Constant] = []
        self.ranges: list[Range] = []
        self.named: list[Named] = []
        self.known: list[RangeInfo] = []

    def add(self, made: Written) -> Written:
        """Keep a type."""
        self.types.append(made.type)
        return made

    def declare(self) -> None:
        """Global constants and ranges."""
        c = self.choices
        if c.chance(self.mix.constants):
            value = c.integer(1, 3)
            self.constants.append(Constant("N", value))
            self.named.append(Named("N", value, value, constant=True))
        if c.chance(self.mix.parameters + 20):
            self.ranges.append(new_range(c, "ids", self.named, self.known))

    def alone(self) -> Written:
        """One elementary type."""
        self.declare()
        made = self.add(self._elementary("Main", self.mix.cells, 0))
        if self.choices.chance(self.mix.elapse):
            self.types[-1] = _with_elapse(self.choices, self.types[-1])
        return replace(made, type=self.types[-1])

    def _elementary(self, name: str, cells: int, labels: int) -> Written:
        sheet = draft(self.choices, self.mix, self.named, self.known)
        return written(elementary(sheet, name, cells, labels), sheet)

    def hierarchy(self, as_set: bool) -> Written:
        """Elementary types in composites in composites, or in sets."""
        c = self.choices
        self.declare()
        small = replace(self.mix, events=4, transient=self.mix.transient // 2)
        available: list[Written] = []
        for i in range(c.integer(1, 2)):
            sheet = draft(c, small, self.named, self.known)
            made = elementary(sheet, f"Part{i}", 2, c.integer(1, 2))
            available.append(self.add(written(made, sheet)))
        if c.chance(35):
            inner = self._compose("Inner", available, cells=4, labels=c.integer(0, 2), ring=as_set)
            available.append(self.add(inner))
        return self.add(self._compose("Main", available, cells=7, labels=0, ring=as_set))

    def _compose(
        self, name: str, available: list[Written], *, cells: int, labels: int, ring: bool
    ) -> Written:
        c = self.choices
        if ring and (name == "Main" or c.chance(50)):
            element = c.pick(available)
            return component_set(c, self.mix, name, element, cells=cells, labels=labels)
        return composite(
            c,
            self.mix,
            name,
            available,
            shared=self.named,
            ranges=self.known,
            cells=cells,
            labels=labels,
        )


def _with_elapse(c: Choices, type_: ComponentType) -> ComponentType:
    """The type with one of its free events made a step of time."""
    assert isinstance(type_, ElementaryType)
    free = [i for i, e in enumerate(type_.events) if e.label is None and not e.parameters]
    if not free:
        return type_
    events = list(type_.events)
    at = c.pick(free)
    events[at] = replace(events[at], label=Label("elapse"))
    return replace(type_, events=tuple(events))
