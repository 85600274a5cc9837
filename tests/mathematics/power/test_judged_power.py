"""Power with judges and clusters, planned and simulated.

With SETS=2000 the tests print the numbers of docs/explanation/calibration.md (`pytest -s`).
"""

import numpy as np
import pytest

from fairpairs import comparative_separation_from_judgments, power
from tests import promises
from tests.mathematics.power.judged_sets import JudgedSets, latent

SETS = promises.sets(80)
Shared = power.SharedJudgments

#: Judges and their correlation, clusters and theirs.
DESIGNS = [
    Shared(20, 0), Shared(50, 0, 100, 0),
    Shared(20, 0.05), Shared(20, 0.5), Shared(100, 0.2), Shared(clusters=50, cluster_icc=0.2),
    Shared(clusters=500, cluster_icc=0.5), Shared(20, 0.1, 50, 0.1), Shared(50, 0.05, 200, 0.3),
    Shared(100, 0.3, 500, 0.2),
]  # fmt: skip


def rate_for(shared, m, wanted):
    """Items with a TPR of the second group so low that the power is as wanted."""
    from scipy.optimize import brentq

    def items(difference):
        return power.items_from_rates(tpr=(0.95, 0.95 - difference), fpr=0.2)

    def lacking(difference):
        return power.expected_rejection(
            "fresh_pairs", items(difference), n_pairs=m, shared=shared, correction="holm"
        ) - wanted  # fmt: skip

    return items(brentq(lacking, 0, 0.9, xtol=1e-4))


@pytest.mark.slow
@pytest.mark.parametrize("shared", promises.some(DESIGNS, 1, 7))
def test_the_planned_power_is_that_of_simulated_judges_with_tastes(shared):
    m = 4000
    for number, wanted in enumerate((0.5, 0.8, 0.95) if SETS > 80 else (0.8,)):
        items = rate_for(shared, m, wanted)
        found = JudgedSets.of(items, shared).found(m, SETS, seed=number)
        error = np.sqrt(wanted * (1 - wanted) / SETS)
        print(f"{shared}: planned {wanted:.2f}, found {found:.3f} (standard error {error:.3f})")
        assert abs(found - wanted) < 0.03 + 4 * error


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shared", "share", "tpr"),
    promises.some([
        (Shared(25, 0), 0.3, (0.85, 0.7)), (Shared(25, 0.03), 0.3, (0.85, 0.7)),
        (Shared(30, 0.02, 80, 0.03), 0.5, (0.8, 0.65)),
    ], 2),
)  # fmt: skip
def test_few_judgments_have_a_little_less_power_than_planned(shared, share, tpr):
    """600 judgments: SETS=2000 gives the numbers of docs/explanation/calibration.md."""
    items = power.items_from_rates(share=share, tpr=tpr, fpr=0.2)
    planned = power.expected_rejection(
        "fresh_pairs", items, n_pairs=1200, shared=shared, correction="holm"
    )
    found = JudgedSets.of(items, shared).found(1200, SETS, seed=0)
    error = np.sqrt(planned * (1 - planned) / SETS)
    print(f"{shared}: planned {planned:.3f}, found {found:.3f} (standard error {error:.3f})")
    assert -0.07 - 4 * error < found - planned < 0.03 + 4 * error


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "judges", "clusters"), promises.some([(300, 20, 60), (800, 40, 100)], 0)
)
def test_a_planned_collection_over_shared_items_has_that_power(n, judges, clusters):
    """SETS=2000 gives the numbers of docs/explanation/calibration.md."""
    rng = np.random.default_rng(1)
    how = {"gap": 0.35, "taste": 0.3, "prompt": 0.4}
    # a pilot so large that it has no errors of its own
    pilot = power.pilot_of_judgments(**latent(rng, 50_000, 200_000, 1000, 2000, **how))
    m = 1200
    planned = power.judged_rejection(pilot, m, n_items=n, judges=judges, clusters=clusters)
    found = np.mean([
        comparative_separation_from_judgments(**latent(rng, n, m, judges, clusters, **how)).violated
        for _ in range(SETS)
    ])  # fmt: skip
    error = np.sqrt(planned * (1 - planned) / SETS)
    print(
        f"{m} judgments of {n} items by {judges} judges over {clusters} clusters: planned "
        f"{planned:.3f}, found {found:.3f} (standard error {error:.3f})"
    )
    assert abs(found - planned) < 0.03 + 4 * error
