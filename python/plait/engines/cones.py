"""Properties asked of the part of a model that they depend on, and their traces made whole.

A property of a synchronous system often depends on a few of many variables. It is asked of the
model without the others (`plait.passes.cone`), together with properties that have the same cone, or
nearly the same. A witness is then a path of the smaller model. Its events are executed again on the
original model, so that the variables that were left out get values, and the reference replays it
like every other (`evidence`). A lasso may have to go around several times until these variables,
too, return to their values.

Counting, and asking for a deadlock, uses all variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import log2

from plait.engines.chosen_paths import spoken_of
from plait.engines.evidence import Evidence
from plait.engines.request import Request, Tell
from plait.engines.safety import as_safety
from plait.errors import LimitReached
from plait.hints import TYPE_CHECKING, cast
from plait.model.shape import State
from plait.model.types import Model, Property, Variable
from plait.passes.cone import Dependences, asked_by, dependences
from plait.records import dataclass, replace
from plait.report.answer import Answer, Branch, Step, Witness

if TYPE_CHECKING:
    from plait.reference import Semantics

Ask = Callable[[Model, Sequence[Property], Request, Tell | None], list[Answer]]
"""Asks properties of a model, of all of it."""
WORTHWHILE = 0.6
"""The part of the bits of a state above which a cone is not worth a search of its own."""
ALIKE = 0.6
"""The part of the bits of a cone that a smaller one has to have to be asked together with it."""
MOST_STEPS = 2_000
"""The most steps of a path whose rounds are followed until all variables come back."""


@dataclass(frozen=True, slots=True)
class Part:
    """The variables that some properties depend on, and the numbers of these properties."""

    kept: frozenset[str]
    asked: tuple[int, ...]


def parts_of(found: Dependences, asked: Sequence[Property], request: Request) -> list[Part]:
    """The parts of a model that properties are asked of; none when that is all of it."""
    bits = {v.name: _bits(v) for v in found.system.variables}

    def size(names: Iterable[str]) -> float:
        return sum(bits[name] for name in names)

    everything = frozenset(bits)
    cones: dict[frozenset[str], list[int]] = {}
    for number, p in enumerate(asked):
        kept = everything
        if p.kind != "deadlock" and not p.refused:
            kept = found.kept([*asked_by([p]), *request.fair])
            if size(kept) > WORTHWHILE * size(everything):
                kept = everything
        cones.setdefault(kept, []).append(number)
    joined: dict[frozenset[str], list[int]] = {}
    for kept in sorted(cones, key=size, reverse=True):
        like = (k for k in joined if kept <= k and size(kept) >= ALIKE * size(k))
        joined.setdefault(next(like, kept), []).extend(cones[kept])
    if joined.keys() == {everything}:
        return []
    # The small ones first: what they leave of the time is for the others.
    return [Part(kept, tuple(sorted(joined[kept]))) for kept in sorted(joined, key=size)]


def _bits(variable: Variable) -> float:
    domain = variable.domain
    return 32.0 if domain is None else log2(domain.high - domain.low + 1)


def _may_be_cut(request: Request) -> bool:
    """Whether nothing is asked for that speaks of all variables, or of all states together."""
    tuning, method = request.tuning, request.method
    ordered = tuning is not None and (tuning.order != "auto" or tuning.parts is not None)
    kept = method is not None and method.checkpoint is not None
    return request.engine != "reference" and not (ordered or kept or request.weak)


def check_in_parts(
    model: Model, asked: Sequence[Property], request: Request, ask: Ask, tell: Tell | None
) -> list[Answer] | None:
    """The answers, in order, each of the part of the model that its property depends on.

    None where all of them depend on all of it.
    """
    found = dependences(model) if _may_be_cut(request) else None
    parts = [] if found is None else parts_of(found, asked, request)
    if found is None or not parts:
        return None
    answers: dict[int, Answer] = {}
    for place, part in enumerate(parts):
        properties = [asked[i] for i in part.asked]
        limits = replace(request, budget=request.budget.share(len(parts) - place))
        whole = _Whole(model, found, part)
        if not whole.left_out:
            told = ask(replace(model, faultless=False), properties, limits, tell)
        else:
            told = whole.ask(properties, limits, ask, tell)
        answers |= dict(zip(part.asked, told, strict=True))
    return [answers[i] for i in range(len(asked))]


class _TooLongError(Exception):
    """A path takes too many steps until all variables come back."""


class _Whole:
    """A part of a model, and what paths of it are in the whole."""

    def __init__(self, model: Model, found: Dependences, part: Part) -> None:
        self.model = model
        self.found = found
        self.kept = part.kept
        self.left_out = len(found.system.variables) - len(part.kept)
        self.note = (
            f"{self.left_out} of {len(found.system.variables)} variables were left out: "
            "what is asked does not depend on them"
        )

    def ask(
        self, properties: Sequence[Property], request: Request, ask: Ask, tell: Tell | None
    ) -> list[Answer]:
        """The answers, as the part of the model gives them."""
        smaller = replace(self.found.cut(self.model, self.kept), faultless=False)
        made: dict[int, Answer] = {}

        def whole(answer: Answer) -> Answer:
            if id(answer.property) not in made or made[id(answer.property)].verdict == "unknown":
                made[id(answer.property)] = self._completed(answer)
            return made[id(answer.property)]

        def hear(answer: Answer) -> None:
            if tell is not None:
                tell(whole(answer))

        def noted(answer: Answer) -> Answer:
            done = whole(answer)  # what was noted after it was told is noted, too
            late = (note for note in answer.notes if note not in done.notes)
            return replace(done, notes=(*late, *done.notes))

        return [noted(answer) for answer in ask(smaller, properties, request, hear)]

    def _completed(self, answer: Answer) -> Answer:
        """An answer about the part, with its path one of the whole."""
        noted = replace(answer, notes=(*answer.notes, self.note))
        if answer.witness is None:
            return noted
        from plait.reference import ReplayError

        evidence = Evidence(spoken_of(self.model, answer.property))
        bare = replace(noted, witness=None, replayed=False, explanation=())
        # The path of a safety question in disguise (`G p`) ends where it is decided.
        ends = answer.witness.loop is None
        decided = (as_safety(answer.property) if ends else None) or answer.property
        try:
            witness = _Paths(evidence.semantics, self.kept).completed(answer.witness)
            confirmed = evidence.confirm(replace(bare, property=decided, witness=witness))
            return replace(confirmed, property=answer.property)
        except ReplayError as failure:
            reason = f"internal error: the trace that was found does not replay: {failure}"
            return replace(bare, verdict="unknown", reason=reason)
        except _TooLongError:
            why = "it takes long until all variables repeat, and no path is shown"
        except LimitReached as limit:
            if limit.reason == "interrupted":
                raise
            why = "there was no time for a witness"
        return replace(bare, notes=(*bare.notes, f"{answer.property.name}: {why}"))


class _Paths:
    """Executes the paths of a part of a model on all of it."""

    def __init__(self, semantics: Semantics, kept: frozenset[str]) -> None:
        self.execution = semantics
        # In the order of the declarations, which is that of the cells of the part.
        slots = semantics.shape.variables.items()
        self.cells = [slot.offset for name, slot in slots if name in kept]
        self.steps = 0

    def completed(self, witness: Witness) -> Witness:
        """The path, and what branches off from it, from the initial state on."""
        return self._from(self.execution.initial, witness)

    def _from(self, state: State, path: Witness) -> Witness:
        first, last = path.loop, len(path.steps)
        goes_round = first is not None and first < last
        numbers, states, steps = [0], [state], list[Step]()
        rounds: dict[State, int] = {}
        """Where rounds began, by the state of the whole that they began in."""
        loop = last if first == last else None
        while (at := numbers[-1]) != last:
            if at == first:
                # A run may meet the state once more in the middle of a round.
                loop = rounds.setdefault(states[-1], len(steps))
                if loop < len(steps):
                    break
            steps.append(self._step(states[-1], path.steps[at]))
            states.append(steps[-1].state)
            ends = goes_round and at + 1 == last
            numbers.append(cast(int, first) if ends else at + 1)
        branches = tuple(
            Branch(place, self._from(states[place], branch.witness))
            for place, number in enumerate(numbers)
            for branch in path.branches
            if number == (first if goes_round and branch.at == last else branch.at)
        )
        return replace(
            path, initial=state, steps=tuple(steps), loop=loop, branches=branches, view=None
        )

    def _step(self, before: State, step: Step) -> Step:
        from plait.reference import ReplayError
        from plait.reference.towards import arrival

        self.steps += 1
        if self.steps > MOST_STEPS:
            raise _TooLongError
        wanted = dict(zip(self.cells, step.state, strict=True))
        after = arrival(self.execution, self.execution.event(step.event), before, wanted)
        if after is None:
            raise ReplayError(self.steps, f"'{step.event}' does not lead to the state given")
        return replace(step, state=after)
