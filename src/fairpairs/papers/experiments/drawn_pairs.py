"""Result rows of drawn pairs that are treated as independent, as in the paper."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Array, Integers
from fairpairs.mathematics.estimates.pairs.rates import PairCounts
from fairpairs.mathematics.inference import gaps
from fairpairs.papers.experiments.pair_counts import count_pairs, stack_counts
from fairpairs.papers.experiments.predictions import RepeatedPredictions, Settings, hypothesis_rows
from fairpairs.papers.experiments.seeds import stream


def drawn_pair_rows(
    predictions: RepeatedPredictions,
    settings: Settings,
    purpose: str,
    regroup: Callable[[np.random.Generator, Array, Integers], Integers],
) -> pd.DataFrame:
    """Draw pairs of the items of each repeat and test them, with the groups that `regroup` returns.

    `regroup` takes a random generator, and labels and groups of shape (n,); it returns groups of
    shape (n,) or (draws, n). `purpose` is part of the key of the random numbers.
    """
    parts = []
    for repeat, labels, scores, group in predictions.each():
        rng = stream(settings.seed, purpose, *predictions.key, repeat)
        groups = regroup(rng, labels, group)
        number = round(settings.pairs_per_item * len(labels))
        left, right = rng.integers(len(labels), size=(2, settings.draws, number))
        parts.append(count_pairs(labels, scores, groups, left, right))
    return pair_rows(stack_counts(parts), predictions, settings)


def pair_rows(
    pairs: PairCounts, predictions: RepeatedPredictions, settings: Settings
) -> pd.DataFrame:
    """Test the counts of all repeats, shape (repeats, draws, …), each hypothesis alone."""
    result = gaps.comparative_separation_from_counts(pairs, alpha=settings.alpha)
    return hypothesis_rows(gaps.HYPOTHESES, predictions, result, settings)
