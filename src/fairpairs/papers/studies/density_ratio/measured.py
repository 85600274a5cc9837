"""A data set measured by many estimators, forms and caps, with what they share computed once.

Relative ratios of all α share their kernels, both forms of a relative ratio share its fit, and all
caps of a classifier share its log odds.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError
from fairpairs.mathematics.density_ratio.logistic import (
    DensityRatioEstimator,
    LogisticRatio,
    OddsRatio,
)
from fairpairs.mathematics.density_ratio.measures import POINTS_OF, mean_of, points_of
from fairpairs.papers.ratio_estimators.kernel_logistic import KernelLogisticRatio
from fairpairs.papers.ratio_estimators.least_squares import RuLSIFRatio, ratio_from_relative

#: "quotient": as `density_ratio_fairness`. "published": as in the public code of the study, which
#: multiplies two matched ratios and uses a relative ratio as the ratio.
Form = Literal["quotient", "published"]
FORMS: tuple[Form, ...] = ("quotient", "published")
#: Estimators that state a probability, which a cap bounds.
CLASSIFIERS = LogisticRatio | KernelLogisticRatio
#: Estimator and form → the ratios at all points without a cap and with each cap, or the error.
Ratios = dict[tuple[str, Form], list[Floats | InputError]]


def forms_of(estimator: DensityRatioEstimator) -> tuple[Form, ...]:
    """Return the forms of an estimator that differ; the public code has no LSIF."""
    return FORMS if isinstance(estimator, RuLSIFRatio) else FORMS[:1]


def measured(
    y_true: Floats,
    y_pred: Floats,
    group: NDArray[np.int64],
    estimators: Mapping[str, DensityRatioEstimator],
    *,
    measures: tuple[str, ...],
    caps: Sequence[float] = (),
    label_ratios: Ratios | None = None,
) -> Iterator[tuple[str, Form, float, str, float, str]]:
    """Yield estimator, form, cap (0 for none), measure, value and reason of every measurement.

    A value is NaN, with a reason, if it cannot be estimated; if only the one without a cap fails,
    the others are still measured. `label_ratios` is what `ratios_at` returns for the labels, if
    they are known from another prediction.
    """
    points = points_of(y_true, y_pred)
    needed = dict.fromkeys(name for measure in measures for name in POINTS_OF[measure])
    known_labels = {} if label_ratios is None else {"label": label_ratios}
    at = {
        name: known_labels.get(name) or ratios_at(points[name], group, estimators, caps)
        for name in needed
    }
    for key in next(iter(at.values())):
        ratios = {name: at[name][key] for name in needed}
        number = len(next(iter(ratios.values())))
        for indices in (range(1), range(1, number)):  # if one cap fails, all do
            errors = [
                v[i] for i in indices for v in ratios.values() if isinstance(v[i], InputError)
            ]
            failed = str(errors[0]) if errors else ""
            for i, measure in product(indices, measures):
                factors = [ratios[name][i] for name in POINTS_OF[measure]]
                known = [ratio for ratio in factors if isinstance(ratio, np.ndarray)]
                if len(known) > 1 and key[1] == "published":
                    known = [known[0] * known[1]]
                mean = np.nan if failed else float(mean_of(known))
                yield *key, (0.0, *caps)[i], measure, mean, failed


def ratios_at(
    points: Floats,
    group: NDArray[np.int64],
    estimators: Mapping[str, DensityRatioEstimator],
    caps: Sequence[float] = (),
) -> Ratios:
    """Fit the ratio of group 1 to group 0 by every estimator, and return it at points (n, d)."""
    one, zero = points[group == 1], points[group == 0]
    relative = _relative_ratios_at(points, one, zero, estimators)
    ratios: Ratios = {}
    for name, estimator in estimators.items():
        if isinstance(estimator, RuLSIFRatio):
            ratio = values = relative[name]
            if not isinstance(values, InputError):
                ratio = ratio_from_relative(values, estimator.alpha)
            ratios |= {(name, "quotient"): [ratio], (name, "published"): [values]}
        else:
            all_caps = (None, *caps) if isinstance(estimator, CLASSIFIERS) else (None,)
            ratios[name, "quotient"] = _ratios_with_caps(estimator, points, one, zero, all_caps)
    return ratios


def _relative_ratios_at(
    points: Floats, one: Floats, zero: Floats, estimators: Mapping[str, DensityRatioEstimator]
) -> dict[str, Floats | InputError]:
    """Return the relative ratios at points, or the error, of estimators that have them."""
    alike: dict[RuLSIFRatio, dict[str, float]] = {}  # but for α
    for name, estimator in estimators.items():
        if isinstance(estimator, RuLSIFRatio):
            settings = replace(estimator, alpha=0.0, relative=True)
            alike.setdefault(settings, {})[name] = estimator.alpha
    values: dict[str, Floats | InputError] = {}
    for estimator, alphas in alike.items():
        try:
            fitted = estimator.fit_alphas([*alphas.values()], one, zero)
            values |= {name: fitted[alpha](points) for name, alpha in alphas.items()}
        except InputError as error:
            values |= dict.fromkeys(alphas, error)
    return values


def _ratios_with_caps(
    estimator: DensityRatioEstimator,
    points: Floats,
    one: Floats,
    zero: Floats,
    caps: Sequence[float | None],
) -> list[Floats | InputError]:
    """Return the ratios at points with each cap, or the error."""
    try:
        fitted = estimator.fit(one, zero)
    except InputError as error:
        return [error] * len(caps)
    if isinstance(fitted, OddsRatio):
        log_odds = fitted.log_odds(points)
        fitted = replace(fitted, log_odds=lambda _: log_odds)
    try:
        return [fitted(points, cap) for cap in caps]
    except InputError as error:
        return [error, *(fitted(points, cap) for cap in caps[1:])]
