"""`fairpairs compare`: what a new model changes for each group, on the items of the old one."""

from pathlib import Path
from typing import Annotated

import typer

from fairpairs.audits.commands.options import COMMON, SHARED, Given, shared, takes
from fairpairs.audits.commands.outputs import auditing
from fairpairs.audits.compare.read import compare_files
from fairpairs.audits.items.roles import LabelKind
from fairpairs.audits.options import REQUIRED, Option
from fairpairs.base.named_columns import SEVERAL
from fairpairs.mathematics.arguments.design import WeightKind
from fairpairs.mathematics.inference.results import Correction

EXAMPLES = """\b
Examples:
  fairpairs compare old.csv new.csv --item id --label repaid --prediction approved \\
      --sensitive sex
  fairpairs compare old.parquet new.parquet --item id --label repaid --prediction approved \\
      --sensitive sex --margin 0.05 --out report/ --fail-unless-shown
  fairpairs compare both.csv both.csv --item id --label repaid --prediction approved \\
      --new-prediction approved_2 --sensitive sex --fail-on-worse
"""


@takes(
    "compare",
    item=Option("Column of the id of a row, in both files.", str, REQUIRED),
    label=Option("Column of the label: two values, or numbers.", str, REQUIRED),
    prediction=Option("Column of the prediction: two values, or numbers."),
    sensitive={"type": list[str], "default": REQUIRED},
    new_prediction=Option("Column of the prediction in NEW, if it has another name."),
    score=SHARED,
    new_score=Option("Column of the score in NEW, if it has another name."),
    threshold="Instead of --prediction: the prediction of either model is positive if its score is "
    "at least this.",
    **shared("positive", "favourable"),
    label_kind={"type": LabelKind},
    **shared("reference", "smallest", "intersections", "alpha"),
    correction={"type": Correction},
    criterion="What counts for the verdict of the whole comparison, as in fairpairs audit. "
    f"{SEVERAL}",
    margin="Largest increase of a gap that does not matter, such as 0.05 for all rates, or "
    f"separation=0.05. {SEVERAL}",
    **shared("control", "cluster", "weight"),
    weight_kind={"type": WeightKind},
    missing_group=SHARED,
    **COMMON,
    fail_on_worse=Option(
        "Exit with 1 when a gap that counts (--criterion) is shown to be larger, with --margin by "
        "more than it; and with 2 when none can be tested.",
        bool,
        False,
    ),
    fail_unless_shown="Exit with 1 unless each gap that counts is shown not to be larger by "
    "--margin, and with 2 when none can be tested.",
    **shared("card", "junit", "figure"),
)
def compare(
    old: Annotated[
        Path,
        typer.Argument(metavar="OLD", help="CSV, JSON lines or Parquet of the old model."),
    ],
    new: Annotated[
        Path,
        typer.Argument(metavar="NEW", help="The same of the new one, of the same rows."),
    ],
    *,
    options: Given,
) -> None:
    """Compare the fairness of two models that predict the same items.

    Says how the gap between groups changes from OLD to NEW, and which items are decided otherwise.
    Exits with 0 whatever it finds, unless --fail-on-worse or --fail-unless-shown is given, and with
    2 on bad input.
    """
    with auditing("compare", [old, new], options) as run:
        run.result = compare_files(old, new, **run.values)
