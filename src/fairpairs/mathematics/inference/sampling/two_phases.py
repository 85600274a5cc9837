"""Items of which all have a cheap label and some a human one: estimates, and which to label next.

What the cheap label tells varies over all items, and the rest over the labelled ones only:
docs/explanation/few-labels.md. How many rows of each cell to label next is Neyman's allocation.

References: C.-E. Särndal, B. Swensson and J. Wretman (1992), *Model Assisted Survey Sampling*,
section 9.7; A. N. Angelopoulos and others (2023), Prediction-powered inference; J. Neyman (1934),
On the two different aspects of the representative method; W. G. Madow (1949), On the theory of
systematic sampling II (for rounding at random).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.arguments.design import Phases, SamplingDesign
from fairpairs.mathematics.inference.sampling.linear import Linear, Spread, spread

#: What is added to the human labels of each value in a cell, for the variance.
PSEUDO = 0.5
#: Degrees of freedom that an independent human label leaves at most; chosen by simulation.
FREE = 2
#: With fewer human labels of a class, a line is of these alone; chosen by simulation.
FEWEST_OF_CLASS = 8
#: A smaller variance, or its square, is 0.
TINY = 1e-300
#: Of a number of related items.
ROUNDING = 1e-9


def spread_of(estimates: Sequence[Linear], design: SamplingDesign) -> Spread:
    """Return the covariance of estimates, whether or not some items only have a cheap label."""
    return (spread if design.phases is None else two_phase_spread)(estimates, design)


def two_phase_spread(estimates: Sequence[Linear], design: SamplingDesign) -> Spread:
    """Return the covariance from labelled items, as `linear.spread`, without classes."""
    phases, weight = design.phases, design.weights
    assert phases is not None
    k, cell = len(phases.size), phases.cell
    influence = np.array([estimate.influence for estimate in estimates])
    labelled = np.bincount(cell, minlength=k)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.array([np.bincount(cell, one, minlength=k) for one in influence]) / phases.total
    mean = np.where(labelled > 0, mean, 0.0)
    rest = influence - weight * mean[:, cell]
    rest = rest * np.sqrt(labelled / np.maximum(labelled - 1, 1))[cell]
    added = _of_few_labels(influence, phases, weight)
    within = np.array([np.bincount(cell, one**2, minlength=k) for one in rest]) + added**2
    covariance = _totals(mean, rest, design, phases) + added @ added.T
    between = np.maximum(np.diagonal(covariance) - within.sum(axis=1), 0)
    fewest, labels = np.array([_fewest(one, design, phases) for one in estimates]).T
    # 1 where labels are independent, 0 where half of them would tell as much
    apart = np.clip(2 * fewest / np.maximum(labels, 1) - 1, 0, 1)
    wider = np.sqrt(1 + (1 - apart) / np.maximum(fewest - 1, 1))
    covariance = covariance * np.outer(wider, wider)
    squares = (
        within**2 @ (1 / np.maximum(_units(design, phases) - 1, 1)) + between**2 / phases.units
    )
    variances = np.maximum(np.diagonal(covariance), TINY)
    # as few human labels as those of the rarer class leave few degrees of freedom
    most = (1 + (FREE - 1) * apart) * (fewest - 1)
    free = np.maximum(np.minimum(variances**2 / np.maximum(squares, TINY), most), 1)
    rests = np.eye(len(estimates))  # each estimate is a class
    alone = covariance * rests[:, :, None] * rests[:, None]
    rows, clusters = np.array([_rows(estimate, design, phases) for estimate in estimates]).T
    code = np.arange(len(estimates))
    return Spread(covariance, alone, alone, rests > 0, fewest, rows, code, clusters, rows, 1 / free)


def _totals(mean: Floats, rest: Floats, design: SamplingDesign, phases: Phases) -> Floats:
    """Return the sums of products of what items, or clusters, add to each estimate."""
    factor = phases.units / max(phases.units - 1, 1)
    if phases.related is not None:
        return factor * phases.related.covariance(mean, rest)
    if phases.shared is not None and design.cluster is not None:
        cluster, cell, total = phases.shared
        n = int(cluster.max()) + 1
        of_all = [np.bincount(cluster, total * one[cell], minlength=n) for one in mean]
        of_labelled = [np.bincount(design.cluster, one, minlength=n) for one in rest]
        sums = np.array(of_all) + np.array(of_labelled)
        return np.asarray(factor * (sums @ sums.T))
    here = np.bincount(phases.cell, phases.first**2, minlength=len(phases.size))
    others = np.maximum(phases.squares - here, 0)
    labelled = phases.first * mean[:, phases.cell] + rest
    return np.asarray(factor * ((mean * others) @ mean.T + labelled @ labelled.T))


def _of_few_labels(influence: Floats, phases: Phases, weight: Floats) -> Floats:
    """Return what a cell adds to standard errors since few labels may be all alike, (L, k).

    A share p adds p (1 − p) times the squared effect of a label; of k of n, p is (k + ½) / (n + 1).
    """
    k, cell, label = len(phases.size), phases.cell, phases.label
    if label is None:
        return np.zeros((len(influence), k))
    n = np.bincount(cell, minlength=k)
    share = np.bincount(cell, label, minlength=k) / np.maximum(n, 1)
    smoothed = (n * share + PSEUDO) / (n + 2 * PSEUDO)
    counted = share * (1 - share) * n / np.maximum(n - 1, 1)
    more = np.maximum(smoothed * (1 - smoothed) - counted, 0)
    squares = np.bincount(cell, weight**2, minlength=k) * np.maximum(1 - n / phases.size, 0)
    apart = _by_label(influence, phases, weight, 1) - _by_label(influence, phases, weight, 0)
    return np.asarray(apart * np.sqrt(more * squares))


def _by_label(influence: Floats, phases: Phases, weight: Floats, value: int) -> Floats:
    """Return what an item with a label adds by weight, by cell, else by kind, shape (L, k)."""
    assert phases.label is not None
    same = phases.label == value
    n_kinds = int(phases.kind.max()) + 1
    kind_of_cell = np.zeros(len(phases.size), dtype=np.int64)
    kind_of_cell[phases.cell] = phases.kind
    means = []
    for code, n in ((phases.cell, len(phases.size)), (phases.kind, n_kinds)):
        total = np.bincount(code[same], weight[same], minlength=n)
        sums = np.array([np.bincount(code[same], one[same], minlength=n) for one in influence])
        means.append(np.where(total > 0, sums / np.where(total > 0, total, 1), np.nan))
    mean = np.where(np.isnan(means[0]), means[1][:, kind_of_cell], means[0])
    return np.asarray(np.nan_to_num(mean))


def _units(design: SamplingDesign, phases: Phases) -> Floats:
    """Return how many labelled items, or clusters of them, of equal weight each cell is worth."""
    k, weight, code = len(phases.size), design.weights, phases.cell
    if design.cluster is not None:
        both, index = np.unique(design.cluster * k + phases.cell, return_inverse=True)
        weight, code = np.bincount(index, weight).astype(float), both % k
    total, squares = (np.bincount(code, weight**power, minlength=k) for power in (1, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(squares > 0, total**2 / squares, 0.0))


def _fewest(estimate: Linear, design: SamplingDesign, phases: Phases) -> tuple[int, int]:
    """Return the fewest units (items, or clusters) of labels of a class, and its labels."""
    related, counts = phases.related, []
    for code in np.unique(estimate.classes[estimate.classes >= 0]):
        inside = estimate.classes == code
        labels = units = int(inside.sum())
        if related is not None:
            units = int(1 / related.together((inside / labels)[None])[0, 0] + ROUNDING)
        elif design.cluster is not None:
            units = len(np.unique(design.cluster[inside]))
        counts.append((units, labels))
    return min(counts, default=(0, 0))


def _rows(estimate: Linear, design: SamplingDesign, phases: Phases) -> tuple[float, float]:
    """Return the numbers of labels and of clusters of an estimate, as if of equal weights."""
    related, inverse, inside = phases.related, 0.0, estimate.classes >= 0
    share = np.zeros(design.n_items)
    for code in np.unique(estimate.classes[inside]):
        items = estimate.classes == code
        weight = design.weights[items]
        if weight.any():
            share[items] = weight / weight.sum()
            inverse += float(share[items] @ share[items])
    if not inverse:
        return np.inf, np.inf
    if related is not None:
        return 1 / inverse, 1 / float(related.together(share[None])[0, 0])
    return 1 / inverse, 1 / float((design.totals(share) ** 2).sum())


def labels_worth(estimate: Linear, design: SamplingDesign) -> float:
    """Return how many labels of random items alone, without clusters, have the same variance."""
    phases = design.phases
    assert phases is not None
    alone = replace(phases, shared=None, related=None, units=int(phases.size.sum()))
    items = replace(design, cluster=None, phases=alone)
    variance = float(two_phase_spread([estimate], items).covariance[0, 0])
    chance = phases.first / np.where(design.weights > 0, design.weights, 1)
    of_all = float((estimate.influence**2 * chance).sum())
    return alone.units * of_all / variance if variance > 0 else float("nan")


#: Share of the labels that goes to all rows alike, so that each has a chance.
TO_ALL = 0.1


def neyman_allocation(spread: Floats, labelled: Integers, left: Integers, n: int) -> Floats:
    """Return how many of n labels each cell gets on average, at most as many as are left, (k,).

    With those `labelled` already, labels go by `spread`; each cell with rows left gets some.
    """
    n = min(n, int(left.sum()))
    expected = np.zeros(len(left))
    given = TO_ALL * n * left / max(left.sum(), 1)
    wanted = (n + labelled.sum()) * spread / max(spread.sum(), np.finfo(float).tiny)
    wanted = np.maximum(wanted - labelled, 0)
    for _ in range(len(left) + 1):
        room = left - given - expected
        rest = n - float((given + expected).sum())
        open_ = room > 0
        if rest <= 1e-9 * n or not open_.any():
            break
        share = np.where(open_, wanted, 0)
        if not share.sum() > 0:
            share = np.where(open_, room, 0)
        expected += np.minimum(rest * share / share.sum(), np.maximum(room, 0))
    return np.asarray(np.minimum(given + expected, left))


def draw_rows(
    cell: Integers, open_rows: Integers, expected: Floats, rng: np.random.Generator
) -> Integers:
    """Return sorted positions drawn of `open_rows`: of a cell those expected, rounded at random."""
    sums = np.floor(np.append(0.0, np.cumsum(expected)) + rng.random() * (1 - 1e-9))
    counts = np.diff(sums).astype(np.int64)
    order = rng.permutation(open_rows)
    order = order[np.argsort(cell[order], kind="stable")]
    starts = np.searchsorted(cell[order], np.arange(len(expected)))
    rank = np.arange(len(order)) - starts[cell[order]]
    return np.sort(order[rank < counts[cell[order]]])


def joint_chance(before: Floats | None, now: Floats) -> Floats:
    """Return the chances to be drawn in any of the rounds so far.

    >>> joint_chance(np.array([0.5]), np.array([0.2]))
    array([0.6])
    """
    return now if before is None else 1 - (1 - before) * (1 - now)
