"""Comparisons of treatments over random splits, where the truth is known.

Two learners choose a cut between the means of the classes of a feature that is theirs alone. Under
the null both features have one distribution, so that neither learner is better on data like these;
else the second has a better feature.
"""

from functools import partial

import numpy as np
import pandas as pd
from scipy import stats

import fairpairs as fp
from fairpairs.mathematics.inference.resampled_t import resampled_mean
from fairpairs.papers.experiments.comparison import compare_treatments

ALPHA = 0.05
#: What is compared, items, repeats, share of the test part in %, and whether power is measured.
WORLDS = (
    ("accuracy", 600, 30, 30, True), ("accuracy", 600, 10, 10, False),
    ("accuracy", 600, 200, 30, True), ("accuracy", 600, 200, 10, False),
    ("accuracy", 600, 30, 50, False), ("accuracy", 100, 30, 30, False),
    ("accuracy", 600, 30, 10, True), ("TPR gap", 600, 30, 30, True),
    ("TPR gap", 600, 10, 10, False), ("TPR gap", 600, 200, 50, False),
    ("TPR gap", 150, 30, 30, False),
)  # fmt: skip


def values(rng, measure, n, repeats, share, better=0.0):
    """Return the measure of both learners in each repeat, and in both halves of five splits.

    The shapes are (repeats, 2) and (5, 2, 2): split, half that is tested, learner.
    """
    y, group = rng.integers(0, 2, n), rng.integers(0, 2, n)
    shift = np.array([0.8, 0.8 + better * (measure == "accuracy")])
    x = rng.normal(size=(2, n)) + shift[:, None] * y
    # the group with less of a feature gets fewer true positives
    x += np.array([0.4, 0.4 - better * (measure == "TPR gap")])[:, None] * group
    test = rng.random((repeats, n)).argsort(axis=1) < share * n / 100
    half = rng.random((5, n)).argsort(axis=1) < n / 2
    halves = np.stack([half, ~half], axis=1).reshape(10, n)
    of_halves = measured(x, y, group, halves, measure).reshape(5, 2, 2)
    found = measured(x, y, group, test, measure)
    return {"found": found, "halves": of_halves, "measure": measure, "share": share / 100}


def measured(x, y, group, test, measure):
    """Fit both learners on the training parts, and measure them on the tested ones."""

    def share(of, among):
        return (of & among[:, None]).sum(axis=2) / among.sum(axis=1)[:, None]

    trained = [~test & (y == label) for label in (0, 1)]
    means = [part @ x.T / part.sum(axis=1)[:, None] for part in trained]
    decided = x > (sum(means) / 2)[..., None]
    if measure == "accuracy":
        return share(decided == y, test)
    return np.subtract(*(share(decided, test & (y == 1) & (group == code)) for code in (1, 0)))


def corrected(found, measure, share, halves):
    """Return the p of the comparison of this project."""
    ratio = share / (1 - share)
    if measure == "accuracy":
        return float(resampled_mean(found[:, 1] - found[:, 0], ratio).pvalue)
    repeats = len(found)
    frame = pd.DataFrame({
        "treatment": np.repeat(["none", "other"], repeats),
        "repeat": np.tile(np.arange(repeats), 2), "measure": "tpr_gap", "value": found.T.ravel(),
    })  # fmt: skip
    return float(compare_treatments(frame, test_train_ratio=ratio)["p"].iloc[0])


def ranks(one, other):
    """Say whether the rule of the FairBalance paper puts one above the other."""
    order = (one, other) if np.median(one) <= np.median(other) else (other, one)
    u, p = stats.mannwhitneyu(*order, alternative="less")
    return bool(p < ALPHA and 1 - 2 * u / (len(one) * len(other)) >= 0.33)


def scott_knott(one, other):
    """Return the p of Scott and Knott (1974), that two means are of one group."""
    both = np.column_stack([one, other])
    repeats, learners = both.shape
    dof = learners * (repeats - 1)
    between = ((both.mean(axis=0) - both.mean()) ** 2).sum()
    within = both.var(axis=0, ddof=1).mean() / repeats
    variance = (between + dof * within) / (learners + dof)
    statistic = np.pi / (2 * (np.pi - 2)) * between / variance
    return float(stats.chi2.sf(statistic, learners / (np.pi - 2)))


def five_by_two(found, measure, share, halves):
    """Return the p of the 5 × 2 cv t of Dietterich (1998)."""
    both = np.abs(halves) if measure == "TPR gap" else halves
    difference = both[..., 1] - both[..., 0]
    variance = difference.var(axis=1, ddof=1).mean()
    return float(2 * stats.t.sf(abs(difference[0, 0]) / np.sqrt(variance), 5))


def naive(test, found, measure, share, halves):
    """Ask a test of the values of both learners, of a gap its size, as if they were independent."""
    return test(*(np.abs(found) if measure == "TPR gap" else found).T)


#: Name of a test beside ours → its p, or whether it tells the learners apart.
BESIDE = {
    "5 × 2 cv t": five_by_two,
    "paired t": partial(naive, lambda *both: float(stats.ttest_rel(*both).pvalue)),
    "Wilcoxon": partial(naive, lambda *both: float(stats.wilcoxon(*both).pvalue)),
    "Mann–Whitney": partial(naive, lambda *both: float(stats.mannwhitneyu(*both).pvalue)),
    "ranks of FairBalance": partial(naive, ranks),
    "Scott–Knott": partial(naive, scott_knott),
}


def worlds():
    """Yield the worlds, with better learners where power is measured."""
    for measure, n, repeats, share, power in WORLDS:
        name = f"{measure}, {n} items, {repeats} × {100 - share}/{share}"
        draw = partial(values, measure=measure, n=n, repeats=repeats, share=share)
        yield fp.World(name, draw, partial(draw, better=0.3) if power else None, None, BESIDE)
