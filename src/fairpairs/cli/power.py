"""`fairpairs power`: how many labels, or how many judgments, are needed to find a violation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
import typer
from tabulate import tabulate

from fairpairs.arrays import Floats
from fairpairs.cli.inputs import Table, bad_input_in_one_sentence
from fairpairs.cli.outputs import check_file, output_errors, show
from fairpairs.cli.power_plans import Plan, plan_from_pilot, plan_from_rates
from fairpairs.errors import InputError
from fairpairs.fairness.estimates import SMALL_CELL
from fairpairs.fairness.inputs import level
from fairpairs.fairness.power.pilots import PilotOfScores
from fairpairs.fairness.power.rejection import MOST, Test, expected_rejection
from fairpairs.fairness.power.sample_sizes import power_curve, smallest_number
from fairpairs.fairness.results import Correction
from fairpairs.files import write_together

EXAMPLES = """\b
Examples:
  fairpairs power --tpr 0.8,0.7
  fairpairs power --tpr 0.8 --fpr 0.3 --difference 0.1 --share 0.2 --prevalence 0.3
  fairpairs power --pair-accuracy 0.8 --difference 0.1 --items 2000 --plot curve.svg
  fairpairs power pilot.csv --label repaid --score s --threshold 0.5 --sensitive sex
"""

#: Labels or pairs that the printed curve has, beside the numbers that are needed.
ROWS = 8
#: How many times the fewest items the judgments are spread over.
SPREADS = (1.25, 1.5, 2, 4)
#: Points of a drawn curve.
POINTS = 40
#: Endings of a plot.
ENDINGS = (".svg", ".png")


def power(
    pilot: Annotated[
        Path | None,
        typer.Argument(
            metavar="PILOT", help="CSV or Parquet file of a pilot, one row an item; or give rates."
        ),
    ] = None,
    tpr: Annotated[
        str, typer.Option(help="True positive rate: of both groups, or of two with a comma.")
    ] = "",
    fpr: Annotated[
        str,
        typer.Option(
            help="False positive rate: of both groups, or of two with a comma; 0.4 if only the "
            "TPR is given."
        ),
    ] = "",
    pair_accuracy: Annotated[
        str,
        typer.Option(
            help="Instead of TPR and FPR: share of the judgments within a group that are predicted "
            "right, of both groups, or of two with a comma."
        ),
    ] = "",
    difference: Annotated[
        float | None,
        typer.Option(help="How much lower the TPR, or the accuracy, of the second group is."),
    ] = None,
    share: Annotated[
        float | None,
        typer.Option(help="Share of the second group among the items.  [default: 0.5]"),
    ] = None,
    prevalence: Annotated[
        str, typer.Option(help="Share of label 1: of both groups, or of two.  [default: 0.5]")
    ] = "",
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
        int | None, typer.Option(min=2, help="How many items there are to be judged.")
    ] = None,
    wanted: Annotated[
        float, typer.Option("--power", help="Wanted chance to find the violation.")
    ] = 0.8,
    alpha: Annotated[float, typer.Option(min=0, max=1, help="Level of the test.")] = 0.05,
    correction: Annotated[
        Correction, typer.Option(help="Correction for the two hypotheses of a test.")
    ] = "holm",
    plot: Annotated[
        Path | None, typer.Option(help="Figure of the curve to write, .svg or .png.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "--out", help="CSV of the curve to write.")
    ] = None,
) -> None:
    """Say how many labels, or how many judgments, it takes to find a violation.

    Labels are for a test of separation. Judgments say which of two items is the better one, and no
    item needs a label; they are for comparative separation, as `audit-judgments` tests it. What is
    to be found is given by rates, or taken from a pilot.
    """
    with bad_input_in_one_sentence():
        level(alpha, "--alpha")
        if not 0 < wanted < 1:
            raise InputError(f"--power must lie between 0 and 1; it is {wanted:g}.")
        if wanted <= alpha:
            raise InputError(
                f"--power must be larger than --alpha; they are {wanted:g} and {alpha:g}: give, "
                "for example, 0.8 and 0.05."
            )
        _check_outputs(pilot, plot, output)
        rates = {
            "--tpr": tpr, "--fpr": fpr, "--pair-accuracy": pair_accuracy,
            "--difference": difference, "--share": share, "--prevalence": prevalence,
        }  # fmt: skip
        roles = {
            "--label": label, "--prediction": prediction, "--score": score,
            "--threshold": threshold, "--sensitive": sensitive,
        }  # fmt: skip
        for option, value in {**rates, **roles}.items():
            if isinstance(value, float) and not np.isfinite(value):
                raise InputError(f"{option} must be a finite number; it is {value:g}.")
        _check_mode(pilot, rates, roles)
        if pilot is None:
            plan = plan_from_rates(
                tpr, fpr, pair_accuracy, difference, 0.5 if share is None else share, prevalence
            )
        else:
            plan = plan_from_pilot(
                Table(pilot), label, prediction, score, threshold, sensitive, alpha
            )
        report, curve, drawn = _report(
            plan, items, wanted, alpha, correction, drawn=plot is not None
        )
        contents: dict[Path, str | bytes] = {}
        if output is not None:
            contents[output] = curve.to_csv(index=False, lineterminator="\n")
        if plot is not None:
            from fairpairs.output.figures import power_by_number  # noqa: PLC0415  (slow)

            contents[plot] = power_by_number(plot.suffix.removeprefix("."), drawn, wanted=wanted)
        if contents:
            with output_errors(next(iter(contents)), "--plot" if output is None else "--output"):
                write_together(contents)
    show(report)


def _check_outputs(pilot: Path | None, plot: Path | None, output: Path | None) -> None:
    if plot is not None and plot.suffix not in ENDINGS:
        raise InputError(f"--plot: {plot} ends in none of {', '.join(ENDINGS)}: name it so.")
    if plot is not None and plot == output:
        raise InputError(f"--plot: {plot} is the --output too: name two files.")
    for path, option in ((plot, "--plot"), (output, "--output")):
        check_file(path, option, [] if pilot is None else [pilot])


def _check_mode(
    pilot: Path | None, rates: dict[str, str | float | None], roles: dict[str, str | float | None]
) -> None:
    """Raise unless there are either rates or a pilot with its columns."""
    given = [name for name, value in rates.items() if value not in (None, "")]
    columns = [name for name, value in roles.items() if value is not None]
    if pilot is None:
        if columns:
            raise InputError(f"{columns[0]}: goes with a pilot: name its file before the options.")
        if not {"--tpr", "--fpr", "--pair-accuracy"} & set(given):
            raise InputError(
                "There is nothing to find: give --tpr 0.8,0.7, or --pair-accuracy 0.8 with "
                "--difference 0.1, or the file of a pilot."
            )
        if "--pair-accuracy" in given and (
            other := {"--tpr", "--fpr", "--prevalence"} & set(given)
        ):
            raise InputError(
                f"--pair-accuracy and {min(other)} are two ways to say it: leave one out."
            )
        return
    if given:
        raise InputError(f"{given[0]}: the pilot {pilot} says it: leave out the one or the other.")
    for name in ("--label", "--sensitive"):
        if name not in columns:
            raise InputError(f"{name}: is missing: name the column of {pilot}.")
    if ("--prediction" in columns) == ("--score" in columns):
        raise InputError(f"--prediction, --score: name one column of {pilot} by one of the two.")
    if "--threshold" in columns and "--score" not in columns:
        raise InputError("--threshold: goes with --score: leave it out.")


def _report(
    plan: Plan,
    n_items: int | None,
    wanted: float,
    alpha: float,
    correction: Correction,
    *,
    drawn: bool,
) -> tuple[str, pd.DataFrame, pd.DataFrame]:
    """Return the report, the curve that it prints, and the one that is drawn."""

    def of(test: Test, items: Floats | PilotOfScores) -> Callable[[int], float]:
        """Give the power of a test by its number of items, or of fresh pairs."""
        name = "n_pairs" if test == "fresh_pairs" else "n_items"
        return lambda number: expected_rejection(
            test, items, **{name: number}, alpha=alpha, correction=correction
        )

    def over(n: int) -> Callable[[int], float]:
        """Give the power by the number of pairs over n items."""
        return lambda m: expected_rejection(
            "drawn_pairs", plan.comparisons, n_items=n, n_pairs=m, alpha=alpha,
            correction=correction,
        )  # fmt: skip

    every, fresh = of("all_pairs", plan.comparisons), of("fresh_pairs", plan.comparisons)
    labels = None if plan.cells is None else of("separation", plan.cells)
    by_labels = None if labels is None else _needed(labels, wanted)
    by_all, by_fresh = _needed(every, wanted), _needed(fresh, wanted)
    if by_all is None and by_fresh is None and by_labels is None:
        raise InputError(
            "There is nothing to find: no number of labels or judgments is enough for rates that "
            "differ so little or do not vary: give a larger --difference, or another pilot."
        )
    kept = 1 / plan.decided if plan.forced else 1.0  # forced: pairs without a winner do not occur
    fewest = _needed(lambda n: over(n)(MOST), wanted)  # items, however many pairs
    if fewest is not None and by_all is not None:  # judgments say no more than all labels
        fewest = max(fewest, by_all)
    sizes, table = _judgments_needed(plan, n_items, wanted, over, (fewest, by_fresh), kept)
    lines = [
        *plan.said,
        f"Wanted: a power of {wanted:g} at the level {alpha:g}, correction {correction}.",
        "\nWith labels:",
        *_labels_needed(labels is not None, by_labels, by_all),
        "\nWith judgments, and no label:",
        table + "\n",
    ]
    if fewest is not None:
        limit = f" up to {MOST:,}" if fewest * (fewest - 1) / 2 > MOST else ""
        lines.append(f"Over fewer than {fewest:,} items no number of judgments{limit} is enough.")
    lines += _cheaper([by_labels, by_all], by_fresh, kept, plan.forced)

    middle = n_items if n_items is not None else sizes[len(sizes) // 2] if sizes else None
    curves: dict[str, Callable[[int], float]] = {}
    if labels is not None:
        curves["labels, separation"] = labels
    curves["labels, all pairs"] = every
    word = "judgments" if plan.forced else "pairs"
    curves[f"{word}, fresh items"] = lambda m: fresh(max(1, round(m * kept)))
    if middle is not None:
        name, over_items = f"{word} over {middle:,} items", over(middle)
        curves[name] = lambda m: over_items(max(1, round(m * kept)))
    known = [n for n in (by_labels, by_all, by_fresh) if n is not None]
    low, high = max(min(known) / 8, 10), max(known) * 2
    high = min(high, MOST)
    printed = power_curve(curves, [_rounded(n) for n in np.geomspace(low, high, ROWS)])
    numbers = np.unique(np.geomspace(low, high, POINTS).astype(np.int64))
    smooth = power_curve(curves, numbers) if drawn else printed
    lines += [f"\nPower by the number of labels, or of {word}:", _wide(printed)]
    notes = [*plan.notes, *_small_cells(plan, [by_labels, by_all], by_fresh)]
    if not plan.forced:
        notes.append(
            "A pair of items with one label is a tie, which is no judgment: "
            f"{100 * (1 - plan.decided):.0f} % of the pairs."
        )
    notes.append(
        "Judgments are taken to be right: those that are not hide a part of a violation, or make "
        "one where base rates differ."
    )
    lines.append("\nNotes:\n" + "\n".join(f"- {note}" for note in notes))
    return "\n".join(lines), printed, smooth


def _judgments_needed(
    plan: Plan,
    n_items: int | None,
    wanted: float,
    over: Callable[[int], Callable[[int], float]],
    needed: tuple[int | None, int | None],
    kept: float,
) -> tuple[list[int], str]:
    """Return over how many items judgments are spread, and the table of how many they are."""
    fewest, by_fresh = needed
    sizes = [] if fewest is None else [_rounded(fewest * spread) for spread in SPREADS]
    sizes = [n for n in sizes if n <= MOST]
    if by_fresh is not None:  # with as many items, one pair each is best
        sizes = [n for n in sizes if n < 2 * by_fresh / kept]
    if n_items is not None:
        sizes = sorted({*sizes, n_items})
    rows: list[tuple[str, ...]] = []
    for n in sizes:
        rows.append(_row(n, _needed(over(n), wanted), plan, kept))
    if by_fresh is not None:
        own = 2 * int(np.ceil(by_fresh / kept))
        rows.append(_row(own, by_fresh, plan, kept, " (each in one pair)"))
    head = ["items", "pairs to judge", "with a winner", "pairs per item"]
    if plan.forced:
        head, rows = [head[0], "judgments", "per item"], [(r[0], r[2], r[3]) for r in rows]
    return sizes, tabulate(rows, head, tablefmt="simple", disable_numparse=True, stralign="right")


def _small_cells(plan: Plan, labels: Sequence[int | None], fresh: int | None) -> list[str]:
    """Say where a number that is needed leaves a cell below 30."""
    notes = []
    warned = f"a result with fewer than {SMALL_CELL} carries a warning."
    known = [number for number in labels if number is not None]
    if known and (n := min(known) * plan.totals.min()) < SMALL_CELL:
        notes.append(
            f"Of {min(known):,} labelled items some {n:.0f} are of the rarest group and label: "
            f"{warned}"
        )
    usable = 2 * np.outer(plan.totals[:, 1], plan.totals[:, 0])
    if fresh is not None and (n := fresh * usable.min()) < SMALL_CELL:
        notes.append(f"The fewest judgments have some {n:.0f} in the rarest cell: {warned}")
    return notes


def _wide(curve: pd.DataFrame) -> str:
    """Return a curve as a table, a test a column."""
    table = curve.pivot_table(index="number", columns="test", values="power", sort=False)
    rows = [
        (f"{number:,}", *(f"{power:.2f}" for power in powers))
        for number, powers in zip(table.index, table.to_numpy(), strict=True)
    ]
    return tabulate(
        rows, ["number", *table.columns], tablefmt="simple", disable_numparse=True,
        stralign="right",
    )  # fmt: skip


def _needed(power_at: Callable[[int], float], wanted: float) -> int | None:
    """Return the smallest number that is enough, None where no number is."""
    return smallest_number(power_at, wanted) if power_at(MOST) >= wanted else None


def _rounded(number: float) -> int:
    """Round up to two digits."""
    unit = int(10 ** max(np.floor(np.log10(number)) - 1, 0))
    return int(np.ceil(number / unit - 1e-9)) * unit


def _row(n: int, pairs: int | None, plan: Plan, kept: float, note: str = "") -> tuple[str, ...]:
    if pairs is None:
        return f"{n:,}", "none is enough", "none is enough", "–"
    judged = pairs / kept
    return (
        f"{n:,}", f"{np.ceil(judged):,.0f}", f"{np.ceil(pairs * plan.decided):,.0f}",
        f"{2 * judged / n:.1f}{note}",
    )  # fmt: skip


def _labels_needed(tested: bool, by_labels: int | None, by_all: int | None) -> list[str]:
    def said(number: int | None, test: str) -> str:
        if number is None:
            return f"  no number is enough for {test}"
        return f"  {number:,} labelled items for {test}"

    lines = [said(by_labels, "a test of separation on yes/no predictions")] if tested else []
    lines.append(said(by_all, "a test of comparative separation on all pairs of these items"))
    if not tested:
        lines.append("  (for separation, say from which score on a prediction is 1: --threshold)")
    return lines


def _cheaper(
    labels: Sequence[int | None], fresh: int | None, kept: float, forced: bool
) -> list[str]:
    """Say how much a judgment may cost, the fewest of them against the fewest labels."""
    known = [number for number in labels if number is not None]
    if not known or fresh is None:
        return []
    word = "judgment" if forced else "pair to judge"
    return [
        "The fewest judgments are those on items of their own: they are cheaper than labels where "
        f"a {word} costs less than {min(known) * kept / fresh:.2f} of a label."
    ]
