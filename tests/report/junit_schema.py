"""What the readers of JUnit reports agree on: the elements, their attributes and their children.

The schema of Ant is strict about order and demands much; that of the xUnit plug-in of Jenkins is
strict about attributes. This is what both allow.
"""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, fromstring

SUITE = {
    "id": r"\d+",
    "name": r".+",
    "package": r".*",
    "hostname": r".+",
    "timestamp": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d",
    "tests": r"\d+",
    "failures": r"\d+",
    "errors": r"\d+",
    "time": r"\d+\.\d+",
}
CASE = {"name": r"(?s).*", "classname": r"(?s).*", "time": r"\d+\.\d+"}
OUTCOMES = ("failure", "error", "skipped")


def valid(text: str) -> Element:
    """The report, which is as all readers want it."""
    root = fromstring(text.encode())
    assert (root.tag, root.attrib) == ("testsuites", {})
    for number, suite in enumerate(root):
        assert suite.tag == "testsuite"
        assert suite.get("id") == str(number)
        _attributes(suite, SUITE, {"skipped": r"\d+"})
        properties, *cases, out, err = suite
        assert [e.tag for e in (properties, out, err)] == ["properties", "system-out", "system-err"]
        for entry in properties:
            assert entry.tag == "property"
            _attributes(entry, {"name": r"(?s).+", "value": r"(?s).*"}, {})
        for case in cases:
            _case(case)
        found = [o.tag for case in cases for o in case]
        counts = {"failures": "failure", "errors": "error", "skipped": "skipped"}
        assert suite.get("tests") == str(len(cases))
        assert {k: suite.get(k) for k in counts} == {
            k: str(found.count(tag)) for k, tag in counts.items()
        }
    return root


def _case(case: Element) -> None:
    assert case.tag == "testcase"
    _attributes(case, CASE, {})
    assert len(case) <= 1
    for outcome in case:
        assert outcome.tag in OUTCOMES
        _attributes(outcome, {"type": r".+"}, {"message": r"(?s).*"})


def _attributes(element: Element, needed: dict[str, str], allowed: dict[str, str]) -> None:
    assert set(needed) <= set(element.attrib) <= set(needed) | set(allowed)
    for name, value in element.attrib.items():
        assert re.fullmatch((needed | allowed)[name], value), (element.tag, name, value)
