"""The rule train: the predictions of repeated training, one file a chunk of repeats."""

import numpy as np
import pandas as pd
import pytest

CHUNKS = {
    "0000000-0000003": range(4),
    "0000004-0000007": range(4, 8),
    "0000008-0000011": range(8, 12),
}
FOLDER = "results/predictions/loans/loans"


@pytest.fixture
def predictions(done):
    """The predictions of all repeats."""
    chunks = [done.frame(f"{FOLDER}/fairbalance/{chunk}.parquet") for chunk in CHUNKS]
    return pd.concat(chunks, ignore_index=True)


def test_there_is_one_file_a_chunk(done):
    assert done.files("results/predictions") == [
        f"{FOLDER}/fairbalance/{chunk}.parquet" for chunk in CHUNKS
    ]


@pytest.mark.parametrize("chunk", CHUNKS)
def test_a_chunk_has_its_repeats_and_the_columns(done, chunk):
    frame = done.frame(f"{FOLDER}/fairbalance/{chunk}.parquet")
    kinds = {column: str(kind) for column, kind in frame.dtypes.items()}
    assert kinds == {"repeat": "int32", "item": "int32", "score": "float64", "prediction": "int8"}
    assert list(frame["repeat"].unique()) == list(CHUNKS[chunk])


def test_half_of_every_joint_group_is_tested(done, predictions):
    items = done.frame("data/prepared/loans.parquet")
    strata = ["label", "sensitive_sex", "sensitive_region"]
    halves = items.groupby(strata).size() // 2
    frame = predictions.merge(items, on="item")
    assert len(frame) == 12 * halves.sum()
    for _, repeat in frame.groupby("repeat"):
        assert not repeat["item"].duplicated().any()
        pd.testing.assert_series_equal(repeat.groupby(strata).size(), halves)


def test_a_quarter_is_tested_where_the_config_says_so(papers):
    items = papers.frame("data/prepared/compas.parquet")
    quarters = items.groupby(["label", "sensitive_sex", "sensitive_race"]).size() // 4
    frame = papers.frame("results/predictions/classification/compas/none/0000000-0000003.parquet")
    assert len(frame) == 4 * quarters.sum()


def test_every_repeat_has_a_split_of_its_own(predictions):
    assert len({tuple(items) for _, items in predictions.groupby("repeat")["item"]}) == 12


def test_a_prediction_is_a_score_above_one_half(predictions):
    assert predictions["score"].between(0, 1).all()
    np.testing.assert_array_equal(predictions["prediction"], predictions["score"] > 0.5)


def test_the_model_has_learned(done, predictions):
    label = done.frame("data/prepared/loans.parquet")["label"].to_numpy()
    assert (predictions["prediction"] == label[predictions["item"]]).mean() > 0.7


def test_another_treatment_trains_only_itself_on_the_same_splits(copy):
    copy.configure(lambda config: config["experiments"]["loans"]["treatments"].append("reweighing"))
    jobs = copy.snakemake("--dry-run").check().jobs
    assert jobs["train"] == len(CHUNKS)
    assert jobs["test"] == len(CHUNKS)
    assert "simulate" not in jobs
    copy.snakemake(f"{FOLDER}/reweighing/0000004-0000007.parquet").check()
    ours = copy.frame(f"{FOLDER}/reweighing/0000004-0000007.parquet")
    other = copy.frame(f"{FOLDER}/fairbalance/0000004-0000007.parquet")
    pd.testing.assert_frame_equal(ours[["repeat", "item"]], other[["repeat", "item"]])
    assert (ours["score"] - other["score"]).abs().max() > 0.01
