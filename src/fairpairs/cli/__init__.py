"""The commands of the shell.

A command prints a report in plain words and exits with 0, whatever it finds. When its input is bad
it says so in one sentence on stderr, exits with 2 and has written nothing. A fault of ours exits
with 70, so that it is not taken for a violation (1, where --fail-on-violation asks for it).
"""

from __future__ import annotations

import errno
import io
import logging
import os
import sys
import traceback
from typing import Annotated

import typer

import fairpairs
from fairpairs.cli.audit import EXAMPLES as AUDIT_EXAMPLES, audit
from fairpairs.cli.audit_judgments import EXAMPLES as AUDIT_JUDGMENTS_EXAMPLES, audit_judgments
from fairpairs.cli.bridge import EXAMPLES as BRIDGE_EXAMPLES, bridge
from fairpairs.cli.datasets import EXAMPLES as DATASETS_EXAMPLES, datasets
from fairpairs.cli.list import EXAMPLES as LIST_EXAMPLES, list_parts
from fairpairs.cli.power import EXAMPLES as POWER_EXAMPLES, power
from fairpairs.cli.terminal import BAD_INPUT
from fairpairs.files import remedy_of

#: Errors of a full disk or a used quota, also on standard output.
FULL = (errno.ENOSPC, errno.EDQUOT)
#: Exit status of a fault of ours, as in BSD's sysexits.h.
SOFTWARE = 70

app = typer.Typer(
    no_args_is_help=True,
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
    # characters that the encoding of the terminal lacks are written as \udcff
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    # that there is no folder to keep settings or fonts in is no matter of ours
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    # no window is opened, so that it does not matter which kind matplotlib is to open
    os.environ.pop("MPLBACKEND", None)


app.command(short_help="Audit the predictions of a model.", epilog=AUDIT_EXAMPLES)(audit)
app.command(
    short_help="Test scores on comparative judgments alone.", epilog=AUDIT_JUDGMENTS_EXAMPLES
)(audit_judgments)
app.command(short_help="Compare decisions on different items.", epilog=BRIDGE_EXAMPLES)(bridge)
app.command(short_help="List the data sets, or show a card.", epilog=DATASETS_EXAMPLES)(datasets)
app.command("list", short_help="List treatments, models, tests, data sets.", epilog=LIST_EXAMPLES)(
    list_parts
)
app.command(short_help="Compute the labels or judgments needed.", epilog=POWER_EXAMPLES)(power)


def program() -> None:
    """Run the command line; any exception other than bad input is reported as a bug."""
    try:
        app()
    except Exception as error:
        if isinstance(error, OSError) and error.errno in FULL:
            # flushing the rest would fail once more when Python ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            typer.echo(f"fairpairs: The report cannot be printed: {remedy_of(error)}", err=True)
            sys.exit(BAD_INPUT)
        traceback.print_exc()
        typer.echo(
            "fairpairs: this is a bug in FairPairs: please report it with the traceback above.",
            err=True,
        )
        sys.exit(SOFTWARE)
