"""The reader of literate pages: what it takes for a case, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
from literate import PageError, names, read_page
from tests.conftest import ROOT

PAGE = """\
# Title

```gal file=lib.gal
$N = 1;
```

## A thing

```gal
gal g { }
```

```expect N=4
# a comment
states 1
```

## A thing

```gal
gal h { }
```

```sh
plait check h.gal
```

```error
wrong
```
"""


def _page(folder: Path, text: str) -> Path:
    path = folder / "page.md"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_model_and_the_blocks_below_it_are_a_case(tmp_path: Path) -> None:
    first, second = read_page(_page(tmp_path, PAGE))
    assert first.files == {"lib.gal": "$N = 1;\n"}
    assert second.files == {}
    assert first.model.text == "gal g { }\n"
    [expect] = first.of("expect")
    assert expect.settings == {"N": "4"}
    assert list(expect.statements()) == [(15, "states 1")]
    assert [b.language for b in second.checks] == ["error"]


def test_a_case_is_named_by_page_and_heading(tmp_path: Path) -> None:
    assert names(read_page(_page(tmp_path, PAGE))) == ["page/a-thing", "page/a-thing-2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("```gal\ngal g { }\n```\n", "page.md:1: nothing is said about this model"),
        ("```expect\nstates 1\n```\n", "page.md:1: this block follows no model"),
        ("# T\n\n```gal\ngal g { }\n", "page.md:3: this block is never closed"),
    ],
)
def test_a_page_that_would_test_nothing_is_refused(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(PageError, match=message):
        read_page(_page(tmp_path, text))


def test_the_documentation_of_the_crates_shows_no_code_that_nobody_runs() -> None:
    """`make test` leaves examples in comments out: for each its crate would be compiled anew."""
    fences = 0
    for file in (ROOT / "crates").rglob("*.rs"):
        lines = map(str.strip, file.read_text(encoding="utf-8").splitlines())
        found = [text for text in lines if text.startswith(("//! ```", "/// ```"))]
        assert {text[4:] for text in found[::2]} <= {"```text"}, file
        fences += len(found)
    assert fences > 0
