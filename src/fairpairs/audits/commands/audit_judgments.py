"""`fairpairs audit-judgments`: comparative separation from judgments, without any label."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairpairs.audits.commands.options import (
    Alpha,
    Details,
    Intersections,
    Separator,
    folder_of,
)
from fairpairs.audits.commands.outputs import Junit, check_outputs, end, write_outputs
from fairpairs.audits.judgments.audit import audit_judged
from fairpairs.audits.judgments.read import read_judgments
from fairpairs.audits.judgments.settings import (
    JudgmentColumns,
    JudgmentSettings,
    WinnerBy,
)
from fairpairs.base.errors import InputError, shown
from fairpairs.base.inputs import level
from fairpairs.base.terminal import SEVERAL, bad_input_in_one_sentence
from fairpairs.base.text_tables import separated_by
from fairpairs.mathematics.estimates.pairs.rates import Ties
from fairpairs.mathematics.inference.results import Correction
from fairpairs.mathematics.judgments.given import ENOUGH_JUDGES, JudgesAs, TiesInOutcome

EXAMPLES = """\b
Examples:
  fairpairs audit-judgments judgments.csv predictions.csv --left i --right j \\
      --outcome winner --item id --score s --sensitive sex
  fairpairs audit-judgments arena.jsonl --score score_a,score_b \\
      --sensitive dialect_a,dialect_b --judge judge --order
  fairpairs audit-judgments scores.jsonl --sensitive dialect --pair prompt --out audit
  fairpairs audit-judgments --group WME=standard.jsonl --group AAL=dialect.jsonl
"""


def audit_judgments(
    judgments: Annotated[
        Path | None,
        typer.Argument(
            metavar="[JUDGMENTS]", help="CSV, JSON lines or Parquet, one row per judgment."
        ),
    ] = None,
    predictions: Annotated[
        Path | None,
        typer.Argument(
            metavar="[PREDICTIONS]",
            help="CSV, JSON lines or Parquet, one row per item, where the items have a table of "
            "their own.",
        ),
    ] = None,
    left: Annotated[
        str | None, typer.Option(help="Column of JUDGMENTS with the id of one item.")
    ] = None,
    right: Annotated[
        str | None, typer.Option(help="Column of JUDGMENTS with the id of the other item.")
    ] = None,
    outcome: Annotated[
        str | None, typer.Option(help="Column of JUDGMENTS that says which of the two wins.")
    ] = None,
    winner_by: Annotated[
        WinnerBy,
        typer.Option(help="Whether --outcome holds ids, or sides (1 and -1, left and right …)."),
    ] = "auto",
    chosen: Annotated[
        list[str] | None,
        typer.Option(help=f"Column of the score of the preferred answer. {SEVERAL}"),
    ] = None,
    rejected: Annotated[
        list[str] | None,
        typer.Option(help=f"Column of the score of the other answer. {SEVERAL}"),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FILE",
            help="In place of JUDGMENTS: a file of chosen and rejected scores for each group, row "
            "by row versions of one text.",
        ),
    ] = None,
    pair: Annotated[
        str | None,
        typer.Option(help="Column that names rows which are versions of one text in two groups."),
    ] = None,
    within_only: Annotated[
        bool,
        typer.Option(
            "--within-only", help="Do not compare answers of different versions of a text."
        ),
    ] = False,
    item: Annotated[
        str | None, typer.Option(help="Column of PREDICTIONS with the ids of the items.")
    ] = None,
    score: Annotated[
        list[str] | None,
        typer.Option(
            help="Column of the scores, higher for the preferred: of PREDICTIONS, or those of both "
            f"sides, as score_a,score_b. {SEVERAL}"
        ),
    ] = None,
    verdict: Annotated[
        list[str] | None,
        typer.Option(
            help="Column of JUDGMENTS with what an audited judge, such as a language model, "
            f"prefers, in place of scores. {SEVERAL}"
        ),
    ] = None,
    sensitive: Annotated[
        list[str] | None,
        typer.Option(
            help="Column of the groups: of PREDICTIONS, or those of both sides, as "
            f"dialect_a,dialect_b. {SEVERAL}"
        ),
    ] = None,
    judge: Annotated[
        str | None, typer.Option(help="Column of the judges, whose judgments are related.")
    ] = None,
    judges: Annotated[
        JudgesAs | None,
        typer.Option(
            help="Whether the audit is about these judges (the default with fewer than "
            f"{ENOUGH_JUDGES}), or about a sample of judges like them.",
            show_default=False,
        ),
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(help="Column of the prompt, session or the like of a judgment.")
    ] = None,
    item_cluster: Annotated[
        str | None, typer.Option(help="Column of the person or the like that items belong to.")
    ] = None,
    stratum: Annotated[
        str | None, typer.Option(help="Column of categories, within which groups are compared.")
    ] = None,
    intersections: Intersections = False,
    ties: Annotated[
        Ties, typer.Option(help="What a tie of the two scores counts: as wrong, or as half.")
    ] = "wrong",
    ties_in_outcome: Annotated[
        TiesInOutcome,
        typer.Option(help="Whether judgments without a winner are left out, or count half."),
    ] = "drop",
    order: Annotated[
        bool,
        typer.Option(
            "--order", help="The left item was shown first: test the preference for that place."
        ),
    ] = False,
    alpha: Alpha = 0.05,
    correction: Annotated[
        Correction, typer.Option(help="Correction for several hypotheses on one attribute.")
    ] = "holm",
    separator: Separator = None,
    details: Details = False,
    out: Annotated[Path | None, folder_of("audit-judgments")] = None,
    fail_on_violation: Annotated[
        bool,
        typer.Option(
            "--fail-on-violation",
            help="Exit with 1 when a violation is found, by Holm over all hypotheses of all "
            "models and attributes, and with 2 when none can be tested.",
        ),
    ] = False,
    junit: Junit = None,
) -> None:
    """Test from comparative judgments alone whether scores treat groups alike.

    A judgment prefers one of two items; it is predicted right when that item has the higher score.
    Comparative separation asks that this is as likely whatever the groups of the two are. No item
    needs a label.
    """
    with bad_input_in_one_sentence(), separated_by(separator):
        level(alpha, "--alpha")
        groups = _files(group or [])
        inputs = [file for file in (judgments, predictions, *groups.values()) if file is not None]
        check_outputs("audit-judgments", out, junit, inputs)
        columns = JudgmentColumns(
            left=left, right=right, outcome=outcome, winner_by=winner_by, chosen=chosen or (),
            rejected=rejected or (), item=item, score=score or (), verdict=verdict or (),
            sensitive=sensitive or (), pair=pair, within_only=within_only, judge=judge,
            cluster=cluster, stratum=stratum, item_cluster=item_cluster,
        )  # fmt: skip
        judged = read_judgments(columns, judgments, predictions, groups)
        settings = JudgmentSettings(
            intersections=intersections,
            ties=ties,
            ties_in_outcome=ties_in_outcome,
            order=order,
            judges=judges,
            alpha=alpha,
            correction=correction,
        )
        result = audit_judged(judged, settings)
        write_outputs(result, out, junit)
    untested = "nothing can be tested with these judgments (--details says why): add judgments."
    refusal = untested if result.violated is None else ""
    end(result, out, junit, details=details, refusal=refusal, violation=fail_on_violation)


def _files(texts: list[str]) -> dict[str, Path]:
    """Return the file of each group, from texts such as WME=standard.jsonl."""
    files: dict[str, Path] = {}
    for text in texts:
        name, equals, path = text.partition("=")
        if not (name and equals and path):
            raise InputError(
                f"--group: {shown(text)} is no name and file: write it as NAME=FILE, such as "
                "WME=standard.jsonl."
            )
        if name in files:
            raise InputError(f"--group: {shown(name)} is named twice: give each group one file.")
        files[name] = Path(path)
    return files
