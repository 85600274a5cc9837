"""Comparative separation on simulated independent pairs of equal accuracy: a null control."""

import numpy as np
import pandas as pd

from fairpairs.papers.experiments.pair_counts import count_pairs, draw_cell_counts, stack_counts
from fairpairs.papers.experiments.pair_rows import pair_rows
from fairpairs.papers.experiments.predictions import RepeatedPredictions, Settings
from fairpairs.papers.experiments.seeds import stream


def comparative_separation_fresh(
    predictions: RepeatedPredictions, settings: Settings
) -> pd.DataFrame:
    """Draw independent pairs that have the same chance to be ranked correctly in every cell."""
    parts = []
    for repeat, labels, scores, group in predictions.each():
        rng = stream(settings.seed, "fresh", *predictions.key, repeat)
        left, right = np.indices((len(labels), len(labels))).reshape(2, -1)
        every = count_pairs(labels, scores, group, left, right)
        rate = float(every.concordant.sum() / every.comparable.sum())
        number = round(settings.pairs_per_item * len(labels))
        usable = every.comparable / len(left)
        chances = usable * rate, usable * (1 - rate)
        parts.append(draw_cell_counts(chances, number, rng, settings.draws))
    return pair_rows(stack_counts(parts), predictions, settings)


TEST = comparative_separation_fresh
