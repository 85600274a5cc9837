"""The rule test: all tests of kept predictions, without training."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

HYPOTHESES = {"separation": ["H0t", "H0f"], "comparative_separation": ["H0c", "H0w"]}
ATTRIBUTES = ["sex", "region"]
CHUNK = "0000004-0000007"
FOLDER = "results/tests/loans/loans/fairbalance"
PREDICTIONS = f"results/predictions/loans/loans/fairbalance/{CHUNK}.parquet"
COLUMNS = {
    "dataset": "str",
    "treatment": "str",
    "test": "str",
    "repeat": "int32",
    "draw": "int64",
    "attribute": "str",
    "hypothesis": "str",
    "estimate": "float64",
    "standard_error": "float64",
    "statistic": "float64",
    "p_value": "float64",
    "rejected": "bool",
    "n": "int64",
    "smallest_cell": "int64",
    "note": "str",
}


@pytest.fixture(params=HYPOTHESES)
def test(request):
    return request.param


def results_of(done, test):
    rows = done.frame(f"{FOLDER}/{CHUNK}.parquet")
    return rows[rows["test"] == test]


@pytest.fixture
def results(done, test):
    return results_of(done, test)


def test_there_is_one_file_a_chunk(done):
    assert done.files("results/tests") == [
        f"{FOLDER}/{first:07d}-{first + 3:07d}.parquet" for first in (0, 4, 8)
    ]


def test_the_tests_follow_each_other_in_the_order_of_the_config(done):
    tests = done.frame(f"{FOLDER}/{CHUNK}.parquet")["test"].unique()
    assert list(tests) == list(HYPOTHESES)


def test_there_is_a_row_a_repeat_attribute_and_hypothesis(results, test):
    assert {column: str(kind) for column, kind in results.dtypes.items()} == COLUMNS
    assert set(results["dataset"]) == {"loans"}
    assert set(results["treatment"]) == {"fairbalance"}
    assert set(results["test"]) == {test}
    rows = list(results[["attribute", "repeat", "hypothesis"]].itertuples(index=False, name=None))
    expected = [
        (attribute, repeat, hypothesis)
        for attribute in ATTRIBUTES
        for repeat in range(4, 8)
        for hypothesis in HYPOTHESES[test]
    ]
    assert rows == expected


def test_the_p_value_and_the_rejection_follow_from_the_statistic(results):
    np.testing.assert_allclose(results["p_value"], 2 * norm.sf(results["statistic"].abs()))
    np.testing.assert_array_equal(results["rejected"], results["p_value"] < 0.05)
    assert (results["note"].eq("a cell below 30") == (results["smallest_cell"] < 30)).all()


def test_separation_is_counted_from_the_kept_predictions(done):
    results = results_of(done, "separation")
    predictions = done.frame(PREDICTIONS)
    items = done.frame("data/prepared/loans.parquet").set_index("item")
    for row in results.itertuples():
        own = predictions[predictions["repeat"] == row.repeat]
        about = items.loc[own["item"]]
        rates, cells = {}, {}
        for group in (0, 1):
            inside = about["label"].eq(1 if row.hypothesis == "H0t" else 0) & about[
                f"sensitive_{row.attribute}"
            ].eq(group)
            predicted = own["prediction"].to_numpy()[inside]
            rates[group], cells[group] = predicted.mean(), len(predicted)
        variance = sum(rates[g] * (1 - rates[g]) / cells[g] for g in (0, 1))
        assert row.estimate == pytest.approx(rates[1] - rates[0])
        assert row.statistic == pytest.approx((rates[1] - rates[0]) / np.sqrt(variance))
        assert (row.n, row.smallest_cell) == (sum(cells.values()), min(cells.values()))


def test_comparative_separation_draws_two_pairs_an_item(done):
    results = results_of(done, "comparative_separation")
    predictions = done.frame(PREDICTIONS)
    label = done.frame("data/prepared/loans.parquet")["label"].to_numpy()
    for (repeat, _), rows in results.groupby(["repeat", "attribute"]):
        own = label[predictions.loc[predictions["repeat"] == repeat, "item"]]
        share = 2 * own.mean() * (1 - own.mean())  # of pairs with different labels
        pairs = 2 * len(own)
        spread = np.sqrt(pairs * share * (1 - share))
        assert rows["n"].sum() == pytest.approx(pairs * share, abs=5 * spread)


def test_another_level_tests_again_without_training(copy):
    copy.configure(lambda config: config.update(alpha=0.01))
    jobs = copy.snakemake("--dry-run").check().jobs
    assert jobs["test"] == 3
    assert "train" not in jobs
    target = f"{FOLDER}/{CHUNK}.parquet"
    before = copy.frame(target)
    copy.snakemake(target).check()
    after = copy.frame(target)
    pd.testing.assert_frame_equal(before.drop(columns="rejected"), after.drop(columns="rejected"))
    np.testing.assert_array_equal(after["rejected"], after["p_value"] < 0.01)
