"""A fast reader for correct and simple command lines, without `argparse`.

To import `argparse` and to make the parser of one command takes as long as counting the states of a
small net a hundred times. Most command lines are correct and simple: arguments, and options with
their values as words of their own or after an equals sign. `read` takes the same declarations as
`argparse` and reads such lines. It declines everything else: help, a value that begins with a
minus, short options written together, any mistake. Then `argparse` reads the line from the
beginning, and reports errors.

Invariant: a line that is read here is one that `argparse` reads, with the same values.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from types import SimpleNamespace

from plait.hints import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import argparse


class _DeclinedError(Exception):
    """The line, or what the command declares, is not plain."""


_KINDS = ("store", "append", "store_true")


class _Declared:
    """One argument or option of a command."""

    def __init__(
        self,
        *names: str,
        action: str = "store",
        default: object = None,
        type: Callable[[str], object] | None = None,
        choices: Container[object] | None = None,
        dest: str | None = None,
        metavar: str | None = None,
        help: str | None = None,
        **others: object,
    ) -> None:
        if others or action not in _KINDS:
            raise _DeclinedError
        long = next((n for n in names if n.startswith("--")), names[0])
        self.names = names
        self.dest = dest or long.lstrip("-").replace("-", "_")
        self.action = action
        self.default = False if action == "store_true" else default
        self.type = type
        self.choices = choices

    def initial(self) -> object:
        """The value of an option that is not there; as `argparse` has it, texts are read, too."""
        return self.converted(self.default) if isinstance(self.default, str) else self.default

    def converted(self, text: str) -> object:
        """What a text means."""
        if self.type is None:
            return text
        try:
            return self.type(text)
        except Exception:
            raise _DeclinedError from None

    def value(self, text: str) -> object:
        """What a text on the line means, which must be among the choices."""
        value = self.converted(text)
        if self.choices is not None and value not in self.choices:
            raise _DeclinedError
        return value


class _Reader:
    """Stands where a command declares its arguments, in place of a parser."""

    def __init__(self) -> None:
        self._arguments: list[_Declared] = []
        self._options: dict[str, _Declared] = {}
        self._defaults: dict[str, object] = {}

    def add_argument(self, *names: str, **facts: Any) -> None:
        """As `argparse` has it."""
        declared = _Declared(*names, **facts)
        if names[0].startswith("-"):
            self._options.update(dict.fromkeys(names, declared))
        else:
            self._arguments.append(declared)

    def add_argument_group(self, title: str) -> _Reader:
        """Groups are for the help."""
        return self

    def set_defaults(self, **values: object) -> None:
        """Values that nothing on the line changes."""
        self._defaults.update(values)

    def __getattr__(self, name: str) -> object:
        raise _DeclinedError  # sub-commands, groups of which one must be there

    def read(self, words: Sequence[str]) -> dict[str, object]:
        """The values of a line."""
        found: dict[str, Any] = {}
        arguments, waiting = iter(self._arguments), iter(words)
        for word in waiting:
            if _is_value(word):
                declared = next(arguments, None)
                if declared is None:
                    raise _DeclinedError
                found[declared.dest] = declared.value(word)
                continue
            name, equals, text = word.partition("=") if word.startswith("--") else (word, "", "")
            declared = self._options.get(name)
            if declared is None or (equals and declared.action == "store_true"):
                raise _DeclinedError
            if declared.action == "store_true":
                found[declared.dest] = True
                continue
            if not equals:
                text = next(waiting, "--")
            # After an equals sign a value may begin with a minus; two alone are read in odd ways.
            if text == "--" or not (equals or _is_value(text)):
                raise _DeclinedError
            value = declared.value(text)
            if declared.action == "append":
                before = found.get(declared.dest, declared.default)
                found[declared.dest] = [*(before or ()), value]
            else:
                found[declared.dest] = value
        if next(arguments, None) is not None:
            raise _DeclinedError
        unset = {o.dest: o for o in self._options.values() if o.dest not in found}
        initial = {dest: o.initial() for dest, o in unset.items()}
        return self._defaults | initial | found


def _is_value(word: str) -> bool:
    """Whether a word cannot be taken for an option; a minus alone stands for a file."""
    return not word.startswith("-") or word == "-"


def read(
    configure: Callable[[argparse.ArgumentParser], None], words: Sequence[str]
) -> argparse.Namespace | None:
    """The values of a line of the command that `configure` declares; None when it is not plain."""
    reader = _Reader()
    try:
        configure(cast("argparse.ArgumentParser", reader))
        return cast("argparse.Namespace", SimpleNamespace(**reader.read(words)))
    except _DeclinedError:
        return None
