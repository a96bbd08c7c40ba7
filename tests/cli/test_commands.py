"""The other commands, and what all of them share."""

import json
import shlex
import shutil
from collections.abc import Callable
from importlib import import_module, resources
from pathlib import Path

import jsonschema
import pytest
from tests.cli.command import Command

from plait.cli.main import COMMANDS
from plait.errors import LimitReached
from plait.lang import load
from plait.lang.gal import parse
from plait.model.types import Model, Property
from plait.report.answer import Answer


def test_states_counts_and_says_how(plait: Command, philosophers: Path) -> None:
    """covers: I48"""
    result = plait("states", philosophers)
    assert result.status == 0
    rows = dict(line.split(maxsplit=1) for line in result.out.splitlines()[:3])
    assert rows == {"states": "34", "arcs": "88", "deadlocks": "1"}


def test_the_document_of_states_follows_its_schema(plait: Command, philosophers: Path) -> None:
    result = plait("states", philosophers, "--json", "-")
    document = json.loads(result.out)
    text = resources.files("plait.report").joinpath("schema", "states.json").read_text()
    jsonschema.validate(document, json.loads(text))
    assert (document["states"], document["arcs"], document["deadlocks"]) == ("34", "88", "1")


def test_the_reference_counts_the_same(plait: Command, philosophers: Path) -> None:
    result = plait("states", philosophers, "--engine", "reference", "--json", "-")
    document = json.loads(result.out)
    assert (document["states"], document["arcs"], document["deadlocks"]) == ("34", "88", "1")
    assert document["max_sum"] == 8


def test_a_count_that_is_cut_off_says_at_least(plait: Command, philosophers: Path) -> None:
    limits = ["--engine", "explicit", "--timeout", "0.2"]
    result = plait("states", philosophers, "-D", "N=40", *limits)
    assert result.status == 3
    assert "at least" in result.out
    assert result.out.endswith("incomplete: out of time\n")


def test_conversion_to_gal_keeps_the_model(
    plait: Command, philosophers: Path, tmp_path: Path
) -> None:
    file = tmp_path / "copy.gal"
    assert plait("convert", philosophers, "--to", "gal", "-o", file).status == 0
    assert parse(file.read_text(), "philosophers") == load(philosophers)


def test_a_conversion_is_into_what_the_ending_of_the_file_tells(
    plait: Command, philosophers: Path, tmp_path: Path
) -> None:
    for ending, begins in (
        ("pml", "/* philosophers"),
        ("dve", "system async;"),
        ("svg", "<svg"),
        ("gal", "$N"),
    ):
        file = tmp_path / f"copy.{ending}"
        assert plait("convert", philosophers, "-o", file).status == 0
        assert begins in file.read_text()
    for output in ([], ["-o", tmp_path / "copy.txt"], ["-o", tmp_path / "copy"]):
        result = plait("convert", philosophers, *output)
        assert (result.status, result.out) == (2, "")
        assert "say --to, or write to a file that ends with one of .gal, " in result.err


def test_conversion_to_pnml_and_back_keeps_the_count(plait: Command, tmp_path: Path) -> None:
    source = tmp_path / "net.gal"
    source.write_text(
        "gal net { int p = 2; int q = 0; transition t [p >= 1] { p -= 1; q += 1; }"
        " transition u [q >= 2] { q -= 2; p += 2; } }\n"
    )
    net = tmp_path / "net.pnml"
    assert plait("convert", source, "--to", "pnml", "-o", net).status == 0
    first = json.loads(plait("states", source, "--json", "-").out)
    second = json.loads(plait("states", net, "--json", "-").out)
    assert [first[k] for k in ("states", "arcs", "deadlocks")] == ["3", "3", "0"]
    assert [second[k] for k in ("states", "arcs", "deadlocks")] == ["3", "3", "0"]


def test_a_composite_can_be_flattened_on_the_way(
    plait: Command, data: Path, tmp_path: Path
) -> None:
    flat = tmp_path / "flat.gal"
    plait("convert", data / "gal" / "cgal" / "PhiloFork.gal", "--to", "gal", "--flat", "-o", flat)
    assert json.loads(plait("states", flat, "--json", "-").out)["states"] == "29"


def test_conversion_to_dot_draws(plait: Command, philosophers: Path) -> None:
    result = plait("convert", philosophers, "--to", "dot")
    assert result.status == 0
    assert result.out.startswith(("digraph", "graph"))


def test_a_random_walk_is_the_same_for_the_same_seed(plait: Command, philosophers: Path) -> None:
    first = plait("simulate", philosophers, "--random", "6", "--seed", "3")
    second = plait("simulate", philosophers, "--random", "6", "--seed", "3")
    other = plait("simulate", philosophers, "--random", "6", "--seed", "4")
    assert first == second
    assert first.out != other.out


def test_a_random_walk_into_a_deadlock_explains_it(plait: Command, tmp_path: Path) -> None:
    file = tmp_path / "stop.gal"
    file.write_text("gal stop { int x = 0; transition t [x == 0] { x = 1; } }\n")
    result = plait("simulate", file, "--random", "9")
    assert result.out.splitlines() == [
        "  0  initial state",
        "  1  t              line 1  x: 0 → 1",
        "no event can be executed in the last state:",
        "  t  needs x == 0, but x = 1",
    ]


def test_an_interactive_walk(
    plait: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "two.gal"
    file.write_text(
        "gal two { int x = 0; transition a [x == 0] { x = 1; } transition b [x == 0] { x = 2; } }\n"
    )
    commands = iter(["2", "b", "1", "t", "nonsense", "99", "0000000012", "s", "q"])
    monkeypatch.setattr("builtins.input", lambda _prompt: next(commands))
    result = plait("simulate", file)
    assert result.status == 0
    assert "   2  b  (x: 0 → 2)" in result.out
    assert "  1  a" in result.out
    assert result.err.count("that is none of the choices") == 3


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["ch"], ["check"]),
        (["check", "--eng"], ["--engine"]),
        (["check", "--engine", ""], ["auto", "explicit", "symbolic", "bounded", "reference"]),
        (["convert", "--to", "pn"], ["pnml"]),
        (["completion", "ba"], ["bash"]),
    ],
)
def test_the_shell_completes(plait: Command, words: list[str], expected: list[str]) -> None:
    assert plait("__complete", *words).out.split() == expected


def test_the_shell_completes_the_names_of_properties(plait: Command, philosophers: Path) -> None:
    result = plait("__complete", "check", str(philosophers), "-p", "f")
    assert result.out.split() == ["free", "forks"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_there_is_a_script_for_each_shell(plait: Command, shell: str) -> None:
    result = plait("completion", shell)
    assert result.status == 0
    assert "plait __complete" in result.out


@pytest.mark.parametrize(
    "command", ["check", "states", "resume", "simulate", "convert", "models", "mcc", "completion"]
)
def test_help_shows_an_example(plait: Command, command: str) -> None:
    result = plait(command, "--help")
    assert result.status == 0
    assert f"plait {command}" in result.out.split("examples:")[1] or "source" in result.out


def test_help_begins_with_what_every_line_needs(plait: Command) -> None:
    assert plait("check", "--help").out.startswith("usage: plait check [options] MODEL\n\n")
    usage = plait("automaton", "--help").out.splitlines()[0]
    assert usage == "usage: plait automaton (-p NAME | -f FORMULA) [options] MODEL"


def test_who_asks_for_no_examination_is_told(plait: Command, tmp_path: Path) -> None:
    result = plait("mcc", "Statespace", tmp_path)
    assert (result.status, result.out) == (3, "DO_NOT_COMPETE\n")
    assert "did you mean StateSpace?" in result.err


@pytest.mark.parametrize(
    ("examination", "expected"),
    [
        ("ReachabilityDeadlock", ["FORMULA ReachabilityDeadlock FALSE TECHNIQUES EXPLICIT"]),
        ("OneSafe", ["FORMULA OneSafe FALSE TECHNIQUES EXPLICIT"]),
        ("QuasiLiveness", ["FORMULA QuasiLiveness TRUE TECHNIQUES EXPLICIT"]),
        ("StableMarking", ["FORMULA StableMarking FALSE TECHNIQUES EXPLICIT"]),
        ("Nonsense", ["DO_NOT_COMPETE"]),
        (
            "StateSpace",
            [
                "STATE_SPACE STATES 3444 TECHNIQUES SYMBOLIC",
                "STATE_SPACE TRANSITIONS 16311 TECHNIQUES SYMBOLIC",
                "STATE_SPACE MAX_TOKEN_PER_MARKING 12 TECHNIQUES SYMBOLIC",
                "STATE_SPACE MAX_TOKEN_IN_PLACE 3 TECHNIQUES SYMBOLIC",
            ],
        ),
    ],
)
def test_the_contest_is_answered_in_its_own_format(
    plait: Command, data: Path, examination: str, expected: list[str]
) -> None:
    result = plait("mcc", examination, data / "mcc" / "FMS-PT-00002")
    assert result.out.splitlines() == expected
    assert result.status == (3 if examination == "Nonsense" else 0)


def test_the_contest_gets_temporal_answers_on_small_nets(plait: Command, data: Path) -> None:
    import csv

    model = "TwoPhaseLocking-PT-nC00010vN"
    with (data / "mcc" / "expected.csv").open() as rows:
        expected = {
            r["property_id"]: r["expected"]
            for r in csv.DictReader(rows)
            if r["model"] == model and r["examination"] in ("CTLCardinality", "LTLFireability")
        }
    found = {}
    for examination in ("CTLCardinality", "LTLFireability"):
        for line in plait("mcc", examination, data / "mcc" / model).out.splitlines():
            words = line.split()
            found[words[1]] = words[2]
    assert found == expected


@pytest.mark.parametrize(
    "case",
    [
        ("QuasiLiveness", ("true", "false"), True, "FALSE"),
        ("StableMarking", ("false", "true"), True, "TRUE"),
        ("QuasiLiveness", ("true", "true"), False, "CANNOT_COMPUTE"),
    ],
)
def test_an_answer_that_decides_an_examination_ends_it(
    plait: Command,
    data: Path,
    monkeypatch: pytest.MonkeyPatch,
    case: tuple[str, tuple[str, str], bool, str],
) -> None:
    examination, told, ends, expected = case
    ended: list[bool] = []

    def check(
        _: Model, asked: list[Property], *, tell: Callable[[Answer], None], **__: object
    ) -> list[Answer]:
        ended.append(True)
        for p, verdict in zip(asked, told, strict=False):
            tell(Answer(p, verdict, "some"))  # type: ignore[arg-type]
        ended[-1] = False
        return [Answer(p, "unknown", "some") for p in asked]

    monkeypatch.setattr("plait.cli.mcc.check", check)
    result = plait("mcc", examination, data / "mcc" / "FMS-PT-00002")
    assert result.out.split()[2] == expected
    assert ended == [ends]


@pytest.mark.parametrize(
    ("model", "expected"), [("DatabaseWithMutex-PT-02", "TRUE"), ("Raft-PT-02", "FALSE")]
)
def test_a_moment_of_diagrams_tells_that_a_net_is_live(
    plait: Command, data: Path, monkeypatch: pytest.MonkeyPatch, model: str, expected: str
) -> None:
    def nobody(*_: object, **__: object) -> None:
        raise AssertionError("nobody else is asked")

    monkeypatch.setattr("plait.engines.nets.siphon_trap.liveness", lambda *_: None)
    monkeypatch.setattr("plait.cli.mcc.check", nobody)
    result = plait("mcc", "Liveness", data / "mcc" / model)
    assert (result.status, result.out.split()[2:]) == (0, [expected, "TECHNIQUES", "SYMBOLIC"])


def test_a_sum_that_leaves_the_integers_is_no_answer(plait: Command, tmp_path: Path) -> None:
    most = 2**31 - 1
    places = "".join(
        f'<place id="{p}"><initialMarking><text>{most}</text></initialMarking></place>'
        for p in ("p", "q")
    )
    (tmp_path / "model.pnml").write_text(
        '<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">'
        f"{places}</page></net></pnml>"
    )
    bounds = "".join(
        f"<property><id>{name}</id><formula><place-bound>{places}</place-bound></formula></property>"
        for name, places in (
            ("one", "<place>p</place>"),
            ("both", "<place>p</place><place>q</place>"),
        )
    )
    (tmp_path / "UpperBounds.xml").write_text(f"<property-set>{bounds}</property-set>")
    result = plait("mcc", "UpperBounds", tmp_path)
    assert result.out.splitlines() == [
        f"FORMULA one {most} TECHNIQUES EXPLICIT",
        "FORMULA both CANNOT_COMPUTE",
    ]
    assert result.status == 3


def test_what_cannot_be_computed_is_said_so(plait: Command, data: Path) -> None:
    folder = data / "mcc" / "Raft-PT-02"
    result = plait("mcc", "StateSpace", folder, "--timeout", "0.0001")
    assert (result.status, result.out) == (3, "CANNOT_COMPUTE\n")


@pytest.mark.parametrize(
    ("examination", "said"),
    [
        ("StateSpace", "CANNOT_COMPUTE"),
        ("OneSafe", "FORMULA OneSafe CANNOT_COMPUTE"),
        ("CTLFireability", "CANNOT_COMPUTE"),
    ],
)
def test_a_net_that_is_not_read_in_time_has_no_answer(
    plait: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, examination: str, said: str
) -> None:
    def late(_: Path) -> Model:
        raise LimitReached("timeout")

    monkeypatch.setattr("plait.cli.mcc.load_net", late)
    result = plait("mcc", examination, tmp_path)
    assert (result.status, result.out) == (3, f"{said}\n")
    assert "out of time" in result.err


def test_a_net_without_bound_has_infinitely_many_states(plait: Command, data: Path) -> None:
    result = plait("mcc", "StateSpace", data / "mcc" / "DoubleLock-PT-p3s1")
    assert result.status == 0
    assert [line.split()[1:3] for line in result.out.splitlines()] == [
        ["STATES", "+inf"],
        ["TRANSITIONS", "+inf"],
        ["MAX_TOKEN_PER_MARKING", "+inf"],
        ["MAX_TOKEN_IN_PLACE", "+inf"],
    ]


def test_a_control_character_in_a_name_is_shown_and_not_obeyed(
    plait: Command, tmp_path: Path
) -> None:
    file = tmp_path / "m.gal"
    file.write_text('gal g { int x; transition "\x1b[31mred\\nline" [x < 1] { x += 1; } }\n')
    for arguments in (["check", file], ["simulate", file, "--random", "1"]):
        result = plait(*arguments)
        assert "\\x1b[31mred\\nline" in result.out
        assert "\x1b" not in result.out


def examples() -> list[list[str]]:
    """The examples in the help of the commands, of models that are at hand."""
    found = []
    for name in COMMANDS:
        for line in import_module(f"plait.cli.{name}").EXAMPLE.splitlines():
            words = shlex.split(line) if line.startswith("  plait ") else []
            end = next((i for i, w in enumerate(words) if w in ("|", ">")), len(words))
            if any(w.startswith("file:") for w in words):
                continue
            if "philosophers.gal" in words[:3] or words[1:2] == ["models"]:
                found.append(words[1:end])
    return found


@pytest.mark.parametrize("arguments", examples(), ids=" ".join)
def test_the_examples_in_the_help_work(
    plait: Command,
    philosophers: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
) -> None:
    def nothing(_prompt: str) -> str:
        raise EOFError

    shutil.copy(philosophers, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("builtins.input", nothing)
    # Nobody looks at what is served.
    monkeypatch.setattr("plait.app.server.Explorer.serve_forever", lambda *_, **__: None)
    monkeypatch.setattr("webbrowser.open", lambda _url: True)
    result = plait(*arguments)
    assert result.status in ((0, 1) if arguments[0] in ("check", "compare") else (0,)), result.err


def test_a_net_without_places_has_no_token_in_any(plait: Command, tmp_path: Path) -> None:
    (tmp_path / "model.pnml").write_text(
        '<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">'
        '<transition id="t"/></page></net></pnml>'
    )
    for engine in ("explicit", "symbolic", "reference"):
        result = plait("mcc", "StateSpace", tmp_path, "--engine", engine)
        figures = dict(line.split()[1:3] for line in result.out.splitlines())
        assert figures == {
            "STATES": "1",
            "TRANSITIONS": "1",
            "MAX_TOKEN_PER_MARKING": "0",
            "MAX_TOKEN_IN_PLACE": "0",
        }


def test_a_dependency_tells_the_values_of_a_guard_without_the_ends_of_integers(
    plait: Command, tmp_path: Path
) -> None:
    file = tmp_path / "guards.gal"
    file.write_text(
        "gal g { int x = 1; int y = 3; int z = 0;\n"
        "  transition a [x != 0] { x = x * 3; }\n"
        "  transition b [y > 2] { y = y * 5; }\n"
        "  transition c [z < 7] { z = z - 2; }\n}\n"
    )
    lines = plait("dependency", file).out.splitlines()
    assert lines[1:4] == [
        "    0 a: x not in 0 := ? read",
        "    1 b: y in 3.. := ? read",
        "    2 c: z in ..6 -2",
    ]
