"""The documents of `plait check`: any number of them in one run, for people and for other programs.

One that cannot be written takes neither the others nor the answers with it; the run ends with the
failure when all the rest is out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plait.cli.output import OutputError, write_json, write_text
from plait.errors import error
from plait.hints import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from plait.report.checked import Checked


def add_reports(parser: argparse.ArgumentParser) -> None:
    """What else to write, beside `--json`."""
    parser.add_argument("--witness", metavar="FILE", help="write the traces as JSON")
    parser.add_argument(
        "--junit", metavar="FILE", help="write a JUnit report: a test case for each property"
    )
    parser.add_argument(
        "--junit-unknown",
        choices=("error", "skipped"),
        default="error",
        help="what an unknown property is in that report (default: error)",
    )
    parser.add_argument(
        "--sarif", metavar="FILE", help="write the violations as SARIF, for a host of code"
    )
    parser.add_argument(
        "--html", metavar="FILE", help="write the results as a web page with traces to walk along"
    )


def refuse_clashes(arguments: argparse.Namespace) -> None:
    """No two documents may go to the same place."""
    places: dict[str, str] = {}
    for name in WRITERS:
        file = getattr(arguments, name)
        if file is None:
            continue
        if file in places:
            where = "the standard output" if file == "-" else file
            both = f"--{places[file]} {file} and --{name} {file}"
            raise error(f"{both} would write two documents to {where}")
        places[file] = name


def fill_output(arguments: argparse.Namespace) -> bool:
    """Whether a document is the standard output, which then has nothing else."""
    return any(getattr(arguments, name) == "-" for name in WRITERS)


def write(arguments: argparse.Namespace, runs: Sequence[Checked], wrong: bool = False) -> None:
    """Write all documents that are asked for; of a `wrong` input only those that can say so."""
    failure: OutputError | None = None
    for name, one in WRITERS.items():
        file = getattr(arguments, name)
        if file is None or (wrong and name in ("json", "witness")):
            continue
        try:
            one(arguments, runs, file)
        except OutputError as unwritten:
            failure = failure or unwritten
    if failure is not None:
        raise failure


def _json(_arguments: argparse.Namespace, runs: Sequence[Checked], file: str) -> None:
    from plait.report.data import check_document

    (run,) = runs
    write_json(check_document(run.model, run.answers), file)


def _witness(_arguments: argparse.Namespace, runs: Sequence[Checked], file: str) -> None:
    from plait.report.data import witness_document

    (run,) = runs
    write_json(witness_document(run.model, run.answers), file)


def _junit(arguments: argparse.Namespace, runs: Sequence[Checked], file: str) -> None:
    from plait.report.junit import junit

    write_text(junit(runs, arguments.junit_unknown), file)


def _sarif(_arguments: argparse.Namespace, runs: Sequence[Checked], file: str) -> None:
    from plait.report.sarif import sarif

    write_json(sarif(runs), file)


def _html(_arguments: argparse.Namespace, runs: Sequence[Checked], file: str) -> None:
    from plait.report.html import check_page

    (run,) = runs
    write_text(check_page(run), file)


Writer = Callable[["argparse.Namespace", Sequence["Checked"], str], None]
WRITERS: dict[str, Writer] = {
    "json": _json,
    "witness": _witness,
    "junit": _junit,
    "sarif": _sarif,
    "html": _html,
}
"""By the options that name their files; `-` is the standard output."""
