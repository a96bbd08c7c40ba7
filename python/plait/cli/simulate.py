"""`plait simulate`: walk through a model, by hand or at random.

The model is executed by the reference semantics, without any pass or engine.
"""

from __future__ import annotations

import argparse
import random

from plait.cli import options
from plait.cli.output import print_lines, say
from plait.cli.status import HOLDS
from plait.engines.evidence import Evidence
from plait.model.shape import State
from plait.report.answer import Step, Witness
from plait.report.explain import blocked_lines
from plait.report.trace import render_trace, step_text

HELP = "walk through a model, step by step or at random"
EXAMPLE = """\
examples:
  plait simulate philosophers.gal
  plait simulate philosophers.gal --random 20 --seed 1
"""
PROMPT = "number of an event, b(ack), r(andom), s(tate), t(race), q(uit) > "
SHOWN = 40


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    options.add_model(parser)
    parser.add_argument(
        "--random", metavar="N", type=_steps, help="take N random steps and print the trace"
    )
    parser.add_argument(
        "--seed", metavar="S", type=int, default=0, help="the seed of --random (default: 0)"
    )
    parser.add_argument(
        "--full", action="store_true", help="show whole states, not only what changes"
    )
    options.add_net_forms(parser)


def run(arguments: argparse.Namespace) -> int:
    """Simulate."""
    evidence = Evidence(options.load_model(arguments))
    chance = random.Random(arguments.seed)
    if arguments.random is not None:
        _random_walk(evidence, arguments.random, chance, arguments.full)
    else:
        _Session(evidence, chance, arguments.full).run()
    return HOLDS


def _steps(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of steps")
    return int(text)


def _number(command: str) -> int:
    """The number that a command is; 0 for any other, and for one that no event has."""
    short = command.isascii() and command.isdigit() and len(command) <= 9
    return int(command) if short else 0


def _random_walk(evidence: Evidence, steps: int, chance: random.Random, full: bool) -> None:
    state = evidence.semantics.initial
    walk: list[Step] = []
    for _ in range(steps):
        choices = evidence.semantics.successors(state)
        if not choices:
            break
        title, state = chance.choice(choices)
        walk.append(Step(title, state))
    witness = evidence.annotate(Witness(evidence.semantics.initial, tuple(walk)))
    lines = render_trace(witness, full=full)
    if len(walk) < steps:
        lines += blocked_lines(evidence.semantics, state, evidence.view)
    print_lines(lines)


class _Session:
    """An interactive walk: the path so far, and one command after the other."""

    def __init__(self, evidence: Evidence, chance: random.Random, full: bool) -> None:
        self.evidence = evidence
        self.chance = chance
        self.full = full
        self.path: list[Step] = []

    @property
    def state(self) -> State:
        return self.path[-1].state if self.path else self.evidence.semantics.initial

    def run(self) -> None:
        print_lines(["initial state", *self._values(self.state)])
        while True:
            choices = self.evidence.semantics.successors(self.state)
            print_lines(self._menu(choices))
            try:
                command = input(PROMPT).strip()
            except EOFError:
                print_lines([""])
                return
            if command in ("q", "quit"):
                return
            self._obey(command, choices)

    def _menu(self, choices: list[tuple[str, State]]) -> list[str]:
        if not choices:
            return blocked_lines(self.evidence.semantics, self.state, self.evidence.view)
        lines = []
        for i, (title, after) in enumerate(choices[:SHOWN], start=1):
            witness = Witness(self.state, (Step(title, after),))
            (step,) = self.evidence.annotate(witness).steps
            changes = ", ".join(self.evidence.view.news(self.state, after))
            lines.append(f"{i:>4}  {step_text(step)}{f'  ({changes})' if changes else ''}")
        if len(choices) > SHOWN:
            lines.append(f"      and {len(choices) - SHOWN} more")
        return lines

    def _obey(self, command: str, choices: list[tuple[str, State]]) -> None:
        if command in ("b", "back"):
            if self.path:
                self.path.pop()
            print_lines(self._values(self.state))
        elif command in ("s", "state"):
            print_lines(self._values(self.state))
        elif command in ("t", "trace"):
            witness = Witness(self.evidence.semantics.initial, tuple(self.path))
            print_lines(render_trace(self.evidence.annotate(witness), full=self.full))
        elif command in ("r", "random") and choices:
            self.path.append(Step(*self.chance.choice(choices)))
            print_lines([f"→ {self.path[-1].event}"])
        elif 1 <= _number(command) <= len(choices):
            self.path.append(Step(*choices[_number(command) - 1]))
        else:
            say("that is none of the choices")

    def _values(self, state: State) -> list[str]:
        return [f"      {name} = {value}" for name, value in self.evidence.view.full(state).items()]
