"""`fairpairs count`: the items of files by what an audit reads, as a file that can be summed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from fairpairs.audits.commands.options import SHARED, Given, shared, takes
from fairpairs.audits.commands.outputs import check_file, output_errors
from fairpairs.audits.counting.counts_file import count_files
from fairpairs.audits.counting.opening import note_without_digest
from fairpairs.audits.counting.rows import Rows
from fairpairs.audits.items.repeated_ids import FREQUENCY, copied_rows, repeated_ids
from fairpairs.audits.options import REQUIRED, Option
from fairpairs.base.reading.csv_layout import read_as
from fairpairs.base.reading.opening import COUNTS
from fairpairs.base.reading.paths import expanded
from fairpairs.base.terminal import bad_input_in_one_sentence, show

EXAMPLES = """\b
Examples:
  fairpairs count shard_1.parquet --label repaid --prediction approved --sensitive sex,race \\
      --score s --out shard_1.counts
  fairpairs count by_day/*.parquet --label repaid --prediction approved --sensitive sex \\
      --out all.counts
  fairpairs count warehouse.csv --label repaid --prediction approved --sensitive sex \\
      --weight n --out warehouse.counts
"""


@takes(
    "count",
    label=Option("Column of the label: two values, or numbers.", str, REQUIRED),
    prediction=Option("Column of the prediction: two values, or numbers.", str, REQUIRED),
    sensitive={"type": list[str], "default": REQUIRED},
    out=Option("Counts file to write.", Path, REQUIRED, flags=("--out", "-o")),
    score=SHARED,
    weight="Column of how many rows a row stands for, 0 or more.",
    **shared("cheap_label", "missing_group", "separator", "decimal"),
)
def count(
    predictions: Annotated[
        list[Path],
        typer.Argument(
            metavar="PREDICTIONS...",
            help="CSV, Parquet or JSON lines, a prediction per row, or folders of them; or counts.",
        ),
    ],
    *,
    options: Given,
) -> None:
    """Count items by label, prediction, score and groups, for `fairpairs audit`.

    Counts files of parts of the data are audited together, with the same result as all rows in
    one file. They hold no other columns, and may be much smaller.
    """
    values, notes = dict(options.values), list[str]()
    out, separator, decimal = (values.pop(name) for name in ("out", "separator", "decimal"))
    with bad_input_in_one_sentence(), read_as(separator, decimal):
        files = expanded(predictions)
        check_file(out, "--out", files)
        with output_errors(out, "--out"):
            items = count_files(
                predictions, out, **values, progress=True, tell=notes.append, look=_repeated_rows
            )
        counts = [file for file in files if values["weight"] or file.suffix == COUNTS]
        notes += note_without_digest(counts)
    show(f"Written: {out} ({items:,} rows, {out.stat().st_size / 1e6:.1f} MB)")
    for note in dict.fromkeys(notes):
        show(note)


def _repeated_rows(rows: Rows, options: Mapping[str, str]) -> list[str]:
    """Return notes on ids that repeat, which counts no longer hold, and on copies of rows.

    InputError if rows of one id are related.
    """
    by_role = {
        name: FREQUENCY if option == "weight" else option for name, option in options.items()
    }
    remedy = "counts hold no ids, so audit the rows themselves with --cluster {}"
    notes = [*repeated_ids(rows, by_role, remedy=remedy), *copied_rows(rows)]
    return [f"Check: {note}" for note in notes]
