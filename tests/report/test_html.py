"""The web page of `plait check --html`: one file with all in it, which no name can break."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command import Command
from tests.report.hostile_names import NAMES, hostile

from plait.api import System, load
from plait.lang.promela import parse as parse_promela
from plait.report.card import WHOLE, answers_card
from plait.report.checked import Checked
from plait.report.html import CARDS, DOCUMENT, check_page, sweep_page
from plait.report.page import WEB

VOID = {"meta", "link", "img", "br", "input"}
PROMELA = """mtype = { req, ack };
chan to = [2] of { mtype, byte };
active proctype A() { to!req,1; to!ack,2; false }
active proctype B() { byte n; to?req(n); to?ack(n) }
"""


class Page(HTMLParser):
    """The elements of a page, which must be nested properly."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        facts = dict(attrs)
        self.tags.append((tag, facts))
        if tag not in VOID:
            self.open.append(tag)
            self.current = facts.get("id") or tag

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts[self.current] = self.texts.get(self.current, "") + data

    def data(self, name: str) -> Any:
        return json.loads(self.texts[name])


def check_contained(text: str) -> Page:
    """A page that is well formed and asks nobody for anything."""
    page = Page(text)
    kinds = [facts.get("type") for tag, facts in page.tags if tag == "script"]
    assert kinds == ["application/json", "application/json", None]
    for _, facts in page.tags:
        assert not {"src", "href", "style", "srcset", "action"} & facts.keys()
        assert not any(name.startswith("on") for name in facts)
    assert "@import" not in text
    assert "url(" not in text
    addresses = set(re.findall(r"\w+://[^\s\"'`]*", page.texts["script"] + page.texts["style"]))
    assert addresses == {"http://www.w3.org/2000/svg"}  # a name, which is never asked
    policy = next(f["content"] for _, f in page.tags if "http-equiv" in f)
    assert policy is not None
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    return page


def test_the_page_has_the_document_that_json_has(
    plait: Command, philosophers: Path, tmp_path: Path
) -> None:
    html, written, traces = (tmp_path / n for n in ("r.html", "r.json", "w.json"))
    result = plait(
        *("check", philosophers, "--html", html, "--json", written, "--witness", traces),
        *("-f", "EF (right[0] == 1 && EX left[2] == 1)", "-f", "G (left[0] == 0)"),
    )
    assert result.status == 1
    assert "this holds" in result.out  # the text as ever
    page = check_contained(html.read_text())
    assert page.data(DOCUMENT) == json.loads(written.read_text())
    assert len(json.loads(traces.read_text())["witnesses"]) == 2
    (source,) = page.data(CARDS)[0]["sources"]
    assert source["name"] == str(philosophers)
    assert source["lines"][3] == [4, "$N = 4;"]
    assert "this holds: EX" in page.texts["pre"]


def test_a_page_may_go_to_the_standard_output_alone(plait: Command, philosophers: Path) -> None:
    result = plait("check", philosophers, "-p", "free", "--html", "-")
    assert result.status == 1
    check_contained(result.out)
    result = plait("check", philosophers, "--html", "-", "--json", "-")
    assert result.status == 2
    assert "--json - and --html - would write two documents" in result.err


def test_a_page_without_a_trace_or_an_answer(plait: Command, tmp_path: Path) -> None:
    model = tmp_path / "m.gal"
    model.write_text("gal g { int x; transition t [x < 3] { x += 1; } }")
    result = plait("check", model, "-f", "never: x > 3", "--html", tmp_path / "r.html")
    assert result.status == 0
    page = check_contained((tmp_path / "r.html").read_text())
    assert [r["witness"] for r in page.data(DOCUMENT)["results"]] == [None]
    page = check_contained(check_page(Checked("nothing", "nothing.gal", problem="a < b")))
    assert page.data(CARDS)[0]["problem"] == "a < b"
    assert "a < b" in page.texts["pre"]


def test_the_runs_of_a_sweep_are_in_one_page(
    plait: Command, philosophers: Path, tmp_path: Path
) -> None:
    html, written = tmp_path / "r.html", tmp_path / "r.json"
    files = ("--html", html, "--json", written)
    assert plait("check", philosophers, "-D", "N=2..4", "-p", "free", *files).status == 1
    page = check_contained(html.read_text())
    assert page.data(DOCUMENT) == json.loads(written.read_text())
    assert [run["values"] for run in page.data(DOCUMENT)["runs"]] == [{"N": n} for n in (2, 3, 4)]
    assert len(page.data(CARDS)) == 3
    assert "N=3" in page.texts["pre"]
    assert check_contained(sweep_page("none", [], True)).data(DOCUMENT)["runs"] == []


def test_a_wrong_input_is_told_in_the_page(plait: Command, tmp_path: Path) -> None:
    (tmp_path / "m.gal").write_text("gal g {")
    result = plait("check", tmp_path / "m.gal", "--html", tmp_path / "r.html")
    assert result.status == 2
    page = check_contained((tmp_path / "r.html").read_text())
    assert "m.gal:1:8: error: " in str(page.data(CARDS)[0]["problem"])


def test_names_cannot_break_out() -> None:
    system = hostile()
    answers = system.check_all()
    text = check_page(Checked(system.name, "x", tuple(answers), system=system.model))
    page = check_contained(text)
    (result,) = page.data(DOCUMENT)["results"]
    assert [s["event"] for s in result["witness"]["steps"]] == [f"{n} event" for n in NAMES]
    assert set(result["witness"]["initial"]) == {*NAMES, NAMES[1] + " pc"}
    # Outside the script, which has no names, no character of a name means anything.
    blocks = re.findall(r'json" id="[^"]*">(.*?)</script>', text)
    assert len(blocks) == 2
    assert all(b.isascii() and not set("<>&") & set(b) for b in blocks)
    assert page.texts["title"].strip() == f"{NAMES[0]} - Plait"
    assert "alert(" not in page.texts["script"]
    assert all(c.isprintable() or c in "\n\t" for c in text)


def test_no_part_of_the_script_ends_it() -> None:
    for file in WEB.glob("*"):
        text = file.read_text()
        assert not re.search(r"</|<!--|\beval\b|new Function|innerHTML|outerHTML|insertAdj", text)


def test_the_card_knows_processes_messages_and_words() -> None:
    model = parse_promela(PROMELA, "two.pml")
    answers = System(model).check_all()
    card = answers_card(model, answers)
    assert card["processes"] == [
        {"name": "A_0", "pc": "A_0._pc"},
        {"name": "B_1", "pc": "B_1._pc"},
    ]
    (queue,) = [i for i in card["items"] if i["name"] == "to"]
    assert queue["width"] == 2
    assert ("ack" in dict(card["words"][queue["fields"][0]]).values()) is True
    assert queue["fields"][1] is None
    (source,) = card["sources"]
    assert [line for _, line in source["lines"]] == PROMELA.split("\n")
    assert card["questions"][0] == "no process waits for ever before its end"


def test_the_card_says_who_moves_and_which_messages_arrive() -> None:
    model = parse_promela(PROMELA, "two.pml")
    card = answers_card(model, System(model).check_all())
    assert card["lanes"] == ["A_0", "B_1"]
    (trace,) = (t for t in card["traces"] if t is not None)
    sends = [i + 1 for i, who in enumerate(trace["movers"]) if who == ["A_0"]]
    receives = [i + 1 for i, who in enumerate(trace["movers"]) if who == ["B_1"]]
    assert trace["messages"] == [
        {"text": text, "from": sent, "source": "A_0", "to": received, "target": "B_1"}
        for text, sent, received in zip(
            ["to (req, 1)", "to (ack, 2)"], sends[:2], receives[:2], strict=True
        )
    ]


def test_the_card_has_a_trace_for_each_branch(philosophers: Path) -> None:
    system = load(philosophers)
    answer = system.check("EF (right[0] == 1 && EX left[2] == 1)")
    assert answer.witness is not None
    (trace,) = answers_card(system.model, [answer])["traces"]
    assert len(trace["movers"]) == len(answer.witness.steps)
    assert [len(t["movers"]) for t in trace["branches"]] == [
        len(b.witness.steps) for b in answer.witness.branches
    ]
    assert trace["branches"]


def test_of_a_long_source_only_what_is_near_is_shown() -> None:
    filler = "// nothing\n" * (WHOLE // 10)
    model = parse_promela(filler + PROMELA + filler, "long.pml")
    card = answers_card(model, System(model).check_all())
    numbers = [n for n, _ in card["sources"][0]["lines"]]
    assert 10 <= len(numbers) <= 20
    assert WHOLE // 10 + 3 in numbers


def test_a_page_that_cannot_be_written_is_told(plait: Command, philosophers: Path) -> None:
    result = plait("check", philosophers, "-p", "free", "--html", "/nowhere/there.html")
    assert result.status == 3
    assert "cannot write to /nowhere/there.html" in result.err
    assert "free" in result.out


@pytest.fixture
def plait(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(capsys)


@pytest.fixture
def philosophers() -> Path:
    return Path(__file__).resolve().parents[2] / "examples" / "philosophers.gal"
