"""What every command shares: how it prints, and the status it exits with."""

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from fairpairs.base.errors import InputError
from fairpairs.base.texts import printable, printable_lines

#: Exit status of --fail-on-violation when a violation is found.
VIOLATION = 1
#: Exit status when the input is bad.
BAD_INPUT = 2
#: A word of more characters than a name of a file may have.
LONG = r"\S{256,}"


def show(text: str) -> None:
    """Print text, what is not seen in a name as Python writes it."""
    typer.echo(printable_lines(text))


def refuse(sentence: str) -> None:
    """Print why something is refused on stderr; endless names and values are shown in part."""
    shown = re.sub(LONG, lambda word: f"{word[0][:80]}…{word[0][-80:]}", sentence)
    typer.echo(f"fairpairs: {shown}", err=True)


@contextmanager
def bad_input_in_one_sentence() -> Iterator[None]:
    """Print an InputError on stderr and exit with BAD_INPUT."""
    try:
        yield
    except InputError as error:
        refuse(printable(error))
        raise typer.Exit(BAD_INPUT) from None
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:  # which looking whether there is a file raises
            raise
        name = printable(str(error.filename)[:40])
        typer.echo(f"fairpairs: {name}…: cannot be read (File name too long): check it.", err=True)
        raise typer.Exit(BAD_INPUT) from None
