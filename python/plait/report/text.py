"""Answers as text for a person: one line a property, then a readable trace where there is one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plait.hints import TYPE_CHECKING
from plait.report.numbers import grouped, size

if TYPE_CHECKING:
    from plait.model.types import Property
    from plait.report.answer import Answer, StateSpace, Witness
    from plait.report.view import StateView

VERDICTS = {"true": "holds", "false": "violated", "unknown": "unknown"}
FORMULA_WIDTH = 56
REASONS = {
    "timeout": "out of time",
    "memory": "out of memory",
    "states": "limit of states reached",
    "depth": "more states lie beyond the depth",
    "interrupted": "interrupted",
    "cache": "the stack is deeper than the cache has room for",
}


def check_lines(
    answers: Sequence[Answer],
    *,
    full: bool = False,
    quiet: bool = False,
    view: StateView | None = None,
    seconds: float | None = None,
) -> list[str]:
    """Everything `plait check` prints about the answers; with a `view`, values by their names.

    `seconds` is what all of them took together.
    """
    lines = list(_table(answers, view))
    if not quiet:
        shown: list[Answer] = []
        for a in answers:
            if a.witness is not None:
                same = next((b for b in shown if b.witness == a.witness), None)
                lines += ["", *(_evidence(a, full) if same is None else _as_shown(a, same))]
                shown.append(a)
        if told := notes(answers):
            lines += ["", *told]
    lines += ["", _summary(answers, seconds)]
    return lines


def summary_lines(answers: Sequence[Answer], view: StateView | None = None) -> list[str]:
    """The answers in a line each, and the notes, without traces and figures."""
    return [*_table(answers, view), *notes(answers)]


def finding_lines(a: Answer, *, full: bool = False) -> list[str]:
    """What is found about one property: its trace and why it decides, where there is one."""
    if a.witness is not None:
        return _evidence(a, full)
    return [headline(a), *("  " + line for line in a.explanation)]


def states_lines(space: StateSpace) -> list[str]:
    """Everything `plait states` prints."""
    about = "" if space.complete else "at least "
    rows = []
    if space.magnitude is not None:
        rows.append(("states", f"about {space.magnitude}"))
    if space.states is not None:
        rows.append(("states", about + grouped(space.states)))
    if space.arcs is not None:
        rows.append(("arcs", about + grouped(space.arcs)))
    if space.deadlocks is not None:
        rows.append(("deadlocks", about + grouped(space.deadlocks)))
    if space.max_value is not None:
        rows.append(("greatest value", about + grouped(space.max_value)))
    if space.max_sum is not None:
        rows.append(("greatest sum", about + grouped(space.max_sum)))
    if "depth" in space.stats:
        rows.append(("depth", str(space.stats["depth"])))
    rows.append(("engine", _engine_text(space)))
    if "peak_nodes" in space.stats:
        nodes = f"{space.stats['final_nodes']:,} (at most {space.stats['peak_nodes']:,})"
        rows.append(("nodes", nodes))
    rows.append(("time", f"{space.seconds:.2f} s"))
    rows.append(("memory", size(space.peak_memory_bytes)))
    lines = [f"{name:<15} {value}" for name, value in rows]
    lines += [f"note: {note}" for note in space.notes]
    if not space.complete:
        lines.append(f"incomplete: {reason_text(space.reason)}")
    elif space.reason is not None:
        lines.append(f"some figures are missing: {reason_text(space.reason)}")
    return lines


def reason_text(reason: str | None) -> str:
    """A reason in words."""
    return REASONS.get(reason or "", reason or "no reason given")


def _engine_text(space: StateSpace) -> str:
    stats = space.stats
    if "bits_per_state" in stats:
        return f"{space.engine}, {stats['bits_per_state']} bits a state"
    if "order" in stats:
        return f"{space.engine}, {stats['strategy']}, order {stats['order']}"
    return space.engine


def _table(answers: Sequence[Answer], view: StateView | None) -> Iterator[str]:
    if not answers:
        return
    names = max(len(a.property.name) for a in answers)
    texts = [_question(a, view) for a in answers]
    width = min(FORMULA_WIDTH, max(map(len, texts)))
    for a, text in zip(answers, texts, strict=True):
        yield f"{a.property.name:<{names}}  {text:<{width}}  {verdict_text(a)}".rstrip()


def notes(answers: Sequence[Answer]) -> list[str]:
    """What the user should know besides, each once."""
    return [f"note: {note}" for note in dict.fromkeys(note for a in answers for note in a.notes)]


def question_text(p: Property, view: StateView | None = None) -> str:
    """What a property asks, with its kind where the formula does not show it."""
    if p.kind == "deadlock":
        return "no deadlock"
    if p.asks:
        return p.asks
    from plait.report.data import formula_text  # counts need none

    text = formula_text(p, view)
    return text if p.kind in ("ctl", "ltl") else f"{p.kind} {text}"


def _question(a: Answer, view: StateView | None) -> str:
    text = question_text(a.property, view)
    return text if len(text) <= FORMULA_WIDTH else text[: FORMULA_WIDTH - 1] + "…"


def verdict_text(a: Answer) -> str:
    """An answer in a word or a number."""
    if a.verdict == "unknown":
        return f"unknown ({reason_text(a.reason)})"
    if a.property.kind == "bounds":
        if a.value is None:
            return "no value"
        least = a.stats.get("min")
        return f"up to {a.value}" if least is None else f"{least}..{a.value}"
    if a.property.kind == "reachable":
        return "reachable" if a.verdict == "true" else "not reachable"
    return VERDICTS[a.verdict]


def _evidence(a: Answer, full: bool) -> list[str]:
    from plait.report.trace import render_tree  # counts need none

    assert a.witness is not None
    lines = [headline(a)]
    lines += ["  " + line for line in render_tree(a.witness, full=full)]
    lines += ["  " + line for line in a.explanation]
    return lines


def _as_shown(a: Answer, before: Answer) -> list[str]:
    """What is found about a property whose trace was shown for another one before."""
    lines = [f"{a.property.name} {_word(a)}: the same trace as for {before.property.name}"]
    if a.explanation != before.explanation:
        lines += ["  " + line for line in a.explanation]
    return lines


def headline(a: Answer) -> str:
    """What is found about one property, in a line."""
    name = a.property.name
    if a.witness is None:
        if a.verdict == "unknown":
            return f"{name} is unknown: {reason_text(a.reason)}"
        return f"{name} {_word(a)}: {question_text(a.property)}"
    steps, paths = len(a.witness.steps), _paths(a.witness)
    count = f"{steps} step{'s' if steps != 1 else ''}"
    if paths > 1:
        count += f" with {paths - 1} branch{'es' if paths > 2 else ''}"
    at_once = not steps and paths == 1
    where = "in the initial state" if at_once else f"after {count}"
    what = {
        "deadlock": f"the system deadlocks {where}",
        "reachable": f"reached {where}",
    }.get(a.property.kind)
    if what is None:
        kind = "run" if a.witness.loop is not None else "trace"
        what = where if at_once else f"a {kind} of {count}"
    return f"{name} {_word(a)}: {what}{', replayed on the model' if a.replayed else ''}"


def _paths(witness: Witness) -> int:
    """How many paths a witness has."""
    stack, found = [witness], 0
    while stack:
        path = stack.pop()
        found += 1
        stack += [b.witness for b in path.branches]
    return found


def _word(a: Answer) -> str:
    return VERDICTS[a.verdict] if a.verdict == "true" else "is violated"


def _summary(answers: Sequence[Answer], seconds: float | None) -> str:
    count = {v: sum(a.verdict == v for a in answers) for v in VERDICTS}
    parts = [f"{count['true']} hold"] if count["true"] != 1 else ["1 holds"]
    if count["false"]:
        parts.append(f"{count['false']} violated")
    if count["unknown"]:
        parts.append(f"{count['unknown']} unknown")
    largest = max((s for a in answers if isinstance(s := a.stats.get("states"), int)), default=None)
    tail = [] if largest is None else [f"{grouped(largest)} state{'s' if largest != 1 else ''}"]
    if answers:
        known = [a for a in answers if a.verdict != "unknown"]
        tail.append(" and ".join(dict.fromkeys(a.engine for a in known or answers)))
        took = max(a.seconds for a in answers) if seconds is None else seconds
        tail.append(f"{took:.2f} s")
        tail.append(size(max(a.peak_memory_bytes for a in answers)))
    return f"{', '.join(parts)}  ({', '.join(tail)})"
