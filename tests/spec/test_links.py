"""Links inside the documents lead somewhere, and what they name is there."""

from __future__ import annotations

import re
from pathlib import Path
from pkgutil import resolve_name

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    p for g in ("*.md", "docs/**/*.md", "tests/spec/*/*.md", "bench/**/*.md") for p in ROOT.glob(g)
)
LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")
FILE = re.compile(r"`(?P<path>(?:bench|crates|docs|examples|python|tests)/[\w./-]+)`")
MODULE = re.compile(r"`(?P<name>plait(?:\.[a-z_]+)+)`")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^(`{3,}).*?^\1", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ (?P<title>.+)$", re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """The names under which a host of code links to the headings of a page."""
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    titles = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", m["title"]) for m in HEADING.finditer(text))
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_to_other_files_lead_somewhere(page: Path) -> None:
    prose = CODE.sub("", page.read_text(encoding="utf-8"))
    targets = [m["target"] for m in LINK.finditer(prose)]
    inside = [t.partition("#")[0] for t in targets if not re.match(r"[a-z]+:|#", t)]
    assert [t for t in inside if not (page.parent / t).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_to_headings_lead_to_one(page: Path) -> None:
    prose = FENCED.sub("", page.read_text(encoding="utf-8"))
    targets = [m["target"] for m in LINK.finditer(prose) if "#" in m["target"]]
    for name, _, heading in (t.partition("#") for t in targets if not re.match(r"[a-z]+:", t)):
        linked = (page.parent / name).resolve() if name else page
        if linked.suffix == ".md":
            assert heading in anchors(linked), f"{page.name}: {name}#{heading}"


def test_a_heading_is_linked_by_its_words(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A `b`, C: [d](e.md)\n\n```\n# none\n```\n", encoding="utf-8")
    assert anchors(page) == {"a-b-c-d"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_files_and_modules_that_a_page_names_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert [p for p in FILE.findall(text) if not (ROOT / p).exists()] == []
    for name in MODULE.findall(text):
        resolve_name(name)
