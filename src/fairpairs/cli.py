"""The commands of the shell.

A command prints a report in plain words and exits with 0, whatever it finds. When its input is bad
it says so in one sentence on stderr, exits with 2 and has written nothing. 1 is for a violation
alone, where --fail-on-violation asks for it: a fault of ours exits with 70, Ctrl-C with 130, and an
output that nobody reads with 141.
"""

import sys

try:
    import errno
    import importlib
    import io
    import logging
    import os
    import traceback
    from collections.abc import Iterator
    from functools import cache
    from typing import Annotated, Any

    import typer
    import typer.core
    import typer.main

    import fairpairs
    from fairpairs.base.commands import Command
    from fairpairs.base.memory import check_memory
    from fairpairs.base.plain_values import Content, Record
    from fairpairs.base.terminal import BAD_INPUT, bad_input_in_one_sentence, refuse
    from fairpairs.base.texts import listed, printable
except KeyboardInterrupt:  # of a user who notices a mistake at once
    sys.exit(130)  # INTERRUPTED

#: Errors of a full disk, a used quota or a limit of the size of files, also on standard output.
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
#: Exit statuses of a fault of ours, as in BSD's sysexits.h, after Ctrl-C, and if whoever reads the
#: output has left, as of other programs that these signals end.
SOFTWARE, INTERRUPTED, CLOSED = 70, 130, 141

#: The commands: the module of each, its function, and its line in the help.
COMMANDS = {
    "audit": ("audits.commands.audit", "audit", "Audit the predictions of a model."),
    "audit-groups": (
        "audits.commands.audit_groups",
        "audit_groups",
        "Find the groups that are treated worst.",
    ),
    "audit-judgments": (
        *("audits.commands.audit_judgments", "audit_judgments"),
        "Test scores on comparative judgments alone.",
    ),
    "bridge": ("audits.commands.bridge", "bridge", "Compare decisions on different items."),
    "card": ("papers.commands.card", "card", "Draft the card of a data set from its file."),
    "choose": ("audits.commands.choose", "choose", "Choose which rows people should label."),
    "compare": ("audits.commands.compare", "compare", "Compare the fairness of two models."),
    "count": ("audits.commands.count", "count", "Count the items of a large file, to sum later."),
    "datasets": ("papers.commands.datasets", "datasets", "List the data sets, or show a card."),
    "example": ("audits.commands.example", "example", "Write small files to try the commands on."),
    "list": (
        "papers.commands.list",
        "list_parts",
        "List the names that a config can use.",
    ),
    "monitor": ("audits.commands.monitor", "monitor", "Audit a stream, at any number of looks."),
    "new": ("papers.commands.new", "new", "Make a folder for a study of your own."),
    "power": ("audits.commands.power", "power", "Compute the labels or judgments needed."),
    "run": ("papers.commands.run", "run", "Run the workflow in the folder of a study."),
    "table": ("audits.commands.table", "table", "Tabulate impact ratios as a rule asks for."),
}
#: Typer's settings of all commands.
SETTINGS: Record = {"rich_markup_mode": None, "pretty_exceptions_enable": False}


@cache
def load(name: str) -> Any:
    """Load the module of a command, and what it imports, and return the command."""
    module, function, line = COMMANDS[name]
    with bad_input_in_one_sentence():
        check_memory()
    loaded = importlib.import_module(f"fairpairs.{module}")
    single = typer.Typer(add_completion=False, **SETTINGS)
    context = getattr(loaded, "CONTEXT", None)
    single.command(
        name, cls=Command, short_help=line, epilog=loaded.EXAMPLES, context_settings=context
    )(getattr(loaded, function))
    return typer.main.get_command(single)


class Commands(Content):
    """The commands by name, each loaded when it is looked up."""

    def __getitem__(self, name: str) -> Any:
        return load(name)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class Group(typer.core.TyperGroup):
    """The group of all commands, which lists them without loading any."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: Any = Commands()

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        return [*COMMANDS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; an error while it is loaded, also a KeyError, is none of its name."""
        return load(cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, _: Any, formatter: Any) -> None:
        """Write the line of each command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, _, line) in COMMANDS.items()])


app = typer.Typer(cls=Group, no_args_is_help=True, **SETTINGS)


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


def program() -> None:
    """Run the command line; any exception other than bad input is reported as a bug."""
    # read when numpy is loaded: threads of linear algebra wait for one another at full speed
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        app()
    except KeyboardInterrupt:  # outside of a command
        sys.exit(INTERRUPTED)
    except SystemExit as error:
        if isinstance(error.__context__, BrokenPipeError):  # for which Typer has the status 1
            sys.exit(CLOSED)
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno in FULL:
            _say_unprinted(error)
            sys.exit(BAD_INPUT)
        traceback.print_exc()
        typer.echo(
            "fairpairs: this is a bug in FairPairs: please report it with the traceback above.",
            err=True,
        )
        sys.exit(SOFTWARE)


def _say_unprinted(error: OSError) -> None:
    """Say why the report cannot be printed, and what was written before."""
    from fairpairs.base.files import REMEDIES, WRITTEN, remedy_of  # noqa: PLC0415  (slow)

    # flushing the rest would fail once more when Python ends
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    remedy = remedy_of(error)
    if WRITTEN:
        remedy = f"{REMEDIES[error.errno or 0]}. Written before, and whole: {listed(WRITTEN)}."
    refuse(printable(f"The report cannot be printed: {remedy}"))
