"""Theorems 3.2 and 3.3 and Proposition 3.4, where predictions tie."""

from itertools import product

import pytest
from numpy.testing import assert_array_equal

from fairpairs.papers.studies.comparative_separation.claims import criteria_on_grid

GROUPS = (0, 1)
CRITERIA = ["separation", "comparative_separation", "same_rates", "two_hypotheses"]


def chances(tpr, tnr):
    """P(C_ij = 1) and P(C_ij = −1) given Y_ij = 1, in hundredths, by the group of i and of j.

    A plain loop over the predictions of the two items; the third outcome, 0, is a tie.
    """
    ranked = {}
    for a, b in product(GROUPS, GROUPS):
        of_sign = {1: 0, 0: 0, -1: 0}
        for c_i, c_j in product((0, 1), (0, 1)):
            chance_i = tpr[a] if c_i else 10 - tpr[a]
            chance_j = 10 - tnr[b] if c_j else tnr[b]
            of_sign[c_i - c_j] += chance_i * chance_j
        assert sum(of_sign.values()) == 100
        ranked[a, b] = of_sign
    return ranked


@pytest.mark.slow
def test_theorem_3_3_on_the_grid_of_rates():
    # By Definition 3.1, with both signs of C_ij, it holds for every classifier of 11⁴. By equation
    # (4), which has one sign, it fails where no pair is ranked right.
    table = criteria_on_grid()
    by_definition, by_equation_4, by_hypotheses = [], [], []
    for rates, row in zip(product(range(11), repeat=4), table.to_numpy(), strict=True):
        tpr, tnr = rates[:2], rates[2:]
        of = chances(tpr, tnr)
        separation = tpr[0] == tpr[1] and tnr[0] == tnr[1]
        definition = all(len({of[ab][sign] for ab in of}) == 1 for sign in (1, -1))
        equation_4 = len({of[ab][1] for ab in of}) == 1
        hypotheses = of[1, 0][1] == of[0, 1][1] and of[1, 1][1] == of[0, 0][1]
        assert_array_equal(row, [*rates, separation, definition, equation_4, hypotheses])
        if definition != separation:
            by_definition.append(rates)
        if equation_4 != definition:
            by_equation_4.append(rates)
        if hypotheses != definition:
            by_hypotheses.append(rates)
    assert len(table) == 14_641
    assert by_definition == []
    assert len(by_equation_4) == 220
    assert by_hypotheses == by_equation_4
    assert all(rates[:2] == (0, 0) or rates[2:] == (0, 0) for rates in by_equation_4)
