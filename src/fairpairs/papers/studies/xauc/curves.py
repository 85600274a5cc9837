"""What the figures of a ranking show, from kept predictions: curves, densities, calibration."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.stats import gaussian_kde

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.fairness.ranking import conditional_shares, xroc_curve
from fairpairs.papers.datasets.prepared import PreparedDataset, positions
from fairpairs.papers.studies.xauc.held_out import BINS, NEARLY_NONE

Repeats = list[tuple[Integers, Floats, Integers]]

#: False positive rates at which curves are averaged over repeats.
GRID = np.linspace(0, 1, 101)
#: Bins of conditional xAUC.
NARROW_BINS = np.linspace(0, 1, 26)
#: Scores that vary by less have no density to draw.
NARROW = 1e-9
#: The curves of two groups; None stands for everyone.
XROC = {
    "ROC(0)": (0, 0),
    "ROC(1)": (1, 1),
    "xROC(0,1)": (0, 1),
    "xROC(1,0)": (1, 0),
    "xROC_1(0)": (0, None),
    "xROC_1(1)": (1, None),
    "xROC_0(0)": (None, 0),
    "xROC_0(1)": (None, 1),
}


def ranking_curves(
    predictions: pd.DataFrame, dataset: PreparedDataset, *, treatment: str
) -> pd.DataFrame:
    """Return the points of the figures of a ranking, for each sensitive attribute.

    `mean` and `sd` are over the repeats. The kinds are those of Kallus and Zhou (2019), Figures 1
    to 4:

    - "xroc": the curves of `XROC`, the true positive rate at each false positive rate;
    - "density": the density of the scores of each group and label, of the first repeat, as in
      the paper, by a Gaussian kernel with Scott's bandwidth;
    - "conditional": the share of negative items of group b for which xAUC(a, b; R_0^b) falls
      into each bin (x is its middle), and at x = NaN the mean, which is xAUC(a, b);
    - "misranked": the number of negative items of group b for which it is at most x, 0.1;
    - "calibration": the share of label 1 in each bin of the score (x is the mean score).
    """
    item = positions(predictions, dataset)
    rows: list[dict[str, object]] = []
    for column, attribute in enumerate(dataset.attributes):
        group, score = dataset.sensitive[item, column], predictions["score"].to_numpy()
        places = predictions.groupby("repeat").indices.values()
        repeats = [(dataset.label[item][i], score[i], group[i]) for i in places]
        keys = {"dataset": dataset.name, "treatment": treatment, "attribute": attribute}
        rows += [{**keys, **row} for row in _points(repeats)]
    return pd.DataFrame(rows)


def _points(repeats: Repeats) -> Iterator[dict[str, object]]:
    for curve, (positive, negative) in XROC.items():
        heights = []
        for label, score, group in repeats:
            if np.bincount(2 * group + label, minlength=4).min() == 0:
                continue  # a group without positive or without negative items has no curve
            fpr, tpr, _ = xroc_curve(
                label, score, sensitive_features=group, positive=positive, negative=negative
            )
            heights.append(np.interp(GRID, fpr, tpr))
        yield from _rows("xroc", curve, GRID, heights)
    label, score, group = repeats[0]
    for a in (0, 1):
        for y in (0, 1):
            sample = score[(group == a) & (label == y)]
            if len(sample) > 1 and sample.std() > NARROW:
                yield from _rows("density", f"A={a}, Y={y}", GRID, [gaussian_kde(sample)(GRID)])
    shares = [conditional_shares(y[None], s[None], g[None], 2)[0] for y, s, g in repeats]
    middle = (NARROW_BINS[1:] + NARROW_BINS[:-1]) / 2
    for a, b in ((0, 1), (1, 0)):
        negatives = [
            share[(group == b) & (label == 0), a]
            for share, (label, _, group) in zip(shares, repeats, strict=True)
        ]
        # a repeat in which a group lacks such items has no share
        known = [share for share in negatives if np.isfinite(share).any()]
        heights = [np.histogram(share, NARROW_BINS)[0] / len(share) for share in known]
        yield from _rows("conditional", f"xAUC({a},{b})", middle, heights)
        means = [np.array([share.mean()]) for share in known]
        yield from _rows("conditional", f"xAUC({a},{b})", np.array([np.nan]), means)
        few = [np.array([np.count_nonzero(share <= NEARLY_NONE)]) for share in known]
        yield from _rows("misranked", f"xAUC({a},{b})", np.array([NEARLY_NONE]), few)
    for a in (0, 1):
        shown = []
        for label, score, group in repeats:
            bins, own = np.digitize(score, BINS[1:-1]), group == a
            weights = (None, score[own], label[own])
            shown.append([np.bincount(bins[own], w, minlength=len(BINS) - 1) for w in weights])
        number, score_sum, ones = np.array(shown).transpose(1, 0, 2)
        with np.errstate(invalid="ignore"):
            x = score_sum.sum(axis=0) / number.sum(axis=0)
            observed = ones / number
        yield from _rows("calibration", f"A={a}", x, list(observed))


def _rows(kind: str, curve: str, x: Floats, heights: list[Floats]) -> Iterator[dict[str, object]]:
    """Yield a row for each x that some repeat has."""
    values = np.array(heights).reshape(-1, len(x))
    for index, point in enumerate(x):
        known = values[np.isfinite(values[:, index]), index]
        if n := len(known):
            sd = known.std(ddof=1) if n > 1 else np.nan
            row = {"kind": kind, "curve": curve, "x": point, "mean": known.mean()}
            yield {**row, "sd": sd, "repeats": n}
