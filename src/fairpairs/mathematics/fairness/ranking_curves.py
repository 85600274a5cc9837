"""xROC curves, and how often each item is ranked right against the items of each group.

References: Kallus and Zhou (2019), *The Fairness of Risk Scores Beyond Classification: Bipartite
Ranking and the xAUC Metric*, Definition 1 and section 6.
"""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.errors import InputError
from fairpairs.mathematics.estimates.items import binary_items
from fairpairs.mathematics.estimates.pairs.rates import Ties, check_ties
from fairpairs.mathematics.estimates.pairs.running_sums import sums_over_pairs


def xroc_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    positive: Any = None,
    negative: Any = None,
) -> tuple[Floats, Floats, Floats]:
    """Return the xROC curve: the TPR of one group against the FPR of another (Definition 1).

    Parameters
    ----------
    y_true, y_score, sensitive_features
        As for `xauc`.
    positive, negative
        The group of the positive items, a, and of the negative ones, b; None stands for all items.
        So (a, a) is the ROC curve of a group, (a, b) xROC(a, b), (a, None) the balanced xROC_1(a)
        and (None, b) the balanced xROC_0(b).

    Returns
    -------
    fpr, tpr, thresholds
        As `sklearn.metrics.roc_curve` returns them; the area under the curve is the xAUC with ties
        counted half.

    Raises
    ------
    InputError
        As for `xauc`; an unknown group, or one without such items.
    """
    from sklearn.metrics import roc_curve  # noqa: PLC0415  (slow)

    labels, scores, group, names = binary_items(y_true, y_score, sensitive_features)
    chosen = np.zeros(len(labels), dtype=bool)
    for label, asked, word in ((1, positive, "positive"), (0, negative, "negative")):
        member = labels == label
        if asked is not None:
            member &= group == inputs.known_group(asked, word, names)
        if not member.any():
            raise InputError(f"The group {asked!r} has no {word} item, so there is no curve.")
        chosen |= member
    fpr, tpr, thresholds = roc_curve(labels[chosen], scores[chosen], drop_intermediate=False)
    return fpr, tpr, thresholds


def conditional_xauc(
    y_true: ArrayLike, y_score: ArrayLike, *, sensitive_features: ArrayLike, ties: Ties = "half"
) -> pd.DataFrame:
    """Return how often each item is ranked right against a random item of each group (section 6).

    For a negative item of group b the column of group a is xAUC(a, b; R_0^b), the share of the
    positive items of a that outscore it; for a positive item it is the share of the negative items
    of that group which it outscores. So xAUC(a, b) is the mean of the column a over the negative
    items of b, and the mean of the column b over the positive items of a.

    Parameters
    ----------
    y_true, y_score, sensitive_features, ties
        As for `xauc`.

    Returns
    -------
    DataFrame
        One row per item, in their order: `group`, `label`, and for each group a column "against
        <group>", NaN where the group has no item with the other label.
    """
    labels, scores, group, names = binary_items(y_true, y_score, sensitive_features)
    check_ties(ties)
    words = np.array([inputs.group_name(name) for name in names])
    shares = conditional_shares(labels[None], scores[None], group[None], len(names), ties=ties)[0]
    items = pd.DataFrame({"group": words[group], "label": labels})
    against = pd.DataFrame(shares, columns=[f"against {word}" for word in words])
    return pd.concat([items, against], axis=1)


def conditional_shares(
    y_true: Integers, y_score: Floats, group: Integers, n_groups: int, *, ties: Ties = "half"
) -> Floats:
    """Return the conditional xAUCs of r data sets, from arrays of shape (r, n), as (r, n, K)."""
    member = (np.arange(n_groups)[:, None, None] == group).astype(float)
    beaten, beating = sums_over_pairs(y_true.astype(float), y_score, member, ties=ties)
    negatives = (member * (y_true == 0)).sum(axis=-1, keepdims=True)
    positives = (member * (y_true == 1)).sum(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.where(y_true == 1, beaten / negatives, beating / positives)
    return np.moveaxis(shares, 0, -1)
