"""`plait models`: the model library, which is imported only when it is asked for."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from plait.cli.output import print_lines, write_text
from plait.cli.status import HOLDS
from plait.cli.written import language_to_write
from plait.errors import error
from plait.report.numbers import grouped

if TYPE_CHECKING:
    from plait.models import Entry

HELP = "list, describe and write the models of the library"
EXAMPLE = """\
examples:
  plait models list
  plait models show fms
  plait models write philosophers -n 100 -o philosophers.gal
  plait models write slotted-ring -n 20 --variant circular
  plait models write kanban -n 5 --to pnml -o kanban.pnml
"""
LANGUAGES = ("gal", "pnml")
SHOWN_DIGITS = 60
"""A count with more digits is shown rounded."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    _action(actions, "list", "list the models")
    show = _action(actions, "show", "say what is known of a model")
    _add_model(show)
    write = _action(actions, "write", "write a model")
    _add_model(write)
    write.add_argument(
        "--variant",
        metavar="VARIANT",
        help="the variant: flat, composite, ...; see plait models list",
    )
    write.add_argument(
        "--to", choices=LANGUAGES, help="the language (default: by the ending of FILE, else gal)"
    )
    write.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default="-",
        help="the file to write (default: the standard output)",
    )


def _action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser], name: str, what: str
) -> argparse.ArgumentParser:
    from plait.cli.parser import RawHelp  # which imports the commands

    return actions.add_parser(
        name,
        help=what,
        description=what[0].upper() + what[1:] + ".",
        epilog=EXAMPLE,
        formatter_class=RawHelp,
        allow_abbrev=False,
    )


def _add_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the name of a model; see plait models list")
    parser.add_argument("-n", metavar="N", type=_natural, help="the size; see plait models list")


def run(arguments: argparse.Namespace) -> int:
    """List, show or write."""
    from plait.models import entry

    if arguments.action == "list":
        print_lines(_list())
    elif arguments.action == "show":
        print_lines(_show(entry(arguments.name), arguments.n))
    else:
        _write(entry(arguments.name), arguments)
    return HOLDS


def _list() -> Iterator[str]:
    """Two lines a model: name, size and summary, then variants and source."""
    from plait.models import ENTRIES

    width = max(map(len, ENTRIES))
    for e in ENTRIES.values():
        size = "" if e.size is None else f"-n {e.size.default}"
        yield f"{e.name:<{width}}  {size:<5}  {e.summary}"
        yield f"{'':<{width}}         {', '.join(e.variants)}; {e.source}"


def _show(e: Entry, n: int | None) -> Iterator[str]:
    from plait.models.arguments import check_size

    yield e.name
    yield ""
    yield from e.description.splitlines()
    yield ""
    if e.size is not None:
        size = e.size.default if n is None else check_size(n, e.size.least, e.size.most)
        yield f"-n           {e.size.meaning}; from {e.size.least}, {e.size.default} by default"
    elif n is not None:
        raise error(f"'{e.name}' has no size")
    yield f"--variant    {', '.join(e.variants)}"
    yield f"--to         {'gal; pnml for ' + ', '.join(e.nets) if e.nets else 'gal'}"
    yield f"properties   {', '.join(p.name for p in e.model().properties)}"
    if e.size is not None and e.states is not None:
        count = e.states(size)
        if count is not None:
            yield f"states       {_number(count)} for n = {size}"
    yield f"source       {e.source}"


def _number(count: int) -> str:
    """The count, or for a very long one its first digits and its length."""
    digits = int(count.bit_length() * 0.30103)
    if digits <= SHOWN_DIGITS:
        return grouped(count)
    leading = count // 10 ** (digits - 7)
    text = str(leading)
    exponent = digits - 7 + len(text) - 1
    return f"about {text[0]}.{text[1:5]}e{exponent}"


def _write(e: Entry, arguments: argparse.Namespace) -> None:
    from plait.models.arguments import check_variant

    to = language_to_write(arguments.to, arguments.output, LANGUAGES, "gal")
    variant = e.variants[0] if arguments.variant is None else arguments.variant
    check_variant(variant, e.variants)
    if to == "pnml" and variant not in e.nets:
        hint = f"these variants are: {', '.join(e.nets)}" if e.nets else None
        raise error(f"'{e.name}' is no place/transition net as '{variant}'", hint=hint)
    model = e.model(arguments.n, variant)
    if to == "pnml":
        from plait.lang.pnml import print_model as print_pnml

        write_text(print_pnml(model), arguments.output)
        return
    from plait.lang.gal import print_model as print_gal

    write_text(_head(e, arguments.n, variant) + print_gal(model), arguments.output)


def _head(e: Entry, n: int | None, variant: str) -> str:
    """Where a file comes from."""
    size = "" if e.size is None else f", n = {e.size.default if n is None else n}"
    return f"// {e.summary} ({e.name}, {variant}{size}).\n// {e.source}.\n\n"


def _natural(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,10}", text):
        raise argparse.ArgumentTypeError(f"'{text}' is not a natural number")
    return int(text)
