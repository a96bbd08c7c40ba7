"""T23: random sessions with the Python face: whatever came before, the next answer is right."""

import copy
import gc
import os
import pickle
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, rule, run_state_machine_as_test

import plait
from plait.errors import InputError
from plait.report.answer import Answer

TEXTS = {
    "lamp": (
        "gal lamp { int x; transition on [x == 0] { x = 1; } transition off [x == 1] { x = 0; } }",
        "gal",
        2,
        {"never: x == 1": "false", "AG EF x == 1": "true", "G F x == 1": "true", "x >= 0": "true"},
    ),
    "count": (
        "gal c { int x; int y; transition a [x < 20] { x += 1; }"
        " transition b [y < x] { y += 1; } }",
        "gal",
        231,
        {
            "deadlock": "false",
            "F x == 20": "true",
            "reachable: x > 20": "false",
            "EG x < 3": "false",
        },
    ),
    "process": (
        "byte x; active [2] proctype P() { do :: x < 5 -> x++ :: x == 5 -> break od }",
        "promela",
        None,
        {"x < 7": "true", "x < 5": "false", "F x == 5": "true"},
    ),
    "net": (
        """<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
        <place id="p"><initialMarking><text>9</text></initialMarking></place><place id="q"/>
        <transition id="t"/><arc id="a" source="p" target="t"/><arc id="b" source="t" target="q"/>
        </page></net></pnml>""",
        "pnml",
        10,
        {"p + q == 9": "true", "AF q == 9": "true", "G p > 0": "false", "deadlock": "false"},
    ),
}
"""Text, language, number of states, and the verdicts of some questions."""
ENDLESS = "gal g { int x; int y; transition t [true] { x += 1; } transition u [true] { y += 1; } }"
ENGINES = st.sampled_from(("auto", "explicit", "symbolic", "reference"))
names = st.sampled_from(sorted(TEXTS))
numbers = st.integers(0, 7)


class AlarmError(KeyboardInterrupt):
    """What an impatient user does, on his own account."""


@contextmanager
def impatience(seconds: float) -> Iterator[None]:
    """Interrupt what is done after so many seconds, like Ctrl-C."""

    def ring(*_: Any) -> None:
        raise AlarmError

    before = signal.signal(signal.SIGALRM, ring)
    try:
        # Again, where it came to code that does not let it through.
        signal.setitimer(signal.ITIMER_REAL, seconds, 0.5)
        yield
    except KeyboardInterrupt:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def question(name: str, number: int) -> tuple[str, str]:
    """One of the questions about a system, and its verdict."""
    return sorted(TEXTS[name][3].items())[number % len(TEXTS[name][3])]


class Sessions(RuleBasedStateMachine):
    """Systems and answers live as long as somebody may still use them."""

    systems = Bundle("systems")
    answers = Bundle("answers")
    regions = Bundle("regions")

    @rule(target=systems, name=names)
    def read(self, name: str) -> tuple[str, plait.System]:
        text, language, _, _ = TEXTS[name]
        return name, plait.parse(text, language=language)

    @rule(target=answers, system=systems, number=numbers, engine=ENGINES)
    def check(self, system: tuple[str, plait.System], number: int, engine: str) -> Any:
        asked, verdict = question(system[0], number)
        answer = system[1].check(asked, engine=engine)
        # Not every engine has a way to every question; a wrong answer none has.
        assert answer.verdict == verdict or (engine != "auto" and answer.verdict == "unknown")
        return (*system, answer)

    @rule(system=systems, engine=ENGINES)
    def count(self, system: tuple[str, plait.System], engine: str) -> None:
        name, known = system
        states = TEXTS[name][2]
        assert states is None or known.states(engine=engine).states == states

    @rule(target=regions, system=systems)
    def explore(self, system: tuple[str, plait.System]) -> tuple[str, Any]:
        return system[0], system[1].reachable()

    @rule(region=regions)
    def look_at_states(self, region: tuple[str, Any]) -> None:
        states = TEXTS[region[0]][2]
        assert states is None or region[1].count() == states

    @rule(answer=answers)
    def send(self, answer: tuple[str, plait.System, Answer]) -> None:
        for again in (pickle.loads(pickle.dumps(answer[2])), copy.deepcopy(answer[2])):
            assert again == answer[2]
            assert str(again.witness) == str(answer[2].witness)

    @rule(answer=answers)
    def replay(self, answer: tuple[str, plait.System, Answer]) -> None:
        _, system, found = answer
        if found.witness is not None:
            system.semantics().replay(found.witness)
            assert len(system.along(found.witness, "1")) == len(found.witness.steps) + 1

    @rule(system=systems, text=st.sampled_from(["nobody == 1", "AG (", "bounds:", "p[0]:x == 1"]))
    def mistake(self, system: tuple[str, plait.System], text: str) -> None:
        with pytest.raises(InputError):
            system[1].check(text)

    @rule(seconds=st.sampled_from([0.001, 0.01, 0.03]), engine=ENGINES)
    def give_up(self, seconds: float, engine: str) -> None:
        answer = plait.parse(ENDLESS).check("x + y >= 0", engine=engine, timeout=seconds)
        assert answer.verdict in ("unknown", "false")  # sums wrap around, in the end

    @rule(seconds=st.sampled_from([0.001, 0.01, 0.03]), engine=ENGINES)
    def interrupt(self, seconds: float, engine: str) -> None:
        with impatience(seconds):
            answer = plait.parse(ENDLESS).check("x + y >= 0", engine=engine, timeout=20)
            assert answer.verdict == "unknown"

    @rule(system=systems, picked=st.lists(numbers, min_size=2, max_size=3), engine=ENGINES)
    def together(self, system: tuple[str, plait.System], picked: list[int], engine: str) -> None:
        """The same system in several threads at once."""
        name, known = system
        found: list[tuple[str, str]] = []

        def ask(number: int) -> None:
            asked, verdict = question(name, number)
            found.append((verdict, known.check(asked, engine=engine).verdict))

        threads = [Thread(target=ask, args=(n,)) for n in picked]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == len(picked)
        for expected, got in found:
            assert got == expected or (engine != "auto" and got == "unknown")

    @rule()
    def tidy(self) -> None:
        gc.collect()

    def teardown(self) -> None:
        """No process is left over."""
        with pytest.raises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)


def many(sessions: int) -> settings:
    return settings(max_examples=sessions, stateful_step_count=20, deadline=None)


ALARMS = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""An alarm may come to a function that collects garbage."""


@ALARMS
def test_some_sessions() -> None:
    run_state_machine_as_test(Sessions, settings=settings(many(10), derandomize=True))


@ALARMS
@pytest.mark.soak
@pytest.mark.parametrize("part", range(10))
def test_many_sessions(part: int) -> None:
    run_state_machine_as_test(Sessions, settings=many(1_000))
