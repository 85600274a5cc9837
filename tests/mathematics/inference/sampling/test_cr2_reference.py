"""Rates in clusters against clubSandwich 0.5.8 (R): CR2 with Satterthwaite's degrees of freedom.

library(clubSandwich)
designs <- list(equal = list(rep(8, 15), 6), few = list(rep(10, 18), 3),
  unequal = list(2 + 5 * (0:19 %% 5), 8), huge = list(c(rep(6, 19), 60), 10),
  crossed = list(rep(10, 14), 0))
for (name in names(designs)) {
  size <- designs[[name]][[1]]; first <- designs[[name]][[2]]
  c <- rep(seq_along(size) - 1, size); i <- seq_along(c) - 1
  g <- as.numeric(if (first > 0) c < first else (i + c) %% 3 == 0)
  x <- as.numeric((7 * i^2 + 3 * i + 5 * c) %% 11 < 3 + c %% 4)
  t <- coef_test(lm(x ~ g), vcov = "CR2", cluster = c, test = "Satterthwaite")
  cat(sprintf('"%s": (%.12f, %.12f, %.12f),\\n', name, t$beta[2], t$SE[2], t$df_Satt[2]))
}
"""

import numpy as np
import pytest

import fairpairs as fp
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.inference.sampling.linear import mean, spread
from fairpairs.mathematics.promises.competitors import clustered_2

#: Rows of each cluster, and how many clusters are group 1; 0: each holds both groups.
DESIGNS = {
    "equal": ([8] * 15, 6),
    "few": ([10] * 18, 3),
    "unequal": ([2 + 5 * (c % 5) for c in range(20)], 8),
    "huge": ([6] * 19 + [60], 10),
    "crossed": ([10] * 14, 0),
}
#: Difference, standard error and degrees of freedom, as R prints them.
PRINTED = {
    "equal": (-0.055555555556, 0.096174914596, 10.869565217391),
    "few": (-0.040000000000, 0.097655045627, 2.863636363636),
    "unequal": (0.017703237829, 0.082934474254, 9.286210638523),
    "huge": (0.106140350877, 0.117872529353, 11.450832072617),
    "crossed": (0.048959048273, 0.112337930655, 12.930888727991),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_errors_and_degrees_of_freedom_are_those_of_clubsandwich(name):
    sizes, first = DESIGNS[name]
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    i = np.arange(len(cluster))
    group = (cluster < first if first else (i + cluster) % 3 == 0).astype(int)
    x = ((7 * i**2 + 3 * i + 5 * cluster) % 11 < 3 + cluster % 4).astype(float)
    assert clustered_2(x, group, cluster) == pytest.approx(PRINTED[name], abs=1e-9)

    design = SamplingDesign(len(x), cluster)
    difference = mean(x, group == 1, group, design) - mean(x, group == 0, group, design)
    found = spread([difference], design)
    df = found.df(1 / np.bincount(group))  # of rows of one variance
    ours = difference.estimate, np.sqrt(found.covariance[0, 0]), df
    assert ours == pytest.approx(PRINTED[name], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("icc", [0.0, 0.2, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_degrees_of_freedom_are_those_of_the_whole_covariance_matrix(icc, weighted):
    """(trace M)² / trace M² of M, the covariance of what clusters add, by matrices of rows."""
    rng = np.random.default_rng(3)
    cluster = np.repeat(np.arange(12), rng.integers(3, 30, 12))
    n = len(cluster)
    group, x = rng.integers(0, 2, n), rng.random(n)
    weight = rng.uniform(0.5, 2, n) if weighted else np.ones(n)
    kind = "importance" if weighted else "sampling"
    design = SamplingDesign(n, cluster, weight if weighted else None, kind)
    difference = mean(x, group == 1, group, design) - mean(x, group == 0, group, design)
    found = spread([difference], design)
    added, own = np.zeros((12, n)), np.zeros((2, 12, n))
    for code, sign in ((1, 1.0), (0, -1.0)):
        share = np.where(group == code, weight, 0) / weight[group == code].sum()
        for c in range(12):
            inside = np.where(cluster == c, share, 0)
            centred = inside - inside.sum() * share  # of a row's value less the mean
            own[code, c] = sign * centred / np.sqrt(1 - inside.sum())
    added = own.sum(axis=0)
    assert found.covariance[0, 0] == pytest.approx(np.sum((added @ x) ** 2), rel=1e-12)
    rows = (1 - icc) * np.eye(n) + icc * (cluster[:, None] == cluster) * (group[:, None] == group)
    matrix = added @ rows @ added.T
    share = [weight[group == code] / weight[group == code].sum() for code in (0, 1)]
    alike = [np.bincount(cluster[group == code], s) for code, s in enumerate(share)]
    plain = np.array([s @ s for s in share])
    raised = (1 - icc) * plain + icc * np.array([a @ a for a in alike])
    variance = (1 + 2 * np.sqrt(2 / found.df(plain))) * raised.sum()
    # a class has its share of the trace of the matrix, which is near 1
    assert found.df(plain, variance=variance) == pytest.approx(
        np.trace(matrix) ** 2 / np.sum(matrix**2), rel=0.01 if weighted else 2e-3
    )


def test_a_difference_in_large_clusters_of_both_groups_is_found():
    """A hospital of 1,000 rows beside 30 of 20, which share their levels: power was 0."""
    rng = np.random.default_rng(0)
    cluster = np.repeat(np.arange(31), [1000] + [20] * 30)
    found = []
    for _ in range(40):
        group = (rng.random(1600) < 0.4).astype(int)
        level = 0.1 * rng.normal(size=31)[cluster]
        x = (rng.random(1600) < np.where(group == 1, 0.4, 0.7) + level).astype(float)
        found.append(fp.two_proportion_test(x, sensitive_features=group, clusters=cluster).violated)
    assert np.mean(found) > 0.85
