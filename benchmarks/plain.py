"""Ratios against plain implementations of the same definitions: one repeat, item or pair at a time.

The plain functions share no code with the package; before the clock starts, both must agree.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from processes import seconds
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fairpairs as fp

#: Labels, scores (or decisions) and groups.
Items = tuple[np.ndarray, np.ndarray, np.ndarray]


def items(n: int, seed: int = 0) -> Items:
    """Return items of two groups that are ranked alike."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return y, y + rng.normal(size=n), rng.integers(0, 2, n)


def pair_by_pair(y: np.ndarray, score: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Return TPR(a, b) of all pairs, by a double loop."""
    usable, right = np.zeros((2, 2)), np.zeros((2, 2))
    for i in np.flatnonzero(y == 1):
        for j in np.flatnonzero(y == 0):
            usable[group[i], group[j]] += 1
            right[group[i], group[j]] += score[i] > score[j]
    return right / usable


def pairs() -> Callable[[], float]:
    """Compare all pairs, with their test, with a double loop."""
    y, score, group = items(2000)

    def ours() -> object:
        return fp.comparative_separation_test(y, score, sensitive_features=group)

    rates = pair_by_pair(y, score, group)
    found = ours().to_frame()["estimate"]
    np.testing.assert_allclose(found, [rates[1, 0] - rates[0, 1], rates[1, 1] - rates[0, 0]])
    return lambda: seconds(ours) / seconds(lambda: pair_by_pair(y, score, group))


def in_blocks(y: np.ndarray, score: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Return xAUC(a, b) by counting pairs, a block of positive items at a time."""
    rates = np.empty((2, 2))
    for a in (0, 1):
        positives = score[(y == 1) & (group == a)]
        for b in (0, 1):
            negatives = score[(y == 0) & (group == b)]
            blocks = np.array_split(positives, max(1, len(positives) // 1000))
            right = sum((block[:, None] > negatives).sum() for block in blocks)
            rates[a, b] = right / (len(positives) * len(negatives))
    return rates


def xaucs() -> Callable[[], float]:
    """XAUC of a million items, beside blocks of pairs of fewer, which take as many times longer."""
    small, (y, score, group) = items(20_000), items(10**6)
    found = fp.xauc(*small[:2], sensitive_features=small[2]).to_frame().set_index("hypothesis")
    rates = in_blocks(*small)
    difference = found["estimate"]["xAUC(1,0) = xAUC(0,1)"]
    np.testing.assert_allclose(difference, rates[1, 0] - rates[0, 1])

    def ours() -> object:
        return fp.xauc(y, score, sensitive_features=group)

    return lambda: seconds(ours) / (seconds(lambda: in_blocks(*small)) * 2500)


def people(n: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    sex = rng.integers(0, 2, n)
    frame = pd.DataFrame(rng.normal(size=(n, 5)) + 0.3 * sex[:, None], columns=[*"abcde"])
    label = frame.sum(axis=1) + rng.normal(size=n) > 0.75
    return frame.assign(sex=sex, y=label.astype(int))


def one_repeat_at_a_time(frame: pd.DataFrame, repeats: int) -> float:
    """Return the mean accuracy of logistic regression over splits, weighted by FairBalance."""
    y, X = frame["y"].to_numpy(), frame.drop(columns="y")
    accuracies = []
    for repeat in range(repeats):
        test = np.random.default_rng(repeat).random(len(y)) < 0.3
        train = frame[~test]
        joint = train.groupby(["sex", "y"])["y"].transform("size")
        weights = train.groupby("sex")["y"].transform("size") / joint / 2
        model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        model.fit(X[~test], y[~test], logisticregression__sample_weight=weights)
        accuracies.append((model.predict(X[test]) == y[test]).mean())
    return float(np.mean(accuracies))


def experiment() -> Callable[[], float]:
    """Compare an experiment with one repeat at a time."""
    frame = people(2000)

    def ours() -> pd.DataFrame:
        return fp.experiment(
            frame, label="y", sensitive_features="sex", models=["logistic_regression"],
            treatments=["fairbalance"], measures=["accuracy"], repeats=60,
        )  # fmt: skip

    plain = one_repeat_at_a_time(frame, 60)
    np.testing.assert_allclose(ours()["value"].mean(), plain, atol=0.01)
    return lambda: seconds(ours) / seconds(lambda: one_repeat_at_a_time(frame, 60))


#: Ratio → its bound, and what prepares the work that returns it.
FUNCTIONS = {
    "All pairs of 2,000 items, with their test: ours / a double loop": (0.05, pairs),
    "xAUC of 10⁶ items: ours / pairs in blocks, of 2·10⁴ items times 2,500": (0.01, xaucs),
    "Experiment of 2,000 rows, 60 repeats: ours / one repeat at a time": (1.1, experiment),
}
