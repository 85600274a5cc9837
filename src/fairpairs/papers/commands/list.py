"""`fairpairs list`: the names that a config can use, with a description of each."""

from typing import Annotated

import typer

from fairpairs.base.named_columns import SEVERAL, names_of
from fairpairs.base.terminal import bad_input_in_one_sentence, show
from fairpairs.papers.commands.datasets import cards_here, extensions_here
from fairpairs.papers.inventory import document, inventory
from fairpairs.papers.registry import check_folder

EXAMPLES = """\b
Examples:
  fairpairs list
  fairpairs list --extensions my_project/extensions
"""


def list_parts(
    extensions: Annotated[
        list[str] | None,
        typer.Option(
            help="Folder with your own treatments, models, tests, data sets or studies; by default "
            f"those of the config in the working folder. {SEVERAL}"
        ),
    ] = None,
) -> None:
    """List what a config can name: treatments, models, tests, measures, data sets, your studies."""
    with bad_input_in_one_sentence():
        named = names_of(extensions or (), "--extensions")
        for folder in named:
            check_folder(folder, "--extensions")
        folders = named or extensions_here()
        text = document(inventory(folders, cards_here(folders))).to_text()
    show(text)
