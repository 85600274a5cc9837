"""Independence, separation and sufficiency of real predictions, as ratios of densities.

With r(·) = p_b(·) / p_a(·) of two groups they are r(ŷ), r(y, ŷ) / r(y) and r(y, ŷ) / r(ŷ), each
averaged over all items of both groups: 1 where the notion holds, and above 1 else
(docs/explanation/methods.md, "Density ratios").

References: D. Steinberg, A. Reid and S. O'Callaghan (2020), Fairness measures for regression via
probabilistic classification; *A Comprehensive Evaluation of the Sensitivity of Density-Ratio
Estimation Based Fairness Measurement in Regression*.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.errors import InputError, shown
from fairpairs.base.guesses import understood
from fairpairs.mathematics.density_ratio.logistic import (
    NAMED,
    DensityRatioEstimator,
    LogisticRatio,
    SeparableGroupsError,
)
from fairpairs.mathematics.estimates.balance import label_strata
from fairpairs.mathematics.estimates.cell_measures import shuffling_pvalue
from fairpairs.mathematics.estimates.estimates import Estimates
from fairpairs.mathematics.inference.conditional_shuffles import shuffles_within
from fairpairs.mathematics.inference.permutation import CHUNK, unit_shuffles
from fairpairs.mathematics.inference.results import Correction, FairnessTestResult
from fairpairs.mathematics.inference.sampling.units import shuffled_units

MEASURES = ("independence", "separation", "sufficiency")
#: The points of the ratio that a measure averages, then those of the ratio that divides it.
POINTS_OF = {
    "independence": ("score",),
    "separation": ("both", "label"),
    "sufficiency": ("both", "score"),
}
#: An estimated ratio below it does not count as a divisor.
SMALLEST_DIVISOR = 1e-12


@dataclass(frozen=True)
class DensityRatioResult(FairnessTestResult):
    """The result of `density_ratio_fairness`: without permutations there are no p-values."""

    name: ClassVar[str] = "test by density ratios"


@understood
def density_ratio_fairness(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    estimator: str | DensityRatioEstimator = "logistic",
    cap: float | None = None,
    n_permutations: int = 0,
    alpha: float = 0.05,
    correction: Correction = "holm",
    random_state: int | np.random.Generator | None = None,
    clusters: ArrayLike | None = None,
) -> DensityRatioResult:
    """Measure independence, separation and sufficiency of real predictions by density ratios.

    Items must be independent for the p-values, or `clusters` names those that are not.

    Parameters
    ----------
    y_true, y_pred
        Labels and predictions, real, shape (n,). Both are standardised.
    sensitive_features
        Group of each item, shape (n,), or several attributes, shape (n, attributes).
    estimator
        "logistic", "ridge" or "lasso", or an estimator, such as one of
        `fairpairs.papers.ratio_estimators.estimators.ESTIMATORS`.
    cap
        The largest probability that a classifier may state, such as 0.999; None for none.
    n_permutations
        Number of permutations of the groups for p-values: among all items for independence, among
        items with (nearly) the same label for separation, with the same prediction for sufficiency;
        0 for none. The test is one-sided, for the ratio is at least 1.
    alpha, correction
        Level of the permutation test, and its adjustment over all measures and groups.
    random_state
        Seed or generator of the permutations.
    clusters
        Cluster of each item, shape (n,); whole clusters are shuffled, as in `permutation_test`.

    Returns
    -------
    DensityRatioResult
        For each two groups a < b and each measure the mean ratio of b over a; NaN, with the reason
        in `note`, where it cannot be estimated.

    Raises
    ------
    InputError
        Missing or infinite values, arrays of other lengths, one group only, or groups that can be
        separated while `cap` is None.

    References
    ----------
    The sensitivity study, section "Problem formulation"; Steinberg et al. (2020).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> sex = rng.integers(0, 2, 1000)
    >>> y = rng.normal(size=1000)
    >>> predicted = y + 0.5 * sex + rng.normal(size=1000)
    >>> result = density_ratio_fairness(y, predicted, sensitive_features=sex)
    >>> result.to_frame()[["hypothesis", "estimate"]].round(2)
                hypothesis  estimate
    0  independence(1 / 0)      1.15
    1    separation(1 / 0)      1.22
    2   sufficiency(1 / 0)      1.06
    """
    labels, predictions = inputs.numeric(y_true, "y_true"), inputs.numeric(y_pred, "y_pred")
    group, names = inputs.groups(sensitive_features)
    inputs.same_items(y_true=y_true, y_pred=y_pred, sensitive_features=sensitive_features)
    inputs.level(alpha)
    if isinstance(estimator, str):
        inputs.one_of(estimator, "estimator", list(NAMED))
        estimator = NAMED[estimator]
    elif not callable(getattr(estimator, "fit", None)):
        raise InputError(
            f"estimator must be a name, or have a method fit(one, zero); it is {shown(estimator)}."
        )
    if cap is not None:
        inputs.between(cap, "cap", 0.5, 1)
    inputs.whole(n_permutations, "n_permutations", 0, inputs.MAX_PERMUTATIONS)
    rng = inputs.generator(random_state)
    cluster = None
    if clusters is not None:
        cluster = inputs.levels(clusters, "clusters")[1]
        inputs.same_items(y_true=y_true, clusters=clusters)
    hypotheses, estimates, cells, pvalues = [], [], [], list[float]()
    untested = [np.nan] * len(MEASURES)
    for a, b in combinations(range(len(names)), 2):
        compared = (group == a) | (group == b)
        y, score = (standardised(values[compared]) for values in (labels, predictions))
        member = (group[compared] == b).astype(np.int64)
        size = np.bincount(member, minlength=2)
        if size.min() < 2:
            raise InputError(
                f"The group {inputs.group_name(names[a if size[0] < 2 else b])} has one row: "
                "a density needs two."
            )
        data = y, score, member, estimator
        own = None if cluster is None else cluster[compared]
        ratios = mean_ratios(*data, cap=cap)
        shuffled = permuted_mean_ratios(
            *data, size=int(n_permutations), rng=rng, cap=cap, cluster=own
        )
        pair = f"{inputs.group_name(names[b])} / {inputs.group_name(names[a])}"
        hypotheses += [f"{measure}({pair})" for measure in MEASURES]
        estimates += ratios.tolist()
        pvalues += map(shuffling_pvalue, ratios, shuffled.T) if n_permutations else untested
        cells += [size] * len(MEASURES)
    estimate, missing = np.array(estimates), np.full(len(hypotheses), np.nan)
    return DensityRatioResult(
        hypotheses=tuple(hypotheses),
        difference=Estimates(
            estimate=estimate,
            ci_low=missing,
            ci_high=missing,
            statistic=missing,
            pvalue=np.array(pvalues),
            n=np.sum(cells, axis=1),
            smallest_cell=np.min(cells, axis=1),
            reason=np.where(np.isfinite(estimate), "", "no finite ratio: it is undefined"),
            effect_size=missing,
        ),
        alpha=alpha,
        correction=correction,
        groups=names,
    )


def mean_ratios(
    y_true: Floats,
    y_pred: Floats,
    group: Integers,
    estimator: DensityRatioEstimator,
    *,
    cap: float | None = None,
    measures: tuple[str, ...] = MEASURES,
) -> Floats:
    """Return the mean ratios of group 1 over group 0 over all items, shape (measures,).

    Labels and predictions are standardised. NaN where a ratio of some item is undefined.
    """
    points = points_of(y_true, y_pred)
    needed = dict.fromkeys(name for measure in measures for name in POINTS_OF[measure])
    fitted = {
        name: estimator.fit(points[name][group == 1], points[name][group == 0]) for name in needed
    }
    if not all(map(callable, fitted.values())):
        raise InputError("The method fit of the estimator must return a function of points.")
    ratios = {name: ratio(points[name], cap) for name, ratio in fitted.items()}
    return np.array(
        [mean_of([ratios[name] for name in POINTS_OF[measure]]) for measure in measures]
    )


def points_of(y_true: Floats, y_pred: Floats) -> dict[str, Floats]:
    """Return the points, each of shape (n, d), where ratios are taken."""
    return {
        "score": y_pred[:, None],
        "label": y_true[:, None],
        "both": np.column_stack([y_true, y_pred]),
    }


def mean_of(ratios: Sequence[Floats]) -> Floats:
    """Return the mean over items, the last axis, of a ratio, divided by a second one if given."""
    values = ratios[0]
    if len(ratios) > 1:
        values = values / np.where(ratios[1] > SMALLEST_DIVISOR, ratios[1], np.nan)
    return np.asarray(values.mean(axis=-1))


def means_of_groups(ratios: Sequence[Floats]) -> Floats:
    """Return `mean_of`, and infinity where a row of a ratio is infinite."""
    separable = np.any([np.isinf(ratio).all(axis=1) for ratio in ratios], axis=0)
    with np.errstate(invalid="ignore"):
        return np.where(separable, np.inf, mean_of(ratios))


def standardised(values: Floats) -> Floats:
    """Return values with mean 0 and standard deviation 1; zeros where all are equal."""
    # powers of two keep squares in range and change no digit
    values = np.ldexp(values, -int(np.frexp(np.abs(values).max())[1]))
    centred = values - values.mean()
    spread = centred.std()
    return np.asarray(centred / spread if spread > 0 else np.zeros_like(values))


def permuted_mean_ratios(
    y_true: Floats,
    y_pred: Floats,
    group: Integers,
    estimator: DensityRatioEstimator,
    *,
    size: int,
    rng: np.random.Generator,
    cap: float | None = None,
    measures: tuple[str, ...] = MEASURES,
    cluster: Integers | None = None,
) -> Floats:
    """Return the mean ratios of shuffled groups, shape (size, measures).

    Groups, or whole clusters, are shuffled among all items for independence, among items with
    (nearly) the same label for separation, the same prediction for sufficiency. Infinite where
    shuffled groups can be separated; NaN where undefined.
    """
    given = {"independence": np.zeros(len(y_true)), "separation": y_true, "sufficiency": y_pred}
    points = points_of(y_true, y_pred)
    shuffled = np.empty((size, len(measures)))
    for k, measure in enumerate(measures if size else ()):
        for rows, groups in shuffled_groups(group, given[measure], size, rng, cluster):
            ratios = [
                ratios_of_groups(points[name], groups, estimator, cap)
                for name in POINTS_OF[measure]
            ]
            shuffled[rows, k] = means_of_groups(ratios)
    return shuffled


def ratios_of_groups(
    points: Floats, groups: Integers, estimator: DensityRatioEstimator, cap: float | None = None
) -> Floats:
    """Return the ratios at points by assignments of groups, (b, n); infinite if separable."""
    if isinstance(estimator, LogisticRatio):
        ratios = estimator.fit_groups(points, groups, cap)
        alone = np.flatnonzero(np.isnan(ratios[:, 0]))
    else:
        ratios, alone = np.empty(groups.shape), np.arange(len(groups))
    for row in alone:
        one, zero = points[groups[row] == 1], points[groups[row] == 0]
        try:
            ratios[row] = estimator.fit(one, zero)(points, cap)
        except SeparableGroupsError:
            ratios[row] = np.inf
    return ratios


def shuffled_groups(
    group: Integers,
    given: Floats,
    size: int,
    rng: np.random.Generator,
    cluster: Integers | None = None,
) -> Iterator[tuple[slice, Integers]]:
    """Yield which shuffles, and their groups, shuffled among items alike in what is given."""
    at_once = max(1, CHUNK // len(group))
    if cluster is None:
        shuffle = shuffles_within(group, label_strata(given), rng, labels=given)
    else:
        units = shuffled_units(group, label_strata(given), cluster, given)
        shuffle = unit_shuffles(group, units, rng, shuffles_within)
    for done in range(0, size, at_once):
        rows = slice(done, min(done + at_once, size))
        yield rows, shuffle(rows.stop - done)
