"""The level of predictive parity and of calibration, in small, unequal, rare and clustered cells.

`SETS=10000 pytest -s -k level_of_the_lines` prints the levels that docs/reference/audit.md sums up.
"""

import os
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, ndtr
from scipy.stats import binom

from fairpairs.audits.audit.comparison import comparisons
from fairpairs.audits.audit.criteria import CALIBRATION, CALIBRATION_SLOPE
from fairpairs.audits.audit.criteria.rates import PREDICTIVE_PARITY
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.inference import shuffled_means

from .synthetic import items

SETS = int(os.environ.get("SETS", "20"))
#: Items of the group, and of the reference.
SIZES = [(15, 1000), (30, 30), (60, 300), (150, 150), (300, 3000)]


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


def report(what, pvalues, noted):
    """Print the shares that are rejected, and check them."""
    for name, of_line in pvalues.items():
        hits, plain = np.array(of_line) < 0.05, ~np.array(noted[name])
        tested = np.isfinite(of_line)
        share = hits[tested].mean() if tested.any() else np.nan
        without = hits[plain & tested]
        error = np.sqrt(0.05 * 0.95 / max(tested.sum(), 1))
        print(
            f"\n{what}: {name} {share:.4f} ± {error:.4f} of {tested.sum()}; without a note "
            f"{without.mean() if len(without) else np.nan:.4f} of {len(without)}"
        )
        assert hits.sum() <= binom.isf(1e-4, len(hits), 0.07)
        if len(without):
            assert without.sum() <= binom.isf(1e-4, len(without), 0.05)


def run(draw, lines, design=None):
    """Return p-values of each line, and whether it has a note."""
    pvalues, noted = {}, {}
    for seed in range(SETS):
        of_attribute = replace(draw(np.random.default_rng(seed)), design=design)
        (comparison,) = comparisons(of_attribute)
        for line in lines:
            for row in line.rows(comparison):
                pvalues.setdefault(row.measure, []).append(row.pvalue)
                noted.setdefault(row.measure, []).append(bool(row.note))
    return pvalues, noted


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

    report((sizes, predicted, found), *run(draw, [PREDICTIVE_PARITY]))


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

    report((sizes, means, spread), *run(draw, [CALIBRATION, CALIBRATION_SLOPE]))


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
    report(what, *run(parity, [PREDICTIVE_PARITY], design))
    report(what, *run(calibrated, [CALIBRATION, CALIBRATION_SLOPE], design))
