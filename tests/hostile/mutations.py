"""Seeded mutations of small texts: some know the words of the language, some only know bytes."""

import random
import re
from collections.abc import Sequence

TOKEN = re.compile(rb'"[^"\n]*"|[A-Za-z_$][\w$]*|\d+|[-+*/%<>=!&|^~:]+|\s+|.', re.DOTALL)
NUMBERS = [b"0", b"1", b"-1", b"31", b"32", b"2147483647", b"2147483648", b"-2147483648"]
NUMBERS += [b"4294967296", b"9" * 40, b"1.5", b"1e9", b"0x10", "\u0663".encode()]
OPERATORS = b"== != < > <= >= + - * / % ** << >> & | ^ && || -> <-> = += -=".split()
RUBBISH = [b"\x00", b"\xff", b"\xef\xbb\xbf", "\u202e".encode(), "\N{SNOWMAN}".encode()]
RUBBISH += [b"\r", b"\\", b'"', b"'", b"&amp;", b"<!--", b"]]>", b"/*", b"//", b"(" * 40, b"!" * 40]


class Mutator:
    """Mutated copies of seeds; `words` are tokens of the language to sprinkle."""

    def __init__(self, seeds: Sequence[bytes], words: Sequence[bytes], chance: random.Random):
        self.seeds = seeds
        self.words = [*words, *NUMBERS]
        self.chance = chance

    def next(self) -> bytes:
        """One more mutated text."""
        text = self.chance.choice(self.seeds)
        for _ in range(self.chance.choice([1, 1, 1, 1, 1, 2, 3])):
            change = self.chance.choice([self._alike, self._alike, self._tokens, self._bytes])
            text = change(text)
        return text

    def _tokens(self, text: bytes) -> bytes:
        tokens = TOKEN.findall(text)
        if not tokens:
            return self.chance.choice(self.words)
        i, j = sorted(self.chance.choices(range(len(tokens)), k=2))
        match self.chance.randrange(7):
            case 0:
                tokens[i] = self.chance.choice(self.words)
            case 1:
                tokens.insert(i, self.chance.choice(self.words))
            case 2:
                del tokens[i]
            case 3:
                tokens[i], tokens[j] = tokens[j], tokens[i]
            case 4:
                tokens[i:i] = tokens[i : min(j, i + 30)]
            case 5:
                del tokens[i : min(j, i + 30)]
            case _:
                other = TOKEN.findall(self.chance.choice(self.seeds))
                k = self.chance.randrange(len(other))
                tokens[i:i] = other[k : k + self.chance.randrange(1, 20)]
        return b"".join(tokens)

    def _alike(self, text: bytes) -> bytes:
        """A name for a name, a number for a number, an operator for one: much gets further then."""
        tokens = TOKEN.findall(text)
        places = [i for i, t in enumerate(tokens) if t.strip() and _class(t) != "other"]
        if not places:
            return text
        i = self.chance.choice(places)
        alike = [t for t in tokens if _class(t) == _class(tokens[i]) and t != tokens[i]]
        alike += [w for w in self.words if _class(w) == _class(tokens[i]) == "number"]
        tokens[i] = self.chance.choice(alike or self.words)
        return b"".join(tokens)

    def _bytes(self, text: bytes) -> bytes:
        i = self.chance.randrange(len(text) + 1)
        match self.chance.randrange(4):
            case 0:
                return text[:i] + self.chance.choice(RUBBISH) + text[i:]
            case 1:
                return text[:i]
            case 2:
                return text[:i] + bytes([self.chance.randrange(256)]) + text[i + 1 :]
            case _:
                return text[:i] + text[i + self.chance.randrange(1, 9) :]


def _class(token: bytes) -> str:
    """The sort of a token, as far as bytes tell."""
    first = token[:1]
    if first.isdigit():
        return "number"
    if first in (b'"', b"$"):
        return first.decode()
    if first.isalpha() or first == b"_":
        return "name"
    return "operator" if token in OPERATORS else "other"
