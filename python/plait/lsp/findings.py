"""What checks have found in a version of a text, as diagnostics and as messages."""

from __future__ import annotations

from plait.lsp.documents import uri_of
from plait.lsp.protocol import Message

ERROR, WARNING, INFO = 1, 2, 3
"""Kinds of messages to the user."""


class Findings:
    """The answers to properties of a version; a newer version has none."""

    def __init__(self, version: int) -> None:
        self.version = version
        self.verdicts: dict[str, str] = {}
        self._found: dict[str, list[Message]] = {}

    def add(self, title: str, found: Message) -> tuple[int, str]:
        """Take what a check has found; the kind of message that says it, and the message."""
        if "failed" in found:
            return WARNING, f"{title} is unknown: {found['failed']}"
        if "wrong" in found:
            self._found[title] = found["wrong"]
            return ERROR, found["wrong"][0]["message"]
        told = []
        for answer in found["answers"]:
            name, verdict = answer["name"], answer["verdict"]
            self.verdicts[name] = verdict
            self._found[name] = [_violation(answer)] if verdict == "false" else []
            told.append(answer["told"])
        bad = any(verdict != "true" for verdict in self.verdicts.values())
        return WARNING if bad else INFO, "\n".join(told)

    def update(self, others: Findings) -> None:
        """Take those of another, for the same version, in place of older ones."""
        self.verdicts |= others.verdicts
        self._found |= others._found

    def diagnostics(self) -> list[Message]:
        """The violations, each at its property, with the trace."""
        return [d for found in self._found.values() for d in found]


def _violation(answer: Message) -> Message:
    said = [answer["told"], answer["because"]]
    return {
        "range": answer["range"],
        "severity": 1,
        "source": "plait check",
        "code": answer["name"],
        "message": "\n".join(filter(None, said)),
        "related": answer["along"],
    }


def placed(d: Message, uri: str, related: bool) -> Message:
    """A diagnostic for an editor: with the places that belong to it, if it shows such."""
    shown = {key: value for key, value in d.items() if key != "related"}
    if related and d.get("related"):
        shown["relatedInformation"] = [
            {
                "location": {
                    "uri": uri if place["path"] is None else uri_of(place["path"]),
                    "range": place["range"],
                },
                "message": place["message"],
            }
            for place in d["related"]
        ]
    elif d.get("related"):
        shown["message"] = "\n".join([d["message"], *(p["message"] for p in d["related"])])
    return shown


__all__ = ["Findings", "placed"]
