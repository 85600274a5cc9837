"""The commands of the shell.

A command prints a report in plain words and exits with 0, whatever it finds. When its input is bad
it says so in one sentence on stderr, exits with 2 and has written nothing.
"""

from __future__ import annotations

from typing import Annotated

import typer

import fairpairs
from fairpairs.cli.audit import audit
from fairpairs.cli.bridge import bridge

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"fairpairs {fairpairs.__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Test whether decisions treat groups of people differently."""


app.command()(audit)
app.command()(bridge)
