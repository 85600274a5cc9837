"""Run a public test on a data set, through the function that users call, and judge what it says.

The p-values, intervals and notes that are judged are thus those that users see. A run takes a
sample and a generator, and yields what the test `Said`: wrong rejections at 0.05, and intervals
that miss the truth.
"""

from itertools import combinations

import numpy as np

import fairpairs as fp
from fairpairs.mathematics.estimates.estimates import SMALL_CELL
from fairpairs.mathematics.inference.results import FairnessTestResult, notes
from fairpairs.mathematics.promises.check import ROUNDING
from fairpairs.mathematics.promises.promise import Said

ALPHA = 0.05
#: Criteria of an audit that separation does not imply if the labels of the groups differ.
OF_BASE_RATES = ("demographic_parity", "differential_parity", "residual")
#: With 199 permutations, p = 0.05 occurs and must count as a rejection.
BELOW = 1 - 1e-12
PERMUTATIONS = 199


def pairwise(test, columns, measures):
    """Return a run that judges differences of each two groups, of columns of the sample."""

    def run(sample, rng):
        arrays = (getattr(sample, column) for column in columns)
        yield from _of_pairs(sample, test(*arrays, sensitive_features=sample.group), measures)

    return run


def single(test, columns, of, **options):
    """Return a run that judges one hypothesis, if it is true: all groups are alike.

    Options are those of a permutation test.
    """

    def run(sample, rng):
        arrays = (getattr(sample, column) for column in columns)
        more = {**options, "random_state": rng} if options else {}
        result = test(*arrays, sensitive_features=sample.group, **more)
        if not sample.kind.any():
            pvalue = result.pvalue * (BELOW if options else 1)
            yield Said.once(of, "level", bool(pvalue < ALPHA), bool(result.note))

    return run


def _of_pairs(sample, result, measures, truth=None):
    """Judge hypotheses `measures` for each two groups a < b, by Holm.

    `truth` is the true difference of each hypothesis; None stands for 0 for groups that are treated
    alike.
    """
    pairs = list(combinations(range(len(sample.kind)), 2))
    true = np.repeat([sample.kind[a] == sample.kind[b] for a, b in pairs], len(measures))
    values = np.where(true, 0.0, np.nan) if truth is None else np.ravel(truth)
    pvalues, lows, highs, noted = judged_fields(result)
    rejected = bool((pvalues[true] < ALPHA).any())
    yield Said.once("Holm", "level", rejected, bool(noted[true].any()))
    known = np.isfinite(values) & np.isfinite(lows)
    for index, measure in enumerate(measures):
        own = known & (np.arange(len(values)) % len(measures) == index)
        yield _covered(measure, lows[own], values[own], highs[own], noted[own].any())


def judged_fields(result):
    """Return p-values, lower and upper limits, and whether there is a note, of a result.

    Building thousands of tables would take longer than the tests.
    """
    if isinstance(result, FairnessTestResult):
        difference = result.difference
        return result.pvalues, difference.ci_low, difference.ci_high, notes(difference) != ""
    tests = result.by_pair or (result,)
    numbers = np.array([(test.pvalue, test.ci_low, test.ci_high) for test in tests])
    return *numbers.T, np.array([bool(test.note) for test in tests])


def _covered(of, low, truth, high, noted):
    """Say which share of some intervals holds the truth."""
    covers = (low - ROUNDING <= truth) & (truth <= high + ROUNDING)
    return Said.once(of, "coverage", float(covers.mean()) if covers.size else None, bool(noted))


def _rates(table, estimate, truth, noted):
    """Judge the intervals of all rates of a table."""
    low, high = table["ci_low"].to_numpy(), table["ci_high"].to_numpy()
    known = np.isfinite(low) & np.isfinite(truth) & np.isfinite(table[estimate].to_numpy())
    return _covered("rates", low[known], truth[known], high[known], noted)


def _noted(result):
    """Return whether any hypothesis carries a note."""
    return bool((notes(result.difference) != "").any())


def _joint(result):
    pvalue = np.nan if result.joint is None else float(result.joint.pvalue)
    return Said.once("joint", "level", bool(pvalue < ALPHA), _noted(result))


def comparative_separation(sample, rng):
    """Judge both gaps, the joint test and the intervals of all rates."""
    group, rates = sample.group, sample.rates
    result = fp.comparative_separation_test(sample.label, sample.score, sensitive_features=group)
    truth = rates if rates is None else [
        (rates[b, a] - rates[a, b], rates[b, b] - rates[a, a])
        for a, b in combinations(range(len(rates)), 2)
    ]  # fmt: skip
    yield from _of_pairs(sample, result, ("across", "within"), truth)
    if not sample.kind.any():
        yield _joint(result)
    if rates is not None:
        yield _rates(result.rates(), "tpr", rates.ravel(), _noted(result))


def xauc(sample, rng):
    """Judge the differences of AUC and xAUC and the intervals of all rates."""
    result = fp.xauc(sample.label, sample.score, sensitive_features=sample.group)
    truth = rates = None
    if sample.rates is not None:
        rates = _rates_with_all_items(sample)
        truth = [
            (rates[b, b] - rates[a, a], rates[b, a] - rates[a, b],
             rates[b, -1] - rates[a, -1], rates[-1, b] - rates[-1, a])
            for a, b in combinations(range(len(rates) - 1), 2)
        ]  # fmt: skip
    yield from _of_pairs(sample, result, ("AUC", "xAUC", "xAUC_1", "xAUC_0"), truth)
    if rates is not None:
        yield _rates(result.rates(), "estimate", rates.ravel(), _noted(result))


def _rates_with_all_items(sample):
    """Return the true rates of the groups and, in the last row and column, of all items."""
    k = len(sample.rates)
    counts = [np.bincount(sample.group[sample.label == label], minlength=k) for label in (1, 0)]
    positive, negative = (np.vstack([np.eye(k), x / x.sum()]) for x in counts)
    return positive @ sample.rates @ negative.T


def judgments(sample, rng):
    """Judge both gaps and the joint test on given judgments."""
    result = fp.comparative_separation_from_judgments(
        *sample.judgments, sample.score, sensitive_features=sample.group
    )
    yield from _of_pairs(sample, result, ("across", "within"))
    yield _joint(result)


def slopes(sample, rng):
    """Judge both slopes and their joint test."""
    result = fp.comparative_separation_slopes_test(
        sample.label, sample.score, sensitive_features=sample.attribute
    )
    yield Said.once("Holm", "level", bool((result.pvalues < ALPHA).any()), _noted(result))
    yield _joint(result)


def parity_slope(sample, rng):
    """Judge the slope on a continuous attribute, which is 0."""
    result = fp.differential_parity_slope_test(
        sample.score, sample.reference, sensitive_features=sample.attribute
    )
    noted, low, high = _noted(result), result.difference.ci_low[0], result.difference.ci_high[0]
    yield Said.once("slope", "level", bool(result.pvalue < ALPHA), noted)
    covers = bool(low <= 0 <= high) if np.isfinite(low) else None
    yield Said.once("slope", "coverage", covers, noted)


def raters(sample, rng):
    """Compare four raters who differ by noise only."""
    ratings = sample.label[:, None] + rng.normal(size=(len(sample.label), 4))
    ratings[:, 0] = sample.score
    frame = fp.differential_parity_of_raters(ratings, sensitive_features=sample.group).to_frame()
    noted = bool((frame["overlap"] < SMALL_CELL).any())
    yield Said.once("Holm", "level", bool((frame["pvalue_adjusted"] < ALPHA).any()), noted)


def bridge(sample, rng):
    """Compare two judges: one decides on the items with even numbers, one on the others."""
    first = np.arange(len(sample.group)) % 2 == 0
    x, decided, group = sample.attribute, sample.score, sample.group
    result = fp.biased_bridge(
        x[first], decided[first], x[~first], decided[~first],
        sensitive_features_0=group[first], sensitive_features_1=group[~first], random_state=rng,
    )  # fmt: skip
    yield from _of_pairs(sample, result, ("difference",))


def density_ratio(sample, rng):
    """Judge the permutation tests of the density-ratio measures."""
    options = {"n_permutations": PERMUTATIONS, "random_state": rng}
    result = fp.density_ratio_fairness(
        sample.label, sample.score, sensitive_features=sample.group, **options
    )
    found = bool((result.pvalues * BELOW < ALPHA).any())
    yield Said.once("Holm", "level", found, _noted(result))


def audit(kind):
    """Return a run that judges each criterion of an audit, and its verdict.

    `kind` is "predictions", "scores" (with decisions at their median) or "real" labels.
    """

    def run(sample, rng):
        if sample.kind.any():
            return
        score, prediction = None, sample.score
        if kind == "scores":
            score, prediction = sample.score, (sample.score > np.median(sample.score)).astype(float)
        result = fp.audit(
            sample.label, prediction, y_score=score, sensitive_features=sample.group,
            label_kind="number" if kind == "real" else "binary",
        )  # fmt: skip
        for criterion, rows in result.to_frame().groupby("criterion", sort=False):
            if sample.same_labels or criterion not in OF_BASE_RATES:
                rejected = bool((rows["pvalue_adjusted"] < ALPHA).any())
                yield Said.once(str(criterion), "level", rejected, bool((rows["note"] != "").any()))
        yield Said.once("violated (the gate)", "level", bool(result.violated))

    return run
