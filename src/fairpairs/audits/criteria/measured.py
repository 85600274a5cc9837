"""I_sep and the density ratio of separation: measures of both groups together, without a sign.

Of binary predictions they come from the eight counts, with a p-value by shuffles of the groups
within labels; of items in clusters, by shuffles of whole clusters. With weights, which may depend
on the group, clusters of both groups, or very many, the p-value is that of the differences of TPR
and FPR. Of real
predictions they come from logistic regressions, with a p-value only where shuffles are asked for,
for each takes a fit.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from fairpairs.audits.criteria.comparison import SHUFFLES, Comparison
from fairpairs.audits.criteria.criterion import Criterion
from fairpairs.audits.criteria.rates import FPR, TPR
from fairpairs.audits.criteria.rows import Measure, Row
from fairpairs.audits.items.about import clusters_of_several
from fairpairs.base.arrays import Array, Floats
from fairpairs.base.errors import InputError
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.density_ratio.logistic import LogisticRatio, SeparableGroupsError
from fairpairs.mathematics.density_ratio.measures import (
    density_ratio_fairness,
    mean_ratios,
    standardised,
)
from fairpairs.mathematics.estimates.cell_measures import (
    information_separation_from_counts,
    separation_ratio_from_counts,
    shuffling_pvalue,
)
from fairpairs.mathematics.fairness.information import information_separation
from fairpairs.mathematics.fairness.separation import separation_permutation_test

NO_SHARED_LABEL = "no label has rows of both groups"
NO_OVERLAP = "the groups hardly overlap, so the ratio is unbounded"
ONE_ITEM = "a group with one row: a density needs two"
NO_LIKE_CLUSTERS = (
    "no test: no two clusters of the two groups have like labels, so there is nothing to shuffle"
)
NO_WEIGHTS = "cannot be estimated with weights: the logistic regressions take none"

#: With more clusters, shuffles of whole ones take long, and p is that of the differences of rates.
MAX_CLUSTERS = 20_000
I_SEP = Measure(
    "I_sep", "the prediction says nothing of {a} or {b} beyond the label", drawn=False, share=False
)
RATIO = Measure(
    "density ratio",
    "p(prediction | label, {a}) = p(prediction | label, {b})",
    drawn=False,
    share=False,
)


def information(comparison: Comparison) -> Row:
    """Measure I_sep."""
    if comparison.roles.prediction == "real":
        return _by_regressions(comparison, I_SEP, _real_information, fair=0)
    return _from_counts(
        comparison, I_SEP, information_separation_from_counts, lambda value: NO_SHARED_LABEL
    )


def density_ratio(comparison: Comparison) -> Row:
    """Measure the density ratio of separation."""
    if comparison.roles.prediction == "binary":
        return _from_counts(
            comparison,
            RATIO,
            separation_ratio_from_counts,
            lambda value: (
                "a label that one group does not have"
                if math.isnan(value)
                else f"a prediction that {comparison.reference} never has with the same label"
            ),
        )
    try:
        return _by_regressions(comparison, RATIO, _real_ratio, fair=1)
    except SeparableGroupsError:  # whose remedies are options that an audit does not have
        return comparison.row(RATIO, note=NO_OVERLAP)


def _from_counts(
    comparison: Comparison,
    measure: Measure,
    estimate: Callable[[ArrayLike], Floats],
    why_none: Callable[[float], str],
) -> Row:
    """Return the row of binary predictions."""
    design, counts = comparison.all_items.design, comparison.counts
    if not comparison.plain:
        design = comparison.design
        cell = 4 * comparison.member + comparison.roles.cell
        counts = np.bincount(cell, design.weights, minlength=8).reshape(2, 2, 2)
    value = float(estimate(counts))
    if not np.isfinite(value):
        return comparison.row(measure, note=why_none(value))
    if comparison.plain:
        tables, place = comparison.shuffled_tables
        pvalue = shuffling_pvalue(value, estimate(tables)[place])
        shuffles = SHUFFLES
        note = f"p by {shuffles:,} shuffles of the groups within labels"
    elif not (why := _why_no_shuffles(comparison.member, design)):
        cells = comparison.shuffled_cells
        pvalue, shuffles = cells.pvalue, cells.shuffles
        alike = "of like labels" if cells.coarse else "with the same labels"
        note = f"p by {shuffles:,} shuffles of whole clusters {alike}"
        if math.isnan(pvalue):
            note = NO_LIKE_CLUSTERS
    else:
        gaps = [comparison.row_of_gap(rate, comparison.rate_gap(rate)) for rate in (TPR, FPR)]
        pvalue = min(1.0, 2 * float(np.fmin.reduce([row.pvalue for row in gaps])))
        shuffles, note = 0, f"{why}: p of the differences of TPR and FPR, twice the smaller one"
    return comparison.row(
        measure,
        estimate=value,
        pvalue=pvalue,
        shuffles=shuffles,
        note=comparison.with_small_group(note),
    )


def _why_no_shuffles(member: Array, design: SamplingDesign) -> str:
    """Return why whole clusters are not shuffled; "" if they are.

    Weights depend on the group, and a cluster of both groups may have a gap of its own: shuffles
    would reject too often. With many clusters they take long, and the normal approximation holds.
    """
    if design.weight is not None:
        return "with weights"
    if clusters_of_several(member, design):
        return "clusters of both groups"
    return f"above {MAX_CLUSTERS:,} clusters" if design.n_clusters > MAX_CLUSTERS else ""


def _by_regressions(
    comparison: Comparison,
    measure: Measure,
    estimate: Callable[[Comparison], tuple[float, float]],
    *,
    fair: int,
) -> Row:
    """Return the row of real predictions; `fair` is the value under separation."""
    if not comparison.plain and comparison.design.weight is not None:
        raise InputError(NO_WEIGHTS)
    value, pvalue = estimate(comparison.single)
    shuffles = comparison.all_items.settings.permutations
    how = f"p by {shuffles:,} shuffles within labels"
    if not shuffles:
        how = f"no p-value without permutations: may be above {fair} though separation holds"
    row = comparison.row(
        measure,
        estimate=value,
        pvalue=pvalue,
        shuffles=shuffles,
        note=comparison.with_small_group(f"by logistic regressions; {how}"),
    )
    return comparison.drawn(row)


def _real_information(comparison: Comparison) -> tuple[float, float]:
    """Return I_sep of real predictions, and its p-value if shuffles are requested."""
    y_true, y_pred = comparison.roles.y_true, comparison.roles.y_pred
    value = information_separation(y_true, y_pred, sensitive_features=comparison.member)
    if not comparison.all_items.settings.permutations:
        return value, float("nan")
    return value, separation_permutation_test(
        y_true,
        y_pred,
        sensitive_features=comparison.member,
        statistic="information_separation",
        n_permutations=comparison.all_items.settings.permutations,
        random_state=comparison.generator,
        clusters=comparison.design.cluster,
    ).pvalue


def _real_ratio(comparison: Comparison) -> tuple[float, float]:
    """Return the density ratio of real predictions, and its p-value if shuffles are requested."""
    y_true, y_pred = comparison.roles.y_true, comparison.roles.y_pred
    if comparison.all_items.settings.permutations:
        result = density_ratio_fairness(
            y_true,
            y_pred,
            sensitive_features=comparison.member,
            n_permutations=comparison.all_items.settings.permutations,
            alpha=comparison.alpha,
            correction="none",
            random_state=comparison.generator,
            clusters=comparison.design.cluster,
        ).difference
        return float(result.estimate[1]), float(result.pvalue[1])
    if comparison.sizes.min() < 2:
        raise InputError(ONE_ITEM)
    means = mean_ratios(
        standardised(y_true),
        standardised(y_pred),
        comparison.member,
        LogisticRatio(),
        measures=("separation",),
    )
    return float(means[0]), float("nan")


INFORMATION = Criterion(
    "information_separation",
    "Information (I_sep)",
    "How much of what the label leaves open about the group does the prediction tell? 0 under "
    "separation, 1 at most.",
    (I_SEP,),
    lambda comparison: [information(comparison)],
    gaps=None,
)
DENSITY_RATIO = Criterion(
    "density_ratio_separation",
    "Density ratio",
    "The mean ratio of the two groups' densities of the prediction given the label: 1 under "
    "separation, above 1 else.",
    (RATIO,),
    lambda comparison: [density_ratio(comparison)],
    gaps=None,
)
