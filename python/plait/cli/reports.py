"""The reports of `plait check`: any number of them in one run.

If one cannot be written, the others and the answers are still written; then the run ends with the
failure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plait.cli.output import OutputError, say, write_json, write_text
from plait.errors import error
from plait.hints import TYPE_CHECKING
from plait.lang.files import stem

if TYPE_CHECKING:
    import argparse

    from plait.report.checked import Checked


DIAGRAMS = (".svg", ".txt")


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
        help="how the JUnit report shows an unknown property (default: error)",
    )
    parser.add_argument(
        "--sarif", metavar="FILE", help="write the violations as SARIF, for a code host"
    )
    parser.add_argument(
        "--html",
        metavar="FILE",
        help="write the results as a web page, with every trace to walk along",
    )
    parser.add_argument(
        "--diagram",
        metavar="FILE",
        help="write the traces as sequence diagrams with a lifeline for each process: .svg "
        "(several traces become numbered files) or .txt; - is text on the standard output",
    )


def refuse_clashes(arguments: argparse.Namespace) -> None:
    """No two documents may go to the same place, and a diagram must be one that we can draw."""
    diagram = arguments.diagram
    if diagram is not None and diagram != "-" and not diagram.lower().endswith(DIAGRAMS):
        raise error(f"'{diagram}' is no file for a diagram", hint="it should end with .svg or .txt")
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


def write(arguments: argparse.Namespace, run: Checked, wrong: bool = False) -> None:
    """Write all documents of a run; of a `wrong` input only those that can say so."""
    mute = ("json", "witness", "diagram") if wrong else ()
    _write_all(arguments, [run], {n: w for n, w in WRITERS.items() if n not in mute})


def write_sweep(arguments: argparse.Namespace, runs: Sequence[Checked], interrupted: bool) -> None:
    """Write all documents of several runs, each of them for all."""

    def together(_arguments: argparse.Namespace, runs: Sequence[Checked], file: str) -> None:
        from plait.report.sweep import sweep_document

        write_json(sweep_document(_name(arguments, runs), runs, interrupted), file)

    def one_page(_arguments: argparse.Namespace, runs: Sequence[Checked], file: str) -> None:
        from plait.report.html import sweep_page

        write_text(sweep_page(_name(arguments, runs), runs, interrupted), file)

    _write_all(arguments, runs, {**WRITERS, "json": together, "html": one_page})


def _write_all(
    arguments: argparse.Namespace, runs: Sequence[Checked], writers: dict[str, Writer]
) -> None:
    failure: OutputError | None = None
    for name, writer in writers.items():
        file = getattr(arguments, name)
        if file is None:
            continue
        try:
            writer(arguments, runs, file)
        except OutputError as unwritten:
            failure = failure or unwritten
    if failure is not None:
        raise failure


def _name(arguments: argparse.Namespace, runs: Sequence[Checked]) -> str:
    return runs[0].model if runs else stem(arguments.model)


def _json(_arguments: argparse.Namespace, runs: Sequence[Checked], file: str) -> None:
    from plait.report.data import check_document

    (run,) = runs
    write_json(check_document(run.model, run.answers), file)


def _witness(arguments: argparse.Namespace, runs: Sequence[Checked], file: str) -> None:
    from plait.report.data import witness_document

    write_json(witness_document(_name(arguments, runs), runs), file)


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


def _diagram(_arguments: argparse.Namespace, runs: Sequence[Checked], file: str) -> None:
    from plait.report.diagram import diagrams

    found = [d for run in runs for d in diagrams(run.answers)]
    if not found:
        say("no property has a trace, so there is no diagram")
        return
    if not file.lower().endswith(".svg"):
        write_text("\n\n".join(f"{d.title}\n{d.text()}" for d in found) + "\n", file)
        return
    for number, diagram in enumerate(found, start=1):
        name = file if len(found) == 1 else f"{file[:-4]}-{number}{file[-4:]}"
        write_text(diagram.svg(), name)
        if len(found) > 1:
            say(f"{name}: {diagram.title}")


Writer = Callable[["argparse.Namespace", Sequence["Checked"], str], None]
WRITERS: dict[str, Writer] = {
    "json": _json,
    "witness": _witness,
    "junit": _junit,
    "sarif": _sarif,
    "html": _html,
    "diagram": _diagram,
}
"""By the options that name their files; `-` is the standard output."""
