"""`fairpairs compare`: what a new model changes for each group, on the items of the old one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairpairs.audits.audit.roles import LabelKind
from fairpairs.audits.commands.audit import read_margin, read_references
from fairpairs.audits.commands.options import (
    CORRECTION,
    WEIGHT_KIND,
    Alpha,
    Cluster,
    Details,
    Favourable,
    Intersections,
    MissingGroup,
    Positive,
    Reference,
    Score,
    Sensitive,
    Separator,
    Weight,
    folder_of,
)
from fairpairs.audits.commands.outputs import Junit, check_outputs, end, write_outputs
from fairpairs.audits.compare.read import compare_files
from fairpairs.audits.compare.result import ComparisonResult
from fairpairs.base.errors import InputError
from fairpairs.base.input_tables import names_of
from fairpairs.base.terminal import SEVERAL, bad_input_in_one_sentence
from fairpairs.base.text_tables import separated_by
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


def compare(
    old: Annotated[
        Path,
        typer.Argument(metavar="OLD", help="CSV, JSON lines or Parquet of the old model."),
    ],
    new: Annotated[
        Path,
        typer.Argument(metavar="NEW", help="The same of the new one, of the same items."),
    ],
    item: Annotated[str, typer.Option(help="Column that names the item, in both files.")],
    label: Annotated[str, typer.Option(help="Column of the label: two values, or numbers.")],
    prediction: Annotated[
        str, typer.Option(help="Column of the prediction: two values, or numbers.")
    ],
    sensitive: Sensitive,
    new_prediction: Annotated[
        str | None, typer.Option(help="Column of the prediction in NEW, if it has another name.")
    ] = None,
    score: Score = None,
    new_score: Annotated[
        str | None, typer.Option(help="Column of the score in NEW, if it has another name.")
    ] = None,
    positive: Positive = None,
    favourable: Favourable = None,
    label_kind: Annotated[
        LabelKind,
        typer.Option(help="What the label is, where a few whole numbers may be classes."),
    ] = "auto",
    reference: Reference = None,
    intersections: Intersections = False,
    alpha: Alpha = 0.05,
    correction: Annotated[Correction, CORRECTION] = "holm",
    criterion: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CRITERION",
            help="What counts for the verdict of the whole comparison, as in fairpairs audit. "
            f"{SEVERAL}",
        ),
    ] = None,
    margin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[CRITERION=]NUMBER",
            help="Largest increase of a gap that does not matter, such as 0.05 for all rates, or "
            f"separation=0.05. {SEVERAL}",
        ),
    ] = None,
    cluster: Cluster = None,
    weight: Weight = None,
    weight_kind: Annotated[WeightKind, WEIGHT_KIND] = "sampling",
    missing_group: MissingGroup = False,
    separator: Separator = None,
    details: Details = False,
    out: Annotated[Path | None, folder_of("compare")] = None,
    fail_on_worse: Annotated[
        bool,
        typer.Option(
            "--fail-on-worse",
            help="Exit with 1 when a gap that counts (--criterion) is shown to be larger, with "
            "--margin by more than it; and with 2 when none can be tested.",
        ),
    ] = False,
    fail_unless_shown: Annotated[
        bool,
        typer.Option(
            "--fail-unless-shown",
            help="Exit with 1 unless each gap that counts is shown not to be larger by --margin, "
            "and with 2 when none can be tested.",
        ),
    ] = False,
    junit: Junit = None,
) -> None:
    """Compare the fairness of two models that predict the same items.

    Says how the gap between groups changes from OLD to NEW, and which items are decided otherwise.
    Exits with 0 whatever it finds, unless --fail-on-worse or --fail-unless-shown is given, and with
    2 on bad input.
    """
    with bad_input_in_one_sentence(), separated_by(separator):
        check_outputs("compare", out, junit, [old, new])
        if fail_unless_shown and not margin:
            raise InputError("--fail-unless-shown needs a margin: give one, such as --margin 0.05.")
        result = compare_files(
            old, new, item=item, label=label, prediction=prediction, sensitive=sensitive,
            new_prediction=new_prediction, score=score, new_score=new_score, positive=positive,
            favourable=favourable, label_kind=label_kind,
            reference=read_references(reference or []), intersections=intersections, alpha=alpha,
            correction=correction,
            criterion=names_of(criterion or (), "--criterion") or None,
            margin=read_margin(margin or ()), cluster=cluster, weight=weight,
            weight_kind=weight_kind, missing_group=missing_group,
        )  # fmt: skip
        write_outputs(result, out, junit, unless_shown=fail_unless_shown)
    end(
        result,
        out,
        junit,
        details=details,
        refusal=_untested(result, against_margin=fail_unless_shown),
        violation=fail_on_worse,
        unless_shown=fail_unless_shown,
        option="--fail-on-worse",
    )


def _untested(result: ComparisonResult, *, against_margin: bool) -> str:
    """Return the sentence that what counts has no margin or could not be tested, if so."""
    gate = result.about["gate"]
    without = [name for name in gate["criteria"] if name not in (result.about["margin"] or {})]
    if against_margin and without:
        return (
            f"{', '.join(without)} counts without a margin: give --margin "
            f"{without[0]}=NUMBER, or name what counts with --criterion."
        )
    if gate["tested"]:
        return ""
    return (
        f"{', '.join(gate['criteria'])} cannot be tested on these items (the lines above "
        "say why): add items, or name another --criterion."
    )
