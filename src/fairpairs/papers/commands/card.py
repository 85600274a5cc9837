"""`fairpairs card`: draft the card of a data set from its file, and check it."""

from pathlib import Path
from typing import Annotated

import typer

from fairpairs.base.errors import InputError
from fairpairs.base.files import write_text
from fairpairs.base.named_columns import SEVERAL
from fairpairs.base.plain_values import Record
from fairpairs.base.terminal import bad_input_in_one_sentence, show
from fairpairs.papers.commands.datasets import SCHEMA
from fairpairs.papers.datasets.card import read_card
from fairpairs.papers.datasets.draft import SEPARATORS, draft_card
from fairpairs.papers.datasets.integrity import check_sha256
from fairpairs.papers.datasets.prepare import prepare

EXAMPLES = """\b
Examples:
  fairpairs card loans.csv --label repaid --positive yes --sensitive sex
  fairpairs card loans.csv --label repaid --positive yes --sensitive sex,age --above age=25 \\
      --out config/datasets/loans.yaml
  fairpairs card loans.csv --check config/datasets/loans.yaml
"""


def card(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The table, a CSV with a header.")],
    label: Annotated[str | None, typer.Option(help="Column with the outcome.")] = None,
    positive: Annotated[
        str | None, typer.Option(help="Value of the outcome that is 1, the favourable one.")
    ] = None,
    numeric: Annotated[bool, typer.Option(help="The outcome is a number.")] = False,
    sensitive: Annotated[
        list[str] | None, typer.Option(help=f"Column with the groups. {SEVERAL}")
    ] = None,
    above: Annotated[
        list[str] | None,
        typer.Option(help="COLUMN=NUMBER: above it a label is 1, or a row is of group 1."),
    ] = None,
    reference: Annotated[
        list[str] | None,
        typer.Option(help="COLUMN=GROUP that others are compared with; by default the largest."),
    ] = None,
    separator: Annotated[
        str | None, typer.Option(help="Separator of columns; by default what gives the most.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Where the card is written.")] = None,
    check: Annotated[
        Path | None, typer.Option(help="A card that is checked against the file instead.")
    ] = None,
) -> None:
    """Draft the card of a data set from its file, or check one against it."""
    with bad_input_in_one_sentence():
        if check is not None:
            text = _checked(check, file)
        else:
            numbers = {name: _number(name, value) for name, value in _pairs(above, "--above")}
            text = draft_card(
                file,
                label=label,
                sensitive=sensitive or (),
                positive=positive,
                numeric=numeric,
                above=numbers,
                reference=dict(_pairs(reference, "--reference")),
                separators=[separator] if separator else SEPARATORS,
            )
        if check is None and out is not None:
            if out.exists():
                raise InputError(f"{out}: is there already: remove it, or name another --out.")
            write_text(out, text)
            try:
                text = f"{out}: written.\n{_checked(out, file)}"
            except InputError:
                out.unlink()
                raise
    show(text.rstrip())


def _pairs(texts: list[str] | None, option: str) -> list[tuple[str, str]]:
    pairs = [text.rpartition("=")[::2] for text in texts or ()]
    for name, value in pairs:
        if not name or not value:
            raise InputError(f"{option}: write a column and a value, such as {option} age=25.")
    return pairs


def _number(column: str, text: str) -> float:
    try:
        return float(text) if not text.lstrip("-").isdigit() else int(text)
    except ValueError as error:
        raise InputError(f"--above {column}={text}: {text} is no number: give one.") from error


def _checked(path: Path, file: Path) -> str:
    """Read a card, prepare its table, and say what is in it and how to use it."""
    content: Record = read_card(path, SCHEMA)
    entry = {**content["files"][0], "name": file.name}
    check_sha256([file], {"files": [entry]})
    frame, about = prepare(file, content, name=path.stem)
    label, counts = about["label"], about["counts"]
    lines = [f"{path.stem}: {len(frame):,} rows, {len(about['features'])} features"]
    if "one" in label:
        others = counts["rows"] - counts["label"]
        lines.append(f"label: {label['one']} {counts['label']:,}, {label['zero']} {others:,}")
    for name, names in about["sensitive"].items():
        one = counts[f"sensitive.{name}"]
        zero = counts.get(f"sensitive.{name}.zero", counts["rows"] - one)
        lines.append(f"{name}: {names['one']} {one:,}, {names['zero']} {zero:,}")
    place = f"{path.stem}/{content['files'][0]['name']}"
    if not content["files"][0]["urls"]:
        lines.append(f"Put the file at {place} in a folder that `mirrors` of the config names.")
    return "\n".join(lines)
