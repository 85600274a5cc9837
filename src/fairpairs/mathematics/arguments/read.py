"""Arguments of a test, checked: items, clusters and weights, and the names of its hypotheses."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fairpairs.base import inputs
from fairpairs.base.arrays import Array, Floats, Integers
from fairpairs.base.columns import Column, column
from fairpairs.base.errors import InputError, shortened, shown
from fairpairs.base.one_dimensional import one_dimensional
from fairpairs.mathematics.arguments.design import SamplingDesign, WeightKind


def group_pair_hypotheses(groups: Sequence[Any], templates: Sequence[str]) -> tuple[str, ...]:
    """Name the hypotheses of each two groups a before b, by templates that hold {a} and {b}."""
    names = [inputs.group_name(group) for group in groups]
    return tuple(
        template.format(a=a, b=b) for a, b in combinations(names, 2) for template in templates
    )


#: The error message where no two labels differ.
ONE_LABEL = "y_true has only one value: no pair of rows has different labels."


def binary_items(
    y_true: ArrayLike, y_score: ArrayLike, sensitive_features: ArrayLike
) -> tuple[Integers, Floats, Integers, tuple[Any, ...]]:
    """Return labels, scores, groups and the names of these, checked."""
    labels = inputs.binary(y_true, "y_true")
    values: NDArray[np.float64] = inputs.numeric(y_score, "y_score")
    group, names = inputs.groups(sensitive_features)
    inputs.same_items(y_true=y_true, y_score=y_score, sensitive_features=sensitive_features)
    if labels.min() == labels.max():
        raise InputError(
            f"y_true holds {labels[0]} only: a ranking has positive (1) and negative (0) rows."
        )
    return labels, values, group, names


#: Frequencies are repeated rows, as many as fit in memory.
MAX_ROWS = 50_000_000


@dataclass(frozen=True)
class SamplingNames:
    """What messages call clusters, weights and the option of their kind."""

    clusters: str = "clusters"
    weight: str = "sample_weight"
    weight_kind: Callable[[str], str] = "weight_kind={!r}".format


@dataclass(frozen=True)
class Sample:
    """How items were sampled, as `read_sample` returns it."""

    #: Index of each item of the design among those that were given, which are repeated by their
    #: frequencies; None where each stands for itself.
    repeated: Integers | None = None
    #: None for independent items of equal weight.
    design: SamplingDesign | None = None

    def take(self, values: Array) -> Array:
        """Return the values of the items of the design, of those of the items that were given."""
        return values if self.repeated is None else values[self.repeated]

    def groups(self, group: Integers, names: tuple[Any, ...]) -> tuple[Integers, tuple[Any, ...]]:
        """Return the groups of the items of the design; InputError if fewer than two are left."""
        if self.repeated is None:
            return group, names
        kept, code = np.unique(group[self.repeated], return_inverse=True)
        if len(kept) < 2:
            raise InputError(
                f"Only the group {shortened(inputs.group_name(names[kept[0]]))} has a frequency "
                "above 0: a test compares two groups."
            )
        return code.astype(np.int64), tuple(names[index] for index in kept)


def read_sample(
    clusters: ArrayLike | Column | None,
    sample_weight: ArrayLike | Column | None,
    weight_kind: WeightKind,
    *,
    called: SamplingNames | None = None,
    **items: Any,
) -> Sample:
    """Read clusters and weights as `fairpairs.audit` takes them; `items` have as many rows.

    Raises InputError for missing, infinite or negative weights, frequencies that are not whole,
    weights that are all 0, and one cluster only.
    """
    called = called or SamplingNames()
    inputs.one_of(weight_kind, "weight_kind", get_args(WeightKind))
    arrays = {called.clusters: clusters, called.weight: sample_weight}
    inputs.same_items(**items, **{k: values for k, values in arrays.items() if values is not None})
    cluster = None
    if clusters is not None:
        read = column(clusters, called.clusters)
        cluster = _numbered(read.kinds if read.code is None else read.code, called)
    weight, repeated = None, None
    if sample_weight is not None:
        weight = _weights(sample_weight, called)
        if weight_kind == "frequency":
            repeated, weight = _repeated(weight, called), None
            cluster = None if cluster is None else _numbered(cluster[repeated], called)
    if weight_kind == "cluster":
        if cluster is None or sample_weight is not None:
            raise InputError(
                f"{called.weight_kind('cluster')} lets each cluster count once: name the clusters, "
                "and no weights."
            )
        weight = 1 / np.bincount(cluster)[cluster]
    if cluster is not None and cluster.max() == len(cluster) - 1:
        cluster = None
    if weight is not None and np.ptp(weight) == 0:
        weight = None  # rows of one weight, and clusters of one row, are independent items
    if cluster is None and weight is None:
        return Sample(repeated)
    n_items = len(next(iter(items.values()))) if repeated is None else len(repeated)
    kind = "sampling" if weight_kind == "frequency" else weight_kind
    return Sample(repeated, SamplingDesign(n_items, cluster, weight, kind))


def _numbered(cluster: Array, called: SamplingNames) -> Integers:
    """Return the number of each cluster, from 0, in the order in which they occur."""
    code = np.asarray(pd.factorize(cluster)[0], dtype=np.int64)
    if code.max() == 0:
        raise InputError(
            f"{called.clusters} has one value in every row: a variance needs several clusters, so "
            "name the column of the persons, or leave it out."
        )
    return code


def _weights(values: ArrayLike | Column, called: SamplingNames) -> Floats:
    if isinstance(values, Column):
        values = values.of_items(values.kinds)
    array = one_dimensional(values, called.weight)
    if pd.api.types.infer_dtype(array) == "string":  # text that may hold numbers
        wrong = pd.to_numeric(pd.Series(array, dtype=object), errors="coerce").isna().to_numpy()
        if wrong.any():
            row = int(wrong.argmax())
            raise InputError(
                f"{called.weight} must hold numbers and holds {shown(array.tolist()[row])} in "
                f"row {row + 1}: correct it."
            )
    weight = inputs.moderate(array, called.weight)
    if (weight < 0).any():
        row = int((weight < 0).argmax())
        raise InputError(
            f"{called.weight} holds {weight[row]:g} in row {row + 1}: give weights of 0 or "
            "more, and drop the row or correct it."
        )
    if not weight.any():
        raise InputError(
            f"{called.weight} is 0 in every row: give a weight above 0 to the rows that count."
        )
    return weight


def _repeated(weight: Floats, called: SamplingNames) -> Integers:
    whole = np.round(weight)
    sampling = called.weight_kind("sampling")
    if (whole != weight).any():
        row = int((whole != weight).argmax())
        raise InputError(
            f"{called.weight} holds {weight[row]:g} in row {row + 1}, and a frequency is a "
            f"whole number of equal rows: correct it, or take {sampling}."
        )
    if whole.sum() > MAX_ROWS:
        raise InputError(
            f"{called.weight} stands for {whole.sum():,.0f} rows, more than {MAX_ROWS:,}: give "
            f"fewer, or take {sampling}."
        )
    return np.repeat(np.arange(len(weight)), whole.astype(np.int64))
