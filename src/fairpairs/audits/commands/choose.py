"""`fairpairs choose`: which rows to label next."""

from pathlib import Path
from typing import Annotated

import typer

from fairpairs.audits.choose.choose import CHANCE, CHOSEN, CRITERIA, Choice, choose_in_file
from fairpairs.audits.commands.options import SHARED, Given, shared, takes
from fairpairs.audits.commands.outputs import check_file, output_errors
from fairpairs.audits.options import NUMBER, REQUIRED, Option
from fairpairs.base.document import Grid, text_of
from fairpairs.base.errors import InputError
from fairpairs.base.files import csv_text, write_together
from fairpairs.base.named_columns import SEVERAL
from fairpairs.base.plain_values import rows_of
from fairpairs.base.reading.csv_layout import read_as
from fairpairs.base.terminal import bad_input_in_one_sentence, show
from fairpairs.base.texts import number

EXAMPLES = """\b
Examples:
  fairpairs choose answers.csv -n 200 --cheap-label judge --prediction approved --sensitive sex \\
      --out next.csv
  fairpairs choose labelled.csv -n 200 --label human --cheap-label judge --prediction approved \\
      --sensitive sex --out next.csv
"""
#: Options of the output, and the number of rows.
OTHERS = ("rows", "out", "separator", "decimal")
#: The columns of the table of cells that follow those of the groups.
COLUMNS = ("decision", "cheap", "rows", "labelled", "chosen", CHANCE)


@takes(
    "choose",
    rows=Option("How many rows to choose.", int, REQUIRED, least=1, flags=("--rows", "-n")),
    label="Column of the label by people, empty where nobody looked; none before the first round.",
    cheap_label={"default": REQUIRED, "type": str},
    prediction="Column of the decision: two values.",
    score=SHARED,
    threshold=Option(
        "Instead of --prediction: the decision is positive if --score is at least this.", NUMBER
    ),
    **shared("sensitive", "positive"),
    chance="Column of the chance of each row to have got a --label; by default `chance`, where an "
    "earlier round wrote it.",
    drawn_within=SHARED,
    criterion=f"What is to be precise: {', '.join(CRITERIA)}; by default separation. {SEVERAL}",
    **shared("missing_group", "seed", "separator", "decimal"),
    out=Option("CSV file to write: all rows, with the columns `chosen` and `chance`.", Path, ...),
)
def choose(
    data: Annotated[
        Path,
        typer.Argument(metavar="DATA", help="CSV, JSON lines or Parquet: a prediction a row."),
    ],
    *,
    options: Given,
) -> None:
    """Choose which rows people should label next, beside a cheap label that all have.

    Rows are drawn by chances, more where labels tell more of the differences that count. Audit with
    --chance chance.
    """
    out = options.out
    with bad_input_in_one_sentence(), read_as(options.separator, options.decimal):
        if out.suffix.lower() != ".csv":
            raise InputError(f"{out}: --out names a CSV file: end it in .csv.")
        check_file(out, "--out", [data])
        if out.exists():
            raise InputError(f"{out} is there, and may hold labels by people: name another --out.")
        given = options.read()
        settings = {name: value for name, value in given.items() if name not in OTHERS}
        choice, rows, notes = choose_in_file(data, options.rows, settings)
        with output_errors(out, "--out"):
            write_together({out: csv_text(rows, as_given=True)})
    show(_text(choice, out))
    for note in notes:
        show(note)


def _text(choice: Choice, out: Path) -> str:
    cells = choice.cells
    groups = [str(name) for name in cells.columns[: -len(COLUMNS)]]
    rows = [
        (
            *(str(row[name]) for name in groups),
            *(f"{row[name]:,}" for name in COLUMNS[:-1]),
            number(row[CHANCE]),
        )
        for row in rows_of(cells)
    ]
    header = [*groups, "decision", "cheap label", "rows", "labelled", "chosen", CHANCE]
    chosen = int(choice.chosen.sum())
    return (
        f"{chosen:,} of {len(choice.chosen):,} rows are chosen.\n\n"
        f"{text_of([Grid(header, rows, left=groups)])}\n\n"
        f"Written to {out}: all rows. Label those with {CHOSEN} 1; then audit with "
        f"--chance {CHANCE}."
    )
