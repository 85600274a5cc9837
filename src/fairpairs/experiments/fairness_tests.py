"""The tests that run on kept predictions, for all repeats at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.datasets.prepare import PreparedDataset
from fairpairs.experiments.seeds import stream
from fairpairs.fairness import comparative, separation
from fairpairs.fairness.pairs import draw_pair_counts
from fairpairs.fairness.proportions import ProportionDifference
from fairpairs.fairness.results import notes


@dataclass(frozen=True)
class RepeatedPredictions:
    """The predictions of many repeats, with what is true of each item, for one attribute.

    Attributes
    ----------
    counts
        Items in each cell (a, y, c) of each repeat, shape (repeats, 2, 2, 2).
    key
        What a stream of random numbers for each repeat is derived from, besides the repeat.
    repeats
        Numbers of the repeats.
    """

    counts: NDArray[np.int64]
    key: tuple[str, ...]
    repeats: NDArray[np.int64]


@dataclass(frozen=True)
class Settings:
    """What a test needs from the config."""

    seed: int
    alpha: float
    pairs_per_item: float


def _separation(predictions: RepeatedPredictions, settings: Settings) -> ProportionDifference:
    return separation.separation_from_counts(predictions.counts, alpha=settings.alpha)


def _comparative_separation(
    predictions: RepeatedPredictions, settings: Settings
) -> ProportionDifference:
    n = predictions.counts.sum(axis=(1, 2, 3))
    rngs = [stream(settings.seed, "pairs", *predictions.key, r) for r in predictions.repeats]
    pairs = draw_pair_counts(
        predictions.counts / n[:, None, None, None],
        np.rint(settings.pairs_per_item * n).astype(np.int64),
        rngs,
    )
    return comparative.comparative_separation_from_counts(pairs, alpha=settings.alpha)


#: Name of a test in the config → its hypotheses and its function.
TESTS: dict[
    str,
    tuple[tuple[str, ...], Callable[[RepeatedPredictions, Settings], ProportionDifference]],
] = {
    "separation": (separation.HYPOTHESES, _separation),
    "comparative_separation": (comparative.HYPOTHESES, _comparative_separation),
}


def run_test(
    test: str,
    predictions: pd.DataFrame,
    dataset: PreparedDataset,
    *,
    treatment: str,
    settings: Settings,
) -> pd.DataFrame:
    """Run one test on every repeat and every sensitive attribute.

    Parameters
    ----------
    test
        Name in `TESTS`.
    predictions
        What `train_repeats` returned.
    dataset
        The data set of the predictions.
    treatment
        Name of the treatment, part of the key of the random numbers.
    settings
        Seed, level, and the number of pairs that are drawn for each item.

    Returns
    -------
    DataFrame
        A row for each repeat, attribute and hypothesis: `estimate`, `statistic`, `p_value` (of
        that hypothesis alone), `rejected`, `n`, `smallest_cell` and `note`.
    """
    hypotheses, run = TESTS[test]
    item = pd.Index(dataset.frame["item"]).get_indexer(pd.Index(predictions["item"]))
    block, repeats = pd.factorize(predictions["repeat"].to_numpy())
    label, prediction = dataset.label[item], predictions["prediction"].to_numpy(np.int64)
    frames = []
    for column, attribute in enumerate(dataset.attributes):
        counts = separation.cell_counts(
            label, prediction, dataset.sensitive[item, column], block=block, n_blocks=len(repeats)
        )
        key = (dataset.name, treatment, attribute)
        result = run(RepeatedPredictions(counts, key, repeats), settings)
        frames.append(
            pd.DataFrame(
                {
                    "dataset": dataset.name,
                    "treatment": treatment,
                    "test": test,
                    "repeat": np.repeat(repeats, len(hypotheses)),
                    "attribute": attribute,
                    "hypothesis": np.tile(hypotheses, len(repeats)),
                    "estimate": result.estimate.ravel(),
                    "statistic": result.statistic.ravel(),
                    "p_value": result.pvalue.ravel(),
                    "rejected": (result.pvalue < settings.alpha).ravel(),
                    "n": result.n.ravel(),
                    "smallest_cell": result.smallest_cell.ravel(),
                    "note": notes(result).ravel(),
                }
            )
        )
    return pd.concat(frames, ignore_index=True)
