"""How often an audit of separation finds a violation by human labels beside cheap ones.

Cells are group, decision and cheap label; docs/explanation/few-labels.md has the variance, which is
computed from the probabilities of the cells.
"""

import numpy as np
from scipy.special import stdtrit

from fairpairs.base.arrays import Floats
from fairpairs.mathematics.inference.results import Correction
from fairpairs.mathematics.inference.sampling.two_phases import FREE
from fairpairs.mathematics.power.expected_gaps import either_found
from fairpairs.mathematics.power.shared_judgments import level_of_each


def rejection_with_cheap_labels(
    items: Floats,
    n_labels: int,
    n_items: int,
    accuracy: tuple[float, float],
    *,
    alpha: float = 0.05,
    correction: Correction = "holm",
) -> float:
    """Return the power of `n_labels` human labels drawn at random; `accuracy` by group."""
    n = min(n_labels, n_items)
    right = np.array(accuracy)[:, None, None, None]
    same = np.eye(2)[None, :, None, :] == 1  # label, cheap label
    joint = items[..., None] * np.where(same, right, 1 - right)  # (a, y, c, cheap)
    cell = joint.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        positive = np.where(cell > 0, joint[:, 1] / cell, 0.0)
    decision = np.array([[0.0, 0.0], [1.0, 1.0]])
    rates, covariance = [], []
    for group in (0, 1):
        totals = items[group].sum(axis=1)
        theta = items[group, :, 1] / totals  # FPR, TPR
        share, p = cell[group], positive[group]
        labels = np.maximum(n * share, 2)
        # what a positive adds to the TPR, and a negative to the FPR, of each cell
        added = np.stack([(decision - theta[label]) / totals[label] for label in (0, 1)])
        mean = added * np.stack([1 - p, p])
        slope = added * np.array([-1.0, 1.0])[:, None, None]
        spread = share * p * (1 - p) * labels / (labels - 1)
        within = np.einsum("rct,sct,ct->rs", slope, slope, spread)
        between = np.einsum("rct,sct,ct->rs", mean, mean, share)
        rates.append(theta)
        covariance.append(between / n_items + within / n)
    gaps = rates[1] - rates[0]
    fewest = n * items.sum(axis=2).min(axis=0)
    critical = stdtrit(np.maximum(FREE * (fewest - 1), 1), 1 - level_of_each(alpha, correction) / 2)
    total = covariance[0] + covariance[1]
    return either_found(gaps, total, critical * np.sqrt(np.diagonal(total)))
