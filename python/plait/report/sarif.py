"""Answers as SARIF 2.1.0: what a code host shows as alerts, beside the lines that they are about.

A rule is a kind of property, so that its identifier is the same for all models and for ever. A
result is a property that is violated, or `open` where nothing is known; what holds is no result.
Its trace is a code flow with a thread flow for each process; a rendezvous stands in both, with the
same number. The branches of a CTL counterexample are code flows of their own.

The fingerprint is the identity of the counterexample (`plait.report.identity`). It stands there
twice: the second name is the only one that GitHub looks at. Nothing that differs from run to run is
written, so that two documents are the same when the findings are.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from plait import __version__
from plait.errors import Span, printable
from plait.hints import Any
from plait.report.answer import Answer, Step, Witness
from plait.report.checked import Checked
from plait.report.data import formula_text
from plait.report.identity import identity
from plait.report.text import headline
from plait.report.trace import closing, path_title, title

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
BASE = "%SRCROOT%"
RULES = {
    "deadlock": "The system can deadlock.",
    "invariant": "An invariant is violated.",
    "never": "What should never be the case can be.",
    "reachable": "What should be reachable is not.",
    "ctl": "A property in branching time is violated.",
    "ltl": "A property in linear time is violated.",
    "bounds": "The values of an expression are not known.",
}
"""The kinds of property, and what a result of each says."""


def sarif(runs: Sequence[Checked]) -> dict[str, Any]:
    """The document."""
    several = len(runs) > 1
    problems = [_notification(run) for run in runs if run.problem is not None]
    rules = [
        {"id": _rule(kind), "name": kind, "shortDescription": {"text": text}}
        for kind, text in RULES.items()
    ]
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "plait", "version": __version__, "rules": rules}},
                "automationDetails": {"id": _category(runs)},
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {
                    BASE: {"description": _message(["the folder in which plait was started"])}
                },
                "invocations": [
                    {
                        "executionSuccessful": not problems,
                        "toolExecutionNotifications": problems,
                    }
                ],
                "results": [
                    _result(run, a, several)
                    for run in runs
                    for a in run.answers
                    if a.verdict != "true"
                ],
            }
        ],
    }


def _category(runs: Sequence[Checked]) -> str:
    """What tells the findings of one model from those of another: a host keeps both."""
    values = [f"{n}={v}" for n, v in runs[0].values] if len(runs) == 1 else []
    return "/".join(["plait", _artifact(runs[0].file)["uri"], *values, ""])


def _notification(run: Checked) -> dict[str, Any]:
    return {
        "level": "error",
        "message": _message((run.problem or "").splitlines()),
        "locations": [{"physicalLocation": {"artifactLocation": _artifact(run.file)}}],
    }


def _result(run: Checked, a: Answer, several: bool) -> dict[str, Any]:
    said = headline(a)
    if several:
        said = f"{', '.join(f'{n} = {v}' for n, v in run.values)}: {said}"
    known = a.verdict != "unknown"
    location = _location(a.property.span, run)
    name = printable(a.property.name)
    location["logicalLocations"] = [
        {"name": name, "fullyQualifiedName": f"{printable(run.model)}.{name}"}
    ]
    mark = identity(a)
    result: dict[str, Any] = {
        "ruleId": _rule(a.property.kind),
        "ruleIndex": list(RULES).index(a.property.kind),
        "kind": "fail" if known else "open",
        "level": "error" if known else "none",
        "message": _message([f"{said}.", *a.explanation]),
        "locations": [location],
        "partialFingerprints": {
            "counterexample/v1": mark,
            "primaryLocationLineHash": f"{mark}:1",
        },
        "properties": {
            "formula": printable(formula_text(a.property)),
            "engine": printable(a.engine),
            "replayed": a.replayed,
        },
    }
    if known and a.witness is not None:
        result["codeFlows"] = list(_flows(run, a.witness))
    return result


# --- traces ---------------------------------------------------------------------------------------


def _flows(run: Checked, witness: Witness) -> Iterator[dict[str, Any]]:
    """A code flow for each path of the tree."""
    paths = [(witness, "")]
    for path, head in paths:
        paths += [(b.witness, path_title(b)) for b in path.branches]
        said = [head] if head else []
        if path.loop is not None:
            said.append(closing(path))
        if path is witness or path.steps or path.loop is not None:
            flow: dict[str, Any] = {"threadFlows": list(_lanes(run, path))}
            yield {**flow, "message": _message(said)} if said else flow


def _lanes(run: Checked, path: Witness) -> Iterator[dict[str, Any]]:
    """A thread flow for each process that moves; a system without processes is one thread."""
    lanes: dict[str, list[tuple[int, Step]]] = {}
    for number, step in enumerate(path.steps, start=1):
        for process in (step.process or run.model).split(" & "):
            lanes.setdefault(process, []).append((number, step))
    states = path.states
    places: dict[Span | None, dict[str, Any]] = {}  # events happen again and again
    if not lanes:
        start = {**_location(None, run), "message": _message(["initial state"])}
        yield {"id": run.model, "locations": [{"location": start, "executionOrder": 0}]}
    for process, moves in lanes.items():
        begin: dict[str, Any] = {}
        locations = []
        for number, step in moves:
            before, text = states[number - 1], title(step)
            entry: dict[str, Any] = {
                "executionOrder": number,
                "nestingLevel": int(path.loop is not None and number > path.loop),
            }
            if path.view is not None:
                changed = list(path.view.changed(before, step.state))
                for item in changed:
                    begin.setdefault(printable(item.name), _text(item.text(path.initial)))
                entry["state"] = {printable(i.name): _text(i.text(step.state)) for i in changed}
                changes = ", ".join(path.view.changes(before, step.state))
                text = f"{text}: {changes}" if changes else text
            if step.span not in places:
                places[step.span] = _location(step.span, run)
            location = {**places[step.span], "message": _message([text])}
            locations.append({"location": location, **entry})
        yield {"id": printable(process), "initialState": begin, "locations": locations}


# --- places and texts -----------------------------------------------------------------------------


def _rule(kind: str) -> str:
    return f"plait-{kind}"


def _location(span: Span | None, run: Checked) -> dict[str, Any]:
    """A place in a file; what has none stands where the model begins, since hosts want a line."""
    file, region = run.file, {"startLine": 1}
    if span is not None and os.path.isfile(span.source.name):
        file = span.source.name
        end = span.column + max(1, span.length)
        region = {"startLine": span.line, "startColumn": span.column, "endColumn": end}
    return {"physicalLocation": {"artifactLocation": _artifact(file), "region": region}}


def _artifact(path: str) -> dict[str, str]:
    """Where a file is, seen from the folder in which we are; one outside has its whole path."""
    from urllib.parse import quote

    absolute = os.path.abspath(path)
    below = os.path.relpath(absolute)
    outside = below == os.pardir or below.startswith(os.pardir + os.sep)
    shown = (absolute if outside else below).replace(os.sep, "/")
    try:
        uri = quote(shown, errors="surrogateescape")
    except UnicodeEncodeError:  # half a character, which no file system gives
        uri = quote(shown, errors="replace")
    return {"uri": f"file://{uri}"} if outside else {"uri": uri, "uriBaseId": BASE}


def _message(lines: Sequence[str]) -> dict[str, str]:
    """A message of plain text: braces would be placeholders, and `[x](1)` a link."""
    text = "\n".join(map(printable, lines)).replace("{", "{{").replace("}", "}}")
    return {"text": text.replace("](", "] (")}


def _text(value: str) -> dict[str, str]:
    return _message([value])


__all__ = ["sarif"]
