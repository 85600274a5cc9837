"""Estimates from few human labels and many cheap ones are those of R's survey and of ppi_py.

R's survey 4.1.1, with a row for each item of `CELLS` in `rows` (g, c, t, cell, y, which is NA
without a human label, seen, id):

    d <- twophase(id=list(~id,~id), strata=list(NULL,~cell), subset=~seen, data=rows, method="full")
    svymean(~c, d[rows$g[rows$seen]==0 & rows$y[rows$seen]==1,])       # the TPR, and for group 1
    d <- update(d, p1=(y==1&g==1)*1, p0=(y==1&g==0)*1, a1=(y==1&g==1)*c, a0=(y==1&g==0)*c)
    svycontrast(svytotal(~a1+p1+a0+p0, d), quote(a1/p1-a0/p0))
    svymean(~y, d[rows$g[rows$seen]==1,])
    svymean(~y, d[rows$g[rows$seen]==0 & rows$c[rows$seen]==1,])

ppi_py 0.2.3: ppi_mean_pointestimate and ppi_mean_ci of y and t of the rows with a human label, and
of t of the others. It divides variances by n, and does not know the decision in group 1.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fairpairs.mathematics.arguments.design import label_cells, two_phase_design
from fairpairs.mathematics.inference.sampling.linear import mean
from fairpairs.mathematics.inference.sampling.two_phases import spread_of

#: Rows, human labels, and positive ones; by group, decision, cheap label.
CELLS = np.array([
    (2000, 120, 30), (700, 42, 26), (600, 36, 15), (1700, 102, 75),
    (900, 54, 16), (500, 30, 17), (300, 18, 8), (600, 36, 22),
])  # fmt: skip
#: What is estimated → estimate and standard error by survey, and by ppi_py.
ORACLES = {
    "TPR of group 0": ((0.616438356164384, 0.028911292925118), None),
    "TPR of group 1": ((0.476190476190476, 0.0462659348454625), None),
    "difference of TPRs": ((-0.140247879973907, 0.0545563890458905), None),
    "mean of group 1": ((0.456521739130435, 0.0414355415451079),
        (0.456521739130435, 0.0410503383069661)),
    "precision of group 0": ((0.652173913043478, 0.0391470680717911),
        (0.652173913043478, 0.0388645192119289)),
}  # fmt: skip


def estimates():
    """The estimates by name, and the design."""
    cell = np.repeat(np.arange(8), CELLS[:, 0])
    group, decision, cheap = cell // 4, cell // 2 % 2, cell % 2
    number = np.concatenate([np.arange(n) for n in CELLS[:, 0]])
    labelled = np.flatnonzero(number < CELLS[cell, 1])
    label = (number < CELLS[cell, 2]).astype(int)[labelled]
    design = two_phase_design(
        label_cells(group, labelled, [decision, cheap]), 2 * group + decision, labelled,
        np.full(len(labelled), 0.06), label=label,
    )  # fmt: skip
    group, decision = group[labelled], decision[labelled]
    of_label, of_decision = 2 * group + label, 2 * group + decision
    tpr = [mean(1.0 * decision, of_label == 2 * g + 1, of_label, design) for g in (0, 1)]
    known = {
        "TPR of group 0": tpr[0],
        "TPR of group 1": tpr[1],
        "difference of TPRs": tpr[1] - tpr[0],
        "mean of group 1": mean(1.0 * label, group == 1, group, design),
        "precision of group 0": mean(1.0 * label, of_decision == 1, of_decision, design),
    }
    return known, design


@pytest.mark.parametrize("name", ORACLES)
def test_estimates_and_errors_are_those_of_others(name):
    known, design = estimates()
    error = spread_of([known[name]], design).covariance[0, 0] ** 0.5
    for oracle, rtol in zip(ORACLES[name], (1.5e-3, 1.2e-2), strict=True):
        if oracle is not None:
            assert_allclose(known[name].estimate, oracle[0], rtol=1e-12)
            assert_allclose(error, oracle[1], rtol=rtol)
