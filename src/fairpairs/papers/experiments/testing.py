"""Run tests on saved predictions, on all repeats at once."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from fairpairs.base.errors import InputError
from fairpairs.papers.datasets.prepared import PreparedDataset
from fairpairs.papers.experiments.predictions import (
    FairnessTest,
    Settings,
    estimate_rows,
    predictions_by_attribute,
)
from fairpairs.papers.registry import load, module

#: Columns of the rows that a test returns, one row per repeat, draw and hypothesis.
COLUMNS = (
    *("repeat", "draw", "hypothesis", "estimate", "standard_error", "statistic", "p_value"),
    *("rejected", "n", "smallest_cell", "note"),
)
NUMBERS = tuple(name for name in COLUMNS if name not in ("hypothesis", "rejected", "note"))


def run_tests(
    names: Sequence[str],
    predictions: pd.DataFrame,
    dataset: PreparedDataset,
    *,
    treatment: str,
    settings: Settings,
    extensions: Iterable[str | Path] = (),
) -> pd.DataFrame:
    """Run tests on every repeat of the result of `train_repeats`, and every sensitive attribute.

    What several tests compute of the same predictions is computed once. The rows of the tests are
    in the order of `names`, one for each attribute, repeat, draw and hypothesis: `estimate`, its
    `standard_error` (of estimates without a test), `statistic`, `p_value` (of that hypothesis
    alone; none for estimates without a test), `rejected` (by Holm if the test allows for shared
    items, else alone, as in the paper), `n`, `smallest_cell` and `note`. InputError if a user's
    test returns anything else.
    """
    extensions = list(extensions)
    functions: dict[str, FairnessTest] = {name: load("tests", name, extensions) for name in names}
    needs_score = {
        name for name in names if getattr(module("tests", name, extensions), "SCORE", False)
    }
    by_attribute = predictions_by_attribute(predictions, dataset)
    frames = []
    for name, function in functions.items():
        for contrast, repeated in zip(dataset.contrasts, by_attribute, strict=True):
            if name in needs_score and np.isnan(repeated.score).any():  # of decisions alone
                nothing = np.full((len(repeated.repeats), 1), np.nan)
                rows = estimate_rows(["no score"], repeated, nothing).assign(note="no score")
            else:
                rows = function(repeated, settings)
            frame = _checked(rows, name, repeated.repeats)
            frame.insert(0, "dataset", dataset.name)
            frame.insert(1, "treatment", treatment)
            frame.insert(2, "test", name)
            frame.insert(5, "attribute", contrast.name)
            frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def _checked(rows: object, test: str, repeats: NDArray[np.int64]) -> pd.DataFrame:
    """Return the rows of a test with its columns in the order of COLUMNS, or raise."""
    prefix = f"The test {test} returned "
    remedy = ": return the data frame of hypothesis_rows or estimate_rows."
    if not isinstance(rows, pd.DataFrame):
        raise InputError(f"{prefix}a {type(rows).__name__}{remedy}")
    if missing := [name for name in COLUMNS if name not in rows]:
        raise InputError(f"{prefix}rows without {', '.join(missing)}{remedy}")
    rows = rows[list(COLUMNS)].copy()
    if wrong := [name for name in NUMBERS if not is_numeric_dtype(rows[name])]:
        raise InputError(f"{prefix}{', '.join(wrong)} that are not numeric{remedy}")
    if not is_bool_dtype(rows["rejected"]):
        raise InputError(f"{prefix}`rejected` that is neither True nor False{remedy}")
    if set(rows["repeat"]) != set(repeats):
        raise InputError(
            f"{prefix}rows of wrong repeats: return rows of every repeat in "
            "`predictions.repeats` and of no other."
        )
    twice = rows.duplicated(["repeat", "draw", "hypothesis"])
    if twice.any():
        raise InputError(
            f"{prefix}two rows of {rows['hypothesis'][twice].iloc[0]!r} in one repeat: give "
            "every hypothesis and every estimate a different name."
        )
    return rows
