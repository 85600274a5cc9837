"""AUC and xAUC of all repeats, for the tests `xauc` and `ranking`."""

from fairpairs.mathematics.estimates.pairs.rates import PairRates
from fairpairs.mathematics.estimates.ranking_rates import ranking_rates
from fairpairs.papers.experiments.predictions import RepeatedPredictions


def repeated_ranking_rates(predictions: RepeatedPredictions, test: str) -> PairRates:
    """Return the rates of all repeats, fields of shape (repeats, …); `test` is for the message."""
    predictions.check_binary(test)
    return predictions.shared(_rates)


def _rates(predictions: RepeatedPredictions) -> PairRates:
    tables = [
        ranking_rates(predictions.label[part], predictions.score[part], predictions.group[part], 2)
        for _, part in predictions.parts()
    ]
    return PairRates.stacked(tables)
