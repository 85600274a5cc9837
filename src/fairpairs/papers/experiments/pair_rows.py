"""Result rows of comparative separation, of drawn pairs and of pairs that share items."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Array, Floats, Integers
from fairpairs.mathematics.estimates.estimates import Estimates
from fairpairs.mathematics.estimates.pairs.binary import all_pairs_from_counts
from fairpairs.mathematics.estimates.pairs.rates import PairCounts, PairRates
from fairpairs.mathematics.inference import gaps
from fairpairs.papers.experiments.pair_counts import count_pairs, stack_counts
from fairpairs.papers.experiments.predictions import RepeatedPredictions, Settings, hypothesis_rows
from fairpairs.papers.experiments.seeds import stream

#: Tables of rates that are tested at once, which bounds the memory.
TABLES = 10_000


#: Takes a random generator, and labels and groups of shape (n,); returns groups of shape (n,) or
#: (draws, n).
Regroup = Callable[[np.random.Generator, Array, Integers], Integers]


def drawn_pairs(
    predictions: RepeatedPredictions,
    settings: Settings,
    purpose: str,
    regroup: Regroup = lambda rng, labels, group: group,
) -> Iterator[tuple[Array, Floats, Integers, Integers, Integers]]:
    """Yield labels, scores and groups of each repeat, and the two items of pairs that are drawn.

    `purpose` is part of the key of the random numbers.
    """
    for repeat, labels, scores, group in predictions.each():
        rng = stream(settings.seed, purpose, *predictions.key, repeat)
        groups = regroup(rng, labels, group)
        number = round(settings.pairs_per_item * len(labels))
        left, right = rng.integers(len(labels), size=(2, settings.draws, number))
        yield labels, scores, groups, left, right


def drawn_pair_rows(
    predictions: RepeatedPredictions, settings: Settings, *drawn: Any
) -> pd.DataFrame:
    """Test drawn pairs; the further arguments are those of `drawn_pairs`."""
    parts = [count_pairs(*pairs) for pairs in drawn_pairs(predictions, settings, *drawn)]
    return pair_rows(stack_counts(parts), predictions, settings)


def pair_rows(
    pairs: PairCounts, predictions: RepeatedPredictions, settings: Settings
) -> pd.DataFrame:
    """Test counts as of independent pairs, shape (repeats, draws, …), each hypothesis alone."""
    result = gaps.comparative_separation_from_counts(pairs, alpha=settings.alpha)
    return hypothesis_rows(gaps.HYPOTHESES, predictions, result, settings)


def all_pair_rows(
    predictions: RepeatedPredictions, settings: Settings, real: Callable[..., PairRates]
) -> pd.DataFrame:
    """Test all pairs of each repeat; `real` gives their rates where labels are real."""
    if predictions.is_binary:
        return rate_rows(
            [all_pairs_from_counts(predictions.counts.astype(float))], predictions, settings
        )
    tables = [
        real(labels.astype(np.float64), scores, group, 2)
        for _, labels, scores, group in predictions.each()
    ]
    return rate_rows(tables, predictions, settings)


def rate_rows(
    tables: Sequence[PairRates], predictions: RepeatedPredictions, settings: Settings
) -> pd.DataFrame:
    """Test the rates of all repeats (one table for all, or one per repeat), with Holm."""
    results = []
    draws = max(1, tables[0].concordant[..., 0, 0].size)
    step = max(1, TABLES // draws)
    for start in range(0, len(tables), step):
        rates = PairRates.stacked(tables[start : start + step])
        result = gaps.comparative_separation_from_rates(rates, alpha=settings.alpha)[0]
        results += [result.take(i) for i in range(len(result.estimate))]
    shape = (len(predictions.repeats), -1, len(gaps.HYPOTHESES))  # repeats, draws, …
    joined = Estimates.stacked(results).reshape(*shape)
    return hypothesis_rows(gaps.HYPOTHESES, predictions, joined, settings, correction="holm")
