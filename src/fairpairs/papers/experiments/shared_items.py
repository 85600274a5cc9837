"""Result rows of comparative separation with variances that allow for items shared by pairs."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from fairpairs.mathematics.estimates.estimates import Estimates
from fairpairs.mathematics.estimates.pairs.binary import all_pairs_from_counts
from fairpairs.mathematics.estimates.pairs.rates import PairRates
from fairpairs.mathematics.inference import gaps
from fairpairs.papers.experiments.predictions import RepeatedPredictions, Settings, hypothesis_rows

#: Tables of rates that are tested at once, which bounds the memory.
TABLES = 10_000


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
