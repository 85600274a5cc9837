"""What `fairpairs power` is asked to find: given by rates, or shown by a pilot."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.arrays import Floats
from fairpairs.cli.inputs import Table, row_number, split_names
from fairpairs.errors import InputError, shown
from fairpairs.fairness.comparative import comparative_separation_test
from fairpairs.fairness.estimates import SMALL_CELL
from fairpairs.fairness.power.cells import items_from_rates
from fairpairs.fairness.power.pilots import PilotOfScores, pilot_of_scores
from fairpairs.fairness.separation import separation_test
from fairpairs.texts import listed


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
    totals
        Share of the items of each group and label, shape (2, 2).
    forced
        Whether every pair that is judged has one.
    notes
        What else there is to say.
    """

    said: list[str]
    comparisons: Floats | PilotOfScores
    cells: Floats | None
    decided: float
    totals: Floats
    forced: bool = False
    notes: list[str] = field(default_factory=list)


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


def plan_from_rates(
    tpr: str, fpr: str, pair_accuracy: str, difference: float | None, share: float, prevalence: str
) -> Plan:
    """Return what is to be found by the rates of two groups."""
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
        return Plan(
            said, cells, cells, _decided(cells), cells.sum(axis=-1), forced=True, notes=[note]
        )
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
    return Plan(said, cells, cells, _decided(cells), cells.sum(axis=-1))


def _two(rates: tuple[float, float]) -> str:
    return f"{rates[0]:g}" if rates[0] == rates[1] else f"{rates[0]:g} against {rates[1]:g}"


def _decided(cells: Floats) -> float:
    """Return the chance that two items have different labels."""
    ones = cells[:, 1].sum()
    return float(2 * ones * (1 - ones))


def plan_from_pilot(
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
    totals = pd.crosstab(groups, labels).to_numpy() / len(labels)
    return Plan(said, comparisons, cells, 2 * ones * (1 - ones), totals, notes=notes)


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
