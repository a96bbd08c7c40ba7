"""A web page in one file: a style, a script and data, with nothing fetched from anywhere.

The parts are in `web/`. Data stands in the page as JSON in which nothing can end the element around
it, and the script shows all of it as text, never as markup. Besides, the policy of the page lets no
other script run, and nothing be loaded: names in a model are whatever somebody wrote there.
"""

from __future__ import annotations

import html
import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from plait.errors import printable

WEB = Path(__file__).parent / "web"
SHARED = ("expression", "dom", "trace", "timeline", "panels", "replay", "answers")
"""The scripts that every page has."""


def page(
    title: str,
    scripts: Sequence[str],
    data: Mapping[str, object],
    *,
    without_script: Sequence[str] = (),
    connect: str = "'none'",
) -> str:
    """A page with these scripts after the shared ones, and data under the ids of its elements.

    `without_script` are the lines that are shown where no script runs; `connect` is where the
    script may ask for more, as the policy says it.
    """
    style, script = _style(), _script((*SHARED, *scripts))
    blocks = "\n".join(
        f'<script type="application/json" id="{name}">{embedded(value)}</script>'
        for name, value in data.items()
    )
    plain = html.escape("\n".join(map(printable, without_script)))
    return (
        "<!DOCTYPE html>\n"
        '<html lang="en" data-theme="auto">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(style, script, connect)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{html.escape(printable(title))}</title>\n"
        f"<style>{style}</style>\n</head>\n<body>\n"
        f'<div id="app"></div>\n<noscript><pre>{plain}</pre></noscript>\n'
        f"{blocks}\n<script>{script}</script>\n</body>\n</html>\n"
    )


def policy(style: str, script: str, connect: str) -> str:
    """What the page may do: run this script, use this style, and ask there."""
    return (
        f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; "
        f"connect-src {connect}; base-uri 'none'; form-action 'none'"
    )


def embedded(value: object) -> str:
    """JSON for the inside of an element: no character in it means anything to a browser."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _style() -> str:
    return "\n" + (WEB / "page.css").read_text(encoding="utf-8")


def _script(names: Sequence[str]) -> str:
    files = ((WEB / f"{name}.js").read_text(encoding="utf-8") for name in names)
    return '\n"use strict";\n(() => {\n' + "\n".join(files) + "})();\n"


__all__ = ["embedded", "page"]
