"""`fairpairs power`: how many labels, or how many judgments, are needed to find a violation."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer
from tabulate import tabulate

from fairpairs.cli.inputs import (
    Table,
    bad_input_in_one_sentence,
    listed,
    row_number,
    split_names,
)
from fairpairs.cli.outputs import check_file, output_errors, show
from fairpairs.errors import InputError, shown
from fairpairs.fairness.comparative import comparative_separation_test
from fairpairs.fairness.inputs import level
from fairpairs.fairness.pairs import cell_probabilities
from fairpairs.fairness.power import (
    MOST,
    PilotOfScores,
    Test,
    expected_rejection,
    items_from_rates,
    pilot_of_scores,
    power_curve,
    smallest_number,
)
from fairpairs.fairness.proportions import SMALL_CELL, Floats
from fairpairs.fairness.results import Correction
from fairpairs.fairness.separation import separation_test
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
POINTS = 60
#: Endings of a plot.
ENDINGS = (".svg", ".png")


@dataclass(frozen=True)
class Plan:
    """What is to be found.

    Attributes
    ----------
    said
        It in words, a sentence a line.
    comparisons
        The cells of the items, or a pilot of scores, that pairs are compared by.
    cells
        The cells of the items that separation is tested on; None without yes/no predictions.
    decided
        Share of the drawn pairs that have a winner.
    rarest
        Share of the items of the rarest group and label.
    forced
        Whether every pair that is judged has one.
    notes
        What else there is to say.
    """

    said: list[str]
    comparisons: Floats | PilotOfScores
    cells: Floats | None
    decided: float
    rarest: float
    forced: bool = False
    notes: list[str] = field(default_factory=list)


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
        level(alpha)
        if not 0 < wanted < 1:
            raise InputError(f"--power must lie between 0 and 1; it is {wanted:g}.")
        if wanted <= alpha:
            raise InputError(
                f"--power: {wanted:g} is no more than the level {alpha:g}, which is found without "
                "any violation: want more, as 0.8."
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
            plan = _from_rates(
                tpr, fpr, pair_accuracy, difference, 0.5 if share is None else share, prevalence
            )
        else:
            plan = _from_pilot(Table(pilot), label, prediction, score, threshold, sensitive, alpha)
        report, curve, drawn = _report(plan, items, wanted, alpha, correction)
        contents: dict[Path, str | bytes] = {}
        if output is not None:
            contents[output] = curve.to_csv(index=False, lineterminator="\n")
        if plot is not None:
            from fairpairs.reporting.figures import power_by_number  # noqa: PLC0415  (slow)

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


def _one_or_two(text: str, option: str) -> tuple[float, ...]:
    words = split_names(text)
    try:
        numbers = tuple(map(float, words))
    except ValueError:
        raise InputError(
            f"{option} must be a number, or two with a comma as 0.8,0.7; it is {shown(text)}."
        ) from None
    if len(numbers) not in (1, 2):
        raise InputError(f"{option} must be one number or two; {shown(text)} has {len(numbers)}.")
    if not all(0 <= number <= 1 for number in numbers):
        raise InputError(f"{option} must lie from 0 to 1; it is {text}: give shares, not per cent.")
    return numbers


def _of_both(text: str, option: str, difference: float | None) -> tuple[float, float]:
    """Return a rate of the first and of the second group."""
    numbers = _one_or_two(text, option)
    if len(numbers) == 2:
        if difference is not None:
            raise InputError(
                f"--difference: {option} gives both groups already: leave one of them out."
            )
        return numbers[0], numbers[1]
    lower = numbers[0] - (difference or 0)
    if not 0 <= lower <= 1:
        raise InputError(
            f"--difference: {numbers[0]:g} less {difference:g} does not lie from 0 to 1: give a "
            "smaller one."
        )
    return numbers[0], round(lower, 12)


def _from_rates(
    tpr: str, fpr: str, pair_accuracy: str, difference: float | None, share: float, prevalence: str
) -> Plan:
    if not 0 < share < 1:
        raise InputError(f"--share must lie between 0 and 1, without these; it is {share:g}.")
    if pair_accuracy:
        accuracy = _of_both(pair_accuracy, "--pair-accuracy", difference)
        if accuracy[0] == accuracy[1]:
            raise InputError(
                "There is nothing to find: the accuracy is the same in both groups: give "
                "--difference, or two numbers."
            )
        rate = np.sqrt(accuracy)
        cells = items_from_rates(
            share=share, tpr=(rate[0], rate[1]), fpr=(1 - rate[0], 1 - rate[1])
        )
        said = [
            f"To be found: of the judgments within a group, {_two(accuracy)} are predicted right; "
            f"{100 * share:g} % of the items are of the second group."
        ]
        note = (
            "An accuracy of pairs p stands for yes/no labels, half of them 1, and predictions with "
            "TPR = TNR = √p; every judgment is taken to have a winner. Scores with fewer ties need "
            "fewer judgments over shared items than that."
        )
        return Plan(said, cells, cells, _decided(cells), _rarest(cells), forced=True, notes=[note])
    shares = _one_or_two(prevalence or "0.5", "--prevalence")
    if not all(0 < number < 1 for number in shares):
        raise InputError(f"--prevalence must lie between 0 and 1; it is {prevalence}.")
    if difference is not None and not tpr:
        raise InputError("--difference: is of the TPR, or of --pair-accuracy: give one of them.")
    of_tpr = _of_both(tpr or "0.8", "--tpr", difference)
    of_fpr = _of_both(fpr or "0.4", "--fpr", None)
    if of_tpr[0] == of_tpr[1] and of_fpr[0] == of_fpr[1]:
        raise InputError(
            "There is nothing to find: TPR and FPR are the same in both groups: give "
            "--difference, or two numbers, as --tpr 0.8,0.7."
        )
    cells = items_from_rates(
        share=share, prevalence=(shares[0], shares[-1]), tpr=of_tpr, fpr=of_fpr
    )
    said = [
        f"To be found: TPR {_two(of_tpr)}, FPR {_two(of_fpr)} (first and second group); "
        f"{100 * share:g} % of the items are of the second group, label 1 has a share of "
        f"{_two((shares[0], shares[-1]))}."
    ]
    return Plan(said, cells, cells, _decided(cells), _rarest(cells))


def _two(rates: tuple[float, float]) -> str:
    return f"{rates[0]:g}" if rates[0] == rates[1] else f"{rates[0]:g} against {rates[1]:g}"


def _decided(cells: Floats) -> float:
    """Return the chance that two items have different labels."""
    ones = cells[:, 1].sum()
    return float(2 * ones * (1 - ones))


def _rarest(cells: Floats) -> float:
    return float(cells.sum(axis=-1).min())


def _from_pilot(
    table: Table,
    label: str | None,
    prediction: str | None,
    score: str | None,
    threshold: float | None,
    sensitive: str | None,
    alpha: float,
) -> Plan:
    """Return what a pilot shows; it is what is then to be found."""
    columns = {"--label": label, "--prediction": prediction, "--score": score,
               "--sensitive": sensitive}  # fmt: skip
    named = {option: name for option, name in columns.items() if name is not None}
    for option, name in named.items():
        table.check_column(name, option)
    if len(set(named.values())) < len(named):
        raise InputError(f"{table.path}: {', '.join(named)} name one column twice: name others.")
    labels = _zero_one(table, named["--label"])
    groups = table.words(named["--sensitive"])
    names = sorted(groups.unique())
    if len(names) != 2:
        raise InputError(
            f"{table.path}: column `{sensitive}` has {len(names)} group(s), "
            f"{listed(map(repr, names))}: two are compared, so keep two, or write one against the "
            "others."
        )
    for name in names:
        for value in (0, 1):
            if (n := int(((groups == name) & (labels == value)).sum())) < 2:
                raise InputError(
                    f"{table.path}: the group {shown(name)} has {n} item(s) of label {value} "
                    f"(column `{label}`): a pilot needs two at the least."
                )
    predictions: pd.Series[int] | None
    if score is None:
        predictions = _zero_one(table, named["--prediction"])
        scores = predictions.astype(float)
    else:
        scores = table.numbers(score, "correct it")
        predictions = None if threshold is None else (scores >= threshold).astype(np.int64)
    found = comparative_separation_test(labels, scores, sensitive_features=groups, alpha=alpha)
    frames = [found.to_frame()]
    cells = None
    if predictions is not None:
        frames[:0] = [
            separation_test(labels, predictions, sensitive_features=groups, alpha=alpha).to_frame()
        ]
        place = ((groups == names[1]) * 4 + labels * 2 + predictions).to_numpy(np.int64)
        cells = np.bincount(place, minlength=8).reshape(2, 2, 2) / len(labels)
    comparisons: Floats | PilotOfScores
    if score is None and cells is not None:
        comparisons = cells
    else:
        comparisons = pilot_of_scores(labels, scores, sensitive_features=groups)
    ones = float(labels.mean())
    sizes = ", ".join(f"{int((groups == name).sum())} {name}" for name in names)
    said = [
        f"{table.path}: {len(labels)} items ({sizes}), label 1 has a share of {ones:.2f}.",
        "To be found, as in the pilot:",
        *(f"- {_gap(row, alpha)}" for frame in frames for row in frame.to_dict("records")),
    ]
    notes = [
        "A pilot's differences have the errors of its size, and smaller ones take many times as "
        "much: rather plan for the smallest difference that matters, by --tpr or --pair-accuracy."
    ]
    smallest = int(found.difference.smallest_cell.min())
    if smallest < SMALL_CELL:
        notes.append(
            f"The pilot has {smallest} items only of a group and label: below {SMALL_CELL} its "
            "rates are rough."
        )
    rarest = float(pd.crosstab(groups, labels).to_numpy().min() / len(labels))
    return Plan(said, comparisons, cells, 2 * ones * (1 - ones), rarest, notes=notes)


def _gap(row: Mapping[Hashable, Any], alpha: float) -> str:
    if np.isnan(row["ci_low"]):
        return f"{row['hypothesis']} off by {row['estimate']:+.3f} ({row['note']})"
    return (
        f"{row['hypothesis']} off by {row['estimate']:+.3f} ({100 * (1 - alpha):g} % interval "
        f"{row['ci_low']:+.3f} to {row['ci_high']:+.3f})"
    )


def _zero_one(table: Table, name: str) -> pd.Series[int]:
    numbers = table.numbers(name, "write 1 and 0")
    wrong = ~numbers.isin([0, 1])
    if wrong.any():
        raise InputError(
            f"{table.path}: column `{name}` must hold 0 and 1 and holds {numbers[wrong].iloc[0]:g} "
            f"in row {row_number(wrong)}: recode it"
            + (", or name it by --score." if numbers.nunique() > 2 else ".")
        )
    return numbers.astype(np.int64)


def _report(
    plan: Plan, n_items: int | None, wanted: float, alpha: float, correction: Correction
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
    sizes, table = _judgments_needed(plan, n_items, wanted, over, (by_all, by_fresh), kept)
    lines = [
        *plan.said,
        f"Wanted: a power of {wanted:g} at the level {alpha:g}, correction {correction}.",
        "\nWith labels:",
        *_labels_needed(labels is not None, by_labels, by_all),
        "\nWith judgments, and no label:",
        table + "\n",
    ]
    if by_all is not None:
        lines.append(f"Over fewer than {by_all + 1:,} items no number of judgments is enough.")
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
    printed = power_curve(curves, [_rounded(n) for n in np.geomspace(low, high, ROWS)])
    drawn = power_curve(curves, np.unique(np.geomspace(low, high, POINTS).astype(np.int64)))
    lines += [f"\nPower by the number of labels, or of {word}:", _wide(printed)]
    notes = [*plan.notes, *_small_cells(plan, [by_labels, by_all], by_fresh)]
    if not plan.forced:
        notes.append(
            "A pair of items with one label is a tie, which is no judgment: "
            f"{100 * (1 - plan.decided):.0f} % of the pairs."
        )
    notes.append("Judgments are taken to be right: those that are not hide a part of a violation.")
    lines.append("\nNotes:\n" + "\n".join(f"- {note}" for note in notes))
    return "\n".join(lines), printed, drawn


def _judgments_needed(
    plan: Plan,
    n_items: int | None,
    wanted: float,
    over: Callable[[int], Callable[[int], float]],
    needed: tuple[int | None, int | None],
    kept: float,
) -> tuple[list[int], str]:
    """Return over how many items judgments are spread, and the table of how many they are."""
    by_all, by_fresh = needed
    sizes = [] if by_all is None else [_rounded(by_all * spread) for spread in SPREADS]
    if by_fresh is not None:  # with as many items, one pair each is best
        sizes = [n for n in sizes if n < 2 * by_fresh / kept]
    if n_items is not None:
        sizes = sorted({*sizes, n_items})
    rows: list[tuple[str, ...]] = []
    for n in sizes:
        enough = by_all is not None and n > by_all
        rows.append(_row(n, _needed(over(n), wanted) if enough else None, plan, kept))
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
    known = [number for number in labels if number is not None]
    if known and (n := min(known) * plan.rarest) < SMALL_CELL:
        notes.append(
            f"Of {min(known):,} labelled items some {n:.0f} are of the rarest group and label: "
            f"below {SMALL_CELL} the formulas are rough; rather have {SMALL_CELL}."
        )
    if isinstance(plan.comparisons, PilotOfScores):
        usable = plan.comparisons.usable
    else:
        usable = np.sum(cell_probabilities(plan.comparisons), axis=0)
    if fresh is not None and (n := fresh * usable.min()) < SMALL_CELL:
        notes.append(
            f"The fewest judgments have some {n:.0f} in the rarest cell: below {SMALL_CELL} the "
            f"formulas are rough; rather have {SMALL_CELL}."
        )
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
