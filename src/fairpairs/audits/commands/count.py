"""`fairpairs count`: the items of files by what an audit reads, as a file that can be summed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairpairs.audits.commands.options import MissingGroup, Score, Sensitive, Separator
from fairpairs.audits.commands.outputs import check_file, output_errors
from fairpairs.audits.counting.counts_file import count_files
from fairpairs.audits.counting.paths import expanded
from fairpairs.base.terminal import bad_input_in_one_sentence, show
from fairpairs.base.text_tables import separated_by

EXAMPLES = """\b
Examples:
  fairpairs count shard_1.parquet --label repaid --prediction approved --sensitive sex,race \\
      --score s --out shard_1.counts
  fairpairs count by_day/*.parquet --label repaid --prediction approved --sensitive sex \\
      --out all.counts
  fairpairs count warehouse.csv --label repaid --prediction approved --sensitive sex \\
      --weight n --out warehouse.counts
"""


def count(
    predictions: Annotated[
        list[Path],
        typer.Argument(
            metavar="PREDICTIONS...",
            help="CSV, Parquet or JSON lines, one row per item, or folders of them; or counts.",
        ),
    ],
    label: Annotated[str, typer.Option(help="Column of the label: two values, or numbers.")],
    prediction: Annotated[
        str, typer.Option(help="Column of the prediction: two values, or numbers.")
    ],
    sensitive: Sensitive,
    out: Annotated[Path, typer.Option("--out", "-o", help="Counts file to write.")],
    score: Score = None,
    weight: Annotated[
        str | None,
        typer.Option(help="Column of the number of items that a row stands for, 0 or more."),
    ] = None,
    missing_group: MissingGroup = False,
    separator: Separator = None,
) -> None:
    """Count items by label, prediction, score and groups, for `fairpairs audit`.

    Counts files of parts of the data are audited together, with the same result as all rows in
    one file. They hold no other columns, and may be much smaller.
    """
    with bad_input_in_one_sentence(), separated_by(separator):
        check_file(out, "--out", expanded(predictions))
        with output_errors(out, "--out"):
            items = count_files(
                predictions, out, label=label, prediction=prediction, sensitive=sensitive,
                score=score, weight=weight, missing_group=missing_group, progress=True,
            )  # fmt: skip
    show(f"Written: {out} ({items:,} items, {out.stat().st_size / 1e6:.1f} MB)")
