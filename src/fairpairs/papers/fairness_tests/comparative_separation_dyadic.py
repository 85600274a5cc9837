"""Comparative separation on drawn pairs, with variances that allow for shared items (Holm)."""

import pandas as pd

from fairpairs.mathematics.estimates.pairs.given import given_pairs, orient_pairs
from fairpairs.papers.experiments.predictions import RepeatedPredictions, Settings
from fairpairs.papers.experiments.seeds import stream
from fairpairs.papers.experiments.shared_items import rate_rows


def comparative_separation_dyadic(
    predictions: RepeatedPredictions, settings: Settings
) -> pd.DataFrame:
    """Test drawn pairs of each repeat."""
    tables = []
    for repeat, labels, scores, group in predictions.each():
        rng = stream(settings.seed, "dyadic", *predictions.key, repeat)
        number = round(settings.pairs_per_item * len(labels))
        left, right = rng.integers(len(labels), size=(2, settings.draws, number))
        outcome = labels[left].astype("float64") - labels[right]
        winner, loser, hit = orient_pairs(outcome, scores, left, right)
        tables.append(given_pairs(winner, loser, hit, group, 2))
    return rate_rows(tables, predictions, settings)


TEST = comparative_separation_dyadic
