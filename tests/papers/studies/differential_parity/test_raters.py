"""Everyone who decided, compared with everyone else and with all others together."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import ttest_ind
from statsmodels.stats.multitest import multipletests

from fairpairs.mathematics.estimates.estimates import magnitude
from fairpairs.papers.datasets.prepared import PreparedDataset
from fairpairs.papers.studies.differential_parity.raters import compare_raters

N = 150
PEOPLE = ["Ann", "Bob", "Cid", "Dan", "Eve"]


def made(*, missing=0.0, seed=4):
    """Ratings of five people who favour the groups more or less; some may not be rated."""
    rng = np.random.default_rng(seed)
    sex, race = (rng.random((2, N)) < [[0.5], [0.3]]).astype(np.int8)
    looks = rng.normal(size=N)
    frame = pd.DataFrame({"item": np.arange(N), "label": looks, "looks": looks})
    frame["sensitive_sex"], frame["sensitive_race"] = sex, race
    for name, favour in zip(PEOPLE, (0, 1.2, -0.6, 0, 0.3), strict=True):
        said = (3 + looks + favour * sex + 0.7 * rng.normal(size=N)).round()
        frame[f"decision_{name}"] = np.where(rng.random(N) < missing, np.nan, said)
    frame["decision_Mean"] = frame[[f"decision_{name}" for name in PEOPLE]].mean(axis=1)
    kinds = {"looks": "numeric"}
    return PreparedDataset("faces", frame, kinds, ("sex", "race"), ("Mean",))


def apart(dataset):
    """Ann and Bob rate other items: they cannot be compared."""
    half = np.arange(N) % 2 == 0
    dataset.frame.loc[half, "decision_Ann"] = np.nan
    dataset.frame.loc[~half, "decision_Bob"] = np.nan
    return dataset


CASES = {"all": made, "some": lambda: made(missing=0.3), "apart": lambda: apart(made())}


@pytest.fixture(params=CASES)
def dataset(request):
    return CASES[request.param]()


def welch(difference, group):
    """Scipy's comparison of group 1 with group 0, on the items that both have rated."""
    one, zero = (difference[(group == a) & np.isfinite(difference)] for a in (1, 0))
    return ttest_ind(one, zero, equal_var=False), one.mean() - zero.mean()


def arrays(dataset):
    ratings = {name: dataset.frame[f"decision_{name}"].to_numpy() for name in PEOPLE}
    groups = {
        attribute: dataset.sensitive[:, column]
        for column, attribute in enumerate(dataset.attributes)
    }
    return ratings, groups


def assert_is_welch(row, difference, group):
    expected, estimate = welch(difference, group)
    assert row["estimate"] == pytest.approx(estimate, rel=1e-9, abs=1e-12)
    assert row["dpt"] == pytest.approx(expected.statistic, rel=1e-9)
    assert row["dof"] == pytest.approx(expected.df, rel=1e-9)
    assert row["pvalue"] == pytest.approx(expected.pvalue, rel=1e-9)
    one, zero = (difference[(group == a) & np.isfinite(difference)] for a in (1, 0))
    squares = (len(one) - 1) * one.var(ddof=1) + (len(zero) - 1) * zero.var(ddof=1)
    pooled = np.sqrt(squares / (len(one) + len(zero) - 2))
    assert row["dpd"] == pytest.approx(estimate / pooled, rel=1e-9)
    assert row["magnitude"] == magnitude(estimate / pooled, "d")


def test_every_pair_is_welchs_test_of_the_difference(dataset):
    pairs, _ = compare_raters(dataset)
    ratings, groups = arrays(dataset)
    compared = 0
    for attribute, group in groups.items():
        own = pairs[pairs["attribute"] == attribute].set_index(["decisions", "reference"])
        assert list(own.index) == list(combinations(PEOPLE, 2))
        for (first, second), row in own.iterrows():
            difference = ratings[first] - ratings[second]
            common = np.isfinite(difference)
            assert row["overlap"] == min((common & (group == a)).sum() for a in (0, 1))
            if row["overlap"] == 0:
                assert {first, second} == {"Ann", "Bob"}
                assert row[["estimate", "dpt", "pvalue", "pvalue_holm", "dpd"]].isna().all()
                assert row["magnitude"] == "unknown"
                continue
            assert_is_welch(row, difference, group)
            compared += 1
    assert compared in (20, 18)


def mean_of_others(ratings, name):
    """The mean of what the others said of each item, in a plain loop."""
    means = np.full(N, np.nan)
    for item in range(N):
        said = [ratings[other][item] for other in PEOPLE if other != name]
        known = [value for value in said if not np.isnan(value)]
        if known:
            means[item] = sum(known) / len(known)
    return means


def test_each_person_is_compared_with_the_mean_of_the_others(dataset):
    _, people = compare_raters(dataset)
    ratings, groups = arrays(dataset)
    for attribute, group in groups.items():
        own = people[people["attribute"] == attribute].set_index("decisions")
        assert list(own.index) == PEOPLE
        for name, row in own.iterrows():
            difference = ratings[name] - mean_of_others(ratings, name)
            assert_is_welch(row, difference, group)
            assert row["error"] == pytest.approx(row["estimate"] / row["dpt"], rel=1e-9)


@pytest.mark.slow
def test_p_values_are_adjusted_over_the_pairs_and_the_people_of_an_attribute(dataset):
    for table, corrections in zip(
        compare_raters(dataset),
        ({"pvalue_holm": "holm", "pvalue_fdr": "fdr_bh"}, {"pvalue_holm": "holm"}),
        strict=True,
    ):
        for _, own in table.groupby("attribute"):
            known = own["pvalue"].notna()
            for column, method in corrections.items():
                expected = multipletests(own["pvalue"][known], method=method)[1]
                assert_allclose(own[column][known], expected, rtol=1e-12)
                assert own[column][~known].isna().all()


def test_whom_a_person_prefers_a_group_more_than_is_counted(dataset):
    pairs, people = compare_raters(dataset)
    counted = 0
    for attribute in dataset.attributes:
        own = pairs[pairs["attribute"] == attribute]
        for name in PEOPLE:
            more = less = 0
            for _, row in own.iterrows():
                if name not in (row["decisions"], row["reference"]):
                    continue
                if not row["pvalue_holm"] < 0.05:  # nor where it is missing
                    continue
                towards = row["dpd"] if row["decisions"] == name else -row["dpd"]
                more, less = more + (towards > 0), less + (towards < 0)
            each = people[(people["attribute"] == attribute) & (people["decisions"] == name)]
            assert (each["prefers_more"].item(), each["prefers_less"].item()) == (more, less)
            counted += more
        whole = people[people["attribute"] == attribute]
        assert whole["prefers_more"].sum() == whole["prefers_less"].sum()
    assert counted >= 3  # somebody does


def test_the_mean_is_no_person():
    dataset = made()
    pairs, people = compare_raters(dataset)
    assert "Mean" not in {*pairs["decisions"], *pairs["reference"], *people["decisions"]}
    asked = PreparedDataset("faces", dataset.frame, dataset.kinds, dataset.attributes)
    pairs, people = compare_raters(asked)  # where the card calls it a person, it is one
    assert len(pairs) == 2 * 15
    assert "Mean" in set(people["decisions"])


def test_people_who_share_no_item_are_not_compared():
    """Each item is seen by one person only, as where cases are shared out."""
    dataset = made()
    for place, name in enumerate(PEOPLE):
        dataset.frame.loc[np.arange(N) % 5 != place, f"decision_{name}"] = np.nan
    pairs, people = compare_raters(dataset)
    for table in (pairs, people):
        assert table[["estimate", "dpt", "dof", "pvalue", "dpd", "pvalue_holm"]].isna().all(
            axis=None
        )  # fmt: skip
    assert (people[["prefers_more", "prefers_less"]] == 0).all(axis=None)
    assert_array_equal(pairs["overlap"], 0)


def test_two_people_of_one_mind_are_told():
    dataset = made()
    frame = dataset.frame.copy()
    names = [name for name in frame if name.startswith("decision_")]
    frame[names[1]] = frame[names[0]]
    pairs, _ = compare_raters(replace(dataset, frame=frame))
    alike = pairs[pairs["alike"]]
    people = [name.removeprefix("decision_") for name in names[:2]]
    assert set(alike["attribute"]) == {"sex", "race"}
    assert (alike[["decisions", "reference"]] == people).all(axis=None)
    assert (alike["pvalue"] == 1).all()
