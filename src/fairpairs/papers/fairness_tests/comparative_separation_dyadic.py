"""Comparative separation on drawn pairs, with variances that allow for shared items (Holm)."""

import pandas as pd

from fairpairs.mathematics.estimates.pairs.given import given_pairs, orient_pairs, verdicts
from fairpairs.papers.experiments.pair_rows import drawn_pairs, rate_rows
from fairpairs.papers.experiments.predictions import RepeatedPredictions, Settings


def comparative_separation_dyadic(
    predictions: RepeatedPredictions, settings: Settings
) -> pd.DataFrame:
    """Test drawn pairs of each repeat."""
    tables = []
    for labels, scores, group, left, right in drawn_pairs(predictions, settings, "dyadic"):
        outcome, predicted = (verdicts(values, left, right) for values in (labels, scores))
        pairs = orient_pairs(outcome, predicted, left, right)
        tables.append(given_pairs(*pairs, group, 2))
    return rate_rows(tables, predictions, settings)


TEST = comparative_separation_dyadic
