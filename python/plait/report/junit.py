"""Answers as a JUnit report: a test suite for each model, a test case for each property.

There is no standard, only readers: the schema of Ant, which demands attributes that nobody reads,
and that of the xUnit plug-in of Jenkins, which refuses the whole file for an attribute that it does
not know. What is written here is valid for both. Neither knows properties of a test case, so that
the values of bounds are properties of the suite.

Whatever a model calls its properties and events, the document is well-formed: what is no printable
character is shown as it is on a terminal, escaped.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence

from plait import __version__
from plait.errors import printable
from plait.hints import Literal
from plait.report.answer import Answer
from plait.report.checked import Checked
from plait.report.text import finding_lines, summary_lines, verdict_text

Unknown = Literal["error", "skipped"]
UNKNOWN: tuple[Unknown, ...] = ("error", "skipped")
"""What becomes of a property about which nothing is known."""
READING = "reading the model"
"""The name of the test case that fails where nothing could be asked."""


def junit(runs: Sequence[Checked], unknown: Unknown = "error") -> str:
    """The report, as a text in XML."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>"]
    for number, run in enumerate(runs):
        lines += _suite(run, number, unknown)
    lines.append("</testsuites>")
    return "\n".join(lines) + "\n"


def _suite(run: Checked, number: int, unknown: Unknown) -> Iterator[str]:
    verdicts = [a.verdict for a in run.answers]
    stopped = int(run.problem is not None)
    skipped = verdicts.count("unknown") if unknown == "skipped" else 0
    name = " ".join([run.model or "model", *(f"{n}={v}" for n, v in run.values)])
    facts = {
        "id": number,
        "name": name,
        "package": "plait",
        "hostname": "localhost",  # demanded, but nobody's business
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime()),
        "tests": len(verdicts) + stopped,
        "failures": verdicts.count("false"),
        "errors": verdicts.count("unknown") - skipped + stopped,
        "skipped": skipped,
        "time": _seconds(max((a.seconds for a in run.answers), default=0.0)),
    }
    yield f"  <testsuite{_attributes(facts)}>"
    yield "    <properties>"
    for key, value in _properties(run):
        yield f"      <property{_attributes({'name': key, 'value': value})}/>"
    yield "    </properties>"
    if run.problem is not None:
        case = {"name": READING, "classname": name, "time": _seconds(0.0)}
        yield from _case(case, "error", "input", run.problem.splitlines())
    for a in run.answers:
        yield from _answer(a, name, unknown)
    yield f"    <system-out>{_content(summary_lines(run.answers, run.view))}</system-out>"
    yield "    <system-err></system-err>"
    yield "  </testsuite>"


def _properties(run: Checked) -> Iterator[tuple[str, str]]:
    yield "plait", __version__
    yield "model", run.file
    for name, value in run.values:
        yield name, str(value)
    for a in run.answers:
        if a.property.kind == "bounds" and a.verdict != "unknown":
            yield f"bounds {a.property.name}", verdict_text(a)


def _answer(a: Answer, suite: str, unknown: Unknown) -> Iterator[str]:
    case = {"name": a.property.name, "classname": suite, "time": _seconds(a.seconds)}
    if a.verdict == "true":
        yield f"    <testcase{_attributes(case)}/>"
    elif a.verdict == "false":
        yield from _case(case, "failure", a.property.kind, finding_lines(a))
    else:
        yield from _case(case, unknown, "unknown", finding_lines(a))


def _case(
    case: Mapping[str, object], element: str, kind: str, lines: Sequence[str]
) -> Iterator[str]:
    yield f"    <testcase{_attributes(case)}>"
    told = _attributes({"type": kind, "message": lines[0] if lines else kind})
    yield f"      <{element}{told}>{_content(lines)}</{element}>"
    yield "    </testcase>"


def _seconds(amount: float) -> str:
    return f"{amount:.3f}"


def _attributes(values: Mapping[str, object]) -> str:
    return "".join(f' {name}="{_escaped(str(value))}"' for name, value in values.items())


def _content(lines: Iterable[str]) -> str:
    return "\n".join(map(_escaped, lines))


def _escaped(text: str) -> str:
    """A text of one line, for an attribute or for content."""
    text = printable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;")


__all__ = ["READING", "UNKNOWN", "Unknown", "junit"]
