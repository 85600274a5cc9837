"""The rates of groups, given or of a pilot: the difference to detect, or what is to be shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.audits.criteria.turned_round import decisions_turned
from fairpairs.audits.items.coding import reached
from fairpairs.audits.items.repeated_ids import copies_in, repeated_ids
from fairpairs.base.arrays import Floats, Series
from fairpairs.base.errors import InputError, shown
from fairpairs.base.named_columns import split_names
from fairpairs.base.plain_values import Record, TableRow, rows_of
from fairpairs.base.reading.table import Table
from fairpairs.base.texts import coverage
from fairpairs.mathematics.estimates.estimates import SMALL_CELL
from fairpairs.mathematics.fairness.comparative import comparative_separation_test
from fairpairs.mathematics.fairness.separation import separation_test
from fairpairs.mathematics.inference.results import FairnessTestResult
from fairpairs.mathematics.power.items import PilotOfScores, items_from_rates, pilot_of_scores

#: Shares and rates that differ by less are the same.
ROUNDING = 1e-6


@dataclass(frozen=True)
class TrueRates:
    """The true rates of groups, whose differences are to be found, or shown within a margin."""

    #: What is assumed of them, as a clause after "if".
    assumed: str
    #: The probability of a row in each cell (a, y, c), or of each level of a pilot's scores for c.
    cells: Floats
    #: The pilot in a sentence, and what it shows.
    pilot: str = ""
    shown: Sequence[str] = ()
    #: Notes for the report, and what to check in the input.
    notes: list[str] = field(default_factory=list)
    checks: Sequence[str] = ()


@dataclass(frozen=True)
class Plan:
    """The difference to detect."""

    rates: TrueRates
    #: What the audit decides by: TPR and FPR of these cells; None for judgments or scores alone.
    cells: Floats | None
    #: The cells of the items, or a pilot of scores, that pairs are compared by; None with more than
    #: two groups.
    comparisons: Floats | PilotOfScores | None
    #: Whether every judged pair has a winner.
    forced: bool = False
    #: Whether labels are for an audit that has scores too, which it also decides by.
    scores: bool = False

    @property
    def totals(self) -> Floats:
        """Share of the rows of each group and label, shape (k, 2)."""
        return np.asarray(self.rates.cells.sum(axis=-1))

    @property
    def decided(self) -> float:
        """Share of the drawn pairs that have a winner: items with different labels."""
        ones = self.totals[:, 1].sum()
        return float(2 * ones * (1 - ones))


def check_mode(
    pilot: object | None, rates: dict[str, str | float | None], roles: dict[str, str | float | None]
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


def accuracy_of_cheap_labels(
    text: str, *, margin: float | None, pair_accuracy: str
) -> tuple[float, ...] | None:
    """Return the share of cheap labels that are right, of all groups or of each; None without."""
    if not text:
        return None
    for option, named in {"--margin": margin is not None, "--pair-accuracy": pair_accuracy}.items():
        if named:
            raise InputError(
                f"{option} and --cheap-accuracy cannot be combined: cheap labels help to find a "
                "difference by labels: give --tpr and --fpr."
            )
    return _numbers(text, "--cheap-accuracy")


def _numbers(text: str, option: str) -> tuple[float, ...]:
    try:
        numbers = tuple(map(float, split_names(text)))
    except ValueError:
        raise InputError(
            f"{option} must be a number, or one for each group with commas such as 0.8,0.7; it is "
            f"{shown(text)}."
        ) from None
    if not all(0 <= number <= 1 for number in numbers):
        raise InputError(f"{option} must lie from 0 to 1; it is {text}: give shares, not per cent.")
    return numbers


def of_each(numbers: tuple[float, ...], option: str, k: int) -> tuple[float, ...]:
    """Return the number of each of k groups."""
    if len(numbers) not in (1, k):
        raise InputError(
            f"{option} has {len(numbers)} numbers, and there are {k} groups: give one number, or "
            "one for each group."
        )
    return numbers * (k // len(numbers))


def _with_difference(
    numbers: tuple[float, ...], option: str, difference: float | None, k: int
) -> tuple[float, ...]:
    """Return the rate of each of k groups, of which the last one has a rate that is lower."""
    if difference is None:
        return of_each(numbers, option, k)
    if len(numbers) > 1:
        raise InputError(f"--difference: {option} gives all groups already: leave one of them out.")
    lower = round(numbers[0] - difference, 12)
    if not 0 <= lower <= 1:
        raise InputError(
            f"--difference: {numbers[0]:g} minus {difference:g} is not between 0 and 1: give a "
            "smaller one."
        )
    return (*numbers * (k - 1), lower)


def _shares(numbers: tuple[float, ...], k: int) -> tuple[float, ...]:
    """Return the share of each of k groups; by default they have equal ones."""
    if not numbers:
        return (1 / k,) * k
    if not all(0 < number < 1 for number in numbers):
        raise InputError(
            f"--share must lie between 0 and 1, without these; it is {_listed(numbers)}."
        )
    if len(numbers) == 1 and k == 2:
        return 1 - numbers[0], numbers[0]
    if len(numbers) != k or abs(sum(numbers) - 1) > ROUNDING:
        raise InputError(
            f"--share is that of the second of two groups, or one for each group, which add up to "
            f"1; there are {k} groups, and it is {_listed(numbers)}."
        )
    return tuple(number / sum(numbers) for number in numbers)


def plan_from_rates(
    tpr: str,
    fpr: str,
    pair_accuracy: str,
    prevalence: str,
    *,
    difference: float | None,
    share: str,
) -> Plan:
    """Return the difference to detect, by the rates of two groups or more."""
    if pair_accuracy:
        numbers = _numbers(pair_accuracy, "--pair-accuracy")
        accuracy = _with_difference(numbers, "--pair-accuracy", difference, 2)
        if accuracy[0] == accuracy[1]:
            raise InputError(
                "Nothing to find: the accuracy is the same in both groups: give --difference, or "
                "two numbers."
            )
        shares = _shares(_numbers(share, "--share") if share else (), 2)
        rate = np.sqrt(accuracy)
        cells = items_from_rates(share=shares[1], tpr=tuple(rate), fpr=tuple(1 - rate))
        assumed = (
            f"{_percent(accuracy)} of those within the groups are predicted right, and "
            f"{_have(shares)} of the items"
        )
        note = (
            "A pair accuracy p assumes binary labels with prevalence 0.5 and TPR = TNR = √p, and "
            "that every judgment has a winner. Scores with fewer ties need fewer judgments over "
            "shared items than that."
        )
        return Plan(TrueRates(assumed, cells, notes=[note]), None, cells, forced=True)
    rates = true_rates(tpr, fpr, prevalence, difference=difference, share=share)
    by_label = rates.cells[..., 1] / rates.cells.sum(axis=-1)
    if np.allclose(by_label, by_label[0], 0, ROUNDING):
        raise InputError(
            "Nothing to find: TPR and FPR are the same in all groups: give --difference, or one "
            "number for each group, such as --tpr 0.8,0.7."
        )
    return Plan(rates, rates.cells, rates.cells if len(rates.cells) == 2 else None)


def true_rates(
    tpr: str, fpr: str, prevalence: str, *, difference: float | None, share: str
) -> TrueRates:
    """Return the true rates of groups: as many as an option has numbers, or two."""
    if difference is not None and not tpr:
        raise InputError(
            "--difference lowers the TPR or the pair accuracy: give --tpr or --pair-accuracy."
        )
    texts = {"--tpr": tpr or "0.8", "--fpr": fpr or "0.4", "--prevalence": prevalence or "0.5"}
    numbers = {option: _numbers(text, option) for option, text in texts.items()}
    shares = _numbers(share, "--share") if share else ()
    k = max(2, len(shares), *map(len, numbers.values()))
    tprs = _with_difference(numbers["--tpr"], "--tpr", difference, k)
    fprs, ones = (of_each(numbers[option], option, k) for option in ("--fpr", "--prevalence"))
    if not all(0 < number < 1 for number in ones):
        raise InputError(f"--prevalence must lie between 0 and 1; it is {prevalence}.")
    shares = _shares(shares, k)
    assumed = (
        f"TPR is {_listed(tprs)}, FPR is {_listed(fprs)}, and {_have(shares)} of the rows, of "
        f"which {_percent(ones)} have label 1"
    )
    return TrueRates(assumed, items_from_rates(share=shares, prevalence=ones, tpr=tprs, fpr=fprs))


def _listed(numbers: Sequence[float]) -> str:
    """Return the number of each group in words, or that of all.

    >>> _listed([0.8, 0.8, 0.7]), _listed([0.2, 0.2])
    ('0.8, 0.8 and 0.7', '0.2')
    """
    *others, last = [f"{number:.4g}" for number in numbers]
    return last if {*others} <= {last} else f"{', '.join(others)} and {last}"


def _have(shares: Sequence[float]) -> str:
    equal = max(shares) - min(shares) < ROUNDING
    if equal:
        return f"each group has {_percent(shares[:1])}"
    return f"the groups have {_percent(shares)}"


def _percent(shares: Sequence[float]) -> str:
    return _listed([100 * share for share in shares]) + " %"


def plan_from_pilot(table: Table, roles: Record, alpha: float) -> Plan:
    """Return the difference observed in a pilot, as the one to detect."""
    pilot = _read(table, roles)
    labels, scores, groups = pilot.labels, pilot.scores, pilot.groups
    with_scores = roles["--score"] is not None
    tests: list[FairnessTestResult] = [
        comparative_separation_test(labels, scores, sensitive_features=groups, alpha=alpha)
    ]
    if pilot.predictions is not None:
        of_rates = separation_test(
            labels, pilot.predictions, sensitive_features=groups, alpha=alpha
        )
        tests[:0] = [of_rates]
    comparisons: Floats | PilotOfScores | None = pilot.cells
    if with_scores:
        comparisons = pilot_of_scores(labels, scores, sensitive_features=groups)
    note = (
        "A pilot's differences have the errors of its size, and smaller ones take many times as "
        "much: rather plan for the smallest difference that matters, by --tpr or --pair-accuracy."
    )
    cells = comparisons.items if isinstance(comparisons, PilotOfScores) else pilot.cells
    assert cells is not None
    rates = TrueRates(
        f"the rates are those of {table.called}",
        cells,
        pilot.sentence,
        [_gap_sentence(row, alpha) for test in tests for row in rows_of(test.to_frame())],
        [note, *pilot.notes],
        pilot.checks,
    )
    return Plan(rates, pilot.cells, comparisons, scores=with_scores)


def rates_of_pilot(table: Table, roles: Record, *, difference: float | None) -> TrueRates:
    """Return the rates observed in a pilot, as the true ones to be shown within a margin.

    With a `difference` both groups have the rates of all items of the pilot, but for a TPR of the
    second group that is lower by it.
    """
    if roles["--score"] is not None and roles["--threshold"] is None:
        raise InputError(
            "--margin is for the TPR and FPR of predictions: give the score from which on a "
            "prediction is 1, such as --threshold 0.5."
        )
    pilot = _read(table, roles)
    cells, notes = pilot.cells, pilot.notes
    assert cells is not None
    if difference is None:
        rates = cells[..., 1] / cells.sum(axis=-1)
        notes = [
            "A pilot's differences have the errors of its size: to plan for true differences of 0, "
            "add --difference 0.",
            *notes,
        ]
    else:
        totals = cells.sum(axis=-1)
        fpr, tpr = cells[..., 1].sum(axis=0) / totals.sum(axis=0)
        if not 0 <= tpr - difference <= 1:
            raise InputError(
                f"--difference: the TPR of {table.path}, {tpr:.3g}, minus {difference:g} is not "
                "between 0 and 1: give a smaller one."
            )
        rates = np.array([[fpr, tpr], [fpr, tpr - difference]])
        cells = np.stack([totals * (1 - rates), totals * rates], axis=-1)
    (fpr_1, tpr_1), (fpr_2, tpr_2) = rates
    names = " and ".join(map(str, pilot.names))
    source = "as in the pilot" if difference is None else "those of all rows of the pilot"
    assumed = (
        f"TPR is {tpr_1:.3f} and {tpr_2:.3f} and FPR is {fpr_1:.3f} and {fpr_2:.3f} ({names}), "
        f"{source}"
    )
    return TrueRates(assumed, cells, pilot.sentence, notes=notes, checks=pilot.checks)


@dataclass(frozen=True)
class _Pilot:
    """The items of a pilot, with the names of its two groups."""

    labels: pd.Series[int]
    predictions: pd.Series[int] | None
    scores: pd.Series[float]
    groups: Series
    names: Sequence[Any]
    #: The share of items in each cell (a, y, c); None without predictions.
    cells: Floats | None
    #: Its items, groups and labels, notes on few of them, and what to check in the input.
    sentence: str
    notes: list[str]
    checks: list[str]


def _read(table: Table, roles: Record) -> _Pilot:
    """Return the items of a pilot, or raise unless each group has two of each label."""
    named = {name: column for name, column in roles.items() if column is not None}
    threshold, score = named.pop("--threshold", None), roles["--score"]
    for option, name in named.items():
        table.check_column(name, option)
    if len(set(named.values())) < len(named):
        raise InputError(
            f"{table.path}: {', '.join(named)} name the same column twice: name different columns."
        )
    label = named["--label"]
    labels = _zero_one(table, label)
    groups, names = table.two_groups(named["--sensitive"])
    cell = 2 * (groups == names[1]).to_numpy(np.int64) + labels.to_numpy()
    counts = np.bincount(cell, minlength=4)
    for (name, value), n in zip(product(names, (0, 1)), counts.tolist(), strict=True):
        if n < 2:
            raise InputError(
                f"{table.path}: the group {shown(name)} has {n} row(s) of label {value} "
                f"(column `{label}`): a pilot needs two at the least."
            )
    predictions: pd.Series[int] | None = None
    if score is None:
        predictions = _zero_one(table, named["--prediction"])
        scores = predictions.astype(float)
    else:
        scores = table.numbers(score, "correct it")
        if threshold is not None:
            values = np.asarray(scores, dtype=np.float64)
            decided = reached(values, threshold, "--threshold", f"column `{score}`")
            predictions = pd.Series(decided, scores.index).astype(np.int64)
    options = {name: option.strip("-") for option, name in named.items()}
    checks = [*repeated_ids(table, options, remedy="keep one row of each"), *copies_in(table)]
    cells = None
    if predictions is not None:
        of_cells = np.bincount(2 * cell + predictions, minlength=8).reshape(2, 2, 2)
        cells = of_cells / len(labels)
        of_columns = f"column `{named.get('--prediction', score)}`", f"column `{label}`"
        checks += decisions_turned({named["--sensitive"]: of_cells}, *of_columns, 0.05)
    sizes = counts.reshape(2, 2).sum(axis=1).tolist()
    listed = ", ".join(f"{n} {name}" for n, name in zip(sizes, names, strict=True))
    sentence = (
        f"{table.called}: {len(labels)} rows ({listed}), label 1 has a share of "
        f"{labels.mean():.2f}."
    )
    notes = [
        f"The pilot has {counts.min()} rows only of a group and label: below {SMALL_CELL} its "
        "rates are rough."
    ] * bool(counts.min() < SMALL_CELL)
    checks += table.notes.values()
    return _Pilot(labels, predictions, scores, groups, names, cells, sentence, notes, checks)


def _gap_sentence(row: TableRow, alpha: float) -> str:
    """Return a sentence with the gap of a hypothesis, from a row of a result."""
    if np.isnan(row["ci_low"]):
        return f"{row['hypothesis']} off by {row['estimate']:+.3f} ({row['note']})"
    return (
        f"{row['hypothesis']} off by {row['estimate']:+.3f} ({coverage(alpha)} interval "
        f"{row['ci_low']:+.3f} to {row['ci_high']:+.3f})"
    )


def _zero_one(table: Table, name: str) -> pd.Series[int]:
    numbers = table.numbers(name, "write 1 and 0")
    wrong = ~numbers.isin([0, 1])
    if wrong.any():
        raise InputError(
            f"{table.path}: column `{name}` must hold 0 and 1 and holds {numbers[wrong].iloc[0]:g} "
            f"in row {int(wrong.to_numpy().argmax()) + 1}: recode it"
            + (", or name it by --score." if numbers.nunique() > 2 else ".")
        )
    return numbers.astype(np.int64)
