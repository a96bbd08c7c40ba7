"""What SARIF 2.1.0 demands of the parts of it that are used here; no other part may appear."""

from __future__ import annotations

import json
from typing import Any

import jsonschema

Schema = dict[str, Any]


def record(required: str, optional: str = "", **fields: Schema) -> Schema:
    """An object with these fields and no others."""
    assert set(fields) == {*required.split(), *optional.split()}
    return {
        "type": "object",
        "required": required.split(),
        "properties": fields,
        "additionalProperties": False,
    }


def several(items: Schema, least: int = 0) -> Schema:
    return {"type": "array", "items": items, "minItems": least}


def table(values: Schema) -> Schema:
    return {"type": "object", "additionalProperties": values}


TEXT: Schema = {"type": "string"}
URI: Schema = {"type": "string", "pattern": r"^[!#-;=?-Z_a-z~%\[\]]+$"}
TRUTH: Schema = {"type": "boolean"}
NATURAL: Schema = {"type": "integer", "minimum": 0}
POSITIVE: Schema = {"type": "integer", "minimum": 1}
MESSAGE = record("text", text={"type": "string", "minLength": 1})
ARTIFACT = record("uri", "uriBaseId", uri=URI, uriBaseId=TEXT)
REGION = record(
    "startLine",
    "startColumn endColumn",
    startLine=POSITIVE,
    startColumn=POSITIVE,
    endColumn=POSITIVE,
)
PHYSICAL = record("artifactLocation", "region", artifactLocation=ARTIFACT, region=REGION)
LOCATION = record(
    "physicalLocation",
    "logicalLocations message",
    physicalLocation=PHYSICAL,
    logicalLocations=several(record("name fullyQualifiedName", name=TEXT, fullyQualifiedName=TEXT)),
    message=MESSAGE,
)
STEP = record(
    "location executionOrder",
    "nestingLevel state",
    location=LOCATION,
    executionOrder=NATURAL,
    nestingLevel=NATURAL,
    state=table(MESSAGE),
)
LANE = record(
    "id locations", "initialState", id=TEXT, locations=several(STEP, 1), initialState=table(MESSAGE)
)
FLOW = record("threadFlows", "message", threadFlows=several(LANE, 1), message=MESSAGE)
RESULT = record(
    "ruleId ruleIndex kind level message locations partialFingerprints properties",
    "codeFlows",
    ruleId=TEXT,
    ruleIndex=NATURAL,
    kind={"enum": ["fail", "open"]},
    level={"enum": ["error", "none"]},
    message=MESSAGE,
    locations=several(LOCATION, 1),
    partialFingerprints=table(TEXT),
    properties={"type": "object"},
    codeFlows=several(FLOW, 1),
)
RULE = record("id name shortDescription", id=TEXT, name=TEXT, shortDescription=MESSAGE)
DRIVER = record("name version rules", name=TEXT, version=TEXT, rules=several(RULE))
NOTIFICATION = record(
    "level message locations",
    level={"const": "error"},
    message=MESSAGE,
    locations=several(LOCATION),
)
INVOCATION = record(
    "executionSuccessful toolExecutionNotifications",
    executionSuccessful=TRUTH,
    toolExecutionNotifications=several(NOTIFICATION),
)
RUN = record(
    "tool automationDetails columnKind originalUriBaseIds invocations results",
    tool=record("driver", driver=DRIVER),
    automationDetails=record("id", id=TEXT),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    originalUriBaseIds=table(record("description", description=MESSAGE)),
    invocations=several(INVOCATION),
    results=several(RESULT),
)
LOG: Schema = {
    "type": "object",
    "required": ["$schema", "version", "runs"],
    "properties": {"$schema": URI, "version": {"const": "2.1.0"}, "runs": several(RUN, 1)},
    "additionalProperties": False,
}
VALIDATOR = jsonschema.Draft202012Validator(LOG)


def valid(text: str) -> dict[str, Any]:
    """The one run of a document, which is as SARIF has it."""
    document = json.loads(text)
    VALIDATOR.validate(document)
    (run,) = document["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len({*rules}) == len(rules)
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        # SARIF has a level for failures only.
        assert (result["kind"] == "fail") == (result["level"] != "none")
        for flow in result.get("codeFlows", ()):
            names = [lane["id"] for lane in flow["threadFlows"]]
            assert len({*names}) == len(names)
            for lane in flow["threadFlows"]:
                order = [step["executionOrder"] for step in lane["locations"]]
                assert order == sorted({*order})
    found: dict[str, Any] = run
    return found
