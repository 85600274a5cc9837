"""The interface of treatments."""

from collections.abc import Collection, Mapping
from enum import StrEnum

#: What a treatment is given; all else that it takes are its own parameters.
GIVEN = ("self", "X", "y", "sensitive_features", "rng", "estimator")


class Kind(StrEnum):
    """Kinds of treatments.

    They are weights of rows, shape (n,), from labels, shape (n,), and sensitive attributes, shape
    (n, k); a mask of the rows that are kept; other rows; a transformer of features; a method around
    the model; an estimator in its place; and decisions from its scores.
    """

    WEIGHTS = "weights"
    FILTER = "filter"
    ROWS = "rows"
    TRANSFORMER = "transformer"
    AROUND = "around"
    ESTIMATOR = "estimator"
    DECISIONS = "decisions"


def kind_by(
    takes: Collection[str], methods: Mapping[str, Collection[str]] | None = None
) -> Kind | None:
    """Tell the kind of a treatment from what it takes, and of a class from what its methods take.

    >>> print(kind_by(["y", "sensitive_features"]), kind_by([], {"fit": ["score"], "predict": []}))
    weights decisions
    """
    if methods is None:
        is_treatment = {"y", "sensitive_features"} <= {*takes}
        return None if not is_treatment else Kind.ROWS if "X" in takes else Kind.WEIGHTS
    if "estimator" in takes:
        return Kind.AROUND
    if "transform" in methods:
        return Kind.TRANSFORMER
    if {"fit", "predict"} <= {*methods}:
        return Kind.DECISIONS if "score" in methods["fit"] else Kind.ESTIMATOR
    return None
