"""`fairpairs card`: draft the card of a data set from its file, and check it."""

from pathlib import Path
from typing import Annotated, Any

import typer

from fairpairs.base.errors import InputError
from fairpairs.base.named_columns import SEVERAL, names_of
from fairpairs.base.plain_values import Record
from fairpairs.base.terminal import bad_input_in_one_sentence, show
from fairpairs.papers.commands.datasets import SCHEMA
from fairpairs.papers.datasets import interface
from fairpairs.papers.datasets.card import read_card
from fairpairs.papers.datasets.integrity import check_sha256
from fairpairs.papers.datasets.interface import summary

EXAMPLES = """\b
Examples:
  fairpairs card loans.csv --label repaid --positive yes --sensitive sex
  fairpairs card loans.parquet --label repaid --positive yes --sensitive age,race \\
      --at-least age=25 --reference race=white --out config/datasets/loans.yaml
  fairpairs card --openml 31 --sensitive personal_status,age --above age=25 --positive good
  fairpairs card loans.csv --check config/datasets/loans.yaml
"""


def _bound(words: str) -> Any:
    """Return an option that makes two groups of numbers."""
    return typer.Option(help=f"COLUMN=NUMBER: {words} a label is 1, or a row is of group 1.")


def card(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="The table: Parquet, or a CSV with a header."),
    ] = None,
    label: Annotated[str | None, typer.Option(help="Column with the outcome.")] = None,
    positive: Annotated[
        str | None, typer.Option(help="Value of the outcome that is 1, the favourable one.")
    ] = None,
    numeric: Annotated[bool, typer.Option(help="The outcome is a number.")] = False,
    sensitive: Annotated[
        list[str] | None, typer.Option(help=f"Column with the groups. {SEVERAL}")
    ] = None,
    above: Annotated[list[str] | None, _bound("above it")] = None,
    at_least: Annotated[list[str] | None, _bound("from it on")] = None,
    below: Annotated[list[str] | None, _bound("below it")] = None,
    at_most: Annotated[list[str] | None, _bound("up to it")] = None,
    reference: Annotated[
        list[str] | None,
        typer.Option(help="COLUMN=GROUP that others are compared with; by default the largest."),
    ] = None,
    features: Annotated[
        list[str] | None,
        typer.Option(help=f"Column that models see; by default all. {SEVERAL}"),
    ] = None,
    openml: Annotated[
        int | None, typer.Option(help="Id of a data set on openml.org, instead of FILE.")
    ] = None,
    separator: Annotated[
        str | None, typer.Option(help="Separator of columns; by default what gives the most.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Where the card is written, and its file in a folder of its name."),
    ] = None,
    check: Annotated[
        Path | None, typer.Option(help="A card that is checked against the file instead.")
    ] = None,
) -> None:
    """Draft the card of a data set from its file, or check one against it."""
    with bad_input_in_one_sentence():
        if check is not None:
            if file is None:
                raise InputError(f"{check}: which file is it of? Name the file before --check.")
            text = _checked(check, file)
        else:
            text = interface.card(
                file,
                label=label,
                sensitive_features=sensitive or (),
                positive=positive,
                numeric=numeric,
                above=_numbers(above, "--above"),
                at_least=_numbers(at_least, "--at-least"),
                below=_numbers(below, "--below"),
                at_most=_numbers(at_most, "--at-most"),
                reference=dict(_pairs(reference, "--reference")),
                features=features and names_of(features, "--features"),
                openml=openml,
                separator=separator,
                out=out,
            )
    show(text.rstrip())


def _pairs(texts: list[str] | None, option: str) -> list[tuple[str, str]]:
    pairs = [text.rpartition("=")[::2] for text in texts or ()]
    for name, value in pairs:
        if not name or not value:
            raise InputError(f"{option}: write a column and a value, such as {option} age=25.")
    return pairs


def _numbers(texts: list[str] | None, option: str) -> dict[str, float]:
    numbers: dict[str, float] = {}
    for name, text in _pairs(texts, option):
        try:
            numbers[name] = float(text) if not text.lstrip("-").isdigit() else int(text)
        except ValueError as error:
            raise InputError(f"{option} {name}={text}: {text} is no number: give one.") from error
    return numbers


def _checked(path: Path, file: Path) -> str:
    """Read a card, prepare its table, and say what is in it."""
    content: Record = read_card(path, SCHEMA)
    entry = {**content["files"][0], "name": file.name}
    remedy = "give the file that the card is of, or draft the card again"
    check_sha256([file], {"files": [entry]}, remedy)
    return summary(path.stem, file, content)
