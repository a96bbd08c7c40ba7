"""`plait completion`: scripts for the shells, and the suggestions behind them.

The scripts ask `plait __complete WORDS...` for candidates, one a line, so that commands, options,
their choices and the property names of the model on the line are always those of this version.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from plait.cli.output import print_lines
from plait.cli.status import HOLDS
from plait.errors import InputError
from plait.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from plait.model.types import Model

HELP = "print a completion script for a shell"
EXAMPLE = """\
examples:
  source <(plait completion bash)
  plait completion fish > ~/.config/fish/completions/plait.fish
"""
SCRIPTS = {
    "bash": """\
_plait() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(plait __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" \\
    -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _plait plait
""",
    "zsh": """\
#compdef plait
_plait() {
  local -a found
  found=("${(@f)$(plait __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n "${found[*]}" ]] && compadd -a found || _files
}
compdef _plait plait
""",
    "fish": """\
function __plait_complete
  set -l words (commandline -opc) (commandline -ct)
  plait __complete $words[2..-1] 2>/dev/null
end
complete -c plait -a '(__plait_complete)'
""",
    "powershell": """\
Register-ArgumentCompleter -Native -CommandName plait -ScriptBlock {
  param($word, $ast, $position)
  $words = $ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" }
  if ($word -eq '') { $words = @($words) + '' }
  plait __complete @words 2>$null | Where-Object { $_ -like "$word*" }
}
""",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("shell", choices=sorted(SCRIPTS), help="the shell")


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    print_lines(SCRIPTS[arguments.shell].splitlines())
    return HOLDS


def suggest(root: argparse.ArgumentParser, words: list[str]) -> int:
    """Print the candidates for the last of the words."""
    print_lines(candidates(root, words))
    return HOLDS


def candidates(root: argparse.ArgumentParser, words: list[str]) -> list[str]:
    """What may stand at the place of the last word."""
    *before, current = words or [""]
    commands = _commands(root)
    command = _chosen(commands, before)
    if command is None:
        found = [*commands, "--help", "--version"]
    else:
        options = {name: a for a in command._actions for name in a.option_strings}
        waiting = options.get(before[-1]) if before else None
        if waiting is not None and waiting.choices is not None:
            found = [str(c) for c in waiting.choices]
        elif waiting is not None and waiting.dest == "property":
            found = _property_names(before)
        elif waiting is not None and waiting.dest in ("group", "show"):
            found = _variable_names(before)
        elif waiting is not None and waiting.dest == "variant":
            found = _variants(before)
        elif waiting is not None and waiting.nargs != 0:
            found = []
        elif current.startswith("-"):
            found = sorted(options)
        else:
            found = [c for a in command._actions if not a.option_strings for c in _words(a)]
    return [c for c in found if c.startswith(current)]


def _chosen(
    commands: dict[str, argparse.ArgumentParser], words: list[str]
) -> argparse.ArgumentParser | None:
    """The command that the words name, down to the action of a command that has several."""
    command = None
    for word in words:
        if word in commands:
            command = commands[word]
            commands = _commands(command)
    return command


def _words(action: argparse.Action) -> list[str]:
    """What may stand for a positional argument."""
    if action.dest == "name":
        from plait.models import ENTRIES

        return list(ENTRIES)
    return [str(c) for c in action.choices or ()]


def _variants(words: list[str]) -> list[str]:
    from plait.models import ENTRIES

    return [v for w in words if w in ENTRIES for v in ENTRIES[w].variants]


def _commands(root: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    for action in root._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def _property_names(words: list[str]) -> list[str]:
    model = _model(words)
    return [] if model is None else [p.name for p in model.properties]


def _variable_names(words: list[str]) -> list[str]:
    """The variables of a model, its arrays and its processes."""
    model = _model(words)
    if model is None:
        return []
    from plait.model.shape import shape_of
    from plait.report.view import StateView

    items = StateView(shape_of(model)).items
    arrays = (item.name.partition("[")[0] for item in items if item.name.endswith("]"))
    processes = [item.process for item in items if item.process]
    whole = ["processes"] if processes else []
    return list(dict.fromkeys([*whole, *processes, *arrays, *(item.name for item in items)]))


def _model(words: list[str]) -> Model | None:
    """The model on the line, if it is one that is quickly read."""
    from plait.lang import load

    for word in words:
        if Path(word).suffix in (".gal", ".pnml", ".dve") and Path(word).is_file():
            try:
                return load(word)
            except InputError:
                return None
    return None
