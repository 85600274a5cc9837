from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose
from scipy.stats import norm
from statsmodels.stats.power import normal_power_het

from fairpairs import InputError, power as power_module
from fairpairs.fairness.expected_gaps import gaps_and_covariance
from fairpairs.fairness.gaps import (
    comparative_separation_from_counts,
    comparative_separation_from_rates,
    gap_cells,
)
from fairpairs.fairness.pairs.binary import all_pairs_from_counts
from fairpairs.fairness.pairs.drawn import PairCounts, cell_probabilities
from fairpairs.fairness.pairs.given import given_pairs, judged
from fairpairs.fairness.power import (
    acceptance_probability,
    comparative_separation_power,
    detectable_difference,
    expected_rejection,
    items_from_rates,
    judgments_needed,
    pilot_of_scores,
    power_curve,
    separation_power,
    smallest_number,
)
from fairpairs.fairness.results import adjusted
from fairpairs.fairness.separation import separation_from_counts

# Table III of the paper, "Expected": n = 1,000 and 2,000; np = 2,000 and 4,000.
TABLE_3 = MappingProxyType(
    {
        "f0": ("0.0975", "0.0975", "0.0975", "0.0975"),
        "f1": ("0.4743", "0.7464", "0.5032", "0.7692"),
        "f2": ("0.7800", "0.9682", "0.7274", "0.9484"),
        "f3": ("0.7890", "0.9712", "0.8232", "0.9813"),
    }
)


@given(
    st.floats(0.05, 0.95),
    st.floats(0.05, 0.95),
    st.integers(30, 5000),
    st.integers(30, 5000),
    st.sampled_from([0.001, 0.05, 0.2]),
)
def test_acceptance_is_one_less_the_power_of_statsmodels(p1, p2, n1, n2, alpha):
    sigma = np.sqrt(p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2)
    power = normal_power_het(p1 - p2, 1, alpha, std_null=sigma, std_alternative=sigma)
    beta = acceptance_probability(p1, n1, p2, n2, alpha=alpha)
    assert_allclose(1 - beta, power, rtol=1e-9, atol=1e-12)


def test_equal_proportions_are_accepted_with_one_less_the_level():
    assert_allclose(acceptance_probability(0.3, 50, 0.3, 900, alpha=0.2), 0.8, rtol=1e-12)


def test_acceptance_is_computed_for_arrays_at_once():
    beta = acceptance_probability([0.4, 0.5], 100, [[0.4], [0.6]], 200)
    assert beta.shape == (2, 2)
    assert_allclose(beta[1, 0], acceptance_probability(0.4, 100, 0.6, 200), rtol=1e-12)


@pytest.mark.parametrize("classifier", TABLE_3)
def test_power_is_that_of_table_iii_to_the_printed_digit(table_1_items, classifier):
    items, printed = table_1_items[classifier], TABLE_3[classifier]
    found = [separation_power(items, n, critical_value=1.96) for n in (1000, 2000)]
    found += [comparative_separation_power(items, n, critical_value=1.96) for n in (2000, 4000)]
    assert tuple(f"{power:.4f}" for power in found) == printed


@pytest.mark.parametrize("classifier", TABLE_3)
def test_the_exact_quantile_changes_table_iii_by_one_in_the_last_digit_at_most(
    table_1_items, classifier
):
    items, printed = table_1_items[classifier], TABLE_3[classifier]
    found = [separation_power(items, n) for n in (1000, 2000)]
    found += [comparative_separation_power(items, n) for n in (2000, 4000)]
    assert_allclose(found, [float(power) for power in printed], atol=1e-4)


def test_a_critical_value_stands_in_for_the_quantile_of_the_level():
    # the level whose two-sided quantile is 1.5
    given = acceptance_probability(0.4, 300, 0.5, 200, critical_value=1.5)
    level = 2 * norm.sf(1.5)
    assert_allclose(given, acceptance_probability(0.4, 300, 0.5, 200, alpha=level), rtol=1e-12)


def test_power_is_computed_for_many_classifiers_at_once(table_1_items):
    items = np.stack(list(table_1_items.values()))
    for power in (separation_power, comparative_separation_power):
        assert_allclose(power(items, 1000), [power(i, 1000) for i in items], rtol=1e-12)


def z_test_rejects(k1, n1, k2, n2):
    p1, p2 = k1 / n1, k2 / n2
    return np.abs(p1 - p2) / np.sqrt(p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2) > 1.959964


def test_acceptance_is_how_often_the_z_test_accepts():
    # 20,000 tests with 4,000 and 6,000 trials; standard error at most 0.0035
    rng = np.random.default_rng(0)
    for p1, p2 in ((0.5, 0.5), (0.5, 0.52), (0.8, 0.77), (0.1, 0.09)):
        k1, k2 = rng.binomial(4000, p1, 20_000), rng.binomial(6000, p2, 20_000)
        beta = acceptance_probability(p1, 4000, p2, 6000)
        error = np.sqrt(beta * (1 - beta) / 20_000)
        assert_allclose(1 - z_test_rejects(k1, 4000, k2, 6000).mean(), beta, atol=4.5 * error)


@pytest.mark.parametrize("classifier", ["f0", "f1", "f2", "f3"])
def test_separation_power_is_how_often_a_sample_of_items_violates(table_1_items, classifier):
    # 10,000 samples of 2,000 items; standard error at most 0.005
    items, n, r = table_1_items[classifier], 2000, 10_000
    counts = np.random.default_rng(1).multinomial(n, items.ravel(), size=r).reshape(r, 2, 2, 2)
    rejected = np.zeros(r, dtype=bool)
    for y in (0, 1):
        cells = counts[:, :, y]
        rejected |= z_test_rejects(
            cells[:, 1, 1], cells[:, 1].sum(axis=1), cells[:, 0, 1], cells[:, 0].sum(axis=1)
        )
    power = float(separation_power(items, n))
    assert_allclose(rejected.mean(), power, atol=4.5 * np.sqrt(power * (1 - power) / r))


@pytest.mark.parametrize("classifier", ["f0", "f1", "f2", "f3"])
def test_comparative_power_is_how_often_pairs_of_fresh_items_violate(table_1_items, classifier):
    # 2,000 samples of 4,000 pairs, every pair made of two items; standard error at most 0.011
    items, n, r = table_1_items[classifier], 4000, 2000
    rng = np.random.default_rng(2)
    rejected = []
    for _ in range(r):
        a, y, c = np.unravel_index(
            np.searchsorted(np.cumsum(items.ravel())[:7], rng.random((2, n))), (2, 2, 2)
        )
        first = y[0] > y[1]
        usable = y[0] != y[1]
        winner = np.where(first, a[0], a[1])
        loser = np.where(first, a[1], a[0])
        right = np.where(first, c[0] > c[1], c[1] > c[0])
        k, m = np.zeros((2, 2)), np.zeros((2, 2))
        for i in (0, 1):
            for j in (0, 1):
                cell = usable & (winner == i) & (loser == j)
                m[i, j], k[i, j] = cell.sum(), right[cell].sum()
        rejected.append(
            z_test_rejects(k[1, 0], m[1, 0], k[0, 1], m[0, 1])
            or z_test_rejects(k[1, 1], m[1, 1], k[0, 0], m[0, 0])
        )
    power = float(comparative_separation_power(items, n))
    assert_allclose(np.mean(rejected), power, atol=4.5 * np.sqrt(power * (1 - power) / r))


def test_power_grows_with_the_sample_and_with_the_level(table_1_items):
    for power in (separation_power, comparative_separation_power):
        by_size = [float(power(table_1_items["f1"], n)) for n in (500, 1000, 4000, 50_000)]
        by_level = [float(power(table_1_items["f1"], 1000, alpha=a)) for a in (0.01, 0.05, 0.1)]
        assert by_size == sorted(by_size)
        assert by_level == sorted(by_level)
        assert by_size[-1] > 0.999


# Items from rates


def test_items_have_the_rates_that_they_are_made_from():
    items = items_from_rates(share=0.3, prevalence=(0.2, 0.6), tpr=(0.9, 0.7), fpr=(0.1, 0.25))
    assert_allclose(items.sum(), 1, rtol=1e-12)
    assert_allclose(items[1].sum(), 0.3, rtol=1e-12)
    for a, (p, t, f) in enumerate(((0.2, 0.9, 0.1), (0.6, 0.7, 0.25))):
        assert_allclose(items[a, 1].sum() / items[a].sum(), p, rtol=1e-12)
        assert_allclose(items[a, 1, 1] / items[a, 1].sum(), t, rtol=1e-12)
        assert_allclose(items[a, 0, 1] / items[a, 0].sum(), f, rtol=1e-12)


def test_one_rate_is_that_of_both_groups():
    one = items_from_rates(prevalence=0.3, tpr=0.9, fpr=0.1)
    two = items_from_rates(share=0.5, prevalence=(0.3, 0.3), tpr=(0.9, 0.9), fpr=(0.1, 0.1))
    assert_allclose(one, two, rtol=1e-15)


@pytest.mark.parametrize(
    ("rates", "message"),
    [
        ({"tpr": "a"}, "tpr must hold numbers: could not convert string to float: 'a'"),
        ({"share": 0}, "share must lie between 0 and 1, without these; it is 0"),
        ({"share": 1}, "share must lie between 0 and 1, without these; it is 1"),
        ({"prevalence": (0.5, 1)}, "prevalence must lie between 0 and 1, without these"),
        ({"tpr": 1.2}, "tpr must lie from 0 to 1; it is 1.2"),
        ({"fpr": (0.2, -0.1)}, "fpr must lie from 0 to 1"),
        ({"tpr": np.nan}, "tpr must lie from 0 to 1"),
    ],
)
def test_rates_outside_0_to_1_are_refused(rates, message):
    with pytest.raises(InputError, match=message):
        items_from_rates(**rates)


def test_rates_of_0_and_1_are_possible():
    items = items_from_rates(tpr=1, fpr=0)
    assert_allclose(items[:, 0, 1], 0)
    assert_allclose(items[:, 1, 0], 0)


# Gaps and their covariance on shared items, against simulation

FAIR = {"share": 0.4, "prevalence": (0.4, 0.6), "tpr": 0.8, "fpr": 0.3}
UNFAIR = {"share": 0.3, "prevalence": (0.3, 0.5), "tpr": (0.85, 0.7), "fpr": (0.2, 0.3)}


def simulated_rates(items, n_items, n_pairs, r, seed):
    """Rates of data sets of items, on all pairs or on pairs drawn from them with replacement.

    Given the items, the pairs of a draw fall into the cells as one multinomial draw.
    """
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(n_items, items.ravel(), size=r).reshape(r, 2, 2, 2)
    if n_pairs is None:
        return all_pairs_from_counts(counts)
    right, wrong = (x.reshape(r, 4) for x in cell_probabilities(counts / n_items))
    rest = 1 - (right + wrong).sum(axis=1, keepdims=True)
    drawn = rng.multinomial(n_pairs, np.concatenate([right, wrong, rest], axis=1))
    right, usable = drawn[:, :4], drawn[:, :4] + drawn[:, 4:8]
    return PairCounts(right.reshape(r, 2, 2), usable.reshape(r, 2, 2))


@pytest.mark.parametrize("rates", [FAIR, UNFAIR], ids=["fair", "unfair"])
@pytest.mark.parametrize("n_items", [500, 2000])
@pytest.mark.parametrize("ratio", [1, 8, None])
def test_gaps_and_covariance_are_those_of_a_simulation(rates, n_items, ratio):
    # 40,000 data sets: the Monte Carlo error of a variance is sqrt(2 / 40,000) = 0.7 %
    r = 40_000
    items = items_from_rates(**rates)
    n_pairs = None if ratio is None else ratio * n_items
    gaps, covariance = gaps_and_covariance(items, n_items, n_pairs)
    found = simulated_rates(items, n_items, n_pairs, r, 1)
    theta = (found.right / found.usable).reshape(r, 4)
    first, second = gap_cells(2)
    estimates = theta[:, first] - theta[:, second]
    sd = np.sqrt(np.diagonal(covariance))
    assert_allclose(estimates.mean(axis=0), gaps, atol=4.5 * sd.max() / np.sqrt(r))
    true = np.cov(estimates.T)
    assert_allclose(np.diagonal(covariance), np.diagonal(true), rtol=0.05)
    assert_allclose(covariance[0, 1], true[0, 1], atol=0.05 * true.max())


def test_the_variance_falls_with_pairs_to_that_of_all_pairs():
    items = items_from_rates(**UNFAIR)
    every = np.diagonal(gaps_and_covariance(items, 1000)[1])
    by_pairs = [np.diagonal(gaps_and_covariance(items, 1000, m)[1]) for m in (500, 5000, 10**7)]
    assert (np.diff(by_pairs, axis=0) < 0).all()
    assert (by_pairs[-1] > every).all()
    assert_allclose(by_pairs[-1], every, rtol=0.005)


# Expected rejection


def rejection(pvalues, each=0.05):
    return (pvalues < each).any(axis=-1).mean()


@pytest.mark.parametrize("rates", [FAIR, UNFAIR], ids=["fair", "unfair"])
@pytest.mark.parametrize(("n_items", "ratio"), [(1000, 1), (1000, 8), (300, 4)])
@pytest.mark.parametrize("correction", ["none", "holm"])
def test_the_paper_s_test_on_shared_items_rejects_as_often_as_expected(
    rates, n_items, ratio, correction
):
    # 20,000 data sets: the Monte Carlo error is at most 0.0035; the normal approximation and the
    # binomial variance at the true rates cost another 0.02
    items = items_from_rates(**rates)
    found = simulated_rates(items, n_items, ratio * n_items, 20_000, 2)
    pvalues = comparative_separation_from_counts(found).pvalue
    expected = expected_rejection(
        "binomial", items, n_items=n_items, n_pairs=ratio * n_items, correction=correction
    )
    each = 0.05 if correction == "none" else 0.025
    assert_allclose(rejection(pvalues, each), expected, atol=0.02 + 4 * 0.0035)


@pytest.mark.parametrize("rates", [FAIR, UNFAIR], ids=["fair", "unfair"])
@pytest.mark.parametrize("n_items", [500, 2000])
@pytest.mark.parametrize("correction", ["none", "holm"])
def test_the_test_on_all_pairs_rejects_as_often_as_expected(rates, n_items, correction):
    items = items_from_rates(**rates)
    found = simulated_rates(items, n_items, None, 20_000, 3)
    pvalues = comparative_separation_from_rates(found)[0].pvalue
    expected = expected_rejection("all_pairs", items, n_items=n_items, correction=correction)
    each = 0.05 if correction == "none" else 0.025
    assert_allclose(rejection(pvalues, each), expected, atol=0.02 + 4 * 0.0035)


# What the planned numbers find: group 1 is treated worse, or better, or has few items

PLANS = {
    "worse": {"tpr": (0.8, 0.7), "fpr": 0.2, "share": 0.4},
    "better": {"tpr": (0.6, 0.8), "fpr": 0.2, "share": 0.1},
    "near 1": {"tpr": (0.9, 0.97), "fpr": 0.05, "share": 0.1},
    "nearer 1": {"tpr": (0.95, 0.99), "fpr": 0.01, "share": 0.1},
    "at 1": {"tpr": (0.95, 0.995), "fpr": 0.005, "share": 0.05},
    "small": {"tpr": (0.9, 0.3), "fpr": 0.1, "share": 0.05, "prevalence": 0.2},
    "worse near 1": {"tpr": (0.95, 0.85), "fpr": 0.02, "share": 0.2},
}
SETS = 10_000


def found_by(test, items, n, m=None, sets=SETS):
    """How often a test finds either gap in simulated sets, by Holm."""
    rng = np.random.default_rng(7)
    if test == "drawn_pairs":
        cells = rng.choice(8, (sets, n), p=items.ravel())
        left, right = rng.integers(n, size=(2, sets, m))
        one, two = (np.take_along_axis(cells, side, 1) for side in (left, right))
        outcome = np.sign(one // 2 % 2 - two // 2 % 2).astype(float)
        pairs = judged(outcome, (cells % 2).astype(float), left, right)
        difference = comparative_separation_from_rates(given_pairs(*pairs, cells // 4, 2))[0]
    else:
        counts = rng.multinomial(n, items.ravel(), size=sets).reshape(sets, 2, 2, 2)
        if test == "separation":
            difference = separation_from_counts(counts, method="auto")
        else:
            difference = comparative_separation_from_rates(all_pairs_from_counts(counts))[0]
    return (np.nan_to_num(adjusted(difference.pvalue, "holm"), nan=1) < 0.05).any(axis=1).mean()


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("test", ["separation", "all_pairs"])
@pytest.mark.parametrize("wanted", [0.5, 0.8, 0.95])
def test_the_planned_items_have_the_wanted_power(plan, test, wanted):
    # 10,000 sets: the standard error is 0.005 at the most, so by chance it fails once in 30,000
    items = items_from_rates(**PLANS[plan])

    def power(n):
        return expected_rejection(test, items, n_items=n, correction="holm")

    n = smallest_number(power, wanted)
    error = np.sqrt(wanted * (1 - wanted) / SETS)
    assert found_by(test, items, n) > wanted - 0.03 - 4 * error
    assert found_by(test, items, n) < wanted + 0.03 + 4 * error


@pytest.mark.parametrize("plan", ["better", "worse near 1"])
def test_the_planned_judgments_have_the_wanted_power(plan):
    # 300 sets: the standard error is 0.023
    items = items_from_rates(**PLANS[plan])
    m = judgments_needed(items, 2000)
    batches = [found_by("drawn_pairs", items, 2000, m, 300)]
    assert abs(np.mean(batches) - 0.8) < 0.03 + 4 * 0.023


def test_power_grows_with_items_where_few_are_expected():
    items = items_from_rates(**PLANS["at 1"])
    for test in ("separation", "all_pairs"):
        powers = [
            expected_rejection(test, items, n_items=n, correction="holm")
            for n in (1000, 2000, 4000, 8000, 16_000)
        ]
        assert powers == sorted(powers)
        assert powers[-1] > 0.99


def test_the_simulated_power_meets_the_formula_where_both_hold(monkeypatch):
    # 2,000 sets: the standard error is 0.011 at the most
    items = items_from_rates(**UNFAIR)
    for test in ("separation", "all_pairs", "drawn_pairs", "fresh_pairs"):
        numbers = {"n_items": 1500, "n_pairs": 6000, "correction": "holm"}
        monkeypatch.undo()
        formula = expected_rejection(test, items, **numbers)
        monkeypatch.setattr(power_module, "few_are_expected", lambda *_: True)
        simulated = expected_rejection(test, items, **numbers)
        assert simulated != formula
        assert_allclose(simulated, formula, atol=0.02 + 4 * 0.011)


@pytest.mark.parametrize(
    ("correction", "each"), [("none", 0.05), ("holm", 0.025), ("sidak", 1 - np.sqrt(0.95))]
)
def test_a_correction_amounts_to_a_level_of_each_hypothesis(correction, each):
    items = items_from_rates(**UNFAIR)
    numbers = {"n_items": 700, "n_pairs": 1400}
    for test in ("separation", "fresh_pairs", "drawn_pairs", "binomial", "all_pairs"):
        assert_allclose(
            expected_rejection(test, items, correction=correction, **numbers),
            expected_rejection(test, items, alpha=each, **numbers),
            rtol=1e-9,
        )


def test_the_level_on_shared_items():
    fair = items_from_rates(**FAIR)
    numbers = {"n_items": 500, "n_pairs": 4000}
    for test in ("drawn_pairs", "all_pairs"):
        # between that of hypotheses that agree and that of independent ones
        assert 0.05 < expected_rejection(test, fair, **numbers) < 0.0976
        assert 0.025 < expected_rejection(test, fair, correction="holm", **numbers) < 0.05
    assert expected_rejection("binomial", fair, **numbers) > 0.2
    assert_allclose(expected_rejection("separation", fair, n_items=5000), 0.0975, rtol=1e-4)


def test_without_variance_nothing_is_rejected():
    perfect = items_from_rates(tpr=1, fpr=0)
    numbers = {"n_items": 500, "n_pairs": 1000}
    for test in ("separation", "fresh_pairs", "drawn_pairs", "binomial", "all_pairs"):
        assert expected_rejection(test, perfect, **numbers) == 0


@pytest.mark.parametrize(
    ("test", "numbers", "message"),
    [
        ("dyadic", {"n_items": 9, "n_pairs": 9}, "test must be one of 'separation', .*'dyadic'"),
        ("separation", {"n_pairs": 9}, "separation needs n_items"),
        ("all_pairs", {"n_pairs": 9}, "all_pairs needs n_items"),
        ("drawn_pairs", {"n_items": 9}, "drawn_pairs needs n_pairs"),
        ("drawn_pairs", {"n_pairs": 9}, "drawn_pairs needs n_items"),
        ("binomial", {"n_items": 9}, "binomial needs n_pairs"),
        ("fresh_pairs", {"n_items": 9}, "fresh_pairs needs n_pairs"),
    ],
)
def test_what_a_test_needs_is_named(test, numbers, message):
    with pytest.raises(InputError, match=message):
        expected_rejection(test, items_from_rates(), **numbers)


@pytest.mark.parametrize(
    "change", [{"correction": "bonferroni"}, {"alpha": 0}, {"alpha": 2}, {"n_items": -5}]
)
def test_other_bad_input_is_explained(change):
    with pytest.raises(InputError):
        expected_rejection("all_pairs", items_from_rates(**UNFAIR), **{"n_items": 500, **change})


# Numbers that are needed


@pytest.mark.parametrize("wanted", [8, 9, 15, 16, 17, 1000, 123_457])
def test_the_smallest_number_is_the_smallest(wanted):
    def power(n):
        return 0.9 if n >= wanted else 0.1

    assert smallest_number(power) == wanted
    assert smallest_number(power, 0.9) == wanted


@pytest.mark.parametrize("wanted", [1, 2, 5, 7])
def test_the_smallest_number_may_be_small(wanted):
    assert smallest_number(lambda n: 0.9 if n >= wanted else 0.1) == wanted


@pytest.mark.parametrize("test", ["separation", "fresh_pairs", "all_pairs"])
def test_the_number_that_is_needed_is_enough_and_one_less_is_not(test):
    items = items_from_rates(**UNFAIR)
    name = "n_pairs" if test == "fresh_pairs" else "n_items"

    def power(n):
        return expected_rejection(test, items, **{name: n})

    number = smallest_number(power, 0.7)
    # the distribution of two variables is integrated to some five digits
    assert power(number) >= 0.7 - 1e-5
    assert power(number - 1) < 0.7 + 1e-5


def test_the_largest_numbers_are_tried_too():
    """Nothing between the last power of 4 and the largest number is left out."""
    assert smallest_number(lambda n: float(n >= 9_000_000_000)) == 9_000_000_000
    with pytest.raises(InputError, match="take rates that differ more, or more of the items or"):
        smallest_number(lambda n: 0.0)


def test_no_number_is_enough_where_nothing_differs():
    items = items_from_rates(**FAIR)
    with pytest.raises(InputError, match=r"No number up to 10,000,000,000 has a power of 0\.8"):
        smallest_number(lambda n: expected_rejection("all_pairs", items, n_items=n))


@pytest.mark.parametrize("power", [0, 1, -1, 1.5, np.nan])
def test_a_power_lies_between_0_and_1(power):
    with pytest.raises(InputError, match="power must lie between 0 and 1"):
        smallest_number(lambda n: 1.0, power)


@pytest.mark.parametrize("correction", ["none", "holm"])
def test_the_judgments_needed_are_enough_and_fewer_are_not(correction):
    items = items_from_rates(**UNFAIR)
    number = judgments_needed(items, 2000, correction=correction)

    def power(m):
        return expected_rejection(
            "drawn_pairs", items, n_items=2000, n_pairs=m, correction=correction
        )

    assert power(number) >= 0.8 - 1e-5
    assert power(number - 1) < 0.8 + 1e-5


def test_too_few_items_are_refused_with_a_number_that_is_enough():
    items = items_from_rates(tpr=(0.8, 0.7))
    with pytest.raises(InputError, match="No number of judgments over 500 items") as caught:
        judgments_needed(items, 500)
    needed = int(str(caught.value).split("at least ")[1].split(" items")[0].replace(",", ""))
    number = judgments_needed(items, needed)
    found = expected_rejection(
        "drawn_pairs", items, n_items=needed, n_pairs=number, correction="holm"
    )
    assert found >= 0.8 - 1e-5
    with pytest.raises(InputError, match="No number of judgments over"):
        judgments_needed(items, int(0.99 * needed))


@pytest.mark.parametrize("test", ["separation", "fresh_pairs", "drawn_pairs", "all_pairs"])
@pytest.mark.parametrize("rate", ["tpr", "fpr"])
def test_the_detectable_difference_is_found_with_the_wanted_power(test, rate):
    numbers = {"n_items": 1500, "n_pairs": 3000}
    found = detectable_difference(test, rate=rate, power=0.7, **numbers)
    assert 0.02 < found < 0.4
    rates = {"tpr": (0.8, 0.8), "fpr": (0.4, 0.4)}
    rates[rate] = (0.8, 0.8 - found) if rate == "tpr" else (0.4, 0.4 + found)
    power = expected_rejection(test, items_from_rates(**rates), correction="holm", **numbers)
    assert_allclose(power, 0.7, atol=1e-4)


def test_more_items_find_smaller_differences():
    found = [detectable_difference("all_pairs", n_items=n) for n in (400, 1000, 10_000)]
    assert found == sorted(found, reverse=True)


def test_a_difference_that_cannot_be_found_is_refused():
    with pytest.raises(InputError, match="Not even the largest difference of the tpr"):
        detectable_difference("separation", n_items=4)
    with pytest.raises(InputError, match="rate must be one of 'tpr', 'fpr'; it is 'ppv'"):
        detectable_difference("separation", rate="ppv", n_items=500)
    with pytest.raises(InputError, match="drawn_pairs needs n_pairs"):
        detectable_difference("drawn_pairs", n_items=500)


def test_a_power_below_the_level_needs_no_difference():
    assert detectable_difference("separation", n_items=500, power=0.02) == 0


def test_curves_are_tabulated_one_after_the_other():
    frame = power_curve({"a": lambda n: n / 10, "b": lambda n: 1.0}, [1, 5])
    assert list(frame.columns) == ["test", "number", "power"]
    assert frame.to_numpy().tolist() == [["a", 1, 0.1], ["a", 5, 0.5], ["b", 1, 1.0], ["b", 5, 1.0]]


# Pilots of scores


def people(rng, n, noise=(0.6, 1.0)):
    """Labels, scores with more noise in group 1, groups."""
    a, y = rng.integers(0, 2, (2, n))
    return y, y + rng.normal(size=n) * np.asarray(noise)[a], a


def test_a_pilot_of_yes_no_predictions_says_what_its_shares_say():
    # DeLong's variance has m/(m - 1) and no term of the second order: 1 % apart for 4,000 items
    rng = np.random.default_rng(0)
    y, s, a = people(rng, 4000)
    c = (s > 0.5).astype(int)
    cells = np.bincount(4 * a + 2 * y + c, minlength=8).reshape(2, 2, 2) / len(y)
    pilot = pilot_of_scores(y, c, sensitive_features=np.where(a == 1, "m", "f"))
    assert pilot.groups == ("f", "m")
    for numbers in ((900, None), (900, 2500)):
        expected, covariance = gaps_and_covariance(cells, *numbers)
        gaps, of_pilot = gaps_and_covariance(pilot, *numbers)
        assert_allclose(gaps, expected, atol=1e-12)
        assert_allclose(of_pilot, covariance, rtol=0.01, atol=0.01 * covariance.max())
    for test in ("all_pairs", "drawn_pairs", "fresh_pairs"):
        numbers = {"n_items": 900, "n_pairs": 2500}
        assert_allclose(
            expected_rejection(test, pilot, **numbers),
            expected_rejection(test, cells, **numbers),
            atol=0.02 + 4 * 0.011,  # of 2,000 simulated sets
        )


def test_a_pilot_of_scores_foretells_the_variances_of_other_sizes():
    # a pilot large enough to be the truth; 1,500 collections of 200 items and 400 drawn pairs each:
    # the Monte Carlo error of a variance is sqrt(2 / 1,500) = 3.7 %
    rng = np.random.default_rng(1)
    y, s, a = people(rng, 200_000)
    pilot = pilot_of_scores(y, s, sensitive_features=a)
    r, n, m = 1500, 200, 400
    y, s, a = (x.reshape(r, n) for x in people(rng, r * n))
    first, second = gap_cells(2)
    cell = np.full((2, 2, r, 4), np.nan)  # all, drawn; right, usable
    i, j = rng.integers(n, size=(2, r, m))
    for k in range(r):
        above = s[k][:, None] > s[k][None, :]
        usable = y[k][:, None] > y[k][None, :]
        where = 2 * a[k][:, None] + a[k][None, :]
        one, two = i[k], j[k]
        swap = y[k][one] < y[k][two]
        win, lose = np.where(swap, two, one), np.where(swap, one, two)
        for kind, pairs in enumerate((usable, None)):
            at = pairs if pairs is not None else (win, lose)
            keep = usable[at] if pairs is None else slice(None)
            cell[kind, 0, k] = np.bincount(where[at][keep], above[at][keep], 4)
            cell[kind, 1, k] = np.bincount(where[at][keep], minlength=4)
    rates = cell[:, 0] / cell[:, 1]
    for kind, n_pairs in ((0, None), (1, m)):
        estimates = rates[kind][:, first] - rates[kind][:, second]
        gaps, covariance = gaps_and_covariance(pilot, n, n_pairs)
        sd = np.sqrt(np.diagonal(covariance))
        assert_allclose(estimates.mean(axis=0), gaps, atol=4.5 * sd.max() / np.sqrt(r))
        assert_allclose(estimates.var(axis=0), sd**2, rtol=0.15)


@pytest.mark.parametrize("test", ["separation", "binomial"])
def test_a_pilot_of_scores_has_no_yes_and_no(test):
    y, s, a = people(np.random.default_rng(2), 100)
    pilot = pilot_of_scores(y, s, sensitive_features=a)
    with pytest.raises(InputError, match=f"{test} needs yes/no predictions"):
        expected_rejection(test, pilot, n_items=100, n_pairs=100)


@pytest.mark.parametrize(
    ("labels", "groups", "message"),
    [
        ([0, 1, 2, 0, 1, 2, 0, 1], [0, 0, 0, 0, 1, 1, 1, 1], "y_true must have two values"),
        ([0, 1, 0, 1, 0, 1, 0, 1], [0, 0, 0, 0, 1, 1, 1, 2], "sensitive_features has 3 groups"),
        ([0, 1, 0, 1, 0, 1, 1, 1], [0, 0, 0, 0, 1, 1, 1, 1], "two items of each label in each"),
        ([1, 1, 1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1, 1, 1], "two items of each label in each"),
        ([0, 1, 0, 1], [0, 0, 0, 0, 1, 1, 1, 1], "must have one length"),
    ],
)
def test_a_pilot_that_says_nothing_is_refused(labels, groups, message):
    with pytest.raises(InputError, match=message):
        pilot_of_scores(labels, np.arange(len(labels)), sensitive_features=groups)
