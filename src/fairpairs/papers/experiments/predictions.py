"""The predictions of many repeats, the tests that run on them, and the rows that these return."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from fairpairs.base.arrays import Array, Floats, Integers
from fairpairs.base.errors import InputError
from fairpairs.mathematics.estimates.estimates import Estimates
from fairpairs.mathematics.inference.results import Correction, adjusted, notes
from fairpairs.papers.datasets.prepared import PreparedDataset, positions
from fairpairs.papers.experiments.item_counts import cell_counts
from fairpairs.papers.registry import load, module

T = TypeVar("T")
#: In the key of random numbers, in the place of the treatment.
SHARED = "none"


@dataclass(frozen=True)
class RepeatedPredictions:
    """The predictions of all repeats, with labels and groups, for one sensitive attribute."""

    #: One element per test item, repeat after repeat; binary labels are integers, and their score
    #: is P(Y = 1).
    label: Array
    prediction: Array
    score: Floats
    group: Integers
    #: Index of the repeat of each item, from 0.
    block: Integers
    #: Numbers of the repeats.
    repeats: Integers
    #: Key of the random numbers, besides the repeat.
    key: tuple[str, ...]

    @property
    def is_binary(self) -> bool:
        """Whether the labels are 0 or 1."""
        return self.label.dtype.kind == "i"

    @cached_property
    def counts(self) -> Integers:
        """Items in each cell (a, y, c) of each repeat, shape (repeats, 2, 2, 2)."""
        items = self.label, self.prediction.astype(np.int8), self.group
        return cell_counts(*items, self.block, len(self.repeats))

    @cached_property
    def _shared(self) -> dict[Callable[..., Any], Any]:
        return {}

    def shared(self, compute: Callable[[RepeatedPredictions], T]) -> T:
        """Return the result of a function of these predictions, computed once for all tests."""
        if compute not in self._shared:
            self._shared[compute] = compute(self)
        result: T = self._shared[compute]
        return result

    def each(self) -> list[tuple[int, Array, Floats, Integers]]:
        """Return the number, labels, predictions and groups of each repeat."""
        return [
            (repeat, self.label[part], self.prediction[part].astype(np.float64), self.group[part])
            for repeat, part in self.parts()
        ]

    def parts(self) -> Iterator[tuple[int, slice]]:
        """Yield the number of each repeat and its slice of the arrays."""
        ends = np.flatnonzero(np.diff(self.block, append=-1)) + 1
        starts = [0, *ends[:-1]]
        for repeat, start, end in zip(self.repeats, starts, ends, strict=True):
            yield int(repeat), slice(start, end)


@dataclass(frozen=True)
class Settings:
    """What a test needs from the config."""

    #: Root seed.
    seed: int
    #: Level of each hypothesis.
    alpha: float
    #: Number of pairs drawn per test item.
    pairs_per_item: float
    #: Number of samples of pairs per repeat.
    draws: int = 1


#: A test: a function that returns the rows of `hypothesis_rows` or `estimate_rows`.
FairnessTest = Callable[[RepeatedPredictions, Settings], pd.DataFrame]


def predictions_by_attribute(
    predictions: pd.DataFrame, dataset: PreparedDataset
) -> list[RepeatedPredictions]:
    """Return the predictions of `train_repeats` for each contrast of groups of the data set.

    The key of the random numbers has no treatment, so that equal predictions get equal verdicts.
    """
    item = positions(predictions, dataset)
    rank = predictions["repeat"].to_numpy(np.int64) * len(dataset.frame) + item
    if (np.diff(rank) < 0).any():  # the output of train is in order
        order = np.argsort(rank)
        item, predictions = item[order], predictions.iloc[order]
    repeat = predictions["repeat"].to_numpy()
    first = np.ones(len(repeat), dtype=bool)
    first[1:] = repeat[1:] != repeat[:-1]
    block, repeats = np.cumsum(first) - 1, repeat[first]
    label = dataset.label[item]
    prediction, score = (predictions[name].to_numpy() for name in ("prediction", "score"))
    by_attribute = []
    for contrast in dataset.contrasts:
        group, key = contrast.group.take(item), (dataset.name, SHARED, contrast.name)
        kept = group >= 0
        fields: dict[str, Any] = {
            "label": label,
            "prediction": prediction,
            "score": score,
            "group": group,
            "block": block,
        }
        if not kept.all():
            fields = {name: values[kept] for name, values in fields.items()}
        if (missing := np.setdiff1d(np.arange(len(repeats)), fields["block"])).size:
            raise InputError(
                f"The data set {dataset.name} has no tested item of {contrast.name} or its "
                f"reference in repeat {repeats[missing[0]]}: join the group with another one on "
                "the card, or raise `test_fraction`."
            )
        by_attribute.append(RepeatedPredictions(**fields, repeats=repeats, key=key))
    return by_attribute


def hypothesis_rows(
    hypotheses: tuple[str, ...],
    predictions: RepeatedPredictions,
    result: Estimates,
    settings: Settings,
    correction: Correction = "none",
) -> pd.DataFrame:
    """Return a row for each element of a result of shape (repeats, draws, hypotheses)."""
    shape = result.estimate.shape
    if len(shape) != 3 or (shape[0], shape[2]) != (len(predictions.repeats), len(hypotheses)):
        raise InputError(
            f"The result of {len(hypotheses)} hypotheses has the shape {shape}: give one of "
            f"(repeats, draws, hypotheses), ({len(predictions.repeats)}, 1, {len(hypotheses)}) "
            "without draws."
        )
    repeats, draws, _ = np.indices(result.estimate.shape)
    return pd.DataFrame(
        {
            "repeat": predictions.repeats[repeats.ravel()],
            "draw": draws.ravel(),
            "hypothesis": np.tile(hypotheses, result.estimate.size // len(hypotheses)),
            "estimate": result.estimate.ravel(),
            "standard_error": np.nan,
            "statistic": result.statistic.ravel(),
            "p_value": result.pvalue.ravel(),
            "rejected": (adjusted(result.pvalue, correction) < settings.alpha).ravel(),
            "n": result.n.ravel(),
            "smallest_cell": result.smallest_cell.ravel(),
            "note": notes(result).ravel(),
        }
    )


def estimate_rows(
    names: Sequence[str],
    predictions: RepeatedPredictions,
    values: ArrayLike,
    errors: ArrayLike = np.nan,
) -> pd.DataFrame:
    """Return a row for each repeat and name, from values and standard errors (repeats, names)."""
    expected = (len(predictions.repeats), len(names))
    if np.shape(values) != expected:
        raise InputError(
            f"The values of {len(names)} names in {expected[0]} repeats have the shape "
            f"{np.shape(values)}: give {expected}."
        )
    n = np.bincount(predictions.block)
    return pd.DataFrame(
        {
            "repeat": np.repeat(predictions.repeats, len(names)),
            "draw": 0,
            "hypothesis": np.tile(names, len(predictions.repeats)),
            "estimate": np.ravel(values),
            "standard_error": np.broadcast_to(errors, np.shape(values)).ravel(),
            "statistic": np.nan,
            "p_value": np.nan,
            "rejected": False,
            "n": np.repeat(n, len(names)),
            "smallest_cell": np.repeat(n, len(names)),
            "note": "",
        }
    )


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
