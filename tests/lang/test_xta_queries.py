"""Queries in files of their own, and what becomes of those that cannot be asked."""

from pathlib import Path

import pytest
from tests.cli.command import Command

from plait.errors import InputError
from plait.lang.xta import load, parse

MODEL = """process P(const int n) { clock x; state a { x <= 3 }, b { x <= n }; init a;
  trans a -> b { guard x >= 1; assign x := 0; }, b -> a { assign x := 0; }; }
A = P(2); B = P(4);
system A, B;
"""
QUERIES = r"""// what is asked
/* over
   lines */
A[] not deadlock

E<> A.b and \
  B.b
A.a --> A.b
A[] A.b imply A.x <= 1   // the clock is told apart that far
Pr[<=10] (<> A.b)
"""


@pytest.fixture
def plait(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(capsys)


def written(folder: Path, queries: str) -> tuple[Path, Path]:
    model, file = folder / "gate.xta", folder / "gate.q"
    model.write_text(MODEL, encoding="utf-8")
    file.write_text(queries, encoding="utf-8")
    return model, file


def test_the_queries_of_a_file_are_asked(plait: Command, tmp_path: Path) -> None:
    model, file = written(tmp_path, QUERIES)
    result = plait("check", model, "--properties", file, "-q")
    assert result.status == 1
    assert [line.split("  ")[:1] + line.split()[-1:] for line in result.out.splitlines()[:4]] == [
        ["query 1", "holds"],
        ["query 2", "reachable"],
        ["query 3", "holds"],
        ["query 4", "violated"],
    ]
    assert "query 2  E<> A.b and B.b " in result.out
    assert result.err.startswith(
        f"{file}:10:1: warning: query 5 is passed over: nothing of its kind is asked here\n"
        "10 | Pr[<=10] (<> A.b)\n"
    )


def test_one_of_them_is_asked_by_name(plait: Command, tmp_path: Path) -> None:
    model, file = written(tmp_path, QUERIES)
    result = plait("check", model, "--properties", file, "-p", "query 3", "-q")
    assert (result.status, len(result.out.splitlines())) == (0, 3)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("E<> A.c", "1:7: error: 'c' is not declared"),
        ("\n\nA[] C.b", "3:5: error: 'C' is not declared"),
        ("A.b --> A.c", "1:11: error: 'c' is not declared"),
    ],
)
def test_what_is_wrong_in_a_file_of_queries_is_an_error(
    query: str, told: str, plait: Command, tmp_path: Path
) -> None:
    model, file = written(tmp_path, query)
    result = plait("check", model, "--properties", file)
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith(f"{file}:{told}")
    with pytest.raises(InputError):
        load(model, file)


def test_queries_are_for_timed_automata(plait: Command, tmp_path: Path) -> None:
    _, file = written(tmp_path, QUERIES)
    net = tmp_path / "n.net"
    net.write_text("net n\ntr t a -> a\npl a (1)\n")
    result = plait("check", net, "--properties", file)
    assert result.status == 2
    assert "has queries of Uppaal" in result.err


def test_a_query_of_a_document_is_not_passed_over_in_silence() -> None:
    text = """<nta><template><name>P</name><location id="a"><name>a</name></location>
<init ref="a"/></template><system>system P;</system><queries>
<query><formula>E&lt;&gt; P.b</formula></query><query><formula></formula></query>
<query><formula>E&lt;&gt; P.a</formula></query></queries></nta>"""
    model = parse(text)
    assert [p.name for p in model.properties] == ["query 3"]
    (told,) = model.warnings
    assert (told.message, told.severity) == (
        "query 1 is passed over: 'b' is not declared",
        "warning",
    )
    assert told.span is not None
    assert told.span.line == 3


def test_who_writes_leads_to_in_a_formula_is_told_how_it_is_written(
    plait: Command, tmp_path: Path
) -> None:
    model, _ = written(tmp_path, QUERIES)
    result = plait("check", model, "-f", "A.a --> A.b")
    assert result.status == 2
    assert result.err.splitlines()[-1] == "  'p --> q' is written AG (p -> AF q)"
    assert plait("check", model, "-f", "AG (A.a -> AF A.b)").status == 0
