"""Levels of predictive parity and calibration, of means and of slopes, in small or skewed cells.

`SETS=10000 pytest -s benchmarks/levels -k level_of_the_lines` and, with 400 sets, `-k
level_of_means` print the levels that docs/reference/audit.md sums up; `-k level_of_slopes` those of
docs/explanation/differential-parity.md.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, ndtr
from scipy.stats import ttest_ind

import fairpairs as fp
from benchmarks.levels import promises
from fairpairs.audits.audit.comparison import comparisons
from fairpairs.audits.audit.criteria import CALIBRATION, CALIBRATION_SLOPE
from fairpairs.audits.audit.criteria.rates import PREDICTIVE_PARITY
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.inference import shuffled_means
from tests.audits.audit.synthetic import items

#: Items of the group, and of the reference.
SIZES = promises.some([(15, 1000), (30, 30), (60, 300), (150, 150), (300, 3000)], 0, 2)


@pytest.fixture
def _quick(monkeypatch):
    monkeypatch.setattr(shuffled_means, "SHUFFLES", 499)
    monkeypatch.setattr(shuffled_means, "MIN_SHUFFLES", 499)


def shared(rng, clusters, rows, icc):
    """Uniform numbers, of which those of a cluster are alike."""
    of_cluster, of_row = rng.normal(size=clusters)[:, None], rng.normal(size=(clusters, rows))
    return ndtr(np.sqrt(icc) * of_cluster + np.sqrt(1 - icc) * of_row).ravel()


def decisions(rng, member, predicted, found, uniform):
    """Predictions by group, and labels that depend on them alone."""
    yhat = rng.random(len(member)) < np.asarray(predicted)[member]
    return uniform < np.asarray(found)[yhat.astype(int)], yhat


def report(what, draw, lines, design=None):
    """Check the shares that are rejected, of all sets and of those without a note."""

    def say(rng):
        (comparison,) = comparisons(replace(draw(rng), design=design))
        said = {}
        for row in (row for line in lines for row in line.rows(comparison)):
            said |= {row.measure: row.pvalue, f"{row.measure}, no note": row.pvalue}
            if row.note:
                said[f"{row.measure}, no note"] = None
        return said

    measures = [measure.name for line in lines for measure in line.all_measures]
    levels = dict.fromkeys(measures, 0.07) | {f"{name}, no note": 0.05 for name in measures}
    promises.check(str(what), say, levels, number=promises.sets(10))


@pytest.mark.slow
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize(
    ("predicted", "found"), [((0.4, 0.3), (0.2, 0.7)), ((0.1, 0.03), (0.02, 0.5))]
)
def test_the_level_of_the_lines_of_predictive_parity(sizes, predicted, found):
    member = np.repeat([1, 0], sizes)

    def draw(rng):
        y, yhat = decisions(rng, member, predicted, found, rng.random(len(member)))
        return items(y, yhat, member)

    report((sizes, predicted, found), draw, [PREDICTIVE_PARITY])


@pytest.mark.slow
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize(("means", "spread"), [((0, 0), 1), ((-2, -3), 1), ((0.5, 0), 2)])
@pytest.mark.usefixtures("_quick")
def test_the_level_of_the_lines_of_calibration(sizes, means, spread):
    member = np.repeat([1, 0], sizes)

    def draw(rng):
        score = expit(rng.normal(np.asarray(means)[member], spread))
        y = rng.random(len(member)) < score
        return items(y, y, member, score)

    report((sizes, means, spread), draw, [CALIBRATION, CALIBRATION_SLOPE])


@pytest.mark.slow
@pytest.mark.parametrize("clusters", [(50, 50), (30, 200)])
def test_the_level_of_the_lines_in_clusters(clusters):
    """Five rows a person, whose labels have an intraclass correlation of about 0.5."""
    rows = 5
    member = np.repeat([1, 0], np.multiply(clusters, rows))
    design = SamplingDesign(len(member), np.repeat(np.arange(sum(clusters)), rows))

    def parity(rng):
        uniform = shared(rng, sum(clusters), rows, 0.7)
        return items(*decisions(rng, member, (0.4, 0.4), (0.2, 0.7), uniform), member)

    def calibrated(rng):
        """Labels by the same numbers in a cluster, so that they are alike, and calibrated."""
        log_odds = np.repeat(rng.normal(size=sum(clusters)), rows) + rng.normal(size=len(member))
        y = shared(rng, sum(clusters), rows, 0.7) < expit(log_odds)
        return items(y, y, member, expit(log_odds))

    what = (clusters, "clusters of 5")
    report(what, parity, [PREDICTIVE_PARITY], design)
    report(what, calibrated, [CALIBRATION, CALIBRATION_SLOPE], design)


def lognormal(rng, size):
    """Of mean 0 and standard deviation 1."""
    return (rng.lognormal(size=size) - np.exp(0.5)) / np.sqrt((np.e - 1) * np.e)


DRAWN = {
    "normal": lambda rng, size: rng.normal(size=size),
    "lognormal": lognormal,
    "t3": lambda rng, size: rng.standard_t(3, size=size) / np.sqrt(3),
}


@pytest.mark.slow
@pytest.mark.parametrize("ratio", promises.some([1 / 3, 1, 3], 2))
@pytest.mark.parametrize("kind", promises.some(DRAWN, 1))
@pytest.mark.parametrize(
    ("few", "many"), promises.some([(15, 1000), (35, 1000), (60, 1000), (15, 60)], 0)
)
@pytest.mark.usefixtures("_quick")
def test_the_level_of_means(few, many, kind, ratio):
    """Of groups of other spreads; 15 beside 60 may be rejected in 0.1."""
    member = np.repeat([1, 0], [few, many])

    def say(rng):
        values = np.r_[ratio * DRAWN[kind](rng, few), DRAWN[kind](rng, many)]
        result = fp.differential_parity_test(values, 0 * values, sensitive_features=member)
        low, high = result.difference.ci_low[0], result.difference.ci_high[0]
        welch = ttest_ind(values[:few], values[few:], equal_var=False).pvalue
        missed = bool(low > 0 or high < 0)
        return {"violated": result.violated, "the interval misses": missed, "Welch": welch}

    level = 0.06 if many > 60 else 0.1
    levels = {"violated": level, "the interval misses": level}
    name = f"{few} against {many}, {kind}, {ratio:.2f} times the spread"
    promises.check(name, say, levels, number=promises.sets(10))


#: Items; the attribute, and the differences given it.
SLOPES = {
    "spread grows with a lognormal attribute": (
        50, lambda rng, n: rng.lognormal(size=n),
        lambda rng, a: rng.normal(size=len(a)) * abs(a - a.mean())),
    "spread grows with a Pareto attribute": (
        100, lambda rng, n: rng.pareto(2, n),
        lambda rng, a: rng.normal(size=len(a)) * abs(a - a.mean())),
    **{f"{few} of 100 are 1": (
        100, lambda rng, n, few=few: np.arange(n) < few, lambda rng, a: rng.lognormal(size=len(a)))
       for few in (2, 3, 5, 10)},
    "skewed, spread at one end": (
        200, lambda rng, n: rng.choice(5, n, p=[0.5, 0.3, 0.12, 0.06, 0.02]) + 1.0,
        lambda rng, a: lognormal(rng, len(a)) * (1 + 3 * (a > np.quantile(a, 0.9)))),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["ranks", "values"])
@pytest.mark.parametrize("name", promises.some(SLOPES, 0, 3))
def test_the_level_of_slopes(name, kind):
    n, attribute, difference = SLOPES[name]

    def say(rng):
        a = attribute(rng, n).astype(float)
        result = fp.differential_parity_slope_test(
            difference(rng, a), np.zeros(n), sensitive_features=a, attribute=kind
        )
        noted = result.to_frame()["note"][0] != ""
        return {"violated": result.violated, "noted": noted}

    promises.check(f"slopes on {kind}, {name}", say, {"violated": 0.09}, number=promises.sets(10))
