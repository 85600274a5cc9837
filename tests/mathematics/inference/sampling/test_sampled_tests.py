"""Clusters and weights in the tests that take them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal

import fairpairs as fp

COLUMNS = ["estimate", "ci_low", "ci_high", "pvalue"]


def items(seed=0, people=60, rows=5, groups=2):
    """Labels, decisions, scores, groups and persons of several rows a person, in one group each."""
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(people), rows)
    group = rng.permutation(np.arange(people) % groups)[person]
    y = rng.integers(0, 2, len(person))
    score = y + rng.normal(size=people)[person] + rng.normal(size=len(person))
    return y, (score > 0.5).astype(int), score, group, person


def separation(y, c, s, g, **options):
    return fp.separation_test(y, c, sensitive_features=g, **options)


def parity(y, c, s, g, **options):
    return fp.two_proportion_test(c, sensitive_features=g, **options)


def means(y, c, s, g, **options):
    return fp.differential_parity_test(s, y, sensitive_features=g, **options)


TESTS = {"separation": separation, "two proportions": parity, "differential parity": means}
every_test = pytest.mark.parametrize("test", TESTS.values(), ids=list(TESTS))


@every_test
def test_a_group_whose_frequencies_are_0_is_left_out(test):
    y, c, s, g, _ = items(groups=3)
    kept = g != 1
    weighted = test(y, c, s, g, sample_weight=kept, weight_kind="frequency")
    assert_frame_equal(weighted.to_frame(), test(y[kept], c[kept], s[kept], g[kept]).to_frame())
    assert weighted.groups == (0, 2)


@pytest.mark.parametrize("groups", [2, 3])
def test_means_of_clusters_of_one_size_are_compared_by_welch_on_the_means_of_clusters(groups):
    y, c, s, g, person = items(people=240, groups=groups)
    result = means(y, c, s, g, clusters=person).to_frame()
    of_person = [np.bincount(person, values) / 5 for values in (y, c, s, g)]
    plain = means(*of_person).to_frame()
    same = [*COLUMNS, "statistic", "dof", "pvalue_one_sided"]
    assert_allclose(result[same], plain[same])
    pooled = means(y, c, s, g).to_frame()  # effect sizes are of items
    assert_allclose(result["effect_size"], pooled["effect_size"])


@pytest.mark.parametrize(
    "options",
    [{"clusters": True}, {"weights": True}, {"clusters": True, "weights": True},
     {"weights": True, "kind": "importance"}],
    ids=["clusters", "weights", "both", "importance"],
)  # fmt: skip
def test_separation_equals_that_of_the_audit(options):
    y, c, s, g, person = items(seed=3)
    weight = np.random.default_rng(2).uniform(0.5, 3, len(y))
    sampling = {
        "clusters": person if "clusters" in options else None,
        "sample_weight": weight if "weights" in options else None,
        "weight_kind": options.get("kind", "sampling"),
    }
    result = separation(y, c, s, g, **sampling)
    audit = fp.audit(y, c, sensitive_features={"g": g}, reference={"g": 0}, **sampling)
    rows = audit.to_frame().query("criterion == 'separation'")
    assert_allclose(result.difference.estimate, rows["estimate"], rtol=1e-12)
    assert_allclose(result.difference.pvalue, rows["pvalue"], rtol=1e-9)
    assert_allclose(result.to_frame()[["ci_low", "ci_high"]], rows[["ci_low", "ci_high"]])
    share = np.bincount(g[y == 1], (weight * c)[y == 1]) / np.bincount(g[y == 1], weight[y == 1])
    if "weights" in options:
        assert_allclose(result.tpr, share)


def test_each_cluster_counts_once_if_asked():
    y, c, s, g, _ = items(seed=3)
    person = np.random.default_rng(0).geometric(0.02, len(y)) // 4
    once = {"clusters": person, "weight_kind": "cluster"}
    result = separation(y, c, s, g, **once)
    for group in (0, 1):
        hits, rows = 0.0, 0.0
        for one in np.unique(person):
            cell = (person == one) & (g == group) & (y == 1)
            hits += c[cell].sum() / (person == one).sum()
            rows += cell.sum() / (person == one).sum()
        assert result.tpr[group] == pytest.approx(hits / rows, rel=1e-12)
    weight = 1 / np.bincount(person)[person]
    given = {"clusters": person, "sample_weight": weight, "weight_kind": "importance"}
    given = separation(y, c, s, g, **given).difference
    assert_allclose(result.difference.estimate, given.estimate, rtol=1e-12)
    # these weights might depend on the decision
    assert (result.difference.pvalue <= given.pvalue).all()
    audit = fp.audit(y, c, sensitive_features={"g": g}, reference={"g": 0}, **once)
    rows = audit.to_frame().query("criterion == 'separation'")
    assert_allclose(result.difference.pvalue, rows["pvalue"], rtol=1e-9)
    assert audit.about["weights"] == "cluster"
    assert "clusters that count once each" in str(audit)
    assert any("Each cluster counts once" in note for note in audit.about["notes"])


def test_one_sided_tests_of_clusters_are_half_the_two_sided_ones():
    y, c, s, g, person = items(seed=5)
    both = parity(y, c, s, g, clusters=person)
    sides = {side: parity(y, c, s, g, clusters=person, alternative=side)
             for side in ("greater", "less")}  # fmt: skip
    smaller = min(result.pvalue for result in sides.values())
    assert_allclose(both.pvalue, 2 * smaller)
    assert sides["greater"].ci_high == 1
    assert sides["less"].ci_low == -1
    narrow = parity(y, c, s, g, clusters=person, alpha=0.1)
    assert_allclose(sides["greater"].ci_low, narrow.ci_low)


def test_rates_that_are_equal_and_do_not_vary_keep_p_1_and_do_not_count():
    y, c, s, g, person = items()
    c = np.where(y == 1, 1, c)
    weight = np.random.default_rng(2).uniform(0.5, 3, len(y))
    result = separation(y, c, s, g, clusters=person, sample_weight=weight)
    assert_array_equal(result.pvalues, [1, result.difference.pvalue[1]])
    assert result.to_frame()["note"][0] == "no variance"
    assert result.difference.ci_low[0] < 0 < result.difference.ci_high[0]
    assert parity(y, np.ones_like(c), s, g, clusters=person).pvalue == 1
    equal = means(s, s, s, g, clusters=person, sample_weight=weight)
    assert equal.pvalue <= 1


def test_means_that_do_not_vary_have_no_p_value_unless_equal():
    _, c, _, g, person = items()
    equal = fp.differential_parity_test(c, c, sensitive_features=g, clusters=person)
    assert (equal.pvalue, equal.difference.reason[0]) == (1, "constant differences")
    apart = fp.differential_parity_test(c + g, c, sensitive_features=g, clusters=person)
    assert np.isnan(apart.pvalue)
    assert apart.violated is None


@every_test
def test_a_group_of_one_cluster_has_no_test(test):
    y, c, s, g, _ = items()
    result = test(y, c, s, g, clusters=np.where(g == 1, -1, np.arange(len(g))))
    assert np.isnan(result.pvalue)
    assert result.to_frame()["note"][0] == "a group with fewer than two clusters"


def test_walds_test_takes_no_clusters():
    y, c, s, g, person = items()
    with pytest.raises(fp.InputError, match="method='wald' takes rows to be independent"):
        separation(y, c, s, g, clusters=person, method="wald")


@every_test
def test_a_margin_is_judged_by_the_variance_of_clusters(test):
    y, c, s, g, person = items()
    result = test(y, c, s, g, clusters=person, alpha=0.1)
    within = result.within(0.4)
    frame = test(y, c, s, g, clusters=person, alpha=0.2).to_frame()
    assert_allclose(within.low, frame["ci_low"])
    assert_allclose(within.high, frame["ci_high"])
    inside = (np.abs(within.low) < 0.4) & (np.abs(within.high) < 0.4)
    assert_array_equal(within.shown, inside)


def test_a_margin_of_several_groups_is_judged_by_the_variance_of_clusters():
    y, c, s, g, person = items(groups=3)
    result = parity(y, c, s, g, clusters=person, alpha=0.1)
    each = [test.within(0.4) for test in result.by_pair]
    assert_array_equal(result.within(0.4).pvalues, [float(one.pvalues[0]) for one in each])
    plain = parity(y, c, s, g, alpha=0.1).within(0.4)
    assert (result.within(0.4).high > plain.high).all()


def ranking(y, c, s, g, **options):
    return fp.xauc(y, s, sensitive_features=g, **options)


def test_a_ranking_of_clusters_equals_that_of_the_audit():
    y, c, s, g, person = items(seed=4)
    weight = np.random.default_rng(2).uniform(0.5, 3, len(y))
    sampling = {"clusters": person, "sample_weight": weight}
    result = ranking(y, c, s, g, **sampling)
    audit = fp.audit(
        y, c, y_score=s, sensitive_features={"g": g}, reference={"g": 0}, **sampling
    ).to_frame()
    rows = audit[audit["criterion"] == "xauc"]
    assert_allclose(result.difference.estimate, rows["estimate"])
    assert_allclose(result.difference.pvalue, rows["pvalue"], rtol=1e-7)
    parts = result.decomposition()
    assert_allclose(list(parts.values()), parts["AUC"])
    plain, alone = ranking(y, c, s, g).rates(), ranking(y, c, s, g, clusters=np.arange(300)).rates()
    assert_allclose(alone["estimate"], plain["estimate"])
    assert_allclose(alone["standard_error"], plain["standard_error"], rtol=0.02)


@pytest.mark.slow
def test_a_cluster_with_a_fifth_of_the_rows_of_a_group_is_noted():
    y, c, s, g, person = items(people=40)
    large = np.where(np.arange(len(y)) < 60, -1, person)
    for test in TESTS.values():
        assert "a fifth or more" not in str(test(y, c, s, g, clusters=person).to_frame()["note"])
    noted = "one cluster has a fifth or more of the rows of a group"
    for test in (separation, parity):
        assert (test(y, c, s, g, clusters=large).to_frame()["note"].str.contains(noted)).all()
    audit = fp.audit(y, c, sensitive_features={"g": g}, clusters=large).to_frame()
    assert audit.query("criterion == 'separation'")["note"].str.contains(noted).all()


def test_clusters_of_both_groups_are_not_shuffled_for_i_sep():
    """Each may have a gap of its own: shuffles rejected 0.10 of fair data sets."""
    y, c, _, _, person = items(people=40)
    audit = fp.audit(y, c, sensitive_features={"g": np.arange(len(y)) % 2}, clusters=person)
    rows = audit.to_frame().set_index("measure")
    smaller = rows.loc[["TPR", "FPR"], "pvalue"].min()
    for measure in ("I_sep", "density ratio"):
        assert rows.loc[measure, "note"].startswith("clusters of both groups: p of the differences")
        assert rows.loc[measure, "pvalue"] == pytest.approx(min(1, 2 * smaller))
