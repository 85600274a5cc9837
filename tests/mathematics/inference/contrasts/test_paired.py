import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from statsmodels.stats.contingency_tables import mcnemar

from fairpairs.mathematics.inference.contrasts.paired import paired_ends, paired_statistic


def statistic(gained, lost, n, null):
    """The score statistic with the likeliest share of losses, found by a search."""

    def unlikely(share):
        kept = 1 - 2 * share - null
        if share < 0 or share + null < 0 or kept < 0:
            return np.inf
        terms = ((gained, share + null), (lost, share), (n - gained - lost, kept))
        return -sum(count * np.log(p) for count, p in terms if count and p > 0) + sum(
            np.inf for count, p in terms if count and p <= 0
        )

    low, high = max(0, -null), (1 - null) / 2
    share = minimize_scalar(unlikely, bounds=(low, high), method="bounded",
                            options={"xatol": 1e-14}).x  # fmt: skip
    return (gained - lost - n * null) / np.sqrt(n * (2 * share + null * (1 - null)))


def limits(gained, lost, n, quantile):
    terms = np.array([gained - lost, gained + lost, n * n])[:, None] / n
    return [float(paired_ends(*terms, quantile, np.array([side]))[0]) for side in (-1.0, 1.0)]


@pytest.mark.parametrize(
    ("gained", "lost", "n"), [(1, 7, 21), (3, 2, 40), (9, 4, 200), (30, 5, 60)]
)
@pytest.mark.parametrize("null", [-0.4, -0.05, 0.02, 0.3])
def test_the_statistic_takes_the_likeliest_share_of_changes(gained, lost, n, null):
    ours = paired_statistic((gained - lost) / n, (gained + lost) / n, n, null)
    assert ours == pytest.approx(statistic(gained, lost, n, null), rel=1e-5)


@pytest.mark.parametrize(("gained", "lost", "n"), [(1, 7, 21), (4, 0, 20), (12, 30, 900)])
def test_without_a_change_it_is_mcnemars(gained, lost, n):
    ours = paired_statistic((gained - lost) / n, (gained + lost) / n, n, 0.0)
    table = [[n - gained - lost, gained], [lost, 0]]
    theirs = mcnemar(table, exact=False, correction=False).statistic
    assert ours**2 == pytest.approx(theirs, rel=1e-12)


def test_the_limits_are_where_the_statistic_is_the_quantile():
    for gained, lost, n, quantile in ((1, 7, 21, 1.96), (0, 3, 50, 1.645), (40, 1, 44, 3.0)):
        low, high = limits(gained, lost, n, quantile)
        change = (gained - lost) / n
        for end, sign, edge in ((low, 1, -1), (high, -1, 1)):
            inner, outer = change + 1e-9 * edge, edge * (1 - 1e-6)

            def apart(null, sign=sign, n=n, counts=(gained, lost), quantile=quantile):
                return sign * statistic(*counts, n, null) - quantile

            assert end == pytest.approx(brentq(apart, inner, outer), abs=1e-5)


def test_the_limits_are_the_published_ones():
    # Fagerland, Lydersen and Laake (2014), airway hyper-responsiveness: Tango's interval
    assert limits(1, 7, 21, 1.959964) == pytest.approx([-0.517, -0.026], abs=5e-4)


def test_items_that_all_stay_leave_room_for_a_few_that_do_not():
    low, high = limits(0, 0, 100, 1.96)
    assert high == -low == pytest.approx(1.96**2 / (100 + 1.96**2))
    assert limits(0, 0, 100, 0.0) == [0, 0]
