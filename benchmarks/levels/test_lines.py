"""Levels of predictive parity and calibration, in small cells and in clusters.

`SETS=10000 pytest -s benchmarks/levels -k level_of_the_lines` prints the levels that
docs/reference/audit.md sums up.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, ndtr

from benchmarks.levels import promises
from fairpairs.audits.criteria import CALIBRATION, CALIBRATION_SLOPE
from fairpairs.audits.criteria.comparison import comparisons
from fairpairs.audits.criteria.rates import PREDICTIVE_PARITY
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.inference import shuffled_means
from tests.audits.synthetic import items

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
