"""The interface of treatments."""

from collections.abc import Collection, Mapping

#: Kinds of treatments: weights of rows, shape (n,), from labels, shape (n,), and sensitive
#: attributes, shape (n, k); a mask of the rows that are kept; other rows; a transformer of
#: features; a method around the model; an estimator in its place; decisions from its scores.
WEIGHTS, FILTER, ROWS, TRANSFORMER = "weights", "filter", "rows", "transformer"
AROUND, ESTIMATOR, DECISIONS = "around", "estimator", "decisions"
KINDS = (WEIGHTS, FILTER, ROWS, TRANSFORMER, AROUND, ESTIMATOR, DECISIONS)
#: What a treatment is given; all else that it takes are its own parameters.
GIVEN = ("self", "X", "y", "sensitive_features", "rng", "estimator")


def kind_by(
    takes: Collection[str], methods: Mapping[str, Collection[str]] | None = None
) -> str | None:
    """Tell the kind of a treatment from what it takes, and of a class from what its methods take.

    >>> kind_by(["y", "sensitive_features"]), kind_by([], {"fit": ["score"], "predict": []})
    ('weights', 'decisions')
    """
    if methods is None:
        is_treatment = {"y", "sensitive_features"} <= {*takes}
        return None if not is_treatment else ROWS if "X" in takes else WEIGHTS
    if "estimator" in takes:
        return AROUND
    if "transform" in methods:
        return TRANSFORMER
    if {"fit", "predict"} <= {*methods}:
        return DECISIONS if "score" in methods["fit"] else ESTIMATOR
    return None
