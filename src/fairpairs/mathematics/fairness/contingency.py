"""The counts, the result and the notes that the chi-square and Mantel–Haenszel tests share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.estimates.estimates import SMALL, SMALL_CELL, UNVARYING, magnitude
from fairpairs.mathematics.inference.rates import FEW
from fairpairs.mathematics.inference.results import SingleTestResult


@dataclass(frozen=True, kw_only=True)
class ContingencyResult(SingleTestResult):
    """The result of a chi-square test of predictions by group.

    Attributes
    ----------
    counts
        Items in each cell (group, label, prediction), shape (K, 2, 2).
    df
        Degrees of freedom.
    smallest_expected
        The smallest count that is expected in a cell under the hypothesis.
    by_label
        The tests within each label, where there are such.
    """

    counts: Integers
    df: int
    smallest_expected: float
    by_label: tuple[ContingencyResult, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """Return one row, after one for each label where the labels are tested one by one."""
        rows = [test.to_frame() for test in self.by_label]
        return pd.concat([*rows, super().to_frame()], ignore_index=True)


@dataclass(frozen=True)
class ChiSquare:
    """Chi-square tests of many tables of counts; every field has the shape of the tables.

    `df` is 0 and the others are NaN where fewer than two rows or columns can be compared.
    `effect_size` is Cramér's V, or √(statistic / n) of strata; `n` counts the items of the strata
    that can be tested. `shuffles` is their number where p comes from these, else 0.
    """

    statistic: Floats
    df: Integers
    pvalue: Floats
    effect_size: Floats
    n: Floats
    smallest_expected: Floats
    shuffles: int = 0


def confusion_counts(
    y_true: ArrayLike, y_pred: ArrayLike, sensitive_features: ArrayLike, alpha: float
) -> tuple[Integers, tuple[Any, ...]]:
    """Return the counts of (group, label, prediction), shape (K, 2, 2), and the groups."""
    labels, predictions = inputs.binary(y_true, "y_true"), inputs.binary(y_pred, "y_pred")
    group, names = inputs.groups(sensitive_features)
    inputs.same_items(y_true=y_true, y_pred=y_pred, sensitive_features=sensitive_features)
    inputs.level(alpha)
    cell = 4 * group + 2 * labels + predictions
    return np.bincount(cell, minlength=4 * len(names)).reshape(-1, 2, 2), names


def contingency_result(
    test: ChiSquare,
    counts: Integers,
    *,
    sizes: Integers,
    names: tuple[Any, ...],
    alpha: float,
    effect: str = "√(χ²/n)",
    unvarying: str = "",
    untested: str = "",
    few: str = f"an expected count of {FEW} or fewer",
    notes: Sequence[str] | None = None,
    **fields: Any,
) -> ContingencyResult:
    """Describe a test of the counts of (group, label, prediction) or of (group, prediction).

    `sizes` are the items of a group (and label); `notes` replace `unvarying`, `untested`, `few`;
    `fields` are others of the result: what the test is called and claims, an interval, its parts.
    """
    statistic, pvalue, effect_size = map(float, (test.statistic, test.pvalue, test.effect_size))
    compared = bool(((sizes > 0).sum(axis=0) > 1).any())  # two groups have items of a label
    if np.isnan(statistic) and compared:  # then these all have one prediction
        pvalue, effect_size = 1.0, 0.0
        notes = [f"{UNVARYING}: {unvarying}"] if notes is None else [UNVARYING, *notes]
    elif np.isnan(statistic) and notes is None:
        notes = [untested]
    elif notes is None:
        missing = "a group without rows is left out" if sizes.min() == 0 else ""
        expected = few if test.smallest_expected <= FEW else ""
        small = SMALL if sizes[sizes > 0].min() < SMALL_CELL else ""
        notes = [missing, small, expected]
    w = 0.0 if pvalue == 1 else np.sqrt(statistic / max(float(test.n), 1))
    return ContingencyResult(
        statistic=statistic,
        symbol=f"χ²({test.df})",
        pvalue=pvalue,
        alpha=alpha,
        effect_size=effect_size,
        effect=effect,
        magnitude=str(magnitude(w, "w")),
        n=int(counts.sum()),
        smallest_cell=int(sizes.min()),
        note="; ".join(filter(None, notes)),
        groups=names,
        counts=counts,
        df=int(test.df),
        smallest_expected=float(test.smallest_expected),
        **fields,
    )
