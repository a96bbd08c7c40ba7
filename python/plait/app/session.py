"""What a browser may ask: each question a method from a JSON object to a JSON object.

Nothing that is asked changes what the next answer is: the walk is in the question, and the only
things kept are the answers of the last checks, whose traces may be walked.
"""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Callable, Mapping
from itertools import islice
from threading import Lock

from plait import __version__
from plait.api import System
from plait.app.around import around
from plait.app.walk import Path, Walk, WalkError
from plait.engines.budget import default_memory
from plait.errors import error
from plait.hints import Any
from plait.model.types import Model
from plait.report.answer import Answer, Branch, Step
from plait.report.card import card
from plait.report.data import result_document
from plait.report.page import page
from plait.report.text import question_text
from plait.report.trace import LONGEST

LONGEST_PATH = 100_000
MOST_RANDOM = 1_000
MOST_SECONDS = 600.0
KEPT = 20
"""Answers whose traces may still be walked."""
MOST_PROPERTIES = 500
MOST_EVENTS = 20_000
"""Events that the page knows more of than their names."""
CARD, SESSION = "plait-card", "plait-session"


class BusyError(Exception):
    """One check at a time."""


class Session:
    """A model, and the questions about it."""

    def __init__(self, model: Model, *, net: bool = False) -> None:
        self.walk = Walk(model)
        self._system = System(model, net=net)
        self._answers: OrderedDict[int, Answer] = OrderedDict()
        self._asked = 0
        self._walking, self._checking = Lock(), Lock()
        self.questions: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "walk": self._guarded(self._along),
            "here": self._guarded(self._here),
            "random": self._guarded(self._random),
            "around": self._guarded(self._around),
            "load": self._guarded(self._load),
            "check": self._check,
        }

    def page(self) -> str:
        """The page of the explorer."""
        with self._walking:
            return self._page()

    def _page(self) -> str:
        walk, view = self.walk, self.walk.view
        steps = islice(walk.events(), MOST_EVENTS)
        asked = [p for p in walk.model.properties if p.kind != "atom"][:MOST_PROPERTIES]
        about = {
            "model": walk.model.name,
            "plait": __version__,
            "room": walk.room,
            "properties": [
                {"name": p.name, "question": question_text(p, view)[:LONGEST]} for p in asked
            ],
        }
        data = {CARD: card(walk.model, view, steps), SESSION: about}
        scripts = ["graph", "explore"]
        without = ["The explorer needs a browser that runs scripts."]
        title = f"{walk.model.name} - Plait"
        return page(title, scripts, data, without_script=without, connect="'self'")

    def _guarded(
        self, question: Callable[[dict[str, Any]], dict[str, Any]]
    ) -> Callable[[dict[str, Any]], dict[str, Any]]:
        """A question about the walk: one at a time, in as much room as it takes."""

        def ask(body: dict[str, Any]) -> dict[str, Any]:
            with self._walking:
                found: dict[str, Any] = self.walk.in_room(lambda: question(body))
                # A page that was made in less room must be made again.
                return found | {"room": self.walk.room}

        return ask

    # --- the walk ---------------------------------------------------------------------------------

    def _along(self, body: dict[str, Any]) -> dict[str, Any]:
        path = _path(body)
        known = _number(body, "known", len(path))
        return self.walk.document(path, known) | {"moves": self.walk.moves(path, known)}

    def _here(self, body: dict[str, Any]) -> dict[str, Any]:
        return self.walk.here(_path(body), _text(body, "words"))

    def _random(self, body: dict[str, Any]) -> dict[str, Any]:
        path = _path(body)
        chance = random.Random(body.get("seed")) if "seed" in body else random.Random()
        longer = self.walk.random(path, _number(body, "steps", MOST_RANDOM), chance)
        return {"path": [list(step) for step in longer]}

    def _around(self, body: dict[str, Any]) -> dict[str, Any]:
        return around(self.walk, _path(body))

    # --- properties -------------------------------------------------------------------------------

    def _check(self, body: dict[str, Any]) -> dict[str, Any]:
        """Ask a property by its name, or a formula; its trace may be loaded by the number."""
        question = _text(body, "question")
        seconds = body.get("seconds", 10.0)
        if not isinstance(seconds, int | float) or not 0 < seconds <= MOST_SECONDS:
            raise WalkError(f"'seconds' is not a number up to {MOST_SECONDS:g}")
        if not question.strip():
            raise error("there is no question")
        if not self._checking.acquire(blocking=False):
            raise BusyError
        try:
            memory = default_memory()
            answer = self._system.check(question, timeout=float(seconds), memory=memory)
            self._asked += 1
            self._answers[self._asked] = answer
            while len(self._answers) > KEPT:
                self._answers.popitem(last=False)
            return {"number": self._asked, "result": result_document(answer)}
        finally:
            self._checking.release()

    def _load(self, body: dict[str, Any]) -> dict[str, Any]:
        """The trace of an answer as a path; of a tree, the path that a route of branches is."""
        answer = self._answers.get(_number(body, "number", 2**53))
        route = body.get("route", [])
        if answer is None or answer.witness is None or not isinstance(route, list):
            raise WalkError("this trace is not there any more: check again")
        here, steps = Branch(0, answer.witness), list[Step]()
        for i in route:
            branches = here.witness.branches
            if not isinstance(i, int) or not 0 <= i < len(branches):
                raise WalkError("there is no such branch")
            steps += here.witness.steps[: branches[i].at]
            here = branches[i]
        loop = here.witness.loop
        path = self.walk.along([*steps, *here.witness.steps])
        found = None if loop is None else len(steps) + loop
        return {"path": [list(step) for step in path], "loop": found}


def _path(body: dict[str, Any]) -> Path:
    given = body.get("path")
    if not isinstance(given, list) or len(given) > LONGEST_PATH:
        raise WalkError("'path' is not a list of steps")
    for step in given:
        match step:
            case [str(), int() as number] if number >= 0 and not isinstance(number, bool):
                continue
        raise WalkError("a step is an event and a number")
    return tuple((event, number) for event, number in given)


def _number(body: dict[str, Any], name: str, most: int) -> int:
    value = body.get(name, 0)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise WalkError(f"'{name}' is not a number from 0 to {most}")
    return value


def _text(body: dict[str, Any], name: str) -> str:
    value = body.get(name, "")
    if not isinstance(value, str):
        raise WalkError(f"'{name}' is not a text")
    return value


__all__ = ["BusyError", "Session"]
