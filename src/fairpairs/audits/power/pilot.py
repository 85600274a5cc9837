"""The rates of two groups in a pilot: to be detected, or to be shown within a margin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.audits.criteria.turned_round import decisions_turned
from fairpairs.audits.items.coding import reached
from fairpairs.audits.items.repeated_ids import copies_in, repeated_ids
from fairpairs.audits.power.plan import Plan, TrueRates
from fairpairs.base.arrays import Floats, Series
from fairpairs.base.errors import InputError, shown
from fairpairs.base.plain_values import Record, TableRow, rows_of
from fairpairs.base.reading.table import Table
from fairpairs.base.texts import coverage
from fairpairs.mathematics.estimates.estimates import SMALL_CELL
from fairpairs.mathematics.fairness.comparative import comparative_separation_test
from fairpairs.mathematics.fairness.separation import separation_test
from fairpairs.mathematics.inference.results import FairnessTestResult
from fairpairs.mathematics.power.items import PilotOfScores, pilot_of_scores


def plan_from_pilot(table: Table, roles: Record, alpha: float) -> Plan:
    """Return the difference observed in a pilot, as the one to detect."""
    pilot = _read(table, roles)
    labels, scores, predictions = pilot.labels, pilot.scores, pilot.predictions
    groups, with_scores = pilot.groups, roles["--score"] is not None
    tests: list[FairnessTestResult] = [
        comparative_separation_test(labels, scores, sensitive_features=groups, alpha=alpha)
    ]
    cells = None
    if predictions is not None:
        tests[:0] = [separation_test(labels, predictions, sensitive_features=groups, alpha=alpha)]
        cells = pilot.cells()
    comparisons: Floats | PilotOfScores | None = cells
    if with_scores:
        comparisons = pilot_of_scores(labels, scores, sensitive_features=groups)
    note = (
        "A pilot's differences have the errors of its size, and smaller ones take many times as "
        "much: rather plan for the smallest difference that matters, by --tpr or --pair-accuracy."
    )
    rates = TrueRates(
        f"the rates are those of {table.called}",
        comparisons.items if isinstance(comparisons, PilotOfScores) else pilot.cells(),
        pilot.sentence,
        [gap_sentence(row, alpha) for test in tests for row in rows_of(test.to_frame())],
        [note, *pilot.notes],
        pilot.checks,
    )
    return Plan(rates, cells, comparisons, scores=with_scores)


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
    cells = pilot.cells()
    notes = pilot.notes
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

    table: Table
    labels: pd.Series[int]
    predictions: pd.Series[int] | None
    scores: pd.Series[float]
    groups: Series
    names: Sequence[Any]
    #: The names of its columns, by option.
    columns: Record

    @property
    def sentence(self) -> str:
        """Its items, groups and labels."""
        sizes = ", ".join(f"{int((self.groups == name).sum())} {name}" for name in self.names)
        return (
            f"{self.table.called}: {len(self.labels)} rows ({sizes}), label 1 has a share of "
            f"{self.labels.mean():.2f}."
        )

    def counts(self) -> NDArray[np.int64]:
        """Return the items by group and label."""
        second = (self.groups == self.names[1]).to_numpy()
        cell = second * 2 + self.labels.to_numpy(np.int64)
        return np.bincount(cell, minlength=4).reshape(2, 2)

    def cells(self) -> Floats:
        """Return the share of items in each cell (a, y, c) of a pilot with predictions."""
        second = self.groups == self.names[1]
        cell = (second * 4 + self.labels * 2 + self.predictions).to_numpy(np.int64)
        return np.bincount(cell, minlength=8).reshape(2, 2, 2) / len(self.labels)

    @property
    def notes(self) -> list[str]:
        """Notes on few items of a group and label."""
        smallest = int(self.counts().min())
        return [
            f"The pilot has {smallest} rows only of a group and label: below {SMALL_CELL} its "
            "rates are rough."
        ] * (smallest < SMALL_CELL)

    @cached_property
    def checks(self) -> list[str]:
        """What to check in the input."""
        columns, turned = self.columns, []
        options = {name: option.strip("-") for option, name in columns.items()}
        ids = repeated_ids(self.table, options, remedy="keep one row of each")
        if self.predictions is not None:
            counts = np.round(self.cells() * len(self.labels)).astype(np.int64)
            prediction = columns.get("--prediction", columns.get("--score"))
            roles = f"column `{prediction}`", f"column `{columns['--label']}`"
            turned = decisions_turned({columns["--sensitive"]: counts}, *roles, 0.05)
        return [*ids, *copies_in(self.table), *turned, *self.table.notes.values()]


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
    labels = _zero_one(table, named["--label"])
    groups, names = table.two_groups(named["--sensitive"])
    for name in names:
        for value in (0, 1):
            if (n := int(((groups == name) & (labels == value)).sum())) < 2:
                raise InputError(
                    f"{table.path}: the group {shown(name)} has {n} row(s) of label {value} "
                    f"(column `{roles['--label']}`): a pilot needs two at the least."
                )
    predictions: pd.Series[int] | None
    if score is None:
        predictions = _zero_one(table, named["--prediction"])
        scores = predictions.astype(float)
    else:
        scores = table.numbers(score, "correct it")
        predictions = None
        if threshold is not None:
            values = np.asarray(scores, dtype=np.float64)
            decided = reached(values, threshold, "--threshold", f"column `{score}`")
            predictions = pd.Series(decided, scores.index).astype(np.int64)
    return _Pilot(table, labels, predictions, scores, groups, names, named)


def gap_sentence(row: TableRow, alpha: float) -> str:
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
