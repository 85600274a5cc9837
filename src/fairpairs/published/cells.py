"""What the reproduced tables of all papers share: their cells, and looking rows up."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtr

from fairpairs.arrays import Floats

Cell = dict[str, Any]
#: Smaller p-values are as good as 0.
SMALLEST_P = 1e-300
#: Columns of a text's numbers: what the paper's own tables give, and what the run gives.
PRINTED, OURS = "Printed cells", "Ours"
#: Words of a table, by column and row.
Texts = dict[str, dict[str, str]]


def reproduced(value: float, standard_error: float = 0.0, **other: Any) -> Cell:
    """Return a reproduced cell: ours, its standard error, and what else is known of it.

    A `mark`, such as an asterisk, stands behind our number in tables for people.
    """
    cleared = round(float(value), 12) + 0.0  # what is left of a sum of floats, or a negative zero
    shared = {"standard_error": standard_error, "run_sd": np.nan, "runs": np.nan, "note": ""}
    shared["mark"] = ""
    return {"reproduced": cleared, **shared, **other}


def by(frame: pd.DataFrame, *keys: str) -> dict[Any, dict[Hashable, Any]]:
    """Look the rows of a frame up by their keys."""
    return frame.set_index(list(keys)).to_dict("index")


def name(words: str) -> str:
    """Return the name in the config of what a table says in words."""
    return words.lower().replace(" ", "_")


def distance_from_printed(values: Floats, low: float, high: float) -> float:
    """Return how far the mean of several runs lies from what a single run may have been.

    Parameters
    ----------
    values
        Of several runs, shape (runs,).
    low, high
        The numbers that round to the printed one of a single run.

    Returns
    -------
    float
        The normal score of the t of the nearest of these numbers, as a further run with the mean
        and the spread of ours; 0 where the mean lies between them, NaN where the runs do not vary.
    """
    n, mean = len(values), values.mean()
    spread = values.std(ddof=1) * np.sqrt(1 + 1 / n)
    if spread == 0:
        return float("nan")
    t = (mean - np.clip(mean, low, high)) / spread
    return float(-np.sign(t) * ndtri(max(stdtr(n - 1, -abs(t)), SMALLEST_P)))
