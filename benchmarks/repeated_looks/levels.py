"""How often a stream is wrongly called unfair, or shown to be fair, at any of its looks."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.repeated_looks.bets import largest
from benchmarks.repeated_looks.repeated import WEEKS, Design
from benchmarks.repeated_looks.streams import Independent, Streams
from benchmarks.repeated_looks.worlds import ROWS, World
from fairpairs.base.arrays import Floats
from fairpairs.mathematics.sequential.evidence import log_evidence_beyond, log_evidence_within
from fairpairs.mathematics.sequential.rate_bets import log_evidence_of_difference

#: The margin, and the true difference of worlds at the margin.
MARGIN = 0.1
NONE = np.zeros(1)


def largest_evidence(streams: Streams, rows: int) -> Floats:
    """Return the logarithm of the largest evidence of a difference at any look."""
    return largest(streams, NONE, rows, partial(log_evidence_of_difference, differences=NONE))


def called_different(world: World, rng: np.random.Generator, number: int, alpha: float) -> Floats:
    """Return whether Holm calls a line without a difference different at any look, (1, streams)."""
    lines = world(rng, number)
    evidence = np.stack([largest_evidence(streams, ROWS) for streams, _ in lines])
    fair = np.array([without for _, without in lines])
    rejected: NDArray[np.bool_] = holm(evidence, alpha)[fair]
    return rejected.any(axis=0, keepdims=True).astype(float)


def audit_by_bets(design: Design, rng: np.random.Generator, number: int, alpha: float) -> Floats:
    """Return whether bets on TPR and FPR find a violation at any look, by Holm, (1, streams)."""
    evidence = []
    for share, rate in ((design.prevalence, design.tpr), (1 - design.prevalence, design.fpr)):
        line = Independent(rng, number, design.share, (rate, rate))
        evidence.append(largest_evidence(line, round(share * design.batch * WEEKS)))
    return holm(np.stack(evidence), alpha).any(axis=0, keepdims=True).astype(float)


def holm(log_evidence: Floats, alpha: float) -> NDArray[np.bool_]:
    """Return which hypotheses Holm rejects, shape (lines, streams) as `log_evidence`."""
    order = np.argsort(-log_evidence, axis=0)
    ordered = np.take_along_axis(log_evidence, order, axis=0)
    left = np.arange(len(log_evidence), 0, -1)[:, None]
    rejected = np.empty(log_evidence.shape, dtype=bool)
    kept = np.logical_and.accumulate(ordered >= np.log(left / alpha), axis=0)
    np.put_along_axis(rejected, order, kept, axis=0)
    return rejected


def mistakes(
    world: World, difference: float, rng: np.random.Generator, number: int, alpha: float
) -> Floats:
    """Return the false statements at any look of one line, shape (3, streams).

    They are: the interval leaves out the difference; it is shown to lie beyond ±|difference|; it is
    shown to lie within.
    """
    differences = np.unique([-difference, difference])

    def evidence(log_wealth: Floats) -> Floats:
        at = log_wealth[..., int(np.flatnonzero(differences == difference)[0])]
        beyond, within = (
            log_evidence(log_wealth, differences, abs(difference))
            for log_evidence in (log_evidence_beyond, log_evidence_within)
        )
        # each side of the interval has half the level
        return np.stack([at.max(axis=-1) - math.log(2), beyond, within], axis=-1)

    ((line, _),) = world(rng, number)
    return (largest(line, differences, ROWS, evidence) >= math.log(1 / alpha)).T.astype(float)
