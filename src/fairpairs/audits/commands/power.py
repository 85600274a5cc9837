"""`fairpairs power`: how many labels or judgments find a violation, or show a margin."""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from fairpairs.audits.commands.options import COMMON, SHARED, Given, takes
from fairpairs.audits.commands.outputs import (
    check_file,
    check_folder,
    end_report,
    output_errors,
)
from fairpairs.audits.judgments.read import read_judgments
from fairpairs.audits.judgments.settings import JudgmentColumns, WinnerBy
from fairpairs.audits.lines.files import FILES
from fairpairs.audits.options import FILE, NUMBER, TEXTS, WHOLE, Option
from fairpairs.audits.power.judged import JudgmentsNeeded, judgments_needed_by_pilot
from fairpairs.audits.power.needed import items_needed
from fairpairs.audits.power.plan import (
    check_mode,
    shared_judgments,
)
from fairpairs.audits.power.sample_size import SampleSizes, check_power
from fairpairs.audits.power.within import ItemsWithin
from fairpairs.base.errors import InputError
from fairpairs.base.files import csv_text, write_together
from fairpairs.base.plain_values import Record
from fairpairs.base.reading.csv_layout import read_as
from fairpairs.base.reading.table import Table
from fairpairs.base.terminal import bad_input_in_one_sentence
from fairpairs.mathematics.inference.results import Correction

EXAMPLES = """\b
Examples:
  fairpairs power --tpr 0.8,0.7
  fairpairs power --tpr 0.8 --fpr 0.3 --difference 0.1 --share 0.2 --prevalence 0.3
  fairpairs power --tpr 0.8 --fpr 0.2 --margin 0.05
  fairpairs power --tpr 0.8,0.7 --cheap-accuracy 0.9,0.8 --items 10000
  fairpairs power --tpr 0.8,0.7 --judges 20 --judge-icc 0.02 --clusters 200 --cluster-icc 0.01
  fairpairs power --pair-accuracy 0.8 --difference 0.1 --items 2000 --plot curve.svg
  fairpairs power items.csv --judgments pilot.csv --left i --right j --outcome winner \\
      --item id --score s --sensitive sex --judge judge --cluster prompt
  fairpairs power pilot.csv --label repaid --score s --threshold 0.5 --sensitive sex
"""

#: Endings of a plot.
ENDINGS = (".svg", ".png")
#: Help on options that take one rate, or one per group.
TWO = "One for both groups, or two: with a comma, or by repeating it."


@takes(
    "power",
    tpr=Option(f"True positive rate. {TWO}", TEXTS),
    fpr=Option(f"False positive rate; 0.4 if only the TPR is given. {TWO}", TEXTS),
    pair_accuracy=Option(
        "Instead of TPR and FPR: share of the judgments within a group that are predicted "
        f"right. {TWO}",
        TEXTS,
    ),
    difference=Option("How much lower the TPR, or the accuracy, of the second group is.", NUMBER),
    margin=Option(
        "Plan to show that the differences of TPR and FPR lie within this margin, instead "
        "of finding a violation. True differences are 0 unless they are given.",
        NUMBER,
    ),
    cheap_accuracy=Option(
        "Share of cheap labels, such as a language model's, that are right: plan human labels "
        f"beside them. {TWO}",
        TEXTS,
    ),
    share=Option("Share of the second group among the items.  [default: 0.5]", NUMBER),
    prevalence=Option(f"Share of label 1. {TWO}  [default: 0.5]", TEXTS),
    label=Option("Column of PILOT with the labels, 0 and 1."),
    prediction=Option("Column of PILOT with the predictions, 0 and 1."),
    score=Option("Column of PILOT with scores, instead of predictions."),
    threshold=Option("Score from which on a prediction is 1, for the labels needed.", NUMBER),
    sensitive=Option("Column of PILOT with the two groups."),
    items=Option(
        "Number of items to be judged; with --margin, of labelled items; with --cheap-accuracy, of "
        "items that have a cheap label.",
        WHOLE,
        least=2,
    ),
    judgments=Option(
        "Pilot of judgments, one row per judgment, in a form of `audit-judgments`; PILOT "
        "is then the table of the items, where they have one of their own.",
        FILE,
    ),
    left=Option("Column of --judgments with the id of one item."),
    right=Option("Column of --judgments with the id of the other item."),
    outcome=Option("Column of --judgments that says which of the two wins."),
    winner_by={"type": WinnerBy},
    item=Option("Column of PILOT with the ids of the items."),
    verdict=Option("Column of --judgments with what an audited judge prefers, not --score."),
    pair=Option(
        "Column of --judgments that names rows which are versions of one text in two groups."
    ),
    judge=Option("Column of --judgments with the judges."),
    cluster=Option("Column of --judgments with the prompt, session or the like."),
    judges=Option("Number of judges, each with the same share of judgments.", WHOLE),
    judge_icc=Option(
        "How alike judgments of one judge are: the variance between judges of their own "
        "gap, by that of one judgment's contribution to it, from 0 to 1.",
        NUMBER,
    ),
    clusters=Option("Number of clusters (prompts, sessions) that share the judgments.", WHOLE),
    cluster_icc=Option("How alike judgments of one cluster are, from 0 to 1.", NUMBER),
    wanted=Option(
        "Wanted chance to find the violation, or to show the margin.",
        float,
        0.8,
        flags=("--power",),
    ),
    alpha=SHARED,
    correction=Option(
        "Correction for the two hypotheses of a test, by default holm.", Correction | None
    ),
    plot=Option("Figure of the curve to write, .svg or .png.", FILE),
    output=Option("CSV file to write the curve to.", FILE),
    **COMMON,
)
def power(
    pilot: Annotated[
        Path | None,
        typer.Argument(
            metavar="PILOT", help="CSV, Parquet or JSON lines of a pilot, one row per item."
        ),
    ] = None,
    *,
    options: Given,
) -> None:
    """Compute how many labels, or how many judgments, are needed to find a violation.

    Labels are for a test of separation. A judgment names the better of two items, and no item needs
    a label; judgments are for comparative separation, as `audit-judgments` tests it. The violation
    to detect is specified by rates, or taken from a pilot. With --margin: how many labels show that
    the differences of TPR and FPR lie within the margin, as `audit --margin` tests it.

    Judgments of one judge, or over one prompt, resemble each other: say how many share them and how
    alike they are (--judges, --judge-icc, --clusters, --cluster-icc), or give a pilot of judgments.
    """
    with bad_input_in_one_sentence(), read_as(options.separator, options.decimal):
        check_power(options.wanted, options.alpha)
        _check_outputs(pilot, options.judgments, options.plot, options.output, options.out)
        rate_options = {
            option: ",".join(values or [])
            for option, values in options.named("tpr", "fpr", "pair_accuracy", "prevalence").items()
        }
        rates = {**rate_options, **options.named("difference", "share", "margin")}
        roles = options.named("label", "prediction", "score", "threshold", "sensitive")
        for option, value in {**rates, **roles}.items():
            if isinstance(value, float) and not np.isfinite(value):
                raise InputError(f"{option} must be a finite number; it is {value:g}.")
        cheap_accuracy = ",".join(options.cheap_accuracy or [])
        of_judgments = ("left", "right", "outcome", "item", "verdict", "pair", "judge", "cluster")
        if options.judgments is None:
            _check_no_judgments(options.named(*of_judgments))
            check_mode(pilot, rates, {**roles, **options.named("separator", "decimal")})
            shared = shared_judgments(
                options.judges, options.judge_icc, options.clusters, options.cluster_icc
            )
        else:
            iccs = options.named("judge_icc", "cluster_icc", "cheap_accuracy")
            _check_pilot_of_judgments(options.judgments, {**rates, **iccs}, roles)
        result: SampleSizes | ItemsWithin | JudgmentsNeeded
        if options.judgments is not None:
            several: Record = {
                name: [value] if (value := getattr(options, name)) else ()
                for name in ("score", "verdict", "sensitive")
            }
            single = ("left", "right", "outcome", "winner_by", "item", "pair", "judge", "cluster")
            judged = read_judgments(
                JudgmentColumns(**several, **{name: getattr(options, name) for name in single}),
                options.judgments,
                pilot,
            )
            result = judgments_needed_by_pilot(
                judged,
                items=options.items,
                judges=options.judges,
                clusters=options.clusters,
                wanted=options.wanted,
                alpha=options.alpha,
                correction=options.correction or "holm",
            )
            written = result.report()
        else:
            result, written = items_needed(
                None if pilot is None else Table(pilot),
                rates,
                roles,
                items=options.items,
                wanted=options.wanted,
                alpha=options.alpha,
                correction=options.correction,
                shared=shared,
                cheap_accuracy=cheap_accuracy,
            )
        contents: dict[Path, str | bytes] = {}
        if options.output is not None:
            contents[options.output] = csv_text(result.curve())
        if options.plot is not None:
            from fairpairs.audits.power.figure import power_by_number  # noqa: PLC0415  (slow)

            ending = options.plot.suffix.removeprefix(".")
            contents[options.plot] = power_by_number(
                ending, result.smooth_curve(), wanted=options.wanted, margin=options.margin
            )
        if contents:
            with output_errors(
                next(iter(contents)), "--plot" if options.output is None else "--output"
            ):
                write_together(contents)
        end_report(written, options)


def _check_no_judgments(options: dict[str, str | None]) -> None:
    """Raise where a column of judgments is named without their file."""
    named = [name for name, value in options.items() if value is not None]
    if named:
        raise InputError(f"{named[0]}: needs a pilot of judgments: name its file by --judgments.")


def _check_pilot_of_judgments(
    judgments: Path, rates: dict[str, str | float | None], roles: dict[str, str | float | None]
) -> None:
    """Raise where an option does not go with --judgments."""
    named = [name for name, value in rates.items() if value not in (None, "")]
    if named:
        raise InputError(
            f"{named[0]} cannot be combined with --judgments {judgments}, which provides it: leave "
            "one of them out."
            if named[0] != "--margin"
            else "--margin is for labels, and --judgments are none: leave one of them out."
        )
    for name in ("--label", "--prediction", "--threshold"):
        if roles[name] is not None:
            raise InputError(
                f"{name} is of a pilot with labels, and --judgments has none: leave {name} out."
            )


def _check_outputs(
    pilot: Path | None,
    judgments: Path | None,
    plot: Path | None,
    output: Path | None,
    out: Path | None,
) -> None:
    if plot is not None and plot.suffix not in ENDINGS:
        raise InputError(f"--plot: {plot} must end in .svg or .png.")
    if plot is not None and plot == output:
        raise InputError(f"--plot: {plot} is named by --output too: name two files.")
    inputs = [file for file in (pilot, judgments) if file is not None]
    for path, option in ((plot, "--plot"), (output, "--output")):
        check_file(path, option, inputs, out, FILES["power"])
    check_folder(out, FILES["power"], inputs)
