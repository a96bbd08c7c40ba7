"""Writes small nets in PNML."""

from collections.abc import Mapping, Sequence

GRAMMAR = "http://www.pnml.org/version-2009/grammar"


def net(
    places: Mapping[str, int],
    transitions: Sequence[str],
    arcs: Sequence[tuple[str, str] | tuple[str, str, int]],
) -> str:
    """A net of places with tokens, transitions, and arcs with an optional weight."""
    lines = [
        '<?xml version="1.0"?>',
        f'<pnml xmlns="{GRAMMAR}/pnml"><net id="n" type="{GRAMMAR}/ptnet"><page id="page">',
        *(
            f'<place id="{p}"><initialMarking><text>{tokens}</text></initialMarking></place>'
            for p, tokens in places.items()
        ),
        *(f'<transition id="{t}"/>' for t in transitions),
    ]
    for i, (source, target, *weight) in enumerate(arcs):
        text = "".join(f"<inscription><text>{w}</text></inscription>" for w in weight)
        lines.append(f'<arc id="a{i}" source="{source}" target="{target}">{text}</arc>')
    lines.append("</page></net></pnml>\n")
    return "\n".join(lines)
