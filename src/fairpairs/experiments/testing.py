"""Runs a test on kept predictions, for all repeats at once."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from fairpairs.datasets.prepared import PreparedDataset
from fairpairs.errors import InputError
from fairpairs.experiments.predictions import (
    FairnessTest,
    RepeatedPredictions,
    Settings,
    positions,
)
from fairpairs.registry import load

#: Columns of what a test returns, one row a repeat, draw and hypothesis.
COLUMNS = ("repeat", "draw", "hypothesis", "estimate", "standard_error", "statistic", "p_value",
           "rejected", "n", "smallest_cell", "note")  # fmt: skip
NUMBERS = ("repeat", "draw", "estimate", "standard_error", "statistic", "p_value", "n",
           "smallest_cell")  # fmt: skip


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
        Its name, that of a file in `fairpairs.fairness_tests` or one of `extensions`.
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
        When there is no such test, or it returns something else: other columns, repeats or kinds of
        values, or two rows of one name.
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
        frame = _checked(function(own, settings), test, repeats)
        frame.insert(0, "dataset", dataset.name)
        frame.insert(1, "treatment", treatment)
        frame.insert(2, "test", test)
        frame.insert(5, "attribute", attribute)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def _checked(rows: object, test: str, repeats: NDArray[np.int64]) -> pd.DataFrame:
    """Return the rows of a test, in the order of COLUMNS, when they are such as others rest on."""
    refused = f"The test {test} returned "
    remedy = ": return the data frame of hypothesis_rows or estimate_rows."
    if not isinstance(rows, pd.DataFrame):
        raise InputError(f"{refused}a {type(rows).__name__}{remedy}")
    if lacking := [name for name in COLUMNS if name not in rows]:
        raise InputError(f"{refused}rows without {', '.join(lacking)}{remedy}")
    rows = rows[list(COLUMNS)].copy()
    if wrong := [name for name in NUMBERS if not is_numeric_dtype(rows[name])]:
        raise InputError(f"{refused}{', '.join(wrong)} that are no numbers{remedy}")
    if not is_bool_dtype(rows["rejected"]):
        raise InputError(f"{refused}`rejected` that is neither True nor False{remedy}")
    if set(rows["repeat"]) != set(repeats):
        raise InputError(
            f"{refused}rows of other repeats than it was given: return rows of each of "
            "`predictions.repeats`, and of no other."
        )
    twice = rows.duplicated(["repeat", "draw", "hypothesis"])
    if twice.any():
        raise InputError(
            f"{refused}two rows of {rows['hypothesis'][twice].iloc[0]!r} in one repeat: give every "
            "hypothesis, and every number that is estimated, a name of its own."
        )
    return rows
