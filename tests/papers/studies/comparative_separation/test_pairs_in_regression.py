"""The simulation of items and pairs in regression, against tests of a data set at a time."""

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal
from scipy.stats import chi2

import fairpairs as fp
from fairpairs.papers.studies.comparative_separation.simulation import (
    AT_MEDIANS,
    COMPARATIVE,
    NORMAL_MODEL,
    comparative_separation_of_fresh_pairs,
    compare_sizes,
    draw_items,
    separation_at_medians,
    separation_by_normal_model,
)

SETTINGS = {
    "repeats": 60,
    "items": 100,
    "pairs_per_item": [1, 2],
    "violations": {"none": {}, "shift": {"shift": 3}, "noise": {"noise": 0.5}},
}


@pytest.fixture
def items():
    return draw_items(np.random.default_rng(0), 4, items=200, shift=0.3, slope=-0.2, noise=0.4)


def each(items):
    return zip(items.group, items.label, items.score, strict=True)


def test_the_normal_model_is_a_ratio_of_likelihoods_of_statsmodels(items):
    expected = []
    for group, label, prediction in each(items):
        whole, *parts = (
            sm.OLS(prediction[member], sm.add_constant(label[member])).fit().llf
            for member in (group >= 0, group == 0, group == 1)
        )
        expected.append([chi2.sf(2 * (sum(parts) - whole), 3)])
    assert_allclose(separation_by_normal_model(items), expected, rtol=1e-8)


def test_cut_at_medians_the_test_of_separation_is_the_papers(items):
    expected = [
        fp.separation_test(
            (y > np.median(y)).astype(int), (c > np.median(c)).astype(int),
            sensitive_features=g, method="wald",
        ).difference.pvalue
        for g, y, c in each(items)
    ]  # fmt: skip
    assert_allclose(separation_at_medians(items), expected, rtol=1e-9)


def test_the_fresh_pairs_are_the_two_halves_and_the_test_is_the_papers(items):
    pairs = np.arange(200).reshape(2, 100).T
    expected = [
        fp.comparative_separation_test(
            y, c, sensitive_features=g, pairs=pairs, variance="binomial"
        ).difference.pvalue
        for g, y, c in each(items)
    ]
    assert_allclose(comparative_separation_of_fresh_pairs(items), expected, rtol=1e-9)


def test_group_1_is_predicted_as_the_settings_say():
    items = draw_items(
        np.random.default_rng(1), 1, items=200_000, shift=0.25, slope=-0.35, noise=0.6
    )
    for g, line, spread in ((0, (0, 1), 1), (1, (0.25, 0.65), 1.6)):
        member = items.group[0] == g
        label, prediction = items.label[0, member], items.score[0, member]
        fitted = sm.OLS(prediction, sm.add_constant(label)).fit()
        assert_allclose(fitted.params, line, atol=0.02)
        assert_allclose(np.sqrt(fitted.scale), spread, rtol=0.02)


def test_there_is_a_row_for_each_violation_test_and_size():
    table = compare_sizes(SETTINGS, seed=1, alpha=0.05)
    assert list(table.columns) == [
        "violation", "test", "size", "rejected", "standard_error", "repeats", "used",
    ]  # fmt: skip
    tests = [(AT_MEDIANS, 100), (NORMAL_MODEL, 100), (COMPARATIVE, 100), (COMPARATIVE, 200)]
    assert list(table[["test", "size"]].itertuples(index=False, name=None)) == 3 * tests
    assert (table.loc[table["violation"] == "shift", "rejected"] == 1).all()
    p = table["rejected"]
    assert_allclose(table["standard_error"], np.sqrt(p * (1 - p) / 60))
    assert_frame_equal(table, compare_sizes(SETTINGS, seed=1, alpha=0.05))
    # a violation more does not change the others
    more = {**SETTINGS, "violations": {"slope": {"slope": 1}, **SETTINGS["violations"]}}
    assert_frame_equal(
        table, compare_sizes(more, seed=1, alpha=0.05).iloc[4:].reset_index(drop=True)
    )
