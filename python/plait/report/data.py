"""Answers as data: the versioned JSON document that every other rendering is made from.

The schemas are in `plait/report/schema/`; a change that could break a reader raises `SCHEMA`.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait import __version__
from plait.hints import TYPE_CHECKING, Any
from plait.model.types import Property
from plait.report.answer import Answer, Magnitude, StateSpace, Step, Witness
from plait.report.numbers import decimal

if TYPE_CHECKING:
    from plait.report.checked import Checked
    from plait.report.view import StateView

SCHEMA = 1


def check_document(model: str, answers: Sequence[Answer]) -> dict[str, Any]:
    """The document of `plait check`."""
    return {
        "schema": SCHEMA,
        "model": model,
        "plait": __version__,
        "results": [result_document(a) for a in answers],
    }


def witness_document(model: str, runs: Sequence[Checked]) -> dict[str, Any]:
    """The document of `plait check --witness`: the traces alone, of one run or of several."""
    from plait.report.identity import identity

    return {
        "schema": SCHEMA,
        "model": model,
        "plait": __version__,
        "witnesses": [
            {
                "name": a.property.name,
                "verdict": a.verdict,
                "id": identity(a),
                **({"values": dict(run.values)} if len(runs) > 1 else {}),
                **path_document(a.witness),
            }
            for run in runs
            for a in run.answers
            if a.witness is not None
        ],
    }


def states_document(model: str, space: StateSpace) -> dict[str, Any]:
    """The document of `plait states`; counts are decimal strings, since they can be of any size."""
    return {
        "schema": SCHEMA,
        "model": model,
        "plait": __version__,
        "complete": space.complete,
        "reason": space.reason,
        "states": None if space.states is None else decimal(space.states),
        "magnitude": _magnitude(space.magnitude),
        "arcs": None if space.arcs is None else decimal(space.arcs),
        "deadlocks": None if space.deadlocks is None else decimal(space.deadlocks),
        "max_value": space.max_value,
        "max_sum": space.max_sum,
        "engine": space.engine,
        "seconds": round(space.seconds, 6),
        "peak_memory_bytes": space.peak_memory_bytes,
        "stats": space.stats,
        "notes": list(space.notes),
    }


def _magnitude(magnitude: Magnitude | None) -> dict[str, float] | None:
    """The decimal logarithm of a number that is too long, as mantissa and power of ten."""
    if magnitude is None:
        return None
    return {"mantissa": magnitude.mantissa, "exponent": magnitude.exponent}


def formula_text(p: Property, view: StateView | None = None) -> str:
    """The question in the words of who asked it, else as we would write it.

    With a `view` values are shown by their names, for people.
    """
    from plait.model.expr import Formula
    from plait.model.text import show  # who counts states shows no formula

    if p.body is None:
        return "deadlock"
    if p.text or view is None or not isinstance(p.body, Formula):
        return p.text or show(p.body)
    return show(view.with_names(p.body))


def result_document(a: Answer) -> dict[str, Any]:
    """What is said about one property."""
    found: dict[str, Any] = {
        "name": a.property.name,
        "formula": formula_text(a.property),
        "kind": a.property.kind,
        "verdict": a.verdict,
        "value": a.value,
        "engine": a.engine,
        "reason": a.reason,
        "seconds": round(a.seconds, 6),
        "peak_memory_bytes": a.peak_memory_bytes,
        "stats": a.stats,
        "witness": None if a.witness is None else path_document(a.witness),
        "replayed": a.replayed,
        "explanation": list(a.explanation),
        "notes": list(a.notes),
    }
    if a.witness is not None:
        from plait.report.identity import identity  # text output has none

        found["id"] = identity(a)
    return found


def path_document(w: Witness) -> dict[str, Any]:
    """A path with its branches."""
    from plait.model.text import show

    states = w.states
    document: dict[str, Any] = {
        "initial": {} if w.view is None else w.view.values(w.initial),
        "steps": [_step(w, s, states[i]) for i, s in enumerate(w.steps)],
        "loop": w.loop,
    }
    if w.shows is not None:
        document["shows"] = show(w.shows)
    if w.refutes is not None:
        document["refutes"] = show(w.refutes)
    if w.branches:
        document["branches"] = [{"at": b.at, **path_document(b.witness)} for b in w.branches]
    return document


def _step(w: Witness, step: Step, before: tuple[int, ...]) -> dict[str, Any]:
    changes = {}
    if w.view is not None:
        changes = w.view.values(step.state, w.view.changed(before, step.state))
    return {
        "event": step.event,
        "process": step.process,
        "place": None if step.span is None else str(step.span),
        "changes": changes,
    }
