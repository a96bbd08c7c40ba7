"""A conjunction, conjunct by conjunct: what one of them sees need not be seen for another.

`f && g` is violated by the violations of `f` and by those of `g`, and `G (f && g)` is `G f && G g`.
Under partial-order reduction it pays to look for them apart: an event that changes the conditions
of `f` alone is invisible for `g`, and each search is reduced as far as its own conjunct allows
(Peled, *All from one, one for all*, CAV 1993, for dependencies among visible events).
"""

from __future__ import annotations

from collections.abc import Iterator

from plait.logic.formula import Globally, NeverClaim
from plait.logic.nnf import nnf
from plait.model.expr import And, Formula
from plait.model.types import Property
from plait.records import dataclass, field, replace
from plait.report.answer import Answer

MOST_PARTS = 16
"""A conjunction with more conjuncts is one question."""
SUMMED = ("product_states", "product_arcs", "expansions", "letters", "reduced_states")


def conjuncts(p: Property) -> tuple[Property, ...]:
    """Properties that all hold exactly when an LTL property does; itself when it has no parts."""
    if not isinstance(p.body, Formula) or isinstance(p.body, NeverClaim):
        return (p,)
    found: list[Formula] = []
    for part in _parts(nnf(p.body)):
        found.append(part)
        if len(found) > MOST_PARTS:
            return (p,)
    if len(found) < 2:
        return (p,)
    return tuple(replace(p, body=body) for body in found)


def _parts(root: Formula) -> Iterator[Formula]:
    stack = [root]
    while stack:
        match stack.pop():
            case And(operands=operands):
                stack.extend(reversed(operands))
            case Globally(operand=And(operands=operands)):
                stack.extend(Globally(f) for f in reversed(operands))
            case other:
                yield other


@dataclass(slots=True)
class Combined:
    """The answers to the conjuncts of a property, until they give one to the property."""

    property: Property
    count: int
    answers: list[Answer] = field(default_factory=list)
    done: bool = False

    def add(self, answer: Answer) -> Answer | None:
        """One more; the answer to the whole as soon as it is known."""
        self.answers.append(answer)
        if self.done or (answer.verdict != "false" and len(self.answers) < self.count):
            return None
        self.done = True
        unknown = [a for a in self.answers if a.verdict == "unknown"]
        whole = answer if answer.verdict == "false" or not unknown else unknown[0]
        if self.count == 1:
            return answer
        notes = tuple(dict.fromkeys(note for a in self.answers for note in a.notes))
        return replace(
            whole,
            property=self.property,
            seconds=sum(a.seconds for a in self.answers),
            stats=self._stats(whole),
            notes=(*notes, f"each of {self.count} conjuncts is checked by itself"),
        )

    def _stats(self, whole: Answer) -> dict[str, object]:
        stats: dict[str, object] = {**whole.stats, "conjuncts": self.count}
        for name in SUMMED:
            if name in stats:
                values = [a.stats.get(name, 0) for a in self.answers]
                stats[name] = sum(v for v in values if isinstance(v, int))
        return stats
