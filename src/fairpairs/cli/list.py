"""`fairpairs list`: the names that a config can use, with a description of each."""

from __future__ import annotations

from typing import Annotated

import typer

from fairpairs.cli.datasets import cards_here, extensions_here
from fairpairs.cli.terminal import SEVERAL, bad_input_in_one_sentence, show
from fairpairs.input_tables import split_names
from fairpairs.inventory import document, inventory

EXAMPLES = """\b
Examples:
  fairpairs list
  fairpairs list --extensions my_project/extensions
"""


def list_parts(
    extensions: Annotated[
        list[str] | None,
        typer.Option(
            help="Folder with your own treatments, models, tests or data sets; by default those "
            f"of the config in the working folder. {SEVERAL}"
        ),
    ] = None,
) -> None:
    """List the treatments, models, tests and data sets that a config can name."""
    with bad_input_in_one_sentence():
        named = [name for text in extensions or () for name in split_names(text)]
        folders = named or extensions_here()
        text = document(inventory(folders, cards_here(folders))).to_text()
    show(text)
