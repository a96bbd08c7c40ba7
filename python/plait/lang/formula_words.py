"""Errors for words of formulas in a condition of a model.

Formulas take more notations than models do (`plait.logic.grammar`), and whoever has just written a
property writes `F p` or `p and q` in a guard, too. There `F` and `and` are names like any others,
so nothing is wrong until something follows that cannot follow a name.
"""

from __future__ import annotations

from plait.errors import InputError
from plait.lang.lexer import NAME, NUMBER, PARAMETER, STRING, Tokens

_PATH_SIGNS = ("[]", "<>")
_PATHS = (*"XFG", *_PATH_SIGNS)
_BRANCHES = (*"AE", *(quantifier + path for quantifier in "AE" for path in "XFG"))
_INFIX = (*"UWRM",)
_MEANT = {"not": "!", "and": "&&", "/\\": "&&", "or": "||", "\\/": "||", "=>": "->", "<=>": "<->"}
"""What models write for it."""
PREFIX_WORDS = frozenset({*_PATHS, *_BRANCHES, "not"})
_BEGINS = frozenset({NAME, NUMBER, PARAMETER, STRING, "(", "!", *_PATH_SIGNS})
"""The tokens with which an operand begins, and that follow none."""


def refuse_prefix(tokens: Tokens, index: int) -> None:
    """Refuse one of `PREFIX_WORDS` if it was meant as an operator: behind it an operand begins."""
    follows = tokens.texts[index + 1] not in (*_INFIX, *_MEANT)
    if follows and tokens.kinds[index + 1] in _BEGINS:
        raise _refusal(tokens, index)


def refuse_infix(tokens: Tokens) -> None:
    """Refuse the next token if it is an operator of formulas that models do not have."""
    if tokens.next in (*_INFIX, *_MEANT):
        raise _refusal(tokens, tokens.at)


def _refusal(tokens: Tokens, index: int) -> InputError:
    word = tokens.texts[index]
    if word in _MEANT:
        return tokens.fail(f"'{word}' is for formulas", index, f"a model writes '{_MEANT[word]}'")
    message = f"'{word}' is a temporal operator, and a condition here speaks of one state only"
    kind = "ctl" if word in _BRANCHES else "ltl"
    return tokens.fail(message, index, f"say it in a property: property NAME [{kind}] : ...;")


__all__ = ["PREFIX_WORDS", "refuse_infix", "refuse_prefix"]
