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

from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.inference.sampling.gaps import Gap
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
#: Clusters of one size in one group each have the same in ours. With others our errors are up to
#: 13 % smaller, with fewer degrees of freedom, since rows are taken to be alike within clusters.
SAME = {"equal": 1e-9, "few": 1e-9, "crossed": 2e-3}


@pytest.mark.parametrize("name", DESIGNS)
def test_errors_and_degrees_of_freedom_are_those_of_clubsandwich(name):
    sizes, first = DESIGNS[name]
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    i = np.arange(len(cluster))
    group = (cluster < first if first else (i + cluster) % 3 == 0).astype(int)
    x = ((7 * i**2 + 3 * i + 5 * cluster) % 11 < 3 + cluster % 4).astype(float)
    assert clustered_2(x, group, cluster) == pytest.approx(PRINTED[name], abs=1e-9)

    design = SamplingDesign(len(x), cluster)
    first_rate, second_rate = (mean(x, group == code, group, design) for code in (1, 0))
    gap = Gap(first_rate, second_rate)
    difference = spread([gap.difference], design)
    error, df = np.sqrt(difference.covariance[0, 0]), difference.df(difference.expected[0])
    if name in SAME:
        ours = gap.difference.estimate, error, df
        assert ours == pytest.approx(PRINTED[name], rel=SAME[name], abs=1e-12)
    else:
        assert 0.87 < error / PRINTED[name][1] < 1
        assert df < PRINTED[name][2]
