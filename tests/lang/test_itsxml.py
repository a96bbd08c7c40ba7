"""Systems of several files: composites and sets of types in several languages."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from plait.engines import check, states
from plait.errors import InputError
from plait.lang import language_of, load
from plait.logic.parse import parse_formula
from plait.model.types import Model

NET = ("Time Petri Net", "Romeo")
COMPOSITE = ("ITSComposite", "Composite")
SCALAR = ("Scalar Set Composite", "Composite")
CIRCULAR = ("Circular Set Composite", "Composite")
File = tuple[tuple[str, str], str]


def system(folder: Path, main: str, files: Mapping[str, File]) -> Model:
    """The model of these files, which are listed in this order."""
    lines = ["<?xml version='1.0'?>", "<model><types>"]
    for name, ((formalism, format_), text) in files.items():
        (folder / f"{name}.part").write_text(text)
        kind = f"formalism='{formalism}' format='{format_}'"
        lines.append(f"<type name='{name}' {kind} path='./{name}.part'/>")
    lines.append(f"</types><main type='{main}' state=''/></model>")
    path = folder / "main.xml"
    path.write_text("\n".join(lines))
    assert language_of(path) == "itsxml"
    return load(path)


def net(places: Mapping[str, int], *events: tuple[str, str, str, str]) -> str:
    """A net of Romeo: places with tokens; of each event its name, interval, input and output."""
    number = {name: i for i, name in enumerate(places, start=1)}
    lines = [
        f"<place id='{number[p]}' label='{p}' initialMarking='{n}'/>" for p, n in places.items()
    ]
    for i, (name, interval, before, after) in enumerate(events, start=1):
        first, last = interval.split()
        public = "" if name.startswith("_") else " public='1'"
        lines.append(f"<transition id='{i}' label='{name}'{public} eft='{first}' lft='{last}'/>")
        for place, kind in ((before, "PlaceTransition"), (after, "TransitionPlace")):
            if place:
                ends = f"place='{number[place]}' transition='{i}'"
                lines.append(f"<arc {ends} type='{kind}' weight='1'/>")
    return "<TPN name='n'>" + "\n".join(lines) + "</TPN>"


def document(*elements: str) -> str:
    return "<?xml version='1.0'?><model>" + "".join(f"<{e}/>" for e in elements) + "</model>"


ANY_TIME = "0 infini"
FORK = net({"fork": 1}, ("put", ANY_TIME, "", "fork"), ("get", ANY_TIME, "fork", ""))
DINER = net(
    {"rest": 1, "first": 0, "both": 0},
    ("take", ANY_TIME, "rest", "first"),
    ("more", ANY_TIME, "first", "both"),
    ("done", ANY_TIME, "both", "rest"),
)
TABLE = document(
    "instance id='1' name='fork' type='Fork'",
    "instance id='2' name='fork' type='Fork'",
    "instance id='3' name='a' type='Diner'",
    "instance id='4' name='b' type='Diner'",
    *(
        e
        for n, (who, own, other) in enumerate(((3, 1, 2), (4, 2, 1)))
        for e in (
            f"synchronization id='{n}1' name='take' label=''",
            f"synchronization id='{n}2' name='more' label=''",
            f"synchronization id='{n}3' name='done' label=''",
            f"arc instance='{who}' synchronization='{n}1' labels='take'",
            f"arc instance='{own}' synchronization='{n}1' labels='get'",
            f"arc instance='{who}' synchronization='{n}2' labels='more'",
            f"arc instance='{other}' synchronization='{n}2' labels='get'",
            f"arc instance='{who}' synchronization='{n}3' labels='done'",
            f"arc instance='{own}' synchronization='{n}3' labels=' put; '",
            f"arc instance='{other}' synchronization='{n}3' labels='put'",
        )
    ),
)


def test_a_composite_may_be_listed_before_the_types_of_its_instances(tmp_path: Path) -> None:
    """Two who dine: each takes its own fork first, so that both may wait for ever.

    covers: I139
    """
    files = {"Table": (COMPOSITE, TABLE), "Fork": (NET, FORK), "Diner": (NET, DINER)}
    model = system(tmp_path, "Table", files)
    # resting, one with one or two forks (2 + 2), both with one
    assert states(model).states == 6
    asked = [
        parse_formula("EF (a:first == 1 && b:first == 1)", model),
        parse_formula("AG a:both + b:both <= 1", model),
        parse_formula("ltl: G F a:rest == 1", model),
    ]
    for engine in ("explicit", "symbolic", "reference"):
        found = check(model, asked, engine=engine)
        assert [a.verdict for a in found] == ["true", "true", "false"]


def test_an_arc_without_labels_calls_nothing_whatever_it_joins(tmp_path: Path) -> None:
    idle = TABLE.replace("</model>", "<arc instance='1' synchronization='7' labels=''/></model>")
    assert idle != TABLE
    files = {"Table": (COMPOSITE, idle), "Fork": (NET, FORK), "Diner": (NET, DINER)}
    assert states(system(tmp_path, "Table", files)).states == 6


VOTER = net(
    {"init": 1, "yes": 0, "no": 0},
    ("vote", ANY_TIME, "init", "yes"),
    ("vote", ANY_TIME, "init", "no"),
)


@pytest.mark.parametrize(("kind", "count"), [("ALL", 1 + 2**4), ("ANY", 3**4)])
def test_in_a_scalar_set_all_or_any_move(kind: str, count: int, tmp_path: Path) -> None:
    """covers: I139"""
    hall = document(
        "instance id='3' name='i' type='Voter'",
        f"delegator id='4' visibility='private' label='vote' kind='{kind}'",
        "arc instance='3' synchronization='4'",
        "size size='4'",
    )
    model = system(tmp_path, "Hall", {"Hall": (SCALAR, hall), "Voter": (NET, VOTER)})
    assert states(model).states == count
    (answer,) = check(model, [parse_formula("EF (i[0]:yes == 1 && i[3]:no == 1)", model)])
    assert answer.verdict == "true"


STATION = """
gal station {
  int token = 0; int used = 0;
  transition begin [token == 0 && used == 0] label "begin" { token = 1; }
  transition give [token == 1] label "give" { token = 0; used = 1; }
  transition take [token == 0] label "take" { token = 1; }
}
main station;
"""


def test_in_a_ring_an_instance_moves_with_the_next_one(tmp_path: Path) -> None:
    """Whoever has the token gives it on; a public label waits to be called.

    covers: I139
    """
    ring = document(
        "instance id='1' name='s' type='Station'",
        "circular id='2' visibility='private' label='pass' current='give' successor='take'",
        "delegator id='3' visibility='public' label='begin' kind='ANY'",
        "size size='3'",
    )
    top = document(
        "instance id='1' name='r' type='Ring'",
        "instance id='2' name='once' type='Once'",
        "synchronization id='3' name='start' label=''",
        "arc instance='1' synchronization='3' labels='begin'",
        "arc instance='2' synchronization='3' labels='go'",
    )
    once = net({"p": 1}, ("go", ANY_TIME, "p", ""))
    files = {
        "Top": (COMPOSITE, top),
        "Ring": (CIRCULAR, ring),
        "Station": (("GAL", "GAL"), STATION),
        "Once": (("Time Petri Net", "URomeo"), once),
    }
    space = states(system(tmp_path, "Top", files))
    # nothing yet; then the token is at one of three, which used it: itself alone, one, two or all
    assert (space.states, space.deadlocks) == (1 + 3 * 4, 0)


def test_one_composite_mixes_formalisms_and_time_passes_where_there_is_some(tmp_path: Path) -> None:
    """A timer that rings after two or three units sets a switch in GAL; a table runs beside them.

    covers: I90, I139
    """
    timer = net({"idle": 1, "over": 0}, ("ring", "2 3", "idle", "over"))
    switch = 'gal w { int on = 0; transition set [on == 0] label "set" { on = 1; } } main w;'
    table = "begin state\nx:int\nend state\nbegin edge\nend edge\nbegin init\n0\nend init\n"
    table += "begin trans\n0/1\n1/0\nend trans\n"
    top = document(
        "instance id='1' name='timer' type='Timer'",
        "instance id='2' name='switch' type='Switch'",
        "instance id='3' name='table' type='Table'",
        "synchronization id='4' name='alarm' label=''",
        "arc instance='1' synchronization='4' labels='ring'",
        "arc instance='2' synchronization='4' labels='set'",
    )
    files = {
        "Timer": (NET, timer),
        "Switch": (("GAL", "GAL"), switch),
        "Table": (("PINS", "ETF"), table),
        "Top": (COMPOSITE, top),
    }
    model = system(tmp_path, "Top", files)
    # the clock at 0, 1, 2 or 3, or over; beside it the table is 0 or 1
    assert states(model).states == (4 + 1) * 2
    for text, verdict in (
        ("EF (switch:on == 1 && table:x == 1)", "true"),
        ("AG (switch:on == timer:over)", "true"),
        ("AG (timer:idle == 1 || switch:on == 1)", "true"),
    ):
        (answer,) = check(model, [parse_formula(text, model)])
        assert answer.verdict == verdict


@pytest.mark.parametrize(("format_", "dead"), [("Romeo", 0), ("URomeo", 1)])
def test_without_its_times_a_net_can_end(format_: str, dead: int, tmp_path: Path) -> None:
    """Where time passes there is always one more step of it."""
    once = net({"p": 1}, ("_go", ANY_TIME, "p", ""))
    space = states(system(tmp_path, "Once", {"Once": (("Time Petri Net", format_), once)}))
    assert (space.states, space.deadlocks) == (2, dead)


HALL = document("instance id='1' name='i' type='Voter'", "size size='2'")


@pytest.mark.parametrize(
    ("main", "files", "message"),
    [
        ("Nobody", {"Voter": (NET, VOTER)}, "no type is named 'Nobody'"),
        ("A", {"A": (("Coloured", "Net"), "")}, "the formalism 'Coloured'"),
        ("A", {"A": (SCALAR, document("instance id='1' name='i' type='B'"))}, "and a size"),
        ("A", {"A": (SCALAR, HALL.replace("'2'", "'many'"))}, "'many' is not a number"),
        (
            "A",
            {"A": (COMPOSITE, document("arc instance='1' synchronization='2' labels='go'"))},
            "joins no",
        ),
        ("A", {"A": (COMPOSITE, document("instance name='i' type='B'"))}, "'id' is missing"),
        (
            "A",
            {"A": (CIRCULAR, HALL.replace("<size", "<circular label='l' current='a;b'/><size"))},
            "one label each",
        ),
        ("A", {"A": (SCALAR, HALL)}, "no type named 'Voter'"),
        ("A", {"A": (SCALAR, HALL.replace("Voter", "A"))}, "contains itself"),
        (
            "A",
            {
                "A": (SCALAR, HALL.replace("<size", "<delegator label='sing'/><size")),
                "Voter": (NET, VOTER),
            },
            "sing",
        ),
    ],
)
def test_what_is_wrong_is_told(
    main: str, files: Mapping[str, File], message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message):
        system(tmp_path, main, files)


def test_one_type_of_a_system_is_no_system(tmp_path: Path) -> None:
    part = tmp_path / "ring.xml"
    part.write_text(document("instance id='1' name='i' type='Voter'", "size size='9'"))
    with pytest.raises(InputError, match=r"ring\.xml is one type of a system of ITS-tools"):
        load(part)
