"""The rule summarise: how often each test found a violation."""

import pandas as pd
import pytest

COLUMNS = {
    "dataset": "str",
    "attribute": "str",
    "treatment": "str",
    "test": "str",
    "repeats": "int64",
    "tested": "int64",
    "violated": "float64",
    "standard_error": "float64",
    "run_sd": "float64",
    "incomplete": "int64",
    "small_cells": "int64",
    "smallest_cell": "int64",
}


@pytest.fixture
def summary(done):
    return done.frame("results/summaries/loans.parquet")


def test_the_summary_has_a_row_a_data_set_attribute_treatment_and_test(summary):
    assert {column: str(kind) for column, kind in summary.dtypes.items()} == COLUMNS
    keys = summary[["dataset", "attribute", "treatment", "test"]]
    assert set(keys.itertuples(index=False, name=None)) == {
        ("loans", attribute, treatment, test)
        for attribute in ("sex", "region")
        for treatment in ("fairbalance",)
        for test in ("separation", "comparative_separation")
    }
    assert len(summary) == 4


def test_the_rates_are_those_of_a_plain_recount(done, summary):
    for row in summary.itertuples():
        violated = tested = incomplete = small = 0
        smallest = []
        for first in (0, 4, 8):
            chunk = done.frame(
                f"results/tests/loans/{row.dataset}/{row.treatment}/"
                f"{first:07d}-{first + 3:07d}.parquet"
            )
            for repeat in range(first, first + 4):
                rows = [
                    found
                    for found in chunk.itertuples()
                    if found.repeat == repeat
                    and (found.attribute, found.test) == (row.attribute, row.test)
                ]
                assert len(rows) == 2
                known = [found for found in rows if not pd.isna(found.p_value)]
                tested += bool(known)
                incomplete += len(known) < 2
                violated += any(found.p_value < 0.05 for found in known)
                smallest.append(min(found.smallest_cell for found in rows))
                small += smallest[-1] < 30
        assert row.repeats == 12
        assert row.tested == tested
        assert row.violated == violated / tested
        share = violated / tested
        assert row.standard_error == pytest.approx((share * (1 - share) / tested) ** 0.5)
        assert row.incomplete == incomplete
        assert row.small_cells == small
        assert row.smallest_cell == min(smallest)
    assert 0 < summary["violated"].mean() < 1  # else the recount would prove little


def test_the_csv_has_the_same_rows(done, summary):
    rows = done.frame("results/tables/loans.csv")
    assert set(rows["quantity"]) == {"violated"}
    rows = rows.drop(columns="quantity")
    expected = summary.rename(columns={"violated": "value"})[list(rows)]
    pd.testing.assert_frame_equal(rows, expected, check_dtype=False)


def test_the_estimates_are_the_means_of_the_tests(done):
    estimates = done.frame("results/summaries/loans.estimates.parquet")
    keys = ["dataset", "treatment", "test", "attribute", "hypothesis"]
    tests = pd.concat(
        done.frame(path) for path in done.files("results/tests") if path.endswith(".parquet")
    )
    expected = tests.groupby(keys)["estimate"].agg(["mean", "sem"])
    found = estimates.set_index(keys).sort_index()
    pd.testing.assert_series_equal(found["mean"], expected["mean"])
    pd.testing.assert_series_equal(found["standard_error"], expected["sem"], check_names=False)


@pytest.mark.parametrize("ending", ["md", "tex"])
def test_the_display_tables_have_every_number(done, summary, ending):
    text = done.text(f"results/tables/loans.{ending}")
    sign = "±" if ending == "md" else r"$\pm$"
    for violated, error in summary[["violated", "standard_error"]].itertuples(index=False):
        assert f"{violated:.3f} {sign} {error:.3f}" in text
    for word in ("Synthetic loans", "Loans, sex", "Loans, region", "FairBalance, Separation"):
        assert word in text
    assert "12 repeats" in text
