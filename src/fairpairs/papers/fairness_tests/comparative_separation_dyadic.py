"""Comparative separation on drawn pairs, with variances that allow for shared items (Holm)."""

import pandas as pd

from fairpairs.mathematics.estimates.pairs.given import given_pairs, orient_pairs, verdicts
from fairpairs.papers.experiments.pair_rows import rate_rows
from fairpairs.papers.experiments.predictions import RepeatedPredictions, Settings
from fairpairs.papers.experiments.seeds import stream


def comparative_separation_dyadic(
    predictions: RepeatedPredictions, settings: Settings
) -> pd.DataFrame:
    """Test drawn pairs of each repeat."""
    tables = []
    for repeat, labels, scores, group in predictions.each():
        rng = stream(settings.seed, "dyadic", *predictions.key, repeat)
        number = round(settings.pairs_per_item * len(labels))
        left, right = rng.integers(len(labels), size=(2, settings.draws, number))
        outcome, predicted = (verdicts(values, left, right) for values in (labels, scores))
        pairs = orient_pairs(outcome, predicted, left, right)
        tables.append(given_pairs(*pairs, group, 2))
    return rate_rows(tables, predictions, settings)


TEST = comparative_separation_dyadic
