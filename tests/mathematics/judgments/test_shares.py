"""Ties, the first place, judges and strata, against other packages."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import chi2_contingency
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

import fairpairs as fp
from fairpairs.mathematics.judgments.related import Relations
from fairpairs.mathematics.judgments.shares import stratified_gaps


def fresh(m, rng, *, share=0.4):
    """Judgments on items of their own, and the groups of these."""
    group = rng.random(2 * m) < share
    return np.arange(m), m + np.arange(m), np.where(group, "b", "a")


def test_ties_of_independent_judgments_are_compared_as_two_proportions():
    rng = np.random.default_rng(0)
    left, right, group = fresh(4000, rng)
    outcome = rng.choice([-1, 0, 1], len(left), p=[0.45, 0.1, 0.45])
    result = fp.outcome_ties_test(left, right, outcome, sensitive_features=group)
    a, b = (((group[left] == g) & (group[right] == g)) for g in "ab")
    low, high = confint_proportions_2indep(
        (outcome[b] == 0).sum(), b.sum(), (outcome[a] == 0).sum(), a.sum(), method="newcomb"
    )
    row = result.to_frame().iloc[0]
    assert row["hypothesis"] == "P(tie | b,b) = P(tie | a,a)"
    assert row["estimate"] == pytest.approx((outcome[b] == 0).mean() - (outcome[a] == 0).mean())
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((low, high), abs=1e-3)
    assert result.shares()["n"].sum() == len(left)


def test_judgments_across_are_compared_with_the_mean_of_those_within():
    rng = np.random.default_rng(8)
    left, right, group = fresh(3000, rng, share=0.2)
    second = (group[left] == "b").astype(int) + (group[right] == "b")
    tie = rng.random(3000) < np.array([0.1, 0.2, 0.3])[second]
    result = fp.outcome_ties_test(
        left, right, np.where(tie, 0, 1), sensitive_features=group, correction="none"
    )
    frame = result.to_frame().set_index("hypothesis")
    row = frame.loc["P(tie | a,b) = mean of P(tie | a,a), P(tie | b,b)"]
    shares = [tie[second == number].mean() for number in range(3)]
    assert row["estimate"] == pytest.approx(shares[1] - (shares[0] + shares[2]) / 2)
    assert row["pvalue"] > 0.05 and frame["pvalue"].iloc[0] < 0.001
    assert row["smallest_cell"] == (second == 2).sum()


def test_a_judge_who_always_prefers_the_first_is_found():
    left, right, group = fresh(200, np.random.default_rng(9))
    given = {"sensitive_features": group, "judges": np.arange(200) % 20}
    result = fp.first_place_test(left, right, np.ones(200), **given)
    row = result.to_frame().iloc[0]
    assert (row["estimate"], row["ci_high"]) == (0.5, 0.5)
    assert row["pvalue"] < 0.001 and row["ci_low"] > 0.2
    assert (result.pvalues[1:] == 1).all()  # and everywhere alike


def test_a_preference_for_a_group_is_none_for_the_place():
    """One group is mostly shown first, and mostly preferred."""
    rng = np.random.default_rng(10)
    m = 4000
    group = np.repeat(["a", "b"], m)
    a, b = np.arange(m), m + np.arange(m)
    a_first = rng.random(m) < 0.8
    for_a = rng.random(m) < 0.7
    left, right = np.where(a_first, a, b), np.where(a_first, b, a)
    outcome = np.where(for_a == a_first, 1, -1)
    result = fp.first_place_test(left, right, outcome, sensitive_features=group)
    assert (outcome > 0).mean() > 0.6
    frame = result.to_frame()
    assert abs(frame["estimate"][0]) < 0.03 and frame["pvalue"][0] > 0.05
    one_order = fp.first_place_test(a, b, np.ones(m), sensitive_features=group)
    assert np.isnan(one_order.pvalue)
    assert (one_order.to_frame()["note"] == "empty cell").all()


def krippendorff(counts):
    """Krippendorff's alpha from the verdicts of each pair, by the matrix of coincidences."""
    coincidences = np.zeros((3, 3))
    for row in counts:
        for c in range(3):
            for k in range(3):
                coincidences[c, k] += row[c] * (row[k] - (c == k)) / (row.sum() - 1)
    of_verdict, apart = coincidences.sum(axis=0), ~np.eye(3, dtype=bool)
    expected = np.outer(of_verdict, of_verdict)[apart].sum() / (of_verdict.sum() - 1)
    return 1 - coincidences[apart].sum() / expected


@pytest.mark.parametrize("ties", [0.0, 0.3])
def test_agreement_is_fleiss_kappa_where_either_item_may_be_called_the_first(ties):
    rng = np.random.default_rng(2)
    pairs, judges = 60, 4
    left = np.repeat(2 * np.arange(pairs), judges)
    truth = np.repeat(rng.choice([-1, 1], pairs), judges)
    outcome = np.where(rng.random(len(left)) < 0.7, truth, -truth)
    outcome[rng.random(len(left)) < ties] = 0
    judge = np.tile(np.arange(judges), pairs)
    turned = rng.random(len(left)) < 0.5  # the order of the two items does not matter
    one, two = np.where(turned, left + 1, left), np.where(turned, left, left + 1)
    found = fp.judge_agreement(one, two, np.where(turned, -outcome, outcome), judges=judge)
    votes = outcome.reshape(pairs, judges)
    counts = np.stack([(votes == verdict).sum(axis=1) for verdict in (1, -1, 0)], axis=1)
    doubled = np.concatenate([counts, counts[:, [1, 0, 2]]])
    assert found.kappa == pytest.approx(fleiss_kappa(doubled[:, : 2 + bool(ties)]))
    assert found.ci_low < found.kappa < found.ci_high
    assert found.krippendorff == pytest.approx(krippendorff(doubled))
    assert found.krippendorff_low < found.krippendorff < found.krippendorff_high
    some = counts.copy()
    some[:20] = np.minimum(some[:20], 1)  # pairs with other numbers of judges
    some = some[some.sum(axis=1) > 1]
    rows = [(2 * p, v) for p, c in enumerate(some) for v in np.repeat([1, -1, 0], c)]
    of_rows = np.concatenate([np.arange(n) for n in some.sum(axis=1)])
    item, verdict = np.array(rows).T
    unequal = fp.judge_agreement(item, item + 1, verdict, judges=of_rows)
    both = np.concatenate([some, some[:, [1, 0, 2]]])
    assert unequal.krippendorff == pytest.approx(krippendorff(both))
    assert (found.pairs, found.judgments) == (pairs, pairs * judges)
    row = found.to_frame().iloc[0]
    table = pd.crosstab(votes[:, 0], votes[:, 1])
    turned_table = pd.crosstab(-votes[:, 0], -votes[:, 1])
    both = cohens_kappa(table + turned_table)
    assert row["kappa"] == pytest.approx(both.kappa)
    half = (row["ci_high"] - row["ci_low"]) / 2  # twice the table has half the variance
    assert half == pytest.approx(2.0 * np.sqrt(2 * both.var_kappa), rel=0.1)


def test_repeated_judgments_of_a_judge_are_one_vote():
    once = fp.judge_agreement([0, 0], [1, 1], [1, 1], judges=["x", "y"])
    again = fp.judge_agreement([0, 1, 0], [1, 0, 1], [1, -1, 1], judges=["x", "x", "y"])
    assert (once.agreement, once.judgments) == (again.agreement, again.judgments) == (1.0, 2)
    alone = fp.judge_agreement([0, 2], [1, 3], [1, 1], judges=["x", "y"])
    assert np.isnan(alone.kappa) and alone.pairs == 0 and alone.to_frame().empty


def test_judges_that_differ_in_their_lean_are_found_by_chi_square():
    rng = np.random.default_rng(4)
    left, right, group = fresh(2000, rng)
    judge = rng.integers(8, size=len(left))
    for_b = rng.random(len(left)) < np.linspace(0.3, 0.7, 8)[judge]
    outcome = np.where(for_b == (group[left] == "b"), 1, -1)
    result = fp.judge_lean_test(left, right, outcome, sensitive_features=group, judges=judge)
    across = group[left] != group[right]
    table = pd.crosstab(judge[across], for_b[across])
    expected = chi2_contingency(table, correction=False)
    n = across.sum()
    assert result.differ["statistic"][0] == pytest.approx(expected.statistic * (n - 1) / n)
    assert (result.differ["df"][0], result.differ["pvalue"][0] < 1e-6) == (7, True)
    by_judge = result.judged
    assert_allclose(by_judge["share"], table[True] / table.sum(axis=1))
    assert result.violated is False  # they cancel
    with pytest.raises(fp.InputError, match="No judgment is of items of two groups"):
        fp.judge_lean_test(
            [0, 1], [1, 0], [1, 1], sensitive_features=["a", "a", "b"], judges=["x", "y"]
        )


def test_what_few_judges_have_in_common_is_no_chance():
    """On items of their own, judgments are independent: the interval is Wilson's."""
    rng = np.random.default_rng(6)
    left, right, group = fresh(900, rng)
    judge = rng.integers(3, size=len(left))
    for_b = rng.random(len(left)) < np.array([0.55, 0.7, 0.8])[judge]
    outcome = np.where(for_b == (group[left] == "b"), 1, -1)
    about_these, default, like_them = (
        fp.judge_lean_test(
            left, right, outcome, sensitive_features=group, judges=judge, judges_as=judges_as
        )
        for judges_as in ("fixed", None, "sample")
    )
    assert_allclose(default.pvalues, about_these.pvalues)
    assert about_these.violated and not like_them.violated
    across = group[left] != group[right]
    low, high = proportion_confint(for_b[across].sum(), across.sum(), method="wilson")
    assert_allclose(about_these.shares()[["ci_low", "ci_high"]], [[low, high]], atol=0.002)
    with pytest.raises(fp.InputError, match="judges_as"):
        fp.judge_lean_test(
            left, right, outcome, sensitive_features=group, judges=judge, judges_as="all"
        )


def stratified(hit, first, stratum, weights=None):
    """Gap within strata of judgments on items of their own: winner of b over a, or a over b."""
    m = len(hit)
    group = np.concatenate([first, ~first]).astype(int)
    items = np.arange(m), m + np.arange(m)
    difference, heterogeneity = stratified_gaps(
        *items, hit.astype(float), group, 2, stratum, Relations(*items), weights=weights
    )
    return difference.take(0), heterogeneity[0]


def test_gaps_within_strata_are_those_of_mantel_and_haenszel():
    rng = np.random.default_rng(5)
    stratum, first = rng.integers(6, size=900), rng.random(900) < 0.4
    hit = rng.random(900) < 0.4 + 0.08 * stratum
    gap, p = stratified(hit, first, stratum)
    top = bottom = 0.0
    for s in range(6):
        one, other = hit[first & (stratum == s)], hit[~first & (stratum == s)]
        weight = len(one) * len(other) / (len(one) + len(other))
        top, bottom = top + weight * (one.mean() - other.mean()), bottom + weight
    assert gap.estimate == pytest.approx(top / bottom)
    assert p > 0.01
    gap, p = stratified(
        np.where(stratum == 0, first, ~first) ^ (rng.random(900) < 0.3), first, stratum
    )
    assert p < 1e-6  # the gap differs between strata
    whole, _ = stratified(hit, first, stratum, weights=np.full(900, 0.5))
    assert whole.estimate == pytest.approx(top / bottom)


@pytest.mark.parametrize("size", [2, 10, 100])
def test_the_error_of_gaps_within_strata_is_that_of_sato(size):
    """T. Sato (1989): the variance of the difference of Mantel and Haenszel, sparse or not."""
    rng = np.random.default_rng(size)
    n = 4000
    stratum, first = np.arange(n) // size, rng.random(n) < 0.3
    hit = rng.random(n) < rng.uniform(0.3, 0.8, n)[stratum] - 0.1 * first
    gap, _ = stratified(hit, first, stratum)
    p = q = weights = 0.0
    for s in range(n // size):
        one, other = (hit[(stratum == s) & side] for side in (first, ~first))
        x, y, n1, n0, total = one.sum(), other.sum(), len(one), len(other), size
        p += (n1**2 * y - n0**2 * x + n1 * n0 * (n0 - n1) / 2) / total**2
        q += (x * (n0 - y) + y * (n1 - x)) / (2 * total)
        weights += n1 * n0 / total
    error = np.sqrt((gap.estimate * p + q) / weights**2)
    assert gap.estimate / gap.statistic == pytest.approx(error, rel=0.04)


def test_each_part_is_tested_as_if_alone():
    rng = np.random.default_rng(6)
    m, n = 900, 60
    left, right = rng.integers(n, size=m), rng.integers(n, size=m)
    right = np.where(right == left, (left + 1) % n, right)
    group, score = rng.choice(["a", "b"], n), rng.normal(size=n)
    outcome = np.where(rng.random(m) < 0.7, np.sign(score[left] - score[right]), 0)
    judge, prompt = rng.integers(3, size=m), rng.integers(30, size=m)
    frame = fp.comparative_separation_by(
        judge, left, right, outcome, score, sensitive_features=group, judges=judge, clusters=prompt
    )
    rows = judge == 1
    alone = fp.comparative_separation_from_judgments(
        left[rows], right[rows], outcome[rows], score, sensitive_features=group,
        clusters=prompt[rows],
    ).to_frame()  # fmt: skip
    own = frame[frame["part"] == 1].reset_index(drop=True)
    pd.testing.assert_frame_equal(own[alone.columns], alone)
    assert (own["judgments"] == rows.sum()).all()
