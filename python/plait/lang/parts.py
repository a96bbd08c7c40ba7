"""Hierarchies of variables in files: which of them belong together, and groups of such groups.

In JSON (`.json`), as ITS-tools reads them for nets, a group is a list of names and of groups:

    [ ["idle0", "busy0"], [ ["idle1", "busy1"], ["fork0", "fork1"] ] ]

The names are those that traces show. A part of a hierarchy has no name in a file; it gets the
numbers on the way to it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path

from plait.errors import Source, Span, error
from plait.lang.files import read_text
from plait.lang.lexer import END, STRING, Lexicon, Tokens, tokenize
from plait.passes.decompose import Part

DEPTH_LIMIT = 200
"""The deepest nesting of groups."""
_LEXICON = Lexicon(("[", "]", ","), line_comments=(), block_comments=False, quotes='"')


class Group:
    """A list of a file: names and groups, in the order of the file."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.members: list[str | Group] = []

    def part(self) -> Part:
        """The group as the wish for a part."""
        names = tuple(m for m in self.members if isinstance(m, str))
        groups = tuple(m.part() for m in self.members if isinstance(m, Group))
        return Part(self.title, names, groups)

    def names(self) -> Iterator[str]:
        """All names, in the order of the file."""
        for member in self.members:
            if isinstance(member, str):
                yield member
            else:
                yield from member.names()


def load(path: str, known: Collection[str], title: str = "groups") -> Group:
    """The hierarchy in a file; a located error for a name that is not `known`, or comes again."""
    text = read_text(Path(path))
    return parse(Source(path, text), text, known, title)


def parse(source: Source, text: str, known: Collection[str], title: str = "groups") -> Group:
    """The hierarchy that a text describes."""
    tokens = tokenize(source, text, _LEXICON)
    placed: dict[str, Span] = {}
    tokens.expect("[", "before a list of names and lists")
    root = Group(title)
    open_: list[Group] = [root]
    while open_:
        group = open_[-1]
        if tokens.next == "]" and not group.members:
            raise tokens.fail("a group without members")
        if tokens.accept("["):
            if len(open_) == DEPTH_LIMIT:
                told = f"groups are nested deeper than {DEPTH_LIMIT} levels"
                raise tokens.fail(told, tokens.at - 1)
            number = len(group.members)
            below = Group(f"part{number}" if group is root else f"{group.title}_{number}")
            group.members.append(below)
            open_.append(below)
            continue
        span = tokens.span()
        name = _name(tokens)
        if name not in known:
            raise error(f"no variable named '{name}' in the model", span)
        if name in placed:
            hint = f"it stands in line {placed[name].line} already"
            raise error(f"'{name}' has two places", span, hint)
        placed[name] = span
        group.members.append(name)
        while open_ and not tokens.accept(","):
            if not tokens.accept("]"):
                raise tokens.expected("',' or ']'")
            open_.pop()
    if tokens.kind() != END:
        raise tokens.expected("the end of the file")
    return root


def _name(tokens: Tokens) -> str:
    if tokens.kind() != STRING:
        raise tokens.expected("a name in quotes, or a list of them")
    try:
        name = json.loads(tokens.next)
    except ValueError:
        raise tokens.fail("this is not a string of JSON") from None
    tokens.at += 1
    assert isinstance(name, str)
    return name


__all__ = ["Group", "load", "parse"]
