"""`fairpairs audit-judgments`: comparative separation from judgments, without any label."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairpairs.cli.outputs import check_folder, output_errors
from fairpairs.cli.terminal import SEVERAL, VIOLATION, bad_input_in_one_sentence, show
from fairpairs.errors import InputError
from fairpairs.fairness.inputs import level
from fairpairs.fairness.pairs.rates import Ties
from fairpairs.fairness.results import Correction
from fairpairs.judgments.audit import audit_judged
from fairpairs.judgments.files import FILES
from fairpairs.judgments.read import read_judgments
from fairpairs.judgments.settings import JudgmentSettings, WinnerBy

EXAMPLES = """\b
Examples:
  fairpairs audit-judgments judgments.csv predictions.csv --left i --right j \\
      --outcome winner --item id --score s --sensitive sex
  fairpairs audit-judgments judgments.parquet predictions.csv --left i --right j \\
      --outcome side --winner-by side --item id --score s \\
      --sensitive sex --sensitive race --out audit --fail-on-violation
"""


def audit_judgments(
    judgments: Annotated[
        Path,
        typer.Argument(
            metavar="JUDGMENTS", help="CSV, JSON lines or Parquet, one row per judgment."
        ),
    ],
    predictions: Annotated[
        Path,
        typer.Argument(
            metavar="PREDICTIONS",
            help="CSV, JSON lines or Parquet, one row per item.",
        ),
    ],
    left: Annotated[str, typer.Option(help="Column of JUDGMENTS with the id of one item.")],
    right: Annotated[str, typer.Option(help="Column of JUDGMENTS with the id of the other item.")],
    outcome: Annotated[
        str, typer.Option(help="Column of JUDGMENTS that says which of the two is preferred.")
    ],
    item: Annotated[str, typer.Option(help="Column of PREDICTIONS with the ids of the items.")],
    score: Annotated[
        str, typer.Option(help="Column of PREDICTIONS with the scores, higher for the preferred.")
    ],
    sensitive: Annotated[
        list[str],
        typer.Option(help=f"Column of PREDICTIONS with the groups. {SEVERAL}"),
    ],
    winner_by: Annotated[
        WinnerBy,
        typer.Option(help="Whether --outcome holds the id of the preferred item, or 1 and -1."),
    ] = "id",
    intersections: Annotated[
        bool, typer.Option("--intersections", help="Test the combinations of all groups, too.")
    ] = False,
    ties: Annotated[
        Ties, typer.Option(help="What a tie of the two scores counts: as wrong, or as half.")
    ] = "wrong",
    alpha: Annotated[float, typer.Option(min=0, max=1, help="Level of the test.")] = 0.05,
    correction: Annotated[
        Correction, typer.Option(help="Correction for several hypotheses on one attribute.")
    ] = "holm",
    out: Annotated[
        Path | None,
        typer.Option(help=f"Folder to write {', '.join(FILES)} to."),
    ] = None,
    fail_on_violation: Annotated[
        bool,
        typer.Option(
            "--fail-on-violation",
            help="Exit with 1 when a violation is found, by Holm over all hypotheses of all "
            "attributes, and with 2 when none can be tested.",
        ),
    ] = False,
) -> None:
    """Test from comparative judgments alone whether scores treat groups alike.

    A judgment prefers one of two items; it is predicted right when that item has the higher score.
    Comparative separation asks that this is as likely whatever the groups of the two are. No item
    needs a label.
    """
    with bad_input_in_one_sentence():
        level(alpha, "--alpha")
        check_folder(out, FILES, (judgments, predictions))
        judged = read_judgments(
            judgments, predictions, left=left, right=right, outcome=outcome, item=item, score=score,
            sensitive=sensitive, winner_by=winner_by,
        )  # fmt: skip
        settings = JudgmentSettings(
            intersections=intersections, ties=ties, alpha=alpha, correction=correction
        )
        result = audit_judged(judged, settings)
        if out is not None:
            with output_errors(out, "--out"):
                result.write(out)
    show(result.to_text())
    if fail_on_violation:
        with bad_input_in_one_sentence():
            if result.violated is None:
                raise InputError(
                    "--fail-on-violation: nothing can be tested with these judgments (the rows "
                    "above say why): add judgments."
                )
        if result.violated:
            raise typer.Exit(VIOLATION)
