"""Wrong command lines: one line says what is wrong, what was meant, and where to find help.

`argparse` would print the whole usage of a command before its message: twenty lines for `plait
check`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from plait.cli.output import say, write_text
from plait.cli.status import WRONG
from plait.errors import printable
from plait.hints import NoReturn


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, and whose help arrives or fails as results do."""

    def _print_message(self, message: str, file: object = None) -> None:
        if file is sys.stdout:
            write_text(message)
        else:
            say(message.removesuffix("\n"))

    def error(self, message: str) -> NoReturn:
        """End with a message."""
        self.exit(WRONG, f"error: {printable(message)} (see {self.prog} --help)\n")

    def refuse(self, unknown: Sequence[str]) -> NoReturn:
        """End because of arguments that the command does not know."""
        flag = next((a for a in unknown if a.startswith("-")), None)
        if flag is None:
            self.error(f"{self.prog} has no use for {' '.join(map(repr, unknown))}")
        name = flag.partition("=")[0]
        known = [text for action in self._actions for text in action.option_strings]
        self.error(f"{self.prog} has no option {name}{suggestion(name, known)}")


def suggestion(name: str, known: Sequence[str]) -> str:
    """What was probably meant, as the end of a sentence; nothing if no name is near."""
    from difflib import get_close_matches  # most command lines are right

    longer = [full for full in known if full.startswith(name) and len(name) > 2]
    near = sorted(longer, key=len) or get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]}?" if near else ""


__all__ = ["Parser", "suggestion"]
