"""Runs a test on kept predictions, for all repeats at once."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from fairpairs.datasets.prepare import PreparedDataset
from fairpairs.errors import InputError
from fairpairs.experiments.repeated_predictions import (
    FairnessTest,
    RepeatedPredictions,
    Settings,
    positions,
)
from fairpairs.registry import load

#: Columns of what a test returns, one row a repeat, draw and hypothesis.
COLUMNS = ("repeat", "draw", "hypothesis", "estimate", "standard_error", "statistic", "p_value",
           "rejected", "n", "smallest_cell", "note")  # fmt: skip


def run_test(
    test: str,
    predictions: pd.DataFrame,
    dataset: PreparedDataset,
    *,
    treatment: str,
    settings: Settings,
    extensions: Iterable[str | Path] = (),
) -> pd.DataFrame:
    """Run one test on every repeat and every sensitive attribute.

    Parameters
    ----------
    test
        Its name, that of a file in `fairpairs.experiments.tests` or one of `extensions`.
    predictions
        What `train_repeats` returned.
    dataset
        The data set of the predictions.
    treatment
        Name of the treatment, part of the key of the random numbers.
    settings
        Seed, level, and how many pairs are drawn.
    extensions
        Files of a user's own project (see `fairpairs.registry.load`).

    Returns
    -------
    DataFrame
        A row for each repeat, draw, attribute and hypothesis: `estimate`, its
        `standard_error` where one is estimated and no hypothesis tested, `statistic`, `p_value` (of
        that hypothesis alone), `rejected` (by Holm where the test takes shared items into
        account, else alone, as in the paper), `n`, `smallest_cell` and `note`. What is estimated
        and not tested has no p-value.

    Raises
    ------
    InputError
        When there is no such test, or it returns something else.
    """
    item = positions(predictions, dataset)
    place = predictions["repeat"].to_numpy(np.int64) * len(dataset.frame) + item
    if (np.diff(place) < 0).any():  # what train wrote is in order
        order = np.argsort(place)
        item, predictions = item[order], predictions.iloc[order]
    block, repeats = pd.factorize(predictions["repeat"].to_numpy())
    label = dataset.label[item]
    prediction, score = (predictions[name].to_numpy() for name in ("prediction", "score"))
    function: FairnessTest = load("tests", test, extensions)
    frames = []
    for column, attribute in enumerate(dataset.attributes):
        key = (dataset.name, treatment, attribute)
        group = dataset.sensitive[item, column]
        own = RepeatedPredictions(label, prediction, score, group, block, repeats, key)
        frame = _checked(function(own, settings), test)
        frame.insert(0, "dataset", dataset.name)
        frame.insert(1, "treatment", treatment)
        frame.insert(2, "test", test)
        frame.insert(5, "attribute", attribute)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def _checked(rows: object, test: str) -> pd.DataFrame:
    if not isinstance(rows, pd.DataFrame):
        raise InputError(
            f"The test {test} returned a {type(rows).__name__}: return the data frame of "
            "hypothesis_rows or estimate_rows."
        )
    if lacking := [name for name in COLUMNS if name not in rows]:
        raise InputError(
            f"The test {test} returned rows without {', '.join(lacking)}: return the data frame of "
            "hypothesis_rows or estimate_rows."
        )
    return rows[list(COLUMNS)].copy()
