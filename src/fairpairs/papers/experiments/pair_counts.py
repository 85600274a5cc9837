"""Pairs of items, drawn or given, counted by the groups of the two (equations 16 and 17)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.estimates.pairs.given import orient_pairs, take_items, verdicts
from fairpairs.mathematics.estimates.pairs.rates import PairCounts


@dataclass(frozen=True)
class SimulatedSets:
    """Simulated test sets, fields of shape (r, n)."""

    group: Integers
    label: Floats
    score: Floats


def draw_cell_counts(
    chances: tuple[Floats, Floats],
    n_pairs: int | Integers,
    rng: np.random.Generator | Sequence[np.random.Generator],
    size: int | None = None,
) -> PairCounts:
    """Count the pairs of a sample of pairs (equations 16 and 17) without making a pair.

    `chances` are those of a pair to be right and wrong in each cell, (..., 2, 2): of items drawn
    with replacement `cell_probabilities`. So pairs fall into the nine cells that matter as one
    multinomial draw. For r samples `chances` are (r, 2, 2) and `rng` has one generator each; `size`
    is the number of samples of a generator.
    """
    cells = np.concatenate([part.reshape(*part.shape[:-2], 4) for part in chances], axis=-1)
    rest = np.maximum(0, 1 - cells.sum(axis=-1, keepdims=True))
    every = np.concatenate([cells, rest], axis=-1)
    if isinstance(rng, np.random.Generator):
        drawn = rng.multinomial(n_pairs, every, size=size)
    else:
        draws = zip(rng, np.broadcast_to(n_pairs, len(every)), every, strict=True)
        drawn = np.stack([generator.multinomial(n, p, size=size) for generator, n, p in draws])
    concordant, wrong = (x.reshape(*x.shape[:-1], 2, 2) for x in (drawn[..., :4], drawn[..., 4:8]))
    return PairCounts(concordant, concordant + wrong)


def count_pairs(
    y_true: Floats, y_score: Floats, group: Integers, left: Integers, right: Integers
) -> PairCounts:
    """Count given pairs of items at positions, (m,) or (r, m) for r samples (equations 16, 17)."""
    outcome, predicted = (verdicts(values, left, right) for values in (y_true, y_score))
    winner, loser, hit = orient_pairs(outcome, predicted, left, right)
    shape = left.shape[:-1]
    sample = np.arange(np.prod(shape, dtype=int)).reshape(*shape, 1)
    cell = (sample * 2 + take_items(group, winner)) * 2 + take_items(group, loser)
    concordant, comparable = (
        np.bincount(cell[which], minlength=4 * sample.size).reshape(*shape, 2, 2)
        for which in (hit > 0, winner != loser)
    )
    return PairCounts(concordant, comparable)


def stack_counts(parts: Sequence[PairCounts]) -> PairCounts:
    """Stack the counts of the repeats along a new first axis."""
    return PairCounts(
        np.stack([part.concordant for part in parts]), np.stack([part.comparable for part in parts])
    )
