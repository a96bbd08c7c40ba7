"""The hierarchical encoding: a diagram for each type, with sets of states of its parts as labels.

ITS specification, sections 5.1 and 5.2. Nothing is flattened: every type is encoded once, whatever
the number of its instances, as an initial state and one homomorphism for each label.

- An elementary type is a small program of its own: one integer variable a cell, events translated
  as those of flat programs are.
- A composite has one set-labelled variable for each part. `call(part, l)` applies what `l` means in
  the type of the part locally, a synchronisation is a composition in the order of execution, a
  label the sum of its events; parts that move alone are local applications, too.

So n nested types of two parts each, which are 2^n components, cost n small encodings, and
saturation goes through them level by level. Which states are deadlocks is decided in the same way,
by selectors of the states in which a *word* of labels can be executed: a synchronisation is
possible where, for every part, the word of labels that it calls there is.

Types are visited in an explicit order, never by recursion: they may be nested 10,000 deep.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from plait import _core, passes
from plait.errors import error
from plait.model.arithmetic import INT_MIN
from plait.model.expr import TRUE
from plait.model.fresh import FreshNames
from plait.model.shape import Shape, evaluate_constant, parts_first, shape_of
from plait.model.stmt import (
    Abort,
    AllCall,
    AnyCall,
    Body,
    Call,
    Fixpoint,
    InstanceCall,
    NextCall,
    Statement,
)
from plait.model.types import ELAPSE, ElementaryType, Event, Label, Model
from plait.passes.grouping import Grouping, group
from plait.passes.walk import statements
from plait.program import Compiled, compile_model
from plait.records import dataclass, field, replace

WORD_LIMIT = 200_000
"""The most ways to execute the words of one model; beyond that deadlocks are not looked for."""
ZERO, IDENTITY = 0, 1
"""The homomorphisms that every manager has."""

Word = tuple[str, ...]
"""Labels that a part is called with, one after the other, in one step."""
_Calls = tuple[tuple[int, str], ...]
"""Which parts are called, and how, in order."""


class UnsupportedError(Exception):
    """The model means something that the hierarchical encoding cannot say; the flat one can."""


@dataclass(slots=True)
class _Encoded:
    """What is known of a type."""

    initial: _core.Diagram
    free: int
    """The moves without label."""
    labels: dict[str, int]
    movable: int | None
    """Selects the states with such a move, if that is known."""
    possible: dict[Word, int | None]
    """Selects the states in which a word can be executed."""


@dataclass(slots=True)
class _Plan:
    """What a composite does, in terms of its parts."""

    free: list[Event]
    labelled: dict[str, list[Event]]
    order: list[str]
    """The labels, those that others call first."""
    numbers: dict[tuple[str, int | None], int]
    """The parts by name and index."""
    ways: dict[str, list[_Calls]] = field(default_factory=dict)
    """All ways to execute a label."""
    free_ways: list[_Calls] = field(default_factory=list)


class Encoding:
    """A model in hierarchical diagrams."""

    def __init__(self, model: Model, grouping: Grouping) -> None:
        lowered = passes.run(model, (passes.instantiate, *passes.LOWERING[1:-1])).model
        self.model = group(lowered, grouping).model
        self.core = _core.Diagrams()
        self.root = shape_of(self.model)
        self.order = parts_first(self.root)
        self.programs: list[tuple[int, Compiled]] = []
        self._statements = 0
        self._ways = WORD_LIMIT
        self._plans: dict[int, _Plan] = {}
        self._words: dict[int, dict[Word, None]] | None = None
        for shape in self.order:
            self._check(shape)
        self._made: dict[int, _Encoded] = {}

    def encode(self) -> None:
        """Encode all types, parts first."""
        for shape in self.order:
            if not isinstance(shape.type, ElementaryType):
                self._plans[id(shape)] = self._plan(shape)
        self._words = self._needed_words()
        for shape in self.order:
            if isinstance(shape.type, ElementaryType):
                made = self._elementary(shape, shape.type)
            else:
                made = self._composite(shape)
            # Bottom up, so that no closure has to close its parts by recursion.
            self.core.fixpoint(self.core.sum([made.free, IDENTITY]))
            self._made[id(shape)] = made

    @property
    def system(self) -> _Encoded:
        """The main type."""
        return self._made[id(self.root)]

    def reachable(self, *, rounds: bool = False) -> _core.Diagram:
        """The reachable states, by saturation or by saturation in rounds."""
        closure = self.core.fixpoint(self.core.sum([self.system.free, IDENTITY]))
        return self.core.apply(closure, self.system.initial, rounds=rounds)

    def _check(self, shape: Shape) -> None:
        for event in shape.type.events:
            inner = any(isinstance(s, Fixpoint) for s in statements(event.body))
            if not isinstance(shape.type, ElementaryType):
                if inner or any(g != TRUE for g in event.guard):
                    raise UnsupportedError("a fixpoint or a condition in a composite")
            elif inner and event.label is not None:
                # It would begin with all states that arrive there, not with each of them alone.
                raise UnsupportedError("a fixpoint in a part")

    # --- elementary types -------------------------------------------------------------------------

    def _elementary(self, shape: Shape, type_: ElementaryType) -> _Encoded:
        words = [] if self._words is None else list(self._words[id(shape)])
        labels = FreshNames(e.label.name for e in type_.events if e.label is not None)
        names = FreshNames(e.name for e in type_.events)
        asked: dict[Word, int] = {}
        events = list(type_.events)
        for word in words:
            if len(word) > 1:
                asked[word] = len(events)
                body = tuple(Call(label) for label in word)
                fresh = Label(labels.fresh("word"))
                events.append(Event(names.fresh("word"), body=body, label=fresh))
        alone = replace(type_, events=tuple(events))
        compiled = compile_model(Model(type_.name, (alone,), type_.name))
        width = shape.width
        found = self.core.events(
            compiled.program, [width - cell for cell in range(width)], self._statements
        )
        self.programs.append((self._statements, compiled))
        self._statements += sum(1 for e in events for _ in statements(e.body)) + 1

        def numbers(label: str | None) -> list[int]:
            return [
                i
                for i, e in enumerate(type_.events)
                if (e.label.name if e.label else None) == label
            ]

        free = numbers(None)
        if shape is self.root:
            free += numbers(ELAPSE)
        of_label = {
            label: numbers(label) for label in {e.label.name for e in type_.events if e.label}
        }
        possible: dict[Word, int | None] = {}
        for word in words:
            wanted = [asked[word]] if word in asked else of_label.get(word[0], [])
            possible[word] = self._enabled([found[i][1] for i in wanted])
        return _Encoded(
            self._cells(shape.initial()),
            self.core.sum([found[i][0] for i in free]),
            {label: self.core.sum([found[i][0] for i in of]) for label, of in of_label.items()},
            self._enabled([found[i][1] for i in free]),
            possible,
        )

    def _cells(self, values: Sequence[int]) -> _core.Diagram:
        """The set of one state; what has no cells gets one that never changes."""
        state = self.core.unit()
        for number, value in enumerate(reversed(values or (INT_MIN,)), 1):
            state = self.core.integer_node(number, [(value, state)])
        return state

    def _enabled(self, blocked: Sequence[int | None]) -> int | None:
        """The states where one of some events has a successor."""
        return self._any_of([None if b is None else self.core.negate(b) for b in blocked])

    def _any_of(self, selectors: Sequence[int | None]) -> int | None:
        """The states that one of the selectors keeps."""
        known = [s for s in selectors if s is not None]
        return self.core.sum(known) if len(known) == len(selectors) else None

    # --- composites -------------------------------------------------------------------------------

    def _plan(self, shape: Shape) -> _Plan:
        free: list[Event] = []
        labelled: dict[str, list[Event]] = {}
        for event in shape.type.events:
            if event.label is None or (event.label.name == ELAPSE and shape is self.root):
                free.append(event)
            if event.label is not None:
                labelled.setdefault(event.label.name, []).append(event)
        numbers = {(p.name, p.index): i for i, p in enumerate(shape.parts)}
        return _Plan(free, labelled, _callees_first(shape, labelled), numbers)

    def _composite(self, shape: Shape) -> _Encoded:
        plan = self._plans[id(shape)]
        core = self.core
        count = len(shape.parts)
        parts = [self._made[id(p.shape)] for p in shape.parts]
        labels: dict[str, int] = {}

        def part(index: int, label: str) -> int:
            return core.local(parts[index].labels.get(label, ZERO), count - index)

        def statement(s: Statement) -> int:
            match s:
                case Call(label=label):
                    return labels.get(label, ZERO)
                case InstanceCall(label=label):
                    return part(_called(plan.numbers, s), label)
                case AnyCall(label=label):
                    return core.sum([part(i, label) for i in range(count)])
                case AllCall(label=label):
                    return core.compose([part(i, label) for i in reversed(range(count))])
                case NextCall(label=label, next_label=other):
                    pairs = [(part(i, label), part((i + 1) % count, other)) for i in range(count)]
                    return core.sum([core.compose([second, first]) for first, second in pairs])
                case Abort():
                    return ZERO
            raise UnsupportedError(type(s).__name__)

        def body(event: Event) -> int:
            return core.compose([statement(s) for s in reversed(event.body)])

        for label in plan.order:
            labels[label] = core.sum([body(e) for e in plan.labelled[label]])
        alone = [core.local(p.free, count - i) for i, p in enumerate(parts)]
        initial = core.unit()
        for number, p in enumerate(reversed(parts), 1):
            initial = core.set_node(number, [(p.initial, initial)])
        return _Encoded(
            initial if parts else self._cells(()),
            core.sum([*alone, *(body(e) for e in plan.free)]),
            labels,
            self._movable(plan, parts),
            self._possible(shape, plan, parts),
        )

    # --- deadlocks --------------------------------------------------------------------------------

    def _needed_words(self) -> dict[int, dict[Word, None]] | None:
        """The words of which each type must know when they are possible; None if too many."""
        needed: dict[int, dict[Word, None]] = {id(s): {} for s in self.order}
        for shape in reversed(self.order):
            if isinstance(shape.type, ElementaryType):
                continue
            plan = self._plans[id(shape)]
            if not self._find_ways(shape, plan):
                return None
            ways = list(plan.free_ways)
            for word in needed[id(shape)]:
                ways.extend(self._ways_of(plan, word))
                if self._ways < 0:
                    return None
            for way in ways:
                for index, word in _by_part(way).items():
                    needed[id(shape.parts[index].shape)][word] = None
        return needed

    def _find_ways(self, shape: Shape, plan: _Plan) -> bool:
        for label in plan.order:
            plan.ways[label] = self._bodies(shape, plan, plan.labelled[label])
        plan.free_ways = self._bodies(shape, plan, plan.free)
        return self._ways >= 0

    def _bodies(self, shape: Shape, plan: _Plan, events: Sequence[Event]) -> list[_Calls]:
        return [way for e in events for way in self._body_ways(shape, plan, e.body)]

    def _body_ways(self, shape: Shape, plan: _Plan, body: Body) -> list[_Calls]:
        """All sequences of calls that a body may be executed as; a few more when it is too much."""
        count = len(shape.parts)
        choices: list[list[_Calls]] = []
        for s in body:
            match s:
                case Call(label=label):
                    choices.append(plan.ways.get(label, []))
                case InstanceCall(label=label):
                    choices.append([((_called(plan.numbers, s), label),)])
                case AnyCall(label=label):
                    choices.append([((i, label),) for i in range(count)])
                case AllCall(label=label):
                    choices.append([tuple((i, label) for i in range(count))])
                case NextCall(label=label, next_label=other):
                    choices.append([((i, label), ((i + 1) % count, other)) for i in range(count)])
                case _:
                    choices.append([])
        return self._sequences(choices)

    def _ways_of(self, plan: _Plan, word: Word) -> list[_Calls]:
        return self._sequences([plan.ways.get(label, []) for label in word])

    def _sequences(self, choices: Sequence[Sequence[_Calls]]) -> list[_Calls]:
        """One of each, in order, in all ways; none at all when there are too many."""
        number = 1
        for choice in choices:
            number *= len(choice)
        lengths = sum(max((len(way) for way in choice), default=0) for choice in choices)
        self._ways -= number * max(1, lengths)
        if self._ways < 0:
            return []
        return [tuple(c for way in one for c in way) for one in product(*choices)]

    def _movable(self, plan: _Plan, parts: Sequence[_Encoded]) -> int | None:
        if self._words is None:
            return None
        count = len(parts)
        alone = [
            None if p.movable is None else self.core.local(p.movable, count - i)
            for i, p in enumerate(parts)
        ]
        together = [self._possible_way(way, parts) for way in plan.free_ways]
        return self._any_of([*alone, *together])

    def _possible(
        self, shape: Shape, plan: _Plan, parts: Sequence[_Encoded]
    ) -> dict[Word, int | None]:
        if self._words is None:
            return {}
        return {
            word: self._any_of([self._possible_way(w, parts) for w in self._ways_of(plan, word)])
            for word in self._words[id(shape)]
        }

    def _possible_way(self, way: _Calls, parts: Sequence[_Encoded]) -> int | None:
        """Parts move independently: a way is possible where each part can do its word."""
        count = len(parts)
        selectors = []
        for index, word in _by_part(way).items():
            selector = parts[index].possible.get(word)
            if selector is None:
                return None
            selectors.append(self.core.local(selector, count - index))
        return self.core.compose(selectors)


def _by_part(way: _Calls) -> dict[int, Word]:
    words: dict[int, list[str]] = {}
    for index, label in way:
        words.setdefault(index, []).append(label)
    return {index: tuple(word) for index, word in words.items()}


def _called(numbers: dict[tuple[str, int | None], int], call: InstanceCall) -> int:
    """The number of the part that is called; its index is a constant after instantiation."""
    hop = call.instance
    index = None if hop.index is None else evaluate_constant(hop.index, {})
    return numbers[hop.name, index]


def _callees_first(shape: Shape, labelled: dict[str, list[Event]]) -> list[str]:
    """The labels of a composite, each after those that its events call."""
    order: dict[str, None] = {}
    for first, events in labelled.items():
        path: dict[str, Iterator[str]] = {first: _self_calls(events)}
        while path:
            label = next(reversed(path))
            inner = next(path[label], None)
            if label in order or inner is None:
                path.popitem()
                order[label] = None
            elif inner in path:
                raise error(f"the label '{inner}' of '{shape.type.name}' calls itself")
            elif inner in labelled and inner not in order:
                path[inner] = _self_calls(labelled[inner])
    return list(order)


def _self_calls(events: Sequence[Event]) -> Iterator[str]:
    return iter([s.label for e in events for s in e.body if isinstance(s, Call)])
