"""The test ranking, and what the tests of rankings share: chunks, order, missing positives."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fairpairs import xauc
from fairpairs.mathematics.estimates.ranking_rates import ranking_rates
from fairpairs.mathematics.inference.ranking_differences import difference_variances
from tests.papers.fairness_tests.rankings import arrays, measured, own_rows, run


@pytest.mark.slow
def test_the_measures_are_those_of_the_definitions(small_dataset, predictions):
    frame = run("ranking", predictions, small_dataset)
    for key, label, score, group in arrays(predictions, small_dataset):
        rows = own_rows(frame, *key).set_index("hypothesis")
        expected = measured(label, score, group)
        assert set(rows.index) == set(expected)
        for name, value in expected.items():
            assert_allclose(rows.loc[name, "estimate"], value, rtol=1e-12, err_msg=name)
    assert set(frame["test"]) == {"ranking"}
    assert frame[["statistic", "p_value"]].isna().all(axis=None)
    assert not frame["rejected"].any()


def test_the_errors_are_those_of_delong(small_dataset, predictions):
    frame = run("ranking", predictions, small_dataset)
    for key, label, score, group in arrays(predictions, small_dataset):
        errors = own_rows(frame, *key).set_index("hypothesis")["standard_error"]
        table = xauc(label, score, sensitive_features=group).rates()
        by_groups = table.set_index(["positive", "negative"])["standard_error"]
        for name, cell in {
            "AUC": ("all", "all"),
            "AUC(0)": ("0", "0"),
            "AUC(1)": ("1", "1"),
            "xAUC(0,1)": ("0", "1"),
            "xAUC(1,0)": ("1", "0"),
            "xAUC_1(0)": ("0", "all"),
            "xAUC_1(1)": ("1", "all"),
            "xAUC_0(0)": ("all", "0"),
            "xAUC_0(1)": ("all", "1"),
        }.items():
            assert_allclose(errors[name], by_groups[cell], rtol=1e-12, err_msg=name)
        differences = errors[["ΔAUC", "ΔxAUC", "ΔxAUC_1", "ΔxAUC_0"]]
        rates = ranking_rates(label, score, group, 2)
        assert_allclose(differences**2, difference_variances(rates), rtol=1e-9)
        assert errors[["Brier", "Brier(0)", "Brier(1)"]].isna().all()


def test_a_group_without_positives_is_not_tested_and_says_why(small_dataset, lacking):
    frame = run("xauc", lacking, small_dataset)
    rows = own_rows(frame, 5, "sex").set_index("hypothesis")
    none = ["AUC(0) = AUC(1)", "xAUC(0,1) = xAUC(1,0)", "xAUC_1(0) = xAUC_1(1)"]
    assert set(rows.loc[none, "note"]) == {"a group without positive rows"}
    assert rows.loc[none, ["estimate", "statistic", "p_value"]].isna().all(axis=None)
    assert not rows.loc[none, "rejected"].any()
    other = rows.loc["xAUC_0(0) = xAUC_0(1)"]  # positive items of everyone
    assert np.isfinite(other["p_value"])
    assert frame[frame["repeat"] != 5]["p_value"].notna().all()


def test_a_group_without_positives_has_no_measure_of_them(small_dataset, lacking):
    frame = run("ranking", lacking, small_dataset)
    known = own_rows(frame, 5, "sex").set_index("hypothesis")["estimate"].notna()
    assert set(known[~known].index) == {"AUC(0)", "xAUC(0,1)", "xAUC_1(0)", "ΔAUC", "ΔxAUC",
                                        "ΔxAUC_1"}  # fmt: skip
    assert frame[frame["repeat"] != 5]["estimate"].notna().all()


def test_a_group_without_items_has_no_measure_at_all(small_dataset, predictions):
    women = small_dataset.frame["sensitive_sex"].iloc[predictions["item"]].to_numpy() == 0
    men = predictions[~(women & (predictions["repeat"] == 4))].reset_index(drop=True)
    rows = own_rows(run("ranking", men, small_dataset), 4, "sex").set_index("hypothesis")
    assert np.isnan(rows.loc["Brier(0)", "estimate"])
    assert rows.loc["AUC", "estimate"] == pytest.approx(rows.loc["AUC(1)", "estimate"])
    assert own_rows(run("xauc", men, small_dataset), 4, "sex")["p_value"].isna().all()
    assert own_rows(run("xauc_adjustment", men, small_dataset), 4, "sex")["estimate"].isna().all()
