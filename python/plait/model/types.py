"""The semantic object: component types, instances, events, properties.

Every input language is translated to a `Model`; every engine starts from one. It is an
instantiable transition system: a type has states, and for each label a relation between them;
types are composed by synchronising labels. Nothing is flattened here: hierarchy, processes,
channels and guard conjuncts stay visible for the passes and engines that live on them.

All of it is immutable, and equality ignores source spans and comments.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import cache

from plait.errors import Diagnostic, InputError, Span, error
from plait.hints import TYPE_CHECKING, Literal, Protocol
from plait.records import dataclass, field, replace

if TYPE_CHECKING:
    from plait.model.expr import Formula, IntExpr
    from plait.model.net import Net
    from plait.model.plain import Plain
    from plait.model.stmt import Body

PropertyKind = Literal[
    "reachable", "invariant", "never", "deadlock", "bounds", "ctl", "ltl", "atom"
]
PLAIN_PARTS = ("variables", "events", "units")
"""What is made of a net in native form when it is looked at (`ElementaryType`)."""
ELAPSE = "elapse"
"""The one label of the main type that the environment may call: a step of time."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """Base of everything that has a name and a place."""

    name: str
    span: Span | None = field(default=None, compare=False, repr=False, kw_only=True)
    comment: str | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Constant(Declaration):
    """`$name = value`; may be overridden by an instance or, for a global one, by the user."""

    value: int


@dataclass(frozen=True, slots=True)
class Range(Declaration):
    """`typedef name = low .. high`, both included; used by parameters and loops."""

    low: IntExpr
    high: IntExpr


@dataclass(frozen=True, slots=True)
class Domain:
    """An inclusive interval of values: a promise of the modeller.

    Assigning outside it is an error of the model, found when it is executed (`ModelError`). Where
    the interval ends with the 32-bit integers, as for the places of a net, it is a limit of ours
    instead, and the answer is `unknown`.
    """

    low: int
    high: int
    guessed: bool = field(default=False, compare=False, repr=False)
    """The interval is a guess of ours: leaving it is a `NoRoomError`."""


Words = tuple[tuple[int, str], ...]
"""Values with their names."""


@dataclass(frozen=True, slots=True)
class Variable(Declaration):
    """An integer variable, or with `size` a fixed-size array; without initial values all are 0."""

    initial: tuple[IntExpr, ...] = ()
    size: IntExpr | None = None
    domain: Domain | None = None
    hotbit: str | None = None
    """The range over which a one-hot encoding was asked for; no effect on the semantics."""
    words: Words = field(default=(), compare=False, repr=False)
    """Values that have a name, by which traces show them."""
    ghost: bool = False
    """Only properties look at it: it is no part of the state where none does."""
    hidden: bool = field(default=False, compare=False, repr=False)
    """The text has no such variable: traces and explanations leave it out."""
    nested: tuple[tuple[str, int | None], ...] = field(default=(), compare=False, repr=False)
    """Of a field of an array of structures the names on the way to it, each with the size where it
    is an array: a person knows the cells of `s.x` as `s[0].x`, `s[1].x`, ..."""


@dataclass(frozen=True, slots=True)
class Channel(Declaration):
    """A bounded queue of messages with the same fields; with `size` an array of such queues.

    Capacity 0 is a rendezvous: nothing is stored, a send and a receive happen together.
    """

    capacity: int
    fields: tuple[Domain | None, ...]
    size: IntExpr | None = None
    words: tuple[Words, ...] = field(default=(), compare=False, repr=False)
    """Of each field the values that have a name; none where there is nothing to say."""


@dataclass(frozen=True, slots=True)
class Process(Declaration):
    """A thread of control inside an elementary type: its events name it, `pc` is its location."""

    pc: str | None = None
    locations: tuple[str, ...] = ()
    program: str = ""
    """The program text that several processes may share, a `proctype`."""
    ends: tuple[int, ...] = ()
    """The locations at which it may stay for ever: there it waits for nothing."""
    by_lines: bool = False
    """Its events and locations are named after the lines of its program: who is shown the statement
    need not be told them. At location 0 it does not exist."""


@dataclass(frozen=True, slots=True)
class Parameter(Declaration):
    """A parameter of an event: one copy of the event for each value of the range."""

    range: str


@dataclass(frozen=True, slots=True)
class Label:
    """What an event answers to; with arguments it is one label for each tuple of values."""

    name: str
    arguments: tuple[IntExpr, ...] = ()


@dataclass(frozen=True, slots=True)
class QueueUse:
    """An event touches the slots of a lowered queue only by one send, or only by one receive.

    Said by the pass that lowers queues; reductions rely on it.
    """

    queue: str
    sends: bool
    slots: tuple[str, ...]
    """The variables that hold the messages."""


@dataclass(frozen=True, slots=True)
class Event(Declaration):
    """A guarded atomic action of a component (GAL's transition, a composite's synchronisation).

    Without a label it is executed freely; with one only when it is called. The guard is the
    conjunction of its parts; in composites and sets it speaks of parameters only.
    """

    guard: tuple[Formula, ...] = ()
    body: Body = ()
    parameters: tuple[Parameter, ...] = ()
    label: Label | None = None
    process: str | None = None
    display: str = field(default="", compare=False)
    """How traces call it, once a pass has renamed it; see `Event.title`."""
    origin: tuple[str, ...] = field(default=(), compare=False)
    """The titles of the events of the model that it is made of, where its own is another."""
    queues: tuple[QueueUse, ...] = field(default=(), compare=False)
    idle: bool = field(default=False, compare=False)
    """It is possible only where no event without this mark is: a `timeout`."""
    last: bool = field(default=False, compare=False)
    """Nothing is possible after it, whatever else has happened (`plait.passes.last_events`)."""
    inert: bool = field(default=False, compare=False)
    """Nobody but a property can tell whether it has happened (`plait.passes.inert_events`)."""

    @property
    def title(self) -> str:
        """The name under which traces and properties know this event."""
        return self.display or self.name

    @property
    def sources(self) -> tuple[str, ...]:
        """The titles of the events of the model that are executed when this one is."""
        return self.origin or (self.title,)


@cache
def names_of(title: str) -> frozenset[str]:
    """The names by which a property may mean the event with this title.

    The arguments may be left out; a rendezvous is meant by either of its halves.
    """
    halves = {title, *title.split(" & ")}
    shorter = {half[:i] for half in halves for i, letter in enumerate(half) if letter == "("}
    return frozenset(halves | shorter)


@dataclass(frozen=True, slots=True)
class Predicate(Declaration):
    """A named condition, usable in formulas."""

    condition: Formula


@dataclass(frozen=True, slots=True)
class Unit(Declaration):
    """A NUPN unit: local places of which at most one is marked, and sub-units."""

    places: tuple[str, ...] = ()
    units: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Units:
    """Hierarchy information shipped with a net; `safe` is the file's claim, not a proved fact."""

    root: str
    units: tuple[Unit, ...]
    safe: bool = False

    def of(self, places: Collection[str]) -> Units:
        """The same units with these places only."""
        kept = (replace(u, places=tuple(p for p in u.places if p in places)) for u in self.units)
        return replace(self, units=tuple(kept))


@dataclass(frozen=True, slots=True)
class Folded(Declaration):
    """A place or transition of a coloured net: the variables or events that it became.

    A place is the sum of its variables (of all cells, where they are arrays); a transition is
    enabled when one of its events is.
    """

    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Folding:
    """What the net was before its colours were unfolded; property files speak of that."""

    places: tuple[Folded, ...]
    events: tuple[Folded, ...]


@dataclass(frozen=True, slots=True)
class ComponentType(Declaration):
    """Base of the three kinds of type."""

    constants: tuple[Constant, ...] = ()
    ranges: tuple[Range, ...] = ()
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class ElementaryType(ComponentType):
    """Variables and events: a GAL.

    States in which `transient` holds are never observed: whenever an event of this type (of any
    label) leads to one, it is replaced by its successors under the unlabelled events, until none is
    left. A cycle of transient states, and a transient initial state, are errors of the model.

    A large net that was read natively is first of all `plain`; its variables, events and units are
    made when somebody looks at them.
    """

    variables: tuple[Variable, ...] = ()
    channels: tuple[Channel, ...] = ()
    processes: tuple[Process, ...] = ()
    predicates: tuple[Predicate, ...] = ()
    transient: Formula | None = None
    units: Units | None = None
    folding: Folding | None = field(default=None, compare=False)
    plain: Plain | None = field(init=False)
    """The net that this type is, in native form, where it comes from there."""
    net: Net | None = field(init=False)
    """The net that this type was found to be, alone in a model (`plait.model.net`)."""

    @property
    def event_count(self) -> int:
        """How many events there are; those of a plain net are counted without being made."""
        return len(self.events) if self.plain is None else len(self.plain.titles)

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            # Reached when a slot is empty: `plain` of all other types, the parts of a plain one.
            if name in ("plain", "net"):
                return None
            if name in PLAIN_PARTS:
                plain = self.plain
                if plain is not None:
                    object.__setattr__(self, name, getattr(plain, name)())
                    return getattr(self, name)
            raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")


@dataclass(frozen=True, slots=True)
class Instance(Declaration):
    """A part of a composite; with `size` an array of parts. `bindings` override constants."""

    type: str
    size: IntExpr | None = None
    bindings: tuple[tuple[str, int], ...] = ()
    type_arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TypeParameter(Declaration):
    """A template parameter of a composite: any type with the labels of these interfaces."""

    extends: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CompositeType(ComponentType):
    """Instances that move alone by their unlabelled events and together by synchronisations."""

    instances: tuple[Instance, ...] = ()
    type_parameters: tuple[TypeParameter, ...] = ()


@dataclass(frozen=True, slots=True)
class SetType(ComponentType):
    """`size` instances of one type: a scalar set, or with `circular` a ring."""

    element: Instance = field(kw_only=True)
    circular: bool = False


@dataclass(frozen=True, slots=True)
class Interface(Declaration):
    """Labels (name and arity) that a template argument must offer."""

    labels: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Property(Declaration):
    """A named question. `bounds` has an integer body, `deadlock` has none, the others a formula.

    `deadlock` asks that no deadlock be reachable.
    """

    kind: PropertyKind
    body: Formula | IntExpr | None = None
    optional: bool = field(default=False, compare=False)
    """Asked only when it is named."""
    text: str = field(default="", compare=False, repr=False)
    """The words in which it was asked, where there are any: reports keep the names used there."""
    fair: tuple[Formula, ...] = ()
    """CTL: only paths on which each of these conditions holds again and again count."""
    asks: str = field(default="", compare=False, repr=False)
    """What it asks, for people, where nobody wrote its formula."""
    refused: str = ""
    """Why nobody can answer it: a construct of its language that has no meaning here."""
    unnumbered: bool = field(default=False, compare=False)
    """It speaks of all processes of a program alike, whatever their numbers (`Event.inert`)."""


class FormulaReader(Protocol):
    """Reads formulas about a model in the words of its language."""

    def read(self, text: str, name: str, source: str, kind: PropertyKind | None) -> Property:
        """The property that a text states; a located `InputError` when it states none."""


@dataclass(frozen=True, slots=True)
class Model:
    """A closed system: types, which of them is the system, and what is asked of it."""

    name: str
    types: tuple[ComponentType, ...]
    main: str
    constants: tuple[Constant, ...] = ()
    ranges: tuple[Range, ...] = ()
    interfaces: tuple[Interface, ...] = ()
    properties: tuple[Property, ...] = ()
    begins: str | None = None
    """The variable that is 0 in the initial state only, which merely chooses a state to begin in:
    that state is not counted."""
    faultless: bool = field(default=False, compare=False)
    """Every value that it computes is defined and one that its variable may have, as its reader has
    made sure."""
    formulas: FormulaReader | None = field(default=None, compare=False, repr=False)
    """Reads formulas in the words of the model's own language, where it has some."""
    larger: Callable[[], Model] | None = field(default=None, compare=False, repr=False)
    """The same with more room, where it was guessed how much is needed; see `plait.model.room`."""
    reread: Callable[[dict[str, int]], Model] | None = field(
        default=None, compare=False, repr=False
    )
    """The same text with other constants, where nothing is left of them once it is read."""
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)
    """What its reader found doubtful."""

    def type(self, name: str) -> ComponentType:
        """The component type of that name."""
        for t in self.types:
            if t.name == name:
                return t
        raise error(f"no type named '{name}'")

    @property
    def system(self) -> ComponentType:
        """The main type."""
        return self.type(self.main)

    def property(self, name: str) -> Property:
        """The property of that name."""
        for p in self.properties:
            if p.name == name:
                return p
        raise error(f"no property named '{name}'")

    def with_constants(self, values: dict[str, int]) -> Model:
        """The model with global constants (else constants of the main type) overridden by name."""
        if self.reread is not None:
            return self.reread(values)
        left = dict(values)

        def override(constants: tuple[Constant, ...]) -> Iterator[Constant]:
            for c in constants:
                yield replace(c, value=left.pop(c.name)) if c.name in left else c

        constants = tuple(override(self.constants))
        system = self.system
        changed = replace(system, constants=tuple(override(system.constants)))
        if left:
            known = [c.name for c in (*self.constants, *system.constants)]
            raise no_parameter(next(iter(left)), known)
        types = tuple(changed if t is system else t for t in self.types)
        return replace(self, constants=constants, types=types)


def no_parameter(name: str, known: Collection[str]) -> InputError:
    """The error where a value is given for what is no parameter of the model."""
    hint = f"there are: {', '.join(known)}" if known else "there are none"
    return error(f"the model has no parameter '{name}'", hint=hint)
