"""How many rows it takes to find a gap, against the sample size that is planned for one look."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from benchmarks.repeated_looks.bets import wealth
from benchmarks.repeated_looks.streams import NEVER, Independent, Persons, Streams
from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.power.items import items_from_rates
from fairpairs.mathematics.power.rejection import expected_rejection
from fairpairs.mathematics.power.sample_sizes import smallest_number
from fairpairs.mathematics.sequential.rate_bets import log_evidence_of_difference

#: Gaps, and powers of the audit that they are compared with.
GAPS = (0.02, 0.05, 0.1, 0.2)
POWERS = (0.8, 0.9)
#: Hypotheses of the audit: TPR, which has the gap, and FPR.
LINES = 2
#: Share of positive labels.
PREVALENCE = 0.5
NONE = np.zeros(1)


def planned(share: float, tpr: tuple[float, float], fpr: float, alpha: float) -> Sequence[int]:
    """Return the rows that one audit of TPR and FPR needs for each of the powers.

    `share` is that of the group, `tpr` is of group and reference, `fpr` of both, `alpha` the level
    by Holm.
    """
    items = items_from_rates(share=share, prevalence=PREVALENCE, tpr=tpr[::-1], fpr=fpr)
    rejection = partial(expected_rejection, "separation", items, alpha=alpha, correction="holm")
    return [smallest_number(lambda n: rejection(n_items=n), power) for power in POWERS]


def delays(
    rng: np.random.Generator, number: int, share: float, tpr: tuple[float, float], alpha: float
) -> Floats:
    """Return the rows until bets on TPR find the gap, at alpha over the two hypotheses."""
    line = Independent(rng, number, share, tpr)
    return first_found(line, NEVER - 1, alpha / LINES) / PREVALENCE


def delays_of_persons(
    rng: np.random.Generator,
    number: int,
    rows: int,
    icc: float,
    rates: tuple[float, float],
    alpha: float,
) -> Floats:
    """Return the rows until bets on a rate find its gap, (2, streams): clustered, and not.

    Persons have some rows each, whose outcomes have a correlation, `icc`; the group is 0.3 of all.
    """
    lines = [
        Persons(rng, number, 0.3, rates, rows, icc, clustered=clustered)
        for clustered in (True, False)
    ]
    return np.array([first_found(line, NEVER - 1, alpha / LINES) for line in lines], dtype=float)


def first_found(streams: Streams, rows: int, alpha: float) -> Integers:
    """Return the rows, shape (streams,), until bets find a difference; `NEVER` if they do not."""
    first = np.full(streams.number, NEVER)
    for at, log_wealth in wealth(streams, NONE, rows):
        evidence = log_evidence_of_difference(log_wealth, NONE)
        now = (evidence >= math.log(1 / alpha)) & (at <= rows) & (first == NEVER)
        first[now] = at[now]
        if (first < NEVER).all():
            break
    return first
