"""What the mix of labels explains of a gap of comparative separation (label-mix decomposition)."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import ndtri

from fairpairs.fairness.balance import balancing_weights, label_strata
from fairpairs.fairness.comparative import labelled_items
from fairpairs.fairness.gaps import gap_cells, gap_hypotheses
from fairpairs.fairness.pair_rates import Ties, projections


def label_mix_decomposition(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    ties: Ties = "wrong",
    alpha: float = 0.05,
) -> pd.DataFrame:
    """Part each gap of comparative separation into what the labels' mix explains, and the rest.

    TPR(a, b) is the mean, over the pairs of labels (u, v) that groups a and b meet with, of the
    chance that u is ranked above v. The rest is the gap when both groups meet with the same pairs
    of labels (label-balanced comparative separation), which is 0 under separation; the label mix
    explains the raw gap less the rest (a Kitagawa decomposition).

    Parameters
    ----------
    y_true, y_score, sensitive_features, ties
        As in `comparative_separation_test`.
    alpha
        The intervals cover 1 − alpha.

    Returns
    -------
    DataFrame
        Three rows for each hypothesis, `part` being "raw", "label mix" and "rest": `estimate`,
        `standard_error`, `ci_low`, `ci_high`. For binary labels the label mix explains nothing.

    Raises
    ------
    InputError
        As `comparative_separation_test`.
    """
    labels, scores, group, names = labelled_items(y_true, y_score, sensitive_features, ties, alpha)
    first, second = gap_cells(2)
    rows = []
    for a, b in combinations(range(len(names)), 2):
        own = (group == a) | (group == b)
        n = int(own.sum())
        y, of_two = labels[own], (group[own] == b).astype(np.int64)
        strata = label_strata(y)
        weights = balancing_weights(of_two, strata, 2)
        one = (scores[own][None], of_two[None], 2, ties)
        parts = {}
        with np.errstate(invalid="ignore", divide="ignore"):
            for name, (right, usable, _, added) in {
                "raw": projections(y[None], *one),
                "rest": projections(strata[None].astype(float), *one, weights[None], strata[None]),
            }.items():
                rate = (right / usable).reshape(4)
                parts[name] = rate[first] - rate[second], added[0][:, first] - added[0][:, second]
        parts["label mix"] = tuple(x - y for x, y in zip(parts["raw"], parts["rest"], strict=True))
        for number, hypothesis in enumerate(gap_hypotheses((names[a], names[b]))):
            for name in ("raw", "label mix", "rest"):
                estimate, added = float(parts[name][0][number]), parts[name][1][:, number]
                error = float(np.sqrt((added**2).sum() * n / (n - 1)))
                margin = ndtri(1 - alpha / 2) * error
                limits = estimate - margin, estimate + margin
                rows.append((hypothesis, name, estimate, error, *limits))
    columns = ["hypothesis", "part", "estimate", "standard_error", "ci_low", "ci_high"]
    return pd.DataFrame(rows, columns=columns)
