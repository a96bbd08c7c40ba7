"""`plait explore`: walk through a model in the browser."""

from __future__ import annotations

import argparse

from plait.app.server import Explorer
from plait.app.session import Session
from plait.cli import options, values
from plait.cli.output import print_lines
from plait.cli.status import HOLDS
from plait.errors import error
from plait.lang import NETS, language_of

HELP = "walk through a model in the browser"
EXAMPLE = """\
examples:
  plait explore philosophers.gal
  plait explore protocol.pml --port 8080 --no-browser

The explorer serves only this machine, at an address with a secret token. To end it, press Ctrl-C
(exit status 130), or stop on the page (0).
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    options.add_model(parser)
    parser.add_argument(
        "--port",
        metavar="N",
        type=values.count(0, 65535),
        default=0,
        help="the port of the page (default: any free port)",
    )
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    options.add_net_forms(parser)


def run(arguments: argparse.Namespace) -> int:
    """Serve until it is stopped."""
    model = options.load_model(arguments)
    session = Session(model, net=language_of(arguments.model) in NETS)
    try:
        explorer = Explorer(session, arguments.port)
    except OSError as failure:
        raise error(f"cannot listen on port {arguments.port}: {failure.strerror}") from None
    with explorer:
        print_lines([f"{model.name} is at {explorer.url}", "Ctrl-C ends it."])
        if not arguments.no_browser:
            _open(explorer.url)
        explorer.serve_forever(poll_interval=0.2)
    return HOLDS


def _open(url: str) -> None:
    import webbrowser
    from threading import Thread

    # A browser may take its time, or run in this terminal until it is left.
    Thread(target=webbrowser.open, args=(url,), daemon=True).start()
