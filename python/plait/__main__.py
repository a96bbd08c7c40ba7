"""`python -m plait` is the `plait` command."""

from plait.cli.main import main

main()
