"""Nets of PROD and CAMI, and hierarchies of their places in JSON: read, counted, refused."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from tests.cli.command import Command

from plait.engines import check, states
from plait.engines.symbolic.tuning import Tuning
from plait.errors import InputError, Source
from plait.lang import cami, language_of, load, parts, prod
from plait.logic.parse import parse_formula
from plait.model.net import Net, NetEvent, Place, as_net
from plait.model.types import ElementaryType, Model
from plait.models import ENTRIES, counts
from plait.passes.decompose import Part, by_units, decompose


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """`plait ARGUMENTS` in this process."""
    return Command(capsys)


PROD = """/* two who share */ #place (1) idle mk(2*<..>)
#place (1) busy
#place room mk(<. .>) cp(3)   // without a module: in module 0
#trans come
in { idle:<..>; room: 2<..>; busy<4; }
out {busy:<..>;later:3*<..>;}
#endtr
#trans clear
in {busy:reset;room<2;}
out {room:<..>; room:<..>;}
#endtr
#trans nothing #endtr
#place later cp(7) mk(0<..>)
"""


def net_of(model: Model) -> Net:
    found = as_net(model)
    assert isinstance(found, Net)
    return found


def test_every_word_of_prod_is_read() -> None:
    net = net_of(prod.parse(PROD))
    assert [(p.name, p.initial) for p in net.places] == [
        ("idle", 2),
        ("busy", 0),
        ("room", 1),
        ("later", 0),
    ]
    come, clear, nothing = net.events
    # Room for 7: at most 4 may be there when 3 are put.
    assert come == NetEvent("come", ((0, 1), (2, 2)), ((1, 1), (3, 3)), inhibitor=((1, 4), (3, 5)))
    # Room for 3: at most 1 may be there when 2 are put, which is what the arc says anyway.
    assert clear == NetEvent("clear", (), ((2, 2),), inhibitor=((2, 2),), reset=(1,))
    assert nothing == NetEvent("nothing")
    assert net.units is not None
    assert {u.name: u.places for u in net.units.units if u.places} == {
        "module0": ("room", "later"),
        "module1": ("idle", "busy"),
    }


CAMI = """DB()
-- a comment
CN(3:net,1)
CN(5:place,3)
PO(3,100,-100)
CT(4:name,3,11:a (b), "c":)
CT(7:marking,3,1:4)
PT(3,4:name,100,100)
CN(5:place,4)
CM(4:name,4,1,1,5:later)
CT(8:capacity,4,1:7)
CT(6:domain,4,4:null)
CT(9:component,4,5:right)
CN(10:transition,5)
CT(4:name,5,4:come)
CT(5:guard,5,4:true)
CN(20:immediate transition,6)
CA(3:arc,7,3,5)
CT(9:valuation,7,1:2)
CA(3:arc,8,5,4)
CT(9:valuation,8,1:3)
CA(13:inhibitor arc,9,4,6)
CA(3:arc,10,3,6)
CT(9:valuation,10,1:#)
CN(5:place,11)
CT(4:name,11,5:later)
FB()
"""


def test_every_command_of_cami_is_read() -> None:
    net = net_of(cami.parse(CAMI))
    assert [(p.name, p.initial) for p in net.places] == [
        ('a (b), "c":', 4),
        ("later", 0),
        ("later_11", 0),
    ]
    assert net.events == (
        NetEvent("come", ((0, 2),), ((1, 3),), inhibitor=((1, 5),)),
        NetEvent("transition6", inhibitor=((1, 1),), reset=(0,)),
    )
    assert net.units is not None
    assert {u.name: u.places for u in net.units.units if u.places} == {
        "net": ('a (b), "c":', "later_11"),
        "right": ("later",),
    }


# --- what is written here is read again -----------------------------------------------------------


def as_prod(net: Net) -> str:
    """A net in PROD, its units as modules."""
    module = {}
    for number, unit in enumerate(net.units.units if net.units else ()):
        module |= dict.fromkeys(unit.places, number)
    lines = []
    for p in net.places:
        level = f" ({module[p.name]})" if p.name in module else ""
        lines.append(f"#place{level} {p.name} mk({p.initial}*<..>)")
    name = [p.name for p in net.places]
    for e in net.events:
        taken = [f"{name[p]}:{w}<..>;" for p, w in e.pre]
        taken += [f"{name[p]}<{w};" for p, w in e.inhibitor]
        taken += [f"{name[p]}:reset;" for p in e.reset]
        put = [f"{name[p]}:{w}*<..>;" for p, w in e.post]
        lines += [f"#trans {e.name}", f"in {{{''.join(taken)}}}", f"out {{{''.join(put)}}}"]
        lines.append("#endtr")
    return "\n".join(lines)


def as_cami(net: Net) -> str:
    """The same net in CAMI."""
    lines = ["DB()", "CN(3:net,1)"]
    for number, p in enumerate(net.places, start=2):
        lines.append(f"CN(5:place,{number})")
        lines.append(f"CT(4:name,{number},{len(p.name)}:{p.name})")
        lines.append(f"CT(7:marking,{number},{len(str(p.initial))}:{p.initial})")
    first = len(net.places) + 2
    arc = first + len(net.events)

    def add(kind: str, source: int, target: int, weight: object) -> Iterator[str]:
        nonlocal arc
        yield f"CA({len(kind)}:{kind},{arc},{source},{target})"
        yield f"CT(9:valuation,{arc},{len(str(weight))}:{weight})"
        arc += 1

    for number, e in enumerate(net.events, start=first):
        lines.append(f"CN(10:transition,{number})")
        lines.append(f"CT(4:name,{number},{len(e.name)}:{e.name})")
        for p, w in e.pre:
            lines += add("arc", p + 2, number, w)
        for p, w in e.post:
            lines += add("arc", number, p + 2, w)
        for p, w in e.inhibitor:
            lines += add("inhibitor arc", p + 2, number, w)
        for p in e.reset:
            lines += add("arc", p + 2, number, "#")
    return "\n".join([*lines, "FB()"])


def random_net(seed: int) -> Net:
    random = Random(seed)
    width = random.randint(2, 5)
    places = tuple(Place(f"p{i}", random.randint(0, 2)) for i in range(width))

    def row(most: int) -> tuple[tuple[int, int], ...]:
        chosen = sorted(random.sample(range(width), random.randint(0, 2)))
        return tuple((p, random.randint(1, most)) for p in chosen)

    events = []
    for number in range(random.randint(1, 5)):
        resets = tuple(p for p in range(width) if random.random() < 0.1)
        pre = tuple((p, w) for p, w in row(2) if p not in resets)
        post = row(2)
        limits = {p: random.randint(1, 3) for p, _ in row(1)} | {p: 3 for p, _ in post}
        inhibitor = tuple(sorted(limits.items()))
        events.append(NetEvent(f"t{number}", pre, post, inhibitor, resets))
    return Net("random", places, tuple(events))


def reached(net: Net) -> int:
    """How many markings there are, by the firing rule."""
    seen, waiting = {net.initial}, [net.initial]
    while waiting:
        marking = waiting.pop()
        for event in net.events:
            if event.enabled(marking):
                after = event.fire(marking)
                if after not in seen:
                    seen.add(after)
                    waiting.append(after)
    return len(seen)


@pytest.mark.parametrize("seed", range(40))
def test_a_random_net_has_the_same_states_in_both_formats(seed: int) -> None:
    net = random_net(seed)
    expected = reached(net)
    for text, read in ((as_prod(net), prod.parse), (as_cami(net), cami.parse)):
        model = read(text)
        for engine in ("symbolic", "reference"):
            assert states(model, engine=engine).states == expected


def nested(names: list[str], random: Random, depth: int = 3) -> list[object]:
    """A hierarchy of all names."""
    if depth == 0 or len(names) < 3:
        return list(names)
    cut = random.randint(1, len(names) - 1)
    return [nested(names[:cut], random, depth - 1), *nested(names[cut:], random, depth - 1)]


@pytest.mark.parametrize(
    ("name", "n", "expected"),
    [("fms", 5, 2_895_018), ("kanban", 5, 2_546_432), ("philosophers", 100, None)],
)
@pytest.mark.parametrize("format_", ["prod", "cami"])
def test_modules_and_orders_in_json_change_no_count(
    name: str, n: int, expected: int | None, format_: str, tmp_path: Path
) -> None:
    """The flexible factory has 2,895,018 states; of 100 philosophers see `counts`.

    covers: I140
    """
    entry = ENTRIES[name]
    expected = expected or counts.philosophers(n)
    net = net_of(entry.model(n, "flat"))
    file = tmp_path / f"net.{'net' if format_ == 'prod' else 'cami'}"
    file.write_text(as_prod(net) if format_ == "prod" else as_cami(net), encoding="utf-8")
    assert language_of(file) == format_
    model = load(file)
    hierarchy = tmp_path / "order.json"
    names = [p.name for p in net.places]
    hierarchy.write_text(json.dumps(nested(names, Random(n)), indent=1), encoding="utf-8")
    for tuning in (
        Tuning(),
        Tuning(merge="units"),
        Tuning(order=f"file:{hierarchy}"),
        Tuning(parts=str(hierarchy)),
    ):
        space = states(model, engine="symbolic", tuning=tuning)
        assert space.states == expected
        if tuning.parts:
            assert space.stats["order"] == f"hierarchy file:{hierarchy}"
            assert space.stats["set_nodes"]
    if format_ == "prod":
        assert isinstance(model.system, ElementaryType)
        assert model.system.units is not None
        composite = decompose(model, by_units(model.system.units)).model
        assert states(composite, engine="symbolic").states == expected


def test_formulas_ask_about_a_net_of_prod() -> None:
    model = prod.parse("#place p mk(<..>)\n#place q\n#trans t\nin {p:<..>;}\nout {q:<..>;}\n#endtr")
    asked = [parse_formula("AF q == 1", model), parse_formula("EF p + q == 2", model)]
    for engine in ("explicit", "symbolic", "reference"):
        assert [a.verdict for a in check(model, asked, engine=engine)] == ["true", "false"]


# --- mistakes -------------------------------------------------------------------------------------

PLACES = "#place p\n#place q\n"


def refusal(read: Callable[[str], object], text: str) -> str:
    with pytest.raises(InputError) as raised:
        read(text)
    (found,) = raised.value.diagnostics
    assert found.span is not None
    assert raised.value.render()
    return f"{found.span.line}:{found.span.column}: {found.message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("place p", "1:1: expected '#place' or '#trans', found 'place'"),
        ("#place", "1:7: expected the name of a place, found the end of the text"),
        ("#place p\n#place (2) p", "2:12: two places are named 'p'"),
        ("#place (x) p", "1:9: expected the number of a module, found 'x'"),
        ("#place p mk(3)", "1:14: expected '<.', found ')'"),
        ("#place p mk(<.1.>)", "1:15: only tokens without colours are read: <..>"),
        ("#place p mk(9999999999<..>)", "1:13: the constant 9999999999 does not fit in 32 bits"),
        ("#place p mk(3<..>) cp(2)", "1:8: 'p' begins with 3 tokens and has room for 2"),
        ("#queue f loss", "1:1: queues are not read"),
        (PLACES + "#trans t\n#trans u #endtr", "4:1: expected '#endtr', found '#trans'"),
        (PLACES + "#trans t #endtr\n#trans t #endtr", "4:8: two transitions are named 't'"),
        (PLACES + "#trans t in {r:<..>;}", "3:14: there is no place named 'r'"),
        (PLACES + "#trans t in {p:<..>}", "3:20: expected ';', found '}'"),
        (PLACES + "#trans t in {p:q;} #endtr", "3:16: arcs whose weight is the marking"),
        (PLACES + "#trans t in {p<0;} #endtr", "3:14: an inhibitor arc of weight 0"),
        (PLACES + "#trans t out {p:reset;} #endtr", "3:17: arcs whose weight is the marking"),
        (
            PLACES + "#trans t in {p:2147483647<..>;p:<..>;} #endtr",
            "3:31: the arcs add up to 2147483648 tokens",
        ),
        (
            "#place p cp(1)\n#trans t out {p:2<..>;} #endtr",
            "2:15: 't' never happens: it puts 2 tokens on 'p', which holds 1",
        ),
        (PLACES + "#trans t out {} in {} #endtr", "3:17: expected '#endtr', found 'in'"),
        ("#place p /* open", "1:10: this comment is not closed"),
        ("#place p\x00", "1:9: unexpected character U+0000; is this a text file?"),
    ],
)
def test_a_mistake_in_prod_is_shown_where_it_is(text: str, message: str) -> None:
    assert refusal(prod.parse, text).startswith(message)


TWO = "DB()\nCN(5:place,1)\nCN(10:transition,2)\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("DB()\nhello", "2:1: expected a command such as CN(5:place,3)"),
        ("XY(3)", "1:1: the command 'XY' is not known here"),
        ("CN(5:place", "1:11: expected ',' or ')'"),
        ("CN(4:place,1)", "1:10: expected ',' or ')'"),
        ("CN(99:place,1)", "1:4: the text is shorter than that"),
        ("CN(-1:place,1)", "1:4: the text is shorter than that"),
        ("CN(5:place)", "1:1: 'CN' needs more than that"),
        ("CN(3,1)", "1:4: expected a text with its length before it"),
        ("CN(5:place,1:2)", "1:12: expected a number"),
        ("CN(x)", "1:4: expected a number, or the length of a text and ':'"),
        (TWO + "CN(5:place,2)", "4:1: the number 2 has been given before"),
        (TWO + "CN(5:queue,3)", "4:1: nodes of the kind 'queue' are not read"),
        (TWO + "CT(4:name,7,1:x)", "4:11: nothing has the number 7"),
        (TWO + "CT(5:speed,1,1:x)", "4:4: the attribute 'speed' is not known here"),
        (TWO + "CT(7:marking,1,3:<1>)", "4:16: the marking is not a number of tokens"),
        (TWO + "CT(7:marking,1,10:9999999999)", "4:16: the marking is not a number of tokens"),
        (TWO + "CT(6:domain,1,1:D)", "4:15: a domain is not read"),
        (TWO + "CT(5:guard,2,3:x=y)", "4:14: a guard is not read"),
        (TWO + "CT(8:priority,2,1:3)", "4:17: a priority is not read"),
        (TWO + "CA(3:arc,3,1,1)", "4:1: an arc is between a place and a transition"),
        (TWO + "CA(3:arc,3,1,9)", "4:1: an arc is between a place and a transition"),
        (
            TWO + "CA(3:arc,3,2,1)\nCT(9:valuation,3,1:#)",
            "4:1: only an arc to a transition empties a place",
        ),
        (
            TWO + "CA(13:inhibitor arc,3,1,2)\nCT(9:valuation,3,1:0)",
            "4:1: an inhibitor arc of weight 0 never lets anything happen",
        ),
    ],
)
def test_a_mistake_in_cami_is_shown_where_it_is(text: str, message: str) -> None:
    assert refusal(cami.parse, text).startswith(message)


KNOWN = ("a", "b", "c d", "\u00e9")


def groups(text: str) -> parts.Group:
    return parts.parse(Source("order.json", text), text, KNOWN)


def test_groups_of_names_are_read_from_json() -> None:
    found = groups('[ "a", [ ["c d"], "\\u00e9" ], ["b"] ]')
    assert list(found.names()) == ["a", "c d", "\u00e9", "b"]
    inner = Part("part1_0", ("c d",))
    assert found.part() == Part(
        "groups", ("a",), (Part("part1", ("\u00e9",), (inner,)), Part("part2", ("b",)))
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1:1: expected '[' before a list of names and lists"),
        ('"a"', "1:1: expected '['"),
        ('{"a": 1}', "1:1: unexpected character '{'"),
        ("[]", "1:2: a group without members"),
        ('["a", []]', "1:8: a group without members"),
        ('["a",\n "x"]', "2:2: no variable named 'x' in the model"),
        ('["a",\n["b", "a"]]', "2:7: 'a' has two places"),
        ('["a" "b"]', "1:6: expected ',' or ']', found the string \"b\""),
        ('["a", ]', "1:7: expected a name in quotes, or a list of them, found ']'"),
        ("[a]", "1:2: expected a name in quotes"),
        ("[3]", "1:2: expected a name in quotes"),
        ('["\\q"]', "1:2: this is not a string of JSON"),
        ('["a"] "b"', "1:7: expected the end of the file"),
        ('["a"', "1:5: expected ',' or ']', found the end of the text"),
        ("[" * 100_000, "1:201: groups are nested deeper than 200 levels"),
    ],
)
def test_a_mistake_in_an_order_of_json_is_shown_where_it_is(text: str, message: str) -> None:
    assert refusal(groups, text).startswith(message)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (PROD, prod.parse),
        (CAMI, cami.parse),
        ('[ "a", [ ["c d"], "\\u00e9" ], ["b"] ]', groups),
    ],
)
def test_what_is_cut_off_or_damaged_is_read_or_refused_with_its_place(
    text: str, read: Callable[[str], object]
) -> None:
    random = Random(7)
    damaged = [text[:end] for end in range(len(text))]
    for _ in range(400):
        at, more = random.randrange(len(text)), random.choice('#(){}<>.:;,[]"9aZ\n\x00\u00ff')
        damaged.append(text[:at] + more + text[at + random.randint(0, 3) :])
    refusals = []
    for wrong in damaged:
        try:
            read(wrong)
        except InputError as found:
            refusals.append(found)
    assert len(refusals) > 100
    for found in refusals:
        assert all(d.span is not None for d in found.diagnostics)
        assert found.render()


def test_files_are_told_apart_by_how_they_begin(tmp_path: Path) -> None:
    for name, text, language in (
        ("a.net", "  #place p\n", "prod"),
        ("b.net", "// a note\n#trans t #endtr\n", "prod"),
        ("c.net", "# place p\ntr t p -> p\n", "tina"),
        ("d.net", "tr t p -> q #place\n", "tina"),
        ("e.net", "", "tina"),
        ("f", "#place p\n", "prod"),
        ("g", "DB()\nFB()\n", "cami"),
        ("h.cami", "", "cami"),
    ):
        file = tmp_path / name
        file.write_text(text, encoding="utf-8")
        assert language_of(file) == language


def test_the_command_line_takes_all_of_it(command: Command, tmp_path: Path) -> None:
    net, order = tmp_path / "p.net", tmp_path / "p.json"
    net.write_text(PROD, encoding="utf-8")
    order.write_text('[["later", "room"], ["busy"]]', encoding="utf-8")
    found = []
    for more in ((), (f"--order=file:{order}",), (f"--hierarchy=file:{order}",)):
        shown = command("states", net, "--engine=symbolic", "--json=-", *more)
        assert shown.status == 0
        found.append(json.loads(shown.out)["states"])
    assert found == [str(reached(net_of(load(net))))] * 3
    made = command("convert", net, "--to=gal", f"--decompose=file:{order}")
    assert "part0." in made.out
    order.write_text('["nobody"]', encoding="utf-8")
    for option in ("--order", "--hierarchy"):
        for verb in (("states", net), ("check", net, "-f", "EF room == 0")):
            wrong = command(*verb, f"{option}=file:{order}")
            assert wrong.status == 2
            assert f"{order}:1:2: error: no variable named 'nobody'" in wrong.err
    net.write_text("#place p mk(", encoding="utf-8")
    assert command("states", net).status == 2
