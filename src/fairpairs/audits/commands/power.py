"""`fairpairs power`: how many labels or judgments find a violation, or show a margin."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from fairpairs.audits.commands.options import Alpha, Details, Separator, folder_of
from fairpairs.audits.commands.outputs import (
    check_file,
    check_folder,
    end_report,
    output_errors,
)
from fairpairs.audits.judgments.read import read_judgments
from fairpairs.audits.judgments.settings import JudgmentColumns, WinnerBy
from fairpairs.audits.lines.files import FILES
from fairpairs.audits.power.judged import JudgmentsNeeded, judgments_needed_by_pilot
from fairpairs.audits.power.pilot import plan_from_pilot, rates_of_pilot
from fairpairs.audits.power.plan import plan_from_rates, shared_judgments, true_rates
from fairpairs.audits.power.sample_size import SampleSizes, check_power, sample_sizes
from fairpairs.audits.power.text import report
from fairpairs.audits.power.within import ItemsWithin, items_within
from fairpairs.base.errors import InputError
from fairpairs.base.files import csv_text, write_together
from fairpairs.base.input_tables import Table
from fairpairs.base.terminal import bad_input_in_one_sentence
from fairpairs.base.text_tables import separated_by
from fairpairs.mathematics.inference.results import Correction
from fairpairs.mathematics.power.shared_judgments import SharedJudgments

EXAMPLES = """\b
Examples:
  fairpairs power --tpr 0.8,0.7
  fairpairs power --tpr 0.8 --fpr 0.3 --difference 0.1 --share 0.2 --prevalence 0.3
  fairpairs power --tpr 0.8 --fpr 0.2 --margin 0.05
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


def power(
    pilot: Annotated[
        Path | None,
        typer.Argument(
            metavar="PILOT", help="CSV, Parquet or JSON lines of a pilot, one row per item."
        ),
    ] = None,
    tpr: Annotated[list[str] | None, typer.Option(help=f"True positive rate. {TWO}")] = None,
    fpr: Annotated[
        list[str] | None,
        typer.Option(help=f"False positive rate; 0.4 if only the TPR is given. {TWO}"),
    ] = None,
    pair_accuracy: Annotated[
        list[str] | None,
        typer.Option(
            help="Instead of TPR and FPR: share of the judgments within a group that are predicted "
            f"right. {TWO}"
        ),
    ] = None,
    difference: Annotated[
        float | None,
        typer.Option(help="How much lower the TPR, or the accuracy, of the second group is."),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            help="Plan to show that the differences of TPR and FPR lie within this margin, instead "
            "of finding a violation. True differences are 0 unless they are given."
        ),
    ] = None,
    share: Annotated[
        float | None,
        typer.Option(help="Share of the second group among the items.  [default: 0.5]"),
    ] = None,
    prevalence: Annotated[
        list[str] | None, typer.Option(help=f"Share of label 1. {TWO}  [default: 0.5]")
    ] = None,
    label: Annotated[
        str | None, typer.Option(help="Column of PILOT with the labels, 0 and 1.")
    ] = None,
    prediction: Annotated[
        str | None, typer.Option(help="Column of PILOT with the predictions, 0 and 1.")
    ] = None,
    score: Annotated[
        str | None, typer.Option(help="Column of PILOT with scores, instead of predictions.")
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(help="Score from which on a prediction is 1, for the labels needed."),
    ] = None,
    sensitive: Annotated[
        str | None, typer.Option(help="Column of PILOT with the two groups.")
    ] = None,
    items: Annotated[
        int | None,
        typer.Option(min=2, help="Number of items to be judged; with --margin, of labelled items."),
    ] = None,
    judgments: Annotated[
        Path | None,
        typer.Option(
            help="Pilot of judgments, one row per judgment, in a form of `audit-judgments`; PILOT "
            "is then the table of the items, where they have one of their own."
        ),
    ] = None,
    left: Annotated[
        str | None, typer.Option(help="Column of --judgments with the id of one item.")
    ] = None,
    right: Annotated[
        str | None, typer.Option(help="Column of --judgments with the id of the other item.")
    ] = None,
    outcome: Annotated[
        str | None, typer.Option(help="Column of --judgments that says which of the two wins.")
    ] = None,
    winner_by: Annotated[
        WinnerBy,
        typer.Option(help="Whether --outcome holds ids, or sides (1 and -1, left and right …)."),
    ] = "auto",
    item: Annotated[
        str | None, typer.Option(help="Column of PILOT with the ids of the items.")
    ] = None,
    verdict: Annotated[
        str | None,
        typer.Option(help="Column of --judgments with what an audited judge prefers, not --score."),
    ] = None,
    pair: Annotated[
        str | None,
        typer.Option(
            help="Column of --judgments that names rows which are versions of one text in two "
            "groups."
        ),
    ] = None,
    judge: Annotated[
        str | None, typer.Option(help="Column of --judgments with the judges.")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(help="Column of --judgments with the prompt, session or the like.")
    ] = None,
    judges: Annotated[
        int | None, typer.Option(help="Number of judges, each with the same share of judgments.")
    ] = None,
    judge_icc: Annotated[
        float | None,
        typer.Option(
            help="How alike judgments of one judge are: the variance between judges of their own "
            "gap, by that of one judgment's contribution to it, from 0 to 1."
        ),
    ] = None,
    clusters: Annotated[
        int | None,
        typer.Option(help="Number of clusters (prompts, sessions) that share the judgments."),
    ] = None,
    cluster_icc: Annotated[
        float | None, typer.Option(help="How alike judgments of one cluster are, from 0 to 1.")
    ] = None,
    wanted: Annotated[
        float,
        typer.Option("--power", help="Wanted chance to find the violation, or to show the margin."),
    ] = 0.8,
    alpha: Alpha = 0.05,
    correction: Annotated[
        Correction | None,
        typer.Option(help="Correction for the two hypotheses of a test, by default holm."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Figure of the curve to write, .svg or .png.")
    ] = None,
    output: Annotated[Path | None, typer.Option(help="CSV file to write the curve to.")] = None,
    separator: Separator = None,
    details: Details = False,
    out: Annotated[Path | None, folder_of("power")] = None,
) -> None:
    """Compute how many labels, or how many judgments, are needed to find a violation.

    Labels are for a test of separation. A judgment names the better of two items, and no item needs
    a label; judgments are for comparative separation, as `audit-judgments` tests it. The violation
    to detect is specified by rates, or taken from a pilot. With --margin: how many labels show that
    the differences of TPR and FPR lie within the margin, as `audit --margin` tests it.

    Judgments of one judge, or over one prompt, resemble each other: say how many share them and how
    alike they are (--judges, --judge-icc, --clusters, --cluster-icc), or give a pilot of judgments.
    """
    with bad_input_in_one_sentence(), separated_by(separator):
        check_power(wanted, alpha)
        _check_outputs(pilot, judgments, plot, output, out)
        rate_options = {
            "--tpr": ",".join(tpr or []),
            "--fpr": ",".join(fpr or []),
            "--pair-accuracy": ",".join(pair_accuracy or []),
            "--prevalence": ",".join(prevalence or []),
        }
        rates = {**rate_options, "--difference": difference, "--share": share, "--margin": margin}
        roles = {
            "--label": label,
            "--prediction": prediction,
            "--score": score,
            "--threshold": threshold,
            "--sensitive": sensitive,
        }
        for option, value in {**rates, **roles}.items():
            if isinstance(value, float) and not np.isfinite(value):
                raise InputError(f"{option} must be a finite number; it is {value:g}.")
        judgment_options = {
            "--left": left, "--right": right, "--outcome": outcome, "--item": item,
            "--verdict": verdict, "--pair": pair, "--judge": judge, "--cluster": cluster,
        }  # fmt: skip
        if judgments is None:
            _check_no_judgments(judgment_options)
            _check_mode(pilot, rates, roles)
            shared = shared_judgments(judges, judge_icc, clusters, cluster_icc)
        else:
            iccs = {"--judge-icc": judge_icc, "--cluster-icc": cluster_icc}
            _check_pilot_of_judgments(judgments, {**rates, **iccs}, roles)
        share = 0.5 if share is None else share
        columns = (label, prediction, score, threshold, sensitive)
        result: SampleSizes | ItemsWithin | JudgmentsNeeded
        if judgments is not None:
            judged = read_judgments(
                JudgmentColumns(
                    left=left, right=right, outcome=outcome, winner_by=winner_by, item=item,
                    score=[score] if score else (), verdict=[verdict] if verdict else (),
                    sensitive=[sensitive] if sensitive else (), pair=pair, judge=judge,
                    cluster=cluster,
                ),
                judgments,
                pilot,
            )  # fmt: skip
            result = judgments_needed_by_pilot(
                judged,
                items=items,
                judges=judges,
                clusters=clusters,
                wanted=wanted,
                alpha=alpha,
                correction=correction or "holm",
            )
            written = result.report()
        elif margin is not None:
            _check_margin(pair_accuracy, correction, shared)
            true = (
                true_rates(
                    rate_options["--tpr"],
                    rate_options["--fpr"],
                    rate_options["--prevalence"],
                    difference=difference,
                    share=share,
                )
                if pilot is None
                else rates_of_pilot(Table(pilot), *columns, difference=difference)
            )
            result = items_within(true, margin, items=items, wanted=wanted, alpha=alpha)
            written = result.report()
        else:
            plan = (
                plan_from_rates(*rate_options.values(), difference=difference, share=share)
                if pilot is None
                else plan_from_pilot(Table(pilot), *columns, alpha)
            )
            result = sample_sizes(
                plan,
                items=items,
                wanted=wanted,
                alpha=alpha,
                correction=correction or "holm",
                shared=shared,
            )
            written = report(result)
        contents: dict[Path, str | bytes] = {}
        if output is not None:
            contents[output] = csv_text(result.curve())
        if plot is not None:
            from fairpairs.audits.power.figure import power_by_number  # noqa: PLC0415  (slow)

            ending = plot.suffix.removeprefix(".")
            contents[plot] = power_by_number(
                ending, result.smooth_curve(), wanted=wanted, margin=margin
            )
        if contents:
            with output_errors(next(iter(contents)), "--plot" if output is None else "--output"):
                write_together(contents)
        end_report(written, out, details=details)


def _check_margin(
    pair_accuracy: list[str] | None, correction: Correction | None, shared: SharedJudgments | None
) -> None:
    """Raise where an option does not go with --margin."""
    if shared is not None:
        raise InputError(
            "--margin is for labels, and judges or clusters share judgments: leave --judges and "
            "--clusters out."
        )
    if pair_accuracy:
        raise InputError(
            "--margin and --pair-accuracy cannot be combined: labels show that TPR and FPR lie "
            "within a margin, judgments do not: give --tpr and --fpr."
        )
    if correction is not None:
        raise InputError(
            "--correction is not for --margin: both lines must be shown, which needs none: leave "
            "it out."
        )


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
        check_file(path, option, inputs)
    check_folder(out, FILES["power"], inputs)


def _check_mode(
    pilot: Path | None, rates: dict[str, str | float | None], roles: dict[str, str | float | None]
) -> None:
    """Raise unless there are either rates or a pilot with its columns."""
    named = [name for name, value in rates.items() if value not in (None, "")]
    columns = [name for name, value in roles.items() if value is not None]
    if pilot is None:
        if columns:
            raise InputError(f"{columns[0]}: needs a pilot: name its file before the options.")
        if not {"--tpr", "--fpr", "--pair-accuracy"} & set(named):
            raise InputError(
                "Nothing to compute: give --tpr 0.8,0.7, or --pair-accuracy 0.8 with --difference "
                "0.1, or the file of a pilot."
            )
        if "--pair-accuracy" in named and (
            other := {"--tpr", "--fpr", "--prevalence"} & set(named)
        ):
            raise InputError(f"--pair-accuracy and {min(other)} cannot be combined: leave one out.")
        return
    named = [name for name in named if name != "--margin"]
    if "--margin" in rates and rates["--margin"] is not None:
        named = [name for name in named if name != "--difference"]
    if named:
        raise InputError(
            f"{named[0]} cannot be combined with the pilot {pilot}, which provides it: leave "
            "one of them out."
        )
    for name in ("--label", "--sensitive"):
        if name not in columns:
            raise InputError(f"{name} is missing: name the column of {pilot}.")
    if ("--prediction" in columns) == ("--score" in columns):
        raise InputError(f"--prediction, --score: name one column of {pilot} by one of the two.")
    if "--threshold" in columns and "--score" not in columns:
        raise InputError("--threshold is for --score: leave it out.")
