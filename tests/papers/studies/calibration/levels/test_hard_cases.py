"""Every test keeps its promises on the cases that are hardest for it, on a few data sets each.

`make calibration` measures all cases on many more. Here a promise counts as broken where chance
explains the number in less than 1 in 10,000 sets of data, were it just kept. About 200 promises are
measured, so a right change of the code that draws other random numbers fails here with a chance of
at most 0.02; a test that rejects in 0.2 instead of 0.05 is found with a chance of 0.83.
"""

import numpy as np
import pytest
from scipy.stats import binom

from fairpairs.papers.studies.calibration.levels.measure import measure_levels
from fairpairs.papers.studies.calibration.levels.suite import TESTS

RARE = "1,000 / 30, prevalence 0.5, TPR 0.02, FPR 0.02"
GOOD = ("1,000 / 30, AUC 0.983", "1,000 / 30, AUC 0.998", "1,000 / 60, flags")
OTHER = "1,000 / 60 / 1,000, AUC 0.998 / 0.998 / 0.92"
HARD = {
    "separation_test": (RARE, "5,000 / 50, prevalence 0.3, TPR 0.99, FPR 0.01"),
    "two_proportion_test": (RARE,),
    "conditional_chi_square_test": (RARE,),
    "cochran_mantel_haenszel_test": (RARE,),
    "chi_square_test": ("1,000 / 100, prevalence 0.1, TPR 0.8, FPR 0.1",),
    "comparative_separation_test_of_predictions": (RARE, "1,000 / 100, TPR 0.9 / 0.97, FPR 0.05"),
    "comparative_separation_test_of_scores": (
        GOOD[1], OTHER, "2,000 / 200, AUC 0.5, positives spread 3",
    ),
    "comparative_separation_test_of_real_labels": ("4 groups of 100, shift 1", "50 / 50, shift 3"),
    "comparative_separation_from_judgments": (
        "300 items, 1,500 by Zipf", "1,000 items, 2,000 against 3 anchors",
    ),
    "comparative_separation_slopes_test": (
        "300 items, pareto", "300 items, normal, prevalence 0.03",
    ),
    "xauc": (*GOOD, OTHER),
    "separation_permutation_test_of_gaps": ("50 / 50, shift 3",),
    "separation_permutation_test_of_information": ("50 / 50, shift 3",),
    "differential_parity_test": (
        "3,000 / 50, 0/1, 0.02 differ", "3 / 3, 0/1, 0.1 differ", "1,000 / 15, spread 1 / 3",
    ),
    "differential_parity_permutation_test": ("1,000 / 15, spread 1 / 3",),
    "differential_parity_slope_test": ("100 items, pareto, spread grows",),
    "differential_parity_of_raters": ("1,000 / 15, spread 1 / 3",),
    "biased_bridge": ("80 items, 10 features, minority 0.5",),
    "audit_of_predictions": ("1,000 / 30, prevalence 0.5, TPR 0.8, FPR 0.4",),
    "audit_of_scores": ("1,000 / 30, AUC 0.998",),
    "audit_of_real_labels": ("970 / 30, shift 1",),
}  # fmt: skip
#: Slow tests run on a share of these data sets. All are drawn where the first raise a doubt.
FIRST, SETS = 40, 100
DOUBT, ALARM = 0.05, 1e-4


def chance(row):
    """How seldom chance explains a measured number, were the promise just kept."""
    found = round(row.measured * row.sets)
    if row.promise == "level":
        return binom.sf(found - 1, row.sets, row.promised)
    return binom.cdf(found, row.sets, row.promised)  # coverage


def test_every_test_has_its_hard_cases():
    # a p-value of density ratios takes more than a second
    assert set(HARD) == set(TESTS) - {"density_ratio_fairness"}
    for test, names in HARD.items():
        assert set(names) <= {case.name for case in TESTS[test].cases}, test


@pytest.mark.slow
@pytest.mark.parametrize("test", HARD)
def test_a_test_keeps_what_it_promises_where_it_is_hard(test):
    for sets, least in ((FIRST, DOUBT), (SETS, ALARM)):
        table = measure_levels(test, repeats=sets, seed=3, alpha=0.05, only=HARD[test])
        assert len(table) >= len(HARD[test])
        worst = [row for row in table.itertuples() if chance(row) < least]
        if not worst:
            return
    assert worst == []


def test_a_level_of_one_in_five_is_found():
    """The chance to doubt it on the first data sets, and to find it on all."""
    doubted, least = (
        next(k for k in range(sets) if binom.sf(k - 1, sets, 0.05) < chance)
        for sets, chance in ((FIRST, DOUBT), (SETS, ALARM))
    )
    first = np.arange(doubted, FIRST + 1)
    rest = binom.sf(least - first - 1, SETS - FIRST, 0.2)
    assert binom.pmf(first, FIRST, 0.2) @ rest > 0.83
