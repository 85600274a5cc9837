"""`fairpairs audit-judgments`: comparative separation from judgments, without any label."""

from dataclasses import fields
from pathlib import Path
from typing import Annotated

import typer

from fairpairs.audits.commands.options import COMMON, SHARED, Given, shared, takes
from fairpairs.audits.commands.outputs import auditing
from fairpairs.audits.judgments.audit import audit_judged
from fairpairs.audits.judgments.read import read_judgments
from fairpairs.audits.judgments.settings import JudgmentColumns, JudgmentSettings, WinnerBy
from fairpairs.audits.options import TEXTS, Option
from fairpairs.base.errors import InputError, shown
from fairpairs.base.inputs import level
from fairpairs.base.named_columns import SEVERAL
from fairpairs.base.terminal import bad_input_in_one_sentence
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


def several(words: str) -> Option:
    """Return an option that names one column or more."""
    return Option(f"{words} {SEVERAL}", TEXTS, read=lambda names: names or ())


@takes(
    "audit-judgments",
    left=Option("Column of JUDGMENTS with the id of one item."),
    right=Option("Column of JUDGMENTS with the id of the other item."),
    outcome=Option("Column of JUDGMENTS that says which of the two wins."),
    winner_by={"type": WinnerBy},
    chosen=several("Column of the score of the preferred answer."),
    rejected=several("Column of the score of the other answer."),
    group=Option(
        "In place of JUDGMENTS: a file of chosen and rejected scores for each group, row by row "
        "versions of one text.",
        TEXTS,
        metavar="NAME=FILE",
    ),
    pair=Option("Column that names rows which are versions of one text in two groups."),
    within_only=Option("Do not compare answers of different versions of a text.", bool, False),
    item=Option("Column of PREDICTIONS with the ids of the items."),
    score=several(
        "Column of the scores, higher for the preferred: of PREDICTIONS, or those of both sides, "
        "as score_a,score_b."
    ),
    verdict=several(
        "Column of JUDGMENTS with what an audited judge, such as a language model, prefers, in "
        "place of scores."
    ),
    sensitive=several(
        "Column of the groups: of PREDICTIONS, or those of both sides, as dialect_a,dialect_b."
    ),
    judge=Option("Column of the judges, whose judgments are related."),
    judges=Option(
        "Whether the audit is about these judges (the default with fewer than "
        f"{ENOUGH_JUDGES}), or about a sample of judges like them.",
        JudgesAs | None,
        show_default=False,
    ),
    cluster="Column of the prompt, session or the like of a judgment.",
    item_cluster=Option("Column of the person or the like that items belong to."),
    stratum=Option("Column of categories, within which groups are compared."),
    cheap_outcome=Option(
        "Column of what a cheap judge, such as a language model, prefers in every judgment; "
        "--outcome is then empty where nobody looked."
    ),
    chance=Option("Column of the chance of each judgment to get an --outcome, where it differs."),
    drawn_within=Option(
        "Column of strata, within each of which judgments for people were drawn at random."
    ),
    intersections=SHARED,
    ties=Option("What a tie of the two scores counts: as wrong, or as half.", Ties, "wrong"),
    ties_in_outcome=Option(
        "Whether judgments without a winner are left out, or count half.", TiesInOutcome, "drop"
    ),
    order=Option("The left item was shown first: test the preference for that place.", bool, False),
    alpha=SHARED,
    correction={
        "help": "Correction for several hypotheses on one attribute.",
        "type": Correction,
    },
    **COMMON,
    fail_on_violation="Exit with 1 when a violation is found, by Holm over all hypotheses of all "
    "models and attributes, and with 2 when none can be tested.",
    **shared("card", "junit", "figure"),
)
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
    *,
    options: Given,
) -> None:
    """Test from comparative judgments alone whether scores treat groups alike.

    A judgment prefers one of two items; it is predicted right when that item has the higher score.
    Comparative separation asks that this is as likely whatever the groups of the two are. No item
    needs a label.
    """
    with bad_input_in_one_sentence():
        level(options.alpha, "--alpha")
        groups = _files(options.values.pop("group") or [])
    inputs = [file for file in (judgments, predictions, *groups.values()) if file is not None]
    with auditing("audit-judgments", inputs, options) as run:
        columns = {one.name: run.values.pop(one.name) for one in fields(JudgmentColumns)}
        judged = read_judgments(
            JudgmentColumns(**columns), judgments, predictions, groups, options.alpha
        )
        run.result = audit_judged(judged, JudgmentSettings(**run.values))


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
