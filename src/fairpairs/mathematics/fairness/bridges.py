"""Differential parity of two sets of decisions on different items, by a model as a bridge.

R_0 are decisions on the items X_0, R_1 on other items, X_1, and a model f is fitted on (X_0, R_0).
docs/explanation/differential-parity.md has both bridges, what they assume, and why the errors E_0
come from cross-fitting.

References: Yu and Xi, *Differential Parity*, section 2.3, Algorithms 1 and 2.
"""

from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fairpairs.base import inputs, tables
from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError, shortened
from fairpairs.base.one_dimensional import one_dimensional
from fairpairs.mathematics.arguments.read import group_pair_hypotheses
from fairpairs.mathematics.fairness.differential_parity import (
    HYPOTHESIS,
    DifferentialParityResult,
    build_result,
    differential_parity_test,
)
from fairpairs.mathematics.inference.shuffled_means import NEARLY_CONSTANT, few_vary
from fairpairs.mathematics.inference.welch import ROUNDING, WelchTest

Errors = Literal["cross-fitted", "held-out", "fitting"]
#: Share of X_0 on which the model is not fitted for "held-out".
HELD_OUT = 0.25


def unbiased_bridge(
    features_0: ArrayLike,
    decisions_0: ArrayLike,
    features_1: ArrayLike,
    decisions_1: ArrayLike,
    *,
    sensitive_features_1: ArrayLike,
    model: Any = None,
    alpha: float = 0.05,
) -> DifferentialParityResult:
    """Estimate the differential parity of R_0 over R_1, trusting the model (Algorithm 1).

    Items must be independent: with clusters it rejects too often (docs/explanation/questions.md).

    Parameters
    ----------
    features_0, features_1
        Features of the items X_0 and X_1, a DataFrame or an array of shape (n, p).
    decisions_0, decisions_1
        R_0 on X_0 and R_1 on X_1, numbers, shape (n,).
    sensitive_features_1
        Group of each item of X_1, two groups.
    model
        A scikit-learn regressor; None for ridge regression on standardised numbers and one-hot
        encoded text, with the penalty chosen inside the fitting data.
    alpha
        Level of the test; the interval covers 1 − alpha.

    Returns
    -------
    DifferentialParityResult
        That of `differential_parity_test` for f(X_1) against R_1. It holds its level only if the
        model's error does not depend on the group.

    Raises
    ------
    InputError
        When the arrays do not go together, or a column cannot be used.
    """
    x_0, r_0 = _items(features_0, decisions_0, "0")
    x_1, r_1 = _items(features_1, decisions_1, "1")
    _same_columns(x_0, x_1)
    predicted = _predicted(_fitted(model, x_0, r_0), x_1)
    inputs.two_groups(sensitive_features_1)
    inputs.same_items(decisions_1=decisions_1, sensitive_features_1=sensitive_features_1)
    return differential_parity_test(
        predicted, r_1, sensitive_features=sensitive_features_1, alpha=alpha
    )


def biased_bridge(
    features_0: ArrayLike,
    decisions_0: ArrayLike,
    features_1: ArrayLike,
    decisions_1: ArrayLike,
    *,
    sensitive_features_0: ArrayLike,
    sensitive_features_1: ArrayLike,
    model: Any = None,
    errors: Errors = "cross-fitted",
    folds: int = 5,
    random_state: int | np.random.Generator | None = None,
    alpha: float = 0.05,
) -> DifferentialParityResult:
    """Estimate the differential parity of R_0 over R_1, taking out the model's bias (Algorithm 2).

    Items must be independent: with clusters it rejects too often (docs/explanation/questions.md).

    Parameters
    ----------
    features_0, decisions_0, features_1, decisions_1, model, alpha
        As for `unbiased_bridge`.
    sensitive_features_0, sensitive_features_1
        Group of each item of X_0 and of X_1; the same two groups.
    errors
        Source of E_0: "cross-fitted"; "held-out", a random quarter of X_0 that the model is not
        fitted on, as the published numbers fit; "fitting", the fitting data, as in Algorithm 2 as
        written, whose test rejects too often.
    folds
        Number of folds for "cross-fitted".
    random_state
        Seed or generator of the folds and the held-out part.

    Returns
    -------
    DifferentialParityResult
        See `bridge_from_errors`.

    Raises
    ------
    InputError
        When the arrays do not go together, a column cannot be used, or an option is unknown.
    """
    from sklearn.model_selection import KFold, ShuffleSplit  # noqa: PLC0415  (slow)

    x_0, r_0 = _items(features_0, decisions_0, "0")
    x_1, r_1 = _items(features_1, decisions_1, "1")
    _same_columns(x_0, x_1)
    inputs.one_of(errors, "errors", get_args(Errors))
    if errors == "cross-fitted":
        inputs.whole(folds, "folds", 2, len(r_0))
    inputs.level(alpha)
    groups_0 = one_dimensional(sensitive_features_0, "sensitive_features_0")
    inputs.two_groups(groups_0)
    inputs.same_items(decisions_0=decisions_0, sensitive_features_0=sensitive_features_0)
    one_dimensional(sensitive_features_1, "sensitive_features_1")
    inputs.same_items(decisions_1=decisions_1, sensitive_features_1=sensitive_features_1)
    seed = int(inputs.generator(random_state).integers(2**31))
    rows = np.arange(len(r_0))
    if errors == "fitting":
        parts = [(rows, rows)]
    elif errors == "held-out":
        splitter = ShuffleSplit(1, test_size=HELD_OUT, random_state=seed)
        parts = list(splitter.split(rows))
        if len(pd.unique(groups_0[parts[0][1]])) == 1:
            raise InputError(
                "The held-out part of X_0 has rows of one group only: take errors='cross-fitted'."
            )
    else:
        splitter = KFold(int(folds), shuffle=True, random_state=seed)
        parts = list(splitter.split(rows))
    error_0, tested, predicted_1 = [], [], []
    for fitting, testing in parts:
        fitted = _fitted(model, x_0.iloc[fitting], r_0[fitting])
        error_0.append(_predicted(fitted, x_0.iloc[testing]) - r_0[testing])
        tested.append(testing)
        predicted_1.append(_predicted(fitted, x_1))
    scale = max(np.abs(r_0).max(), np.abs(r_1).max())
    errors_0, errors_1 = (
        np.where(np.abs(error) > ROUNDING * scale, error, 0)  # rounding error of exact predictions
        for error in (np.concatenate(error_0), np.mean(predicted_1, axis=0) - r_1)
    )
    return bridge_from_errors(
        errors_0,
        errors_1,
        sensitive_features_0=groups_0[np.concatenate(tested)],
        sensitive_features_1=sensitive_features_1,
        alpha=alpha,
    )


def bridge_from_errors(
    errors_0: ArrayLike,
    errors_1: ArrayLike,
    *,
    sensitive_features_0: ArrayLike,
    sensitive_features_1: ArrayLike,
    alpha: float = 0.05,
) -> DifferentialParityResult:
    """Estimate differential parity from a model's errors on both sets of items (equations 6, 7).

    Items must be independent: with clusters it rejects too often (docs/explanation/questions.md).

    Parameters
    ----------
    errors_0, errors_1
        f − R_0 on X_0 and f − R_1 on X_1, shapes (n_0,) and (n_1,).
    sensitive_features_0, sensitive_features_1
        Group of each item; the same two groups in both.
    alpha
        Level of the test; the interval covers 1 − alpha.

    Returns
    -------
    DifferentialParityResult
        The estimate is the difference of the group means of E_1 minus that of E_0. Its variance is
        the sum of the four variances of means, with Welch and Satterthwaite's degrees of freedom;
        the effect size divides by the root of the sum of both pooled variances. If all but 5 or
        fewer errors of a cell are equal, the variance of both groups of its set replaces that of
        the cell when it is larger.

    Raises
    ------
    InputError
        When the arrays do not go together, or the groups of the two sets are not the same two.
    """
    cells, names = [], []
    for which, errors, groups in (
        ("1", errors_1, sensitive_features_1),
        ("0", errors_0, sensitive_features_0),
    ):
        values = inputs.moderate(errors, f"errors_{which}")
        code, group_names = inputs.two_groups(groups)
        inputs.same_items(**{f"errors_{which}": errors, f"sensitive_features_{which}": groups})
        names.append(group_names)
        cells += [values[code == 1], values[code == 0]]
    inputs.level(alpha)
    if names[0] != names[1]:
        raise InputError(
            f"The groups of the two sets differ: {shortened(', '.join(map(str, names[1])))} in X_0 "
            f"and {shortened(', '.join(map(str, names[0])))} in X_1: name them alike."
        )
    n = np.array([len(cell) for cell in cells], dtype=float)
    mean = np.array([cell.mean() for cell in cells])
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = np.array([cell.var() * len(cell) / max(len(cell) - 1, 1) for cell in cells])
        variance = np.where(n >= 2, variance, np.nan)
        few = np.array([few_vary(cell) for cell in cells])
        of_both = np.array([np.concatenate(cells[i : i + 2]).var(ddof=1) for i in (0, 0, 2, 2)])
        variance = np.where(few, np.maximum(variance, of_both), variance)
        mean_variance = variance / n
        total = mean_variance.sum()
        dof = total**2 / (mean_variance**2 / (n - 1)).sum()
        estimate = (mean[0] - mean[1]) - (mean[2] - mean[3])
        pooled = sum(
            ((n[pair] - 1) * variance[pair]).sum() / (n[pair].sum() - 2)
            for pair in (slice(0, 2), slice(2, 4))
        )
        same = total == 0 and estimate == 0
        test = WelchTest.of_one(
            estimate=estimate if np.isfinite(total) else np.nan,
            error=np.sqrt(total),
            dpt=0.0 if same else np.divide(estimate, np.sqrt(total)),
            dof=n.sum() - 4 if total == 0 else dof,
            dpd=0.0 if same else np.divide(estimate, np.sqrt(pooled)),
            constant=bool(total == 0),
            n=n,  # of four cells, the smallest of which counts
        )
    hypothesis = group_pair_hypotheses(names[0], [HYPOTHESIS])
    note = f"{NEARLY_CONSTANT}: the variance of both groups stands in" if few.any() else ""
    return build_result(test, hypothesis, names[0], alpha, note=note)


def _predicted(fitted: Any, features: pd.DataFrame) -> Floats:
    """Return the predictions of a model, one finite number per item."""
    predictions = np.asarray(fitted.predict(features))
    try:
        values = predictions.astype(float)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"The model must predict numbers; it predicts values of type {predictions.dtype}: take "
            "a regressor."
        ) from error
    if values.shape == (len(features), 1):
        values = values[:, 0]
    if values.shape != (len(features),):
        raise InputError(
            f"The model must predict one number per row, shape ({len(features)},); it predicts "
            f"{values.shape}: take another."
        )
    if not np.isfinite(values).all():
        raise InputError(
            "The model predicts a missing or infinite value for some rows: take another, or leave "
            "out these rows."
        )
    return values


def _items(features: ArrayLike, decisions: ArrayLike, which: str) -> tuple[pd.DataFrame, Floats]:
    name = f"features_{which}"
    several = tables.table(features, name)
    table = pd.DataFrame(one_dimensional(features, name)) if several is None else several
    # a mixed array has dtype object: restore the numeric columns
    table = table.infer_objects()
    for i, column in enumerate(table.columns):
        number = pd.api.types.is_numeric_dtype(table.dtypes.iloc[i])
        check = inputs.moderate if number else inputs.levels
        check(table.iloc[:, i], f"{name}, column {column}")
    values = inputs.moderate(decisions, f"decisions_{which}")
    items = features if several is None else several
    inputs.same_items(**{name: items, f"decisions_{which}": decisions})
    return table.set_axis([str(column) for column in table.columns], axis=1), values


def _fitted(model: Any, features: pd.DataFrame, decisions: Floats) -> Any:
    """Return the fitted model; raise InputError when it cannot be fitted."""
    try:
        return bridge_model(model, features).fit(features, decisions)
    except InputError:
        raise
    except (TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"The model cannot be fitted to the decisions: {shortened(error)}: take a scikit-learn "
            "regressor."
        ) from error


def _same_columns(one: pd.DataFrame, two: pd.DataFrame) -> None:
    if list(one.columns) != list(two.columns):
        raise InputError(
            "features_0 and features_1 must have the same columns in the same order; they have "
            f"{', '.join(one.columns)} and {', '.join(two.columns)}."
        )
    numbers = [set(table.select_dtypes(["number", "bool"]).columns) for table in (one, two)]
    if mixed := sorted(numbers[0] ^ numbers[1]):
        raise InputError(
            f"The feature {mixed[0]} holds numbers in one of X_0 and X_1 and words in the other: "
            "give both in one form."
        )


def bridge_model(model: Any, features: pd.DataFrame) -> Any:
    """Return an unfitted model: a clone of `model`, or ridge regression if it is None."""
    from sklearn.base import clone  # noqa: PLC0415  (slow)
    from sklearn.compose import make_column_transformer  # noqa: PLC0415
    from sklearn.linear_model import RidgeCV  # noqa: PLC0415
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415
    from sklearn.preprocessing import OneHotEncoder, StandardScaler  # noqa: PLC0415

    if model is not None:
        return clone(model)
    numbers: list[str] = list(features.select_dtypes(["number", "bool"]).columns)
    categories = [name for name in features if name not in numbers]
    columns = make_column_transformer(
        (StandardScaler(), numbers), (OneHotEncoder(handle_unknown="ignore"), categories)
    )
    return make_pipeline(columns, RidgeCV(np.logspace(-3, 5, 17)))
