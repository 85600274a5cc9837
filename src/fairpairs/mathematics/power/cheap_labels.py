"""How often an audit of few human labels beside many cheap ones finds that groups differ.

Sets are simulated, with labels drawn at random, and tested by the rule of the audit
(docs/explanation/few-labels.md), all sets at once. A kind of rows has one group, decision and cheap
label.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.arguments.design import FEWEST
from fairpairs.mathematics.inference.contrasts.binomial_decisions import are_different
from fairpairs.mathematics.inference.contrasts.score import ScoreContrast
from fairpairs.mathematics.inference.sampling.gaps import HALF_KNOWN_RATES, share_known
from fairpairs.mathematics.inference.sampling.two_phases import (
    FEWEST_OF_CLASS,
    FREE,
    PSEUDO,
    TINY,
)

#: Sets that are drawn: the standard error of a power of 0.8 is 0.009.
SETS = 2_000
#: The decision of each kind of rows of a group, by decision and cheap label.
DECISION = np.array([0, 0, 1, 1])


def rejection_with_cheap_labels(
    items: Floats, n_labels: int, n_items: int, accuracy: Sequence[float], *, alpha: float = 0.05
) -> float:
    """Return the power of separation on cheap labels and `n_labels` human ones drawn at random.

    It is the share of simulated sets in which the audit finds a difference, by Holm over TPR and
    FPR of each two groups. `items` are the probabilities of cells (group, label, decision), and
    `accuracy` is that of the cheap labels, by group.
    """
    n = min(n_labels, n_items)
    right = np.array(accuracy)[:, None, None, None]
    same = np.eye(2)[None, :, None, :] == 1  # label, cheap label
    joint = items[..., None] * np.where(same, right, 1 - right)
    rng = np.random.default_rng(0)
    labelled = rng.multinomial(n, joint.ravel(), SETS).reshape(SETS, *joint.shape)
    kinds = joint.sum(axis=1)
    others = rng.multinomial(n_items - n, kinds.ravel(), SETS).reshape(SETS, *kinds.shape)
    return float(found_with_cheap_labels(labelled, others, alpha).mean())


@np.errstate(invalid="ignore", divide="ignore")
def found_with_cheap_labels(
    labelled: Integers, others: Integers, alpha: float
) -> NDArray[np.bool_]:
    """Return in which sets TPR or FPR of two groups differ, shape (sets,).

    `labelled` rows are counted by set, group, human label, decision and cheap label, `others` by
    set, group, decision and cheap label.
    """
    rates, trials, inverse, free = _trials(labelled, others)
    counts = labelled.sum(axis=-1)
    first, second = np.triu_indices(labelled.shape[1], 1)
    of_class = counts.sum(axis=-1)  # set, group, label
    k, n = (np.stack([x[:, first], x[:, second]], axis=-1) for x in (counts[..., 1], of_class))
    two = (np.stack([x[:, first], x[:, second]], axis=-1) for x in (rates, trials, inverse, free))
    rates, trials, inverse, free = two
    few = n.min(axis=-1) < FEWEST_OF_CLASS
    tested = n.min(axis=-1) > 0
    number = np.maximum(tested.sum(axis=(1, 2), keepdims=True), 1)
    level = np.broadcast_to(alpha / number, tested.shape)
    found = np.zeros(tested.shape, dtype=bool)
    alone, both = tested & few, tested & ~few
    (k1, k0), (n1, n0) = k[alone].T, n[alone].T
    found[alone] = are_different(k1, n1, k0, n0, level[alone])
    df = inverse[both].sum(axis=-1) ** 2 / (inverse[both] ** 2 / free[both]).sum(axis=-1)
    contrast = ScoreContrast(rates[both], trials[both], np.array([1.0, -1.0]), df=df)
    found[both] = contrast.pvalue() < level[both]
    return np.asarray(found.any(axis=(1, 2)) & (of_class.sum(axis=-1) > 0).all(axis=1))


def _trials(labelled: Integers, others: Integers) -> tuple[Floats, Floats, Floats, Floats]:
    """Return FPR and TPR, the trials each is worth, 1 over its human labels, degrees of freedom.

    All have the shape (sets, groups, label). They are those of `two_phase_spread` and
    `effective_trials` for independent rows; labels of a class count as if of equal weights.
    """
    size = labelled.sum(axis=2) + others
    member = _cells(labelled.sum(axis=2), size)
    shape = *labelled.shape[:3], 4
    by_kind = labelled.reshape(shape)
    rows = np.einsum("sgk,sgkx->sgx", size.reshape(*shape[:2], 4), member)
    of_label, positive = (
        np.einsum("sgyk,sgkx->sgyx", each, member) for each in (by_kind, by_kind * DECISION)
    )
    human = of_label.sum(axis=2)
    weight = np.where(human > 0, rows / human, 0)[:, :, None]
    total = (weight * of_label).sum(axis=-1, keepdims=True)
    rate = (weight * positive).sum(axis=-1, keepdims=True) / total
    rows, human = rows[:, :, None], human[:, :, None]
    # sums over the labelled rows of a cell of what each adds, and of its square
    added = weight / total * (positive - rate * of_label)
    square = (weight / total) ** 2 * (positive * (1 - 2 * rate) + of_label * rate**2)
    mean = np.where(rows > 0, added / rows, 0)
    within = (square - human * (weight * mean) ** 2) * human / np.maximum(human - 1, 1)
    # as few labels of a cell may all be alike
    share = of_label[:, :, 1:] / np.maximum(human, 1)
    smoothed = (human * share + PSEUDO) / (human + 2 * PSEUDO)
    counted = share * (1 - share) * human / np.maximum(human - 1, 1)
    more = np.maximum(smoothed * (1 - smoothed) - counted, 0)
    squares = human * weight**2 * np.maximum(1 - human / rows, 0)
    alike = more * squares * _effect(by_kind, of_label, positive, rate, total) ** 2
    alike = np.where(human > 0, alike, 0)
    n_rows = rows.sum(axis=(1, 3), keepdims=True)[..., 0]
    of_rows = (rows * mean**2 + within).sum(axis=-1) * n_rows / (n_rows - 1)
    between = of_rows - within.sum(axis=-1)
    variance = of_rows + alike.sum(axis=-1)
    squares = ((within + alike) ** 2 / np.maximum(human - 1, 1)).sum(axis=-1)
    squares = squares + between**2 / n_rows
    labels = of_label.sum(axis=-1)
    free = np.maximum(np.minimum(variance**2 / np.maximum(squares, TINY), FREE * (labels - 1)), 1)
    rate, inverse = rate[..., 0], (weight**2 * of_label).sum(axis=-1) / total[..., 0] ** 2
    scale = rate * (1 - rate)
    variance = np.where(scale > 0, variance / scale, 0)
    events = np.where(variance > 0, scale / (1 - 2 * rate) ** 2 / variance, 0)
    known = share_known(events, HALF_KNOWN_RATES)
    return rate, 1 / (known * variance + (1 - known) * inverse), inverse, free


def _cells(labels: Integers, size: Integers) -> NDArray[np.bool_]:
    """Return which kinds are in which cell of the group, (sets, groups, 4, 4), as `label_cells`."""

    def enough(labels: Integers, size: Integers) -> NDArray[np.bool_]:
        return np.asarray(((labels >= FEWEST) | (size == 0)).all(axis=-1))

    by_decision = enough(labels.sum(axis=-1), size.sum(axis=-1))[..., None, None]
    apart = 2 * np.arange(2)[:, None] + np.arange(2) * enough(labels, size)[..., None]
    joined = np.arange(2) * enough(labels.sum(axis=-2), size.sum(axis=-2))[..., None, None]
    cell = np.where(by_decision, apart, joined).reshape(*size.shape[:2], 4)
    return np.asarray(cell[..., None] == np.arange(4))


def _effect(
    by_kind: Integers, of_label: Integers, positive: Integers, rate: Floats, total: Floats
) -> Floats:
    """Return what a row of the label of a rate adds to it, by weight, in each cell."""
    # of a cell without one, by the rows of its decision (of the last row, where it has both)
    last = np.where(of_label[:, :, 1:] > 0, positive[:, :, 1:], positive[:, :, :1]) > 0
    here = [by_kind[..., one == DECISION].sum(axis=-1, keepdims=True) > 0 for one in (0, 1)]
    elsewhere = np.where(np.where(last, here[1], here[0]), last - rate, 0)
    decided = positive / np.maximum(of_label, 1) - rate
    return np.asarray(np.where(of_label > 0, decided, elsewhere) / total)
