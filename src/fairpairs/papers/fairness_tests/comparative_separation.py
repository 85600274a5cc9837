"""Comparative separation on drawn pairs that are treated as independent, as in the paper."""

import numpy as np
import pandas as pd

from fairpairs.mathematics.estimates.pairs.rates import cell_probabilities
from fairpairs.papers.experiments.pair_counts import draw_cell_counts
from fairpairs.papers.experiments.pair_rows import drawn_pair_rows, pair_rows
from fairpairs.papers.experiments.predictions import RepeatedPredictions, Settings
from fairpairs.papers.experiments.seeds import stream


def comparative_separation(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    """Test H0c and H0w on drawn pairs; with binary labels, draw only the counts (equivalent)."""
    if not predictions.is_binary:
        return drawn_pair_rows(predictions, settings, "pairs")
    n = predictions.counts.sum(axis=(1, 2, 3))
    pairs = draw_cell_counts(
        cell_probabilities(predictions.counts / n[:, None, None, None]),
        np.rint(settings.pairs_per_item * n).astype(np.int64),
        [stream(settings.seed, "pairs", *predictions.key, r) for r in predictions.repeats],
        size=settings.draws,
    )
    return pair_rows(pairs, predictions, settings)


TEST = comparative_separation
