"""False alarms of a fair model whose audit, made for one look, is repeated every week."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.inference.contrasts.binomial_decisions import are_different

#: Audits in a year.
WEEKS = 52


@dataclass(frozen=True)
class Design:
    """A model that is audited every week: TPR and FPR of a group and a reference, by Holm."""

    #: rows a week
    batch: int
    #: share of the group
    share: float = 0.5
    prevalence: float = 0.5
    tpr: float = 0.8
    fpr: float = 0.2
    #: added to the TPR of the group
    gap: float = 0.0


def weekly_counts(
    design: Design, rng: np.random.Generator, number: int
) -> tuple[Integers, Integers]:
    """Return the items and positive predictions, shape (streams, weeks, 2, 2) each.

    The last axes are the label (positive first) and the group (reference last).
    """
    group = np.array([design.share, 1 - design.share])
    label = np.array([design.prevalence, 1 - design.prevalence])
    chances = np.outer(label, group).ravel()
    items = rng.multinomial(design.batch, chances, (number, WEEKS)).reshape(number, WEEKS, 2, 2)
    rates = np.array([[design.tpr + design.gap, design.tpr], [design.fpr, design.fpr]])
    return items, rng.binomial(items, rates)


def weekly_violated(items: Integers, hits: Integers, alpha: float) -> NDArray[np.bool_]:
    """Return whether `separation_test` finds a violation in each table, by Holm.

    `items` and `hits` are (..., 2, 2), as by `weekly_counts`; the answers are (...).
    """
    tables = hits[..., 0], items[..., 0], hits[..., 1], items[..., 1]
    found: NDArray[np.bool_] = are_different(*tables, alpha / 2).any(axis=-1)
    return found


def repeated_alarms(design: Design, rng: np.random.Generator, number: int, alpha: float) -> Floats:
    """Return whether any of 52 audits of a stream finds a violation, shape (3, streams).

    The audits are of all rows so far, of each week alone, and the first one.
    """
    items, hits = weekly_counts(design, rng, number)
    so_far = weekly_violated(items.cumsum(axis=1), hits.cumsum(axis=1), alpha)
    alone = weekly_violated(items, hits, alpha)
    return np.stack([so_far.any(axis=1), alone.any(axis=1), so_far[:, 0]]).astype(float)
