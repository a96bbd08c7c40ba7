"""Builds the documentation as a folder of HTML pages: `make docs`, then open site/index.html.

The pages are the Markdown files of the repository, the literate tests included; links between them
are kept, and a link to a file that does not exist ends the build.
"""

from __future__ import annotations

import html
import os
import re
import shutil
from pathlib import Path

import markdown

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "site"
PICTURES = ROOT / "docs" / "pictures"
SECTIONS = {
    "Plait": [
        "README.md",
        "docs/index.md",
        "docs/tutorial.md",
        "docs/commands.md",
        "docs/ci.md",
        "docs/explorer.md",
        "docs/editor.md",
        "docs/graphs.md",
        "docs/python.md",
        "docs/models.md",
        "docs/semantics.md",
        "docs/glossary.md",
    ],
    "Languages": ["docs/languages/*.md"],
    "Techniques": ["docs/techniques/*.md"],
    "GAL, by example": ["tests/spec/gal/*.md"],
    "Promela, by example": ["tests/spec/promela/*.md"],
    "Nets, by example": ["tests/spec/pnml/*.md"],
    "Measurements": ["bench/results/*.md"],
    "The project": [
        "docs/architecture.md",
        "docs/not-covered.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
    ],
}
STYLE = """
body { font: 16px/1.55 system-ui, sans-serif; margin: 0; display: flex; color: #222; }
nav { width: 16rem; padding: 1rem 1.5rem; background: #f5f5f2; min-height: 100vh; font-size: 14px; }
nav h4 { margin: 1rem 0 .2rem; } nav a { display: block; color: #345; text-decoration: none; }
main { max-width: 50rem; padding: 1rem 3rem; min-width: 0; }
pre { background: #f5f5f2; padding: .8rem 1rem; overflow-x: auto; font-size: 13.5px; }
code { font-family: ui-monospace, monospace; } table { border-collapse: collapse; }
td, th { border: 1px solid #ddd; padding: .3rem .6rem; vertical-align: top; }
img { max-width: 100%; }
"""


def main() -> None:
    """Write every page."""
    pages = {name: find(patterns) for name, patterns in SECTIONS.items()}
    known = {page for section in pages.values() for page in section}
    shutil.rmtree(SITE, ignore_errors=True)
    for page in sorted(known):
        write(page, pages, known)
    shutil.copytree(PICTURES, SITE / PICTURES.relative_to(ROOT))
    print(f"{len(known)} pages in {SITE.relative_to(ROOT)}/")


def find(patterns: list[str]) -> list[Path]:
    """The files of a section."""
    return [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]


def target(page: Path) -> Path:
    """Where a page is written."""
    if page == ROOT / "README.md":
        return SITE / "index.html"
    return (SITE / page.relative_to(ROOT)).with_suffix(".html")


def title(page: Path) -> str:
    """The first heading of a page."""
    found = re.search(r"^# (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else page.stem


def write(page: Path, pages: dict[str, list[Path]], known: set[Path]) -> None:
    """One page with the list of all others beside it."""
    body = markdown.markdown(
        page.read_text(encoding="utf-8"), extensions=["tables", "fenced_code", "toc"]
    )
    body = re.sub(r'href="([^"#:]+)(#[^"]*)?"', lambda m: relink(page, m, known), body)
    menu = "".join(
        f"<h4>{html.escape(name)}</h4>"
        + "".join(
            f'<a href="{relative(target(page), target(other))}">{html.escape(title(other))}</a>'
            for other in section
        )
        for name, section in pages.items()
    )
    file = target(page)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        f"<!doctype html><meta charset=utf-8><title>{html.escape(title(page))}</title>"
        f"<style>{STYLE}</style><nav>{menu}</nav><main>{body}</main>\n",
        encoding="utf-8",
    )


def relink(page: Path, link: re.Match[str], known: set[Path]) -> str:
    """A link from one Markdown file to another, as a link between pages."""
    to = (page.parent / link[1]).resolve()
    if not to.exists():
        raise SystemExit(f"{page.relative_to(ROOT)}: no such file: {link[1]}")
    if to.is_dir():
        inside = sorted(p for p in known if p.parent == to)
        to = inside[0] if inside else to
    if to not in known:
        return f'href="{relative(target(page), to)}"'
    return f'href="{relative(target(page), target(to))}{link[2] or ""}"'


def relative(start: Path, to: Path) -> str:
    """The way from one file to another."""
    return Path(os.path.relpath(to, start.parent)).as_posix()


if __name__ == "__main__":
    main()
