"""How much of a gap of comparative separation the mix of labels explains."""

from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import ndtri

from fairpairs.mathematics.estimates.balance import balancing_weights, label_strata
from fairpairs.mathematics.estimates.items import labelled_items
from fairpairs.mathematics.estimates.pairs.all_pairs import projections
from fairpairs.mathematics.estimates.pairs.rates import Ties
from fairpairs.mathematics.fairness.comparative import comparative_separation_test
from fairpairs.mathematics.inference.gaps import gap_cells, gap_hypotheses
from fairpairs.mathematics.inference.mover import sum_limits
from fairpairs.mathematics.inference.results import notes


def label_mix_decomposition(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    ties: Ties = "wrong",
    alpha: float = 0.05,
) -> pd.DataFrame:
    """Split each gap of comparative separation into a part due to the label mix, and the rest.

    TPR(a, b) is the mean, over the pairs of labels (u, v) that groups a and b meet with, of the
    chance that u is ranked above v. The rest is the gap when both groups meet with the same pairs
    of labels (label-balanced comparative separation), which is 0 under separation; the label mix
    explains the raw gap minus the rest (a Kitagawa decomposition).

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
        `standard_error`, `ci_low`, `ci_high`, `note`. Intervals and notes of "raw" and "rest" are
        those of `comparative_separation_test` with `balance_labels` False and True. The interval of
        "label mix" is that of a difference of two correlated gaps with these intervals (MOVER), or
        that of its standard error where it reaches further. NaN where a gap cannot be tested. For
        binary labels the part of the label mix is 0.

    Raises
    ------
    InputError
        As `comparative_separation_test`.

    References
    ----------
    Zou and Donner, "Construction of confidence limits about effect measures: a general approach",
    *Statistics in Medicine* 27 (2008), for the difference of two correlated estimates.
    """
    labels, scores, group, names = labelled_items(y_true, y_score, sensitive_features, ties, alpha)
    first, second = gap_cells(2)
    tested = {
        part: comparative_separation_test(
            labels, scores, sensitive_features=group, ties=ties, alpha=alpha, balance_labels=balance
        ).difference
        for part, balance in (("raw", False), ("rest", True))
    }
    limits = {part: (gaps.ci_low, gaps.ci_high) for part, gaps in tested.items()}
    texts = {part: notes(gaps) for part, gaps in tested.items()}
    rows: list[tuple[object, ...]] = []
    for a, b in combinations(range(len(names)), 2):
        member = (group == a) | (group == b)
        n = int(member.sum())
        y, in_second = labels[member], (group[member] == b).astype(np.int64)
        strata = label_strata(y)
        weights = balancing_weights(in_second, strata, 2)
        args = (scores[member][None], in_second[None], 2, ties)
        parts = {}
        with np.errstate(invalid="ignore", divide="ignore"):
            for name, (right, usable, _, added, _) in {
                "raw": projections(y[None], *args),
                "rest": projections(strata[None].astype(float), *args, weights[None], strata[None]),
            }.items():
                rate = (right / usable).reshape(4)
                parts[name] = rate[first] - rate[second], added[0][:, first] - added[0][:, second]
        parts["label mix"] = tuple(x - y for x, y in zip(parts["raw"], parts["rest"], strict=True))
        for number, hypothesis in enumerate(gap_hypotheses((names[a], names[b]))):
            estimates = {part: float(gap[number]) for part, (gap, _) in parts.items()}
            influences = {part: added[:, number] for part, (_, added) in parts.items()}
            factor = n / (n - 1)
            errors = {part: float(np.sqrt((x**2).sum() * factor)) for part, x in influences.items()}
            apart = errors["raw"] * errors["rest"]
            together = float(influences["raw"] @ influences["rest"]) * factor
            correlation = together / apart if apart > 0 else 0.0
            index = len(rows) // 3
            ends = {part: (low[index], high[index]) for part, (low, high) in limits.items()}
            lows, highs = np.array([ends["raw"], ends["rest"]]).T
            low, high = sum_limits(
                np.array([estimates["raw"], estimates["rest"]]),
                lows,
                highs,
                np.array([1.0, -1.0]),
                np.array([[1.0, correlation], [correlation, 1.0]]),
            )
            # MOVER, or the normal interval where that reaches further
            mix, margin = estimates["label mix"], ndtri(1 - alpha / 2) * errors["label mix"]
            ends["label mix"] = min(float(low), mix - margin), max(float(high), mix + margin)
            note = {part: str(text[index]) for part, text in texts.items()}
            note["label mix"] = "; ".join(
                dict.fromkeys(x for text in note.values() for x in text.split("; ") if x)
            )
            for part in ("raw", "label mix", "rest"):
                row = (hypothesis, part, estimates[part], errors[part], *ends[part], note[part])
                rows.append(row)
    columns = ["hypothesis", "part", "estimate", "standard_error", "ci_low", "ci_high", "note"]
    return pd.DataFrame(rows, columns=columns)
