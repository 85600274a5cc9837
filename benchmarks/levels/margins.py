"""Worlds at the margin: data sets whose true difference is the margin, and which tests reject.

Whether a difference lies within ±margin is tested from both sides; only the hypothesis on the side
of the true difference is true. Its rejections are counted: they bound those of the equivalence
test, and a test of non-inferiority consists of them.

A world is a name, a measure, and a function of a generator and a number of data sets. It returns
whether the side of the true difference is rejected, and whether the difference is shown to lie
within the margin, shape (sets, 2); NaN where nothing can be tested.
"""

from functools import partial

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from benchmarks.levels.cases import AUC, SIZES, words
from benchmarks.levels.draws import decisions, groups
from benchmarks.levels.runs import ALPHA
from fairpairs.audits.criteria.rates import average_odds_contrast
from fairpairs.mathematics.estimates.pairs.balanced import balanced_pairs
from fairpairs.mathematics.estimates.pairs.binary import all_pairs_from_counts
from fairpairs.mathematics.estimates.ranking_rates import MEASURES
from fairpairs.mathematics.inference.contrasts.binomial import BinomialContrast
from fairpairs.mathematics.inference.contrasts.means import WelchContrast
from fairpairs.mathematics.inference.gaps import decision_gaps, gap_contrasts, gaps_from_rates
from fairpairs.mathematics.inference.ranking_differences import difference_contrasts
from fairpairs.papers.experiments.normal_scores import xauc_of_normal_scores

#: The margin of rates, and of means in standard deviations of the larger group.
MARGIN, MEAN_MARGIN = 0.05, 0.5


def _signed(sign, margin=MARGIN):
    return f"{'+' if sign > 0 else '−'}{margin:g}"


def _at_margin(true_difference, sign, farthest):
    """Return the change of a world that makes the true difference the margin; None without one."""

    def over(change):
        return true_difference(change) - sign * MARGIN

    if over(-farthest) * over(farthest) > 0:
        return None
    return float(brentq(over, -farthest, farthest, xtol=1e-12))


def side(contrast, margin, sign):
    """Return the p-value of: the difference is ≥ margin (sign 1), or ≤ −margin (sign −1)."""
    return contrast.pvalue_below(margin) if sign > 0 else contrast.pvalue_above(-margin)


# decisions: each group has the same share of positive labels, and the two differ in one rate, or in
# both for the average of the odds; the lines of precision, FOR, FNR and FDR have the test of rates

#: Prevalence, TPR and FPR: from common to rare and perfect.
RATES = (
    (0.5, 0.8, 0.4), (0.1, 0.8, 0.1), (0.01, 0.5, 0.02), (0.5, 0.02, 0.02), (0.3, 0.99, 0.01),
    (0.5, 0.5, 0.5),
)  # fmt: skip


def decision_worlds():
    """Yield every case and measure, group 1 above and below group 0 by the margin."""
    for sizes in SIZES:
        for prevalence, tpr, fpr in RATES:
            positive = [max(1, round(prevalence * size)) for size in sizes]
            negative = [size - items for size, items in zip(sizes, positive, strict=True)]
            selected = prevalence * tpr + (1 - prevalence) * fpr
            case = f"{words(sizes)}, prevalence {prevalence:g}, TPR {tpr:g}, FPR {fpr:g}"
            for sign in (1, -1):
                name, step = f"{case}, {_signed(sign)}", sign * MARGIN
                for measure, items, rate in (
                    ("EOD", positive, tpr),
                    ("FPR difference", negative, fpr),
                    ("selection rate", sizes, selected),
                ):
                    if 0 <= rate + step <= 1:
                        yield name, measure, partial(rates, items, (rate, rate + step), sign)
                cells = np.array([negative, positive]).T
                for measure, contrast, less, more in (
                    ("AOD", average_odds_contrast, fpr + step, tpr + step),
                    ("across", partial(_gap, 0), fpr, tpr + step / (1 - fpr)),
                    ("within", partial(_gap, 1), fpr, tpr + step / (1 - fpr)),
                ):
                    if 0 <= less <= 1 and 0 <= more <= 1:
                        chances = (fpr, tpr), (less, more)
                        yield name, measure, partial(tables, contrast, cells, chances, sign)


def rates(trials, chances, sign, rng, sets):
    """Test the difference of one rate, group 1 minus group 0."""
    drawn = rng.binomial(trials, chances, size=(sets, 2))
    counts, number = np.unique(drawn[:, ::-1].T, axis=1, return_counts=True)
    reversed_trials = trials[1], trials[0]
    near = rejected(counts, reversed_trials, sign)
    far = near & rejected(counts, reversed_trials, -sign)
    return np.repeat(np.column_stack([near, far]).astype(float), number, axis=0)


def rejected(counts, trials, sign):
    """Return whether a side is rejected for each pair of successes, shape (2, r).

    With the other count fixed, more successes of a sample reject one side and fewer the other, so
    that a threshold decides (Röhmel and Mansmann 1999). It is found by bisection.
    """
    found = np.zeros(counts.shape[1], dtype=bool)
    for other in np.unique(counts[1]):
        here = np.flatnonzero(counts[1] == other)
        order = here[np.argsort(sign * counts[0, here])]  # the most clearly rejected first
        low, high = 0, len(order)
        while low < high:
            middle = (low + high) // 2
            successes = int(counts[0, order[middle]]), int(other)
            if side(BinomialContrast(successes, trials), MARGIN, sign) < ALPHA:
                low = middle + 1
            else:
                high = middle
        found[order[:low]] = True
    return found


def tables(contrast, cells, chances, sign, rng, sets):
    """Test items of each cell (group, label, prediction), each table as often as it was drawn."""
    drawn = rng.binomial(cells, chances, size=(sets, 2, 2))
    drawn, number = np.unique(drawn, axis=0, return_counts=True)
    tested = contrast(np.stack([cells - drawn, drawn], axis=-1))
    near, far = (tested.tail(one * MARGIN, -one) < ALPHA for one in (sign, -sign))
    return np.repeat(np.column_stack([near, near & far]).astype(float), number, axis=0)


def _gap(index, counts):
    gaps = decision_gaps(all_pairs_from_counts(counts.astype(float)))
    return gaps.take((slice(None), index))


def counted(estimate, contrast_at, sign):
    """Test data sets by an estimate of each, NaN if there is none, and the contrast of one."""
    found = np.where(np.isfinite(estimate)[:, None], [0.0, 0.0], np.nan)
    # an estimate beyond the margin is never shown to be within
    for index in np.flatnonzero(sign * estimate < MARGIN):
        contrast = contrast_at(int(index))
        if contrast is not None:
            near, far = (side(contrast, MARGIN, one) < ALPHA for one in (sign, -sign))
            found[index] = near, near and far
    return found


def _blocks(draw, size, sign, rng, sets):
    """Draw and test blocks of data sets."""
    numbers = [min(size, sets - first) for first in range(0, sets, size)]
    return np.concatenate([counted(*draw(rng, number), sign) for number in numbers])


# scores: those of items with label 1 are higher by a distance; for the AUC the groups have
# different distances, for the xAUCs the scores of one group are shifted

#: The two rates that each measure compares; all items are the last group.
CELLS = {"AUC": ((0, 0), (1, 1)), "xAUC": ((0, 1), (1, 0)), "xAUC_1": ((0, 2), (1, 2))}


def score_worlds():
    """Yield every case and measure, on both sides; of scores, xAUC_0 is xAUC_1 of other labels."""
    for sizes in ((30, 30), (200, 200), (1000, 30), (1000, 100)):
        for distance in (0.0, 2.0, 4.0):
            for measure in CELLS:
                for sign in (1, -1):
                    true = partial(true_difference, sizes, distance, measure)
                    change = _at_margin(true, sign, 6.0)
                    if change is not None:
                        name = f"{words(sizes)}, AUC {AUC[distance]}, {_signed(sign)}"
                        draw = partial(differences, sizes, distance, measure, change)
                        yield name, measure, partial(_blocks, draw, 200, sign)


def _means(distance, measure, change):
    """Return the mean scores of labels 0 and 1 of both groups."""
    if measure == "AUC":
        return np.array([[0, distance], [0, distance + change]])
    return np.array([[0, distance], [change, distance + change]])


def true_difference(sizes, distance, measure, change):
    """Return the true difference of a measure, group 0 minus group 1."""
    between = xauc_of_normal_scores(_means(distance, measure, change), np.ones((2, 2)))
    shares = np.vstack([np.eye(2), np.array(sizes) / sum(sizes)])
    rate = shares @ between @ shares.T
    first, second = CELLS[measure]
    return float(rate[first] - rate[second])


def differences(sizes, distance, measure, change, rng, sets):
    """Draw the difference of a measure, group 0 minus group 1; half of the items have label 1."""
    group = groups(sizes)
    label = np.concatenate([np.arange(size) % 2 for size in sizes])
    mean = _means(distance, measure, change)[group, label]
    rank = (mean + rng.normal(size=(sets, len(group)))).argsort(axis=1).argsort(axis=1)
    counts = np.zeros((sets, 3, 2, len(group)))
    counts[np.arange(sets)[:, None], group, label, rank] = 1
    counts[:, 2] = counts[:, :2].sum(axis=1)
    found = all_pairs_from_counts(counts, ties="half")
    first, second = CELLS[measure]
    index = MEASURES.index(measure)
    return (
        found.tpr[:, *first] - found.tpr[:, *second],
        lambda number: difference_contrasts(found.take(number))[index],
    )


# numbers: labels have levels, whose shares may differ between the groups; scores are labels plus
# normal noise; across groups those of group 1 are shifted, within groups its noise is spread

#: Shares of the levels of the label in group 0, and in group 1 if they differ.
SHARES = np.full(6, 1 / 6), np.array([1, 1, 2, 2, 3, 3]) / 12


def number_worlds():
    """Yield every case and gap of comparative separation, on both sides."""
    for sizes in ((50, 50), (300, 300), (950, 50)):
        for differ in (False, True):
            shares = np.stack([SHARES[0], SHARES[differ]])
            for index, measure in enumerate(("across", "within")):
                for sign in (1, -1):
                    change = _at_margin(partial(true_gap, sizes, shares, index), sign, 3.0)
                    labels = "labels differ" if differ else "labels alike"
                    draw = partial(gaps, sizes, shares, index, change)
                    name = f"{words(sizes)}, {labels}, {_signed(sign)}"
                    yield name, measure, partial(_blocks, draw, 100, sign)


def true_gap(sizes, shares, index, change):
    """Return the true gap, group 1 first, of items weighted by the other group's share.

    `change` is the shift of group 1, or the logarithm of its spread.
    """
    items = np.array(sizes)[:, None] * shares
    weight = items.prod(axis=0) / items.sum(axis=0)
    levels = np.arange(shares.shape[1])
    apart = levels[:, None] - levels
    pairs = np.outer(weight, weight) * (apart > 0)

    def rate(shift, spread):
        return float((pairs * ndtr((apart + shift) / (spread * np.sqrt(2)))).sum() / pairs.sum())

    if index == 0:
        return rate(change, 1.0) - rate(-change, 1.0)
    return rate(0, np.exp(change)) - rate(0, 1.0)


def gaps(sizes, shares, index, change, rng, sets):
    """Draw a gap of comparative separation."""
    group = groups(sizes)
    drawn = [rng.choice(len(p), size=(sets, n), p=p) for n, p in zip(sizes, shares, strict=True)]
    label = np.concatenate(drawn, axis=1).astype(float)
    noise = rng.normal(size=label.shape)
    score = label + (noise + change * group if index == 0 else noise * np.exp(change * group))
    found = balanced_pairs(label, score, np.tile(group, (sets, 1)), 2)
    estimate = gaps_from_rates(found).estimate[:, index]
    return estimate, lambda number: gap_contrasts(found.take(number))[index]


def mean_worlds():
    """Yield means of normal values of unlike spread, of heavy and of skewed ones, on both sides."""
    kinds = [("normal", 1 / 3), ("normal", 1.0), ("normal", 3.0), ("heavy", 1.0), ("skewed", 1.0)]
    for sizes in ((10, 10), (30, 30), (1000, 15), (1000, 60), (200, 200)):
        for shape, spread in kinds:
            for sign in (1, -1):
                spreads = f", spread 1 / {spread:.2g}" if shape == "normal" else ""
                name = f"{words(sizes)}, {shape}{spreads}, {_signed(sign, MEAN_MARGIN)}"
                yield name, "mean", partial(means, sizes, shape, spread, sign)


def means(sizes, shape, spread, sign, rng, sets):
    """Test the difference of two means, group 1 minus group 0."""
    found, margin = np.zeros((sets, 2)), MEAN_MARGIN
    for number in range(sets):
        sample = decisions(rng, sizes=sizes, shape=shape, spread=(1.0, spread))
        shifted = sample.score + sign * margin * sample.group
        contrast = WelchContrast.of(shifted - sample.reference, sample.group)
        # shuffles reject nothing that Welch's t does not, and take longer
        if side(contrast.welch, margin, sign) < ALPHA and side(contrast, margin, sign) < ALPHA:
            found[number] = 1, side(contrast, margin, -sign) < ALPHA
    return found


#: The worlds of each part.
MARGINS = {
    "margin_of_decisions": decision_worlds,
    "margin_of_scores": score_worlds,
    "margin_of_numbers": number_worlds,
    "margin_of_means": mean_worlds,
}
