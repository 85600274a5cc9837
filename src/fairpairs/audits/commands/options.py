"""The options that several commands have: their types, words and bounds.

Two have only their words here: their types would load mathematics that not every command needs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer.models import OptionInfo

from fairpairs.audits.lines.files import FILES
from fairpairs.base.terminal import SEVERAL

Predictions = Annotated[
    list[Path],
    typer.Argument(
        metavar="PREDICTIONS...",
        help="CSV, JSON lines or Parquet, one row per item; of CSV and Parquet also several files, "
        "of any size; or counts files (see fairpairs count).",
    ),
]
Alpha = Annotated[float, typer.Option(min=0, max=1, help="Level of the tests.")]
Cluster = Annotated[
    str | None, typer.Option(help="Column of the person, or cluster, whose rows are dependent.")
]
Details = Annotated[bool, typer.Option("--details", help="Print all tables too, below the answer.")]
Favourable = Annotated[
    str | None,
    typer.Option(
        metavar="VALUE",
        help="Value of the label that is good for a person; it decides what is to the cost of a "
        "group, and which outcome the four-fifths rule is of.",
    ),
]
Intersections = Annotated[
    bool, typer.Option("--intersections", help="Audit combinations of the attributes too.")
]
MissingGroup = Annotated[
    bool, typer.Option("--missing-group", help="Rows without a group are the group `missing`.")
]
Positive = Annotated[
    str | None, typer.Option(help="Value of the label that is positive; by default 1 or true.")
]
Reference = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ATTRIBUTE=GROUP",
        help="Group to compare with; by default the largest. Repeat it for several.",
    ),
]
Score = Annotated[
    str | None, typer.Option(help="Column of a score, higher for what should be positive.")
]
Sensitive = Annotated[list[str], typer.Option(help=f"Column of a sensitive attribute. {SEVERAL}")]
Separator = Annotated[
    str | None,
    typer.Option(
        metavar="CHARACTER",
        help="What stands between the columns of CSV files, where it is not found: ; or | or tab.",
    ),
]
Weight = Annotated[str | None, typer.Option(help="Column of weights, 0 or more.")]
CORRECTION: OptionInfo = typer.Option(
    help="Adjustment of p, over all lines of one attribute and criterion."
)
WEIGHT_KIND: OptionInfo = typer.Option(help="What the weights mean.")


def folder_of(command: str) -> OptionInfo:
    """Return the option that names the folder for the files of a command."""
    option: OptionInfo = typer.Option(help=f"Folder to write {', '.join(FILES[command])} to.")
    return option
