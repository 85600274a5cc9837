"""`fairpairs bridge`: two sets of decisions on different items, compared by a model."""

from pathlib import Path
from typing import Annotated

import typer

from fairpairs.audits.bridge.compare import compare, report
from fairpairs.audits.bridge.read import read_decisions
from fairpairs.audits.commands.options import COMMON, SHARED, Given, takes
from fairpairs.audits.commands.outputs import check_outputs, end_report, output_errors
from fairpairs.audits.options import FILE, REQUIRED, TEXTS, Option
from fairpairs.base.files import csv_text, write_text
from fairpairs.base.inputs import level
from fairpairs.base.named_columns import SEVERAL
from fairpairs.base.reading.csv_layout import read_as
from fairpairs.base.terminal import bad_input_in_one_sentence
from fairpairs.mathematics.fairness.bridges import Errors

EXAMPLES = """\b
Examples:
  fairpairs bridge last_year.csv this_year.csv --decision score --sensitive sex
  fairpairs bridge last_year.csv this_year.csv --decision score --decision-2 mark \\
      --sensitive sex --drop id,name --output result.csv
"""


@takes(
    "bridge",
    decision=Option("Column of the decisions, numbers.", str, REQUIRED),
    sensitive=Option("Column of the groups, the same two in both files.", str, REQUIRED),
    decision_2=Option("Column of the decisions in SECOND, if it has another name."),
    features=Option(f"Column for the model; by default all shared ones. {SEVERAL}", TEXTS),
    drop=Option(f"Column that is no feature. {SEVERAL}", TEXTS),
    errors=Option("Where the model's errors on FIRST come from.", Errors, "cross-fitted"),
    folds=Option("Folds of the cross-fitting.", int, 5, least=2),
    alpha=SHARED,
    seed="Seed of the folds.",
    output=Option("CSV file to write the results to.", FILE),
    **COMMON,
)
def bridge(
    first: Annotated[
        Path,
        typer.Argument(
            metavar="FIRST", help="CSV, Parquet or JSON lines of decisions R_0, one per row."
        ),
    ],
    second: Annotated[
        Path,
        typer.Argument(
            metavar="SECOND", help="CSV, Parquet or JSON lines of decisions R_1, on other rows."
        ),
    ],
    *,
    options: Given,
) -> None:
    """Compare two sets of decisions on different items, by a model as a bridge.

    Says whether the decisions in FIRST favour one of two groups more than those in SECOND do.
    """
    with bad_input_in_one_sentence(), read_as(options.separator, options.decimal):
        level(options.alpha, "--alpha")
        check_outputs("bridge", [first, second], options.out, options.named("output"))
        decisions = read_decisions(
            first, second, decision=options.decision, decision_2=options.decision_2,
            group=options.sensitive, features=options.features or [], drop=options.drop or [],
            folds=options.folds,
        )  # fmt: skip
        result = compare(
            decisions,
            errors=options.errors,
            folds=options.folds,
            seed=options.seed,
            alpha=options.alpha,
        )
        if options.output is not None:
            with output_errors(options.output):
                write_text(options.output, csv_text(result.to_frame()))
        end_report(report(result), options)
