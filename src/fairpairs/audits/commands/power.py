"""`fairpairs power`: how many labels or judgments find a difference, or show a margin."""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from fairpairs.audits.commands.options import COMMON, SHARED, Given, takes
from fairpairs.audits.commands.outputs import check_outputs, end_report, output_errors
from fairpairs.audits.options import FILE, NUMBER, TEXTS, WHOLE, Option
from fairpairs.audits.power.interface import items_needed
from fairpairs.audits.power.plan import check_mode
from fairpairs.audits.power.sample_size import check_power
from fairpairs.base.errors import InputError
from fairpairs.base.files import csv_text, write_together
from fairpairs.base.reading.csv_layout import read_as
from fairpairs.base.reading.table import Table
from fairpairs.base.terminal import bad_input_in_one_sentence

EXAMPLES = """\b
Examples:
  fairpairs power --tpr 0.8,0.7
  fairpairs power --tpr 0.8 --fpr 0.3 --difference 0.1 --share 0.2 --prevalence 0.3
  fairpairs power --tpr 0.8,0.8,0.7 --fpr 0.2 --share 0.5,0.3,0.2
  fairpairs power --tpr 0.8 --fpr 0.2 --margin 0.05
  fairpairs power --tpr 0.8,0.7 --cheap-accuracy 0.9,0.8 --items 10000
  fairpairs power --pair-accuracy 0.8 --difference 0.1 --items 2000 --plot curve.svg
  fairpairs power pilot.csv --label repaid --score s --threshold 0.5 --sensitive sex
"""

#: Options that take one number, or one per group.
LISTS = "tpr", "fpr", "pair_accuracy", "prevalence", "share"
#: Endings of a plot.
ENDINGS = (".svg", ".png")
#: Help on options that take one rate, or one per group.
EACH = "One for all groups, or one for each: with commas, or by repeating it."


@takes(
    "power",
    tpr=Option(f"True positive rate. {EACH}", TEXTS),
    fpr=Option(f"False positive rate; 0.4 if only the TPR is given. {EACH}", TEXTS),
    pair_accuracy=Option(
        "Share of the judgments within each of two groups that are predicted right, instead of "
        f"TPR and FPR. {EACH}",
        TEXTS,
    ),
    difference=Option("How much lower the TPR, or the accuracy, of the last group is.", NUMBER),
    margin=Option(
        "Plan to show that the differences of TPR and FPR lie within this margin, instead "
        "of finding one. True differences are 0 unless they are given.",
        NUMBER,
    ),
    cheap_accuracy=Option(
        "Share of cheap labels, such as a language model's, that are right: plan human labels "
        f"beside them. {EACH}",
        TEXTS,
    ),
    share=Option(
        "Share of each group among the rows; of two, also that of the second. By default all have "
        "the same.",
        TEXTS,
    ),
    prevalence=Option(f"Share of label 1. {EACH}  [default: 0.5]", TEXTS),
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
    wanted=Option(
        "Wanted chance to find the difference, or to show the margin.",
        float,
        0.8,
        flags=("--power",),
    ),
    alpha=SHARED,
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
    """Compute how many labels, or how many judgments, are needed to find a difference.

    Labels are for TPR and FPR of each two groups, as `audit` decides by them. A judgment names the
    better of two items, and no item needs a label; judgments of two groups are for comparative
    separation, as `audit-judgments` tests it. The difference to detect is specified by rates, or
    taken from a pilot. With --margin: how many labels show that the differences of TPR and FPR lie
    within the margin, as `audit --margin` tests it.
    """
    with bad_input_in_one_sentence(), read_as(options.separator, options.decimal):
        check_power(options.wanted, options.alpha)
        if options.plot is not None and options.plot.suffix not in ENDINGS:
            raise InputError(f"--plot: {options.plot} must end in .svg or .png.")
        inputs = [] if pilot is None else [pilot]
        check_outputs("power", inputs, options.out, options.named("output", "plot"))
        rate_options = {
            option: ",".join(values or []) for option, values in options.named(*LISTS).items()
        }
        rates = {**rate_options, **options.named("difference", "margin")}
        roles = options.named("label", "prediction", "score", "threshold", "sensitive")
        for option, value in {**rates, **roles}.items():
            if isinstance(value, float) and not np.isfinite(value):
                raise InputError(f"{option} must be a finite number; it is {value:g}.")
        cheap_accuracy = ",".join(options.cheap_accuracy or [])
        check_mode(pilot, rates, {**roles, **options.named("separator", "decimal")})
        result, written = items_needed(
            None if pilot is None else Table(pilot),
            rates,
            roles,
            items=options.items,
            wanted=options.wanted,
            alpha=options.alpha,
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
