"""Bipartite RankBoost with decision stumps, as a scikit-learn estimator.

RankBoost boosts weak rankers to put every positive item above every negative one. Each (positive,
negative) pair has a weight, but for two classes it is the product of a weight of each item
(RankBoost.B), so no pair is ever built. A weak ranker is a stump, 1 where a feature exceeds a
threshold; a round takes the stump with the largest |r|, computed from sums over the levels of all
features at once.

See Freund, Iyer, Schapire and Singer (2003), *An Efficient Boosting Algorithm for Combining
Preferences*; Kallus and Zhou, *The Fairness of Risk Scores Beyond Classification*, section 5.1.
"""

from collections.abc import Mapping
from itertools import pairwise
from numbers import Integral
from typing import Any, Self, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from fairpairs.base.arrays import Array, Floats, Mask
from fairpairs.base.errors import InputError
from fairpairs.papers.models.contract import Model
from fairpairs.papers.models.features import numbers_of

#: Rounds of boosting and folds of Platt's calibration by default.
ROUNDS, FOLDS = 50, 2
#: A stump that ranks every pair right would get an infinite weight.
LARGEST_R = 1 - 1e-10
#: Stumps with a smaller |r| are ignored.
SMALLEST_R = 1e-12


class RankBoostClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # no stubs
    """Rank positive items above negative ones by a weighted vote of decision stumps.

    Fewer than `n_rounds` rounds are made when no stump ranks any pair. `stumps_`, shape (rounds,
    3), has feature, threshold and weight: an item with x[feature] > threshold gains the weight.
    """

    def __init__(self, n_rounds: int = ROUNDS) -> None:
        self.n_rounds = n_rounds

    def __sklearn_tags__(self) -> Any:
        """Return the tags of a binary classifier."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Boost on training items; a pair weighs the product of the weights of its two items."""
        features, labels = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(labels)
        weight = _check_sample_weight(sample_weight, features, ensure_non_negative=True)
        features, labels, weight = (part[weight > 0] for part in (features, labels, weight))
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) != 2:
            raise ValueError(
                "Only binary classification is supported: y has "
                f"{len(self.classes_)} class{'es' * (len(self.classes_) > 1)} with weight."
            )
        if not isinstance(self.n_rounds, Integral) or self.n_rounds < 1:
            raise ValueError(
                f"n_rounds must be a whole number, at least 1; it is {self.n_rounds!r}."
            )
        sign = np.where(codes == 1, 1.0, -1.0)
        weight = _normalised(weight, sign)
        levels = _Levels(features)
        stumps = []
        for _ in range(self.n_rounds):
            stump, r = levels.best(sign * weight)
            if abs(r) < SMALLEST_R:
                break
            r = float(np.clip(r, -LARGEST_R, LARGEST_R))
            alpha = float(np.arctanh(r))  # ½ log((1 + r) / (1 − r))
            feature, threshold = int(levels.feature[stump]), float(levels.threshold[stump])
            stumps.append((feature, threshold, alpha))
            weight = weight * np.exp(-alpha * sign * (features[:, feature] > threshold))
            weight = _normalised(weight, sign)
        self.stumps_: Floats = np.array(stumps, dtype=float).reshape(-1, 3)
        return self

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return the ranking score of each item, from which half of all votes are taken, (n,)."""
        check_is_fitted(self)
        features = validate_data(self, X, dtype=np.float64, reset=False)
        columns, thresholds, alphas = self.stumps_.T
        votes = features[:, columns.astype(np.int64)] > thresholds
        return np.asarray(votes @ alphas - alphas.sum() / 2)

    def predict(self, X: ArrayLike) -> Array:
        """Return the label of each item: the second where its score exceeds half of all votes."""
        check_is_fitted(self)
        return np.asarray(self.classes_[(self.decision_function(X) > 0).astype(np.int64)])


class _Levels:
    """The stumps that part training items, as sums over the levels of each feature.

    `feature` and `threshold` have an element for each stump.
    """

    def __init__(self, features: Floats) -> None:
        n, p = features.shape
        low, high = features.min(axis=0), features.max(axis=0)
        is_high = features == high
        several = ~(is_high | (features == low)).all(axis=0)
        values = [ends[: 1 + (ends[0] < ends[1])] for ends in np.column_stack([low, high])]
        code = (is_high & (low < high)).astype(np.int64)
        for j in np.flatnonzero(several):  # a one-hot column need not be sorted
            values[j], code[:, j] = np.unique(features[:, j], return_inverse=True)
        n_levels = np.array([len(distinct) for distinct in values])
        starts = np.concatenate([[0], np.cumsum(n_levels)])
        code += starts[:-1]
        sizes = np.bincount(code.ravel(), minlength=starts[-1])
        # the most frequent level of a feature need not be summed: all weights sum to 0
        modal = starts[:-1] + [int(np.argmax(sizes[i:j])) for i, j in pairwise(starts)]
        is_summed = np.ones(starts[-1], dtype=bool)
        is_summed[modal] = False
        summed = is_summed[code]
        items = np.nonzero(summed)[0]
        self._one_hot = sparse.csr_matrix(
            (np.ones(len(items)), (code[summed], items)), (int(starts[-1]), n)
        )
        self._owner, self._starts, self._modal = np.repeat(np.arange(p), n_levels), starts, modal
        # midpoints between neighbouring levels; a feature's last level has no threshold above it
        self._kept = np.setdiff1d(np.arange(starts[-1]), starts[1:] - 1)
        self.feature = self._owner[self._kept]
        every = np.concatenate(values)
        low, high = every[self._kept], every[self._kept + 1]
        middle = low + (high / 2 - low / 2)
        self.threshold = np.where(middle < high, middle, low)

    def best(self, potential: Floats) -> tuple[int, float]:
        """Return the stump with the largest |r|, and its r.

        r = Σ potential · [x > threshold], where the potential is an item's weight times its sign.
        """
        if not len(self.feature):
            return 0, 0.0
        sums = cast("Floats", self._one_hot @ potential)
        sums[self._modal] = -np.bincount(self._owner, sums, minlength=len(self._modal))
        running = np.cumsum(sums)
        before = np.concatenate([[0.0], running])[self._starts[:-1]]
        r = -(running - before[self._owner])[self._kept]
        stump = int(np.argmax(np.abs(r)))
        return stump, float(r[stump])


def _normalised(weight: Floats, sign: Floats) -> Floats:
    """Scale the weights so that those of each class sum to 1."""
    weight = weight / weight.max()  # so that the sum of large weights is finite
    total = np.where(sign > 0, weight[sign > 0].sum(), weight[sign < 0].sum())
    return np.asarray(weight / total)


class RankBoost(Model):
    """RankBoost, calibrated by Platt scaling, fitted again and again on parts of one data set.

    Numeric columns are used as they are, categorical ones are one-hot with a missing value as a
    separate level. scikit-learn's calibration fits on each fold's complement, calibrates on the
    fold, and averages the folds.
    """

    def __init__(
        self, features: pd.DataFrame, kinds: Mapping[str, str], *, rounds: int = ROUNDS
    ) -> None:
        self._rounds = rounds
        self._features = numbers_of(features, kinds)

    def fit_repeat(self, y: Array, test: Mask, weight: Floats, rng: np.random.Generator) -> Floats:
        """Return P(Y = 1) of tested items; randomness draws the folds of the calibration."""
        if min(np.bincount(y[~test], minlength=2)) < FOLDS:
            raise InputError(
                f"The training part has fewer than {FOLDS} items of a label, which the "
                "calibration of rankboost needs: give a data set with more."
            )
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=int(rng.integers(2**31)))
        model = CalibratedClassifierCV(
            RankBoostClassifier(self._rounds), method="sigmoid", cv=folds
        )
        model.fit(self._features[~test], y[~test], sample_weight=weight)
        return np.asarray(model.predict_proba(self._features[test])[:, 1])


MODEL = RankBoost
BINARY_LABEL = True
#: Stands for it where a treatment wants an estimator.
ESTIMATOR = {
    "call": "sklearn.calibration.CalibratedClassifierCV",
    "with": {
        "estimator": {"call": "fairpairs.papers.models.rankboost.RankBoostClassifier"},
        "cv": FOLDS,
    },
}
