"""Comparative separation of the judgments of each judge, or of each stratum, alone."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fairpairs.base import inputs
from fairpairs.base.one_dimensional import one_dimensional
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.judgments.comparative_judgments import (
    comparative_separation_from_judgments,
)
from fairpairs.mathematics.judgments.given import question_to_judges

#: Arguments with a value for each judgment.
JUDGMENT_COLUMNS = ("predicted", "judges", "clusters", "strata")


def comparative_separation_by(
    parts: ArrayLike,
    left: ArrayLike,
    right: ArrayLike,
    outcome: ArrayLike,
    y_score: ArrayLike | None = None,
    **settings: Any,
) -> pd.DataFrame:
    """Test comparative separation on each part of the judgments, such as those of a judge.

    p-values are adjusted within a part. Of many parts some differ by chance: for a verdict on all
    of them see `strata` and `judges` of `comparative_separation_from_judgments`.

    Parameters
    ----------
    parts
        Part of each judgment, shape (m,).
    left, right, outcome, y_score
        As in `comparative_separation_from_judgments`.
    **settings
        Its other arguments, such as `sensitive_features` and `judges`. Judges, clusters or strata
        of which a part has one only are left out there.

    Returns
    -------
    pandas.DataFrame
        One row per part and hypothesis: `part`, `judgments` (ties among them), then the columns of
        `ComparativeSeparationResult.to_frame`. A part of ties only has no row.

    Raises
    ------
    InputError
        As `comparative_separation_from_judgments` does.

    Examples
    --------
    >>> table = comparative_separation_by(
    ...     ["x", "x", "y", "y"], [0, 2, 0, 2], [1, 3, 1, 3], [1, 1, 1, -1], [3.0, 1.0, 2.0, 0.5],
    ...     sensitive_features=["a", "a", "b", "b"],
    ... )
    >>> table[["part", "hypothesis", "estimate"]]
      part           hypothesis  estimate
    0    x  TPR(b,a) = TPR(a,b)       NaN
    1    x  TPR(b,b) = TPR(a,a)       0.0
    2    y  TPR(b,a) = TPR(a,b)       NaN
    3    y  TPR(b,b) = TPR(a,a)      -1.0
    """
    # all judgments together are checked first, so that messages speak of them
    comparative_separation_from_judgments(left, right, outcome, y_score, **settings)
    if settings.get("judges") is not None:
        judges = len(pd.unique(one_dimensional(settings["judges"], "judges")))
        settings["judges_as"] = question_to_judges(judges, settings.get("judges_as"))
    names = one_dimensional(parts, "parts")
    inputs.same_items(outcome=outcome, parts=parts)
    code, values = pd.factorize(names, sort=True)
    one, two, signs = (np.asarray(side) for side in (left, right, outcome))
    tables = []
    for part, value in enumerate(values):
        rows = np.flatnonzero(code == part)
        if not ((signs[rows] != 0) & (one[rows] != two[rows])).any():
            continue
        result = comparative_separation_from_judgments(
            one[rows], two[rows], signs[rows], y_score, **_part_settings(settings, rows)
        )
        table = result.to_frame()
        table.insert(0, "part", value)
        table.insert(1, "judgments", len(rows))
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def _part_settings(settings: Record, rows: np.ndarray[Any, Any]) -> Record:
    """Return the settings of some judgments, without columns that have one value in all of them."""
    result = dict(settings)
    for name in JUDGMENT_COLUMNS:
        if settings.get(name) is None:
            continue
        values = one_dimensional(settings[name], name)[rows]
        if name != "predicted" and len(pd.unique(values)) == 1:
            del result[name]
        else:
            result[name] = values
    return result
