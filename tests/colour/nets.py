"""Small symmetric nets as PNML, written down briefly."""

from __future__ import annotations

from collections.abc import Sequence

from plait.colour.net import ColouredNet
from plait.lang.pnml.reader import parse_net

SYMMETRIC = "http://www.pnml.org/version-2009/grammar/symmetricnet"
DOT = "<dotconstant/>"


def enumeration(name: str, size: int, kind: str = "cyclic") -> str:
    """A named enumeration with the constants name0, name1, ..."""
    constants = "".join(f'<feconstant id="{name}{i}" name="{i}"/>' for i in range(size))
    tag = f"{kind}enumeration"
    return f'<namedsort id="{name}" name="{name}"><{tag}>{constants}</{tag}></namedsort>'


def product(name: str, *components: str) -> str:
    """A named product of named sorts."""
    inside = "".join(f'<usersort declaration="{c}"/>' for c in components)
    return f'<namedsort id="{name}" name="{name}"><productsort>{inside}</productsort></namedsort>'


def variable(name: str, sort: str) -> str:
    """The declaration of a variable."""
    return (
        f'<variabledecl id="{name}" name="{name}"><usersort declaration="{sort}"/></variabledecl>'
    )


def var(name: str) -> str:
    """A variable as a term."""
    return f'<variable refvariable="{name}"/>'


def const(name: str) -> str:
    """A constant as a term."""
    return f'<useroperator declaration="{name}"/>'


def every(sort: str) -> str:
    """All colours of a named sort."""
    return f'<all><usersort declaration="{sort}"/></all>'


def op(tag: str, *operands: str) -> str:
    """An operator and its operands."""
    return f"<{tag}>" + "".join(f"<subterm>{o}</subterm>" for o in operands) + f"</{tag}>"


def times(count: int, term: str) -> str:
    """So many tokens of a colour."""
    number = f'<numberconstant value="{count}"><positive/></numberconstant>'
    return op("numberof", number, term)


def place(name: str, sort: str, marking: str = "") -> str:
    """A place of a named sort (or of dots)."""
    kind = "<dot/>" if sort == "dot" else f'<usersort declaration="{sort}"/>'
    marked = f"<hlinitialMarking><structure>{marking}</structure></hlinitialMarking>"
    return (
        f'<place id="{name}"><type><structure>{kind}</structure></type>'
        + (marked if marking else "")
        + "</place>"
    )


def transition(name: str, guard: str = "") -> str:
    """A transition."""
    inside = f"<condition><structure>{guard}</structure></condition>" if guard else ""
    return f'<transition id="{name}">{inside}</transition>'


def arc(source: str, target: str, bag: str, kind: str = "") -> str:
    """An arc."""
    attribute = f' type="{kind}"' if kind else ""
    return (
        f'<arc source="{source}" target="{target}"{attribute}>'
        f"<hlinscription><structure>{bag}</structure></hlinscription></arc>"
    )


def document(declarations: Sequence[str], *parts: str) -> bytes:
    """A whole document: the declarations are line 3, the parts follow, one a line."""
    lines = [
        "<pnml>",
        f'<net id="n" type="{SYMMETRIC}">',
        "<declaration><structure><declarations>"
        + "".join(declarations)
        + "</declarations></structure></declaration>",
        *parts,
        "</net></pnml>",
    ]
    return "\n".join(lines).encode()


def net(declarations: Sequence[str], *parts: str) -> ColouredNet:
    """The net of such a document."""
    found = parse_net(document(declarations, *parts), "f.pnml")
    assert isinstance(found, ColouredNet)
    return found
