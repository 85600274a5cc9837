"""`fairpairs bridge`: two sets of decisions on different items, compared by a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairpairs.audits.bridge.compare import compare
from fairpairs.audits.bridge.read import read_decisions
from fairpairs.audits.bridge.text import report
from fairpairs.audits.commands.options import Alpha, Details, Separator, folder_of
from fairpairs.audits.commands.outputs import (
    check_file,
    check_folder,
    end_report,
    output_errors,
)
from fairpairs.audits.lines.files import FILES
from fairpairs.base.files import csv_text, write_text
from fairpairs.base.inputs import level
from fairpairs.base.terminal import SEVERAL, bad_input_in_one_sentence
from fairpairs.base.text_tables import separated_by
from fairpairs.mathematics.fairness.bridges import Errors

EXAMPLES = """\b
Examples:
  fairpairs bridge last_year.csv this_year.csv --decision score --group sex
  fairpairs bridge last_year.csv this_year.csv --decision score --decision-2 mark \\
      --group sex --drop id,name --output result.csv
"""


def bridge(
    first: Annotated[
        Path,
        typer.Argument(
            metavar="FIRST", help="CSV, Parquet or JSON lines of decisions R_0, one row per item."
        ),
    ],
    second: Annotated[
        Path,
        typer.Argument(
            metavar="SECOND", help="CSV, Parquet or JSON lines of decisions R_1, on other items."
        ),
    ],
    decision: Annotated[str, typer.Option(help="Column of the decisions, numbers.")],
    group: Annotated[
        str,
        typer.Option(
            "--group", "--sensitive", help="Column of the groups, the same two in both files."
        ),
    ],
    decision_2: Annotated[
        str | None, typer.Option(help="Column of the decisions in SECOND, if it has another name.")
    ] = None,
    features: Annotated[
        list[str] | None,
        typer.Option(help=f"Column for the model; by default all shared ones. {SEVERAL}"),
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option(help=f"Column that is no feature. {SEVERAL}")
    ] = None,
    errors: Annotated[
        Errors, typer.Option(help="Where the model's errors on FIRST come from.")
    ] = "cross-fitted",
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-fitting.")] = 5,
    alpha: Alpha = 0.05,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the folds.")] = 0,
    output: Annotated[Path | None, typer.Option(help="CSV file to write the results to.")] = None,
    separator: Separator = None,
    details: Details = False,
    out: Annotated[Path | None, folder_of("bridge")] = None,
) -> None:
    """Compare two sets of decisions on different items, by a model as a bridge.

    Says whether the decisions in FIRST favour one of two groups more than those in SECOND do.
    """
    with bad_input_in_one_sentence(), separated_by(separator):
        level(alpha, "--alpha")
        check_file(output, "--output", [first, second])
        check_folder(out, FILES["bridge"], [first, second])
        decisions = read_decisions(
            first, second, decision=decision, decision_2=decision_2, group=group,
            features=features or [], drop=drop or [], folds=folds,
        )  # fmt: skip
        result = compare(decisions, errors=errors, folds=folds, seed=seed, alpha=alpha)
        if output is not None:
            with output_errors(output):
                write_text(output, csv_text(result.to_frame()))
        end_report(report(result), out, details=details)
